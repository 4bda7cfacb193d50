"""What the further promises take: without normal curves, and to each person."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

import distpriv as dp
from benchmarks.timing import met, readable, seconds
from distpriv.privacy.coupling_bound import differences_of

__all__ = ["bench_bounds", "bench_persons"]


def bench_bounds(table: pd.DataFrame, query: dp.Query, pair: dp.Pair, n: int) -> None:
    """Draws of what two datasets differ by, and what is computed from them."""
    print("\nWithout normal curves")

    def drawn(replacement: bool) -> None:
        differences_of(dp.fit_gaussian(table, query, pair, n, replacement=replacement))

    for replacement, how in ((True, "with"), (False, "without")):
        took = seconds(partial(drawn, replacement), 3)
        print(f"  matching the records and 210 000 draws {how} replacement: {readable(took)}")
    model = dp.fit_gaussian(table, query, pair, n)
    took = seconds(partial(dp.calibrate, "CoupM", model, 1.0, 1e-3), 9)
    print(f"  CoupM, one calibration after the draws: {readable(took)} {met(took, 0.1)}")

    def curve() -> None:
        for epsilon in np.geomspace(0.1, 10, 40).tolist():
            dp.calibrate("CoupM", model, epsilon, 1e-3)

    took = seconds(curve, 5)
    print(f"  CoupM at 40 ε, 100 000 draws of 5 statistics: {readable(took)} {met(took, 0.3)}")
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    took = seconds(partial(dp.privacy.bounded_delta, model, noise, 1.0), 9)
    print(f"  the coupling bound of a noise: {readable(took)}")


def bench_persons(
    table: pd.DataFrame, query: dp.Query, further: dp.Query, pair: dp.Pair, n: int
) -> None:
    """One noise for the share and for each person, of few statistics and of many."""
    print("\nEach person as well")
    for statistics, goal in ((query, 0.05), (further, 1.0)):
        model = dp.fit_gaussian(table, statistics, pair, n)
        for calibration in ("exact", "guarded"):
            both = partial(
                dp.calibrate, "OptM", model, 1.0, 1e-3, calibration, persons=dp.Persons(1.0, 1e-3)
            )
            took = seconds(both, 5)
            print(
                f"  OptM, {len(statistics)} statistics, {calibration}: {readable(took)} "
                f"{met(took, goal)}"
            )
