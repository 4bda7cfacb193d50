"""Several releases together: what the sum rule says beside what is delivered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, rule
from distpriv.charts.lines import grey, hover, series, values_at
from distpriv.charts.style import GROUP_STYLES, MechanismStyle, translucent
from distpriv.composition.counterexample import COIN, TOGETHER, CompositionExample
from distpriv.composition.rules import AGAIN, SUM_RULE
from distpriv.mechanisms.curves import Curves
from distpriv.words import exact, listed, number, safe

__all__ = ["added_up", "two_statistics"]

_STYLES = {
    SUM_RULE: grey("dot", "circle-open"),
    TOGETHER: MechanismStyle("#D55E00", "solid", "circle"),
    COIN: MechanismStyle("#CC79A7", "dash", "square"),
    AGAIN: MechanismStyle("#0072B2", "dashdot", "triangle-up"),
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
    figure = empty(
        safe(title),
        alt=_alt(curves, x_name, current),
        how_to_read=how_to_read,
        height=430,
        xaxis=linear_axis(safe(x_title), first - margin, last + margin),
        yaxis=linear_axis("ε delivered", 0.0, _ceiling(curves, top)),
    )
    for name, y in curves.y.items():
        texts = hover(name, (f"{x_name} = ", curves.x), ("ε = ", y))
        style, mode = _STYLES[name], "lines+markers"
        series(figure, name, curves.x, y, style, mode=mode, told=texts, every=8)
    rule(figure, current, f"{safe(x_name)} = {exact(current)}")
    return figure


def _ceiling(curves: Curves, most: float) -> float:
    """Room for all curves, but no more than a few times the sum rule: some have no end."""
    finite = [y[np.isfinite(y)] for y in curves.y.values()]
    highest = max((float(y.max()) for y in finite if y.size), default=1.0)
    return 1.08 * min(highest, most) or 1.0


def _alt(curves: Curves, x_name: str, current: float) -> str:
    values = values_at(curves, current, log=False)
    if not values:
        return f"Nothing is known at {x_name} = {exact(current)}."
    phrases = [f"{number(value)} for {name}" for name, value in values.items()]
    return f"At {x_name} = {exact(current)}, ε is {listed(phrases)}."


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
            "each ellipse holds 95\u00a0% of what may be released under one of the two "
            "possibilities. Seen from below or from the side they cover each other: one statistic "
            "alone tells little. In the plane they come apart the more, the narrower they are."
        ),
        height=430,
        xaxis=linear_axis("first statistic", -wide, wide + example.shift),
        yaxis=linear_axis("second statistic", -reach, reach),
    )
    root = np.linalg.cholesky(covariance)
    for group, (name, style) in enumerate(zip(names, GROUP_STYLES, strict=True)):
        x, y = root @ _CIRCLE + np.array([[group * example.shift], [0.0]])
        filling: dict[str, Any] = {"fill": "toself", "fillcolor": translucent(style.color, 0.14)}
        series(figure, name, x, y, style, told=name, **filling)
    return figure
