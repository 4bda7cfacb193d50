"""What a table holds, told without its records: the same types and labels as a file's reader."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import distpriv as dp
from distpriv.errors import SourceError
from distpriv.sources import profiling
from distpriv.sources.profiling import profiled
from tests.sources.tables import case, in_memory


@pytest.mark.parametrize("engine", ["parquet", "postgres", "spark"])
@pytest.mark.parametrize("seed", [3, 14])
def test_a_profile_is_that_of_the_table(
    opened: Callable[..., Any], tmp_path: Path, engine: str, seed: int
) -> None:
    made = case(seed).table
    source, table = opened(engine, made), in_memory(made, tmp_path)
    found, known = source.profile(), dp.sources.MemorySource(table).profile()
    assert found.whole
    for name in table:
        here, there = known.columns[name], found.columns[name]
        assert (there.type, there.missing, there.labels) == (here.type, here.missing, here.labels)
        if here.low is not None:
            assert (there.low, there.high) == pytest.approx((here.low, here.high), rel=3e-16)


def test_a_sample_of_many_records_tells_types_and_the_engine_the_rest(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    """One record in ten is looked at, and no label of the others is forgotten."""
    rng = np.random.default_rng(8)
    made = pa.table(
        {
            "row": np.arange(5000),
            "share": np.where(rng.random(5000) < 0.1, math.nan, rng.normal(size=5000)),
            "team": np.where(np.arange(5000) == 4321, "secret", "a"),
            "flag": rng.random(5000) < 0.5,
        }
    )
    engine = opened("parquet", made).engine
    found = profiled(engine, 0, 500).profile
    known = dp.sources.MemorySource(in_memory(made, tmp_path)).profile()
    assert found.types == known.types
    assert (found.records, len(found.sample), found.whole) == (5000, 500, False)
    assert found.columns["team"].labels == {"a": 4999, "secret": 1}
    assert "secret" in found.sample["team"].cat.categories
    for name in ("row", "share", "team"):
        assert found.columns[name].missing == known.columns[name].missing
        assert found.columns[name].low == known.columns[name].low
    rows = found.sample["row"].to_numpy(dtype=float)
    counts = np.histogram(rows, bins=10, range=(0, 5000))[0]
    assert ((counts - 50) ** 2 / 50).sum() < 45  # chi-square, 9 degrees of freedom


def test_a_column_of_too_many_texts_is_not_fetched(
    opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiling, "MOST_LABELS", 20)
    made = pa.table({"name": [f"name {place}" for place in range(100)], "age": range(100)})
    profile = opened("parquet", made).profile()
    assert not profile.columns["name"].labels
    assert profile.columns["name"].type in ("text", "identifier")


def test_what_has_no_records_or_no_columns_is_refused(opened: Callable[..., Any]) -> None:
    with pytest.raises(SourceError, match="has no records"):
        opened("parquet", pa.table({"age": pa.array([], pa.int64())})).profile()
    with pytest.raises(SourceError, match="no column that can be read"):
        opened("parquet", pa.table({"tags": [["x"], ["y"]]})).profile()


def test_infinite_numbers_leave_no_trace_in_a_profile_s_sample(
    opened: Callable[..., Any],
) -> None:
    """A statistic that meets them says so; a preview only leaves them out."""
    source = opened("parquet", pa.table({"value": [1.0, math.inf, 2.0, 3.0], "team": list("abab")}))
    assert np.isfinite(source.profile().sample["value"].dropna()).all()
    with pytest.raises(dp.DistprivError, match="infinite value"):
        source.group_moments(dp.Query([dp.Mean("value")]), dp.SensitiveProperty("team", "a"))
