"""Decisions on a release: proposed, agreed to, sent back or rejected, by different people.

A decision is the row of its versions, which are added and never changed. Whoever answers says which
version they have read. A table has one name on record, over all its versions.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection

from distpriv.errors import StoreError
from distpriv.records.store import DECISIONS, FINGERPRINTS, NAMES, Store, add, legible, plain, rows

__all__ = ["ACTS", "Decision", "Naming", "Version", "answer", "cleaned", "decision", "decisions"]
__all__ += ["propose", "same_name"]

ACTS = {act: act for act in ("proposed", "agreed", "rejected")} | {"changes": "asked for changes"}
_HIDING = ("Cc", "Cs", "Zl", "Zp")  # categories
# Signs that turn the order of others around, and those that show nothing and are no controls.
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_BLANK = {*"\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164", *map(chr, range(0xFE00, 0xFE10))}


@dataclass(frozen=True)
class Naming:
    """Say whose table it is: its name in the ledger, and which version of it."""

    name: str
    fingerprint: str
    title: str
    columns: tuple[str, ...]
    newer: bool = False  # somebody said that it is a newer version of the table of this name


@dataclass(frozen=True)
class Version:
    """Hold one step of a decision: when, who, what and why, about which table."""

    version: int  # from 1 on
    at: datetime  # in UTC
    author: str
    act: str  # of ACTS
    reason: str
    fingerprint: str
    body: Mapping[str, Any]  # the proposal's "scenario", "way", "record", "review", "limits"
    name: str


@dataclass(frozen=True, repr=False)
class Decision:
    """Hold a decision and its history, the first version first."""

    key: str
    versions: tuple[Version, ...]

    def __repr__(self) -> str:
        return f"Decision({self.key!r}, {self.now.name!r}, {self.now.act})"

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
        return self.now.act == "agreed" and not _passed(self.now.body)

    @property
    def limits(self) -> tuple[Mapping[str, Any], ...]:
        """Limits that go with it: "secret", "epsilon", "delta" and "guesses" of each."""
        return tuple(self.now.body.get("limits") or ())

    def covers(self, fingerprint: str, scenario: Mapping[str, Any], way: str | None = None) -> bool:
        """Tell whether it is about exactly this version of a table, these settings and this way.

        Any way by default.
        """
        made, body = self.proposal, self.proposal.body
        same = made.fingerprint == fingerprint and body["scenario"] == scenario
        return same and way in (None, body["way"])


def cleaned(text: str, what: str, longest: int = 4000) -> str:
    """Trim a text that somebody typed; StoreError if it is too long, or nothing is to be read."""
    trimmed = "".join(
        " " if unicodedata.category(sign) in _HIDING and sign != "\n" else sign
        for sign in text.translate(_TURNS)
    ).strip()
    if not folded(trimmed):
        raise StoreError(f"Fill in {what}.")
    if len(trimmed) > longest:
        raise StoreError(f"Shorten {what}: {len(trimmed)} characters of {longest} at most.")
    return trimmed


def cleaned_name(name: str, what: str) -> str:
    """Trim a name, which has one line of at most 80 characters; see `cleaned`."""
    return " ".join(cleaned(name, what, 80).split())


def same_name(one: str, other: str) -> bool:
    """Compare two names but for case, blanks, invisible signs and how letters are coded."""
    return folded(one) == folded(other)


def folded(name: str) -> str:
    """Reduce a name to what is read of it."""
    signs = unicodedata.normalize("NFKC", name)
    hidden = {one for one in signs if unicodedata.category(one)[0] == "C" and not one.isspace()}
    visible = "".join(sign for sign in signs if sign not in hidden | _BLANK)
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


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

    Its body is plain JSON with "scenario", "way", "record", "review" (ISO date) and "limits". The
    same token gives the same decision, and nothing is written twice. A changed one has the key of
    the decision, and the latest version of it that its author has read.

    StoreError if something is to be filled in, the name is another table's, or somebody else has
    written meanwhile.
    """
    values = {"author": cleaned_name(author, "your name"), "reason": cleaned(reason, "why")}
    values |= {"act": "proposed", "token": token, "fingerprint": naming.fingerprint}
    content = _checked(body)
    with store.writing() as connection:
        if again := rows(connection, DECISIONS, token=token):
            return _one(connection, again[0].key)
        name = take(connection, naming)
        if key:
            now = _unchanged(connection, key, seen).now
            if now.act not in ("proposed", "changes") or now.name != name:
                raise StoreError(
                    f"This decision is about {now.name!r}, and {now.author} has {ACTS[now.act]}; "
                    "propose it again."
                )
        else:
            key, seen = uuid4().hex, 0
        return _add(connection, key, seen + 1, name=name, body=content, **values)


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

    Who does says which version they have read. "changes" and "rejected" need a reason; a review
    date takes the place of the proposed one, after which the decision counts no more.

    StoreError if the name is a proposer's, a reason is missing, the review date has passed, or
    somebody else was faster.
    """
    if act not in ACTS or act == "proposed":
        raise StoreError(f"An answer is agreed, changes or rejected, not {act!r}.")
    author = cleaned_name(author, "your name")
    reason = cleaned(reason, "your reason") if reason.strip() or act != "agreed" else ""
    with store.writing() as connection:
        latest = _one(connection, key)
        if (latest.now.version, latest.now.author, latest.now.act) == (seen + 1, author, act):
            return latest  # it was sent twice
        before = _unchanged(connection, key, seen)
        if not before.open:
            raise StoreError(f"{before.now.author} has {ACTS[before.now.act]} already.")
        proposers = [each.author for each in before.versions if each.act == "proposed"]
        if any(same_name(author, each) for each in proposers):
            names = ", ".join(dict.fromkeys(proposers))
            raise StoreError(f"Someone other than {names} must answer.")
        body = {**before.now.body} | ({"review": review.isoformat()} if review else {})
        if act == "agreed":
            _checked(body)
        values = {"author": author, "reason": reason, "act": act, "body": body}
        values |= {"name": before.now.name, "fingerprint": before.now.fingerprint}
        return _add(connection, key, seen + 1, **values)


def decisions(store: Store, fingerprint: str | None = None) -> list[Decision]:
    """List all decisions, or those about one version of a table, the latest first."""
    with store.reading() as connection:
        every = decisions_in(connection)
    return [one for one in every if fingerprint in (None, *(v.fingerprint for v in one.versions))]


def decision(store: Store, key: str) -> Decision:
    """Return one decision; StoreError if it is not on record."""
    with store.reading() as connection:
        return _one(connection, key)


def decisions_in(connection: Connection, **where: object) -> list[Decision]:
    """List decisions inside a transaction, the latest first."""
    histories: dict[str, list[Version]] = {}
    for row in rows(connection, DECISIONS, **where):
        with legible():
            values = {one.name: getattr(row, one.name) for one in fields(Version)}
            values |= {"at": datetime.fromisoformat(row.at), "body": {**row.body}}
        histories[row.key] = [*histories.pop(row.key, []), Version(**values)]  # the latest one last
    return [Decision(key, tuple(each)) for key, each in reversed(histories.items())]


def take(connection: Connection, naming: Naming, *, enter: bool = True) -> str:
    """Return the name on record of a table, and write it with a new key where there is none.

    The table is entered under it only with a decision or a release, so that whoever mistook the
    name can still take another one. StoreError if the table is on record under another name, or
    the name is another table's and nobody said that this is a newer version of it.
    """
    name = cleaned_name(naming.name, "the name of this table")
    for row in rows(connection, FINGERPRINTS, fingerprint=naming.fingerprint):
        if not same_name(row.name, name):
            raise StoreError(f"This table is on record as {row.name!r}; use that name.")
        return str(row.name)
    if namesakes := rows(connection, NAMES, folded=folded(name)):
        name = namesakes[0].name
    else:
        key = secrets.token_bytes(32)
        add(connection, NAMES, name=name, folded=folded(name), key=key)
    if not naming.newer and rows(connection, FINGERPRINTS, name=name):
        raise StoreError(
            f"{name!r} is another table on record; choose another name, or say that this is a "
            "newer version of it."
        )
    if enter:
        about = plain({"title": naming.title, "columns": naming.columns}, "Title and columns")
        values = {"fingerprint": naming.fingerprint, "name": name, "about": about}
        add(connection, FINGERPRINTS, **values)
    return name


def _passed(body: Mapping[str, Any]) -> bool:
    with legible():
        return bool(body.get("review")) and date.fromisoformat(body["review"]) < date.today()


def _checked(body: Mapping[str, Any]) -> dict[str, Any]:
    """Check what later rules read of a proposal."""
    read: dict[str, Any] = plain(body, "What is proposed")
    try:
        complete = bool(read["scenario"] and read["way"])
        for limit in read["limits"]:  # imported here, for the records alone start at once
            from distpriv.model import Promise
            from distpriv.queries import Pair

            Pair.from_plain(limit["secret"])
            Promise(limit["epsilon"], limit["delta"])
    except (TypeError, LookupError, ValueError):
        complete = False
    if not complete:
        raise StoreError("A proposal needs scenario, way and limits; fill them in.")
    if _passed(read):
        raise StoreError(f"The review date {read['review']} has passed; choose a later one.")
    return read


def _one(connection: Connection, key: str) -> Decision:
    for each in decisions_in(connection, key=key) if key.isalnum() else ():
        return each
    raise StoreError("This decision is not on record here; ask for another link.")


def _unchanged(connection: Connection, key: str, seen: int) -> Decision:
    before = _one(connection, key)
    if before.now.version != seen:
        raise StoreError(
            f"{before.now.author} has {ACTS[before.now.act]} after you opened it; look at it "
            "again. Nothing was written."
        )
    return before


def _add(connection: Connection, key: str, version: int, **values: Any) -> Decision:
    about = {"key": key, "version": version, "at": datetime.now(UTC).isoformat()}
    add(connection, DECISIONS, **about, **values)
    return _one(connection, key)
