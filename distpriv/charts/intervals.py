"""Simulated accuracies with their intervals, as charts draw and tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plotly import graph_objects as go

from distpriv.charts.frame import ACCURACY_RANGE
from distpriv.charts.lines import grey, series
from distpriv.charts.style import MechanismStyle
from distpriv.model.sampling import Interval
from distpriv.words import percent, share

__all__ = ["GUESSING", "SHARE", "bars", "by_row", "in_words", "levels", "within"]

GUESSING = 0.5
"""Accuracy at equal priors of an attacker who knows nothing."""

SHARE = "accuracy of the attacker (share)"
"""Title of accuracies in tables: the axis shows percentages, the numbers are shares."""


def bars(intervals: Sequence[Interval], color: str, **look: Any) -> dict[str, Any]:
    """Error bars of plotly, with more about their look."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [interval.high - interval.estimate for interval in intervals],
        "arrayminus": [interval.estimate - interval.low for interval in intervals],
        "color": color,
        "thickness": 2.5,
        "width": 5,
    } | look


def within(accuracy: float) -> float:
    """Keep a mark on the fixed axis; its hover text tells the number."""
    return min(max(accuracy, ACCURACY_RANGE[0]), ACCURACY_RANGE[1])


def in_words(interval: Interval) -> str:
    return (
        f"simulated attacker: {percent(interval.estimate)}<br>"
        f"{share(interval.confidence)} interval: {percent(interval.low)} to "
        f"{percent(interval.high)}"
    )


def levels(
    figure: go.Figure, values: Sequence[tuple[str, float, str]], rows: int, y_title: str
) -> None:
    """Accuracies as upright lines through all rows: label, accuracy and dash of each."""
    for label, value, dash in values:
        text = f"{label}: {share(value) if value == GUESSING else percent(value)}"
        series(
            figure,
            text,
            [value] * 2,
            [""] * 2,
            grey(dash),
            at_x=within,
            at_y=[-0.6, max(rows, 1) - 0.4],
            told=text,
            x_title=SHARE,
            y_title=y_title,
            width=2,
        )


def by_row(
    figure: go.Figure,
    group: str,
    place: int,
    name: str,
    accuracy: float | Interval,
    style: MechanismStyle,
    *,
    told: str,
    y_title: str,
    size: float,
    edge: float | None = None,
) -> None:
    """One mark in a row of accuracies, with its interval if it has one.

    One trace a mark: error bars take one color a trace.
    """
    interval = accuracy if isinstance(accuracy, Interval) else None
    series(
        figure,
        group,
        [accuracy if interval is None else interval.estimate],
        [name],
        style,
        mode="markers",
        at_x=within,
        at_y=[place],
        told=told,
        x_title=SHARE,
        y_title=y_title,
        size=size,
        edge=edge,
        group=group,
        error_x=None if interval is None else bars([interval], style.color),
        showlegend=False,
    )
