"""What attackers reach: a simulated attack as it grows, and the best possible attacker's curves."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from distpriv.charts import style
from distpriv.text import significant, times

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go

Across = Literal["width", "epsilon"]

_AXES = {"width": "Δp, points between the two shares", "epsilon": "ε (log scale)"}
_RIGHT = "right guesses of 100 (50 is a coin toss)"
_FEWEST = 5  # simulations from which on an interval is drawn: before, it fills the picture


def picture(
    frame: pd.DataFrame, *, best: Mapping[str, float], total: int, height: int = 400
) -> go.Figure:
    """Return the running means with their intervals; a diamond is the best possible attacker.

    Parameters
    ----------
    frame : DataFrame
        Columns release (a mechanism's name), simulations, guesses, low, high (of 100).
    best : mapping of release to right guesses of 100
        Order of the lines, too.
    total : int
        Simulations in all.
    """
    top = max([*best.values(), 60.0]) + 5
    chart = style.figure(
        height,
        margin={"l": 8, "r": 108, "t": 28, "b": 44},
        xaxis=style.axis("simulations", range=[0, 1.03 * total], showgrid=False),
        yaxis=style.axis(range=[44, top]),
    )
    style.upright(chart, _RIGHT)
    chart.add_hline(y=50, line={"color": style.QUIET, "dash": "dot", "width": 1.5})
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
        diamond = {"symbol": "diamond", "size": 13, "cliponaxis": False}
        words = f"{style.title(name)}: %{{y:.1f}} of 100 after %{{x}}<extra></extra>"
        look = {"width": 3, "dash": style.dash(name), "hoverinfo": None, "hovertemplate": words}
        style.line(chart, part["simulations"], part["guesses"], hue, name=name, **look)
        style.marks(chart, [1.03 * total], [reached], hue, **diamond)
    apart = 20 * (top - 44) / (height - 72)
    for (name, reached), y in zip(best.items(), _spread([*best.values()], apart), strict=True):
        text = f"<b>{style.right(reached)}</b> {style.title(name)}"
        look = {"xref": "paper", "xanchor": "left", "xshift": 12}
        style.note(chart, 1, y, text, **look, font={"color": style.color(name), "size": 14})
    return chart


def reach(
    frame: pd.DataFrame,
    *,
    across: Across = "width",
    here: Mapping[str, float] | None = None,
    mechanism: str = "",
    height: int = 400,
) -> go.Figure:
    """Return right guesses of the best attacker against Δp or ε, and of simulated ones as points.

    Parameters
    ----------
    frame : DataFrame
        Columns release ("ceiling" is what a promise allows whatever the data), guesses (of 100) and
        the one across; low and high, the ends of an interval, where a simulation found the guesses.
    across : {"width", "epsilon"}
        Column across.
    here : mapping of column to value, or None
        Setting that is marked by a dot; it has guesses and the column across.
    mechanism : str
        Whose colour the dot has.
    """
    points, lines = _simulated(frame), frame[frame["low"].isna()] if "low" in frame else frame
    log, most = across == "epsilon", 100.0 if across == "width" else _top(lines)
    ends = [float(one) for one in (lines[across].min(), lines[across].max())]
    ends = ends if len(lines) else [0.2, 50.0]
    scale: dict[str, Any] = {"range": [-0.02 * ends[1], ends[1]]}
    if log:
        scale = {"type": "log", "tickvals": style.DECADES, "range": [*map(math.log10, ends)]}
    chart = style.figure(
        height,
        margin={"l": 8, "r": 108, "t": 28, "b": 44},
        xaxis=style.axis(_AXES[across], showgrid=False, **scale),
        yaxis=style.axis(range=[46, most + 2]),
    )
    style.upright(chart, _RIGHT)
    chart.add_hline(y=50, line={"color": style.QUIET, "dash": "dot", "width": 1.5})
    words = f"{{name}}: %{{y:.1f}} of 100 at {'ε' if log else 'Δp'} = %{{x:.3g}}<extra></extra>"
    _lines(chart, lines[lines["guesses"] <= most + 2], (across, "guesses"), words, log=log)
    for name, part in points.groupby("release", sort=False):
        bar = {"array": part["high"] - part["guesses"], "thickness": 1.5}
        chart.add_scatter(
            x=part[across],
            y=part["guesses"],
            error_y=bar | {"arrayminus": part["guesses"] - part["low"]},
            mode="markers",
            marker={"color": style.color(str(name)), "size": 8},
            name=f"simulated {name}",
            cliponaxis=False,
            hoverinfo="skip",
        )
    if here is not None:
        ring = {"width": 3, "color": "white"}
        dot = {"size": 17, "line": ring, "name": "here", "cliponaxis": False}
        style.marks(chart, [here[across]], [here["guesses"]], style.color(mechanism), **dot)
    return chart


def recall(frame: pd.DataFrame, *, height: int = 400) -> go.Figure:
    """Return the best attacker's precision against its recall, from columns of per cent.

    Parameters
    ----------
    frame : DataFrame
        Columns release, recall, precision.
    """
    chart = style.figure(
        height,
        margin={"l": 8, "r": 24, "t": 28, "b": 44},
        xaxis=style.axis("recall, % of tables at the larger share", range=[0, 100]),
        yaxis=style.axis(range=[46, 101.5], ticksuffix=" %"),
    )
    style.upright(chart, "precision, % of such guesses that are right")
    words = "{name}: precision %{y:.0f} % at recall %{x:.0f} %<extra></extra>"
    _lines(chart, frame, ("recall", "precision"), words, inside=30.0)
    return chart


def belief(frame: pd.DataFrame, *, shares: Sequence[float], height: int = 400) -> go.Figure:
    """Return what an attacker believes about the share after one release, beside that before.

    Parameters
    ----------
    frame : DataFrame
        Columns release ("prior" for what comes before), share (in per cent) and belief (a multiple
        of that before).
    shares : sequence of float
        In per cent, the ends.
    """
    low, high = shares
    most = 1.08 * max(float(frame["belief"].max()), 2.0)
    ends = [f"{low:g} %", f"{high:g} %"]
    chart = style.figure(
        height,
        margin={"l": 8, "r": 24, "t": 50, "b": 44},
        xaxis=style.axis("share of the records", range=[low, high], showgrid=False, nticks=6)
        | {"tickvals": [low, (low + high) / 2, high], "ticktext": [ends[0], "", ends[1]]},
        yaxis=style.axis(range=[0, most], nticks=6),
    )
    style.upright(chart, "how likely the attacker thinks it, 1 is before")
    keys = {}
    for name, part in frame.groupby("release", sort=False):
        hue, look = style.color(str(name)), {"dash": style.dash(str(name)), "width": 3}
        style.line(chart, part["share"], part["belief"], hue, **look, name=str(name))
        keys[f"{style.glyph(str(name))} {style.title(str(name))}"] = hue
    style.legend(chart, keys)
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the lines' ends in words."""
    ends = "; ".join(
        f"{style.title(row.release)}: right {row.guesses:.1f} times in 100 after {row.simulations}"
        for row in style.rows(frame.groupby("release", sort=False).tail(1))
    )
    return f"Right guesses of a simulated attacker. {ends or 'None yet'}."


def reach_alt(frame: pd.DataFrame, across: Across) -> str:
    """Return the ends of the lines in words."""
    lines = frame[frame["low"].isna()] if "low" in frame else frame
    unit = "ε = {}" if across == "epsilon" else "Δp = {} points"
    ends = "; ".join(
        f"{style.title(str(name))}: right {times(part['guesses'].iloc[-1])} at "
        + unit.format(significant(part[across].iloc[-1], 2))
        for name, part in lines.groupby("release", sort=False)
    )
    return f"Right guesses of the best attacker. {ends or 'None yet'}."


def recall_alt(frame: pd.DataFrame) -> str:
    """Return the lines' middles in words."""
    middles = "; ".join(
        f"{style.title(str(name))}: {part['precision'].iloc[len(part) // 2]:.0f} %"
        for name, part in frame.groupby("release", sort=False)
    )
    return f"Precision of the best attacker at a recall of 50 %. {middles}."


def belief_alt(frame: pd.DataFrame) -> str:
    """Return the likeliest shares in words."""
    peaks = "; ".join(
        f"{style.title(str(name))}: {part['share'].iloc[part['belief'].argmax()]:.0f} %"
        for name, part in frame[frame["release"] != "prior"].groupby("release", sort=False)
    )
    return f"Belief about the share after one release. Likeliest: {peaks}."


def _simulated(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["low"].notna()] if "low" in frame else frame.head(0)


def _top(lines: pd.DataFrame) -> float:
    """Return the upper end of the axis, above all but what a promise allows."""
    reached = lines.loc[lines["release"] != "ceiling", "guesses"]
    return min(100.0, max([*reached, 60.0]) + 5)


def _lines(
    chart: go.Figure,
    frame: pd.DataFrame,
    axes: tuple[str, str],
    words: str,
    *,
    log: bool = False,
    inside: float | None = None,
) -> None:
    """Draw a line a release, with its name where it ends, in the margin or earlier, or inside."""
    across, up = axes
    low, high = chart.layout.yaxis.range
    apart = 20 * (high - low) / (chart.layout.height - 72)
    outer = []
    for name, part in frame.groupby("release", sort=False):
        text, hue = style.title(str(name)), style.color(str(name))
        look: dict[str, Any] = {"width": 3, "dash": style.dash(str(name)), "name": str(name)}
        look |= {"hoverinfo": None, "hovertemplate": words.replace("{name}", text)}
        style.line(chart, part[across], part[up], hue, **look)
        place = -1 if inside is None else (part[across] - inside).abs().argmin()
        x, y = float(part[across].iloc[place]), float(part[up].iloc[place])
        if inside is None and x == frame[across].max():
            outer.append((y, text, hue))
            continue
        x = math.log10(x) if log else x
        look = {"xanchor": "left", "xshift": 6, "yshift": 11, "font": {"color": hue, "size": 14}}
        style.note(chart, x, y, text, **look)
    for (_, text, hue), y in zip(outer, _spread([y for y, *_ in outer], apart), strict=True):
        look = {"xref": "paper", "xanchor": "left", "xshift": 12}
        style.note(chart, 1, y, text, **look, font={"color": hue, "size": 14})


def _spread(heights: list[float], apart: float) -> list[float]:
    """Move words up until they are that far apart."""
    places = list(heights)
    order = sorted(range(len(places)), key=places.__getitem__)
    for below, above in pairwise(order):
        places[above] = max(places[above], places[below] + apart)
    return places
