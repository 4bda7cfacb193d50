"""Right guesses of 100, one bar a row, from the coin toss on."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import times

_COIN = 50.0


def picture(frame: pd.DataFrame, *, most: float = 100.0) -> go.Figure:
    """Return bars with their names above, on an axis that ends at `most`.

    Columns name and guesses (of 100).
    """
    rows, notes = style.rows(frame), []
    for place, row in enumerate(rows):
        notes.append(style.words(0, place, style.short(row.name, 40), **style.OVER))
        text, end = f"<b>{style.right(row.guesses)}</b>", max(row.guesses, _COIN)
        notes.append(style.words(end, place, text, xanchor="left", xshift=5))
    chart = style.figure(
        12 + style.ROW * len(rows),
        margin={"l": 2, "r": 2, "t": 4, "b": 4},
        bargap=0.7,
        xaxis=style.axis(range=[_COIN, _COIN + 1.16 * (most - _COIN)], visible=False),
        yaxis=style.axis(range=[len(rows) - 0.5, -0.76], visible=False),
        annotations=notes,
        shapes=[style.rule("x", _COIN)],
    )
    beyond = (frame["guesses"] - _COIN).clip(lower=0)
    style.layer(chart, beyond, [style.QUIET] * len(rows), 0.9, base=_COIN)
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the bars in words."""
    return "; ".join(f"{row.name}: right {times(row.guesses)}" for row in style.rows(frame))
