"""Figures of the papers, drawn from our numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import significant

_HUES = (style.LOW, style.HIGH, *(style.COLORS[name] for name in ("DauM", "OptM", "ExpM", "EigM")))


def curves(
    frame: pd.DataFrame, axes: Sequence[str], *, log: bool, marks: bool = False
) -> list[go.Figure]:
    """Return a figure a panel, with series as lines, or as points (`marks`).

    Columns panel ("y against x" names its axes, `axes` those of others), series, x and ours. The
    vertical axis may be logarithmic, with 0 at its foot; one of ε always is.
    """
    return [_panel(part, name, axes, log, marks) for name, part in style.parts(frame, "panel")]


def _panel(
    frame: pd.DataFrame, panel: str, axes: Sequence[str], log: bool, marks: bool
) -> go.Figure:
    words, _, across = panel.rpartition(" against ")
    across = across if words else axes[0]
    x = style.axis(across, showgrid=False, nticks=6)
    if across == "ε":
        x = style.axis("ε (log scale)", type="log", tickvals=style.DECADES, showgrid=False)
    up, ours = style.axis(nticks=6), frame["ours"]
    if log:
        zero = float(ours[ours > 0].min()) / 2
        ticks = {zero: "0"} if (ours == 0).any() else {}
        ticks |= {10.0**power: significant(10.0**power) for power in range(-2, 5)}
        ends = [math.log10(zero), math.log10(ours.max()) + 0.1]
        up = style.axis(type="log", tickvals=[*ticks], ticktext=[*ticks.values()], range=ends)
        frame = frame.assign(ours=ours.clip(lower=zero))
    edges = {"l": 8, "r": 14, "t": 56, "b": 44}
    title = words or ": ".join(filter(None, (panel, axes[1])))
    chart, keys = style.figure(340, title, margin=edges, xaxis=x, yaxis=up), {}
    for place, (name, part) in enumerate(style.parts(frame, "series")):
        plain = name.removesuffix("(L)")
        hue = style.COLORS.get(plain, style.INK if "DP" in name else _HUES[place % len(_HUES)])
        keys[name] = hue
        if marks:
            style.marks(chart, part["x"], part["ours"], hue, size=8, opacity=0.8, name=name)
        else:
            look = {"dash": style.dash(name), "name": name, "hoverinfo": None}
            hover = f"{style.short(name)}: %{{y:.3g}} at %{{x:.3g}}<extra></extra>"
            style.line(chart, part["x"], part["ours"], hue, hovertemplate=hover, **look)
    style.legend(chart, [], keys)
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return where curves end, or points lie, in words."""
    ends = frame.groupby(["panel", "series"], sort=False).tail(1)
    lines = [f"{row.panel} {row.series}: {significant(row.ours)}" for row in style.rows(ends)]
    return f"Curves of the figure. They end at {'; '.join(lines)}."
