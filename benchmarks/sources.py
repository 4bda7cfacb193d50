"""Tables that stay where they are: time, growth and memory, each in a process of its own.

``python -m benchmarks.sources engine FOLDER`` is what one such process does: ``engine`` asks
DuckDB, ``pandas`` reads the files and groups, ``numpy`` starts from arrays that are in memory
already. ``--limit`` gives the process so many megabytes of address space and no more.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess  # nosec B404 # programs of our own
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet

import distpriv as dp
from benchmarks.timing import met, readable
from distpriv.tables.examples import load_census_income

__all__ = ["bench_sources", "generated"]

SIZES = (45_000, 4_500_000, 45_000_000)
_FILE = 4_500_000  # records in a file
_SECONDS, _MEGABYTES, _TIMES = 30.0, 400.0, 3.0
QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Mean("wage"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
    ]
)
SECRET = dp.SensitiveProperty("income", ">50K")


def generated(folder: Path, records: int) -> None:
    """Write records like those of the embedded example, and a wage in cents, as Parquet files."""
    table = load_census_income()
    with duckdb.connect(config={"preserve_insertion_order": "false"}) as connection:
        connection.register("example", table.assign(place=range(len(table))))
        for start in range(0, records, _FILE):
            stop = min(start + _FILE, records)
            connection.execute(
                "COPY (SELECT example.* EXCLUDE (place), 20000 + (hash(r.range) % 100000) / 100.0"
                f" AS wage FROM range({start}, {stop}) r"
                f" JOIN example ON place = r.range * 7919 % {len(table)})"
                f" TO '{folder}/part{start:012d}.parquet' (FORMAT parquet)"  # nosec B608 # numbers, own folder
            )


def _engine(folder: Path) -> dict[str, float]:
    took: dict[str, float] = {}
    source = dp.scan(folder)
    for name, call in (
        ("profile", source.profile),
        ("moments", lambda: source.group_moments(QUERY, SECRET)),
        ("sample", lambda: source.sample(QUERY, SECRET)),
    ):
        took |= _timed(name, call)
    pair = SECRET.pair(0.5, 0.1)
    model = dp.fit_gaussian(source, QUERY, pair, 100)
    return took | _timed("slider", lambda: dp.calibrate("OptM", model, 1.0, 1e-3))


def _pandas(folder: Path) -> dict[str, float]:
    used = [*QUERY.columns, SECRET.column]
    read: list[Any] = []
    took = _timed(
        "read", lambda: read.append(pyarrow.parquet.read_table(folder, columns=used).to_pandas())
    )
    (table,) = read
    group = table["income"].astype(str) == ">50K"

    def grouped() -> object:
        values = table[["age", "education-num", "wage"]].assign(
            single=(table["marital-status"] == "Never-married").astype(float),
            woman=(table["sex"] == "Female").astype(float),
        )
        return values.groupby(group).cov()

    return took | _timed("moments", grouped)


def _numpy(folder: Path) -> dict[str, float]:
    read = pyarrow.parquet.read_table(folder, columns=[*QUERY.columns, SECRET.column])
    numeric, labelled = ("age", "education-num", "wage"), ("marital-status", "sex", "income")
    numbers = [read[name].to_numpy().astype(np.float64) for name in numeric]
    labels = {name: read[name].dictionary_encode().combine_chunks() for name in labelled}
    codes = {name: each.indices.to_numpy() for name, each in labels.items()}
    known = {name: each.dictionary.to_pylist() for name, each in labels.items()}
    del read, labels

    def moments() -> list[Any]:
        having = codes["income"] == known["income"].index(">50K")
        single = codes["marital-status"] == known["marital-status"].index("Never-married")
        woman = codes["sex"] == known["sex"].index("Female")
        columns = [*numbers, single.astype(np.float64), woman.astype(np.float64)]
        return [np.cov([column[marks] for column in columns]) for marks in (having, ~having)]

    return _timed("moments", moments)


def _timed(name: str, call: Callable[[], object]) -> dict[str, float]:
    wall, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    call()
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return {name: time.perf_counter() - wall, f"{name} CPU": spent}


def _measured(way: str, folder: Path, megabytes: int | None = None) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.sources", way, str(folder)]
    if megabytes is not None:
        command += ["--limit", str(megabytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # nosec B603 # no shell
    if done.returncode == 0:
        return dict(json.loads(done.stdout))
    if "MemoryError" in done.stderr or done.returncode < 0:
        return {}
    raise RuntimeError(done.stderr)


def bench_sources(sizes: Sequence[int] = SIZES) -> None:
    """DuckDB over Parquet against pandas and NumPy, as the table grows."""
    print(
        f"\nTables that stay where they are: {len(QUERY)} statistics over Parquet, a process each "
        "(wall, CPU; peak memory)"
    )
    for records in sizes:
        with tempfile.TemporaryDirectory(prefix="distpriv-bench-") as name:
            folder = Path(name)
            generated(folder, records)
            found = {way: _measured(way, folder) for way in _WAYS}
        _told(records, found)


def _told(records: int, found: dict[str, dict[str, float]]) -> None:
    engine = found["engine"]
    if not engine:
        print(f"  {records:>11,} records: not measured")
        return
    first = engine["profile"] + engine["moments"]
    parts = ", ".join(
        f"{name} {readable(engine[name])} ({readable(engine[f'{name} CPU'])})"
        for name in ("profile", "moments", "sample", "slider")
    )
    print(f"  {records:>11,} records: {parts}", flush=True)
    print(
        f"  {'':>11}  first answer {readable(first)} {met(first, _SECONDS)}, peak "
        f"{engine['peak']:.0f} MB {'met' if engine['peak'] < _MEGABYTES else 'MISSED'}, "
        f"{engine['peak'] - engine['bare']:.0f} MB above the bare package"
    )
    for way in ("pandas", "numpy"):
        other = found[way]
        if not other:
            print(f"  {'':>11}  {way}: not enough memory")
            continue
        ratio = engine["moments CPU"] / other["moments CPU"]
        goal = f" (goal {_TIMES:g}x: {'met' if ratio <= _TIMES else 'MISSED'})"
        read = f"read {readable(other['read'])}, " if "read" in other else ""
        print(
            f"  {'':>11}  {way}: {read}moments {readable(other['moments'])} "
            f"({readable(other['moments CPU'])}), {other['peak']:.0f} MB; DuckDB takes "
            f"{ratio:.1f}x its CPU{goal if way == 'numpy' and records > _FILE else ''}"
        )


_WAYS: dict[str, Callable[[Path], dict[str, float]]] = {
    "engine": _engine,
    "pandas": _pandas,
    "numpy": _numpy,
}


def peak() -> float:
    """Largest resident size of this process so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main() -> None:
    """One way to work, on the files of a folder; figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sources", description=__doc__)
    parser.add_argument("way", choices=[*_WAYS])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, help="megabytes of address space")
    options = parser.parse_args()
    if options.limit is not None:
        resource.setrlimit(resource.RLIMIT_AS, (options.limit * 10**6,) * 2)
    bare = peak()
    print(json.dumps(_WAYS[options.way](options.folder) | {"bare": bare, "peak": peak()}))


if __name__ == "__main__":
    main()
