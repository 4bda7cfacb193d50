"""A damaged SQLite file: how it is noticed, and how it is kept aside for a new one to begin."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["free_name", "is_damaged", "move_aside"]

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BESIDE = ("-wal", "-shm")  # what SQLite keeps beside a file that is in use


def is_damaged(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds a file's pages damaged; what its rows say it cannot judge.

    Parameters
    ----------
    connection : sqlite3.Connection

    Raises
    ------
    sqlite3.Error
        If it cannot be read for another reason.
    """
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in _DAMAGED:
            return True
        raise


def move_aside(file: Path) -> Path | None:
    """Give a damaged file another name in its folder; None if it is not damaged.

    Of several who do so at once one does; the others find nothing damaged any more. Ended in the
    middle, it leaves the file where it is, or moved, and never a part of the old beside a new one.

    Parameters
    ----------
    file : Path

    Returns
    -------
    Path or None
        Where it is kept.

    Raises
    ------
    sqlite3.Error, OSError
        If it cannot be read or moved.
    """
    with _alone(file.parent):
        if not file.exists():
            return None
        with closing(sqlite3.connect(file, timeout=5)) as connection:
            if not is_damaged(connection):
                return None
        kept = free_name(file, "damaged")
        for end in _BESIDE:
            with suppress(FileNotFoundError):
                shutil.copy2(f"{file}{end}", f"{kept}{end}")
        file.rename(kept)
        for end in _BESIDE:  # left behind they would be taken for the new file's
            Path(f"{file}{end}").unlink(missing_ok=True)
        return kept


def free_name(file: Path, what: str) -> Path:
    """A name beside a file for what it was: with what that is, and when it was put there.

    Parameters
    ----------
    file : Path
    what : str
    """
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = (f"{stamp}-{count}" if count > 1 else stamp for count in range(1, 1000))
    beside = (file.with_name(f"{file.stem}.{what}-{name}{file.suffix}") for name in names)
    return next(each for each in beside if not each.exists())


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While nobody else has it; a lock on a file would be lost as soon as anybody closed that."""
    try:
        import fcntl
    except ImportError:  # Windows does not rename a file that is open
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
