"""Lines and marks: how every chart draws a series, tells it on hover and hands out its numbers.

A series has its true values, which the hover text and the downloaded table tell, and places where
they are drawn: the same, but where an axis ends (``at_y=within``) or where names stand in rows.
:func:`distpriv.charts.data.figure_data` reads the true values back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.style import NEUTRAL, MechanismStyle, shown
from distpriv.mechanisms.curves import Curves
from distpriv.words import exact, number, safe, summed_up

__all__ = [
    "Place",
    "across",
    "apart",
    "grey",
    "hover",
    "key",
    "row_bars",
    "series",
    "told_at",
    "values_at",
]

Place = Callable[[float], float | None]
"""Where a value is drawn; None leaves a gap."""

FloatArray = NDArray[np.float64]

Values = NDArray[Any] | Sequence[Any]
"""Numbers, None or NaN where there is none, or names."""

_FEW = 4  # names that a reader can match without a legend
_NAME_WIDTH, _NAME_HEIGHT = 0.45, 0.05  # of a plot

Told = tuple[str, Values] | tuple[str, Values, Callable[[float], str]]


def grey(dash: str = "dot", symbol: str = "circle") -> MechanismStyle:
    """Style of what stands beside the mechanisms: guessing, limits, what is printed."""
    return MechanismStyle(NEUTRAL, dash, symbol)


def hover(name: str, *rows: Told) -> list[str]:
    """A hover text for every point: the series' name in bold, then one row a quantity.

    Parameters
    ----------
    name : str
        Made safe here; none if empty.
    rows : (beginning, values) or (beginning, values, words)
        E.g. ``("ε = ", x)``; the values of every row have shape (points,). `words` says a value,
        by default :func:`distpriv.words.number`.
    """
    columns: list[Iterable[str]] = []
    for beginning, values, *words in rows:
        say = words[0] if words else number
        columns.append([safe(f"{beginning}{say(_float(value))}") for value in _list(values)])
    start = [f"<b>{safe(name)}</b>"] if name else []
    return ["<br>".join([*start, *texts]) for texts in zip(*columns, strict=True)]


def series(
    figure: go.Figure,
    name: str,
    x: Values,
    y: Values,
    style: MechanismStyle,
    *,
    mode: str = "lines",
    told: Sequence[str] | str | None = None,
    at_x: Values | Place | None = None,
    at_y: Values | Place | None = None,
    x_title: str = "",
    y_title: str = "",
    width: float = 2.5,
    bold: bool = False,
    size: float = 8,
    edge: float | None = None,
    every: int | None = None,
    group: str | None = None,
    marker: dict[str, Any] | None = None,
    **options: Any,
) -> None:
    """Draw a series: a line, marks, or both.

    Parameters
    ----------
    figure : Figure
    name : str
        For the legend; made safe here.
    x, y : array_like, shape (points,)
        True values, or names where `at_x` or `at_y` places them; NaN leaves a gap.
    style : MechanismStyle
    mode : str
        Of plotly: ``lines``, ``markers``, ``lines+markers``.
    told : sequence of str, str or None
        Hover texts, safe, a point each or one for all; None shows none.
    at_x, at_y : array_like, shape (points,), or function of a value, optional
        Where the values are drawn, in place of where they are.
    x_title, y_title : str
        What the values are in the downloaded table, where that is not the axis' title.
    width : float
        Of the line; `bold` makes it 4.
    size, edge, every : float, float, int
        Of the marks: diameter, width of the outline, and how many of them to show at most.
    group : str, optional
        Of the legend.
    marker : dict, optional
        More about the marks.
    options
        Of plotly's trace.
    """
    drawn = {"x": _place(x, at_x), "y": _place(y, at_y)}
    true = {axis: _list(values) for axis, values in (("x", x), ("y", y))}
    meta: dict[str, Any] = {axis: true[axis] for axis in "xy" if true[axis] != drawn[axis]}
    meta |= {f"{axis}_title": title for axis, title in (("x", x_title), ("y", y_title)) if title}
    look: dict[str, Any] = {}
    if "lines" in mode:
        line = {"color": style.color, "dash": style.dash, "width": 4 if bold else width}
        look["line"] = line | options.pop("line", {})
    if "markers" in mode:
        look["marker"] = {"symbol": style.symbol, "size": size, "color": style.color}
        if edge is not None:
            look["marker"]["line"] = {"width": edge}
        if every is not None:
            look["marker"]["maxdisplayed"] = every
        look["marker"] |= marker or {}
    if told is None:
        look["hoverinfo"] = "skip"
    else:
        look |= {"hovertext": told, "hoverinfo": "text"}
    if group is not None:
        look["legendgroup"] = safe(group)
    if meta:
        look["meta"] = meta
    figure.add_scatter(**drawn, name=safe(name), mode=mode, **look, **options)


def row_bars(
    figure: go.Figure,
    name: str,
    x: Values,
    names: Sequence[str],
    colors: Sequence[str] | str,
    *,
    told: Sequence[str],
    at_x: Values | Place | None = None,
    x_title: str = "",
    y_title: str = "",
    marker: dict[str, Any] | None = None,
    **options: Any,
) -> None:
    """Draw horizontal bars, one a row from the top.

    Parameters
    ----------
    figure, name, told, at_x, x_title, y_title, options
        As for :func:`series`.
    x : array_like, shape (rows,)
        True lengths.
    names : sequence of str, shape (rows,)
        What the rows are in the downloaded table.
    colors : sequence of str, shape (rows,), or str
    marker : dict, optional
        More about the bars.
    """
    drawn, true = _place(x, at_x), _list(x)
    meta: dict[str, Any] = {"y": list(names), "y_title": y_title}
    meta |= {"x": true} if true != drawn else {}
    meta |= {"x_title": x_title} if x_title else {}
    figure.add_bar(
        x=drawn,
        y=list(range(len(names))),
        orientation="h",
        name=safe(name),
        marker={"color": colors} | (marker or {}),
        hovertext=told,
        hoverinfo="text",
        meta=meta,
        **options,
    )


def across(figure: go.Figure, y: float) -> None:
    """A dotted rule at a value of the y axis."""
    line = {"color": NEUTRAL, "width": 1.5, "dash": "dot"}
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=y, y1=y, line=line)


def apart(figure: go.Figure, x: Sequence[float], y: Sequence[float]) -> bool:
    """Whether names can stand beside marks: four at most, and none in another's way.

    Parameters
    ----------
    figure : Figure
        Its axes have their ranges.
    x, y : sequence of float
        Where the marks are.
    """
    places = [
        (_along(figure.layout.xaxis, across), _along(figure.layout.yaxis, up))
        for across, up in zip(x, y, strict=True)
    ]
    return len(places) <= _FEW and all(
        abs(one[0] - other[0]) > _NAME_WIDTH or abs(one[1] - other[1]) > _NAME_HEIGHT
        for one, other in combinations(places, 2)
    )


def _along(axis: Any, value: float) -> float:
    """Where a value lies on an axis, as a share of its length."""
    low, high = axis.range
    if axis.type == "log":
        value = math.log10(value) if value > 0 else low
    return (value - low) / (high - low)


def key(figure: go.Figure, label: str, symbol: str) -> None:
    """An entry of the legend for marks that differ in color."""
    style, size = grey(symbol=symbol), 11
    series(figure, label, [None], [None], style, mode="markers", size=size, edge=2, group=label)


def told_at(
    curves: Curves,
    current: float,
    x_name: str,
    what: str,
    *,
    log: bool,
    say: Callable[[float], str] = number,
    selected: str | None = None,
) -> str:
    """The alternative text of curves by mechanism: their values where the rule stands.

    Parameters
    ----------
    curves : Curves
    current : float
        Where to read the curves off.
    x_name : str
    what : str
        What the values are, to go on with "is".
    log : bool
        Whether x is logarithmic.
    say : function of a value
    selected : str, optional
        The mechanism to tell first where there are many.
    """
    here = f"{x_name} = {exact(current)}"
    known = {shown(name): y for name, y in curves.y.items()}
    values = values_at(Curves(curves.x, known), current, log=log)
    if not values:
        return f"{what[0].upper()}{what[1:]} is not known at {here}."
    about = "" if current in curves.x else "about "
    texts = {name: f"{about}{say(value)}" for name, value in values.items()}
    bold = None if selected is None else shown(selected)
    return f"At {here} {what} is {summed_up(values, texts, bold)}."


def values_at(curves: Curves, position: float, *, log: bool) -> dict[str, float]:
    """Read the drawn curves off at a position, between its points too; those known there."""
    if not len(curves.x):
        return {}
    values = {name: _read_off(curves.x, y, position, log) for name, y in curves.y.items()}
    return {name: value for name, value in values.items() if not math.isnan(value)}


def _read_off(x: FloatArray, y: FloatArray, position: float, log: bool) -> float:
    if not x[0] <= position <= x[-1]:
        return math.nan
    right = int(np.searchsorted(x, position))
    if x[right] == position:
        return float(y[right])
    left = right - 1
    ends = np.log([x[left], position, x[right]]) if log else (x[left], position, x[right])
    weight = (ends[1] - ends[0]) / (ends[2] - ends[0])
    if log and y[left] > 0 and y[right] > 0:
        return float(y[left] ** (1 - weight) * y[right] ** weight)
    return float((1 - weight) * y[left] + weight * y[right])


def _list(values: Values) -> list[Any]:
    if isinstance(values, np.ndarray):
        return list(values.tolist())
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def _place(values: Values, at: Values | Place | None) -> list[float | None]:
    """Where values are drawn: JSON knows no infinity, and plotly breaks a line at None."""
    if callable(at):
        placed = [None if value is None else at(float(value)) for value in _list(values)]
    else:
        placed = _list(values if at is None else at)
    return [
        None if isinstance(value, float) and not math.isfinite(value) else value for value in placed
    ]
