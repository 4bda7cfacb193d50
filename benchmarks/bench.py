"""Print how fast the package is, in CPU time, beside what a good engineer would write.

``make bench`` or ``python -m benchmarks.bench``. Every time is the least of several, which other
programs of the machine disturb least, and every ratio is of two times of the same run.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
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


def seconds(call: Callable[[], Any]) -> float:
    """Return the CPU time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def least(call: Callable[[], Any], rounds: int = 15) -> float:
    """Return the least CPU time of some calls after one that is not counted."""
    call()
    return min(seconds(call) for _ in range(rounds))


def fresh(code: str, rounds: int = 5) -> float:
    """Return the least CPU time of a fresh interpreter that runs code, less one that runs none."""

    def run(text: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", text], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    run(code)
    return min(run(code) for _ in range(rounds)) - min(run("") for _ in range(rounds))


def row(label: str, taken: float, goal: str = "") -> None:
    """Print one line of the table."""
    number = f"{taken:.2f} s" if taken >= 1 else f"{1e3 * taken:.2f} ms"
    print(f"  {label:<58}{number:>11}  {goal}".rstrip(), flush=True)


def against(
    label: str, own: Callable[[], Any], other: Callable[[], Any], goal: float, times: int
) -> None:
    """Print the time of another way, and how many times as long it takes; timed in turn."""
    own(), other()
    pairs = [(least(own, times), seconds(other)) for _ in range(5)]
    first, second = np.min(pairs, axis=0)
    ratio = second / first
    row(label, second, f"{ratio:,.1f} × (goal {goal:g}: {'met' if ratio >= goal else 'MISSED'})")


def within(label: str, taken: float, most: float) -> None:
    """Print a time beside its goal, in seconds."""
    row(label, taken, f"goal {most:g} s: {'met' if taken <= most else 'MISSED'}")


def bench_fit() -> None:
    """Time the model of two shares."""
    print("Model of five statistics of 100 records, 45 222 records in memory")
    table = dp.load_census_income()
    groups = source_of(table).groups(QUERY, SECRET)
    own = partial(dp.fit_gaussian, table, QUERY, PAIR, N)
    row("fit_gaussian, from the table", least(own))
    row("from moments that are there", least(lambda: fit_groups([groups], QUERY, [PAIR], N)))
    pandas = partial(plain.fit_with_pandas, table, NUMBERS, N, 1000)
    against("2 × 1000 subsets, tuned pandas", own, pandas, goal=100, times=10)


def bench_attack(model: GaussianModel) -> None:
    """Time one repetition of the adaptive attack on five releases."""
    print("A repetition of the attack: 400 datasets, figures as they are and four noises")
    noises = {"as they are": None} | {one.mechanism: one for one in calibrated(model, 1.0)[1:]}
    attack = PropertyInferenceAttack.of(model, noises)
    indices = count()

    def own() -> None:
        attack.repetition(next(indices))

    row("PropertyInferenceAttack.repetition", least(own, 40))
    table = dp.load_census_income()
    values, having = plain.numbers(table).to_numpy(), (table["income"] == ">50K").to_numpy()
    other = partial(plain.attack, values, having, NUMBERS, N, noises, np.random.default_rng(1))
    against("NumPy and scikit-learn, a loop over datasets", own, other, goal=3, times=3)
    everyone = dp.fit_gaussian(table, QUERY, dp.Pair(SECRET, 0.2, 0.3))
    attack = PropertyInferenceAttack.of(everyone, noises)
    row("the whole table as a dataset", least(own, 3))


def calibrated(
    model: GaussianModel, *epsilons: float, names: tuple[str, ...] = GAUSSIAN
) -> list[dp.Release]:
    """Calibrate mechanisms side by side, those that apply."""
    jobs = [(name, dp.Promise(epsilon, 1e-3)) for name in names for epsilon in epsilons]
    return [one for one in calibrate_all(jobs, model) if isinstance(one, dp.Release)]


def bench_calibration(model: GaussianModel) -> None:
    """Time promises."""
    print("Promises, each held against its promise before it is returned")
    within("OptM for 60 of 100", least(lambda: dp.calibrate("OptM", model, guesses=60)), 0.04)
    within("five mechanisms at one promise", least(lambda: calibrated(model, 1.0)), 0.06)
    epsilons = tuple(np.geomspace(0.1, 10, 40).tolist())
    forty = least(lambda: calibrated(model, *epsilons, names=("OptM",)), 5)
    within("OptM at 40 ε", forty, 0.25)
    curves = least(lambda: accuracies(model, calibrated(model, *epsilons[::2])), 5)
    within("five mechanisms at 20 ε with their best attackers", curves, 0.4)


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
