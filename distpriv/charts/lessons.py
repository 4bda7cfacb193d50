"""The tour's pictures; its own is what each count that is tried leaves of another one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import attack, bars, bells, style

_WHOLE = 1e-6  # how near to a whole number a count is that fits


def tries(frame: pd.DataFrame, *, here: float) -> go.Figure:
    """Return how far each count leaves the other from a whole number, the one tried `here` ringed.

    Columns tried and left (counts) and off (0 to ½).
    """
    across = style.axis("count of the never married that is tried", showgrid=False, nticks=9)
    across["range"] = [frame["tried"].min() - 1, frame["tried"].max() + 1]
    up = style.axis(range=[-0.03, 0.63], tickvals=[0, 0.25, 0.5], ticktext=["whole", "¼", "½"])
    title = "how far the count of women is from a whole number"
    chart = style.figure(360, title, margin={"l": 8, "r": 12, "t": 30, "b": 44})
    chart.update_layout(xaxis=across, yaxis=up)
    fits = frame["off"] < _WHOLE
    for row in style.rows(frame[~fits]):
        style.line(chart, [row.tried] * 2, [0, row.off], style.QUIET, width=1)
    for some, hue, size in ((~fits, style.QUIET, 7), (fits, style.GOOD, 13)):
        style.marks(chart, frame["tried"][some], frame["off"][some], hue, size=size)
    for row in style.rows(frame[fits]):
        text, font = f"<b>{row.tried:.0f}</b> fits", {"color": style.GOOD, "size": 15}
        style.line(chart, [row.tried] * 2, [0, 0.54], style.GOOD, width=1.5, dash="dot")
        style.note(chart, row.tried, 0.54, text, yshift=11, font=font)
    ring = frame[frame["tried"] == here]
    look = {"size": 16, "symbol": "circle-open", "line": {"width": 2.5}}
    style.marks(chart, ring["tried"], ring["off"], style.HIGH, **look, name="here")
    return chart


def tries_alt(frame: pd.DataFrame) -> str:
    """Return the picture in words."""
    fits = ", ".join(f"{count:.0f}" for count in frame.loc[frame["off"] < _WHOLE, "tried"])
    return f"{len(frame)} counts are tried. Whole numbers are left by {fits or 'none'}."


def picture(kind: str, frame: pd.DataFrame, **look: Any) -> go.Figure | list[go.Figure]:
    """Return a step's picture: two bells, tries, bars of costs, or right guesses against a column.

    Kinds are "bells", "tries", "costs", "epsilon" and "width"; see these for columns and `look`.
    """
    pictures: dict[str, Any] = {"bells": bells.picture, "tries": tries, "costs": bars.costs}
    figure: go.Figure | list[go.Figure] = (
        pictures[kind](frame, **look)
        if kind in pictures
        else attack.reach(frame, across=kind, **look)  # type: ignore[arg-type]
    )
    return figure


def alt(kind: str, frame: pd.DataFrame) -> str:
    """Return a step's picture in words."""
    words = {"bells": bells.alt, "tries": tries_alt, "costs": bars.costs_alt}
    return words[kind](frame) if kind in words else attack.reach_alt(frame, kind)  # type: ignore[arg-type]
