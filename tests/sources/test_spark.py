"""Spark: its dialect quotes every name, and a query can be stopped."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, literal, select

import distpriv as dp
from distpriv.errors import SourceError
from distpriv.sources.engine import relation
from distpriv.sources.spark import _DIALECT, SparkEngine


def test_a_backtick_ends_no_name() -> None:
    records = relation("r`; DROP TABLE x; --", ["a`b", "select"])
    statement = select(records.c["a`b"], records.c["select"]).where(
        records.c["a`b"] == literal("it's `")
    )
    compiled = statement.compile(dialect=_DIALECT)
    words = " ".join(str(compiled).split())
    name = "`r``; DROP TABLE x; --`"
    assert words == (
        f"SELECT {name}.`a``b`, {name}.`select` FROM {name} WHERE {name}.`a``b` = :param_1"
    )
    assert compiled.params == {"param_1": "it's `"}


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(SourceError, match=r"needs a pyspark\.sql\.DataFrame, got str"):
        dp.from_spark("people")


def test_two_columns_of_one_name_are_refused(session: Any) -> None:
    frame = session.range(3)
    with pytest.raises(SourceError, match="two columns of the same name"):
        dp.from_spark(frame.select("id", "id"))


def test_a_query_that_takes_too_long_is_stopped(session: Any) -> None:
    engine = SparkEngine(session.range(10), "The range", seconds=1.0)
    with pytest.raises(SourceError, match="took longer than the 1 seconds"):
        engine.rows(_endless())


def test_a_query_can_be_stopped_from_elsewhere(session: Any) -> None:
    engine = SparkEngine(session.range(10), "The range")

    def stop() -> None:
        while not engine._tags:
            time.sleep(0.01)
        time.sleep(1.0)
        engine.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(SourceError, match="was stopped"):
        engine.rows(_endless())
    thread.join()


def _endless() -> Any:
    numbers = func.range(10**13).table_valued("id", name="numbers")
    return select(func.sum(numbers.c.id % 7))


def test_a_partitioned_folder_is_one_table(session: Any, tmp_path: Path) -> None:
    folder = str(tmp_path / "people")
    made = session.range(900).selectExpr("id % 7 AS age", "if(id % 3 = 0, 'a', 'b') AS team")
    made.write.partitionBy("team").parquet(folder)
    source = dp.from_spark(session.read.parquet(folder), title="The people")
    query, secret = dp.Query([dp.Mean("age")]), dp.SensitiveProperty("team", "b")
    assert source.group_moments(query, secret).counts == (300, 600)
    before = source.fingerprint()
    made.limit(9).write.mode("append").partitionBy("team").parquet(folder)
    again = dp.from_spark(session.read.parquet(folder))
    assert again.fingerprint() != before
