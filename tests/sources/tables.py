"""Tables that are hard to read the same way everywhere, and how they get into each engine."""

from __future__ import annotations

import datetime
import random
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import distpriv as dp

ENGINES = ("memory", "parquet", "csv", "postgres", "spark")
RING = ("\u00c5", "A\u030a")  # the same letter, composed and decomposed
WORDS = ("north", "North", "NORTH", " north", "south ", "\tsouth", "", "NA", "?", *RING, "null x")
NAMES = (
    "a b", 'quo"te', "quo'te", "semi;colon", "line\nbreak", "dash--dash", "/* star */", "back`tick",
    "back\\slash", "$1", ":param_1", "%s", "{brace}", "select", "FROM", "ünïcödé", "漢字", "🙂",
    "percent%", "@at", "x'; DROP TABLE canary; --", "v0", "grp",
)  # fmt: skip
VALUES = (
    "plain", "it's", 'say "hi"', "a;b", "a--b", "/* c */", "tick`", "back\\slash", "$1", ":param_1",
    "%s %(x)s", "{0}", "new\nline", "漢字", "🙂", "'; DROP TABLE canary; --", "x" * 300,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A table, statistics and a secret."""

    table: pa.Table
    query: dp.Query
    secret: dp.SensitiveProperty


def case(seed: int) -> Case:
    """A random table with everything that is hard to read the same way everywhere."""
    rng, draw = np.random.default_rng(seed), random.Random(seed)
    n = draw.choice([40, 200, 1000])

    def some(values: list[Any], missing: float) -> list[Any]:
        return [
            None if rng.random() < missing else values[rng.integers(len(values))] for _ in range(n)
        ]

    gaps = draw.choice([0.0, 0.0, 0.05])
    scale = draw.choice([1.0, 1e-3, 1e6])
    numbers = rng.normal(draw.choice([0, 1e3, -1e7]), scale, n)
    numbers[rng.random(n) < gaps] = np.nan
    cents = np.round(rng.gamma(2, 40, n) * 20) / 20
    whole = rng.integers(-5, 90, n) * draw.choice([1, 2, 7])
    big = rng.integers(0, 50, n) + 2 ** draw.choice([30, 52, 54])
    columns = {
        "number": pa.array(numbers, from_pandas=False),
        "cents": pa.array([Decimal(f"{value:.2f}") for value in cents], pa.decimal128(12, 2)),
        "whole": pa.array(some(whole.tolist(), gaps), pa.int32()),
        "big": pa.array(big, pa.int64()),
        "flag": pa.array(some([True, False], gaps), pa.bool_()),
        "word": pa.array(some([*draw.sample(WORDS, 6), "west", "east"], gaps), pa.string()),
        "written": pa.array(some([f"{value:g}" for value in cents[:30]], gaps), pa.string()),
        "code": pa.array(some(["007", "08", "1"], 0), pa.string()),
        "day": pa.array(some([datetime.date(2020, 1, d) for d in (1, 2, 3)], gaps), pa.date32()),
        "time": pa.array(
            some([datetime.datetime(2020, 1, d, 12, 30, d) for d in (1, 2, 3)], gaps),
            pa.timestamp("us"),
        ),
    }
    secret = draw.choice(
        [
            dp.SensitiveProperty("word", "west"),
            dp.SensitiveProperty("word", values=["west", RING[0], "north"]),
            dp.SensitiveProperty("flag"),
            dp.SensitiveProperty("flag", False),
            dp.SensitiveProperty("whole", above=float(np.median(whole))),
            dp.SensitiveProperty("cents", below=float(np.median(cents))),
            dp.SensitiveProperty("number", between=(-1e9, float(np.nanmedian(numbers)))),
            dp.SensitiveProperty("code", "007"),
            dp.SensitiveProperty("written", above=50),
        ]
    )  # fmt: skip
    offered: list[dp.Statistic] = [
        dp.Mean("number"), dp.Mean("cents"), dp.Sum("whole"), dp.Mean("big"), dp.Mean("written"),
        dp.Count("word", "east"), dp.Count("word", RING[1]), dp.Proportion("word", "North"),
        dp.Count("flag", True), dp.Count("code", "08"), dp.Count("whole", int(whole[0])),
    ]  # fmt: skip
    query = dp.Query(draw.sample(offered, draw.choice([1, 2, 4])))
    return Case(pa.table(columns), query, secret)


def hostile(records: int = 200) -> pa.Table:
    """Names and values that would end a statement, were they part of one."""
    rng = np.random.default_rng(7)
    return pa.table(
        {
            name: pa.array([VALUES[place] for place in rng.integers(len(VALUES), size=records)])
            if index % 2
            else pa.array(rng.integers(0, 9, records))
            for index, name in enumerate(NAMES)
        }
    )


def in_memory(table: pa.Table, folder: Path) -> pd.DataFrame:
    """The table as a file's reader has it."""
    path = folder / "memory.parquet"
    pq.write_table(table, path)
    return dp.read_table(path)


def written(table: pa.Table, folder: Path, kind: str, parts: int = 1) -> Path:
    """The table as files of Parquet or CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-len(table) // parts)
    for part in range(parts):
        piece = table.slice(part * size, size)
        if kind == "csv":
            pyarrow.csv.write_csv(piece, folder / f"part{part}.csv")
        else:
            pq.write_table(piece, folder / f"part{part}.parquet", row_group_size=64)
    return folder
