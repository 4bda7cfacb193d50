"""What attackers reach: a simulated attack as it grows, and the best possible attacker's curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.text import significant, times

Across = Literal["width", "epsilon"]

_FEWEST = 5  # simulations from which on an interval is drawn: before, it fills the picture
_HEIGHT, _EDGES = 400, {"t": 28, "b": 44}  # pixels


def picture(frame: pd.DataFrame, *, best: Mapping[str, float], total: int) -> go.Figure:
    """Return the running means with their intervals; a diamond is the best possible attacker.

    Columns release (a mechanism's name), simulations, guesses, low and high (of 100); `best` has
    the right guesses of 100 by release, in the order of the lines, of `total` simulations.
    """
    end, top = 1.03 * total, max([*best.values(), 60.0]) + 5
    chart = _guesses(style.axis("simulations", range=[0, end], showgrid=False), [44, top])
    for name, reached in best.items():
        hue, part = style.color(name), frame[frame["release"] == name]
        sure = part[part["simulations"] >= _FEWEST].dropna()
        chart.add_scatter(
            x=[*sure["simulations"], *sure["simulations"][::-1]],
            y=[*sure["high"], *sure["low"][::-1]],
            fill="toself",
            mode="lines",
            line={"width": 0},
            fillcolor=style.faint(hue, 0.2),
            hoverinfo="skip",
        )
        words = "%{y:.1f} of 100 after %{x}"
        style.way(chart, part["simulations"], part["guesses"], name, words)
        style.marks(chart, [end], [reached], hue, symbol="diamond", size=13, cliponaxis=False)
    _beside(chart, [(one, f"<b>{style.right(one)}</b> ", name) for name, one in best.items()])
    return chart


def reach(
    frame: pd.DataFrame,
    *,
    across: Across,
    here: Mapping[str, float] | None = None,
    mechanism: str = "",
) -> go.Figure:
    """Return right guesses of the best attacker against Δp or ε, and of simulated ones as points.

    Columns release ("ceiling" is what a promise allows whatever the data), guesses (of 100) and
    the one across; low and high, the ends of an interval, where a simulation found the guesses.
    A dot in the mechanism's colour marks the setting `here`, of guesses and the column across.
    """
    lines, points = _split(frame)
    most, low, high = 100.0, 0.2, 50.0
    if len(lines):
        low, high = lines[across].min(), lines[across].max()
    axis = style.axis("Δp, points between the two shares", range=[-0.02 * high, high])
    if across == "epsilon":  # above all but what a promise allows
        most = min(100.0, lines.loc[lines["release"] != "ceiling", "guesses"].max() + 5)
        most = max(most, 65.0) if most == most else 65.0  # NaN
        axis = style.axis("ε (log scale)", type="log", tickvals=style.DECADES)
        axis["range"] = [math.log10(low), math.log10(high)]
    chart = _guesses(axis | {"showgrid": False}, [46, most + 2])
    words = f"%{{y:.1f}} of 100 at {'ε' if across == 'epsilon' else 'Δp'} = %{{x:.3g}}"
    _lines(chart, lines[lines["guesses"] <= most + 2], across, "guesses", words)
    for name, part in style.parts(points, "release"):
        bar = {"array": part["high"] - part["guesses"], "thickness": 1.5}
        chart.add_scatter(
            x=part[across],
            y=part["guesses"],
            error_y=bar | {"arrayminus": part["guesses"] - part["low"]},
            mode="markers",
            marker={"color": style.color(name), "size": 8},
            name=f"simulated {name}",
            cliponaxis=False,
            hoverinfo="skip",
        )
    if here is not None:
        style.setting(chart, here[across], here["guesses"], mechanism)
    return chart


def recall(frame: pd.DataFrame) -> go.Figure:
    """Return the best attacker's precision against recall, both in per cent, of each release."""
    across = style.axis("recall, % of tables at the larger share", range=[0, 100])
    up = style.axis(range=[46, 101.5], ticksuffix=" %")
    chart = _figure(across, up, "precision, % of such guesses that are right", r=24)
    words = "precision %{y:.0f} % at recall %{x:.0f} %"
    _lines(chart, frame, "recall", "precision", words, inside=30.0)
    return chart


def belief(frame: pd.DataFrame, *, shares: Sequence[float]) -> go.Figure:
    """Return what an attacker believes about the share after one release, beside that before.

    Columns release ("prior" for what comes before), share (in per cent, between both `shares`) and
    belief (a multiple of that before).
    """
    low, high = shares
    ticks = {low: f"{low:g} %", (low + high) / 2: "", high: f"{high:g} %"}
    across = style.axis("share of the records", range=[low, high], showgrid=False)
    across |= {"tickvals": [*ticks], "ticktext": [*ticks.values()]}
    up = style.axis(range=[0, 1.08 * max(float(frame["belief"].max()), 2.0)], nticks=6)
    chart = _figure(across, up, "belief in each share (1 is as before)", r=24, t=50)
    for name, part in style.parts(frame, "release"):
        style.way(chart, part["share"], part["belief"], name)
    style.legend(chart, frame["release"].unique())
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the lines' ends in words."""
    ends = "; ".join(
        f"{style.title(row.release)}: right {row.guesses:.1f} times in 100 after "
        f"{row.simulations} simulations"
        for row in style.rows(frame.groupby("release", sort=False).tail(1))
    )
    return f"Right guesses of a simulated attacker. {ends or 'None yet'}."


def reach_alt(frame: pd.DataFrame, across: Across) -> str:
    """Return the ends of the lines in words."""
    unit = "ε = {}" if across == "epsilon" else "Δp = {} points"
    ends = "; ".join(
        f"{style.title(name)}: right {times(part['guesses'].iloc[-1])} at "
        + unit.format(significant(part[across].iloc[-1], 2))
        for name, part in style.parts(_split(frame)[0], "release")
    )
    return f"Right guesses of the best attacker. {ends or 'None yet'}."


def recall_alt(frame: pd.DataFrame) -> str:
    """Return the lines' middles in words."""
    middles = "; ".join(
        f"{style.title(name)}: {part['precision'].iloc[len(part) // 2]:.0f} %"
        for name, part in style.parts(frame, "release")
    )
    return f"Precision of the best attacker at a recall of 50 %. {middles}."


def belief_alt(frame: pd.DataFrame) -> str:
    """Return the likeliest shares in words."""
    peaks = "; ".join(
        f"{style.title(name)}: {part['share'].iloc[part['belief'].argmax()]:.0f} %"
        for name, part in style.parts(frame[frame["release"] != "prior"], "release")
    )
    return f"Belief about the share after one release. Likeliest: {peaks}."


def _figure(across: dict[str, Any], up: dict[str, Any], title: str, **edges: int) -> go.Figure:
    margin = {"l": 8} | _EDGES | edges
    return style.figure(_HEIGHT, title, margin=margin, xaxis=across, yaxis=up)


def _guesses(across: dict[str, Any], ends: Sequence[float]) -> go.Figure:
    """Return an empty picture of right guesses, with the coin toss and room for names."""
    up = style.axis(range=ends)
    chart = _figure(across, up, "right guesses of 100 (50 is a coin toss)", r=108)
    chart.add_shape(style.rule("y", 50, style.QUIET, dash="dot", width=1.5))
    return chart


def _split(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what was computed, and what was simulated."""
    simulated = frame.reindex(columns=["low"])["low"].notna()
    return frame[~simulated], frame[simulated]


def _lines(
    chart: go.Figure,
    frame: pd.DataFrame,
    across: str,
    up: str,
    words: str,
    inside: float | None = None,
) -> None:
    """Draw a line a release, with its name where it ends, in the margin or earlier, or inside."""
    outer = []
    for name, part in style.parts(frame, "release"):
        style.way(chart, part[across], part[up], name, words)
        place = -1 if inside is None else (part[across] - inside).abs().argmin()
        x, y = float(part[across].iloc[place]), float(part[up].iloc[place])
        if inside is None and x == frame[across].max():
            outer.append((y, "", name))
            continue
        x = math.log10(x) if chart.layout.xaxis.type == "log" else x
        look = {"xanchor": "left", "xshift": 6, "yshift": 11}
        font = {"color": style.color(name), "size": 14}
        style.note(chart, x, y, style.title(name), **look, font=font)
    _beside(chart, outer)


def _beside(chart: go.Figure, ends: Iterable[tuple[float, str, str]]) -> None:
    """Write words before names in the right margin, 20 pixels apart and more."""
    words = [(y, text + style.title(name), style.color(name)) for y, text, name in ends]
    apart = 20 / (_HEIGHT - sum(_EDGES.values()))
    style.beside(chart, sorted(words, key=lambda end: end[0]), apart, 12)
