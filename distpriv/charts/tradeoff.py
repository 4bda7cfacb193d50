"""What noise costs and what it hides, one line a mechanism."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import significant, times

Across = Literal["guesses", "epsilon", "width"]

_AXES = {
    "guesses": "right guesses of 100 (50 is a coin toss)",
    "epsilon": "ε (log scale)",
    "width": "Δp, points between the two shares",
}
_BEFORE = {"guesses": [60.0], "epsilon": [0.2, 20.0], "width": [50.0]}  # until there are lines
_HOVER = {
    "mechanism": "{}",
    "epsilon": "ε = {:.2g}",
    "guesses": "right {:.1f} of 100",
    "error": "{:.1f} % off",
}


def picture(
    frame: pd.DataFrame,
    *,
    across: Across = "guesses",
    points: pd.DataFrame | None = None,
    marks: pd.DataFrame | None = None,
    here: Mapping[str, float] | None = None,
    mechanism: str = "",
    limit: float | None = None,
    accepted: float | None = None,
) -> go.Figure:
    """Return the error of each mechanism against the attacker, ε or Δp.

    Columns mechanism, error (in per cent of the values) and the one across; also guesses (of 100)
    and epsilon, for the pointer. Points are releases without noise, and marks places on lines, or
    scenarios by name: mechanism, guesses, error, and name. A dot marks the setting `here`, of the
    error and the column across, in the colour of the mechanism whose line is emphasised. The limit
    and what is accepted are right guesses of 100 and an error.
    """
    costs = [float(frame["error"].astype(float).quantile(0.35)), 1.5 * (accepted or 0.0)]
    costs += [] if points is None else [*points["error"]]
    named = marks is not None and "name" in marks
    costs += [] if marks is None else [*marks["error"], 0.5 if named else 0.0]
    costs += [] if here is None else [here["error"]]
    most = _above(1.3 * max(cost for cost in costs if math.isfinite(cost)))
    chart = style.figure(
        390,
        f"{'average' if accepted is None else 'expected'} error, % of the value",
        margin={"l": 8, "r": 16, "t": 50, "b": 44},
        xaxis=style.axis(_AXES[across], showgrid=False) | _range(frame, across, marks, here or {}),
        yaxis=style.axis(range=[-most / 40, most], ticksuffix=" %"),
    )
    names = sorted(set(frame["mechanism"]), key=style.place)
    style.legend(chart, names)
    # The thick line first, and dots before dashes: where lines coincide, all of them are seen.
    for name in sorted(names, key=lambda name: (name != mechanism, -style.place(name))):
        part = frame[(frame["mechanism"] == name) & (frame["error"] <= 6 * most)]
        look: dict[str, Any] = {"width": 4 if name == mechanism else 2, "hoverinfo": "text"}
        style.way(chart, part[across], part["error"], name, **look, hovertext=_words(part))
    band = {"line_width": 0, "fillcolor": style.faint(style.GOOD, 0.1), "layer": "below"}
    words: dict[str, Any] = {"font": {"size": 14}, "xanchor": "right"}
    if across == "guesses" and limit is not None:
        chart.add_vrect(x0=0, x1=limit, **band)
        height, anchor = (0.98, "top") if named else (0.03, "bottom")  # where no mark's name stands
        style.note(chart, limit, height, "you accept ", **words, yref="paper", yanchor=anchor)
    if accepted is not None:
        chart.add_hrect(y0=-accepted, y1=accepted, **band)
        words |= {"xref": "paper", "xanchor": "left", "yanchor": "bottom"}
        style.note(chart, 0, 0, "you accept ", **words, xshift=8)
    if points is not None:
        _points(chart, points, across, most)
    for row in style.rows(marks) if marks is not None else ():
        dot = {"size": 13, "line": {"width": 2, "color": "white"}, "name": f"{row.mechanism} least"}
        style.marks(chart, [row.guesses], [row.error], style.color(row.mechanism), **dot)
    if marks is not None and named:
        _names(chart, marks, most)
    if here is not None:
        style.setting(chart, here[across], here["error"], mechanism)
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the lines in words."""
    least = frame.dropna(subset=["error"]).sort_values("error", kind="stable")
    ends = "; ".join(
        f"{style.title(row.mechanism)}: error {significant(row.error, 2)} % where an attacker is "
        f"right {times(row.guesses)}"
        for row in style.rows(least.drop_duplicates("mechanism").sort_index())
    )
    return f"Average error, one line a mechanism. {ends}."


def _above(error: float) -> float:
    """Round an error up to the next of few ends of the axis, so that it seldom jumps."""
    ends = (step * 10.0**power for power in range(-2, 6) for step in (1, 2, 3, 5))
    return next((end for end in ends if end >= error), 5e5)


def _range(
    frame: pd.DataFrame, across: Across, marks: pd.DataFrame | None, here: Mapping[str, float]
) -> dict[str, object]:
    values = [*frame[across]] if len(frame) else _BEFORE[across]
    values = values if marks is None else [*values, *marks[across]]
    values = [*values, here[across]] if here else values
    if across == "guesses":
        return {"range": [49.3, max([*values, 60.0]) + 1.5]}
    if across == "epsilon":
        low, high = (math.log10(max(end, 1e-3)) for end in (min(values), max(values)))
        ends = [low - 0.05, high + 0.05]
        return {"type": "log", "tickvals": style.DECADES, "range": ends}
    return {"range": [0, 1.04 * max(values)]}


def _words(frame: pd.DataFrame) -> list[str]:
    """Say what each point of a line is."""
    columns = [column for column in _HOVER if column in frame]
    return [
        "<br>".join(_HOVER[column].format(getattr(row, column)) for column in columns)
        for row in style.rows(frame)
    ]


def _points(chart: go.Figure, points: pd.DataFrame, across: Across, most: float) -> None:
    """Mark releases without noise: a diamond against the attacker, else a level."""
    near = len(points) > 1 and float(np.ptp(points["error"])) < most / 14
    for place, row in enumerate(style.rows(points.sort_values("error"))):
        text, below = style.title(row.mechanism), near and not place
        look: dict[str, Any] = {"xanchor": "left", "font": {"size": 14}}
        if across == "guesses":
            hue, look["yshift"] = style.color(row.mechanism), -9 if below else 9 if near else 0
            dot = {"symbol": "diamond", "size": 14, "name": row.mechanism, "cliponaxis": False}
            style.marks(chart, [row.guesses], [row.error], hue, **dot)
            style.note(chart, row.guesses, row.error, text, **look, xshift=11)
        else:
            level = style.rule("y", row.error, style.faint(style.QUIET, 0.8), dash="dot", width=2)
            chart.add_shape(level)
            look |= {"xref": "paper", "yanchor": "top" if below else "bottom"}
            style.note(chart, 0, row.error, text, **look, xshift=8)


def _names(chart: go.Figure, marks: pd.DataFrame, top: float) -> None:
    """Write names beside marks, towards the middle, and above each other where they would meet."""
    span = marks["guesses"].max() - 49
    names: list[tuple[float, float]] = []
    for row in style.rows(marks.sort_values(["error", "guesses"])):
        x, y = row.guesses, row.error
        while any(abs(x - a) < span / 2 and abs(y - b) < top / 14 for a, b in names):
            y += top / 60
        names.append((x, y))
        side = ("left", 11) if x < 49 + span / 2 else ("right", -11)
        look = dict(zip(("xanchor", "xshift"), side, strict=True))
        style.note(chart, x, y, f"<b>{style.short(row.name)}</b>", **look)
