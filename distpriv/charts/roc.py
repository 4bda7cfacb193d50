"""What an attacker can choose: how often to be right and how often to be wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.attacks.optimal import PrecisionRecallCurve, RocCurve
from distpriv.charts.frame import accuracy_axis, empty, linear_axis
from distpriv.charts.intervals import GUESSING, shown, within
from distpriv.charts.style import NEUTRAL, group_names, style_of
from distpriv.charts.text import number, percent, safe, summed_up
from distpriv.queries.properties import Pair

__all__ = ["precision_recall_figure", "roc_figure"]

FloatArray = NDArray[np.float64]

_HEIGHT = 480
_LINE_POINTS = 60
_MARKS = 20
_LEAST_RECALL = 0.02


def roc_figure(
    curves: Mapping[str, RocCurve],
    *,
    optimal: Mapping[str, RocCurve | None],
    pair: Pair,
    repetitions: int,
    seed: int,
    attacker: str = "adaptive attacker",
    promise: tuple[float, float] | None = None,
    selected: str | None = None,
) -> go.Figure:
    """True against false positive rates of the simulated and of the best possible attacker.

    Parameters
    ----------
    curves : mapping of mechanism to RocCurve
        Simulated; empty before the first repetition.
    optimal : mapping of mechanism to RocCurve or None
        Of the best possible attacker; None where it is not known.
    pair : Pair
        The two proportions that the attacker tells apart.
    repetitions, seed : int
        Of the simulation.
    attacker : str
        Who was simulated.
    promise : tuple (ε, δ), optional
        Draws what the promise alone allows.
    selected : str, optional
        Mechanism to draw boldly.
    """
    first, second = group_names(pair)
    figure = empty(
        "Right and wrong guesses, threshold by threshold",
        subtitle=_subtitle(attacker, repetitions, seed),
        alt=_alt("an area under the ROC curve", "an area", curves, optimal, repetitions, selected),
        how_to_read=(
            f"an attacker who says {second} more readily moves up and to the right along a "
            "curve. Lines are the best possible attacker, marks are the simulated one. On the "
            "dotted diagonal they guess; nearer the top left corner they know more"
            + ("; beyond the dashed line the promise (ε, δ) is broken." if promise else ".")
        ),
        height=_HEIGHT + 10 * len({*curves, *optimal}),
    )
    titles = (f"{first} taken for {second} (%)", f"{second} recognised (%)")
    figure.update_layout(xaxis=_share_axis(titles[0]), yaxis=_share_axis(titles[1]))
    meta = {"x_title": "false positive rate (share)", "y_title": "true positive rate (share)"}
    _add_rule(figure, "guessing", [0.0, 1.0], [0.0, 1.0], "dot", meta)
    if promise is not None:
        x, y = _allowed(*promise)
        _add_rule(figure, "the promise alone allows", x, y, "dash", meta)
    drawn = {
        name: (known.false_positive_rate, known.true_positive_rate)
        for name, known in optimal.items()
        if known is not None
    }
    measured = {
        name: (curve.false_positive_rate, curve.true_positive_rate)
        for name, curve in curves.items()
    }
    for name, (wrong, right) in drawn.items():
        chosen = _spread(wrong + right, _LINE_POINTS)
        told = _told(name, "best possible attacker", ("wrong", wrong), ("right", right), chosen)
        _add_line(figure, name, wrong[chosen], right[chosen], told, selected, meta)
    for name, (wrong, right) in measured.items():
        chosen = _spread(wrong + right, _MARKS)
        told = _told(name, "simulated attacker", ("wrong", wrong), ("right", right), chosen)
        _add_marks(figure, name, wrong[chosen], right[chosen], told, name not in drawn, meta)
    return figure


def precision_recall_figure(
    curves: Mapping[str, PrecisionRecallCurve],
    *,
    optimal: Mapping[str, PrecisionRecallCurve | None],
    pair: Pair,
    repetitions: int,
    seed: int,
    attacker: str = "adaptive attacker",
    selected: str | None = None,
) -> go.Figure:
    """Precision against recall of the simulated and of the best possible attacker.

    Parameters
    ----------
    curves : mapping of mechanism to PrecisionRecallCurve
        Simulated; empty before the first repetition.
    optimal : mapping of mechanism to PrecisionRecallCurve or None
        Of the best possible attacker; None where it is not known.
    pair, repetitions, seed, attacker, selected
        As for :func:`roc_figure`.
    """
    _, second = group_names(pair)
    figure = empty(
        "How sure, by how much they dare",
        subtitle=_subtitle(attacker, repetitions, seed),
        alt=_alt("an average precision", "a precision", curves, optimal, repetitions, selected),
        how_to_read=(
            f"of the releases that the attacker takes for {second}, the height is the share "
            "that are, when as many are as are not; to the left they speak up only when they "
            "are surest. Lines are the best possible attacker, marks are the simulated one, few "
            "guesses and so much chance at the left end; at the dotted line they guess."
        ),
        height=_HEIGHT + 10 * len({*curves, *optimal}),
    )
    figure.update_layout(
        xaxis=_share_axis(f"{second} recognised: recall (%)"),
        yaxis=accuracy_axis("right when they say so: precision (%)"),
    )
    meta = {"x_title": "recall (share)", "y_title": "precision (share)"}
    _add_rule(figure, "guessing", [0.0, 1.0], [GUESSING, GUESSING], "dot", meta)
    drawn = {name: known for name, known in optimal.items() if known is not None}
    for kind, group in (("best possible attacker", drawn), ("simulated attacker", curves)):
        for name, curve in group.items():
            spoken = curve.recall >= (_LEAST_RECALL if kind.startswith("simulated") else 0)
            recall, precision = curve.recall[spoken], curve.precision[spoken]
            line = kind.startswith("best")
            chosen = _spread(1 - recall, _LINE_POINTS if line else _MARKS)
            told = _told(name, kind, ("recall", recall), ("precision", precision), chosen)
            seen = np.array([within(float(value)) for value in precision[chosen]])
            true = meta | {"y": precision[chosen].tolist()}
            if line:
                _add_line(figure, name, recall[chosen], seen, told, selected, true)
            else:
                _add_marks(figure, name, recall[chosen], seen, told, name not in drawn, true)
    return figure


def _share_axis(title: str) -> dict[str, Any]:
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    texts = [percent(tick) for tick in ticks]
    return linear_axis(safe(title), -0.02, 1.02, tickvals=ticks, ticktext=texts)


def _subtitle(attacker: str, repetitions: int, seed: int) -> str:
    if not repetitions:
        return "best possible attacker; nothing simulated yet"
    return safe(f"{attacker}, {repetitions} repetition{'s' * (repetitions != 1)}, seed {seed}")


def _allowed(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """Border of what (ε, δ) allows (Kairouz et al. 2015, Theorem 2.1)."""
    corner = (1 - delta) / (1 + math.exp(epsilon))
    return [0.0, 0.0, corner, 1 - delta, 1.0], [0.0, delta, 1 - corner, 1.0, 1.0]


def _spread(way: FloatArray, points: int) -> NDArray[np.int_]:
    """Positions about evenly spread along a way that rises."""
    if len(way) <= points:
        return np.arange(len(way))
    inner = np.searchsorted(way, np.linspace(way[0], way[-1], points))
    return np.unique(np.minimum(inner, len(way) - 1))


def _told(
    name: str,
    who: str,
    x: tuple[str, FloatArray],
    y: tuple[str, FloatArray],
    chosen: NDArray[np.int_],
) -> list[str]:
    return [
        f"<b>{safe(shown(name))}</b><br>{who}<br>{x[0]}: {percent(float(x[1][index]))}<br>"
        f"{y[0]}: {percent(float(y[1][index]))}"
        for index in chosen
    ]


def _add_rule(
    figure: go.Figure,
    label: str,
    x: list[float],
    y: list[float],
    dash: str,
    meta: dict[str, Any],
) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": NEUTRAL, "dash": dash, "width": 2},
        name=label,
        hovertext=label,
        hoverinfo="text",
        meta=meta,
    )


def _add_line(
    figure: go.Figure,
    name: str,
    x: FloatArray,
    y: FloatArray,
    told: list[str],
    selected: str | None,
    meta: dict[str, Any],
) -> None:
    style = style_of(name)
    figure.add_scatter(
        x=x.tolist(),
        y=y.tolist(),
        mode="lines",
        line={"color": style.color, "dash": style.dash, "width": 4 if name == selected else 2.5},
        name=safe(shown(name)),
        legendgroup=safe(shown(name)),
        hovertext=told,
        hoverinfo="text",
        meta=meta,
    )


def _add_marks(
    figure: go.Figure,
    name: str,
    x: FloatArray,
    y: FloatArray,
    told: list[str],
    showlegend: bool,
    meta: dict[str, Any],
) -> None:
    style = style_of(name)
    figure.add_scatter(
        x=x.tolist(),
        y=y.tolist(),
        mode="markers",
        marker={"symbol": style.symbol, "size": 8, "color": style.color},
        name=safe(f"{shown(name)}, simulated"),
        legendgroup=safe(shown(name)),
        showlegend=showlegend,
        hovertext=told,
        hoverinfo="text",
        meta=meta,
    )


def _alt(
    what: str,
    short: str,
    curves: Mapping[str, RocCurve] | Mapping[str, PrecisionRecallCurve],
    optimal: Mapping[str, RocCurve | None] | Mapping[str, PrecisionRecallCurve | None],
    repetitions: int,
    selected: str | None,
) -> str:
    best = {
        shown(name): known.area.estimate for name, known in optimal.items() if known is not None
    }
    parts = []
    chosen = None if selected is None else shown(selected)
    if best:
        told = {name: number(area) for name, area in best.items()}
        parts.append(f"the best possible attacker has {what} of {summed_up(best, told, chosen)}")
    if curves:
        areas = {shown(name): curve.area for name, curve in curves.items()}
        told = {
            name: f"{number(area.estimate)} ({number(area.low)} to {number(area.high)})"
            for name, area in areas.items()
        }
        values = {name: area.estimate for name, area in areas.items()}
        runs = f"{repetitions} repetition{'s' * (repetitions != 1)}"
        parts.append(f"the simulated one, over {runs}, {summed_up(values, told, chosen)}")
    parts.append(f"guessing has {short} of 0.5")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."
