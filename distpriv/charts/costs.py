"""What each way of releasing costs, beside how often an attacker is right."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import times


def picture(frame: pd.DataFrame) -> go.Figure:
    """Return bars of the mean error, a row a way, with the right guesses written beside.

    A pale bar is the release as it comes, the full one its best estimate. Columns way, guesses (of
    100), error and estimated (means, in per cent of the values), kept.
    """
    rows = style.rows(frame)
    errors = frame["error"].dropna()  # the largest, unless it would flatten all the others
    most = max(min(errors.max(), max(4 * errors.median(), 60.0)), 3.0) if len(errors) else 3.0
    hues = [style.verdict_color(row.kept) for row in rows]
    ends = [0.0 if math.isnan(row.error) else min(row.error, most) for row in rows]
    look = {"xanchor": "left", "yanchor": "middle", "xshift": 4}
    chart = style.ledger(
        [
            (style.short(row.way, 40), f"<b>{style.right(row.guesses)}</b> of 100", hue)
            for row, hue in zip(rows, hues, strict=True)
        ],
        ("average error, % of the value", "right guesses"),
        86,
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
