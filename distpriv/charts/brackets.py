"""What is delivered at least, by the fitted normals, and at most, on one axis."""

from __future__ import annotations

import math

from plotly import graph_objects as go

from distpriv.analysis.brackets import Brackets
from distpriv.charts.frame import empty, log_axis, pending, row_axis, rule
from distpriv.charts.lines import grey, series
from distpriv.charts.style import NEUTRAL, MechanismStyle, series_style, translucent
from distpriv.words import exact, number

__all__ = ["delivered_brackets"]

_NORMALS, _LEAST, _MOST = (series_style(place).color for place in range(3))
_AT_LEAST, _BY_NORMALS, _AT_MOST, _EXACTLY = "at least", "fitted normals", "at most", "exactly"
_VALUE = "δ delivered"
_ROW = "figure"
_UNSEEN = "too small for so many guesses to show"
_HEIGHT = 300
_BELOW = 1e-3  # of the promised δ: where the axis begins
_LOWEST = 1e-12


def delivered_brackets(brackets: Brackets | None, *, epsilon: float, delta: float) -> go.Figure:
    """Three figures for δ at one ε: the truth lies between the first and the last.

    Parameters
    ----------
    brackets : Brackets or None
        None while they are being computed.
    epsilon, delta : float
        The promise, or what is asked for in its place.
    """
    known = brackets is not None and brackets.exact
    rows = [_EXACTLY, _BY_NORMALS] if known else [_AT_LEAST, _BY_NORMALS, _AT_MOST]
    low = 10.0 ** math.floor(math.log10(max(_BELOW * delta, _LOWEST)) + 1e-9)
    figure = empty(
        f"What is delivered at ε = {exact(epsilon)}, bracketed",
        alt="" if brackets is None else _alt(brackets),
        how_to_read=(
            "the diamond is what the fitted normals say; it rests on them. What is really "
            "delivered lies in the shaded range: no less than attacks prove, no more than the "
            "coupling bound allows, or exactly where the law is known. The dashed rule is the δ "
            "asked for."
        ),
        height=_HEIGHT,
        showlegend=False,
        xaxis=log_axis(_VALUE, low, 1.0, most_ticks=5),
        yaxis=row_axis(rows, fixedrange=True),
    )
    rule(figure, delta, f"δ = {exact(delta)}")
    if brackets is None:
        return pending(figure)
    _shade(figure, brackets, low)
    if known:
        _mark(figure, brackets, rows, _EXACTLY, "circle", _MOST, low)
    else:
        _unseen(figure, brackets, low)
        _mark(figure, brackets, rows, _AT_LEAST, "triangle-right", _LEAST, low)
        _mark(figure, brackets, rows, _AT_MOST, "triangle-left", _MOST, low)
    _mark(figure, brackets, rows, _BY_NORMALS, "diamond", _NORMALS, low)
    return figure


def _value(brackets: Brackets, row: str) -> float | None:
    figures = {
        _AT_LEAST: brackets.at_least,
        _BY_NORMALS: brackets.normals,
        _AT_MOST: brackets.at_most,
        _EXACTLY: brackets.at_most,
    }[row]
    return None if figures is None else figures.delta


def _shade(figure: go.Figure, brackets: Brackets, low: float) -> None:
    """From at least to at most, over all rows."""
    ends = _value(brackets, _AT_LEAST) or 0.0, _value(brackets, _AT_MOST)
    right = 1.0 if ends[1] is None else ends[1]
    if brackets.exact or right <= max(ends[0], low):
        return
    figure.add_shape(
        type="rect",
        x0=max(ends[0], low),
        x1=right,
        y0=0,
        y1=1,
        yref="paper",
        line={"width": 0},
        fillcolor=translucent(NEUTRAL, 0.18),
        layer="below",
    )


def _unseen(figure: go.Figure, brackets: Brackets, low: float) -> None:
    """What no attack of so many guesses shows."""
    if brackets.audit is None or brackets.law is not None:
        return
    visible = brackets.audit.visible
    series(
        figure,
        _UNSEEN,
        [0.0, visible],
        [_AT_LEAST] * 2,
        grey("dot"),
        at_x=lambda value: max(value, low),
        at_y=[0, 0],
        told=f"below δ = {number(visible)}: {_UNSEEN}",
        y_title=_ROW,
    )


def _mark(
    figure: go.Figure,
    brackets: Brackets,
    rows: list[str],
    row: str,
    symbol: str,
    color: str,
    low: float,
) -> None:
    value, place = _value(brackets, row), rows.index(row)
    if value is None:
        _note(figure, "not known" if row == _AT_MOST else "no attack yet", low, place, low)
        return
    outside = value < low
    style = MechanismStyle(color, "solid", f"{symbol}-open" if outside else symbol)
    text = "nothing proven" if row == _AT_LEAST and not value else number(value)
    series(
        figure,
        row,
        [value],
        [row],
        style,
        mode="markers",
        at_x=lambda at: min(max(at, low), 1.0),
        at_y=[place],
        told=f"<b>{row}</b><br>δ = {number(value)} at ε = {exact(brackets.epsilon)}",
        y_title=_ROW,
        size=15,
        edge=2.5 if outside else None,
        cliponaxis=False,
    )
    _note(figure, text, value, place, low)


def _note(figure: go.Figure, text: str, value: float, place: int, low: float) -> None:
    """The figure beside its mark, on the side where there is room."""
    along = (math.log10(min(max(value, low), 1.0)) - math.log10(low)) / -math.log10(low)
    left = along > 0.5
    figure.add_annotation(
        x=math.log10(min(max(value, low), 1.0)),
        y=place,
        text=text,
        showarrow=False,
        xanchor="right" if left else "left",
        xshift=-12 if left else 12,
        yshift=14,
    )


def _alt(brackets: Brackets) -> str:
    start = f"δ at ε = {exact(brackets.epsilon)}: "
    normals = f"{number(brackets.normals.delta)} by the fitted normals"
    most, least = brackets.at_most, brackets.at_least
    if brackets.exact and most is not None:
        figures = [f"exactly {number(most.delta)}", normals]
    else:
        figures = [
            "at least not known" if least is None else f"at least {number(least.delta)}",
            normals,
            "at most not known" if most is None else f"at most {number(most.delta)}",
        ]
    promised = "" if brackets.promised is None else f"; promised {exact(brackets.promised)}"
    return f"{start}{', '.join(figures)}{promised}."
