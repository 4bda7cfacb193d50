"""Times, and how they read."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def seconds(call: Callable[[], Any], rounds: int) -> float:
    """Median time of a call, after one call that is not counted."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def readable(duration: float) -> str:
    """A time with its unit."""
    if duration < 1e-3:
        return f"{1e6 * duration:.0f} µs"
    if duration < 1:
        return f"{1e3 * duration:.2f} ms"
    return f"{duration:.2f} s"


def met(took: float, goal: float) -> str:
    """The goal with a verdict."""
    return f"(goal {readable(goal)}: {'met' if took <= goal else 'MISSED'})"
