"""What the best attacker sees: two bells, apart where the shares show, one where nothing does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from distpriv.charts import style
from distpriv.text import times

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

_NOT_SHARES = ("panel", "guesses", "kept", "score")


def picture(frame: pd.DataFrame, *, height: int = 248) -> list[go.Figure]:
    """Return one picture a panel, on equal axes; grey is what the attacker gets wrong.

    Parameters
    ----------
    frame : DataFrame
        Columns panel, guesses (of 100), kept (None where no limit is set), score (in standard
        deviations), and one density a share, named by it.
    height : int
        Of each picture, in pixels.
    """
    return [_panel(str(name), part, height) for name, part in frame.groupby("panel", sort=False)]


def alt(frame: pd.DataFrame) -> str:
    """Return the pictures in words."""
    low, high = _shares(frame)
    ways = "; ".join(
        f"{row.panel}: right {times(row.guesses)}"
        for row in style.rows(frame.drop_duplicates("panel"))
    )
    return f"Two bells, for {low} and {high}. {ways}."


def _shares(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name in frame.columns if name not in _NOT_SHARES]


def _panel(name: str, frame: pd.DataFrame, height: int) -> go.Figure:
    score = frame["score"]
    chart = style.figure(
        height,
        margin={"l": 2, "r": 2, "t": 48, "b": 20},
        xaxis=style.axis(
            range=[score.min(), score.max()], showgrid=False, showticklabels=False, ticks=""
        ),
        yaxis=style.axis(range=[0, 1.2], visible=False),
    )
    guesses = frame["guesses"].iloc[0]
    hue = style.verdict_color(frame["kept"].iloc[0] if "kept" in frame else None)
    style.note(chart, 0, 1, style.short(name), **style.ABOVE, yshift=24, font={"size": 15})
    text = f"right <b>{style.right(guesses)}</b> of 100"
    style.note(chart, 0, 1, text, **style.ABOVE, yshift=2, font={"size": 17, "color": hue})
    low, high = _shares(frame)
    for share, hue in ((low, style.LOW), (high, style.HIGH)):
        style.line(
            chart, score, frame[share], hue, fill="tozeroy", fillcolor=style.faint(hue, 0.18)
        )
    both = np.minimum(frame[low], frame[high])
    style.line(
        chart,
        score,
        both,
        style.QUIET,
        width=0,
        fill="tozeroy",
        fillcolor=style.faint(style.QUIET, 0.45),
    )
    style.note(chart, 0, 0.1, "wrong guesses" if both.max() > 0.3 else "hardly any wrong guesses")
    peaks = [float(score.iloc[int(frame[share].to_numpy().argmax())]) for share in (low, high)]
    if peaks[1] - peaks[0] < 0.08:
        text = f"<b>{low}</b> and <b>{high}</b> look alike"
        style.note(chart, 0, 1.09, text, font={"size": 14})
        return chart
    apart = max(peaks[1] - peaks[0], 1.7)
    for x, share, hue in ((-apart / 2, low, style.LOW), (apart / 2, high, style.HIGH)):
        style.note(chart, x, 1.09, f"<b>{share}</b>", font={"color": hue, "size": 15})
    return chart
