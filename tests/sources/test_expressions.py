"""Values and groups as SQL: what a record counts as, where it does not lie in memory."""

from __future__ import annotations

import datetime
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import distpriv as dp
from distpriv.errors import QueryError
from tests.sources.tables import in_memory

GROUP = dp.SensitiveProperty("team", "a")


def mixed(values: list[Any], kind: pa.DataType | None = None, records: int = 300) -> pa.Table:
    """Values at random, beside two teams."""
    rng = np.random.default_rng(11)
    return pa.table(
        {
            "value": pa.array([values[at] for at in rng.integers(len(values), size=records)], kind),
            "team": [("a", "b", "b")[at] for at in rng.integers(3, size=records)],
        }
    )


@pytest.mark.parametrize("engine", ["parquet", "postgres", "spark"])
def test_not_a_number_is_missing(opened: Callable[..., Any], tmp_path: Path, engine: str) -> None:
    made = mixed([1.0, math.nan, None, 2.5], pa.float64())
    table, source = in_memory(made, tmp_path), opened(engine, made)
    gone = int(table["value"].isna().sum())
    assert gone > 100
    assert source.profile().columns["value"].missing == gone
    for query, secret in (
        (dp.Query([dp.Mean("value")]), GROUP),
        (dp.Query([dp.Count("value", 2.5)]), GROUP),
        (dp.Query([dp.Count("team", "b")]), dp.SensitiveProperty("value", above=2)),
        (dp.Query([dp.Count("team", "b")]), dp.SensitiveProperty("value", 1)),
    ):
        found, known = (
            source.group_moments(query, secret),
            dp.group_moments(table, query, secret),
        )
        assert (found.counts, found.dropped) == (known.counts, known.dropped)
        assert known.dropped
        np.testing.assert_allclose(found.means, known.means, rtol=1e-14)
    assert sum(source.sample(dp.Query([dp.Mean("value")]), GROUP).counts) == 300 - gone


NANS = {  # Parquet files state the extremes of these without NaN, and that there is no null
    "spread": [math.nan, 12.25, 30.5, 61.75, 88.0],
    "one other value": [math.nan, 70.0, 70.0],
    "negative": [math.copysign(math.nan, -1), 70.0, 70.0],
}


@pytest.mark.parametrize("values", NANS.values(), ids=NANS)
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
@pytest.mark.parametrize("engine", ["parquet", "csv", "postgres", "spark"])
def test_nan_without_null_is_missing(
    opened: Callable[..., Any], tmp_path: Path, engine: str, kind: pa.DataType, values: list[float]
) -> None:
    made = mixed(values, kind, 600).append_column(
        "age", pa.array(np.random.default_rng(3).integers(18, 90, 600))
    )
    table, source = in_memory(made, tmp_path), opened(engine, made, parts=1)
    memory = dp.sources.MemorySource(table)
    gone = int(table["value"].isna().sum())
    assert gone > 100
    assert made["value"].null_count == 0
    assert source.profile().columns["value"] == memory.profile().columns["value"]
    high = dp.SensitiveProperty("value", above=60)
    age, value, seventy = dp.Mean("age"), dp.Mean("value"), dp.Count("value", 70)
    asked = [
        (dp.Query([value]), GROUP),
        (dp.Query([seventy, value]), GROUP),
        (dp.Query([age, dp.Count("team", "b")]), high),
        (dp.Query([dp.Count("team", "b")]), dp.SensitiveProperty("value", 70)),
        (dp.Query([dp.Sum("value")]), high),
    ]
    for query, secret in asked:
        try:
            known = memory.group_moments(query, secret)
        except dp.DistprivError as error:  # all of the others have the property
            with pytest.raises(type(error), match=re.escape(str(error))):
                source.group_moments(query, secret)
            continue
        found = source.group_moments(query, secret)
        assert (found.counts, found.dropped) == (known.counts, known.dropped)
        assert known.dropped == gone
        for name in ("means", "covariances", "minima", "maxima", "steps"):
            np.testing.assert_allclose(getattr(found, name), getattr(known, name), rtol=1e-12)
        # Fewer than all, and all.
        some, everything = source.sample(query, secret, 40), source.sample(query, secret)
        assert some.totals == everything.counts == known.counts
        assert np.isfinite(np.vstack([some.without, some.having])).all()
        for n, seed in ((None, 1), (50, 2), (50, 3)):
            answer, count = source.answer(query, secret, n, entropy=random.Random(seed))
            assert np.isfinite(answer).all()
            assert count == (n or 600 - gone)
        np.testing.assert_allclose(
            source.answer(query, secret, entropy=random.Random(1))[0],
            memory.answer(query, secret, entropy=random.Random(1))[0],
            rtol=1e-12,
        )
    counts = dp.Query([dp.Count("team", "b"), seventy])
    secret = dp.SensitiveProperty("age", above=50)
    cells = source.sample(counts, secret, 40).cells()
    for found, known in zip(cells, memory.sample(counts, secret).cells(), strict=True):
        np.testing.assert_array_equal(found, known)
    for ends in ({"value": [65.0, 80.0], "team": None}, {"value": None}):
        assert set(source.combinations(ends)) == set(memory.combinations(ends))


@pytest.mark.parametrize("engine", ["parquet", "postgres"])
@pytest.mark.parametrize(
    "values",
    [
        ["x\u00a0", "\u00a0x", "x", "y\u2003", "\u00a0", "\t", "NA", "na", "N/A", "null", "-"],
        ["1,5", "2,25", "3,0", "NA"],
        ["1,000", "2,500", "300"],
        ["+5", "-3", "1e2", "2.50", " 7 ", ".5", "5."],
        ["1", "2", "nan", "NaN"],
        ["1_000", "2"],
        ["0x10", "16"],
        ["5%", "10%"],
        ["1d", "2f", "3"],
        ["Yes", "no", "YES", "No "],
        ["true", "FALSE", "True", "false", None],
        ["1", "True", "x"],
        ["007", "010", "1"],
        ["\u00c5", "A\u030a", "a\u030a", "A"],
        ["", "NA"],
        [None],
    ],
    ids=repr,
)
def test_texts_count_as_they_do_in_memory(
    opened: Callable[..., Any], tmp_path: Path, engine: str, values: list[Any]
) -> None:
    made = mixed(values, pa.string())
    table, source = in_memory(made, tmp_path), opened(engine, made)
    known, found = dp.sources.MemorySource(table).profile(), source.profile()
    for name in table:
        assert found.columns[name] == known.columns[name]
    asked = [*(value for value in values if value is not None), 1, True, 16, 1.5]
    for value in asked:
        for statistic in (dp.Count("value", value), dp.Mean("value")):
            query, results = dp.Query([statistic]), []
            for data in (source, dp.sources.MemorySource(table)):
                try:
                    moments = data.group_moments(query, GROUP)
                    results.append((moments.counts, moments.dropped, moments.means.tolist()))
                except dp.DistprivError as error:
                    results.append(type(error).__name__)
            if isinstance(results[0], str) or isinstance(results[1], str):
                assert results[0] == results[1], statistic
            else:
                assert results[0][:2] == results[1][:2], statistic
                np.testing.assert_allclose(results[0][2], results[1][2], rtol=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        [datetime.date(2020, 1, 1), datetime.date(1910, 5, 5), None],
        [datetime.datetime(2020, 1, 1, 3, 4, 5), datetime.datetime(2021, 1, 1)],
        ["2020-01-01", "2021-02-03"],
    ],
    ids=["days", "moments", "texts"],
)
def test_dates_are_not_told_apart_by_value(opened: Callable[..., Any], values: list[Any]) -> None:
    source = opened("parquet", mixed(values))
    assert source.profile().types["value"] == "date"
    day = str(values[0])
    with pytest.raises(QueryError, match="holds dates"):
        source.group_moments(dp.Query([dp.Count("value", day)]), GROUP)
    with pytest.raises(QueryError, match="holds dates"):
        source.group_moments(dp.Query([dp.Count("team", "b")]), dp.SensitiveProperty("value", day))


def test_whole_numbers_beyond_doubles_are_the_doubles_next_to_them(
    opened: Callable[..., Any],
) -> None:
    source = opened("parquet", mixed([2**53, 2**53 + 1, 5], pa.int64()))
    found = source.group_moments(dp.Query([dp.Count("value", 2**53 + 1)]), GROUP)
    both = source.group_moments(dp.Query([dp.Count("value", 2**53)]), GROUP)
    np.testing.assert_array_equal(found.means, both.means)
    assert 0.5 < found.means.mean() < 0.8


def test_one_and_true_are_two_texts(opened: Callable[..., Any]) -> None:
    """Python takes them for the same value, and what is kept must not."""
    source = opened("parquet", mixed(["1", "True", "x", "x"], pa.string()))
    one, true = (
        source.group_moments(dp.Query([dp.Count("value", value)]), GROUP).means
        for value in (1, True)
    )
    assert (one > 0).all()
    assert (one != true).all()
    as_secrets = [
        source.group_moments(
            dp.Query([dp.Count("team", "b")]), dp.SensitiveProperty("value", value)
        ).counts
        for value in (1, "True")
    ]
    assert as_secrets[0] != as_secrets[1]
