"""Right guesses of 100, one bar a row, from the coin toss on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distpriv.charts import style
from distpriv.text import times

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

_COIN = 50.0


def picture(
    frame: pd.DataFrame, *, limit: float | None = None, most: float = 100.0, letters: int = 40
) -> go.Figure:
    """Return bars with their names above, in the limit's colours where there is one.

    Columns name and guesses (of 100), and kept where a limit is set, which is right guesses of 100
    and drawn as a tick across each bar. The axis ends at `most`, and names after some letters.
    """
    rows = style.rows(frame)
    chart = style.figure(
        12 + style.ROW * len(rows),
        margin={"l": 2, "r": 2, "t": 4, "b": 4},
        bargap=0.7,
        xaxis=style.axis(range=[_COIN, _COIN + 1.16 * (most - _COIN)], visible=False),
        yaxis=style.axis(range=[len(rows) - 0.5, -0.76], visible=False),
    )
    hues = [style.verdict_color(getattr(row, "kept", None)) for row in rows]
    style.layer(chart, (frame["guesses"] - _COIN).clip(lower=0), hues, 0.9, base=_COIN)
    notes = []
    for place, row in enumerate(rows):
        notes.append(style.words(0, place, style.short(row.name, letters), **style.OVER))
        text, end = f"<b>{style.right(row.guesses)}</b>", max(row.guesses, _COIN)
        notes.append(style.words(end, place, text, xanchor="left", xshift=5))
    chart.update_layout(annotations=notes)
    chart.add_vline(x=_COIN, line={"color": style.INK, "width": 1})
    if limit is not None:
        tick = {"symbol": "line-ns", "size": 9, "line": {"width": 2, "color": style.INK}}
        style.marks(chart, [limit] * len(rows), list(range(len(rows))), style.INK, **tick)
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the bars in words."""
    return "; ".join(f"{row.name}: right {times(row.guesses)}" for row in style.rows(frame))
