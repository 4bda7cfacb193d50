"""A large delimited file: time and growth of memory, each reader in a process of its own."""

from __future__ import annotations

import argparse
import subprocess  # nosec B404 # programs of our own
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

import distpriv as dp
from benchmarks.timing import met

__all__ = ["RECORDS", "bench_delimited", "generated"]

RECORDS = 916_648
_SECONDS, _TIMES = 6.0, 3.0
_SIZES = (2, 3, 5, 8, 20, 70, 200, 500)


def generated(path: Path, records: int = RECORDS) -> None:
    """Write 50 columns: an identifier, counts, amounts, labels with gaps, dates and texts."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {"record_id": np.arange(records) + 10_000_000}
    for place in range(12):
        columns[f"count{place}"] = rng.integers(0, (10, 100, 1000, 20)[place % 4], records)
    for place in range(8):
        amounts = np.round(rng.gamma(2, 20 * (place + 1), records), place % 3)
        columns[f"amount{place}"] = pa.array(amounts, mask=rng.random(records) < 0.05)
    for place in range(24):
        size = _SIZES[place % len(_SIZES)]
        labels = pa.array([f"l{each}" for each in range(size)] + ["", "NA"])
        codes = np.where(rng.random(records) < 0.97, rng.integers(0, size, records), size)
        columns[f"label{place}"] = labels.take(pa.array(codes))
    days = np.datetime64("2010-01-01") + rng.integers(0, 4000, records).astype("timedelta64[D]")
    columns["day"] = pa.array(days.astype(str))
    columns["seen"] = pa.array((days + np.timedelta64(30, "D")).astype(str))
    columns["patient"] = pa.array([f"p{each:07d}" for each in rng.integers(0, 300_000, records)])
    columns["flag"] = rng.integers(0, 2, records).astype(bool)
    columns["note"] = pa.array([f"ref-{each}" for each in rng.integers(0, 10**5, records)])
    plain = pyarrow.csv.WriteOptions(quoting_style="none")
    pyarrow.csv.write_csv(pa.table(columns), path, plain)


def _most() -> int:
    """The most memory that this process has had, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def _read(reader: str, path: Path) -> None:
    before, start = _most(), time.perf_counter()
    if reader == "pyarrow":
        pyarrow.csv.read_csv(path)
    else:
        dp.read_table(path.read_bytes())
    took = time.perf_counter() - start
    print(took, (_most() - before) / path.stat().st_size)


def bench_delimited(records: int = RECORDS) -> None:
    """Print seconds, and memory as a multiple of the file, beside those of pyarrow alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        generated(path, records)
        print(f"\nA CSV file of {path.stat().st_size / 1e6:.0f} MB, {records:,} × 50")
        for reader in ("pyarrow", "distpriv"):
            command = [sys.executable, "-m", "benchmarks.delimited", reader, str(path)]
            run = subprocess.run(command, capture_output=True, text=True, check=True)  # nosec B603
            took, times = map(float, run.stdout.split())
            line = f"  {reader:<10} {took:6.2f} s   {times:5.2f} × the file"
            if reader == "distpriv" and records == RECORDS:
                line += f"   {met(took, _SECONDS)}, at most {_TIMES:.0f} ×: "
                line += "met" if times <= _TIMES else "MISSED"
            print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read one file, or without arguments run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.delimited", description=__doc__)
    parser.add_argument("reader", nargs="?", choices=["pyarrow", "distpriv"])
    parser.add_argument("path", nargs="?", type=Path)
    options = parser.parse_args(arguments)
    if options.reader and options.path:
        _read(options.reader, options.path)
    else:
        bench_delimited()


if __name__ == "__main__":
    main()
