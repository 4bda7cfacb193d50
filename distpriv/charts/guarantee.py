"""Promises: δ(ε) promised and delivered, and attackers who know records or see more releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import significant, times

_LEAST, _ZERO = 1e-8, 1e-9  # what is drawn, and where 0 stands on the logarithmic axis
_TICKS = {_ZERO: "0", 1e-8: "10⁻⁸", 1e-6: "10⁻⁶", 1e-4: "10⁻⁴", 0.01: "0.01", 1.0: "1"}
_RELEASES = [1, 5, 10, 15, 20]
_RELAXED = {  # colour, dash, and where along a line its name stands
    "as assumed": (style.INK, "dot", 0.75),
    "this scatter": (style.BAD, "dash", 0.5),
    "any laws as near": (style.GOOD, "solid", 0.6),
}


def profile(frame: pd.DataFrame, promises: Mapping[str, tuple[float, float]]) -> go.Figure:
    """Return δ against ε on a log scale, with a cross a promise, above which no curve may pass.

    Columns way (key), epsilon, delta (0 is drawn as 0, below the axis). The first of the promises,
    words to (ε, δ), is what was promised; others say the same in other numbers.
    """
    last = float(frame["epsilon"].max())
    chart = style.figure(
        300,
        "δ",
        margin={"l": 8, "r": 14, "t": 26, "b": 44},
        xaxis=style.axis("ε", range=[-0.015 * last, last], showgrid=False, nticks=6),
        yaxis=style.axis(
            type="log",
            range=[np.log10(_ZERO) - 0.15, 0.2],
            tickvals=[*_TICKS],
            ticktext=[*_TICKS.values()],
        ),
    )
    notes = []
    for key, part in style.parts(frame, "way"):
        hue, dash, along = _RELAXED.get(key, (style.color(key), style.dash(key), 0.66))
        nothing = not part["delta"].any()
        drawn = part["delta"].where(part["delta"] >= _LEAST).fillna(_ZERO if nothing else np.nan)
        look = {"dash": dash, "width": 3, "name": key}
        words = f"{style.title(key)}: δ = %{{y:.2g}} at ε = %{{x:.2g}}<extra></extra>"
        hover = {"hoverinfo": "skip"} if nothing else {"hovertemplate": words, "hoverinfo": "all"}
        style.line(chart, part["epsilon"], drawn, hue, **look, **hover)
        seen = np.flatnonzero(drawn.notna())
        at = seen[int(along * (len(seen) - 1))]
        # Another line is close above what is assumed.
        side = ("right", "top", -6) if key == "as assumed" else ("left", "bottom", 3)
        place = dict(zip(("xanchor", "yanchor", "xshift"), side, strict=True))
        place |= {"font": {"size": 14, "color": hue}}
        x, y = part["epsilon"].iloc[at], np.log10(drawn.iloc[at])
        notes.append(style.words(x, y, style.title(key), **place, yshift=1))
    for number, (text, (epsilon, delta)) in enumerate(promises.items()):
        symbol = {"symbol": "circle-open" if number else "x-thin", "size": 12}
        stroke = {"line": {"width": 3, "color": style.INK}, "cliponaxis": False}
        style.marks(chart, [epsilon], [delta], style.INK, **symbol, **stroke, name=text)
        low = epsilon > 0.35 * last  # below the curve, which leaves room there
        below = low or delta > 0.1
        beside: dict[str, Any] = {"xanchor": "right" if low else "left", "font": {"size": 14}}
        shift = -14 if delta > 0.1 else -10 if number and low else 3  # clear of another cross's
        beside |= {"yanchor": "top" if below else "bottom", "yshift": shift}
        beside["xshift"] = -9 if low else 9
        notes.append(style.words(epsilon, np.log10(delta), f"<b>{text}</b>", **beside))
    chart.layout.annotations = [*chart.layout.annotations, *notes]
    return chart


def profile_alt(frame: pd.DataFrame, promises: Mapping[str, tuple[float, float]]) -> str:
    """Return the curves and crosses in words."""
    parts = [f"{style.title(row.way)} {significant(row.delta, 2)}" for row in _ends(frame, 0)]
    crosses = [f"{text}: δ = {d:g} at ε = {significant(e)}" for text, (e, d) in promises.items()]
    return f"δ against ε. δ at ε = 0: {', '.join(parts)}. {'. '.join(crosses)}."


def attackers(frame: pd.DataFrame, across: str, title: str, limit: float | None) -> go.Figure:
    """Return right guesses of attackers who have more, a line a way that ends in its name.

    Columns way (key), guesses (of 100), and the one across, which the title names: what attackers
    have. The limit is right guesses of 100, None where ε sets it.
    """
    bottom, top = 48.0, max(float(frame["guesses"].max()), limit or 0.0) + 3
    chart = style.figure(
        300,
        "right guesses of 100",
        margin={"l": 8, "r": 96, "t": 26, "b": 44},
        xaxis=style.axis(
            title,
            range=[frame[across].min(), frame[across].max()],
            tickvals=_RELEASES if across == "releases" else None,
            dtick=1 if frame[across].max() < 9 else None,
            showgrid=False,
            nticks=6,
        ),
        yaxis=style.axis(range=[bottom, top], nticks=7),
    )
    ends = []
    if limit is not None:
        chart.add_shape(style.rule("y", limit, dash="dot"))
        ends.append((limit, "you accept", style.INK))
    for key, part in style.parts(frame, "way"):
        style.way(chart, part[across], part["guesses"], key)
        ends.append((float(part["guesses"].iloc[-1]), style.title(key), style.color(key)))
    style.beside(chart, sorted(ends), 0.066, 6)
    return chart


def attackers_alt(frame: pd.DataFrame, across: str) -> str:
    """Return the ends of the lines in words."""
    parts = [
        f"{style.title(row.way)}: right {times(row.guesses)} at {significant(getattr(row, across))}"
        for row in (*_ends(frame, 0), *_ends(frame, -1))
    ]
    return f"Right guesses of attackers who have more. {'; '.join(parts)}."


def _ends(frame: pd.DataFrame, place: int) -> list[Any]:
    """Return the first (0) or last (-1) row of each way."""
    parts = frame.groupby("way", sort=False)
    return style.rows(parts.head(1) if place == 0 else parts.tail(1))
