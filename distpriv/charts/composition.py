"""Several releases together: what the sum rule says beside what is delivered."""

from __future__ import annotations

import math

import numpy as np
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, rule, values_at
from distpriv.charts.style import GROUP_COLORS, GROUP_DASHES, NEUTRAL, translucent
from distpriv.charts.text import listed, number, safe
from distpriv.composition.counterexample import COIN, TOGETHER, CompositionExample
from distpriv.composition.rules import AGAIN, SUM_RULE
from distpriv.mechanisms.curves import Curves

__all__ = ["added_up", "two_statistics"]

_LOOKS = {
    SUM_RULE: (NEUTRAL, "dot", "circle-open"),
    TOGETHER: ("#D55E00", "solid", "circle"),
    COIN: ("#CC79A7", "dash", "square"),
    AGAIN: ("#0072B2", "dashdot", "triangle-up"),
}
_ABOVE = 4.0
# √ of the 95 % quantile of χ² with 2 degrees of freedom.
_HALF_LENGTH = math.sqrt(-2 * math.log(0.05))
_ANGLES = np.linspace(0, 2 * math.pi, 121)
_CIRCLE = _HALF_LENGTH * np.array([np.cos(_ANGLES), np.sin(_ANGLES)])


def added_up(
    curves: Curves,
    *,
    title: str,
    x_title: str,
    x_name: str,
    current: float,
    how_to_read: str,
) -> go.Figure:
    """ε that releases deliver together, and what adding up their promises would say.

    Parameters
    ----------
    curves : Curves
        With ``SUM_RULE`` among them; all of them over at least two points.
    title, x_title : str
    x_name : str
        What a value of the x axis is called.
    current : float
        Where the rule stands.
    how_to_read : str
        Goes on from "How to read this: ".
    """
    top = _ABOVE * float(curves.y[SUM_RULE].max())
    first, last = float(curves.x[0]), float(curves.x[-1])
    margin = 0.03 * (last - first)
    y_title = "ε delivered"
    figure = empty(
        safe(title), alt=_alt(curves, x_name, current), how_to_read=how_to_read, height=430
    )
    figure.update_layout(
        xaxis=linear_axis(safe(x_title), first - margin, last + margin),
        yaxis=linear_axis(y_title, 0.0, _ceiling(curves, top)),
    )
    for name, y in curves.y.items():
        color, dash, symbol = _LOOKS[name]
        figure.add_scatter(
            x=curves.x.tolist(),
            y=y.tolist(),
            mode="lines+markers",
            name=safe(name),
            line={"color": color, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 8, "color": color, "maxdisplayed": 8},
            hovertext=[
                f"<b>{safe(name)}</b><br>{safe(x_name)} = {number(float(x))}<br>"
                f"ε = {number(float(value))}"
                for x, value in zip(curves.x, y, strict=True)
            ],
            hoverinfo="text",
            meta={"y_title": y_title},
        )
    rule(figure, current, f"{safe(x_name)} = {number(current)}")
    return figure


def _ceiling(curves: Curves, most: float) -> float:
    """Room for all curves, but no more than a few times the sum rule: some have no end."""
    finite = [y[np.isfinite(y)] for y in curves.y.values()]
    highest = max((float(y.max()) for y in finite if y.size), default=1.0)
    return 1.08 * min(highest, most) or 1.0


def _alt(curves: Curves, x_name: str, current: float) -> str:
    values = values_at(curves, current, log=False)
    if not values:
        return f"Nothing is known at {x_name} = {number(current)}."
    told = [f"{number(value)} for {name}" for name, value in values.items()]
    return f"At {x_name} = {number(current)}, ε is {listed(told)}."


def two_statistics(example: CompositionExample) -> go.Figure:
    """The example's two statistics: each hides the secret, both together show it.

    Parameters
    ----------
    example : CompositionExample
    """
    names = ("one possibility", "the other")
    variances = (1 + example.noise**2, 1.0)
    covariance = np.array([[variances[0], example.correlation], [example.correlation, 1.0]])
    reach = 1.1 * _HALF_LENGTH
    wide = reach * math.sqrt(variances[0])
    figure = empty(
        "Alone hidden, together not",
        alt=(
            f"Two ellipses along a diagonal, {number(example.shift)} standard deviations apart "
            "sideways: along either axis they cover each other, across the diagonal they are "
            f"{number(example.distance())} standard deviations apart."
        ),
        how_to_read=(
            "each ellipse holds 95 % of what may be released under one of the two possibilities. "
            "Seen from below or from the side they cover each other: one statistic alone tells "
            "little. In the plane they come apart the more, the narrower they are."
        ),
        height=430,
    )
    figure.update_layout(
        xaxis=linear_axis("first statistic", -wide, wide + example.shift),
        yaxis=linear_axis("second statistic", -reach, reach),
    )
    root = np.linalg.cholesky(covariance)
    for group, name in enumerate(names):
        x, y = root @ _CIRCLE + np.array([[group * example.shift], [0.0]])
        figure.add_scatter(
            x=x.tolist(),
            y=y.tolist(),
            mode="lines",
            name=name,
            line={"color": GROUP_COLORS[group], "dash": GROUP_DASHES[group], "width": 2.5},
            fill="toself",
            fillcolor=translucent(GROUP_COLORS[group], 0.14),
            hoverinfo="name",
        )
    return figure
