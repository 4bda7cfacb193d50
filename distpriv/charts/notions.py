"""Notions of privacy: densities and a threshold, F-scores, a map of notions, two laws and moves."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from distpriv.charts import style
from distpriv.hypothesis import Relation
from distpriv.text import significant

_PLACES = {"DP": (0.0, 0.0), "DDP": (0.0, 1.0), "IP": (1.0, 1.0), "BP": (1.0, 0.0)}
_PLACES |= {"MP": (0.0, 2.0), "MIDP": (1.0, 2.0), "PP": (2.0, 1.5), "DistP": (2.0, 0.5)}
_LINES = {"knows nothing": ("solid", style.QUIET), "knows more": ("dash", style.BAD)}


def densities(frame: pd.DataFrame, threshold: float, best: float) -> go.Figure:
    """Return densities with a record and without it; what lies above the threshold is shaded.

    Columns released, without, present (densities). The best threshold is −∞ to say yes always.
    """
    x, top = frame["released"], float(frame[["without", "present"]].max().max())
    chart = style.figure(
        380,
        margin={"l": 8, "r": 12, "t": 52, "b": 44},
        xaxis=style.axis("released: 0 without the record or 1 with it, plus noise", dtick=1)
        | {"range": [x.min(), x.max()], "showgrid": False},
        yaxis=style.axis(range=[0, 1.3 * top], visible=False),
    )
    above = x >= threshold
    for column, hue, opacity in (("present", style.HIGH, 0.3), ("without", style.LOW, 0.45)):
        area = {"fill": "tozeroy", "fillcolor": style.faint(hue, opacity), "width": 0}
        style.line(chart, x[above], frame[column][above], hue, **area)
        style.line(chart, x, frame[column], hue, width=3, name=column)
    chart.add_shape(style.rule("x", threshold, width=2))
    style.note(chart, threshold, 1.2 * top, "says yes →", xanchor="left", xshift=6)
    if math.isfinite(best) and abs(best - threshold) > 0.04:
        chart.add_shape(style.rule("x", best, dash="dot", width=1.5))
        side = {"xanchor": "right", "xshift": -6} if best < threshold else {"xanchor": "left"}
        style.note(chart, best, 1.1 * top, "best", **side)
    style.legend(chart, (), {"━ without the record": style.LOW, "━ with it": style.HIGH})
    return chart


def densities_alt(frame: pd.DataFrame) -> str:
    """Return the curves in words."""
    highest = significant(frame["present"].max(), 2)
    return f"Densities of a noisy count with and without a record, {highest} at their highest."


def scores(frame: pd.DataFrame, *, bound: float, here: tuple[float, float]) -> go.Figure:
    """Return the largest F-score against ε, a line an attacker, with a bound and the setting.

    Columns attacker, epsilon, f_score. The setting `here` is ε and an F-score.
    """
    low, high = float(frame["epsilon"].min()), float(frame["epsilon"].max())
    bottom = math.floor(10 * min(float(frame["f_score"].min()), bound)) / 10
    chart = style.figure(
        340,
        "largest F-score",
        margin={"l": 8, "r": 16, "t": 52, "b": 44},
        xaxis=style.axis("ε (log scale)", type="log", tickvals=style.DECADES, showgrid=False)
        | {"range": [math.log10(low), math.log10(high)]},
        yaxis=style.axis(range=[bottom, 1.01], nticks=6),
    )
    for name, part in style.parts(frame, "attacker"):
        dash, hue = _LINES[name]
        words = f"{name}: F = %{{y:.3f}} at ε = %{{x:.2g}}<extra></extra>"
        look = {"dash": dash, "width": 3, "name": name, "hoverinfo": None, "hovertemplate": words}
        style.line(chart, part["epsilon"], part["f_score"], hue, **look)
    chart.add_shape(style.rule("y", bound, dash="dot", width=1.5))
    style.note(chart, math.log10(low), bound, "your bound", xanchor="left", yanchor="bottom")
    style.setting(chart, *here, "")
    names = frame["attacker"].unique()
    glyphs = {f"{style.GLYPHS[_LINES[name][0]]} {name}": _LINES[name][1] for name in names}
    style.legend(chart, (), glyphs)
    return chart


def scores_alt(frame: pd.DataFrame) -> str:
    """Return the lines' ends in words."""
    ends = "; ".join(
        f"{name}: {part['f_score'].iloc[0]:.2f} at ε = {significant(part['epsilon'].iloc[0])}, "
        f"{part['f_score'].iloc[-1]:.2f} at {significant(part['epsilon'].iloc[-1])}"
        for name, part in style.parts(frame, "attacker")
    )
    return f"Largest F-score against ε. {ends}."


def notions(
    frame: pd.DataFrame, relations: Iterable[Relation], chosen: str, *, independent: bool
) -> go.Figure:
    """Return a map of notions, with arrows from the smaller ε to the larger.

    Columns notion (key) and epsilon (words). The ε of the notion `chosen` is given; relations of
    independent records are drawn where they are.
    """
    chart = style.figure(
        430,
        margin={"l": 2, "r": 2, "t": 6, "b": 6},
        xaxis=style.axis(range=[-0.45, 2.45], visible=False),
        yaxis=style.axis(range=[-0.4, 2.4], visible=False),
    )
    for one in relations:
        if independent or not one.independent:
            _arrow(chart, one.smaller, one.larger, f"≤ {one.factor:g} ×" if one.factor > 1 else "≤")
    _arrow(chart, "DistP", "PP", "equal")
    _arrow(chart, "PP", "DistP")
    for row in style.rows(frame):
        hue = style.BAD if row.notion == chosen else style.LOW
        box: dict[str, Any] = {"bordercolor": hue, "borderwidth": 2, "borderpad": 5, "width": 78}
        text = f"<b>{row.notion}</b><br>{row.epsilon}"
        style.note(chart, *_PLACES[row.notion], text, bgcolor=style.faint(hue, 0.14), **box)
    x, y = zip(*(_PLACES[key] for key in frame["notion"]), strict=True)
    marker = {"size": 60, "opacity": 0}
    chart.add_scatter(x=x, y=y, mode="markers", marker=marker, text=frame["name"], hoverinfo="text")
    return chart


def notions_alt(frame: pd.DataFrame) -> str:
    """Return each notion's ε in words."""
    return "; ".join(f"{row.name}: {row.epsilon}" for row in style.rows(frame))


def _arrow(chart: go.Figure, start: str, end: str, text: str = "") -> None:
    """Draw an arrow between two notions, which stops before their boxes, and words beside it."""
    (x0, y0), (x1, y1) = _PLACES[start], _PLACES[end]
    gap = 30 if x0 == x1 else 50
    look = {"arrowhead": 2, "arrowwidth": 2, "arrowcolor": style.QUIET, "standoff": gap}
    look |= {"axref": "x", "ayref": "y", "startstandoff": gap, "showarrow": True}
    chart.add_annotation(x=x1, y=y1, ax=x0, ay=y0, text="", **look)
    beside: dict[str, Any] = {"xanchor": "left", "xshift": 8} if x0 == x1 else {"yshift": 12}
    style.note(chart, (x0 + x1) / 2, (y0 + y1) / 2, text, **beside)


def laws(
    frame: pd.DataFrame, moves: pd.DataFrame, shares: tuple[str, str], title: str
) -> go.Figure:
    """Return both laws as bars, named by the shares, and arrows of moves above them.

    Columns value, low, high (probabilities); of moves start, end, mass, beyond (drawn dotted).
    """
    top = float(frame[["low", "high"]].max().max())
    chart = style.figure(
        360,
        margin={"l": 8, "r": 12, "t": 52, "b": 44},
        barmode="overlay",
        bargap=0.08,
        xaxis=style.axis(title, showgrid=False),
        yaxis=style.axis(range=[0, 1.45 * top], nticks=5, tickformat=".0%"),
    )
    for column, hue in (("low", style.LOW), ("high", style.HIGH)):
        mark = {"color": style.faint(hue, 0.5), "line": {"width": 0}}
        words = "%{y:.2%} at %{x:.4g}<extra></extra>"
        chart.add_bar(x=frame["value"], y=frame[column], marker=mark, hovertemplate=words)
    for place, row in enumerate(style.rows(moves)):
        height = top * (1.1 + 0.3 * place / max(len(moves), 1))
        dash = "dot" if row.beyond else "solid"
        style.line(chart, [row.start, row.end], [height] * 2, style.INK, width=2, dash=dash)
        head = {"symbol": "triangle-right" if row.end >= row.start else "triangle-left", "size": 11}
        style.marks(chart, [row.end], [height], style.INK, **head)
    style.legend(chart, (), {f"■ {shares[0]}": style.LOW, f"■ {shares[1]}": style.HIGH})
    return chart


def laws_alt(moves: pd.DataFrame) -> str:
    """Return the longest moves in words."""
    parts = [
        f"from {significant(row.start)} to {significant(row.end)}" for row in style.rows(moves)
    ]
    return f"Two laws as bars. Longest moves: {'; '.join(parts)}."
