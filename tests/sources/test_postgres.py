"""PostgreSQL: rights, views, partitions, limits, and an address that is shown nowhere."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import func, select, text

import distpriv as dp
from distpriv.errors import SourceError
from distpriv.model.source import SampledGroups
from distpriv.sources.postgres import PostgresEngine

QUERY = dp.Query([dp.Mean("age")])
GROUP = dp.SensitiveProperty("team", "b")


@pytest.fixture(scope="module")
def url(database: str) -> Iterator[str]:
    """A database with a table, a view, partitions and a schema of its own."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA staff")
        connection.execute(
            "CREATE TABLE staff.members (id bigint, age int, team text, tags text[])"
        )
        connection.execute(
            "INSERT INTO staff.members SELECT i, 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b'"
            " END, '{}' FROM generate_series(1, 3000) i"
        )
        connection.execute("CREATE VIEW staff.seen AS SELECT age, team FROM staff.members")
        connection.execute("CREATE TABLE staff.parts (age int, team text) PARTITION BY LIST (team)")
        for team in ("a", "b"):
            connection.execute(
                f"CREATE TABLE staff.part_{team} PARTITION OF staff.parts FOR VALUES IN ('{team}')"
            )
        connection.execute("INSERT INTO staff.parts SELECT age, team FROM staff.members")
        connection.execute("CREATE TABLE staff.pay (age int)")
    yield database
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP SCHEMA staff CASCADE")


@pytest.mark.parametrize("name", ["members", "seen", "parts"])
def test_tables_views_and_partitions_give_the_same(url: str, name: str) -> None:
    source = dp.connect(url, table=name, schema="staff", size=100)
    assert source.profile().records == 3000
    moments = source.group_moments(QUERY, GROUP)
    assert moments.counts == (1000, 2000)
    first = source.sample(QUERY, GROUP, seed=1)
    source._samples.clear()  # type: ignore[attr-defined]
    again, other = source.sample(QUERY, GROUP, seed=1), source.sample(QUERY, GROUP, seed=2)
    for groups in (first, again, other):
        assert isinstance(groups, SampledGroups)
        assert groups.counts == (100, 100)
    assert first.digest == again.digest != other.digest  # type: ignore[attr-defined]


def test_arrays_are_left_out(url: str) -> None:
    engine = PostgresEngine(url, "members", "staff", "The members")
    assert [column.name for column in engine.columns] == ["id", "age", "team"]
    assert engine.left_out == ("tags",)


def test_nothing_can_be_written(url: str) -> None:
    engine = PostgresEngine(url, "members", "staff", "The members")
    for statement in (
        "INSERT INTO staff.members VALUES (1, 2, 'a', '{}')",
        "DELETE FROM staff.members",
        "DROP TABLE staff.members",
        "CREATE TABLE staff.mine (a int)",
    ):
        with pytest.raises(SourceError, match="could not be read"):
            engine._fetched(text(statement))
    assert engine.rows(select(func.count()).select_from(engine.records)) == [(3000,)]


def test_a_role_that_may_select_is_enough_and_reaches_no_further(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA staff TO reader")
        connection.execute("GRANT SELECT ON staff.members TO reader")
    reader = url.replace("tester@", "reader@")
    source = dp.connect(reader, table="members", schema="staff")
    assert source.group_moments(QUERY, GROUP).counts == (1000, 2000)
    with pytest.raises(SourceError):
        dp.connect(reader, table="pay", schema="staff").profile()


def test_a_table_that_is_not_there_is_named(url: str) -> None:
    for name, schema in (("nobody", "staff"), ("members", "nowhere"), ("members", None)):
        with pytest.raises(SourceError, match="has no table or view"):
            dp.connect(url, table=name, schema=schema)


def test_an_address_is_shown_nowhere() -> None:
    address = "postgresql://someone:pass-word@127.0.0.1:1/base"
    with pytest.raises(SourceError) as caught:
        dp.connect(address, table="people")
    said = "".join(traceback.format_exception(caught.value))
    shown = [line for line in said.splitlines() if "address =" not in line]
    assert not any(part in line for line in shown for part in ("pass-word", "someone", "127.0.0.1"))
    with pytest.raises(SourceError, match="must look like postgresql://"):
        dp.connect("mysql://someone:pass-word@host/base", table="people")


def _slow(engine: PostgresEngine) -> Any:
    return select(func.pg_sleep(60)).select_from(engine.records)


def test_a_query_that_takes_too_long_is_stopped(url: str) -> None:
    engine = PostgresEngine(url, "members", "staff", "The members", seconds=0.3)
    with pytest.raises(SourceError, match=r"took longer than the 0.3 seconds"):
        engine.rows(_slow(engine))


def test_a_query_can_be_stopped_from_elsewhere(url: str) -> None:
    engine = PostgresEngine(url, "members", "staff", "The members")

    def stop() -> None:
        while not engine._running:
            time.sleep(0.01)
        time.sleep(0.3)
        engine.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(SourceError, match="was stopped"):
        engine.rows(_slow(engine))
    thread.join()


def test_the_fingerprint_follows_the_counters(url: str) -> None:
    engine = PostgresEngine(url, "parts", "staff", "The parts")
    before = engine.fingerprint()
    assert engine.fingerprint() == before
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO staff.parts VALUES (50, 'a')")
        connection.execute("SELECT pg_stat_force_next_flush()")
        connection.execute("SELECT 1")
    assert engine.fingerprint() != before
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DELETE FROM staff.parts WHERE age = 50 AND team = 'a'")
