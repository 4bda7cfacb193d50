"""One bar a row: right guesses of 100 from the coin toss on, and what ways of releasing cost."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import significant, times

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


def costs(frame: pd.DataFrame) -> go.Figure:
    """Return bars of the mean error, a row a way, with the right guesses written beside.

    A pale bar is the release as it comes, the full one its best estimate. Columns way, guesses (of
    100), error and estimated (means, in per cent of the values), kept.
    """
    rows = style.rows(frame)
    errors = frame["error"].dropna()  # the largest, unless it would flatten all the others
    most = max(min(errors.max(), max(4 * errors.median(), 60.0)), 3.0) if len(errors) else 3.0
    hues = [style.verdict_color(row.kept) for row in rows]
    signs = [style.verdict_sign(row.kept) for row in rows]
    ends = [0.0 if math.isnan(row.error) else min(row.error, most) for row in rows]
    look = {"xanchor": "left", "yanchor": "middle", "xshift": 4}
    chart = style.ledger(
        [
            (style.short(row.way, 40), f"{sign}<b>{style.right(row.guesses)}</b> of 100", hue)
            for row, sign, hue in zip(rows, signs, hues, strict=True)
        ],
        ("average error, % of the value", "right guesses"),
        104,
        style.axis(range=[0, 1.34 * most], showticklabels=False, showgrid=False, ticks=""),
        [
            style.words(end, place, _percent(row.error, most), **look)
            for place, (end, row) in enumerate(zip(ends, rows, strict=True))
        ],
        shapes=[style.rule("x", 0)],
    )
    for column, opacity in (("error", 0.38), ("estimated", 0.95)):
        style.layer(chart, frame[column].clip(upper=most), hues, opacity, name=column)
    return chart


def costs_alt(frame: pd.DataFrame) -> str:
    """Return the bars in words."""
    return "; ".join(
        f"{row.way}: error {_percent(row.error)}, right {times(row.guesses)}"
        f"{'' if row.kept is None else ', within the limit' if row.kept else ', over the limit'}"
        for row in style.rows(frame)
    )


def _percent(error: float, most: float = math.inf) -> str:
    if math.isnan(error):
        return "–"
    text = f"{significant(error, 2)} %" if error < 1000 else "over 1000 %"
    return f"{text} →" if error > most else text
