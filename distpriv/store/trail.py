"""The audit trail as it is written: a row in the same transaction as what it tells.

No writer has to remember it. A session of the store looks at what it is about to write, adds the
trail's row for it. Each row's hash is over its
content and the hash of the row before, so that a change shows in every later one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Float, event, insert, select, text
from sqlalchemy.orm import Session

from distpriv.analysis.person import Verified
from distpriv.errors import StoreError
from distpriv.store.models import AuditRow, LimitRow, ReleaseRow, RevisionRow

__all__ = [
    "FIRST",
    "OLD",
    "TellingSession",
    "Told",
    "Vouched",
    "add",
    "by",
    "content",
    "fingerprint",
    "link",
    "of",
    "vouched",
    "who",
]

OLD = "distpriv_old"
"""In a session's `info`: version of the tables if it is an older one that can only be read."""

FIRST = "0" * 64
"""What stands before the first row."""

_LOCK = 7_211_984, 0  # of PostgreSQL's advisory locks: whoever appends waits for whoever does
_BY = "distpriv_by"
_TABLE = AuditRow.__table__
_HASHED = tuple(column.name for column in _TABLE.columns if column.name != "hash")

Told = RevisionRow | ReleaseRow | LimitRow
Vouched = Mapping[tuple[str, int], Verified]


class TellingSession(Session):
    """A session that writes the audit trail along."""


def by(session: Session, verified: Verified | None) -> None:
    """Who does all that is written in a session; without it names are as typed."""
    session.info[_BY] = verified


def fingerprint(row: Told) -> str:
    """SHA-256 of all that a row on record holds."""
    skipped = {"number"}  # a release's, which the database counts
    values = {
        # 1 comes back from the database as 1.0.
        column.key: float(value) if isinstance(column.type, Float) else value
        for column in type(row).__table__.columns
        for value in (getattr(row, column.key),)
        if column.key not in skipped
    }
    return hashlib.sha256(_canonical(values).encode()).hexdigest()


def content(row: Mapping[str, Any]) -> str:
    """What is hashed of a row of the trail: everything but the hash, as JSON with sorted keys."""
    return _canonical({name: row[name] for name in _HASHED})


def link(row: Mapping[str, Any]) -> str:
    """The hash that a row of the trail has to have: SHA-256 of its content, in hexadecimal."""
    return hashlib.sha256(content(row).encode()).hexdigest()


def of(row: Told) -> tuple[str, str, int]:
    """What a row on record tells: the act, what it is about, and which version of it."""
    if isinstance(row, ReleaseRow):
        return "released", row.token, 0
    if isinstance(row, LimitRow):
        lifted = not any(value is not None for value in row.terms.values())
        did = "lifted" if lifted else "set" if row.version == 1 else "changed"
        return f"limit {did}", row.agreement, row.version
    changed = row.status == "proposed" and row.version > 1
    return "changed" if changed else row.status, row.decision, row.version


def add(session: Session, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append to the trail; who else appends waits until this transaction has ended."""
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        lock = text("SELECT pg_advisory_xact_lock(:kind, :about)")
        connection.execute(lock, dict(zip(("kind", "about"), _LOCK, strict=True)))
    last = select(AuditRow.number, AuditRow.hash).order_by(AuditRow.number.desc()).limit(1)
    number, before = connection.execute(last).one_or_none() or (0, FIRST)
    now = datetime.now(UTC)
    for row in rows:
        number += 1
        full: dict[str, Any] = {"number": number, "at": now, **row, "before": before}
        full["hash"] = before = link(full)
        connection.execute(insert(AuditRow).values(**full))


def who(author: str, verified: Verified | None) -> dict[str, str]:
    """Who does something, as the trail's columns have it."""
    known = verified or Verified("", "")
    return {
        "author": author,
        "issuer": known.issuer,
        "subject": known.subject,
        "email": known.email,
        "role": known.role,
    }


def vouched(session: Session, keys: Sequence[str]) -> Vouched:
    """Who has vouched for the names on what is on record, by its key and version."""
    if session.info.get(OLD) is not None:
        return {}
    query = select(AuditRow).where(AuditRow.subject != "", AuditRow.about.in_(keys))
    return {
        (row.about, row.version): Verified(row.issuer, row.subject, row.email, row.role)
        for row in session.scalars(query)
    }


@event.listens_for(TellingSession, "before_flush")
def _tell(session: Session, _context: object, _instances: object) -> None:
    if any(isinstance(each, AuditRow) for each in (*session.deleted, *session.dirty)):
        raise StoreError("The audit trail is neither changed nor shortened; add to it instead.")
    made = [each for each in session.new if isinstance(each, RevisionRow | ReleaseRow | LimitRow)]
    if made:
        add(session, [_row(each, session.info.get(_BY)) for each in made])


def _row(told: Told, verified: Verified | None) -> dict[str, Any]:
    act, about, version = of(told)
    return {
        "act": act,
        "about": about,
        "version": version,
        **who(told.author, verified),
        "data": told.digest,
        "told": fingerprint(told),
    }


def _canonical(values: Mapping[str, Any]) -> str:
    """The same text for the same values on every machine and every database."""
    return json.dumps(
        values, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=_plain
    )


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    raise TypeError(f"no JSON for {type(value).__name__}")
