"""What is left of a promise: ε′ against δ′, the cost of more noise, and close attackers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import decades, empty, linear_axis, log_axis, rule
from distpriv.charts.intervals import bars
from distpriv.charts.lines import across, grey, hover, series
from distpriv.charts.style import MechanismStyle, translucent
from distpriv.model.sampling import Interval
from distpriv.words import exact, listed, number, safe, titled

__all__ = ["Line", "attacker_curve", "error_curve", "frontier_curves"]

FloatArray = NDArray[np.float64]

_FLOOR = 1e-6
_HEIGHT = 400
_STYLES = (
    MechanismStyle("#D55E00", "solid", "circle"),
    MechanismStyle("#0072B2", "dash", "square"),
    MechanismStyle("#009E73", "dot", "pentagon"),
)


@dataclass(frozen=True, eq=False)
class Line:
    """Promises that hold: δ at each ε, both of shape (points,)."""

    epsilons: FloatArray
    deltas: FloatArray


def frontier_curves(
    lines: Mapping[str, Line],
    *,
    title: str,
    promised: tuple[float, float],
    chosen: tuple[float, float] | None,
    how_to_read: str,
) -> go.Figure:
    """δ′ against ε′, with the promise and the point chosen.

    Parameters
    ----------
    lines : mapping of name to Line
        At most three; the chosen point lies on the first.
    title : str
    promised : (ε, δ)
    chosen : (ε′, δ′) or None
    how_to_read : str
    """
    ends = (
        min(float(line.epsilons.min()) for line in lines.values()),
        max(float(line.epsilons.max()) for line in lines.values()),
    )
    drawn = np.concatenate([line.deltas for line in lines.values()])
    low = max(decades([*drawn[drawn > 0], promised[1]])[0], _FLOOR)
    phrases = [] if chosen is None else [f"δ′ = {number(chosen[1])} at ε′ = {number(chosen[0])}"]
    phrases += [
        f"{name} starts at δ = {number(float(line.deltas[0]))} for ε = "
        f"{number(float(line.epsilons[0]))}"
        for name, line in lines.items()
    ]
    figure = empty(
        safe(title),
        alt=f"What holds: {listed(phrases)}.",
        how_to_read=how_to_read,
        height=_HEIGHT + 22 * len(lines),
        xaxis=linear_axis("ε′", ends[0] - 0.02 * (ends[1] - ends[0]), ends[1]),
        yaxis=log_axis("δ′", low, 1.0),
    )
    for (name, line), style in zip(lines.items(), _STYLES, strict=False):
        series(
            figure,
            name,
            line.epsilons,
            line.deltas,
            style,
            mode="lines+markers",
            at_y=lambda value: value if value >= low / 10 else None,
            told=hover(name, ("ε′ = ", line.epsilons), ("δ′ = ", line.deltas)),
            size=7,
            every=8,
        )
    marks = [("the promise", promised, grey(symbol="x-thin"))]
    if chosen is not None:
        ring = MechanismStyle(_STYLES[0].color, "solid", "circle-open")
        marks.append(("λ as chosen", chosen, ring))
        rule(figure, chosen[0], f"ε′ = {number(chosen[0])}")
    for name, (epsilon, delta), style in marks:
        series(
            figure,
            name,
            [epsilon],
            [delta],
            style,
            mode="markers",
            at_y=lambda value: max(value, low),
            told=[f"{name}: ε = {number(epsilon)}, δ = {number(delta)}"],
            size=14,
            marker={"line": {"width": 3, "color": style.color}},
        )
    return figure


def error_curve(
    epsilons: FloatArray, errors: list[Interval], *, plain: float, chosen: int, unit: str
) -> go.Figure:
    """Expected L2 error with the extra noise against ε′.

    Parameters
    ----------
    epsilons : ndarray, shape (points,)
    errors : list of Interval, one a point
    plain : float
        Without the extra noise.
    chosen : int
        Index of the point chosen.
    unit : str
        What the error is counted in, or empty.
    """
    middle = [error.estimate for error in errors]
    low, high = decades([*middle, plain])
    figure = empty(
        "What the extra noise costs",
        alt=(
            f"At ε′ = {number(float(epsilons[chosen]))} the error is {number(middle[chosen])}; "
            f"without the extra noise it is {number(plain)}."
        ),
        how_to_read=(
            "the further right, the more ε is given up for the deviation, and the less noise has "
            "to make up for it. The dotted rule is the error without extra noise."
        ),
        height=_HEIGHT,
        xaxis=linear_axis("ε′", float(epsilons.min()), float(epsilons.max())),
        yaxis=log_axis(safe(titled("expected L2 error", unit)), low, high),
    )
    series(
        figure,
        "with extra noise",
        epsilons,
        middle,
        _STYLES[0],
        mode="lines+markers",
        error_y=bars(errors, translucent(_STYLES[0].color, 0.6)),
        told=hover("", ("ε′ = ", epsilons), ("expected error ", middle)),
        size=7,
    )
    across(figure, plain)
    rule(figure, float(epsilons[chosen]), f"ε′ = {number(float(epsilons[chosen]))}")
    return figure


def attacker_curve(
    offsets: FloatArray, epsilons: FloatArray, *, promised: float, chosen: float
) -> go.Figure:
    """ε′ against how far the attacker's shares are from those hidden, in percentage points.

    Parameters
    ----------
    offsets : ndarray, shape (points,)
        In percentage points, rising from 0.
    epsilons : ndarray, shape (points,)
        Infinite where nothing is promised; the line ends there.
    promised : float
        ε for the shares that are hidden.
    chosen : float
        Offset to mark.
    """
    known = np.isfinite(epsilons)
    low, high = decades([*epsilons[known], promised])
    reached = chosen <= offsets[known][-1]
    at = float(np.interp(chosen, offsets[known], epsilons[known])) if reached else np.inf
    figure = empty(
        "An attacker who believes in other shares",
        alt=(
            f"For an attacker who is {exact(chosen)} percentage points off, ε′ is {number(at)} "
            f"where {number(promised)} is promised."
        ),
        how_to_read=(
            "the further the shares that the attacker compares are from those hidden, the larger "
            "the ε that the proposition still promises. The dotted rule is the promise."
        ),
        height=_HEIGHT,
        xaxis=linear_axis("attacker's shares off by (percentage points)", 0, float(offsets[-1])),
        yaxis=log_axis("ε′", low, high),
    )
    series(
        figure,
        "ε + 2c",
        offsets,
        epsilons,
        _STYLES[0],
        mode="lines+markers",
        told=hover("", ("percentage points off: ", offsets), ("ε′ = ", epsilons)),
        size=7,
        every=8,
    )
    across(figure, promised)
    rule(figure, chosen, f"{exact(chosen)} percentage points")
    return figure
