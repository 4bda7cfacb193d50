"""What an attacker can choose: how often to be right and how often to be wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.attacks.optimal import PrecisionRecallCurve, RocCurve
from distpriv.charts.frame import accuracy_axis, empty, share_axis
from distpriv.charts.intervals import GUESSING, within
from distpriv.charts.lines import Place, grey, series
from distpriv.charts.style import group_names, shown, style_of
from distpriv.queries.properties import Pair
from distpriv.words import number, percent, safe, summed_up

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
        xaxis=share_axis(f"{first} taken for {second} (%)"),
        yaxis=share_axis(f"{second} recognised (%)"),
    )
    titles = ("false positive rate (share)", "true positive rate (share)")
    _add_rule(figure, "guessing", ([0.0, 1.0], [0.0, 1.0]), "dot", titles)
    if promise is not None:
        _add_rule(figure, "the promise alone allows", _allowed(*promise), "dash", titles)
    best = {name: curve for name, curve in optimal.items() if curve is not None}
    for group, points in ((best, _LINE_POINTS), (curves, _MARKS)):
        for name, curve in group.items():
            wrong, right = curve.false_positive_rate, curve.true_positive_rate
            chosen = _spread(wrong + right, points)
            x, y = ("wrong", wrong[chosen]), ("right", right[chosen])
            if group is best:
                _add_line(figure, name, x, y, titles, None, selected)
            else:
                _add_marks(figure, name, x, y, titles, None, showlegend=name not in best)
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
        xaxis=share_axis(f"{second} recognised: recall (%)"),
        yaxis=accuracy_axis("right when they say so: precision (%)"),
    )
    titles = ("recall (share)", "precision (share)")
    _add_rule(figure, "guessing", ([0.0, 1.0], [GUESSING, GUESSING]), "dot", titles)
    best = {name: curve for name, curve in optimal.items() if curve is not None}
    for group, points, least in ((best, _LINE_POINTS, 0.0), (curves, _MARKS, _LEAST_RECALL)):
        for name, curve in group.items():
            spoken = curve.recall >= least
            recall, precision = curve.recall[spoken], curve.precision[spoken]
            chosen = _spread(1 - recall, points)
            x, y = ("recall", recall[chosen]), ("precision", precision[chosen])
            if group is best:
                _add_line(figure, name, x, y, titles, within, selected)
            else:
                _add_marks(figure, name, x, y, titles, within, showlegend=name not in best)
    return figure


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


def _told(name: str, who: str, x: tuple[str, FloatArray], y: tuple[str, FloatArray]) -> list[str]:
    return [
        f"<b>{safe(shown(name))}</b><br>{who}<br>{x[0]}: {percent(first)}<br>"
        f"{y[0]}: {percent(second)}"
        for first, second in zip(x[1].tolist(), y[1].tolist(), strict=True)
    ]


def _add_rule(
    figure: go.Figure,
    label: str,
    points: tuple[list[float], list[float]],
    dash: str,
    titles: tuple[str, str],
) -> None:
    x_title, y_title = titles
    options: dict[str, Any] = {"told": label, "width": 2, "x_title": x_title, "y_title": y_title}
    series(figure, label, *points, grey(dash), **options)


def _add_line(
    figure: go.Figure,
    name: str,
    x: tuple[str, FloatArray],
    y: tuple[str, FloatArray],
    titles: tuple[str, str],
    at_y: Place | None,
    selected: str | None,
) -> None:
    series(
        figure,
        shown(name),
        x[1],
        y[1],
        style_of(name),
        at_y=at_y,
        told=_told(name, "best possible attacker", x, y),
        x_title=titles[0],
        y_title=titles[1],
        bold=name == selected,
        group=shown(name),
    )


def _add_marks(
    figure: go.Figure,
    name: str,
    x: tuple[str, FloatArray],
    y: tuple[str, FloatArray],
    titles: tuple[str, str],
    at_y: Place | None,
    showlegend: bool,
) -> None:
    series(
        figure,
        f"{shown(name)}, simulated",
        x[1],
        y[1],
        style_of(name),
        mode="markers",
        at_y=at_y,
        told=_told(name, "simulated attacker", x, y),
        x_title=titles[0],
        y_title=titles[1],
        group=shown(name),
        showlegend=showlegend,
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
