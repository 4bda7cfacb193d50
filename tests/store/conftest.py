"""Both databases: the same tests run on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from distpriv.store import Store, open_store
from tests.postgres import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture
def fresh_postgres(server: str) -> str:
    """The address of the server's database, emptied."""
    open_store(server).close()  # an earlier test may have made tables through it
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        connection.execute("DROP ROLE IF EXISTS looker")
    return server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/folder/kept.sqlite"
    return str(request.getfixturevalue("fresh_postgres"))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()
