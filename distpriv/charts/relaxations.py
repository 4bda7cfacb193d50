"""What is left of a promise: ε′ against δ′, the cost of more noise, and close attackers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import decades, empty, linear_axis, log_axis, rule
from distpriv.charts.style import NEUTRAL, translucent
from distpriv.charts.text import listed, number, safe
from distpriv.model.sampling import Interval

__all__ = ["Line", "attacker_curve", "error_curve", "frontier_curves"]

FloatArray = NDArray[np.float64]

_FLOOR = 1e-6
_HEIGHT = 400
_LOOKS = (
    ("#D55E00", "solid", "circle"),
    ("#0072B2", "dash", "square"),
    ("#009E73", "dot", "pentagon"),
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
    told = [] if chosen is None else [f"δ′ = {number(chosen[1])} at ε′ = {number(chosen[0])}"]
    told += [
        f"{name} starts at δ = {number(float(line.deltas[0]))} for ε = "
        f"{number(float(line.epsilons[0]))}"
        for name, line in lines.items()
    ]
    figure = empty(
        safe(title),
        alt=f"What holds: {listed(told)}.",
        how_to_read=how_to_read,
        height=_HEIGHT + 22 * len(lines),
    )
    figure.update_layout(
        xaxis=linear_axis("ε′", ends[0] - 0.02 * (ends[1] - ends[0]), ends[1]),
        yaxis=log_axis("δ′", low, 1.0),
    )
    for (name, line), (color, dash, symbol) in zip(lines.items(), _LOOKS, strict=False):
        figure.add_scatter(
            x=line.epsilons.tolist(),
            y=[value if value >= low / 10 else None for value in line.deltas.tolist()],
            mode="lines+markers",
            name=safe(name),
            line={"color": color, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 7, "color": color, "maxdisplayed": 8},
            hovertext=[
                f"<b>{safe(name)}</b><br>ε′ = {number(float(e))}, δ′ = {number(float(d))}"
                for e, d in zip(line.epsilons, line.deltas, strict=True)
            ],
            hoverinfo="text",
            meta={"y": line.deltas.tolist(), "y_title": "δ′"},
        )
    marks = [("the promise", promised, "x-thin", NEUTRAL)]
    if chosen is not None:
        marks.append(("λ as chosen", chosen, "circle-open", _LOOKS[0][0]))
        rule(figure, chosen[0], f"ε′ = {number(chosen[0])}")
    for name, (epsilon, delta), symbol, color in marks:
        figure.add_scatter(
            x=[epsilon],
            y=[max(delta, low)],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 14, "color": color}
            | {"line": {"width": 3, "color": color}},
            hovertext=[f"{name}: ε = {number(epsilon)}, δ = {number(delta)}"],
            hoverinfo="text",
            meta={"y": [delta], "y_title": "δ′"},
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
    middle = [each.estimate for each in errors]
    low, high = decades([*middle, plain])
    axis = f"expected L2 error ({unit})" if unit else "expected L2 error"
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
    )
    figure.update_layout(
        xaxis=linear_axis("ε′", float(epsilons.min()), float(epsilons.max())),
        yaxis=log_axis(safe(axis), low, high),
    )
    color, dash, symbol = _LOOKS[0]
    figure.add_scatter(
        x=epsilons.tolist(),
        y=middle,
        mode="lines+markers",
        name="with extra noise",
        line={"color": color, "dash": dash, "width": 2.5},
        marker={"symbol": symbol, "size": 7, "color": color},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [each.high - each.estimate for each in errors],
            "arrayminus": [each.estimate - each.low for each in errors],
            "color": translucent(color, 0.6),
        },
        hovertext=[
            f"ε′ = {number(float(e))}<br>expected error {number(each)}"
            for e, each in zip(epsilons, middle, strict=True)
        ],
        hoverinfo="text",
    )
    figure.add_shape(
        type="line",
        xref="paper",
        x0=0,
        x1=1,
        y0=plain,
        y1=plain,
        line={"color": NEUTRAL, "width": 1.5, "dash": "dot"},
    )
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
            f"For an attacker who is {number(chosen)} percentage points off, ε′ is {number(at)} "
            f"where {number(promised)} is promised."
        ),
        how_to_read=(
            "the further the shares that the attacker compares are from those hidden, the larger "
            "the ε that the proposition still promises. The dotted rule is the promise."
        ),
        height=_HEIGHT,
    )
    figure.update_layout(
        xaxis=linear_axis("attacker's shares off by (percentage points)", 0, float(offsets[-1])),
        yaxis=log_axis("ε′", low, high),
    )
    color, dash, symbol = _LOOKS[0]
    figure.add_scatter(
        x=offsets.tolist(),
        y=[float(value) if ok else None for value, ok in zip(epsilons, known, strict=True)],
        mode="lines+markers",
        name="ε + 2c",
        line={"color": color, "dash": dash, "width": 2.5},
        marker={"symbol": symbol, "size": 7, "color": color, "maxdisplayed": 8},
        hovertext=[
            f"{number(float(x))} percentage points off<br>ε′ = {number(float(y))}"
            for x, y in zip(offsets, epsilons, strict=True)
        ],
        hoverinfo="text",
    )
    figure.add_shape(
        type="line",
        xref="paper",
        x0=0,
        x1=1,
        y0=promised,
        y1=promised,
        line={"color": NEUTRAL, "width": 1.5, "dash": "dot"},
    )
    rule(figure, chosen, f"{number(chosen)} percentage points")
    return figure
