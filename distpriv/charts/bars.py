"""Right guesses of 100, one bar a row, from the coin toss on."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts.style import BAD, GOOD, INK, QUIET, axis, faint, figure, note, short


def ranked(data: pd.DataFrame, tolerance: float, most: float, length: int = 40) -> go.Figure:
    """Names above their bars; above the limit in the warning colour, or quiet where it is not asked.

    Parameters
    ----------
    data : DataFrame
        Columns name, guesses.
    tolerance : float
        The limit, drawn as a line; 0 for none.
    most : float
        Right end of the axis.
    length : int
        Letters of a name that are shown.
    """
    rows = [*data.itertuples()]
    chart = figure(
        12 + 42 * len(rows),
        margin={"l": 2, "r": 2, "t": 4, "b": 4},
        bargap=0.7,
        xaxis=axis(range=[50, 50 + 1.16 * (most - 50)], visible=False),
        yaxis=axis(range=[len(rows) - 0.5, -0.76], visible=False),
    )
    for place, row in enumerate(rows):
        hue = QUIET if not tolerance else BAD if row.guesses >= tolerance + 0.5 else GOOD
        chart.add_bar(
            x=[max(row.guesses - 50, 0.15)],
            y=[place],
            base=50,
            orientation="h",
            marker={"color": faint(hue, 0.9), "line": {"width": 0}},
            hoverinfo="skip",
        )
        title = {"xref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 6}
        note(chart, 0, place, short(row.name, length), **title, font={"size": 14})
        note(chart, row.guesses, place, f"<b>{row.guesses:.0f}</b>", xanchor="left", xshift=4)
    if tolerance:
        tick = {"symbol": "line-ns", "size": 9, "line": {"width": 2, "color": INK}}
        chart.add_scatter(
            x=[tolerance] * len(rows),
            y=list(range(len(rows))),
            mode="markers",
            marker=tick,
            hoverinfo="skip",
        )
    return chart
