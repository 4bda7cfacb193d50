"""A simulated attack as it grows: its mean climbs towards the best possible attacker."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from distpriv.charts import style

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

_FEWEST = 5  # simulations from which on an interval is drawn: before, it fills the picture


def picture(
    frame: pd.DataFrame, *, best: Mapping[str, float], total: int, height: int = 400
) -> go.Figure:
    """Return the running means with their intervals; a diamond is the best possible attacker.

    Parameters
    ----------
    frame : DataFrame
        Columns release (a mechanism's name), simulations, guesses, low, high (of 100).
    best : mapping of release to right guesses of 100
        Order of the lines, too.
    total : int
        Simulations in all.
    """
    top = max([*best.values(), 60.0]) + 5
    chart = style.figure(
        height,
        margin={"l": 8, "r": 108, "t": 28, "b": 44},
        xaxis=style.axis("simulations", range=[0, 1.03 * total], showgrid=False),
        yaxis=style.axis(range=[44, top]),
    )
    style.upright(chart, "right guesses of 100 (50 is a coin toss)")
    chart.add_hline(y=50, line={"color": style.QUIET, "dash": "dot", "width": 1.5})
    for name, reached in best.items():
        hue, part = style.color(name), frame[frame["release"] == name]
        sure = part[part["simulations"] >= _FEWEST].dropna()
        chart.add_scatter(
            x=[*sure["simulations"], *sure["simulations"][::-1]],
            y=[*sure["high"], *sure["low"][::-1]],
            fill="toself",
            mode="lines",
            line={"width": 0},
            fillcolor=style.faint(hue, 0.2),
            hoverinfo="skip",
        )
        diamond = {"symbol": "diamond", "size": 13, "cliponaxis": False}
        words = f"{style.title(name)}: %{{y:.1f}} of 100 after %{{x}}<extra></extra>"
        look = {"width": 3, "dash": style.dash(name), "hoverinfo": None, "hovertemplate": words}
        style.line(chart, part["simulations"], part["guesses"], hue, name=name, **look)
        style.marks(chart, [1.03 * total], [reached], hue, **diamond)
    apart = 20 * (top - 44) / (height - 72)
    for (name, reached), y in zip(best.items(), _spread([*best.values()], apart), strict=True):
        text = f"<b>{style.right(reached)}</b> {style.title(name)}"
        look = {"xref": "paper", "xanchor": "left", "xshift": 12}
        style.note(chart, 1, y, text, **look, font={"color": style.color(name), "size": 14})
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the lines' ends in words."""
    ends = "; ".join(
        f"{style.title(row.release)}: right {row.guesses:.1f} times in 100 after {row.simulations}"
        for row in style.rows(frame.groupby("release", sort=False).tail(1))
    )
    return f"Right guesses of a simulated attacker. {ends or 'None yet'}."


def _spread(heights: list[float], apart: float) -> list[float]:
    """Move words up until they are that far apart."""
    places = list(heights)
    order = sorted(range(len(places)), key=places.__getitem__)
    for below, above in pairwise(order):
        places[above] = max(places[above], places[below] + apart)
    return places
