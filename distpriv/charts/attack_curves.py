"""Accuracy of the attack against ε or Δp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.charts.frame import accuracy_axis, empty, linear_axis, log_axis, rule
from distpriv.charts.intervals import GUESSING, SHARE, bars, in_words, within
from distpriv.charts.lines import grey, hover, series, told_at
from distpriv.charts.style import shown, style_of
from distpriv.mechanisms.curves import Curves
from distpriv.model.sampling import Interval
from distpriv.words import exact, number, percent, safe

__all__ = ["accuracy_curves"]

FloatArray = NDArray[np.float64]

_DODGE = 0.012


def accuracy_curves(
    curves: Curves,
    *,
    x_title: str,
    x_log: bool,
    current: float,
    undefended: float | FloatArray | None,
    ceiling: FloatArray | None,
    points: Mapping[str, Sequence[tuple[float, Interval]]] | None,
    title: str,
    x_name: str | None = None,
    selected: str | None = None,
) -> go.Figure:
    """Accuracy of the best possible attack against ε or Δp, with measured points.

    Parameters
    ----------
    curves : Curves
        Accuracies by mechanism; NaN leaves a gap.
    x_title : str
        Title of the x axis, e.g. ``ε``.
    x_log : bool
        Logarithmic x axis.
    current : float
        Where the rule stands.
    undefended : float, ndarray of shape (points,), or None
        Accuracy without any noise.
    ceiling : ndarray, shape (points,), or None
        Accuracy that the promise (ε, δ) alone allows.
    points : mapping of mechanism to sequence of (x, Interval), or None
        Simulated accuracies.
    title : str
    x_name : str, optional
        Short name of x for the rule and hover texts; by default the title's first word.
    selected : str, optional
        Mechanism to draw boldly.
    """
    short = (x_name or x_title.split(" ")[0]).rstrip(",:")
    alone = None if undefended is None else np.broadcast_to(undefended, curves.x.shape)
    everything = curves.y if alone is None else curves.y | {UNDEFENDED: alone}
    ends = (float(curves.x[0]), float(curves.x[-1])) if len(curves.x) else (0.1, 10.0)
    figure = empty(
        safe(title),
        alt=told_at(
            Curves(curves.x, everything),
            current,
            short,
            "the accuracy of the best possible attacker",
            log=x_log,
            say=percent,
            selected=selected,
        ),
        how_to_read=(
            "lines are the best possible attacker"
            + (
                ", points with bars are simulated attackers with their 95\u00a0% intervals"
                if points
                else ""
            )
            + f". At 50\u00a0% an attacker guesses; the dashed rule is the {short} chosen now."
        ),
        height=430 + 10 * len(curves.y),
        xaxis=(log_axis if x_log else linear_axis)(safe(x_title), *ends),
        yaxis=accuracy_axis("accuracy of the attacker (%)"),
    )
    lines = [
        ("guessing", np.full(len(curves.x), GUESSING), grey("dot")),
        ("the promise alone allows", ceiling, grey("dash")),
        ("without noise", alone, grey("solid")),
        *((name, y, style_of(name)) for name, y in curves.y.items()),
    ]
    for name, y, style in lines:
        if y is not None:
            label, mechanism = shown(name), name in curves.y
            series(
                figure,
                label,
                curves.x,
                y,
                style,
                mode="lines+markers" if mechanism else "lines",
                told=hover(label, (f"{short} = ", curves.x), ("accuracy: ", y, percent)),
                y_title=SHARE,
                width=2.5 if mechanism else 2,
                bold=mechanism and name == selected,
                every=6,
                group=label,
                legendrank=900 if mechanism else None,
            )
    for order, (name, measured) in enumerate((points or {}).items()):
        offset = _DODGE * (order - (len(points or {}) - 1) / 2)
        _add_measured(figure, name, measured, offset, short, showlegend=name not in curves.y)
    rule(figure, current, f"{short} = {exact(current)}")
    return figure


def _add_measured(
    figure: go.Figure,
    name: str,
    measured: Sequence[tuple[float, Interval]],
    offset: float,
    x_name: str,
    showlegend: bool,
) -> None:
    style, label = style_of(name), shown(name)
    series(
        figure,
        f"{label}, simulated",
        [float(position) for position, _ in measured],
        [interval.estimate for _, interval in measured],
        style,
        mode="markers",
        at_x=lambda position: _beside(figure, position, offset),
        at_y=within,
        error_y=bars([interval for _, interval in measured], style.color),
        told=[
            f"<b>{safe(label)}</b><br>{safe(x_name)} = {number(position)}<br>{in_words(interval)}"
            for position, interval in measured
        ],
        y_title=SHARE,
        size=11,
        group=label,
        showlegend=showlegend,
    )


def _beside(figure: go.Figure, position: float, offset: float) -> float:
    """A position moved by a share of the x axis, so that bars at one position do not overlap."""
    axis = figure.layout.xaxis
    moved = offset * (axis.range[1] - axis.range[0])
    return float(position * 10**moved if axis.type == "log" else position + moved)
