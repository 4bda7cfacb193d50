"""Print how fast the package is, in CPU time, beside what a good engineer would write.

``make bench`` or ``python -m benchmarks.bench``. Every ratio is of two times of the same run.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

import distpriv as dp
from benchmarks import plain
from distpriv.attacks import PropertyInferenceAttack
from distpriv.mechanisms import calibrate_all
from distpriv.model import GaussianModel, fit_groups
from distpriv.privacy import accuracies
from distpriv.sources import source_of

QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)
SECRET = dp.SensitiveProperty("income", ">50K")
PAIR = dp.Pair(SECRET, 0.45, 0.55)
N, NUMBERS = 100, (45, 55)
GAUSSIAN = ("ExpM", "DirM", "EigM", "DauM", "OptM")


def seconds(call: Callable[[], Any], rounds: int = 11, times: int = 1) -> float:
    """Return the median CPU time of a call after one that is not counted."""
    call()
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            call()
        taken.append((time.process_time() - start) / times)
    return statistics.median(taken)


def fresh(code: str, rounds: int = 5) -> float:
    """Return the median CPU time of a fresh interpreter that runs code, less one that runs none."""

    def run(text: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", text], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    run(code)
    return statistics.median(run(code) - run("") for _ in range(rounds))


def row(label: str, taken: float, goal: str = "") -> None:
    """Print one line of the table."""
    number = f"{taken:.2f} s" if taken >= 1 else f"{1e3 * taken:.2f} ms"
    print(f"  {label:<58}{number:>11}  {goal}".rstrip(), flush=True)


def against(label: str, other: float, own: float, goal: float) -> None:
    """Print the time of another way, and how many times as long it takes."""
    ratio = other / own
    word = "" if not goal else f"  (goal {goal:g}: {'met' if ratio >= goal else 'MISSED'})"
    row(label, other, f"{ratio:,.1f} x{word}")


def within(label: str, taken: float, most: float) -> None:
    """Print a time beside its goal, in seconds."""
    row(label, taken, f"goal {most:g} s: {'met' if taken <= most else 'MISSED'}")


def bench_fit() -> None:
    """Time the model of two shares."""
    print("Model of five statistics of 100 records, 45 222 records in memory")
    table = dp.load_census_income()
    source = source_of(table)
    own = seconds(lambda: dp.fit_gaussian(table, QUERY, PAIR, N))
    row("fit_gaussian, from the table", own)
    groups = source.groups(QUERY, SECRET)
    row("  of that, moments and a verified grid", seconds(lambda: source.groups(QUERY, SECRET)))
    quick = seconds(lambda: fit_groups([groups], QUERY, [PAIR], N), times=20)
    row("from moments that are there already", quick)
    for name, way, goal in (
        ("pandas", plain.fit_with_pandas, 100.0),
        ("NumPy", plain.fit_with_numpy, 0.0),
    ):
        taken = seconds(lambda: way(table, NUMBERS, N, 1000), rounds=3)  # noqa: B023
        against(f"2 × 1000 subsets in tuned {name}", taken, own, goal)


def bench_attack(model: GaussianModel) -> None:
    """Time one repetition of the adaptive attack on five releases."""
    print("A repetition of the attack: 400 datasets, figures as they are and four noises")
    releases = dict(zip(GAUSSIAN[1:], calibrated(model, GAUSSIAN[1:], 1.0), strict=True))
    noises = {"as they are": None} | releases
    attack = PropertyInferenceAttack.of(model, noises)
    indices = count()
    own = seconds(lambda: attack.repetition(next(indices)), rounds=41)
    row("PropertyInferenceAttack.repetition", own)
    table = dp.load_census_income()
    values, having = plain.numbers(table).to_numpy(), (table["income"] == ">50K").to_numpy()
    rng = np.random.default_rng(1)
    for label, at_once, goal in (("a loop over datasets", False, 3.0), ("all at once", True, 0.0)):
        other = seconds(
            lambda: plain.attack(values, having, NUMBERS, N, noises, rng, at_once=at_once)  # noqa: B023
        )
        against(f"NumPy and scikit-learn, {label}", other, own, goal)
    everyone = dp.fit_gaussian(table, QUERY, dp.Pair(SECRET, 0.2, 0.3))
    attack = PropertyInferenceAttack.of(everyone, noises)
    row("the whole table instead", seconds(lambda: attack.repetition(next(indices)), rounds=5))


def calibrated(
    model: GaussianModel, names: tuple[str, ...], *epsilons: float
) -> Iterator[dp.Release]:
    """Calibrate mechanisms side by side."""
    jobs = [(name, dp.Promise(epsilon, 1e-3)) for name in names for epsilon in epsilons]
    for release in calibrate_all(jobs, model):
        if isinstance(release, dp.Release):
            yield release
        else:
            raise release


def bench_calibration(model: GaussianModel) -> None:
    """Time promises."""
    print("Promises, each held against its promise before it is returned")
    within("OptM for 60 of 100", seconds(lambda: dp.calibrate("OptM", model, guesses=60)), 0.05)
    five = seconds(lambda: list(calibrated(model, GAUSSIAN, 1.0)))
    within("five Gaussian mechanisms at one promise", five, 0.08)
    epsilons = tuple(np.geomspace(0.1, 10, 40).tolist())
    forty = seconds(lambda: list(calibrated(model, ("OptM",), *epsilons)), rounds=5)
    within("OptM at 40 ε", forty, 0.3)

    def curves() -> None:
        accuracies(model, list(calibrated(model, GAUSSIAN, *epsilons[::2])))

    within("five mechanisms at 20 ε, and their best attackers", seconds(curves, rounds=5), 0.5)


def bench_imports() -> None:
    """Time fresh processes."""
    print("Fresh processes, without the interpreter's start")
    within("import distpriv", fresh("import distpriv"), 0.7)
    every = "import distpriv as dp; [getattr(dp, name) for name in dp.__all__]"
    within("import distpriv, and load every public name", fresh(every), 1.5)
    within("a worker's import", fresh("import distpriv.attacks.worker"), 1.0)


def main() -> None:
    """Print the table."""
    model = dp.fit_gaussian(dp.load_census_income(), QUERY, PAIR, N)
    bench_fit()
    bench_attack(model)
    bench_calibration(model)
    bench_imports()


if __name__ == "__main__":
    main()
