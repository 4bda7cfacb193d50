"""What a failure of the database means, in a sentence that says what to do."""

from __future__ import annotations

import errno
import sqlite3

from sqlalchemy.exc import InterfaceError, OperationalError

from distpriv.errors import StoreError

__all__ = ["DamagedError", "TakenError", "damaged", "failure"]


class TakenError(StoreError):
    """Somebody else has written that row already."""


class DamagedError(StoreError):
    """An SQLite file that is damaged, or none at all; it can be set aside."""


_DAMAGED = "is damaged or no database"
_ONLY_READ = "can be read but not written; allow that"
_NOT_ALLOWED = "does not allow it; give its user the right"
_BUSY = "is busy; try again in a moment"
_FULL = "has no space left; make some"
_DISK = "cannot be read or written where it lies: the disk fails, or a file cannot grow; look there"
_REFUSED = "refuses the user or password; check DATABASE_URL"
_MISSING = "does not exist; create it, or check DATABASE_URL"
_CROWDED = "has no connection left; try again in a moment"
_UNREACHED = "cannot be reached; check that it runs and that DATABASE_URL is right"
_UNOPENED = "cannot be opened; check that its folder exists and can be written"
_ELSE = "refused that; check that its tables are distpriv's own"

_OF_SQLITE = {
    sqlite3.SQLITE_ERROR: _ELSE,
    sqlite3.SQLITE_READONLY: _ONLY_READ,
    sqlite3.SQLITE_PERM: _NOT_ALLOWED,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_CANTOPEN: _UNOPENED,
}
# By SQLSTATE, or its class: the server's words may be in any language.
_OF_POSTGRES = {
    "25006": _ONLY_READ,
    "42501": _NOT_ALLOWED,
    "55P03": _BUSY,
    "57014": _BUSY,
    "40": _BUSY,
    "53100": _FULL,
    "53": _CROWDED,
    "58": _DISK,
    "28": _REFUSED,
    "3D": _MISSING,
    "08": _UNREACHED,
    "57P": _UNREACHED,
}
_OF_SYSTEM = {
    errno.EROFS: _ONLY_READ,
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EIO: _DISK,
}
# A connection that is refused bears no SQLSTATE.
_IN_WORDS = (
    (("authentication", "no password"), _REFUSED),
    (("too many", "connection slots"), _CROWDED),
    (("does not exist",), _MISSING),
    (("permission denied",), _NOT_ALLOWED),
)


def failure(error: BaseException, place: str, *, sqlite: bool) -> StoreError:
    """What an error of a database or of the system means.

    The driver's own words, which may tell too much, are left out.

    Parameters
    ----------
    error : SQLAlchemyError, sqlite3.Error, OSError or UnicodeError
    place : str
        What the database is and where.
    sqlite : bool
        Whether it is an SQLite file; else it is PostgreSQL.

    Returns
    -------
    DamagedError or StoreError
    """
    reason = _reason(getattr(error, "orig", None) or error)
    if reason == _DAMAGED:
        return DamagedError(damaged(place))
    if reason is None and isinstance(error, OperationalError | InterfaceError | OSError):
        reason = _UNOPENED if sqlite else _UNREACHED
    return StoreError(f"The {place} {reason or _ELSE}.")


def damaged(place: str) -> str:
    """What is said of a damaged file, by what it is and where."""
    return f"The {place} {_DAMAGED}; restore a backup, or set it aside."


def _reason(error: BaseException) -> str | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return _OF_SQLITE.get(code & 0xFF)
    state = getattr(error, "sqlstate", None)
    if state:
        return next((_OF_POSTGRES[state[:n]] for n in (5, 3, 2) if state[:n] in _OF_POSTGRES), None)
    if isinstance(error, OSError) and error.errno in _OF_SYSTEM:
        return _OF_SYSTEM[error.errno]
    said = str(error).lower()
    return next((reason for signs, reason in _IN_WORDS if any(s in said for s in signs)), None)
