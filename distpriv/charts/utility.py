"""Error of a release against ε and against Δp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import decades, empty, linear_axis, log_axis, rule
from distpriv.charts.lines import series, told_at
from distpriv.charts.style import style_of
from distpriv.mechanisms.curves import Curves
from distpriv.words import exact, number, safe, shorten, titled, with_unit

__all__ = ["error_against_epsilon", "error_against_width"]

FloatArray = NDArray[np.float64]

_HEIGHT = 400
_LABEL_LENGTH = 34


def error_against_epsilon(curves: Curves, *, epsilon: float, **options: Any) -> go.Figure:
    """Error of each mechanism against ε, with the current ε marked.

    Parameters
    ----------
    curves : Curves
        From :func:`distpriv.analysis.sweeps.sweep`.
    epsilon : float > 0
        Where the rule stands.
    unit : str
        Unit of the error; empty if it has none.
    measure : str
        What the error is, e.g. ``expected L2 error``.
    log_y : bool
        Logarithmic error axis.
    selected : str, optional
        Mechanism to draw boldly.
    y_range : tuple of two floats, optional
        Ends of the error axis; by default whole decades around the curves.
    """
    return _error_chart(curves, "ε", "ε (more private ← → more accurate)", epsilon, **options)


def error_against_width(curves: Curves, *, width: float, **options: Any) -> go.Figure:
    """Error of each mechanism against Δp, with the current Δp marked.

    Parameters
    ----------
    curves : Curves
        From :func:`distpriv.analysis.sweeps.sweep`; NaN leaves a gap.
    width : float in (0, 1]
        Where the rule stands.
    options
        Those of :func:`error_against_epsilon`.
    """
    return _error_chart(curves, "Δp", "Δp, distance of the two shares to hide", width, **options)


def _error_chart(
    curves: Curves,
    x_name: str,
    x_title: str,
    current: float,
    *,
    unit: str,
    measure: str,
    log_y: bool = True,
    selected: str | None = None,
    y_range: tuple[float, float] | None = None,
) -> go.Figure:
    x_log = x_name == "ε"
    values = np.array(list(curves.y.values()), dtype=np.float64).ravel()
    low, high = y_range or (decades(values) if log_y else (0.0, _round_up(values)))
    ends = (float(curves.x[0]), float(curves.x[-1])) if len(curves.x) else (0.1, 10.0)
    y_title = safe(titled(shorten(measure, _LABEL_LENGTH), unit))
    figure = empty(
        f"Error against {x_name}",
        alt=told_at(
            curves,
            current,
            x_name,
            f"the {measure}",
            log=x_log,
            say=lambda error: with_unit(error, unit) if error else "zero (no noise needed)",
            selected=selected,
        ),
        how_to_read=(
            "lower is more accurate. Each line is a mechanism, the dashed rule is the current "
            f"{x_name}; a line that drops to the bottom needs no noise there, and where one is "
            "missing no amount of that noise keeps the promise."
        ),
        height=_HEIGHT + 10 * len(curves.y),
        xaxis=(log_axis if x_log else linear_axis)(x_title, *ends),
        yaxis=(log_axis if log_y else linear_axis)(y_title, low, high),
    )
    for name, y in curves.y.items():
        _add_curve(
            figure, name, curves, _gap(curves, y, x_name), low, x_name, measure, unit, selected
        )
    rule(figure, current, f"{x_name} = {exact(current)}")
    return figure


def _gap(curves: Curves, y: FloatArray, x_name: str) -> str:
    """Where a mechanism, and not all of them, has no noise that keeps its promise."""
    known = np.isfinite(y)
    asked = np.isfinite(np.array(list(curves.y.values()))).any(axis=0)
    missing = asked & ~known
    if not missing.any():
        return ""
    if not known.any():
        return ": none keeps the promise"
    first, last = (number(float(curves.x[known][place])) for place in (0, -1))
    if not missing[np.argmax(known) :].any():
        return f": none below {x_name} = {first}"
    if not missing[: len(known) - np.argmax(known[::-1])].any():
        return f": none above {x_name} = {last}"
    return ": not everywhere"


def _add_curve(
    figure: go.Figure,
    name: str,
    curves: Curves,
    gap: str,
    floor: float,
    x_name: str,
    measure: str,
    unit: str,
    selected: str | None,
) -> None:
    x, y = curves.x, curves.y[name]
    style, y_title = style_of(name), titled(measure, unit)
    free = y == 0
    texts = [
        f"<b>{safe(name)}</b><br>{x_name} = {number(float(position))}<br>"
        + ("no noise needed" if not error else safe(f"{measure}: {with_unit(error, unit)}"))
        for position, error in zip(x, y.tolist(), strict=True)
    ]
    series(
        figure,
        name + gap,
        x,
        y,
        style,
        mode="lines+markers",
        at_y=lambda error: max(error, floor),
        told=texts,
        y_title=y_title,
        bold=name == selected,
        size=9,
        every=6,
        group=name,
    )
    # Markers where the line meets and leaves the floor, not at every point along it.
    edges = free & ~(np.append(False, free[:-1]) & np.append(free[1:], False))
    if free.any():
        series(
            figure,
            f"{name}, no noise needed",
            x[edges],
            y[edges],
            style,
            mode="markers",
            at_y=lambda _: floor,
            told=[text for text, edge in zip(texts, edges, strict=True) if edge],
            y_title=y_title,
            size=12,
            group=name,
            showlegend=False,
            cliponaxis=False,
        )


def _round_up(values: FloatArray) -> float:
    """End of a linear axis from zero: the next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten."""
    finite = values[np.isfinite(values)]
    largest = float(finite.max(initial=0.0))
    if largest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return float(
        power * next(step for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= largest)
    )
