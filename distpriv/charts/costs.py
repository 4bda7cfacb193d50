"""What each way of releasing costs, beside how often an attacker is right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from distpriv.charts import style
from distpriv.text import times

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


def picture(frame: pd.DataFrame) -> go.Figure:
    """Return bars of the mean error, a row a way, with the right guesses written beside.

    A pale bar is the release as it comes, the full one its best estimate. Columns way, guesses (of
    100), error and estimated (means, in per cent of the values), kept.
    """
    rows = style.rows(frame)
    errors = frame["error"].dropna()  # the largest, unless it would flatten all the others
    most = max(min(errors.max(), max(4 * errors.median(), 60.0)), 3.0) if len(errors) else 3.0
    chart = style.figure(
        40 + style.ROW * len(rows),
        margin={"l": 2, "r": 86, "t": 26, "b": 8},
        bargap=0.68,
        barmode="overlay",
        xaxis=style.axis(range=[0, 1.34 * most], showticklabels=False, showgrid=False, ticks=""),
        yaxis=style.axis(range=[len(rows) - 0.5, -0.62], visible=False),
    )
    hues = [style.verdict_color(row.kept) for row in rows]
    for column, strength in (("error", 0.38), ("estimated", 0.95)):
        chart.add_bar(
            name=column,
            x=frame[column].clip(upper=most),
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [style.faint(hue, strength) for hue in hues], "line": {"width": 0}},
            hoverinfo="skip",
        )
    beside, notes = {"xanchor": "left", "yanchor": "middle"}, []
    for place, (row, hue) in enumerate(zip(rows, hues, strict=True)):
        notes.append(style.words(0, place, style.short(row.way, 40), **style.OVER))
        end = 0.0 if math.isnan(row.error) else min(row.error, most)
        notes.append(style.words(end, place, _percent(row.error, most), **beside, xshift=4))
        text, look = f"<b>{style.right(row.guesses)}</b> of 100", {"xref": "paper", "xshift": 10}
        look["font"] = {"size": 15, "color": hue}
        notes.append(style.words(1, place, text, **beside, **look))
    small = {"yshift": 6, "font": {"size": 12}} | style.ABOVE
    notes.append(style.words(0, 1, "average error, % of the value", **small))
    notes.append(style.words(1, 1, "right guesses", xshift=10, **small))
    chart.update_layout(annotations=notes)
    chart.add_vline(x=0, line={"color": style.INK, "width": 1})
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the bars in words."""
    return "; ".join(
        f"{row.way}: error {_percent(row.error)}, right {times(row.guesses)}"
        for row in style.rows(frame)
    )


def _percent(error: float, most: float = math.inf) -> str:
    if math.isnan(error):
        return "–"
    text = f"{error:.1f} %" if error < 1000 else "over 1000 %"
    return f"{text} →" if error > most else text
