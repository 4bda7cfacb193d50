"""What the best attacker sees: two bells, apart where the shares show, one where nothing does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import times


def picture(frame: pd.DataFrame) -> list[go.Figure]:
    """Return one picture a panel, on equal axes; grey is what the attacker gets wrong.

    Columns panel, guesses (of 100), kept (None where no limit is set), score (in standard
    deviations), and at the end one density a share, named by it.
    """
    return [_panel(name, part) for name, part in style.parts(frame, "panel")]


def alt(frame: pd.DataFrame) -> str:
    """Return the pictures in words."""
    low, high = frame.columns[-2:]
    ways = "; ".join(
        f"{row.panel}: right {times(row.guesses)}"
        for row in style.rows(frame.drop_duplicates("panel"))
    )
    return f"Two bells, for {low} and {high}. {ways}."


def _panel(name: str, frame: pd.DataFrame) -> go.Figure:
    (low, high), score, guesses = frame.columns[-2:], frame["score"], frame["guesses"].iloc[0]
    bare: dict[str, Any] = {"showgrid": False, "showticklabels": False, "ticks": ""}
    kept, right = frame["kept"].iloc[0], style.right(guesses)
    hue, words = style.verdict_color(kept), f"{style.verdict_sign(kept)}right"
    small, large = {"size": 15}, {"size": 17, "color": hue}
    both = np.minimum(frame[low], frame[high])
    wrong = "grey: wrong guesses" if both.max() > 0.3 else "hardly any wrong guesses"
    notes = [
        style.words(0, 1, style.short(name), **style.ABOVE, yshift=24, font=small),
        style.words(0, 1, f"{words} <b>{right}</b> of 100", **style.ABOVE, yshift=2, font=large),
        style.words(0, 0, wrong, yanchor="top", yshift=-1),
    ]
    first, last = (score.iloc[frame[share].argmax()] for share in (low, high))
    aside = min(max(last - first, 1.7) / 2, score.max() - 0.8)  # or their names were cut off
    if last - first < 0.08:
        text = f"<b>{low}</b> and <b>{high}</b> look alike"
        notes.append(style.words(0, 1.09, text, font={"size": 14}))
    else:
        for x, share, hue in ((-aside, low, style.LOW), (aside, high, style.HIGH)):
            notes.append(style.words(x, 1.09, f"<b>{share}</b>", font=small | {"color": hue}))
    chart = style.figure(
        248,
        margin={"l": 2, "r": 2, "t": 48, "b": 20},
        xaxis=style.axis(range=[score.min(), score.max()], **bare),
        yaxis=style.axis(range=[0, 1.2], visible=False),
        annotations=notes,
    )
    for y, hue, width, opacity in (
        (frame[low], style.LOW, 2.5, 0.18),
        (frame[high], style.HIGH, 2.5, 0.18),
        (both, style.QUIET, 0, 0.45),
    ):
        area = {"fill": "tozeroy", "fillcolor": style.faint(hue, opacity)}
        style.line(chart, score, y, hue, width=width, **area)
    return chart
