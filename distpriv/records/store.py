"""The database of decisions and releases: where it lies, and the one way to read and write it.

SQLite in the user's data folder by default, PostgreSQL by its address. One row, the mark, holds the
database's identity and counts its writes. A store remembers the highest count that it has read, so
that a database which was removed, emptied, replaced or put back to an older state while a process
runs is noticed at its next use. A write is acknowledged once a new connection has read it back.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from distpriv.errors import StoreError

__all__ = ["Store"]

_SCHEMA = 1  # version of the tables; another one is refused
_LOCK = 7211983  # any number, the same in all processes that make the tables
_UNSURE = "It may have been written: try again, and it counts once."
_ADDRESS = (
    "The address of the database (ledger=, or DISTPRIV_DATABASE) must look like "
    "postgresql://user@host/name or sqlite:////folder/file.sqlite."
)
# What a failure means, and how it is recognised: SQLite's codes (s), PostgreSQL's states or their
# classes, the system's numbers (e), and words of a driver's message that has none of these.
_REASONS = {
    "was moved or replaced while the server runs; put it back": "s1032",
    "is damaged or no database of distpriv; put a copy back": "s11 s26 decode",
    "can be read but not written; allow that": "s8 s3 s23 25006 42501 e1 e13 e30 denied",
    "is busy; try again in a moment": "s5 s6 s9 55P03 57014 40",
    "has no space left; make some": "s13 53100 e27 e28 e122",
    "cannot be read or written where it is; look at the disk": "s10 58 e5",
    "has no connection left; try again in a moment": "53 clients slots",
    "refuses the user or password; check DISTPRIV_DATABASE": "28 authentication password pg_hba",
    "does not exist; create it, or check DISTPRIV_DATABASE": "3D exist",
    "was changed by someone else; look at it again": "s19 23",
    "has other tables than distpriv's; check DISTPRIV_DATABASE": "s1 42",
}


_TABLES = sa.MetaData()
_TEXT = partial(sa.Column, type_=sa.Text, nullable=False)
_JSON, _BYTES = partial(sa.Column, type_=sa.JSON), partial(sa.Column, type_=sa.LargeBinary)


def _table(name: str, *columns: sa.Column[Any]) -> sa.Table:
    number = sa.Column("number", sa.Integer, primary_key=True, autoincrement=False)
    return sa.Table(f"distpriv_{name}", _TABLES, number, *columns)


def _entries(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """Name a table of entries, which are added and never changed."""
    texts = map(_TEXT, ("at", "author", "reason", "name", "fingerprint"))
    token = sa.Column("token", sa.String(64), unique=True)
    return _table(name, *texts, token, _JSON("body", nullable=False), *columns)


_MARK = _table("mark", _TEXT("id"), *(sa.Column(name, sa.Integer) for name in ("schema", "writes")))
DECISIONS = _entries("decisions", _TEXT("key"), sa.Column("version", sa.Integer), _TEXT("act"))
RELEASES = _entries("releases", _TEXT("kind"), _TEXT("decision"))
_FOLDED, _FINGERPRINT = _TEXT("folded", unique=True), _TEXT("fingerprint", unique=True)
NAMES = _table("names", _TEXT("name"), _FOLDED, _BYTES("key"), _JSON("choice"), _BYTES("ranks"))
FINGERPRINTS = _table("fingerprints", _FINGERPRINT, _TEXT("name"), _JSON("about"))


@contextmanager
def legible() -> Iterator[None]:
    """Stop everything where an entry cannot be read, for it may count."""
    try:
        yield
    except (TypeError, AttributeError, LookupError, StopIteration, ValueError):
        raise StoreError(
            "The database holds an entry that cannot be read; put a copy back. Nothing is released."
        ) from None


def rows(connection: sa.Connection, table: sa.Table, **values: object) -> list[Any]:
    """Fetch the rows of a table that have these values, in the order in which they were written."""
    query = sa.select(table).filter_by(**values).order_by(table.c.number)
    with legible():
        return list(connection.execute(query).all())


def add(connection: sa.Connection, table: sa.Table, **values: object) -> None:
    """Write a row whose number is one more than the last, so that there are no gaps."""
    last = connection.scalar(sa.select(sa.func.max(table.c.number))) or 0
    connection.execute(table.insert().values(number=last + 1, **values))


def plain(value: object, what: str) -> Any:
    """Return a value as JSON gives it back; StoreError if JSON has no form for it."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise StoreError(f"{what} must be finite numbers and texts. Nothing was written.") from None


class Store:
    """A database that is connected to anew whenever something is read or written.

    Parameters
    ----------
    url : str, optional
        ``postgresql://user@host/name`` or ``sqlite:////folder/file.sqlite``; by default
        ``DISTPRIV_DATABASE`` of the environment, else a file in the user's data folder.
    seconds : float
        Longest time that it may take to answer, and to let a writer in; then, and whenever it
        cannot be used, StoreError.
    """

    def __init__(self, url: str | None = None, seconds: float = 10.0) -> None:
        if not isinstance(url, str | None):
            raise StoreError(f"{type(url).__name__} is not the address of a database; pass a str.")
        address, wait = _address(url), int(500 * seconds)
        self._seconds, self._guard = seconds, threading.Lock()
        self._mark: tuple[str, int] | None = None
        self._file = Path(str(address.database)) if address.drivername == "sqlite" else None
        self._place = f"SQLite file {self._file.name}" if self._file else "PostgreSQL database"
        options: dict[str, Any] = {
            "connect_timeout": max(int(seconds / 2), 2),
            "options": f"-c statement_timeout={wait} -c lock_timeout={wait} "
            f"-c synchronous_commit=on -c idle_in_transaction_session_timeout={2 * wait}",
        }
        if self._file:  # transactions begin where `_transaction` says
            options = {"timeout": wait / 1000, "check_same_thread": False, "isolation_level": None}
        try:
            self._engine = sa.create_engine(address, poolclass=sa.NullPool, connect_args=options)
        except ModuleNotFoundError:
            raise StoreError(
                "PostgreSQL needs psycopg; pip install 'distpriv[postgres]'."
            ) from None

    def __repr__(self) -> str:
        return f"Store({self._place})"

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a connection that reads the state of one moment; raises StoreError."""
        with self._transaction() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open a connection that writes all or nothing, alone.

        What is read in it still holds at its end; then it is on disk and was read back. Raises
        StoreError: nothing was written, or it says that it may have been.
        """
        count = _MARK.update().values(writes=_MARK.c.writes + 1).returning(_MARK.c.writes)
        with self._transaction("Nothing was written.", write=True) as connection:
            yield connection
            written = connection.scalar(count)
        with self._transaction(_UNSURE) as connection:
            if connection.scalar(sa.select(_MARK.c.writes)) < written:
                raise StoreError(self._changed("does not hold what was just written"))

    @contextmanager
    def _transaction(self, outcome: str = "", *, write: bool = False) -> Iterator[sa.Connection]:
        late = threading.Event()
        try:
            if self._mark is None:
                self._make(late)
            elif self._file and not self._file.exists():  # SQLite would make an empty one
                raise StoreError(self._changed("is gone"))
            with self._connection(late) as connection:
                if self._file:
                    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
                elif not write:
                    level = "ISOLATION LEVEL REPEATABLE READ, READ ONLY"  # all of one moment
                    connection.exec_driver_sql(f"SET TRANSACTION {level}")
                self._check(connection, lock=write)
                yield connection
                if write:
                    outcome = _UNSURE
                    connection.commit()
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            reason = self._reason(error)
            if late.is_set():
                reason = f"did not answer within {self._seconds:g} seconds; try again later"
            raise StoreError(f"The {self._place} {reason}. {outcome}".rstrip()) from None

    @contextmanager
    def _connection(self, late: threading.Event) -> Iterator[sa.Connection]:
        """Connect, and hang up when the time is over: a frozen server keeps no limit of its own."""
        line: socket.socket | None = None
        end: Callable[[], object] = late.set

        def hang_up() -> None:
            late.set()
            with suppress(OSError, sqlite3.Error):
                end()

        timer = threading.Timer(self._seconds, hang_up)
        timer.daemon = True
        try:
            with self._engine.connect() as connection:
                raw: Any = connection.connection.driver_connection
                if self._file:
                    connection.exec_driver_sql("PRAGMA synchronous = EXTRA")
                    end = raw.interrupt
                else:  # a copy, for the number of a closed one may soon be another's
                    line = socket.socket(fileno=os.dup(raw.fileno()))
                    end = partial(line.shutdown, socket.SHUT_RDWR)
                timer.start()
                yield connection
        finally:
            timer.cancel()
            if line:
                line.close()

    def _check(self, connection: sa.Connection, *, lock: bool) -> None:
        """Compare the mark with what was read before; a writer locks it."""
        row, before = None, self._mark
        if sa.inspect(connection).has_table(_MARK.name):
            query = sa.select(_MARK).with_for_update() if lock else sa.select(_MARK)
            row = connection.execute(query).one_or_none()
        if row is None:
            raise StoreError(self._changed("was emptied"))
        if row.schema != _SCHEMA:
            raise StoreError(
                f"The {self._place} has tables of version {row.schema} and this distpriv needs "
                f"{_SCHEMA}; use the distpriv that made it, or another database."
            )
        if before and (row.id != before[0] or row.writes < before[1]):
            what = "another" if row.id != before[0] else "an older state of itself"
            raise StoreError(self._changed(f"was replaced by {what}"))
        with self._guard:
            self._mark = (row.id, max(row.writes, self._mark[1] if self._mark else 0))

    def _changed(self, how: str) -> str:
        return (
            f"The {self._place} {how} while the server runs, so nothing is released; put it back, "
            "or restart the server if that is meant."
        )

    def _make(self, late: threading.Event) -> None:
        """Make the tables where there are none yet; of several processes one does."""
        if self._file and not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileExistsError):  # names stand in it: nobody else may read it
                os.close(os.open(self._file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with self._connection(late) as connection:
            if sa.inspect(connection).has_table(_MARK.name):
                return
            connection.rollback()
            lock = "BEGIN IMMEDIATE" if self._file else f"SELECT pg_advisory_xact_lock({_LOCK})"
            connection.exec_driver_sql(lock)
            if not sa.inspect(connection).has_table(_MARK.name):
                _TABLES.create_all(connection)
                add(connection, _MARK, id=uuid4().hex, schema=_SCHEMA, writes=0)
            connection.commit()

    def _reason(self, error: BaseException) -> str:
        """Say what a failure means, without the driver's words, which may hold an address."""
        cause: Any = getattr(error, "orig", None) or error
        names = ("sqlite_errorcode", "sqlstate", "errno")
        code, state, number = (getattr(cause, name, None) for name in names)
        signs = {f"s{code}", f"s{(code or 0) & 0xFF}", f"{state}", f"{state}"[:2], f"e{number}"}
        if code is state is number is None:
            signs = {*re.findall(r"\w+", str(cause).lower())}
        for reason, ways in _REASONS.items():
            if signs & {*ways.split()}:
                return reason
        if self._file:
            return "cannot be opened; check that it and its folder can be read and written"
        return "cannot be reached; check that it is there, and DISTPRIV_DATABASE"


def _address(url: str | None) -> sa.URL:
    """Read an address, see `Store`."""
    url = (os.environ.get("DISTPRIV_DATABASE", "") if url is None else url).strip()
    try:
        if not url:
            folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
            return sa.URL.create("sqlite", database=str(folder / "distpriv" / "distpriv.sqlite"))
        address = sa.make_url(url)
        kind, file = address.get_backend_name(), address.database or ""
    except (SQLAlchemyError, ValueError, RuntimeError):  # RuntimeError: there is no home folder
        raise StoreError(_ADDRESS) from None
    if kind == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if kind != "sqlite" or not file or address.query or file.startswith((":", "file:")):
        raise StoreError(_ADDRESS)
    return sa.URL.create("sqlite", database=str(Path(file).absolute()))
