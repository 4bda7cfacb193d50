"""Every column as a secret, against each figure: right guesses as colour and number."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import times

_ROWS, _FIGURES = 15, 12
_LETTERS, _HEAD = 18, 104  # of figures' names, and the pixels of their slope
_APART = 0.3  # of a cell, between all figures and each
_NAMES: Mapping[str, str] = {}


def picture(
    frame: pd.DataFrame, *, limit: float | None = None, names: Mapping[str, str] = _NAMES
) -> go.Figure:
    """Return a matrix: secrets down, all figures and then each across, the most exposed first.

    Columns column, label, low and high (per cent), guesses (of 100, of all figures together), and
    those of each figure after "fits", by `names` if they have others. At most 15 rows, of a column
    the first, and the 12 figures that tell most. What passes the limit has its own colour.
    """
    secrets, figures = _shown(frame)
    rows, gap = style.rows(secrets), [math.nan] * (2 + len(figures))
    across = [0.0, 1.0, *(1 + _APART + place for place in range(1 + len(figures)))]
    grid, text = [], []
    for first, *others in secrets[["guesses", *figures]].to_numpy(dtype=float).tolist():
        right = ["" if math.isnan(one) else style.right(one) for one in (first, *others)]
        grid += [gap, [first, math.nan, *others]]  # each secret's name stands above its cells
        text += [[""] * len(gap), [f"<b>{right[0]}</b>", "", *right[1:]]]
    look = {"xanchor": "left", "yanchor": "bottom", "textangle": -40, "yref": "paper"}
    heads = ["all together", *(names.get(one, one) for one in figures)]
    starts = [0.0, *across[2:-1]]
    notes = [
        style.words(start + 0.35, 1, style.short(head, _LETTERS), **look)
        for start, head in zip(starts, heads, strict=True)
    ]
    for place, row in enumerate(rows):
        words = f"{style.short(row.label, 38)}: {row.low:.0f} or {row.high:.0f} %?"
        notes.append(style.words(0, place + 0.5, words, **style.OVER | {"yshift": -2}))
    chart = style.figure(
        _HEAD + 6 + style.ROW * len(rows),
        margin={"l": 2, "r": 76, "t": _HEAD - 6, "b": 12},
        xaxis=style.axis(range=[0, across[-1]], visible=False),
        yaxis=style.axis(range=[len(rows), 0], visible=False),
        annotations=notes,
    )
    chart.add_heatmap(
        x=across,
        y=[place / 2 for place in range(2 * len(rows) + 1)],
        z=grid,
        zmin=50,
        zmax=100,
        colorscale=_scale(50.0 if limit is None else limit),
        text=text,
        texttemplate="%{text}",
        textfont={"size": 13, "color": style.INK},
        xgap=2,
        showscale=False,
        hoverinfo="skip",
    )
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the most exposed secrets in words, each with the figure that tells most."""
    secrets, figures = _shown(frame)
    telling = secrets[figures].fillna(0.0)
    best = zip(style.rows(secrets), telling.idxmax(axis=1), telling.max(axis=1), strict=True)
    return "; ".join(
        f"{row.label}: right {times(row.guesses)}{f', most by {figure}' if right else ''}"
        for row, figure, right in best
    )


def _shown(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the most exposed secret of each column, and the figures that tell most."""
    secrets = frame.drop_duplicates("column").head(_ROWS)
    every = [*frame.columns][[*frame.columns].index("fits") + 1 :]
    telling = secrets[every].max().nlargest(_FIGURES).index
    return secrets, [figure for figure in every if figure in telling]


def _scale(limit: float) -> list[tuple[float, str]]:
    """Return the colours of right guesses: one up to the limit, and another, stronger with each."""
    place = min(max(limit - 50, 0) / 50, 1)
    ends = [(0, style.GOOD, 0.1), (place, style.GOOD, 0.1), (place, style.BAD, 0.25)]
    ends.append((1, style.BAD, 0.65))
    return [(at, style.faint(hue, opacity)) for at, hue, opacity in ends]
