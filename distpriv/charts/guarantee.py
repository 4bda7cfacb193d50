"""The guarantee as it is delivered: δ against ε, and both against repeated releases."""

from __future__ import annotations

from typing import Literal

import numpy as np
from plotly import graph_objects as go

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.charts.frame import decades, empty, linear_axis, log_axis, rule
from distpriv.charts.lines import across, grey, hover, series, told_at
from distpriv.charts.style import NEUTRAL, shown, style_of
from distpriv.mechanisms.curves import Curves
from distpriv.words import exact

__all__ = ["delivered_by_releases", "profile_curves"]

_FLOOR = 1e-7
_HEIGHT = 430


def profile_curves(
    curves: Curves, *, epsilon: float, delta: float, selected: str | None = None
) -> go.Figure:
    """Privacy profile δ(ε) of each noise, with the promise marked.

    Parameters
    ----------
    curves : Curves
        From :func:`distpriv.analysis.sweeps.profiles`, over evenly spaced ε.
    epsilon, delta : float
        What is promised.
    selected : str, optional
        Mechanism to draw boldly.
    """
    figure = _chart(
        "What the noise delivers",
        curves,
        current=epsilon,
        selected=selected,
        x_name="ε",
        axis=linear_axis("ε", 0.0, float(curves.x[-1])),
        y_title="δ delivered",
        ends=(_FLOOR, 1.0),
        promised=delta,
        log_x=False,
        how_to_read=(
            "each line gives, for every ε, the probability δ with which the promise may fail, by "
            "the fitted normals. The cross is the promise: a line that passes above it breaks it. "
            "Lower is more private; the dashed rule is the current ε."
        ),
    )
    series(
        figure,
        "the promise",
        [epsilon],
        [delta],
        grey(symbol="x-thin"),
        mode="markers",
        at_y=lambda value: max(value, _FLOOR),
        told=[f"promised: δ = {exact(delta)} at ε = {exact(epsilon)}"],
        y_title="δ delivered",
        size=15,
        marker={"line": {"width": 3.5, "color": NEUTRAL}},
    )
    return figure


def delivered_by_releases(
    curves: Curves,
    quantity: Literal["δ", "ε"],
    *,
    count: int,
    epsilon: float,
    delta: float,
    selected: str | None = None,
) -> go.Figure:
    """What several releases of the same statistics deliver together.

    Parameters
    ----------
    curves : Curves
        From :func:`distpriv.analysis.sweeps.sweep` over the releases.
    quantity : "δ" or "ε"
        Which of the two is delivered, at the other one as it is promised.
    count : int
        Where the rule stands.
    epsilon, delta : float
        What one release promises.
    selected : str, optional
        Mechanism to draw boldly.
    """
    if quantity == "δ":
        promised, at = delta, f"ε = {exact(epsilon)}"
        sentence = "how likely the promise is to fail when the same statistics are released"
    else:
        promised, at = epsilon, f"δ = {exact(delta)}"
        sentence = "the ε that all releases together deliver when the same statistics are released"
    return _chart(
        f"{quantity} at {at} against releases",
        curves,
        current=count,
        selected=selected,
        x_name="releases",
        axis=log_axis("releases of the same statistics", 1.0, float(curves.x[-1])),
        y_title=f"{quantity} delivered at {at}",
        ends=_decades(curves, promised),
        promised=promised,
        log_x=True,
        how_to_read=(
            f"{sentence} again and again, each time with noise drawn anew, until as much is known "
            f"as without noise. The dotted rule is the {quantity} that one release promises."
        ),
    )


def _decades(curves: Curves, promised: float) -> tuple[float, float]:
    values = np.array([*curves.y.values(), [promised] * len(curves.x)], dtype=np.float64)
    return decades(values[values > 0])


def _chart(
    title: str,
    curves: Curves,
    *,
    current: float,
    selected: str | None,
    x_name: str,
    axis: dict[str, object],
    y_title: str,
    ends: tuple[float, float],
    promised: float,
    log_x: bool,
    how_to_read: str,
) -> go.Figure:
    low, high = ends
    figure = empty(
        title,
        alt=told_at(curves, current, x_name, y_title, log=log_x, selected=selected),
        how_to_read=how_to_read,
        height=_HEIGHT + 10 * len(curves.y),
        xaxis=axis,
        yaxis=log_axis(y_title, low, high),
    )
    for name, y in curves.y.items():
        series(
            figure,
            shown(name),
            curves.x,
            y,
            style_of(name),
            mode="lines" if name == UNDEFENDED else "lines+markers",
            # Below the axis' floor nothing can be told; the line leaves the chart there.
            at_y=lambda value: value if value >= low / 10 else None,
            told=hover(shown(name), (f"{x_name} = ", curves.x), (f"{y_title}: ", y)),
            y_title=y_title,
            bold=name == selected,
            every=6,
        )
    across(figure, promised)
    rule(figure, current, f"{x_name} = {exact(current)}")
    return figure
