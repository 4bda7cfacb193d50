"""Measure how fast the package is beside what a good engineer would write or install.

``make bench`` or ``python -m benchmarks.bench`` prints tables and writes docs/benchmarks.md. Every
time is the least CPU time of several calls, which other programs of the machine disturb least; the
two ways of a row are timed in turn, in the same run.
"""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from pyarrow import csv

import distpriv as dp
from benchmarks import plain
from distpriv.attacks import PropertyInferenceAttack
from distpriv.mechanisms import calibrate_all
from distpriv.model import GaussianModel, fit_groups
from distpriv.privacy import accuracies
from distpriv.privacy.loss import NormalLoss, normal_distance
from distpriv.sources import source_of
from tests.pages.moves import move_on_check, move_on_toy

ROOT = Path(__file__).parent.parent
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
Call = Callable[[], Any]


def seconds(call: Call) -> float:
    """Return the CPU time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def least(call: Call, rounds: int = 10) -> float:
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


def shown(taken: float) -> str:
    """Write a time with two digits and its unit."""
    scale, unit = next((s, u) for s, u in ((1, "s"), (1e3, "ms"), (1e6, "µs")) if taken * s >= 1)
    return f"{float(f'{taken * scale:.2g}'):,g} {unit}"


def against(label: str, own: Call, other_label: str, other: Call, remark: str = "") -> list[str]:
    """Return the row of two ways, timed in turn; the slower is called less often."""
    own(), other()
    rounds = [int(np.clip(0.3 / seconds(way), 1, 100)) for way in (own, other)]
    pairs = [(least(own, rounds[0]), least(other, rounds[1])) for _ in range(3)]
    first, second = np.min(pairs, axis=0)
    ratio = f"{float(f'{second / first:.2g}'):,g} ×".replace(",", " ")
    return [label, shown(first), other_label, shown(second), ratio, remark]


def calibrated(model: GaussianModel, *epsilons: float, names: tuple[str, ...] = GAUSSIAN) -> Any:
    """Calibrate mechanisms side by side, those that apply."""
    jobs = [(name, dp.Promise(epsilon, 1e-3)) for name in names for epsilon in epsilons]
    return [one for one in calibrate_all(jobs, model) if isinstance(one, dp.Release)]


def fits(table: pd.DataFrame) -> Iterator[list[str]]:
    """Compare closed moments with simulated subsets."""
    own = partial(dp.fit_gaussian, table, QUERY, PAIR, N)
    label, exact = (
        "Model of five statistics, 100 of 45 222 records",
        "sampling error of 1 000 draws",
    )
    for name, way in (("pandas", plain.fit_with_pandas), ("NumPy", plain.fit_with_numpy)):
        other = partial(way, table, NUMBERS, N, 1000)
        yield against(label, own, f"2 × 1 000 drawn datasets, tuned {name}", other, exact)


def attacks(table: pd.DataFrame, model: GaussianModel) -> Iterator[list[str]]:
    """Compare a repetition of the adaptive attack: 400 datasets, five releases of each."""
    noises = {"as they are": None} | {one.mechanism: one for one in calibrated(model, 1.0)[1:]}
    attack, indices = PropertyInferenceAttack.of(model, noises), count()
    values, having = plain.numbers(table).to_numpy(), (table["income"] == ">50K").to_numpy()
    other = partial(plain.attack, values, having, NUMBERS, N, noises, np.random.default_rng(1))
    label = "A repetition of the simulated attack, 400 datasets, five releases"
    yield against(label, lambda: attack.repetition(next(indices)), "NumPy and scikit-learn", other)


def deltas(model: GaussianModel) -> Iterator[list[str]]:
    """Compare δ of normals with unequal covariances."""
    epsilons = np.linspace(0.05, 4, 40)
    laws = model.pairs[0].difference, *model.pairs[0].covariances[::-1]
    own = NormalLoss.between(*laws).profile(epsilons)
    label = "δ at 40 ε, unequal covariances, one order"

    def ours() -> Any:
        return NormalLoss.between(*laws).profile(epsilons)

    ways: dict[str, Callable[..., Any]] = {"Imhof's integral by quadrature": plain.imhof_tail}
    try:
        import gx2  # noqa: F401

        ways["the package gx2"] = plain.gx2_tail
    except ImportError:
        print("gx2 is left out: it is not installed")
    for name, tail in ways.items():
        other = partial(plain.delta, *laws, epsilons, tail)
        error = float(np.abs(other() - own).max())
        yield against(label, ours, name, other, f"differs by {error:.0e} at most")


def calibrations(model: GaussianModel) -> Iterator[list[str]]:
    """Compare noise for a promise."""
    try:
        import dp_accounting  # noqa: F401

        least_noise = plain.least_noise(1.0, 1e-3)
        differs = abs(float(1 / normal_distance(1.0, 1e-3)) / least_noise - 1)
        yield against(
            "Least normal noise for one (ε, δ), equal covariances",
            lambda: 1 / normal_distance(1.0, 1e-3),
            "dp_accounting, its PLD",
            lambda: plain.least_noise(1.0, 1e-3),
            f"differs by {100 * differs:.1g} %",
        )
        yield against(
            "OptM for one (ε, δ), both covariances, grid covered, verified",
            lambda: dp.calibrate("OptM", model, epsilon=1.0, delta=1e-3),
            "dp_accounting, its PLD",
            lambda: plain.least_noise(1.0, 1e-3),
            "one direction, equal covariances, no grid",
        )
    except ImportError:
        print("dp_accounting is left out: it is not installed")


def distances() -> Iterator[list[str]]:
    """Compare the ∞-Wasserstein distance in a plane."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 0.3
    own, other = dp.wasserstein_inf(x, y), plain.wasserstein_inf(x, y)
    ours, theirs = partial(dp.wasserstein_inf, x, y), partial(plain.wasserstein_inf, x, y)
    remark = f"differs by {abs(own - other):.1g}"
    yield against("W∞ of 60 and 60 points in the plane", ours, "SciPy's linprog", theirs, remark)


def readings(table: pd.DataFrame, folder: Path) -> Iterator[list[str]]:
    """Compare reading: what others leave to their user is done here."""
    path = folder / "census.csv"
    table.to_csv(path, index=False)
    label = f"Reading a CSV of {len(table):,} records and {len(table.columns)} columns"
    label = label.replace(",", " ")
    ways = {
        "pandas.read_csv": lambda: pd.read_csv(path),
        "pyarrow.csv, to pandas": lambda: csv.read_csv(path).to_pandas(),
        "DuckDB's read_csv, to pandas": lambda: duckdb.sql(f"FROM read_csv('{path}')").df(),
    }
    remark = "they do not say what may be misread"
    for name, other in ways.items():
        yield against(label, lambda: dp.read_table(path), name, other, remark)


def engines(table: pd.DataFrame, folder: Path) -> Iterator[list[str]]:
    """Compare the model of a table that stays in its file."""
    path = folder / "million.parquet"
    table.sample(1_000_000, replace=True, random_state=1).to_parquet(path)
    source = dp.scan(path)
    own = partial(source_of(source).groups, QUERY, SECRET)
    other = partial(plain.moments_by_sql, path)
    label, remark = "Moments of 1 000 000 records in Parquet", "the sums alone, no check of values"
    yield against(label, own, "SQL by hand in DuckDB", other, remark)


def moves() -> Iterator[list[str]]:
    """Compare a move of the slider on Check with a page that has a slider and a picture."""
    remark = "all ways of releasing calibrated, compared, drawn"
    label, ways = "A move of the slider on Check", (move_on_check(), move_on_toy())
    yield against(label, ways[0], "a slider and one picture", ways[1], remark)


def promises(model: GaussianModel) -> Iterator[tuple[str, float]]:
    """Time promises and fresh processes."""
    epsilons = tuple(np.geomspace(0.1, 10, 40).tolist())
    one, ways = partial(dp.calibrate, "OptM", model, guesses=60), partial(calibrated, model, 1.0)
    yield "OptM for 60 of 100", least(one)
    yield "Five mechanisms at one promise", least(ways)
    many = partial(calibrated, model, *epsilons, names=("OptM",))
    yield "OptM at 40 ε", least(many, 3)
    curves = least(lambda: accuracies(model, calibrated(model, *epsilons[::2])), 3)
    yield "Five mechanisms at 20 ε, with their best attackers", curves
    yield "`import distpriv`", fresh("import distpriv")
    every = "import distpriv as dp; [getattr(dp, name) for name in dp.__all__]"
    yield "`import distpriv`, and load every public name", fresh(every)
    yield "A worker's import", fresh("import distpriv.attacks.worker")


def growth(table: pd.DataFrame) -> Iterator[tuple[str, dict[int, float]]]:
    """Time what grows: rows of the table, records of a dataset, statistics, and pairs."""
    rows, many = {}, table.sample(1_000_000, replace=True, random_state=1)
    for size in (10_000, 100_000, 1_000_000):
        part = many.head(size).reset_index(drop=True)
        rows[size] = least(lambda part=part: source_of(part).groups(QUERY, SECRET), 3)
    yield "Moments of a table in memory, by its rows", rows
    source = source_of(table)
    groups = source.groups(QUERY, SECRET)

    def time_of(model: GaussianModel) -> float:
        return least(lambda: dp.calibrate("OptM", model, guesses=60), 3)

    sizes = (100, 1_000, 10_000)
    models = {n: fit_groups([groups], QUERY, [PAIR], n) for n in sizes}
    yield "OptM for 60 of 100, by the records of a dataset", {n: time_of(models[n]) for n in sizes}
    rng, taken = np.random.default_rng(5), {}
    values = rng.normal(size=(5000, 16)) + 0.2 * rng.integers(0, 2, (5000, 1))
    wide = pd.DataFrame(values, columns=[f"x{i}" for i in range(16)])
    wide["income"] = np.where(rng.random(5000) < 0.4, ">50K", "<=50K")
    for m in (2, 4, 8, 16):
        query = dp.Query([dp.Mean(f"x{i}") for i in range(m)])
        taken[m] = time_of(dp.fit_gaussian(wide, query, PAIR, N))
    yield "OptM for 60 of 100, by its statistics", taken
    taken = {}
    for pairs in (1, 4, 16, 64):
        lows = np.round(np.linspace(0.05, 0.85, pairs), 2) if pairs > 1 else [0.45]
        several = [dp.Pair(SECRET, float(low), round(float(low) + 0.1, 2)) for low in lows]
        taken[pairs] = time_of(fit_groups([groups] * pairs, QUERY, several, N))
    yield "OptM for 60 of 100, by its pairs of shares", taken


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Write a table, and print it."""
    lines = ["| " + " | ".join(each) + " |" for each in [head, ["---"] * len(head), *rows]]
    print("\n".join(lines), end="\n\n", flush=True)
    return "\n".join(lines)


def main() -> None:
    """Print the tables and write the page."""
    table = dp.load_census_income()
    model = dp.fit_gaussian(table, QUERY, PAIR, N)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = (
            fits(table),
            attacks(table, model),
            deltas(model),
            calibrations(model),
            distances(),
            readings(table, folder),
            engines(table, folder),
            moves(),
        )
        head = ["What", "distpriv", "Other way", "It takes", "Ratio", "Remark"]
        compared = markdown(head, [row for part in parts for row in part])
    timed = [[label, shown(taken)] for label, taken in promises(model)]
    promised = markdown(["What", "Time"], timed)
    grown = []
    for label, times in growth(table):
        sizes, taken = list(times), list(times.values())
        power = math.log(taken[-1] / taken[-2]) / math.log(sizes[-1] / sizes[-2])
        row = "; ".join(
            f"{size:,}: {shown(each)}".replace(",", " ") for size, each in times.items()
        )
        grown.append([label, row, f"{power:.1f}"])
    growing = markdown(["What", "Time at each size", "Power at the end"], grown)
    packages = ("numpy", "scipy", "pandas", "scikit-learn", "duckdb", "pyarrow", "streamlit")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    page = (Path(__file__).parent / "page.md").read_text(encoding="utf-8")
    text = page.format(
        date=datetime.now(UTC).date(),
        machine=f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}",
        versions=versions,
        compared=compared,
        timed=promised,
        growing=growing,
    )
    (ROOT / "docs/benchmarks.md").write_text(text, encoding="utf-8")
    print("docs/benchmarks.md is written")


if __name__ == "__main__":
    main()
