"""Every engine, with a way to put a table into it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from psycopg import sql

import distpriv as dp
from distpriv.sources import MemorySource, Source
from tests.postgres import postgres
from tests.sources.tables import in_memory, written
from tests.spark import spark

_TYPES = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_integer, "bigint"),
    (pa.types.is_decimal, "numeric"),
    (pa.types.is_float32, "real"),
    (pa.types.is_floating, "double precision"),
    (pa.types.is_date, "date"),
    (pa.types.is_timestamp, "timestamp"),
    (pa.types.is_string, "text"),
    (pa.types.is_large_string, "text"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts Spark, and the many random tables, are left to the whole suite."""
    for item in items:
        if "tests/sources/" in item.nodeid and re.search("spark|random_tables", item.nodeid):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    with postgres() as url:
        yield url


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """A Spark session."""
    with spark() as started:
        yield started


def fill(url: str, table: pa.Table, name: str = "people") -> None:
    """Make a table of a database anew."""
    with psycopg.connect(url) as connection:
        identifier = sql.Identifier(name)
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(identifier))
        columns = [
            sql.SQL("{} {}").format(
                sql.Identifier(field.name),
                sql.SQL(next(kind for fits, kind in _TYPES if fits(field.type))),
            )
            for field in table.schema
        ]
        statement = sql.SQL("CREATE TABLE {} ({})").format(identifier, sql.SQL(", ").join(columns))
        connection.execute(statement)
        with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(identifier)) as copy:
            for row in table.to_pylist():
                copy.write_row(list(row.values()))


@pytest.fixture(scope="session")
def census() -> pa.Table:
    """A thousand records of the embedded example."""
    table = dp.load_census_income().head(1000)
    labels = table.select_dtypes("category").columns
    return pa.Table.from_pandas(table.astype(dict.fromkeys(labels, "str")), preserve_index=False)


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Source]:
    """Put a table into an engine and open it there."""

    def put(engine: str, table: pa.Table, *, parts: int = 2, **options: Any) -> Source:
        if engine == "memory":
            return MemorySource(in_memory(table, tmp_path))
        if engine in ("parquet", "csv"):
            return dp.scan(written(table, tmp_path / engine, engine, parts), **options)
        if engine == "postgres":
            url = request.getfixturevalue("database")
            fill(url, table)
            return dp.connect(url, table="people", **options)
        session = request.getfixturevalue("session")
        folder = written(table, tmp_path / "spark", "parquet", parts)
        return dp.from_spark(session.read.parquet(str(folder)), **options)

    return put
