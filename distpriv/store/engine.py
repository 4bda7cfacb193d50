"""The database: where it is, how it is opened, and its tables brought up to date."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from platformdirs import user_data_dir
from sqlalchemy import (
    Connection,
    Engine,
    NullPool,
    create_engine,
    delete,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from distpriv.errors import StoreError
from distpriv.store.damage import is_damaged, move_aside
from distpriv.store.failures import DamagedError, TakenError, damaged, failure
from distpriv.store.migrations import upgrade
from distpriv.store.models import SCHEMA, SchemaRow
from distpriv.store.trail import OLD, TellingSession

__all__ = ["Store", "database_url", "never_made", "open_store"]

_CONNECT_SECONDS = 3
_LOCK_SECONDS = 20
_POSTGRES_LOCK = 7_211_983  # of the advisory locks: tables are made, or one table's ledger changes
_READING = "distpriv_reading"

_LIMITS_SINCE = 2  # version of the tables


def database_url() -> URL:
    """Where the database is: ``DATABASE_URL``, else a file in the user's data folder.

    Raises
    ------
    StoreError
        If ``DATABASE_URL`` is no address of a PostgreSQL database or an SQLite file.
    """
    given = os.environ.get("DATABASE_URL", "").strip()
    if not given:
        folder = user_data_dir("distpriv", appauthor=False)
        return URL.create("sqlite", database=str(Path(folder) / "distpriv.sqlite"))
    return _normalised(given)


def _normalised(given: str) -> URL:
    try:
        url = make_url(given)
        kind = url.get_backend_name()
    except (ArgumentError, ValueError):
        raise StoreError(
            "DATABASE_URL cannot be read; it must look like postgresql://user@host/name or "
            "sqlite:////folder/file.sqlite."
        ) from None
    if kind in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise StoreError(
            f"DATABASE_URL must begin with postgresql:// or sqlite:///, got {kind[:20]!r}."
        )
    if not url.database or ":memory:" in url.database:
        raise StoreError(
            "DATABASE_URL names an SQLite database in memory, which would keep nothing; name a "
            "file: sqlite:////folder/file.sqlite."
        )
    return url.set(drivername="sqlite")


def never_made() -> bool:
    """Whether there certainly is no database: none is named, and the user's folder holds no file.

    Nobody can have agreed on a limit then. A database that is named and does not answer, or a file
    that cannot be looked for, may hold one.
    """
    if os.environ.get("DATABASE_URL", "").strip():
        return False
    try:
        Path(str(database_url().database)).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


@lru_cache(maxsize=16)
def _opened(url: URL) -> Store:
    return Store(url)


def open_store(url: str | URL | None = None) -> Store:
    """The database of an address, opened once in a process; it connects when it is used.

    Parameters
    ----------
    url : str or URL, optional
        As ``DATABASE_URL``; by default what :func:`database_url` says.

    Raises
    ------
    StoreError
        As `database_url`.
    """
    if url is None:
        return _opened(database_url())
    return _opened(_normalised(url) if isinstance(url, str) else url)


class Store:
    """A database that is connected to whenever something is read or written.

    Parameters
    ----------
    url : URL
        As :func:`database_url` makes it.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self._sqlite = url.get_backend_name() == "sqlite"
        named = str(url.database)
        # An address in SQLite's own form is left to SQLite.
        self._file = Path(named) if self._sqlite and not named.startswith("file:") else None
        self._prepared: tuple[int, int] | None = None  # which file it was when it was prepared
        self._old: int | None = None  # version of tables that are an older distpriv's
        self._preparing = threading.Lock()
        self._engine = _sqlite_engine(url) if self._sqlite else _postgres_engine(url)

    @property
    def place(self) -> str:
        """What it is and where, without user or password."""
        if self._sqlite:
            path, home = str(self.url.database), str(Path.home())
            inside = path.startswith(home + os.sep) and home != os.sep
            return f"SQLite file {'~' + path.removeprefix(home) if inside else path}"
        host, port = self.url.host or "this machine", self.url.port
        where = f"{host}:{port}" if port else host
        return f"PostgreSQL database {self.url.database or 'of that user'!s} on {where}"

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that only reads; raises StoreError."""
        engine = self._engine.execution_options(**{_READING: True})
        with self._session(engine, reading=True) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are kept at its end, all or none; raises StoreError."""
        with self._session(self._engine) as session:
            yield session
            session.commit()

    @contextmanager
    def exclusive(self, digest: str) -> Iterator[Session]:
        """As `writing`, while nobody else has an exclusive session about the same data.

        What is read in it is still so when it ends: releases and limits of one table are written
        in such sessions only. SQLite has one writer at a time anyway.

        Parameters
        ----------
        digest : str
            Fingerprint of the data.
        """
        with self.writing() as session:
            if not self._sqlite:
                # A number of 4 bytes: two tables that share one wait for each other, no more.
                about = int.from_bytes(
                    blake2b(digest.encode(errors="replace"), digest_size=4).digest(), signed=True
                )
                lock = text("SELECT pg_advisory_xact_lock(:kind, :about)")
                session.execute(lock, {"kind": _POSTGRES_LOCK, "about": about})
            yield session

    @property
    def has_limits(self) -> bool:
        """Whether its tables can hold limits; an older database that is only read cannot."""
        return self._old is None or self._old >= _LIMITS_SINCE

    @property
    def file(self) -> Path | None:
        """The SQLite file that it is; None if it is a server's, or named by an address."""
        return self._file

    def has_tables(self) -> bool:
        """Return whether the database is there with distpriv's tables; make neither.

        Raises
        ------
        StoreError
            If it cannot be reached or read, or its file is damaged.
        """
        try:
            if self._file is not None and not self._file.exists():
                return False
            with Session(self._engine.execution_options(**{_READING: True})) as session:
                return _schema(session) is not None
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise failure(error, self.place, sqlite=self._sqlite) from None

    def check_readable(self) -> None:
        """Raise StoreError if the database cannot be reached or read, or its file is damaged."""
        if self._file is not None:
            self._prepared = None  # a file is looked at as a whole when it is opened
        with self.reading() as session:
            session.execute(select(SchemaRow.version))

    def check_writable(self) -> None:
        """Raise StoreError if the database cannot be reached or written."""
        with self._session(self._engine) as session:
            session.add(SchemaRow(version=-1))
            session.flush()
            session.rollback()

    def set_aside(self) -> Path:
        """Keep a damaged SQLite file under another name beside it, and let a new one begin.

        Nothing of it counts any more: decisions, limits and the ledger begin empty.

        Returns
        -------
        Path
            Where it is kept.

        Raises
        ------
        StoreError
            If it is no file, is not damaged, or cannot be moved.
        """
        if self._file is None:
            raise StoreError(f"The {self.place} is no file that can be set aside.")
        try:
            with self._preparing:
                self._prepared = None
                kept = move_aside(self._file)
        except (sqlite3.Error, OSError) as error:
            raise failure(error, self.place, sqlite=True) from None
        if kept is None:
            raise StoreError(f"The {self.place} is not damaged; it stays as it is.")
        return kept

    def close(self) -> None:
        """Give connections back; it opens again when it is used."""
        self._engine.dispose()
        self._prepared = None

    @contextmanager
    def _session(self, engine: Engine, *, reading: bool = False) -> Iterator[Session]:
        try:
            self._prepare(reading)
            info = {OLD: self._old}
            with TellingSession(engine, expire_on_commit=False, info=info) as session:
                yield session
        except IntegrityError:
            raise TakenError("That is in the database already.") from None
        except (SQLAlchemyError, sqlite3.Error, OSError, UnicodeError) as error:
            raise failure(error, self.place, sqlite=self._sqlite) from None

    def _prepare(self, reading: bool) -> None:
        """Make the tables once; a file that was deleted or replaced meanwhile is looked at anew."""
        if self._prepared is not None and self._prepared == self._which():
            return
        with self._preparing:
            if self._file is not None:
                _make_file(self._file)
                self._check_file()
            with Session(self._engine.execution_options(**{_READING: True})) as session:
                version = _schema(session)
            if version is not None and version > SCHEMA:
                raise StoreError(
                    f"The {self.place} was made by a later version of distpriv; update distpriv, "
                    "or set DATABASE_URL to another database."  # nosec B608 # a sentence, no SQL
                )
            self._old = version if version is not None and version < SCHEMA else None
            if version != SCHEMA:
                try:
                    self._make_tables()
                except DBAPIError:
                    if not (reading and self._old is not None):
                        raise
                    return  # what is there can be read; who writes tries again
                self._old = None
            self._prepared = self._which()

    def _which(self) -> tuple[int, int] | None:
        """The file that has its name now; None if there is none."""
        if self._file is None:
            return 0, 0
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _check_file(self) -> None:
        """Look once whether the file is whole: what is lost in it would count for nothing."""
        with self._engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            # Readers do not wait for writers then; where it cannot be had it only costs time.
            with suppress(sqlite3.OperationalError):
                raw.execute("PRAGMA journal_mode = WAL")
            if is_damaged(raw):
                raise DamagedError(damaged(self.place))

    def _make_tables(self) -> None:
        """Make them, or bring them up to date, all or nothing; what they hold stays as it is."""
        with Session(self._engine) as session:
            if not self._sqlite:
                lock = text("SELECT pg_advisory_xact_lock(:key)")
                session.execute(lock, {"key": _POSTGRES_LOCK})
            version = _schema(session)
            if version is not None and version >= SCHEMA:
                return  # somebody else was faster
            upgrade(session.connection(), version, SCHEMA)
            session.execute(delete(SchemaRow))
            session.add(SchemaRow(version=SCHEMA))
            session.commit()


def _schema(session: Session) -> int | None:
    """Version of the tables, or None where there are none yet."""
    if not inspect(session.connection()).has_table(SchemaRow.__tablename__):
        return None
    return session.scalar(select(SchemaRow.version).limit(1))


def _make_file(path: Path) -> None:
    """The folder and an empty file that nobody else can read: names stand in it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _sqlite_engine(url: URL) -> Engine:
    # No pool: a connection costs a fraction of a millisecond, and none outlives its file.
    engine = create_engine(
        url,
        poolclass=NullPool,
        connect_args={"timeout": _LOCK_SECONDS, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def own_transactions(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver would begin them too late

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer takes its turn at once: one that began as a reader could not wait for it.
        reading = connection.get_execution_options().get(_READING)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def _postgres_engine(url: URL) -> Engine:
    options: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        "tcp_user_timeout": 1000 * _LOCK_SECONDS,
    }
    if "options" not in url.query:
        options["options"] = f"-c statement_timeout={1000 * _LOCK_SECONDS}"
    given = {key: value for key, value in options.items() if key not in url.query}
    try:
        return create_engine(
            url, pool_pre_ping=True, pool_size=5, max_overflow=20, connect_args=given
        )
    except ModuleNotFoundError:
        raise StoreError(
            "A database of PostgreSQL needs psycopg, which is not installed; install distpriv with "
            "the extra [postgres], in its folder by `pip install '.[postgres]'`."
        ) from None
