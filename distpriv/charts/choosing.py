"""What an ε means: attackers counted, and precision, recall and F_β of the best of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.charts.frame import empty, finding, linear_axis, log_axis, rule, share_axis
from distpriv.charts.lines import grey, hover, series
from distpriv.charts.style import GROUP_COLORS, MechanismStyle, shown, style_of
from distpriv.mechanisms.curves import Curves
from distpriv.words import exact, listed, number, percent, safe, share

__all__ = ["attackers_in_100", "f_score_lines", "precision_recall_lines", "roc_lines"]

FloatArray = NDArray[np.float64]

_HEIGHT = 430
_SIDE = 10
_APART = 12
_STYLES = tuple(
    MechanismStyle(color, dash, "circle")
    for color, dash in (
        ("#56B4E9", "dot"),
        ("#0072B2", "dash"),
        ("#009E73", "solid"),
        ("#E69F00", "dashdot"),
        ("#D55E00", "longdash"),
        ("#CC79A7", "longdashdot"),
    )
)


def attackers_in_100(groups: Sequence[tuple[str, int]], *, by_chance: int) -> go.Figure:
    """A hundred attackers for each of a few releases: who guesses right, and who by luck alone.

    Parameters
    ----------
    groups : sequence of (label, right)
        How many of 100 guess right; the title tells the first and the last.
    by_chance : int
        How many do without any release.
    """
    phrases = [f"{right} ({label})" for label, right in groups]
    (first, right), *others = [groups[0], groups[-1]][: len(groups)]
    told = [f"{right} right {first}", *(f"{right} {label}" for label, right in others)]
    width = _APART * len(groups)
    hidden = {"showgrid": False, "showticklabels": False, "fixedrange": True}
    figure = empty(
        finding("", ", ".join(told)),
        alt=f"Of 100 attackers {listed(phrases)} guess right; {by_chance} without any release.",
        how_to_read=(
            "each mark is one attacker who names one of the two shares. Grey ones are right by "
            "luck, as many as without any release; orange ones are right because of the release; "
            "the hollow ones are wrong."
        ),
        height=300,
        xaxis=linear_axis("", -1.5, width - 1.5, **hidden),
        yaxis=linear_axis("", 10.8, -3.2, **hidden),
    )
    styles = (
        ("right by luck", grey(symbol="circle")),
        ("right because of the release", MechanismStyle(GROUP_COLORS[1], "solid", "diamond")),
        ("wrong", grey(symbol="circle-open")),
    )
    for kind, (name, style) in enumerate(styles):
        x, y, phrases = [], [], []
        for place, (label, right) in enumerate(groups):
            ends = (0, min(by_chance, right), right, _SIDE**2)
            for index in range(ends[kind], ends[kind + 1]):
                x.append(place * _APART + index % _SIDE)
                y.append(index // _SIDE)
                phrases.append(f"<b>{safe(label)}</b><br>{right} of 100 right")
        titles: dict[str, Any] = {"x_title": "column", "y_title": "row"}
        series(figure, name, x, y, style, mode="markers", told=phrases, size=9, **titles)
    for place, (label, right) in enumerate(groups):
        figure.add_annotation(
            x=place * _APART + 4.5,
            y=-0.8,
            yanchor="bottom",
            text=f"<b>{right}</b><br>{safe(label)}",
            showarrow=False,
        )
    return figure


def precision_recall_lines(
    lines: Mapping[str, tuple[FloatArray, FloatArray]],
    *,
    guessing: float,
    hypothesis: str,
    title: str,
    selected: str | None = None,
) -> go.Figure:
    """Precision against recall of the best attacker, one line for each of a few releases.

    Parameters
    ----------
    lines : mapping of label to (recall, precision), each of shape (points,)
    guessing : float in (0, 1)
        Precision of an attacker who sees nothing.
    hypothesis : str
        What the attacker says, e.g. ``the record is there``.
    title : str
    selected : str, optional
        Label of the line to draw boldly.
    """
    halfway = {
        label: float(np.interp(0.5, recall[order], precision[order]))
        for label, (recall, precision) in lines.items()
        for order in [np.argsort(recall)]
    }
    phrases = [f"{percent(value)} ({label})" for label, value in halfway.items()]
    figure = empty(
        safe(title),
        alt=f"At a recall of one half the precision is {listed(phrases)}; guessing is right in "
        f"{share(guessing)}.",
        how_to_read=(
            f"of the times that the attacker says that {hypothesis}, the height is the share in "
            "which it is so; the further right, the fewer cases they miss. On the dotted line "
            "they guess."
        ),
        height=_HEIGHT + 10 * len(lines),
        xaxis=share_axis("of the true cases, found: recall (%)"),
        yaxis=share_axis("right when they say so: precision (%)", 0.0 if guessing < 0.45 else 0.4),
    )
    _level(figure, "guessing", [0.0, 1.0], [guessing, guessing])
    for order, (label, (recall, precision)) in enumerate(lines.items()):
        _line(figure, order, label, ("recall", recall), ("precision", precision), selected)
    return figure


def roc_lines(
    lines: Mapping[str, tuple[FloatArray, FloatArray]], *, selected: str | None = None
) -> go.Figure:
    """True against false positive rates of the best attacker.

    Parameters
    ----------
    lines : mapping of label to (false positive rate, true positive rate), each (points,)
    selected : str, optional
        Label of the line to draw boldly.
    """
    ahead = [
        f"{percent(float(np.max(right - wrong)))} ({label})"
        for label, (wrong, right) in lines.items()
    ]
    figure = empty(
        "Right and wrong, threshold by threshold",
        alt=f"At best the attacker is ahead of guessing by {listed(ahead)}.",
        how_to_read=(
            "an attacker who speaks up more readily moves along a line, up and to the right: more "
            "of the true cases found, and more false alarms. On the dotted diagonal they guess."
        ),
        height=_HEIGHT + 10 * len(lines),
        xaxis=share_axis("false alarms (%)"),
        yaxis=share_axis("of the true cases, found: recall (%)"),
    )
    _level(figure, "guessing", [0.0, 1.0], [0.0, 1.0])
    for order, (label, (wrong, right)) in enumerate(lines.items()):
        _line(figure, order, label, ("false alarms", wrong), ("recall", right), selected)
    return figure


def f_score_lines(
    curves: Curves,
    *,
    epsilon: float,
    title: str,
    turning: Mapping[str, tuple[float, float]] | None = None,
    limit: float | None = None,
    undefended: float | None = None,
    mechanisms: bool = False,
    selected: str | None = None,
) -> go.Figure:
    """Largest F_β of any attacker against ε.

    Parameters
    ----------
    curves : Curves
        By label; NaN leaves a gap.
    epsilon : float > 0
        Where the rule stands.
    title : str
    turning : mapping of label to (ε, F), optional
        Where each curve leaves its floor.
    limit : float, optional
        Draws a bound on F.
    undefended : float, optional
        F without any noise.
    mechanisms : bool
        Whether the labels are mechanisms, which have looks of their own.
    selected : str, optional
        Label of the curve to draw boldly.
    """
    position = float(np.clip(epsilon, curves.x[0], curves.x[-1]))
    here = [
        f"{number(float(np.interp(position, curves.x, y)))} ({label})"
        for label, y in curves.y.items()
        if np.isfinite(np.interp(position, curves.x, y))
    ]
    values = np.concatenate([y[np.isfinite(y)] for y in curves.y.values()] or [np.array([0.5])])
    bottom = np.floor(min(float(values.min(initial=1.0)), limit or 1.0) * 20 - 0.2) / 20
    ends = [float(curves.x[0]), float(curves.x[-1])]
    figure = empty(
        safe(title),
        alt=f"At ε = {exact(position)} the largest F-score is {listed(here)}."
        if here
        else "No F-score is known here.",
        how_to_read=(
            "higher means an attacker who is right more often and misses less. A line is flat "
            "where saying yes every time is the best they can do"
            + (", and leaves that at the cross" if turning else "")
            + "; the dashed rule is the current ε."
        ),
        height=_HEIGHT + 10 * len(curves.y),
        xaxis=log_axis("ε (more private ← → more accurate)", *ends),
        yaxis=linear_axis("largest F-score of an attacker", max(float(bottom), 0.0), 1.01),
    )
    for label, level in (("your limit", limit), (shown(UNDEFENDED), undefended)):
        if level is not None:
            _level(figure, label, ends, [level, level])
    for order, (label, y) in enumerate(curves.y.items()):
        _line(figure, order, label, ("ε", curves.x), ("F-score", y), selected, mechanisms)
    inside = {label: at for label, at in (turning or {}).items() if ends[0] <= at[0] <= ends[1]}
    if inside:
        series(
            figure,
            "turning point",
            [at[0] for at in inside.values()],
            [at[1] for at in inside.values()],
            grey(symbol="x"),
            mode="markers",
            told=[
                f"<b>{safe(label)}</b><br>flat up to ε = {number(at[0])}"
                for label, at in inside.items()
            ],
            x_title="ε",
            y_title="F-score",
            size=10,
        )
    rule(figure, epsilon, f"ε = {exact(epsilon)}")
    return figure


def _level(figure: go.Figure, label: str, x: list[float], y: list[float]) -> None:
    style = grey("solid" if label == shown(UNDEFENDED) else "dot")
    series(figure, label, x, y, style, told=safe(label), width=2)


def _line(
    figure: go.Figure,
    order: int,
    label: str,
    x: tuple[str, FloatArray],
    y: tuple[str, FloatArray],
    selected: str | None,
    mechanisms: bool = False,
) -> None:
    style = _STYLES[order % len(_STYLES)]
    if mechanisms:
        style = style_of(label)
    elif label == shown(UNDEFENDED):
        style = grey("solid")
    texts = hover(label, *((f"{name}: ", values) for name, values in (x, y)))
    titles: dict[str, Any] = {"x_title": x[0], "y_title": y[0], "bold": label == selected}
    series(figure, label, x[1], y[1], style, told=texts, **titles)
