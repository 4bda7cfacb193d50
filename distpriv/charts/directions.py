"""Directions: where the shift points, where the data vary, and where noise goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, log_axis, row_axis
from distpriv.charts.lines import row_bars
from distpriv.charts.plane import ellipses
from distpriv.charts.style import GROUP_COLORS, NEUTRAL, group_names
from distpriv.model.gaussian import PairModel
from distpriv.words import number, percent, safe, shorten, with_unit

__all__ = ["eigenvalue_shares", "ellipses", "shift_components"]

FloatArray = NDArray[np.float64]

_ROW_HEIGHT = 54
_HIDDEN = {"showticklabels": False, "showgrid": False, "fixedrange": True}


def eigenvalue_shares(fit: PairModel, labels: Sequence[str]) -> go.Figure:
    """How much the data vary along each eigenvector, and how much of the shift lies in it.

    Parameters
    ----------
    fit : PairModel
    labels : sequence of str, one a statistic
    """
    m = len(labels)
    eigenvalues, eigenvectors = np.linalg.eigh(fit.pooled)
    eigenvalues, eigenvectors = eigenvalues[::-1], eigenvectors[:, ::-1]
    shift = _unit_shift(fit)
    shares = (shift @ eigenvectors) ** 2
    names = [_leading(eigenvectors[:, index], labels) for index in range(m)]
    low = 10.0 ** math.floor(math.log10(eigenvalues[-1]) - 0.1)
    high = 10.0 ** math.ceil(math.log10(eigenvalues[0]))
    rows = _rows(m)
    figure = empty(
        "Where the data vary, and where the secret hides",
        alt=_alt_shares(eigenvalues, shares, names),
        how_to_read=(
            "each row is a direction in which the statistics vary together, the widest first, "
            "with the statistics that lead it. Left: how much they vary there by themselves. "
            "Right: how much of the secret's shift points there. Where the left bar is long the "
            "data hide the secret for free; a long right bar beside a short left one needs noise."
        ),
        height=110 + _ROW_HEIGHT * m,
        xaxis=log_axis("variance (units²)", low, high, most_ticks=4, domain=[0, 0.47]),
        xaxis2=linear_axis(
            "share of the shift (%)", 0, 100, domain=[0.53, 1], anchor="y2", nticks=5
        ),
        yaxis=rows,
        yaxis2=rows | {"anchor": "x2", "matches": "y"},
        showlegend=False,
        bargap=0,
    )
    variances = [f"variance {number(value)}" for value in eigenvalues.tolist()]
    second: dict[str, Any] = {"xaxis": "x2", "yaxis": "y2"}
    parts = [f"{percent(share)} of the shift" for share in shares.tolist()]
    for name, x, color, texts, axes in (
        ("variance", eigenvalues, NEUTRAL, variances, {}),
        ("share of the shift", 100 * shares, GROUP_COLORS[1], parts, second),
    ):
        hovers = [f"{safe(row)}<br>{text}" for row, text in zip(names, texts, strict=True)]
        row_bars(
            figure, name, x, names, color, told=hovers, y_title="direction", width=0.36, **axes
        )
    for row, name in enumerate(names):
        _row_label(figure, f"{row + 1} · {name}", row)
    return figure


def shift_components(
    fit: PairModel, labels: Sequence[str], *, units: Sequence[str] | None = None
) -> go.Figure:
    """The direction in which the statistics move from p_i to p_j, one bar a statistic.

    Parameters
    ----------
    fit : PairModel
    labels : sequence of str, one a statistic
    units : sequence of str, optional
        For the hover texts.
    """
    m = len(labels)
    shift = _unit_shift(fit)
    names = group_names(fit.pair)
    figure = empty(
        "Which statistics move with the secret",
        alt=_alt_components(fit, labels, shift),
        how_to_read=(
            f"bars show the direction v in which the averages move from {names[0]} to "
            f"{names[1]}: to the right the statistic is higher when {names[1]}, to the left "
            "lower. The squares of the bars add up to 1."
        ),
        height=110 + _ROW_HEIGHT * m,
        xaxis=linear_axis("component of the unit shift v (no unit)", -1, 1, nticks=5)
        | {"zeroline": True, "zerolinecolor": NEUTRAL, "zerolinewidth": 1.5},
        yaxis=_rows(m),
        showlegend=False,
        bargap=0,
    )
    phrases = [
        f"<b>{safe(label)}</b><br>{'higher' if move >= 0 else 'lower'} by "
        f"{safe(with_unit(abs(move), unit))} when {names[1]}<br>component {number(value)}"
        for label, move, unit, value in zip(
            labels, (-fit.difference).tolist(), units or [""] * m, shift.tolist(), strict=True
        )
    ]
    colors = [GROUP_COLORS[int(value >= 0)] for value in shift]
    row_bars(figure, "shift", shift, labels, colors, told=phrases, y_title="statistic", width=0.36)
    for row, label in enumerate(labels):
        _row_label(figure, label, row)
    return figure


def _rows(count: int) -> dict[str, Any]:
    """The axis of rows that are named above their bars."""
    return row_axis([""] * count, **_HIDDEN) | {"range": [count - 0.5, -0.9]}


def _row_label(figure: go.Figure, text: str, row: int) -> None:
    """Name a bar above it, over the whole width: room that a narrow screen has."""
    figure.add_annotation(
        x=0,
        xref="paper",
        xanchor="left",
        y=row - 0.22,
        yref="y",
        yanchor="bottom",
        text=safe(text, 46),
        showarrow=False,
        align="left",
    )


def _unit_shift(fit: PairModel) -> FloatArray:
    """Direction from μ_i to μ_j, zero if they are equal."""
    norm = float(np.linalg.norm(fit.difference))
    return -fit.difference / norm if norm > 0 else np.zeros_like(fit.difference)


def _leading(vector: FloatArray, labels: Sequence[str]) -> str:
    """The one or two statistics that an eigenvector mostly consists of."""
    order = np.argsort(-np.abs(vector))
    first = shorten(labels[order[0]], 30)
    if len(order) < 2 or abs(vector[order[1]]) < 0.3:
        return first
    sign = "+" if vector[order[0]] * vector[order[1]] > 0 else "−"
    return f"{shorten(labels[order[0]], 20)} {sign} {shorten(labels[order[1]], 20)}"


def _alt_shares(eigenvalues: FloatArray, shares: FloatArray, names: Sequence[str]) -> str:
    most = int(shares.argmax())
    if not shares[most]:
        return "The two shares move no statistic, so no direction holds any of the shift."
    return (
        f"{percent(float(shares[most]))} of the shift lies in direction {most + 1} of "
        f"{len(shares)} ({names[most]}), where the statistics vary with variance "
        f"{number(float(eigenvalues[most]))}."
    )


def _alt_components(fit: PairModel, labels: Sequence[str], shift: FloatArray) -> str:
    most = int(np.abs(shift).argmax())
    if not shift[most]:
        return "The two shares move no statistic."
    names = group_names(fit.pair)
    return (
        f"{labels[most]} moves most with the secret: it is "
        f"{'higher' if shift[most] >= 0 else 'lower'} by "
        f"{number(abs(float(fit.difference[most])))} when {names[1]} than when {names[0]}."
    )
