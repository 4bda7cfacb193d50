"""Both databases: the same tests run on SQLite and on PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from distpriv.store import Store, open_store
from tests.postgres import Server, postgres_server

VERSIONS = Path(__file__).parent / "versions"


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def server(running: Server) -> str:
    return running.url


@pytest.fixture
def failing(fresh_postgres: str, running: Server) -> Iterator[Server]:
    """The server, which may be stopped: it runs again for the next test."""
    yield running
    if not is_up(running.url):
        running.start()


def is_up(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


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


@pytest.fixture
def released(url: str) -> Callable[[int], Store]:
    """Fill the empty database as a distpriv with tables of that version left it.

    Each holds a decision that Ann proposed and Bob agreed to, and a release of Ann's; from 2 on a
    limit, a room and a workspace.
    """

    def filled(version: int) -> Store:
        opened = Store(open_store(url).url)
        kind = opened.url.get_backend_name()
        script = (VERSIONS / f"{version}.{kind}.sql").read_text(encoding="utf-8")
        if kind == "sqlite":
            path = Path(str(opened.url.database))
            path.parent.mkdir()
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(script)
        else:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(script.encode())
        return opened

    return filled
