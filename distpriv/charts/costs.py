"""What each way to release costs, beside what an attacker makes of it."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts.style import BAD, GOOD, INK, axis, faint, figure, note


def picture(data: pd.DataFrame, tolerance: float) -> go.Figure:
    """Bars of the mean error, a row a way, with the right guesses written beside.

    Parameters
    ----------
    data : DataFrame
        Columns way, guesses, error and estimated (means, in per cent), and one a statistic.
    tolerance : float
    """
    rows = list(data.itertuples())
    kept = [row.kept for row in rows]
    most = max(min(data["error"].max(), 4 * data["error"].median(), 60.0), 3.0)
    chart = figure(
        40 + 42 * len(rows),
        margin={"l": 2, "r": 86, "t": 26, "b": 8},
        bargap=0.68,
        barmode="overlay",
        xaxis=axis(range=[0, 1.34 * most], showticklabels=False, showgrid=False, ticks=""),
        yaxis=axis(range=[len(rows) - 0.5, -0.62], visible=False),
    )
    for column, strength in (("error", 0.38), ("estimated", 0.95)):
        chart.add_bar(
            x=data[column].clip(upper=most),
            y=list(range(len(rows))),
            orientation="h",
            marker={
                "color": [faint(GOOD if one else BAD, strength) for one in kept],
                "line": {"width": 0},
            },
            hoverinfo="skip",
        )
    for place, row in enumerate(rows):
        hue = GOOD if kept[place] else BAD
        beside = {"xanchor": "left", "yanchor": "middle"}
        title = {"xref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 6}
        note(chart, 0, place, row.way, **title, font={"size": 14})
        over = " →" if row.error > most else ""
        text = f"{row.error:.1f} %{over}"
        note(chart, min(row.error, most), place, text, **beside, xshift=4)
        text = f"<b>{row.guesses:.0f}</b> of 100"
        note(
            chart,
            1,
            place,
            text,
            **beside,
            xref="paper",
            xshift=10,
            font={"size": 15, "color": hue},
        )
    top = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 6, "xanchor": "left"}
    note(chart, 0, 1, "average error, % of the value", **top, font={"size": 12})
    note(chart, 1, 1, "right guesses", **top, xshift=10, font={"size": 12})
    chart.add_vline(x=0, line={"color": INK, "width": 1})
    return chart
