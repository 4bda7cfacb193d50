"""A simulated attack as it grows: the mean climbs towards the best possible attacker."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.charts.style import QUIET, axis, color, faint, figure, note, upright


def frame(repetitions: list[dict[str, float]]) -> pd.DataFrame:
    """Running mean and 95 % interval of each release; one row a release and repetition."""
    rows = []
    for name in repetitions[0] if repetitions else ():
        values = 100 * np.array([one[name] for one in repetitions])
        counts = np.arange(1, len(values) + 1)
        means = values.cumsum() / counts
        spread = np.array([values[:count].std(ddof=1) if count > 1 else np.nan for count in counts])
        half = 1.96 * spread / np.sqrt(counts)
        rows.append(
            pd.DataFrame(
                {
                    "release": name,
                    "simulations": counts,
                    "guesses": means,
                    "low": means - half,
                    "high": means + half,
                }
            )
        )
    columns = ["release", "simulations", "guesses", "low", "high"]
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=columns)


def picture(data: pd.DataFrame, best: dict[str, float], total: int, mechanism: str) -> go.Figure:
    """Lines with intervals; a diamond at the right is the best possible attacker."""
    top = max([*best.values(), 60]) + 6
    chart = figure(
        400,
        margin={"l": 8, "r": 130, "t": 28, "b": 44},
        xaxis=axis("simulations", range=[0, total * 1.02]),
        yaxis=axis(range=[44, top]),
    )
    upright(chart, "right guesses of 100")
    chart.add_hline(y=50, line={"color": QUIET, "dash": "dot", "width": 1.5})
    note(
        chart,
        1,
        50,
        "coin toss",
        xref="paper",
        xanchor="left",
        xshift=12,
    )
    for name, reached in best.items():
        hue = QUIET if name == "without noise" else color(mechanism)
        part = data[data["release"] == name]
        sure = part.dropna()
        chart.add_scatter(
            x=[*sure["simulations"], *sure["simulations"][::-1]],
            y=[*sure["high"], *sure["low"][::-1]],
            fill="toself",
            mode="lines",
            line={"width": 0},
            fillcolor=faint(hue, 0.2),
            hoverinfo="skip",
        )
        chart.add_scatter(
            x=part["simulations"],
            y=part["guesses"],
            mode="lines",
            line={"color": hue, "width": 3},
            hovertemplate=f"{name}: %{{y:.1f}} of 100 after %{{x}}<extra></extra>",
        )
        chart.add_scatter(
            x=[total * 1.02],
            y=[reached],
            mode="markers",
            cliponaxis=False,
            hoverinfo="skip",
            marker={"symbol": "diamond", "size": 13, "color": hue},
        )
        note(
            chart,
            1,
            reached,
            f"<b>{reached:.0f}</b> {name}",
            xref="paper",
            xanchor="left",
            xshift=12,
            font={"color": hue, "size": 13},
        )
    return chart
