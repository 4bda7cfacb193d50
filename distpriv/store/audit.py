"""The audit trail as it is read: who did what, whether anything was changed, and a file of it.

What a chain of hashes shows: that nobody has changed, removed or put in a row and left the rest as
it was. What it cannot: whoever holds the database can write the whole trail anew. That shows only
beside a head, the last row's number and hash, that was kept somewhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy
from sqlalchemy import select
from sqlalchemy.orm import Session

from distpriv.analysis.decision import moment
from distpriv.analysis.person import Verified, signed
from distpriv.errors import StoreError
from distpriv.store import trail as chain
from distpriv.store.engine import Store
from distpriv.store.models import AuditRow, Base, LimitRow, ReleaseRow, RevisionRow

__all__ = [
    "LIMITS_OF_A_CHAIN",
    "SET_ASIDE",
    "SIGNED_IN",
    "SIGNED_OUT",
    "Findings",
    "TrailRow",
    "check_file",
    "check_trail",
    "export_trail",
    "set_aside",
    "sign_in",
    "sign_out",
    "signed_out",
    "trail",
]

SIGNED_IN, SIGNED_OUT, SET_ASIDE = "signed in", "signed out", "set aside"

LIMITS_OF_A_CHAIN = (
    "Each row's hash is over its content and the hash of the row before. So a row that was "
    "changed, removed or put in shows, unless all that follow were written anew. Whoever holds the "
    "database can do that, and can cut rows off at the end. Both show only beside a head that was "
    "kept where they cannot reach it: write down the head, or keep the exported file. What was on "
    "record before the trail began is not in it."
)
"""What the trail can show and what it cannot, in words for whoever relies on it."""

T = TypeVar("T", bound=Base)
# What rows raise that are not as distpriv writes them.
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, LookupError)
_HEAD = re.compile(r"\s*(\d{1,18})\s*:\s*([0-9a-f]{64})\s*")
_FORMAT, _VERSION = "distpriv audit trail", 1


@dataclass(frozen=True)
class TrailRow:
    """A row of the trail.

    Attributes
    ----------
    number : int
        From 1 on, without gaps.
    at : datetime
        In UTC.
    act : str
        Such as ``"proposed"``, ``"limit set"`` or ``"signed in"``.
    about : str
        Key of the decision or limit, token of the release, or mark of the sign-in.
    version : int
        Of the decision or limit; else 0.
    author, issuer, subject, email, role : str
        Who; all but the author empty where the name is as typed.
    data : str
        Fingerprint of the data.
    told : str
        SHA-256 of what was written with it; empty where nothing was.
    before, hash : str
        The former row's hash, and its own.
    """

    number: int
    at: datetime
    act: str
    about: str
    version: int
    author: str
    issuer: str
    subject: str
    email: str
    role: str
    data: str
    told: str
    before: str
    hash: str

    @property
    def signed(self) -> str:
        """The author, and who vouches for the name."""
        known = Verified(self.issuer, self.subject, self.email, self.role)
        return signed(self.author, known if self.subject else None)


@dataclass(frozen=True)
class Findings:
    """What a check of the trail has found.

    Attributes
    ----------
    rows : int
        Up to which row it is unbroken.
    hash : str
        Of that row.
    wrong : tuple of str
        What is wrong, each a sentence; empty if nothing is.
    """

    rows: int
    hash: str
    wrong: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """What to keep elsewhere: the last row's number and hash, as ``412:5a…``."""
        return f"{self.rows}:{self.hash}"

    @property
    def sentence(self) -> str:
        """The result in words."""
        if self.wrong:
            return " ".join(self.wrong)
        if not self.rows:
            return "The trail has no row yet."
        return f"The trail is unbroken up to row {self.rows}."


def trail(store: Store, most: int | None = None) -> list[TrailRow]:
    """The trail, the first row first; or its last rows, `most` of them.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with store.reading() as session:
        if session.info.get(chain.OLD) is not None:
            return []
        query = select(AuditRow).order_by(AuditRow.number.desc()).limit(most)
        return [_read(row) for row in session.scalars(query)][::-1]


def check_trail(store: Store, head: str = "") -> Findings:
    """Whether the trail is unbroken, and what is on record is what it tells.

    Parameters
    ----------
    store : Store
    head : str
        That was kept at an earlier time; without it nobody can tell a trail that was cut off, or
        written anew from its first row.

    Raises
    ------
    StoreError
        If the head is none, or the database fails.
    """
    kept = _kept(head)
    with store.reading() as session:
        if session.info.get(chain.OLD) is not None:
            return Findings(0, chain.FIRST)
        rows: list[TrailRow] = []
        for number, row in _each(session, AuditRow):
            if row is None:
                found = _chained(rows, None)
                return Findings(found.rows, found.hash, (f"Row {number} was changed.",))
            rows.append(_read(row))
        found = _chained(rows, kept)
        wrong = (*found.wrong, *_untold(session, rows))
    return Findings(found.rows, found.hash, wrong)


def export_trail(store: Store) -> str:
    """The trail as a JSON file, with its head: :func:`check_file` checks it without a database."""
    rows = trail(store)
    found = _chained(rows, None)
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "head": {"number": rows[-1].number, "hash": rows[-1].hash} if rows else None,
        "found": found.sentence,
        "about": LIMITS_OF_A_CHAIN,
        "how": "hash = SHA-256 of all other fields of the row as JSON with sorted keys, no blanks, "
        "ASCII only; the first row's 'before' is 64 zeros.",
        "rows": [_plain(row) for row in rows],
    }
    return json.dumps(content, indent=1, ensure_ascii=False)


def check_file(text: str, head: str = "") -> Findings:
    """Check an exported trail, as :func:`check_trail` does one in a database.

    Raises
    ------
    StoreError
        If it is no exported trail, or the head is none.
    """
    kept = _kept(head)
    try:
        content = json.loads(text)
        if content["format"] != _FORMAT or content["version"] != _VERSION:
            raise KeyError
        rows = [
            TrailRow(**{**row, "at": datetime.fromisoformat(row["at"])}) for row in content["rows"]
        ]
        last = content["head"]
        own = None if last is None else (int(last["number"]), str(last["hash"]))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise StoreError(
            "That is no audit trail that distpriv has exported; choose its JSON file."
        ) from None
    found = _chained(rows, own)
    return found if found.wrong else _chained(rows, kept)


def sign_in(store: Store, mark: str, author: str, verified: Verified) -> None:
    """Put on record that somebody has signed in, once for each sign-in.

    Parameters
    ----------
    store : Store
    mark : str
        Of the sign-in, at most 64 characters.
    author : str
    verified : Verified
    """
    _once(store, SIGNED_IN, mark, author, verified)


def sign_out(store: Store, mark: str, author: str, verified: Verified) -> None:
    """Put on record that somebody has signed out; :func:`signed_out` tells from then on."""
    _once(store, SIGNED_OUT, mark, author, verified)


def signed_out(store: Store, mark: str) -> bool:
    """Whether a sign-in has been ended; raises StoreError if the database fails."""
    with store.reading() as session:
        return session.info.get(chain.OLD) is None and _is_there(session, SIGNED_OUT, mark)


def set_aside(store: Store, author: str, verified: Verified | None = None) -> Path:
    """Keep a damaged database aside, begin a new one, and put on record there who did so.

    Parameters
    ----------
    store : Store
    author : str
    verified : Verified, optional

    Returns
    -------
    Path
        Where the damaged file is kept.

    Raises
    ------
    StoreError
        As :meth:`distpriv.store.Store.set_aside`.
    """
    kept = store.set_aside()
    with store.writing() as session:
        row = {"act": SET_ASIDE, "about": kept.name[-64:], "version": 0, "data": "", "told": ""}
        chain.add(session, [row | chain.who(author, verified)])
    return kept


def _once(store: Store, act: str, mark: str, author: str, verified: Verified) -> None:
    with store.reading() as session:
        if session.info.get(chain.OLD) is None and _is_there(session, act, mark):
            return
    with store.exclusive(mark) as session:  # two tabs of one sign-in begin at the same time
        if _is_there(session, act, mark):
            return
        row = {"act": act, "about": mark, "version": 0, "data": "", "told": ""}
        chain.add(session, [row | chain.who(author, verified)])


def _is_there(session: Session, act: str, about: str) -> bool:
    query = select(AuditRow.number).where(AuditRow.about == about, AuditRow.act == act).limit(1)
    return session.scalar(query) is not None


def _read(row: AuditRow) -> TrailRow:
    return TrailRow(
        **{column.key: getattr(row, column.key) for column in AuditRow.__table__.columns}
    )


def _plain(row: TrailRow) -> dict[str, Any]:
    return asdict(row) | {"at": row.at.astimezone(UTC).isoformat(timespec="microseconds")}


def _kept(head: str) -> tuple[int, str] | None:
    if not head.strip():
        return None
    found = _HEAD.fullmatch(head)
    if found is None:
        raise StoreError(
            "A head is a row's number, a colon and its hash of 64 digits and letters a to f; copy "
            "all of it."
        )
    return int(found[1]), found[2]


def _chained(rows: Iterable[TrailRow], kept: tuple[int, str] | None) -> Findings:
    """The first break of the chain; beyond it nothing can be said."""
    number, before = 0, chain.FIRST
    for row in rows:
        if row.number != number + 1:
            first, last = number + 1, row.number - 1
            which = f"Row {first} is" if first >= last else f"Rows {first} to {last} are"
            return Findings(number, before, (f"{which} missing.",))
        if row.before != before:
            return Findings(number, before, (f"Row {row.number} does not follow the row before.",))
        if chain.link(asdict(row)) != row.hash:
            return Findings(number, before, (f"Row {row.number} was changed.",))
        number, before = row.number, row.hash
        if kept is not None and number == kept[0] and before != kept[1]:
            wrong = f"Row {number} is not what it was when its head was kept"
            return Findings(number, before, (f"{wrong}: the trail was written anew.",))
    if kept is not None and kept[0] > number:
        cut = f"Row {kept[0]} was there when its head was kept, and the trail ends at row {number}."
        return Findings(number, before, (cut,))
    return Findings(number, before)


def _untold(session: Session, rows: Sequence[TrailRow]) -> Iterator[str]:
    """What is on record otherwise than the trail tells, or without being told."""
    told = {(row.act, row.about, row.version): row for row in rows if row.told}
    began = rows[0].at if rows else None
    seen = set()
    kinds: tuple[type[chain.Told], ...] = (RevisionRow, ReleaseRow, LimitRow)
    for kind in kinds:
        for key, record in _each(session, kind):
            try:
                assert record is not None
                act, about, version = chain.of(record)
                print_, at = chain.fingerprint(record), record.at
            except (AssertionError, *_UNREADABLE):
                yield f"A row on record cannot be read ({key[:6]}): another hand has written it."
                continue
            what = f"What was {act} at {moment(at)} ({about[:6]}"
            what += f", version {version})" if version else ")"
            row = told.get((act, about, version))
            if row is None:
                # What was there before the trail began is not in it.
                if began is not None and at > began:
                    yield f"{what} is not in the trail."
                continue
            seen.add(row.number)
            if print_ != row.told:
                yield f"{what} was changed: it is not what row {row.number} has seen."
    for row in told.values():
        if row.number not in seen:
            what = f"{row.act}, {row.about[:6]}"
            yield f"What row {row.number} tells ({what}) is gone or was changed."


def _each(session: Session, kind: type[T]) -> Iterator[tuple[str, T | None]]:
    """The rows of a table by their keys, None for one that cannot be read."""
    keys = sqlalchemy.inspect(kind).primary_key
    for key in session.execute(select(*keys).order_by(*keys)).all():
        try:
            yield str(key[0]), session.get(kind, tuple(key))
        except _UNREADABLE:
            yield str(key[0]), None
