"""A copy of the database to keep elsewhere, the way back, and a look at what it holds.

By the databases' own means: SQLite's online backup, ``pg_dump`` and ``pg_restore``. All can be done
while the dashboard runs.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess  # nosec B404 # PostgreSQL's own programs
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select

from distpriv.errors import StoreError
from distpriv.store.audit import check_trail
from distpriv.store.damage import free_name, is_damaged
from distpriv.store.engine import Store
from distpriv.store.failures import DamagedError
from distpriv.store.models import SCHEMA, LimitRow, ReleaseRow, RevisionRow
from distpriv.store.trail import OLD

__all__ = ["Holdings", "backup", "holdings", "restore"]

_SECONDS = 3600  # that PostgreSQL's programs may take
_NO_BACKUP = "is no backup of a distpriv database; choose the file that the backup was written to"


@dataclass(frozen=True)
class Holdings:
    """What a database holds, counted, and what is wrong with it.

    Attributes
    ----------
    place : str
    decisions, releases, limits : int
    last : datetime or None
        When the last release was drawn.
    wrong : tuple of str
        What the audit trail shows, and rows that cannot be read; empty if all is as it was written.
    head : str
        Of the trail, to be kept elsewhere.
    """

    place: str
    decisions: int
    releases: int
    limits: int
    last: datetime | None
    wrong: tuple[str, ...]
    head: str


def holdings(store: Store) -> Holdings:
    """Look at a database as a whole.

    Parameters
    ----------
    store : Store

    Raises
    ------
    StoreError
        If it does not answer; DamagedError if its file is damaged.
    """
    with store.reading() as session:
        old = session.info.get(OLD) is not None
        decisions = session.scalar(select(func.count(RevisionRow.decision.distinct())))
        releases = session.scalar(select(func.count()).select_from(ReleaseRow))
        last = session.scalar(select(func.max(ReleaseRow.at)))
        agreed = select(func.count(LimitRow.agreement.distinct()))
        limits = session.scalar(agreed) if store.has_limits else 0
    found = None if old else check_trail(store)
    return Holdings(
        store.place,
        decisions or 0,
        releases or 0,
        limits or 0,
        last,
        () if found is None else found.wrong,
        "" if found is None else found.head,
    )


def backup(store: Store, file: Path) -> None:
    """Write a copy of all that a database holds at one moment.

    Parameters
    ----------
    store : Store
    file : Path
        There must be none of that name. Nobody else may read it: names of people stand in it.

    Raises
    ------
    StoreError
        If the database cannot be read or the file not written; no part of it is left then.
    """
    store.check_readable()
    if file.exists():
        raise StoreError(f"{file} is there already; choose another name.")
    part = file.with_name(f"{file.name}.part")
    try:
        with suppress(FileNotFoundError):
            part.unlink()
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        if store.file is None:
            _program(store, "pg_dump", "--format=custom", "--no-owner", f"--file={part}")
        else:
            with _sqlite(store.file) as source, _sqlite(part) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")  # one file, whole by itself
        part.rename(file)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{file} cannot be written: {error}.") from None
    finally:
        part.unlink(missing_ok=True)


def restore(store: Store, file: Path) -> Path | None:
    """Have a database hold what a backup holds, all or nothing.

    What it held is kept beside it where it is an SQLite file; of a server take a backup first.
    Tables of an earlier version are brought up to date.

    Parameters
    ----------
    store : Store
    file : Path
        As `backup` wrote it.

    Returns
    -------
    Path or None
        Where what it held is kept; None if it held nothing, or is a server's.

    Raises
    ------
    StoreError
        If the file is no such backup, or the database cannot be written; it is as it was then.
    """
    if not file.is_file():
        raise StoreError(f"{file} is not there; check its name.")
    if store.file is None:
        listed = _program(store, "pg_restore", "--list", str(file), connected=False)
        if " distpriv_schema " not in listed:
            raise StoreError(f"{file} {_NO_BACKUP}.")
        _program(
            store,
            "pg_restore",
            *("--clean", "--if-exists", "--single-transaction", "--exit-on-error", "--no-owner"),
            str(file),
        )
        before = None
    else:
        before = _restored(store, store.file, file)
    store.close()
    store.check_writable()
    return before


def _restored(store: Store, live: Path, file: Path) -> Path | None:
    try:
        _check_backup(file)
        before = _before(store, live)
        with _sqlite(file) as source, _sqlite(live) as target:
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"The {store.place} cannot be restored: {error}.") from None
    return before


def _before(store: Store, live: Path) -> Path | None:
    if not live.exists():
        live.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(live, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return None
    try:
        store.check_readable()
    except DamagedError:
        return store.set_aside()
    backup(store, kept := free_name(live, "before"))
    return kept


def _check_backup(file: Path) -> None:
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as source:
        try:
            damaged = is_damaged(source)
            version = source.execute("SELECT version FROM distpriv_schema").fetchone()
        except sqlite3.Error:
            raise StoreError(f"{file} {_NO_BACKUP}.") from None
    if damaged:
        raise StoreError(f"{file} is damaged; choose another backup.")
    if version is None or version[0] > SCHEMA:
        raise StoreError(f"{file} is a backup of a later distpriv; update distpriv first.")


@contextmanager
def _sqlite(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, timeout=20)) as connection:
        yield connection


def _program(store: Store, name: str, *options: str, connected: bool = True) -> str:
    """Run one of PostgreSQL's programs; its password stands in the environment, not in a list."""
    program = shutil.which(name)
    if program is None:
        raise StoreError(
            f"{name} is not installed here; install PostgreSQL's client programs, of the server's "
            "version or later."
        )
    url = store.url.set(drivername="postgresql")
    environment = dict(os.environ)
    if url.password:
        environment["PGPASSWORD"] = str(url.password)
    target = [f"--dbname={url._replace(password=None).render_as_string()}"] if connected else []
    try:
        done = subprocess.run(  # nosec B603 # no shell
            [program, *target, *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise StoreError(
            f"{name} did not end on the {store.place} within an hour; run it by hand."
        ) from None
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it does not say why"])[0]
        raise StoreError(f"{name} failed on the {store.place}: {said}")
    return done.stdout
