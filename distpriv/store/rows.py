"""Rows that another version or another hand has written: told from the rest, and left alone."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import sqlalchemy
from sqlalchemy import JSON, ColumnElement, Float, Integer, String, select, text
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.orm.interfaces import ORMOption

from distpriv.store import trail
from distpriv.store.models import LimitRow, Moment, ReleaseRow, RevisionRow
from distpriv.store.trail import Vouched
from distpriv.words import listed

__all__ = ["BROKEN", "Found", "Unreadable", "check_fields", "collected", "read", "refused"]

T = TypeVar("T")
R = TypeVar("R", RevisionRow, ReleaseRow, LimitRow)
V = TypeVar("V", RevisionRow, LimitRow)

BROKEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What rows raise that are not as distpriv writes them."""

_KINDS: dict[type, Literal["decision", "release", "limit"]] = {
    RevisionRow: "decision",
    ReleaseRow: "release",
    LimitRow: "limit",
}
# A fingerprint that is no plain text belongs to nobody knows which table.
_NO_DIGEST = {
    "sqlite": "digest IS NULL OR typeof(digest) <> 'text' "
    "OR length(digest) <> length(CAST(digest AS BLOB))",
    "postgresql": "digest IS NULL OR length(digest) <> octet_length(digest)",
}


@dataclass(frozen=True)
class Unreadable:
    """What is on record and cannot be read.

    Attributes
    ----------
    kind : "decision", "release" or "limit"
    key : str
        Number of a release, else the key; empty where that cannot be read.
    digest : str or None
        Fingerprint of its data; None where that cannot be read.
    """

    kind: Literal["decision", "release", "limit"]
    key: str
    digest: str | None

    @property
    def name(self) -> str:
        """Such as "No. 17"."""
        return f"No.\u00a0{self.key}" if self.kind == "release" else self.key[:6] or "without key"


class Found(list[T]):
    """What can be read, and beside it what cannot.

    Attributes
    ----------
    unreadable : tuple of Unreadable
    """

    def __init__(self, readable: Iterable[T] = (), unreadable: Sequence[Unreadable] = ()) -> None:
        super().__init__(readable)
        self.unreadable = tuple(unreadable)


def refused(unreadable: Sequence[Unreadable]) -> str:
    """What cannot be read, as a sentence; empty if everything can.

    Parameters
    ----------
    unreadable : sequence of Unreadable
    """
    said = []
    for kind in ("release", "limit", "decision"):
        names = [each.name for each in unreadable if each.kind == kind]
        if names:
            shown = [*names[:3], f"{len(names) - 3} more"] if len(names) > 3 else names
            plural = "" if len(names) == 1 else "s"
            said.append(f"{len(names)} {kind}{plural} on record ({', '.join(shown)})")
    if not said:
        return ""
    return (
        f"{listed(said)} cannot be read: written by another version or changed by hand, and left "
        "as found; have whoever runs the database look at it."
    )


def read(
    session: Session,
    kind: type[R],
    where: ColumnElement[bool] | None = None,
    options: Sequence[ORMOption] = (),
) -> tuple[list[R], list[Unreadable]]:
    """The rows of a table that hold what its columns should, and the others.

    Parameters
    ----------
    session : Session
    kind : RevisionRow, ReleaseRow or LimitRow
    where : condition, optional
        Rows whose fingerprint is none are among the others whatever it says.
    options : sequence of ORM options, optional
    """
    chosen: ColumnElement[bool] = sqlalchemy.true()
    if where is not None:
        dialect = session.connection().dialect.name
        chosen = sqlalchemy.or_(where, text(_NO_DIGEST[dialect]))
    try:
        rows: list[R | None] = list(session.scalars(select(kind).where(chosen).options(*options)))
        if None not in rows:
            good, bad = [], []
            for row in rows:
                assert row is not None
                try:
                    _check(row)
                    good.append(row)
                except BROKEN:
                    bad.append(_unreadable(kind, row))
            return good, bad
    except (DataError, OperationalError, *BROKEN) as error:
        if not _undecoded(error):
            raise
    return _one_by_one(session, kind, chosen, options)


def check_fields(one: Any) -> None:
    """Raise TypeError unless a dataclass's plain fields are of the types they are said to be."""
    hints = get_type_hints(type(one))
    for field in fields(one):
        if not _fits(getattr(one, field.name), hints[field.name]):
            raise TypeError(f"{field.name} is of another type")


def _fits(value: object, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if isinstance(value, bool):
        return hint is bool
    return isinstance(value, int | float if hint is float else origin or hint)


def collected(
    session: Session,
    kind: type[V],
    where: ColumnElement[bool] | None,
    make: Callable[[Sequence[V], Vouched], T],
) -> Found[T]:
    """What is kept in versions; one that cannot be read makes all of it so, it may be the latest.

    Parameters
    ----------
    session : Session
    kind : RevisionRow or LimitRow
    where : condition or None
        As :func:`read` has it.
    make : callable
        Makes it of its rows, the first version first.
    """
    good, bad = read(session, kind, where)
    unreadable = {each.key: each for each in bad}
    rows: dict[str, list[V]] = {}
    for row in sorted(good, key=lambda row: row.version):
        if (key := str(getattr(row, _key(kind)))) not in unreadable:
            rows.setdefault(key, []).append(row)
    known = trail.vouched(session, list(rows))
    found = []
    for key, versions in rows.items():
        try:
            _check_versions(versions)
            found.append(make(versions, known))
        except BROKEN:
            unreadable[key] = Unreadable(_KINDS[kind], key, versions[-1].digest)
    return Found(found, tuple(unreadable.values()))


def _check_versions(rows: Sequence[RevisionRow | LimitRow]) -> None:
    if [row.version for row in rows] != list(range(1, len(rows) + 1)):
        raise ValueError("versions are missing")
    if len({row.digest for row in rows}) != 1:
        raise ValueError("versions of several tables")


def _check(row: RevisionRow | ReleaseRow | LimitRow) -> None:
    for column in type(row).__table__.columns:
        if column.key not in vars(row):  # in a database of version 1
            continue
        value, kind = vars(row)[column.key], column.type
        if isinstance(kind, JSON):
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        elif isinstance(kind, Float):
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise ValueError("no finite figure")
        elif isinstance(kind, String):
            value.encode()
            if not isinstance(value, str):
                raise TypeError("no text")
        elif not isinstance(value, int if isinstance(kind, Integer) else datetime):
            assert isinstance(kind, Integer | Moment)
            raise TypeError("no number or no time")
    if not row.digest.isascii():
        raise ValueError("no fingerprint")


def _undecoded(error: BaseException) -> bool:
    """Whether it is about what a row holds, not about the database."""
    return not isinstance(error, OperationalError) or "decode" in str(error.orig).lower()


def _one_by_one(
    session: Session, kind: type[R], chosen: ColumnElement[bool], options: Sequence[ORMOption]
) -> tuple[list[R], list[Unreadable]]:
    good, bad = [], []
    for which in _places(session, kind, chosen):
        try:
            row = session.scalars(select(kind).where(which).options(*options)).one()
            _check(row)
            good.append(row)
        except (DataError, OperationalError, *BROKEN) as error:
            if not _undecoded(error):
                raise
            bad.append(_unreadable(kind, _raw(session, kind, which)))
    return good, bad


def _places(
    session: Session, kind: type[R], chosen: ColumnElement[bool]
) -> Iterator[ColumnElement[bool]]:
    """A condition for each row; keys of SQLite may be anything, so there it is the row's number."""
    place: ColumnElement[Any] = sqlalchemy.literal_column("rowid")
    keys = [place]
    if session.connection().dialect.name == "postgresql":
        keys = list(sqlalchemy.inspect(kind).primary_key)
    for found in session.execute(select(*keys).select_from(kind).where(chosen)).all():
        yield sqlalchemy.and_(*(key == value for key, value in zip(keys, found, strict=True)))


class _Raw:
    """Key and fingerprint of a row, as far as they can be read."""

    def __init__(self) -> None:
        self.number = self.decision = self.agreement = self.digest = None


def _raw(session: Session, kind: type[R], which: ColumnElement[bool]) -> _Raw:
    found = _Raw()
    for name in (_key(kind), "digest"):
        try:
            setattr(found, name, session.scalar(select(getattr(kind, name)).where(which)))
        except (DataError, OperationalError, *BROKEN) as error:
            if not _undecoded(error):
                raise
    return found


def _key(kind: type[R]) -> str:
    names: dict[type, str] = {ReleaseRow: "number", RevisionRow: "decision", LimitRow: "agreement"}
    return names[kind]


def _unreadable(kind: type, row: Any) -> Unreadable:
    key, digest = getattr(row, _key(kind)), row.digest
    known = isinstance(digest, str) and digest.isascii()
    plain = isinstance(key, int) or (isinstance(key, str) and key.isascii() and key.isprintable())
    return Unreadable(_KINDS[kind], str(key) if plain else "", digest if known else None)
