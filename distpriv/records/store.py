"""The database of decisions and releases: where it lies, and the one way to read and write it.

SQLite in the user's data folder by default, PostgreSQL by its address. One row, the mark, holds the
database's identity and counts its writes. A store remembers the highest count that it has read, so
that a database which was removed, emptied, replaced or put back to an older state while a process
runs is noticed at its next use. A write is acknowledged once a new connection has read it back.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    DateTime,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    NullPool,
    Select,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    create_engine,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from distpriv.errors import StoreError

__all__ = ["Store", "address"]

_SCHEMA = 1  # version of the tables; another one is refused
_LOCK = 7211983  # any number, the same in all processes that make the tables


class _Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps no zone, and gets it back here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: object) -> datetime | None:  # noqa: ARG002
        return value and (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)


_TABLES = MetaData()


def _entries(name: str, *columns: Column[Any] | UniqueConstraint) -> Table:
    """Name a table of entries that are added and never changed."""
    return Table(
        name,
        _TABLES,
        Column("number", Integer, primary_key=True, autoincrement=False),
        Column("token", String(64), unique=True),
        Column("at", _Moment, nullable=False),
        Column("author", Text, nullable=False),
        Column("reason", Text, nullable=False),
        Column("name", Text, nullable=False, index=True),
        Column("fingerprint", String(128), nullable=False, index=True),
        Column("body", JSON, nullable=False),
        *columns,
    )


MARK = Table(
    "distpriv_mark",
    _TABLES,
    Column("id", String(32), primary_key=True),
    Column("schema", Integer, nullable=False),
    Column("writes", Integer, nullable=False),
)
DECISIONS = _entries(
    "distpriv_decisions",
    Column("key", String(32), nullable=False),
    Column("version", Integer, nullable=False),
    Column("act", String(16), nullable=False),
    UniqueConstraint("key", "version"),
)
RELEASES = _entries(
    "distpriv_releases",
    Column("kind", String(16), nullable=False),
    Column("decision", String(32), nullable=False),
)
NAMES = Table(
    "distpriv_names",
    _TABLES,
    Column("folded", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("key", LargeBinary, nullable=False),
    # Of the first balanced release: which records it keeps, and their ranks one after the other.
    Column("choice", JSON(none_as_null=True)),
    Column("ranks_without", LargeBinary),
    Column("ranks_with", LargeBinary),
    Column("fingerprint_of_choice", String(128)),
)
FINGERPRINTS = Table(
    "distpriv_fingerprints",
    _TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("fingerprint", String(128), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("about", JSON, nullable=False),
)


def address(url: str | None = None) -> URL:
    """Read an address: ``DISTPRIV_DATABASE`` by default, else a file in the user's data folder.

    Raises
    ------
    StoreError
        If it is none of PostgreSQL or of a file of SQLite.
    """
    url = (os.environ.get("DISTPRIV_DATABASE", "") if url is None else url).strip()
    if not url:
        folder = os.environ.get("XDG_DATA_HOME", "")
        try:
            home = Path(folder) if Path(folder).is_absolute() else Path.home() / ".local" / "share"
        except RuntimeError:
            raise StoreError("There is no home folder here; set DISTPRIV_DATABASE.") from None
        return URL.create("sqlite", database=str(home / "distpriv" / "distpriv.sqlite"))
    try:
        read = make_url(url)
        kind = read.get_backend_name()
    except (ArgumentError, ValueError):
        kind = ""
    if kind in ("postgres", "postgresql"):
        return read.set(drivername="postgresql+psycopg")
    file = read.database or "" if kind == "sqlite" else ""
    if not file or read.query or file.startswith((":", "file:")):
        raise StoreError(
            "DISTPRIV_DATABASE must look like postgresql://user@host/name or "
            "sqlite:////folder/file.sqlite."
        )
    return URL.create("sqlite", database=str(Path(file).absolute()))


@contextmanager
def legible() -> Iterator[None]:
    """Stop everything where an entry cannot be read, for it may count."""
    try:
        yield
    except (TypeError, AttributeError, LookupError, ValueError):
        raise StoreError(
            "The database holds an entry that cannot be read; put a copy back. Nothing is released."
        ) from None


def rows(connection: Connection, query: Select[Any]) -> list[Any]:
    """Fetch all rows of a query; StoreError if one cannot be read."""
    with legible():
        return list(connection.execute(query).all())


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
        See :func:`address`.
    seconds : float
        Longest time that it may take to answer, and to let a writer in.
    """

    def __init__(self, url: str | None = None, seconds: float = 10.0) -> None:
        self._url, self._seconds = address(url), seconds
        self._file = Path(str(self._url.database)) if self._url.drivername == "sqlite" else None
        self._place = f"SQLite file {self._file.name}" if self._file else "PostgreSQL database"
        self._engine = self._sqlite() if self._file else self._postgres()
        self._mark: tuple[str, int] | None = None
        self._guard = threading.Lock()

    def __repr__(self) -> str:
        return f"Store({self._place})"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection that reads the state of one moment; raises StoreError."""
        with self._transaction() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a connection that writes all or nothing, alone.

        What is read in it still holds at its end. Then it is on disk and was read back. Raises
        StoreError: nothing was written, or it says that it may have been.
        """
        count = MARK.update().values(writes=MARK.c.writes + 1).returning(MARK.c.writes)
        with self._transaction("Nothing was written.") as connection:
            yield connection
            written = connection.scalar(count)
        with self._transaction(reading_back=True) as connection:
            if connection.scalar(select(MARK.c.writes)) < written:
                raise StoreError(self._changed("does not hold what was just written"))

    @contextmanager
    def _transaction(
        self, writing: str = "", *, reading_back: bool = False
    ) -> Iterator[Connection]:
        unsure = " It may have been written: try again, and it counts once."
        outcome = unsure if reading_back else f" {writing}".rstrip()
        late = threading.Event()
        try:
            before = self._mark
            if before is None:
                self._make(late)
            elif self._file and not self._file.exists():  # SQLite would make an empty one
                raise StoreError(self._changed("is gone"))
            with self._connection(late) as connection:
                if self._file:
                    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
                elif not writing:
                    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                self._check(connection, before, lock=bool(writing))
                yield connection
                if writing:
                    outcome = unsure
                    connection.commit()
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            reason = self._reason(error)
            if late.is_set():
                reason = f"did not answer within {self._seconds:g} seconds; try again later"
            raise StoreError(f"The {self._place} {reason}.{outcome}") from None

    @contextmanager
    def _connection(self, late: threading.Event) -> Iterator[Connection]:
        """Connect, and hang up when the time is over: a frozen server keeps no limit of its own."""
        ends: list[Callable[[], object]] = []

        def hang_up() -> None:
            late.set()
            with suppress(OSError, sqlite3.Error):
                for end in ends:
                    end()

        timer = threading.Timer(self._seconds, hang_up)
        timer.daemon = True
        line: socket.socket | None = None
        try:
            with self._engine.connect() as connection:
                raw: Any = connection.connection.driver_connection
                if self._file:
                    ends.append(raw.interrupt)
                else:  # a copy, for the number of a closed one may soon be another's
                    line = socket.socket(fileno=os.dup(raw.fileno()))
                    ends.append(partial(line.shutdown, socket.SHUT_RDWR))
                timer.start()
                yield connection
        finally:
            timer.cancel()
            if line:
                line.close()

    def _check(self, connection: Connection, before: tuple[str, int] | None, *, lock: bool) -> None:
        """Compare the mark with what was read before; a writer locks it."""
        row = None
        if inspect(connection).has_table(MARK.name):
            query = select(MARK)
            row = connection.execute(query.with_for_update() if lock else query).one_or_none()
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
            "or start the server anew if that is meant."
        )

    def _make(self, late: threading.Event) -> None:
        """Make the tables where there are none yet; of several processes one does."""
        if self._file and not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileExistsError):  # names stand in it: nobody else may read it
                os.close(os.open(self._file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with self._connection(late) as connection:
            if inspect(connection).has_table(MARK.name):
                return
            connection.rollback()
            if self._file:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            if not inspect(connection).has_table(MARK.name):
                _TABLES.create_all(connection)
                connection.execute(MARK.insert().values(id=uuid4().hex, schema=_SCHEMA, writes=0))
            connection.commit()

    def _sqlite(self) -> Engine:
        options = {"timeout": self._seconds / 2, "check_same_thread": False}
        engine = create_engine(self._url, poolclass=NullPool, connect_args=options)

        @event.listens_for(engine, "connect")
        def prepare(connection: Any, _: object) -> None:
            connection.isolation_level = None  # transactions begin where `_transaction` says
            connection.execute("PRAGMA synchronous = EXTRA")

        return engine

    def _postgres(self) -> Engine:
        wait = int(1000 * self._seconds / 2)
        options = {
            "connect_timeout": max(int(self._seconds / 2), 2),
            "options": f"-c statement_timeout={wait} -c lock_timeout={wait} "
            f"-c synchronous_commit=on -c idle_in_transaction_session_timeout={2 * wait}",
        }
        try:
            return create_engine(self._url, poolclass=NullPool, connect_args=options)
        except ModuleNotFoundError:
            raise StoreError(
                "PostgreSQL needs psycopg; pip install 'distpriv[postgres]'."
            ) from None

    def _reason(self, error: BaseException) -> str:
        """Say what a failure means, without the driver's words, which may hold an address."""
        cause: Any = getattr(error, "orig", None) or error
        code = getattr(cause, "sqlite_errorcode", None)
        state = getattr(cause, "sqlstate", None) or ""
        words = str(cause).lower()
        for reason, codes, states, numbers, parts in _REASONS:
            if code is not None:
                fits = code in codes or code & 0xFF in codes
            elif state:
                fits = state.startswith(states)
            else:
                fits = getattr(cause, "errno", None) in numbers or any(x in words for x in parts)
            if fits:
                return reason
        if self._file:
            return "cannot be opened; check that it and its folder can be read and written"
        return "cannot be reached; check that it is there, and DISTPRIV_DATABASE"


# What it means; SQLite's codes; PostgreSQL's states; the system's numbers; words where none is.
_Reason = tuple[str, tuple[int, ...], tuple[str, ...], tuple[int, ...], tuple[str, ...]]
_REASONS: tuple[_Reason, ...] = (
    ("was moved or replaced while the server runs; put it back", (1032,), (), (), ()),
    ("is damaged or no database of distpriv; put a copy back", (11, 26), (), (), ("decode",)),
    (
        "can be read but not written; allow that",
        (8, 3, 23),
        ("25006", "42501"),
        (13, 1, 30),
        ("permission denied",),
    ),
    ("is busy; try again in a moment", (5, 6, 9), ("55P03", "57014", "40"), (), ()),
    ("has no space left; make some", (13,), ("53100",), (28, 122, 27), ()),
    ("cannot be read or written where it lies; look at the disk", (10,), ("58",), (5,), ()),
    ("has no connection left; try again in a moment", (), ("53",), (), ("too many", "slots")),
    (
        "refuses the user or password; check DISTPRIV_DATABASE",
        (),
        ("28",),
        (),
        ("authentication", "no password"),
    ),
    (
        "does not exist; create it, or check DISTPRIV_DATABASE",
        (),
        ("3D",),
        (),
        ("does not exist",),
    ),
    ("was changed by somebody else; look at it again", (19,), ("23",), (), ()),
    ("has other tables than distpriv's; check DISTPRIV_DATABASE", (1,), ("42",), (), ()),
)
