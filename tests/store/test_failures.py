"""Every failure in a sentence that says what to do, whatever the language of the driver."""

from __future__ import annotations

import errno
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError, ProgrammingError

from distpriv.errors import StoreError
from distpriv.store import Store, ledger, open_store, record
from distpriv.store.failures import DamagedError, failure
from tests.store.writers import entry


def told(original: Exception, *, sqlite: bool) -> StoreError:
    return failure(OperationalError("SELECT 1", {}, original), "database", sqlite=sqlite)


def of_sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("nonsense")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_READONLY_DBMOVED, "can be read but not written"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "is busy"),
        (sqlite3.SQLITE_FULL, "has no space left"),
        (sqlite3.SQLITE_IOERR_WRITE, "the disk fails, or a file cannot grow"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "is damaged"),
        (sqlite3.SQLITE_CANTOPEN, "cannot be opened"),
        (sqlite3.SQLITE_ERROR, "refused that"),
        (sqlite3.SQLITE_NOMEM, "cannot be opened"),
    ],
)
def test_of_sqlite_by_its_code(code: int, said: str) -> None:
    found = told(of_sqlite(code), sqlite=True)
    assert said in str(found)
    assert "nonsense" not in str(found)
    assert isinstance(found, DamagedError) == ("damaged" in said)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (psycopg.errors.ReadOnlySqlTransaction, "can be read but not written"),
        (psycopg.errors.InsufficientPrivilege, "does not allow it"),
        (psycopg.errors.LockNotAvailable, "is busy"),
        (psycopg.errors.QueryCanceled, "is busy"),
        (psycopg.errors.DeadlockDetected, "is busy"),
        (psycopg.errors.DiskFull, "has no space left"),
        (psycopg.errors.TooManyConnections, "has no connection left"),
        (psycopg.errors.IoError, "the disk fails"),
        (psycopg.errors.InvalidPassword, "refuses the user or password"),
        (psycopg.errors.InvalidCatalogName, "does not exist"),
        (psycopg.errors.AdminShutdown, "cannot be reached"),
        (psycopg.errors.CannotConnectNow, "cannot be reached"),
        (psycopg.OperationalError, "cannot be reached"),
    ],
)
def test_of_postgresql_by_its_state(error: type[psycopg.Error], said: str) -> None:
    assert said in str(told(error("Unsinn"), sqlite=False))


def test_of_postgresql_what_is_no_outage_is_not_called_one() -> None:
    error = ProgrammingError("SELECT 1", {}, psycopg.errors.UndefinedTable("Unsinn"))
    assert "refused that" in str(failure(error, "database", sqlite=False))


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.ENOSPC, "no space"), (errno.EROFS, "not written"), (errno.ENOTDIR, "cannot be opened")],
)
def test_of_the_system_by_its_number(number: int, said: str) -> None:
    assert said in str(failure(OSError(number, "nonsense"), "database", sqlite=True))


def test_a_full_database_keeps_what_it_has_and_takes_more_when_there_is_space(
    tmp_path: Path,
) -> None:
    """SQLite's own limit of pages, which it meets as it meets a full disk."""
    store = open_store(f"sqlite:///{tmp_path}/kept.sqlite")
    record(store, entry("first"))
    most = [0]

    def limited(connection: sqlite3.Connection, _record: object) -> None:
        if most[0]:
            connection.execute(f"PRAGMA max_page_count = {most[0]}")

    event.listen(store._engine, "connect", limited)
    with closing(sqlite3.connect(tmp_path / "kept.sqlite")) as connection:
        (most[0],) = connection.execute("PRAGMA page_count").fetchone()

    def until_full() -> None:
        for place in range(100):
            record(store, entry("again", note=f"{place}" * 200))
            kept.append(place)

    kept: list[int] = []
    with pytest.raises(StoreError, match="has no space left; make some"):
        until_full()
    assert len(ledger(store)) == 1 + len(kept)
    most[0] = 0
    record(store, entry("later"))
    assert len(ledger(store)) == 2 + len(kept)
    store.close()


_UNTIL_FULL = """
import resource, signal, sys
from distpriv.errors import StoreError
from distpriv.store import ledger, open_store, record
from tests.store.writers import entry

store = open_store(sys.argv[1])
record(store, entry("first"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
kept = 1
try:
    for place in range(1000):
        record(store, entry("again", note="long " * 99))
        kept += 1
except StoreError as error:
    print(error)
print(kept, len(ledger(store)))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
record(store, entry("later"))
print(len(ledger(store)))
"""


def test_a_file_that_the_system_lets_grow_no_more(tmp_path: Path) -> None:
    """A real write that fails in the middle, in a process of its own; nothing is half there."""
    path = tmp_path / "kept.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", _UNTIL_FULL, f"sqlite:///{path}"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    said, counted, after = done.stdout.splitlines()
    assert "cannot be read or written where it lies" in said
    kept, found = map(int, counted.split())
    assert kept == found > 1
    assert int(after) == kept + 1
    store = Store(open_store(f"sqlite:///{path}").url)
    assert len(ledger(store)) == kept + 1
