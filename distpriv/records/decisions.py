"""Decisions on a release: proposed, agreed to, sent back or rejected, by different people.

A decision is the row of its versions, which are added and never changed. Whoever answers says which
version they have read. A table has one name on record, over all its versions.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, func, select

from distpriv.errors import StoreError
from distpriv.records.store import (
    DECISIONS,
    FINGERPRINTS,
    NAMES,
    Store,
    legible,
    plain,
    rows,
)

__all__ = [
    "ACTS",
    "Decision",
    "Naming",
    "Version",
    "answer",
    "cleaned",
    "decision",
    "decisions",
    "propose",
    "same_name",
]

ACTS = {
    "proposed": "proposed",
    "agreed": "agreed",
    "changes": "asked for changes",
    "rejected": "rejected",
}
# Signs that turn the order of others around, and those that show nothing without being controls.
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"


@dataclass(frozen=True)
class Naming:
    """Whose table it is.

    Attributes
    ----------
    name : str
        Of the table in the ledger, the same over all its versions.
    fingerprint : str
        Of this version.
    title : str
        As the table calls itself.
    columns : tuple of str
    newer : bool
        Whether somebody said that it is a newer version of the table of this name.
    """

    name: str
    fingerprint: str
    title: str
    columns: tuple[str, ...]
    newer: bool = False


@dataclass(frozen=True)
class Version:
    """Hold one step of a decision: who did what, when and why.

    Attributes
    ----------
    version : int
        From 1 on.
    at : datetime
        In UTC.
    author, act, reason : str
        `act` is "proposed", "agreed", "changes" or "rejected".
    fingerprint : str
        Of the table.
    body : mapping
        "scenario", "way", "record", "review" and "limits" of the proposal.
    name : str
        Of the table.
    """

    version: int
    at: datetime
    author: str
    act: str
    reason: str
    fingerprint: str
    body: Mapping[str, Any]
    name: str = ""


@dataclass(frozen=True)
class Decision:
    """Hold a decision and its history, the first version first."""

    key: str
    versions: tuple[Version, ...]

    @property
    def now(self) -> Version:
        """Latest version."""
        return self.versions[-1]

    @property
    def proposal(self) -> Version:
        """Latest proposal, which an answer is about."""
        return next(each for each in reversed(self.versions) if each.act == "proposed")

    @property
    def open(self) -> bool:
        """Whether somebody has yet to answer."""
        return self.now.act == "proposed"

    @property
    def agreed(self) -> bool:
        """Whether a second person agreed and the review date has not passed."""
        return self.now.act == "agreed" and not _passed(self.now.body.get("review"))

    @property
    def limits(self) -> tuple[Mapping[str, Any], ...]:
        """Limits that are proposed or agreed with it: "secret", "epsilon", "delta", "guesses"."""
        return tuple(self.now.body.get("limits") or ())


def cleaned(text: str, what: str, longest: int = 4000) -> str:
    """Trim a text that somebody typed, without signs that hide or turn others around.

    Raises
    ------
    StoreError
        If nothing is to be read in it, or it is too long.
    """
    lines = (
        "".join(
            " " if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") else sign
            for sign in line.translate(_TURNS)
        ).rstrip()
        for line in text.splitlines()
    )
    trimmed = "\n".join(lines).strip()
    if not _folded(trimmed):
        raise StoreError(f"Fill in {what}.")
    if len(trimmed) > longest:
        raise StoreError(
            f"{what[0].upper()}{what[1:]} may have {longest} characters; it has {len(trimmed)}."
        )
    return trimmed


def same_name(one: str, other: str) -> bool:
    """Compare two names but for case, blanks, invisible signs and how letters are coded."""
    return _folded(one) == _folded(other)


def propose(
    store: Store,
    naming: Naming,
    *,
    token: str,
    author: str,
    reason: str,
    body: Mapping[str, Any],
    key: str = "",
    seen: int = 0,
) -> Decision:
    """Put a proposal on record, or a changed one where changes were asked for.

    Parameters
    ----------
    naming : Naming
        Whose table it is; the name is taken for it where it is free.
    token : str
        The same token gives the same decision, and nothing is written twice.
    body : mapping
        Plain JSON: "scenario", "way", "record", "review" (ISO date) and "limits".
    key : str
        Of the decision that it changes.
    seen : int
        Its latest version that the author has read.

    Raises
    ------
    StoreError
        If something is to be filled in, the name is another table's, or somebody else has written
        meanwhile.
    """
    values = {
        "author": line(author, "your name"),
        "reason": cleaned(reason, "why"),
        "act": "proposed",
        "token": token,
        "fingerprint": naming.fingerprint,
        "body": _proposal(body),
    }
    with store.writing() as connection:
        if again := rows(connection, select(DECISIONS.c.key).where(DECISIONS.c.token == token)):
            return _one(connection, again[0].key)
        name = take(connection, naming)
        if key:
            before = _unchanged(connection, key, seen)
            if before.now.act not in ("proposed", "changes"):
                raise StoreError(
                    f"{before.now.author} has {ACTS[before.now.act]} meanwhile; propose it anew."
                )
            if before.now.name != name:
                raise StoreError(f"This decision is about {before.now.name!r}; propose it anew.")
        key = key or uuid4().hex
        return _add(connection, key, seen + 1, name, values)


def answer(
    store: Store,
    key: str,
    seen: int,
    *,
    author: str,
    act: str,
    reason: str = "",
    review: date | None = None,
) -> Decision:
    """Agree, ask for changes or reject, by somebody who did not propose.

    Parameters
    ----------
    key, seen
        Decision, and its latest version that the author has read.
    act : "agreed", "changes" or "rejected"
        The latter two need a reason.
    review : date, optional
        From when on the decision counts no more, in place of the proposed date.

    Raises
    ------
    StoreError
        If the name is a proposer's, a reason is missing, the review date has passed, or somebody
        else was faster.
    """
    if act not in ACTS or act == "proposed":
        raise StoreError(f"An answer is agreed, changes or rejected, not {act!r}.")
    author = line(author, "your name")
    reason = cleaned(reason, "your reason") if reason.strip() or act != "agreed" else ""
    with store.writing() as connection:
        now = _one(connection, key)
        if (now.now.version, now.now.author, now.now.act) == (seen + 1, author, act):
            return now  # the answer is on record already: it was sent twice
        before = _unchanged(connection, key, seen)
        if not before.open:
            raise StoreError(f"{before.now.author} has {ACTS[before.now.act]} already.")
        proposers = [each.author for each in before.versions if each.act == "proposed"]
        if any(same_name(author, each) for each in proposers):
            raise StoreError(
                f"Someone other than {', '.join(dict.fromkeys(proposers))} must answer."
            )
        body = {**before.now.body}
        if review is not None:
            body["review"] = review.isoformat()
        if act == "agreed" and _passed(body.get("review")):
            raise StoreError(f"The review date {body['review']} has passed; choose a later one.")
        values = {"author": author, "reason": reason, "act": act, "body": body}
        values["fingerprint"] = before.now.fingerprint
        return _add(connection, key, seen + 1, before.now.name, values)


def decisions(store: Store, fingerprint: str | None = None) -> list[Decision]:
    """List all decisions, or those about one version of a table, the latest first."""
    about = select(DECISIONS.c.key).where(DECISIONS.c.fingerprint == fingerprint)
    with store.reading() as connection:
        return decisions_in(connection, None if fingerprint is None else DECISIONS.c.key.in_(about))


def decision(store: Store, key: str) -> Decision:
    """Return one decision; StoreError if it is not on record."""
    with store.reading() as connection:
        return _one(connection, key)


def decisions_in(
    connection: Connection, where: ColumnElement[bool] | None = None
) -> list[Decision]:
    """List decisions inside a transaction, the latest first."""
    query = select(DECISIONS).order_by(DECISIONS.c.number)
    histories: dict[str, list[Version]] = {}
    for row in rows(connection, query if where is None else query.where(where)):
        with legible():
            version = Version(
                row.version, row.at, row.author, row.act, row.reason, row.fingerprint,
                {**row.body}, row.name,
            )  # fmt: skip
        histories[row.key] = [*histories.pop(row.key, []), version]  # the latest one last
    return [Decision(key, tuple(each)) for key, each in reversed(histories.items())]


def name_in(connection: Connection, name: str) -> Any:
    """Return the row of a table's name inside a transaction, None where it is free."""
    query = select(NAMES).where(NAMES.c.folded == _folded(name))
    return next(iter(rows(connection, query)), None)


def take(connection: Connection, naming: Naming) -> str:
    """Return the name on record of a table, and write it with a new key where it is free.

    Raises
    ------
    StoreError
        If the table is on record under another name, or the name is another table's and nobody
        said that this is a newer version of it.
    """
    name = line(naming.name, "the table's name")
    query = select(FINGERPRINTS).where(FINGERPRINTS.c.fingerprint == naming.fingerprint)
    if of := rows(connection, query):
        if not same_name(of[0].name, name):
            raise StoreError(f"This table is on record as {of[0].name!r}; use that name.")
        return str(of[0].name)
    if row := name_in(connection, name):
        if not naming.newer:
            raise StoreError(
                f"{row.name!r} is another table on record; choose another name, or say that this "
                "is a newer version of it."
            )
        name = row.name
    else:
        key = secrets.token_bytes(32)
        connection.execute(NAMES.insert().values(folded=_folded(name), name=name, key=key))
    number = next_number(connection, FINGERPRINTS.c.number)
    about = plain({"title": naming.title, "columns": naming.columns}, "Title and columns")
    connection.execute(
        FINGERPRINTS.insert().values(
            number=number, fingerprint=naming.fingerprint, name=name, about=about
        )
    )
    return name


def next_number(connection: Connection, column: ColumnElement[int]) -> int:
    """Return one more than the last; PostgreSQL's own numbers have gaps where a write failed."""
    return 1 + (connection.scalar(select(func.max(column))) or 0)


def _folded(name: str) -> str:
    """Reduce a name to what is read of it."""
    visible = (
        sign
        for sign in unicodedata.normalize("NFKC", name)
        if unicodedata.category(sign) != "Cf"
        and sign not in _BLANK
        and not unicodedata.name(sign, "").startswith(("VARIATION SELECTOR", "MONGOLIAN FREE"))
    )
    return " ".join(unicodedata.normalize("NFKC", "".join(visible).casefold()).split())


def line(name: str, what: str) -> str:
    """Trim a name, which has one line."""
    return " ".join(cleaned(name, what, 80).split())


def _passed(day: Any) -> bool:
    with legible():
        return bool(day) and date.fromisoformat(day) < date.today()


def _proposal(body: Mapping[str, Any]) -> dict[str, Any]:
    """Check what later rules read of a proposal."""
    checked: dict[str, Any] = plain(body, "What is proposed")
    try:
        past = _passed(checked.get("review"))
        limits = [(one["secret"], float(one["delta"])) for one in checked.get("limits") or ()]
        complete = isinstance(checked["scenario"], dict) and isinstance(checked["way"], str)
    except (StoreError, TypeError, LookupError, ValueError):
        complete = False
    if not complete:
        raise StoreError("A proposal needs scenario, way, limits and review date. Fill them in.")
    if past:
        raise StoreError(f"The review date {checked['review']} has passed; choose a later one.")
    if not all(0 <= delta <= 1 for _, delta in limits):
        raise StoreError("A limit's δ must lie between 0 and 1; change it.")
    return checked


def _one(connection: Connection, key: str) -> Decision:
    matches = decisions_in(connection, DECISIONS.c.key == key)
    if not matches:
        raise StoreError("This decision is not on record here; ask for another link.")
    return matches[0]


def _unchanged(connection: Connection, key: str, seen: int) -> Decision:
    before = _one(connection, key)
    if before.now.version != seen:
        raise StoreError(
            f"{before.now.author} has {ACTS[before.now.act]} after you opened it; look at it "
            "again. Nothing was written."
        )
    return before


def _add(
    connection: Connection, key: str, version: int, name: str, values: Mapping[str, Any]
) -> Decision:
    """Write a version, and read its decision."""
    number = next_number(connection, DECISIONS.c.number)
    row = {"number": number, "key": key, "version": version, "name": name, "at": datetime.now(UTC)}
    connection.execute(DECISIONS.insert().values(**row, **values))
    return _one(connection, key)
