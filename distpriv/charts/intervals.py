"""Simulated accuracies with their intervals, as charts draw and tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.charts.frame import ACCURACY_RANGE
from distpriv.charts.text import percent
from distpriv.model.sampling import Interval

__all__ = ["GUESSING", "SHARE", "bars", "in_words", "shown", "within"]

GUESSING = 0.5
"""Accuracy at equal priors of an attacker who knows nothing."""

SHARE = "accuracy of the attacker (share)"
"""Title of accuracies in tables: the axis shows percentages, the numbers are shares."""


def bars(intervals: Sequence[Interval], color: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [interval.high - interval.estimate for interval in intervals],
        "arrayminus": [interval.estimate - interval.low for interval in intervals],
        "color": color,
        "thickness": 2.5,
        "width": 5,
    }


def within(accuracy: float) -> float:
    """Keep a mark on the fixed axis; its hover text tells the number."""
    return min(max(accuracy, ACCURACY_RANGE[0]), ACCURACY_RANGE[1])


def in_words(interval: Interval) -> str:
    return (
        f"simulated attacker: {percent(interval.estimate)}<br>"
        f"{percent(interval.confidence)} interval: {percent(interval.low)} to "
        f"{percent(interval.high)}"
    )


def shown(name: str) -> str:
    return "no noise" if name == UNDEFENDED else name
