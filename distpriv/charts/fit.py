"""Whether the figures are bell-shaped: histogram against curve, or quantiles against quantiles."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy.special import ndtr, ndtri

from distpriv.charts.style import HIGH, INK, LOW, axis, faint, figure, line, note, short

_SIDES = (LOW, HIGH)


def misfit(draws: np.ndarray, mean: float, deviation: float, step: float) -> float:
    """Largest distance between the draws' shares below a value and the curve's, in points of 100."""
    ordered = np.sort(draws)
    values, last = np.unique(ordered.round(9), return_index=True)
    below = np.append(last[1:], len(ordered)) / len(ordered)
    expected = ndtr((values + step / 2 - mean) / max(deviation, 1e-12))
    return 100 * float(np.abs(below - expected).max())


def histograms(data: pd.DataFrame, curves: pd.DataFrame, height: int = 200) -> list[go.Figure]:
    """A panel a statistic: simulated datasets as bars, the fitted curve as a line, for both shares.

    Parameters
    ----------
    data : DataFrame
        Columns statistic, share, value.
    curves : DataFrame
        Columns statistic, share, mean, deviation, step, misfit.
    """
    return [
        _panel(name, data, part, height, _bars)
        for name, part in curves.groupby("statistic", sort=False)
    ]


def quantiles(data: pd.DataFrame, curves: pd.DataFrame, height: int = 200) -> list[go.Figure]:
    """The same as quantiles of the draws against those of the curve: a straight line fits."""
    return [
        _panel(name, data, part, height, _quantiles)
        for name, part in curves.groupby("statistic", sort=False)
    ]


def _panel(name, data, curves, height, draw) -> go.Figure:
    chart = figure(
        height,
        margin={"l": 2, "r": 2, "t": 40, "b": 24},
        bargap=0,
        barmode="overlay",
        xaxis=axis(showgrid=False, ticks="", nticks=5),
        yaxis=axis(visible=False),
    )
    head = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    note(chart, 0, 1, f"<b>{short(name, 28)}</b>", **head, yshift=18, font={"size": 14})
    note(chart, 0, 1, f"off by {curves['misfit'].max():.0f} points of 100", **head)
    for hue, row in zip(_SIDES, curves.itertuples()):
        chosen = data[(data["statistic"] == name) & (data["share"] == row.share)]
        draw(chart, hue, np.asarray(chosen["value"]), row)
    return chart


def _bars(chart, hue, values, row) -> None:
    low, high = row.mean - 4 * row.deviation, row.mean + 4 * row.deviation
    width = max(
        row.step, row.step * round((high - low) / 32 / row.step) if row.step else (high - low) / 32
    )
    start = (
        row.mean - width * round(4 * row.deviation / width)
        if not row.step
        else np.floor(low / row.step) * row.step - row.step / 2
    )
    edges = np.arange(start, high + width, width)
    counts, _ = np.histogram(values, edges)
    density = counts / len(values) / width
    chart.add_bar(
        x=(edges[1:] + edges[:-1]) / 2,
        y=density,
        width=width,
        hoverinfo="skip",
        marker={"color": faint(hue, 0.32), "line": {"width": 0}},
    )
    x = np.linspace(low, high, 81)
    y = np.exp(-(((x - row.mean) / row.deviation) ** 2) / 2) / row.deviation / np.sqrt(2 * np.pi)
    line(chart, x, y, hue)


def _quantiles(chart, hue, values, row) -> None:
    levels = (np.arange(60) + 0.5) / 60
    expected = ndtri(levels)
    found = (np.quantile(values, levels) - row.mean) / row.deviation
    line(chart, [-2.6, 2.6], [-2.6, 2.6], INK, width=1, dash="dot")
    chart.add_scatter(
        x=expected, y=found, mode="markers", hoverinfo="skip", marker={"color": hue, "size": 5}
    )
    chart.update_layout(xaxis={"range": [-2.8, 2.8]}, yaxis={"range": [-3.2, 3.2]})
