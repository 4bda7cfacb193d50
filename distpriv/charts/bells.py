"""What the best attacker sees: two bells, apart as the figures are, one bell where nothing shows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.charts.style import BAD, GOOD, HIGH, LOW, QUIET, axis, faint, figure, line, note

_WIDTH = 4.0


def frame(ways: list[tuple[str, float, float]], shares: tuple[float, float]) -> pd.DataFrame:
    """Densities of the attacker's score; one row a panel and score.

    Parameters
    ----------
    ways : list of title, right guesses of 100, distance
        Distance of the two bells, in standard deviations.
    shares : tuple of float
        In per cent.
    """
    score = np.linspace(-_WIDTH, _WIDTH, 141)
    rows = []
    for title, guesses, distance in ways:
        low, high = (np.exp(-((score + side * distance / 2) ** 2) / 2) for side in (1, -1))
        data = {"panel": title, "guesses": guesses, "score": score}
        rows.append(pd.DataFrame(data | {f"{shares[0]:g} %": low, f"{shares[1]:g} %": high}))
    return pd.concat(rows, ignore_index=True)


def pictures(data: pd.DataFrame, tolerance: float, height: int = 248) -> list[go.Figure]:
    """One picture a panel, on the same axes; grey is what the attacker gets wrong."""
    return [_picture(*one, tolerance, height) for one in data.groupby("panel", sort=False)]


def _picture(panel: str, data: pd.DataFrame, tolerance: float, height: int) -> go.Figure:
    first, second = data.columns[3:]
    guesses = data["guesses"].iloc[0]
    chart = figure(
        height,
        margin={"l": 2, "r": 2, "t": 48, "b": 20},
        xaxis=axis(range=[-_WIDTH, _WIDTH], showgrid=False, showticklabels=False, ticks=""),
        yaxis=axis(range=[0, 1.2], visible=False),
    )
    head = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    hue = GOOD if guesses < tolerance + 0.5 else BAD
    note(chart, 0, 1.0, panel, **head, yshift=24, font={"size": 15})
    text = f"right <b>{guesses:.0f}</b> of 100"
    note(chart, 0, 1.0, text, **head, yshift=2, font={"size": 17, "color": hue})
    for column, hue in ((first, LOW), (second, HIGH)):
        line(chart, data["score"], data[column], hue, fill="tozeroy", fillcolor=faint(hue, 0.18))
    lower = np.minimum(data[first], data[second])
    line(chart, data["score"], lower, QUIET, width=0, fill="tozeroy", fillcolor=faint(QUIET, 0.45))
    note(chart, 0, 0.1, "wrong guesses")
    peaks = [float(data["score"].iloc[data[column].argmax()]) for column in (first, second)]
    if peaks[1] - peaks[0] < 0.08:
        text = f"<b>{first}</b> and <b>{second}</b> look alike"
        note(chart, 0, 1.09, text, font={"size": 14})
        return chart
    spread = max(peaks[1] - peaks[0], 1.7)
    for x, text, hue in ((-spread / 2, first, LOW), (spread / 2, second, HIGH)):
        note(chart, x, 1.09, f"<b>{text}</b>", font={"color": hue, "size": 15})
    return chart
