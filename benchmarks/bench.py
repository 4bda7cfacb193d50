"""Ratios against the plain way, growth, memory and pages, measured in one run.

``make bench`` or ``python -m benchmarks.bench``; ``--quick`` leaves out the large tables, and
``--no-pages`` the dashboard.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import distpriv as dp
from benchmarks import bounds, delimited, naive, pages, releases, sources
from benchmarks.timing import met, readable, seconds
from distpriv.analysis.design import Kind, Limit, choose
from distpriv.attribute.quilt import scale_quilts
from distpriv.mechanisms import searching
from distpriv.mechanisms.guarded import side_by_side
from distpriv.mechanisms.optimal_noise import least_noise
from distpriv.model.grid import column_step
from distpriv.tables.examples import load_census_income

QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)
TEN = dp.Query(
    [
        *QUERY,
        dp.Count("race", "White"),
        dp.Count("workclass", "Private"),
        dp.Count("relationship", "Husband"),
        dp.Count("education", "Bachelors"),
        dp.Count("occupation", "Sales"),
    ]
)
PAIR = dp.SensitiveProperty("income", ">50K").pair(center=0.5, width=0.1)
SHARES = (PAIR.p_i, PAIR.p_j)
N = 100
MECHANISMS = ("ExpM(L)", "DirM(L)", "ExpM", "EigM", "DauM")
NAIVE_SUBSETS = 200
ROUNDS = 7
CENTRES = np.linspace(0.2, 0.8, 20)
GROWTH = (45_222, 452_220, 4_522_200, 45_222_000)
# The columns, which records they were drawn from, the values as float64, and marks.
BYTES_PER_RECORD = 6 + 4 + 8 * len(QUERY) + 8


def peak_memory() -> float:
    """Largest resident size of this process so far, in GB."""
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def free_memory() -> float:
    """Memory that can still be had, in GB; without limit where the system does not tell."""
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return float("inf")
    for line in meminfo.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024 / 1e9
    return float("inf")


def against(label: str, took: float, plain: float, tuned: float, goal: int | None = None) -> None:
    """Print how many times faster than the plain and the tuned loop something is."""
    ratio = plain / took
    verdict = ""
    if goal is not None:
        verdict = f"  goal {goal}: {'met' if ratio >= goal else 'MISSED'}"
    print(
        f"  {label:<50}{readable(took):>9}{ratio:>8.0f}x{tuned / took:>8.0f}x{verdict}", flush=True
    )


def heading(title: str, plain: str, plain_time: float, tuned_time: float) -> None:
    """Print what the ratios below are measured against."""
    print(
        f"\n{title}\n  against {plain}: {readable(plain_time)} in plain pandas, "
        f"{readable(tuned_time)} tuned\n  {'':<50}{'':>9}{'plain':>9}{'tuned':>9}"
    )


def bench_fit(table: pd.DataFrame) -> None:
    """Exact and simulated fit against a loop over subsets."""
    half = NAIVE_SUBSETS // 2
    plain, tuned = (
        2000
        / NAIVE_SUBSETS
        * seconds(partial(naive.fit, table, SHARES, N, half, tuned=tuned), ROUNDS)
        for tuned in (False, True)
    )
    heading(
        "Fit",
        f"2 x 1000 subsets one at a time (scaled from {ROUNDS} rounds of {NAIVE_SUBSETS})",
        plain,
        tuned,
    )
    exact = partial(dp.fit_gaussian, table, QUERY, PAIR, N)
    against("exact", seconds(exact, 50), plain, tuned, 1000)
    simulated = partial(exact, method="monte-carlo", rng=1)
    against("2 x 1000 subsets, vectorised", seconds(simulated, 20), plain, tuned, 150)
    moments = {PAIR.secret: dp.group_moments(table, QUERY, PAIR.secret)}
    known = partial(dp.model.model_from_moments, moments, QUERY, [PAIR], N)
    against("exact, from moments known already (a slider)", seconds(known, 200), plain, tuned)


def bench_attack(table: pd.DataFrame) -> None:
    """One repetition against five mechanisms, against loops that share subsets or do not."""
    model = dp.fit_gaussian(table, QUERY, PAIR, N)
    noises = {name: dp.calibrate(name, model, 1.0, 1e-3) for name in MECHANISMS}
    groups = dp.record_groups(table, QUERY, PAIR.secret)
    for adaptive, way in ((False, "the paper's way"), (True, "adaptive")):
        attack = dp.attacks.PropertyInferenceAttack(
            groups, QUERY, PAIR, N, noises, adaptive, seed=3
        )
        numbers = iter(range(10**6))
        took = seconds(lambda: attack.repetition(next(numbers)), 50)  # noqa: B023
        for loop, times, taken in (
            ("its 400 subsets shared by all mechanisms", 1, noises),
            ("400 subsets for each mechanism", len(noises), {"DauM": noises["DauM"]}),
        ):
            plain, tuned = (
                times
                * seconds(
                    partial(naive.attack, table, SHARES, N, taken, adaptive=adaptive, tuned=tuned),
                    ROUNDS,
                )
                for tuned in (False, True)
            )
            heading(f"Attack, {len(noises)} mechanisms, {way}", loop, plain, tuned)
            against("a repetition, subsets shared", took, plain, tuned, 100)


def bench_guarantees(table: pd.DataFrame) -> None:
    """The least noise for many pairs, and privacy profiles, against simulation and grid search."""
    rng = np.random.default_rng(0)
    differences = 3 * rng.normal(size=(50, 20))
    factors = rng.normal(size=(50, 20, 30))
    covariances = factors @ factors.transpose(0, 2, 1) / 30
    print("\nGuarantees")
    took = seconds(partial(least_noise, differences, covariances, 0.4), 3)
    print(f"  OptM, 20 statistics and 50 pairs: {readable(took)} {met(took, 1.0)}")
    grid = PAIR.secret.grid(0.2, 0.8, 0.02, 0.1)
    model = dp.fit_gaussian(table, QUERY, grid, N)
    took = seconds(partial(dp.calibrate, "OptM", model, 1.0, 1e-3), 3)
    print(f"  OptM, 5 statistics and a grid of {len(grid)} pairs: {readable(took)}")
    model = dp.fit_gaussian(table, QUERY, PAIR, N)
    noise, fit = dp.calibrate("OptM", model, 1.0, 1e-3), model.pairs[0]
    epsilons = np.linspace(0, 4, 100)
    took = seconds(partial(dp.privacy_profile, fit, noise, epsilons), 9)
    print(
        f"  profile of 100 points, unequal covariances, both orders: {readable(took)} "
        f"{met(took, 0.3)}"
    )
    simulated = seconds(partial(naive.profile, fit, noise, epsilons, 1_000_000), 1)
    print(
        f"  the same from 1 000 000 draws, one order, to about 1e-4: {readable(simulated)}, "
        f"{simulated / took:.0f} x"
    )
    values = np.asarray(rng.integers(0, 10**6, 10**6) * 0.01, dtype=np.float64)
    took = seconds(partial(column_step, values), 9)
    print(f"  the steps of a column of a million values: {readable(took)} {met(took, 0.05)}")
    took = seconds(partial(dp.calibrate, "DauM", model, 1.0, 1e-3), 9)
    print(f"  DauM, guarded: {readable(took)}")
    took = seconds(partial(dp.calibrate, "OptM", model, 1.0, 1e-3), 9)
    print(f"  OptM, guarded: {readable(took)} {met(took, 0.015)}")
    many = dp.fit_gaussian(table, QUERY, [PAIR.secret.pair(p, 0.1) for p in CENTRES], N)
    took = seconds(partial(dp.calibrate, "OptM", many, 1.0, 1e-3), 3)
    print(f"  OptM, guarded, {len(CENTRES)} pairs: {readable(took)} {met(took, 1.0)}")

    seven = ("ExpM(L)", "DirM(L)", "ExpM", "DirM", "EigM", "DauM", "OptM")
    cases = [(each, model, float(e), 1e-3) for each in seven for e in np.linspace(0.1, 10, 40)]

    def curves() -> list[Any]:
        return side_by_side([searching(*case) for case in cases])

    took = seconds(curves, 5)
    print(f"  7 mechanisms at 40 ε, guarded: {readable(took)} {met(took, 0.25)}")
    took = seconds(partial(dp.optimal_attack_estimate, model, _laplace(model), 1), 5)
    print(f"  the best attack on ExpM(L), to 1e-3: {readable(took)}")
    medians = dp.Query(
        [dp.Median("age"), dp.StandardDeviation("age"), dp.Correlation("age", "hours-per-week")]
    )
    fitted = partial(dp.fit_gaussian, table, medians, PAIR, N, method="monte-carlo", rng=1)
    took = seconds(fitted, 9)
    print(f"  2 x 1000 subsets of a median, a deviation, a correlation: {readable(took)}")


def bench_laws(table: pd.DataFrame) -> None:
    """A slider's answer by the exact law, beside that by the normals, for either secret."""
    print("\nA new ε: noise, what it delivers and the attacker, for an OptM release")
    cases: dict[str, tuple[list[dp.Statistic], int]] = {
        "one count, n = 100": ([dp.Count("sex", "Female")], 100),
        "two counts, n = 100": ([dp.Count("sex", "Female"), dp.Count("race", "White")], 100),
        "one mean, n = 100": ([dp.Mean("age")], 100),
        "one mean, n = 1000": ([dp.Mean("age")], 1000),
        "five statistics by the normals": (list(QUERY), 100),
    }
    for label, (statistics, n) in cases.items():
        times = []
        for share_of in ("release", "table"):
            scenario = dp.Scenario(
                secret=PAIR.secret, query=dp.Query(statistics), n=n, share_of=share_of
            )
            evaluation = dp.evaluate(scenario, table)
            epsilons = iter(np.geomspace(0.5, 4.0, 40))

            def moved(
                evaluation: dp.Evaluation = evaluation, epsilons: Iterator[float] = epsilons
            ) -> None:
                now = evaluation.at(float(next(epsilons)))
                assert 0.5 <= now.accuracy <= 1.0
                assert now.delivered_delta >= 0

            times.append(readable(seconds(moved, 15)))
        print(f"  {label:<34}{times[0]:>12} share of the release{times[1]:>12} of the table")


def bench_distances() -> None:
    """(W, δ)-closeness of samples, in several dimensions and in one."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1000, 5)), rng.normal(size=(1000, 5)) + 0.5
    weights = rng.dirichlet(np.ones(1000), 2)
    print("\nDistances")
    cases: tuple[tuple[str, float, tuple[Any, ...]], ...] = (
        ("W∞", 0.0, ()),
        ("(W, 0.01)-closeness", 0.01, ()),
        ("(W, 0.01)-closeness with weights", 0.01, tuple(weights)),
    )
    for what, delta, masses in cases:
        call = partial(dp.closeness, x, y, delta, *masses)
        took = seconds(call, 3)
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1] / 2**30
        tracemalloc.stop()
        print(
            f"  {what}, 1000 x 1000 points in 5 dimensions: {readable(took)} {met(took, 3.0)}, "
            f"{peak:.2f} GB (goal 1 GB: {'met' if peak <= 1 else 'MISSED'})"
        )
    x, y = rng.normal(size=1_000_000), rng.normal(size=1_000_000) + 1
    for what, delta in (("W∞", 0.0), ("(W, 0.01)-closeness", 0.01), ("(W, 0.1)-closeness", 0.1)):
        took = seconds(partial(dp.closeness, x, y, delta), 3)
        print(f"  {what}, a million points in one dimension: {readable(took)} {met(took, 1.0)}")


def bench_quilts() -> None:
    """Quilts of a network of 12 attributes with 3 states each, and a slider's share of the work."""
    rng = np.random.default_rng(0)
    edges = [(f"n{a}", f"n{b}") for b in range(12) for a in rng.permutation(b)[:2]]
    tables = {f"n{b}": rng.dirichlet(np.ones(3), (3,) * min(b, 2)) for b in range(12)}
    network = dp.BayesianNetwork(edges, tables)
    quilts = {"n0": dp.attribute.find_quilts(network, "n0")}
    print("\nMarkov quilts, 12 attributes of 3 states")
    took = seconds(partial(dp.attribute.find_quilts, network, "n0"), 5)
    print(
        f"  all {len(quilts['n0'])} quilts of up to 4, with influences: {readable(took)} "
        f"{met(took, 2.0)}"
    )
    whole = frozenset({"n10", "n11"})
    took = seconds(partial(scale_quilts, quilts, whole, {whole: 1.0}, 1.0), 9)
    print(f"  their noise at another ε: {readable(took)}")


def bench_choosing(table: pd.DataFrame) -> None:
    """The largest F-score in closed form against a search, and from a limit to ε."""
    print("\nChoosing ε")
    epsilons = np.geomspace(0.01, 10, 200)
    took = seconds(partial(dp.hypothesis.max_f_score, epsilons, 1.0), 99)
    searched = seconds(partial(naive.max_f_scores, epsilons, 1.0, 2000), 3)
    print(
        f"  largest F-score at 200 ε: {readable(took)}; over 2 000 thresholds each "
        f"{readable(searched)}, {searched / took:.0f} x"
    )
    took = seconds(partial(dp.hypothesis.max_f_score, epsilons, 1.0, delta=1e-3), 9)
    print(f"  the same for Gaussian noise, by optimisation: {readable(took)}")
    model = dp.fit_gaussian(table, QUERY, PAIR, N)
    limits: tuple[tuple[Kind, float], ...] = (("guesses", 60.0), ("f_score", 0.7))
    for kind, value in limits:
        limit = Limit(kind, value)
        took = seconds(partial(choose, limit, model, delta=1e-3), 9)
        print(
            f"  largest ε of every mechanism under a limit on {kind}: {readable(took)} "
            f"{met(took, 0.3)}"
        )
    work = dp.SensitiveProperty("workclass", "Private").pair(center=0.5, width=0.1)
    model = dp.fit_gaussian(table, dp.Query(QUERY.statistics[:4]), [PAIR, work], N)
    took = seconds(partial(choose, Limit("guesses", 60.0), model, ["OptM"], delta=1e-3), 5)
    print(f"  largest ε of OptM for two secrets: {readable(took)} {met(took, 0.5)}")


def bench_relaxations(table: pd.DataFrame) -> None:
    """What a repetition of each measurement on the Assumptions page takes."""
    model = dp.fit_gaussian(table, QUERY, PAIR, N)
    fit, groups = model.pairs[0], dp.record_groups(table, QUERY, PAIR.secret)
    noise = dp.calibrate("ExpM", model, 1.0, 1e-3)
    lambdas = np.linspace(0, 1.5, 31)
    print("\nRelaxed assumptions")
    for what, measure, datasets in (
        ("η after the noise, 1500 datasets", dp.robustness.eta_measure(noise, lambdas), 1500),
        ("(W, 0.001)-closeness, 1000 datasets", dp.robustness.distance_measure(1e-3), 1000),
    ):
        run = dp.robustness.RelaxationRun(
            groups, QUERY, fit.thetas, fit.means, fit.covariances, measure, 100, datasets, seed=1
        )
        took = seconds(partial(next, run.steps()), 8)
        print(f"  {what}, one of 4 steps a repetition: {readable(took)}")
    took = seconds(partial(dp.robustness.normal_etas, model, lambdas, noise), 20)
    print(f"  η of unequal covariances, {len(lambdas)} points, exact: {readable(took)}")


def _laplace(model: dp.GaussianModel) -> dp.Noise:
    return dp.calibrate("ExpM(L)", model, 1.0)


def enlarged(table: pd.DataFrame, records: int) -> pd.DataFrame:
    """The columns in use, drawn with replacement and stored small: 6 bytes a record."""
    rng = np.random.default_rng(records)
    rows = rng.integers(len(table), size=records, dtype=np.int32)
    columns: dict[str, Any] = {}
    for name in (*QUERY.columns, PAIR.secret.column):
        column = table[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy(dtype=np.int8)[rows]
            columns[name] = pd.Categorical.from_codes(codes, dtype=column.dtype)
        else:
            columns[name] = column.to_numpy(dtype=np.int8)[rows]
    return pd.DataFrame(columns, copy=False)


def bench_growth(table: pd.DataFrame, sizes: Sequence[int]) -> None:
    """Fit time and peak memory as the table grows."""
    print("\nExact fit as the table grows (peak memory is this process's so far)")
    for records in sizes:
        needed = records * BYTES_PER_RECORD / 1e9
        free = free_memory()
        if needed > 0.8 * free:
            print(
                f"  {records:>11,} records: left out, it may take {needed:.1f} GB and "
                f"{free:.1f} GB are free"
            )
            return
        large = enlarged(table, records)
        rounds = 50 if records < 100_000 else 9 if records < 10_000_000 else 3
        took = seconds(partial(dp.fit_gaussian, large, QUERY, PAIR, N), rounds)
        print(
            f"  {records:>11,} records: {readable(took):>9}, {1e9 * took / records:5.1f} ns a "
            f"record, peak {peak_memory():.2f} GB",
            flush=True,
        )
        del large
        gc.collect()


def bench_pages() -> None:
    """Server time of a rerun after a slider moves, page by page."""
    print(f"\nMedian server time of a rerun after one slider moved (goal {pages.GOAL_MS} ms)")
    found = pages.measure()
    if not found:
        print("  there is no app.py to measure")
    for page in found:
        if page.problem:
            print(f"  {page.name:<20} not measured: {page.problem}")
            continue
        verdict = "met" if page.slowest_ms <= pages.GOAL_MS else "MISSED"
        print(f"  {page.name:<20} {page.times}   {verdict}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no large tables")
    parser.add_argument("--no-pages", action="store_true", help="no dashboard")
    options = parser.parse_args(arguments)
    table = load_census_income()
    print(
        f"{len(table):,} synthetic records, n = {N}, {len(QUERY)} statistics; "
        f"{os.cpu_count()} cores, {free_memory():.1f} GB free"
    )
    bench_fit(table)
    bench_attack(table)
    bench_guarantees(table)
    bench_laws(table)
    bench_distances()
    bench_quilts()
    bench_choosing(table)
    bench_relaxations(table)
    bounds.bench_bounds(table, QUERY, PAIR, N)
    bounds.bench_persons(table, QUERY, TEN, PAIR, N)
    releases.bench_releases(table, QUERY, PAIR, N)
    print(f"\nPeak memory so far: {peak_memory():.2f} GB")
    if not options.no_pages:
        bench_pages()
    delimited.bench_delimited(delimited.RECORDS // 10 if options.quick else delimited.RECORDS)
    sources.bench_sources(sources.SIZES[:1] if options.quick else sources.SIZES)
    bench_growth(table, GROWTH[:1] if options.quick else GROWTH)


if __name__ == "__main__":
    main()
