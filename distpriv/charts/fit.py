"""Whether statistics are bell-shaped: histogram against curve, or quantiles against quantiles."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy.special import ndtri

from distpriv.arrays import FloatArray
from distpriv.charts import style

Kind = Literal["histogram", "quantiles"]

_BINS = 32
_REACH = 4.0  # standard deviations on either side of a curve
_LEVELS = (np.arange(60) + 0.5) / 60


def picture(
    frame: pd.DataFrame, *, draws: pd.DataFrame, kind: Kind = "histogram", height: int = 200
) -> list[go.Figure]:
    """Return a picture a statistic, with both shares in it.

    Fitted curves have columns statistic, share, mean, deviation, step (0: no grid) and misfit (in
    points of 100), simulated tables statistic, share, value. Quantiles of these against those of
    the curve lie on the dotted line where it fits.
    """
    return [
        _panel(name, part, draws[draws["statistic"] == name], kind, height)
        for name, part in style.parts(frame, "statistic")
    ]


def alt(frame: pd.DataFrame) -> str:
    """Return how far each statistic is from its curve."""
    worst = frame.groupby("statistic", sort=False)["misfit"].max()
    return "; ".join(f"{name}: off by {misfit:.0f} points of 100" for name, misfit in worst.items())


def _panel(
    name: str, frame: pd.DataFrame, draws: pd.DataFrame, kind: Kind, height: int
) -> go.Figure:
    plain: dict[str, Any] = {"exponentformat": "none", "separatethousands": True}
    chart = style.figure(
        height,
        margin={"l": 2, "r": 2, "t": 40, "b": 24},
        bargap=0,
        barmode="overlay",
        xaxis=style.axis(showgrid=False, ticks="", nticks=5, **plain),
        yaxis=style.axis(visible=False),
    )
    text, look = f"<b>{style.short(name, 34)}</b>", style.ABOVE | {"font": {"size": 14}}
    style.note(chart, 0, 1, text, **look, yshift=18)
    style.note(chart, 0, 1, f"off by {frame['misfit'].max():.0f} points of 100", **style.ABOVE)
    for hue, row in zip((style.LOW, style.HIGH), style.rows(frame), strict=False):
        values = draws.loc[draws["share"] == row.share, "value"].to_numpy(dtype=np.float64)
        if not len(values) or not row.deviation > 0:
            style.line(chart, [row.mean] * 2, [0, 1], hue, width=3)
        elif kind == "histogram":
            _histogram(chart, hue, values, row)
        else:
            _quantiles(chart, hue, values, row)
    return chart


def _histogram(chart: go.Figure, hue: str, values: FloatArray, row: Any) -> None:
    low, high = row.mean - _REACH * row.deviation, row.mean + _REACH * row.deviation
    width = (high - low) / _BINS
    start = low
    if row.step > 0:  # whole steps, centred on the values that occur
        width = row.step * max(1, round(width / row.step))
        start = np.floor(low / row.step) * row.step - row.step / 2
    edges = start + width * np.arange(int(np.ceil((high - start) / width)) + 1)
    counts, _ = np.histogram(values, edges)
    chart.add_bar(
        x=(edges[1:] + edges[:-1]) / 2,
        y=counts / len(values) / width,
        width=width,
        hoverinfo="skip",
        marker={"color": style.faint(hue, 0.32), "line": {"width": 0}},
    )
    x = np.linspace(low, high, 81)
    bell = np.exp(-(((x - row.mean) / row.deviation) ** 2) / 2)
    style.line(chart, x, bell / row.deviation / np.sqrt(2 * np.pi), hue)


def _quantiles(chart: go.Figure, hue: str, values: FloatArray, row: Any) -> None:
    style.line(chart, [-2.6, 2.6], [-2.6, 2.6], style.INK, width=1, dash="dot")
    quantiles = (np.quantile(values, _LEVELS) - row.mean) / row.deviation
    style.marks(chart, ndtri(_LEVELS), quantiles, hue, size=5)
    chart.update_layout(xaxis={"range": [-2.8, 2.8]}, yaxis={"range": [-3.2, 3.2]})
