"""Error against attack: each mechanism along ε, and two limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.analysis.frontier import Frontier, FrontierLine
from distpriv.charts.frame import empty, finding, linear_axis, log_axis
from distpriv.charts.lines import hover, series
from distpriv.charts.style import GROUP_COLORS, NEUTRAL, style_of, translucent
from distpriv.words import exact, number, safe, summed_up, titled, with_unit

__all__ = ["error_against_attack"]

FloatArray = NDArray[np.float64]

_HEIGHT = 470
_REACH = 100.0  # times the limit on the error, either way: further off no mechanism is of use
_KEPT = 1 + 1e-9


def error_against_attack(
    frontier: Frontier,
    *,
    measure: str,
    unit: str,
    scale: float = 1.0,
    attack: str,
    percent: bool = False,
    say: Callable[[float], str] = number,
    selected: str | None = None,
) -> go.Figure:
    """Error of each mechanism against what the best attacker achieves, ε running along the line.

    Parameters
    ----------
    frontier : Frontier
    measure : str
        What the error is, e.g. ``expected error of mean age``.
    unit : str
        Of the error; empty if it has none.
    scale : float > 0
        The limit on the error as it is drawn: in its unit, or 100 for per cent of it.
    attack : str
        What the attacker achieves, for the axis.
    percent : bool
        Whether that is drawn in per cent.
    say : function of what an attacker achieves
    selected : str, optional
        Mechanism to draw boldly.
    """
    limit, times = frontier.limit, 100.0 if percent else 1.0
    left = times * limit.floor
    right = times * max(frontier.undefended, limit.value)
    room = 0.04 * (right - left)
    low, high = scale / _REACH, scale * _REACH
    ends = (left - room, right + room)
    figure = empty(
        _title(frontier),
        alt=_told(frontier, say),
        how_to_read=(
            "further left the attacker achieves less, further down the error is smaller. Each line "
            "is a mechanism, ε rises along it to the right. The shaded bands are what the two "
            "limits allow; what lies in both keeps both, and is drawn thick. A line at the bottom "
            "adds no noise."
        ),
        height=_HEIGHT + 10 * len(frontier.lines),
        xaxis=linear_axis(safe(attack), *ends),
        yaxis=log_axis(safe(titled(measure, unit)), low, high),
    )
    _bands(figure, ends, (low, high), (times * limit.value, scale))
    for name, line in frontier.lines.items():
        _add_line(figure, name, line, frontier, times, scale, low, (measure, unit), say, selected)
    return figure


def _bands(
    figure: go.Figure,
    ends: tuple[float, float],
    heights: tuple[float, float],
    limits: tuple[float, float],
) -> None:
    """What each limit allows, shaded, with what both allow outlined."""
    wide = {"x0": ends[0], "x1": ends[1], "y0": heights[0], "y1": limits[1]}
    tall = {"x0": ends[0], "x1": limits[0], "y0": heights[0], "y1": heights[1]}
    both = wide | {"x1": limits[0]}
    none = {"width": 0}
    edge = {"color": NEUTRAL, "width": 1.5, "dash": "dash"}
    for color, band, line in (
        (translucent(GROUP_COLORS[0], 0.13), wide, none),
        (translucent(GROUP_COLORS[1], 0.13), tall, none),
        ("rgba(0,0,0,0)", both, edge),
    ):
        figure.add_shape(type="rect", layer="below", fillcolor=color, line=line, **band)
    label = {"showarrow": False, "font": {"color": NEUTRAL}}
    figure.add_annotation(
        x=0, xref="paper", xanchor="left", y=np.log10(limits[1]), yanchor="top",
        text="error accepted ↓", **label,
    )  # fmt: skip
    figure.add_annotation(
        x=limits[0], xanchor="right", y=1, yref="paper", yanchor="bottom",
        text="← attack allowed", **label,
    )  # fmt: skip


def _add_line(
    figure: go.Figure,
    name: str,
    line: FrontierLine,
    frontier: Frontier,
    times: float,
    scale: float,
    floor: float,
    titles: tuple[str, str],
    say: Callable[[float], str],
    selected: str | None,
) -> None:
    style, x, y = style_of(name), times * line.reached, scale * line.errors
    texts = hover(
        name,
        ("ε = ", line.epsilons, exact),
        ("attacker: ", line.reached, say),
        ("error: ", y, lambda error: with_unit(error, titles[1]) if error else "no noise needed"),
    )
    kept = (line.errors <= _KEPT) & (line.reached <= frontier.limit.value * _KEPT)
    drawn: dict[str, Any] = {"x_title": "attacker", "y_title": titled(*titles), "group": name}

    def place(error: float) -> float:
        return max(error, floor)

    series(
        figure, name, x, y, style, mode="lines+markers", at_y=place, told=texts,
        bold=name == selected, every=8, **drawn,
    )  # fmt: skip
    if kept.any():
        series(
            figure, f"{name}, keeps both", x[kept], y[kept], style, mode="lines+markers",
            at_y=place, told=[text for text, one in zip(texts, kept, strict=True) if one],
            width=8, size=11, showlegend=False, cliponaxis=False, **drawn,
        )  # fmt: skip


def _title(frontier: Frontier) -> str:
    """Which mechanism keeps both limits."""
    if not frontier.both:
        return "No mechanism keeps both limits"
    first, *others = frontier.both
    more = {0: "", 1: ", and so does 1 more"}.get(len(others), f", and so do {len(others)} more")
    return finding(first.mechanism, f" keeps both limits{more}")


def _told(frontier: Frontier, say: Callable[[float], str]) -> str:
    """What attackers achieve where the error is just accepted, and what keeps both limits."""
    both = [one.mechanism for one in frontier.both]
    reached = {
        choice.mechanism: frontier.limit.reached(choice.test)
        for choice in frontier.by_error.choices
    }
    if not reached:
        return "No mechanism keeps the limits on the errors at any ε."
    texts = {name: say(value) for name, value in reached.items()}
    return (
        f"With the largest error that is accepted, the attacker achieves "
        f"{summed_up(reached, texts, None)}; {say(frontier.limit.value)} is allowed, which "
        + (f"{len(both)} of {len(frontier.lines)} mechanisms keep." if both else "none keeps.")
    )
