"""Two laws of a figure, and the longest moves that turn one into the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distpriv.charts import style
from distpriv.text import significant

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


def laws(
    frame: pd.DataFrame, moves: pd.DataFrame, shares: tuple[str, str], title: str
) -> go.Figure:
    """Return both laws as bars, and arrows of moves above them.

    Parameters
    ----------
    frame : DataFrame
        Columns value, low, high (probabilities).
    moves : DataFrame
        Columns start, end, mass, beyond (drawn dotted), a row an arrow.
    shares : (str, str)
        Names of both laws.
    title : str
        Of the values.
    """
    top = float(frame[["low", "high"]].max().max())
    chart = style.figure(
        360,
        margin={"l": 8, "r": 12, "t": 52, "b": 44},
        barmode="overlay",
        bargap=0.08,
        xaxis=style.axis(title, showgrid=False),
        yaxis=style.axis(range=[0, 1.45 * top], nticks=5, tickformat=".0%"),
    )
    for column, hue in (("low", style.LOW), ("high", style.HIGH)):
        mark = {"color": style.faint(hue, 0.5), "line": {"width": 0}}
        words = "%{y:.2%} at %{x:.4g}<extra></extra>"
        chart.add_bar(x=frame["value"], y=frame[column], marker=mark, hovertemplate=words)
    for place, row in enumerate(style.rows(moves)):
        height = top * (1.1 + 0.3 * place / max(len(moves), 1))
        dash = "dot" if row.beyond else "solid"
        style.line(chart, [row.start, row.end], [height] * 2, style.INK, width=2, dash=dash)
        head = {"symbol": "triangle-right" if row.end >= row.start else "triangle-left", "size": 11}
        style.marks(chart, [row.end], [height], style.INK, **head)
    style.legend(chart, (), {f"■ {shares[0]}": style.LOW, f"■ {shares[1]}": style.HIGH})
    return chart


def laws_alt(moves: pd.DataFrame) -> str:
    """Return the longest moves in words."""
    parts = [
        f"from {significant(row.start)} to {significant(row.end)}" for row in style.rows(moves)
    ]
    return f"Two laws as bars. Longest moves: {'; '.join(parts)}."
