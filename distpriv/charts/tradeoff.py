"""What noise costs and what it hides, one line a mechanism."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.charts.style import DASHES, GLYPHS, GOOD, axis, color, figure, legend, note, upright


def picture(
    data: pd.DataFrame,
    across: str,
    here: dict[str, float],
    selected: str,
    others: pd.DataFrame,
    most: float,
) -> go.Figure:
    """Mean error up, and across either the attacker or ε.

    Parameters
    ----------
    data : DataFrame
        Columns mechanism, epsilon, error, guesses.
    across : "guesses" or "epsilon"
    here : dict with epsilon, guesses, error, tolerance and undefended
        Of the scenario.
    selected : str
        Its mechanism.
    others : DataFrame
        Columns way, guesses, error: releases without noise.
    most : float
        Upper end of the error's axis, in per cent.
    """
    left, right = (49.3, max(here["undefended"] + 2, 62)) if across == "guesses" else (-1.05, 1.35)
    title = {"guesses": "right guesses of 100 (50 is a coin toss)", "epsilon": "ε (log scale)"}[
        across
    ]
    options = {} if across == "guesses" else {"type": "log", "tickvals": [0.1, 0.3, 1, 3, 10, 20]}
    chart = figure(
        390,
        margin={"l": 8, "r": 16, "t": 50, "b": 44},
        xaxis=axis(title, range=[left, right], showgrid=False, **options),
        yaxis=axis(range=[-most / 40, most], ticksuffix=" %"),
    )
    upright(chart, "average error, % of the value")
    legend(
        chart,
        {
            name: (f"{GLYPHS.get(name, '○')} {name}", color(name))
            for name in dict.fromkeys(data["mechanism"])
        },
    )
    for name in dict.fromkeys(data["mechanism"]):
        line = data[(data["mechanism"] == name) & (data["error"] <= 4 * most)]
        chart.add_scatter(
            x=line[across],
            y=line["error"],
            mode="lines",
            line={
                "color": color(name),
                "width": 4 if name == selected else 2,
                "dash": DASHES.get(name, "solid"),
                "shape": "spline",
                "smoothing": 0.6,
            },
            customdata=line[["epsilon", "guesses"]],
            hovertemplate=f"{name}, ε = %{{customdata[0]:.2g}}<br>%{{customdata[1]:.1f}} of 100 "
            "right, error %{y:.1f} %<extra></extra>",
        )
    if across == "guesses":
        chart.add_vrect(
            x0=left,
            x1=here["tolerance"],
            line_width=0,
            fillcolor="rgba(28,148,112,0.10)",
            layer="below",
        )
        note(
            chart,
            here["tolerance"],
            0.99,
            "you accept ",
            yref="paper",
            xanchor="right",
            yanchor="top",
            font={"color": GOOD, "size": 14},
        )
        for row in others.itertuples():
            chart.add_scatter(
                x=[row.guesses],
                y=[row.error],
                mode="markers",
                hoverinfo="skip",
                marker={"size": 14, "color": GOOD, "symbol": "diamond"},
                cliponaxis=False,
            )
            shift = -7 if row.error == others["error"].min() else 7
            note(
                chart,
                row.guesses,
                row.error,
                row.way,
                xanchor="left",
                xshift=11,
                yshift=shift if len(others) > 1 and np.ptp(others["error"]) < most / 14 else 0,
                font={"size": 14},
            )
    chart.add_scatter(
        x=[here[across]],
        y=[here["error"]],
        mode="markers",
        hoverinfo="skip",
        marker={"size": 17, "color": color(selected), "line": {"width": 3, "color": "white"}},
    )
    return chart
