"""What all releases of a table together take: as one, their bound, and a plan of them."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pandas as pd

import distpriv as dp
from benchmarks.timing import met, readable, seconds
from distpriv.analysis.fitting import Groups
from distpriv.composition import JointReleases, TableRelease, joint_releases
from distpriv.store.limits import AgreedLimit, LimitVersion, Terms
from distpriv.store.planning import epsilon_that_fits

__all__ = ["bench_releases"]


def bench_releases(table: pd.DataFrame, query: dp.Query, pair: dp.Pair, n: int) -> None:
    """Twelve releases of overlapping statistics, made for two secrets."""
    print("\nAll releases together")
    other = dp.SensitiveProperty("workclass", "Private").pair(center=0.5, width=0.1)
    half = dp.Query([*query.statistics[:2], dp.Sum("hours-per-week")])
    size, groups = len(table), Groups(table)

    def made(statistics: dp.Query, asked: dp.Pair, *, whole: bool) -> TableRelease:
        drawn = size if whole else n
        model = dp.fit_gaussian(table, statistics, asked, drawn, replacement=whole)
        noise = dp.calibrate("OptM", model, 0.5, 1e-3)
        return TableRelease(statistics, noise, drawn, whole, whole, (asked,))

    whole = [made(query, pair, whole=True), made(half, other, whole=True)] * 6
    samples = [made(query, pair, whole=False)] * 12

    def told(releases: list[TableRelease]) -> JointReleases:
        found = joint_releases(releases, groups, pair)
        assert found.accuracy
        assert found.epsilon(1e-3)
        return found

    for releases, what in ((whole, "of one table"), (samples, "of samples")):
        took = seconds(partial(told, releases), 9)
        print(f"  12 releases {what}, accuracy and ε: {readable(took)} {met(took, 0.1)}")
        found = told(releases)
        found.bounded_delta(1.0)
        took = seconds(partial(found.bounded_epsilon, 1e-3), 3)
        print(f"  the coupling bound of these: {readable(took)}")
    for shared in (True, False):
        asked = dp.Scenario(
            secret=pair.secret, query=query, n=n, whole=shared, replacement=shared, digest="bench"
        )
        version = LimitVersion(1, datetime.now(UTC), "bench", "bench", Terms(0.6), asked)
        limit = AgreedLimit("bench", "bench", "bench", (version,))
        evaluation, sources = dp.evaluate(asked, table), {"": groups}
        plan = partial(epsilon_that_fits, evaluation, [limit], [], sources, 12)
        assert plan() is not None
        took = seconds(plan, 3)
        where = "one table" if shared else "samples"
        print(f"  ε of 12 releases of {where} under a limit: {readable(took)} {met(took, 0.7)}")
