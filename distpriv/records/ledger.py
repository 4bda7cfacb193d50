"""The ledger: one door, through which every release of a table goes.

A table has a name in it, a secret key, and for balanced releases one choice of kept records, over
all its versions. Whatever a rule needs is read, checked, drawn and written in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, select

from distpriv.errors import StoreError
from distpriv.records.decisions import (
    Naming,
    cleaned,
    decisions_in,
    line,
    name_in,
    next_number,
    take,
)
from distpriv.records.store import (
    DECISIONS,
    FINGERPRINTS,
    NAMES,
    RELEASES,
    Store,
    legible,
    plain,
    rows,
)

__all__ = [
    "Choice",
    "Entry",
    "Known",
    "Naming",
    "Standing",
    "likely",
    "release",
    "releases",
    "standing",
    "tables",
    "take_name",
]

_KINDS = ("noise", "balanced", "as it is", "no data")
Ranks = tuple[list[bytes], list[bytes]]


@dataclass(frozen=True)
class Known:
    """Hold a table of the ledger.

    Attributes
    ----------
    name : str
    fingerprints : tuple of str
        Of its versions, the latest last.
    title, columns
        Of the latest version.
    """

    name: str
    fingerprints: tuple[str, ...]
    title: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """Hold what decides which records balanced releases keep.

    Attributes
    ----------
    secret : mapping
        Pair of shares, plain.
    numbers : tuple of int
        Records kept without and with the property.
    names : str
        Column that names the records; "" for the number of the row.
    """

    secret: Mapping[str, Any]
    numbers: tuple[int, int]
    names: str


@dataclass(frozen=True)
class Entry:
    """Hold a release on record.

    Attributes
    ----------
    number : int
    token : str
        Which tells it from every other one, so that it is recorded once.
    kind : "noise", "balanced", "as it is" or "no data"
    at : datetime
        In UTC.
    author, reason, decision, name, fingerprint : str
        Who released it and why, on which decision ("" for none), and of which table.
    body : mapping
        "scenario", "way", and what was drawn; its "law" stays in the ledger.
    """

    number: int
    token: str
    kind: str
    at: datetime
    author: str
    reason: str
    decision: str
    name: str
    fingerprint: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Standing:
    """Hold what is on record of one table at one moment.

    Attributes
    ----------
    releases : tuple of Entry
        Of all its versions, the first one first.
    limits : tuple of mapping
        In force: "secret", "epsilon", "delta", "guesses" of the latest agreed decision on each.
    key : bytes
        By which records are ranked; b"" where the name is free.
    choice : Choice or None
        Of the first balanced release.
    ranks : tuple of two lists of bytes, or None
        Of its kept records without and with the property.
    fingerprint_of_choice : str
        Of the table's version that it was made on.
    """

    releases: tuple[Entry, ...] = ()
    limits: tuple[Mapping[str, Any], ...] = ()
    key: bytes = b""
    choice: Choice | None = None
    ranks: Ranks | None = None
    fingerprint_of_choice: str = ""


class _Table(Protocol):
    """What `likely` reads of a table."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...


def tables(store: Store) -> list[Known]:
    """List the tables of the ledger, by name."""
    with store.reading() as connection:
        versions: dict[str, list[Any]] = {}
        for row in rows(connection, select(FINGERPRINTS).order_by(FINGERPRINTS.c.number)):
            versions.setdefault(row.name, []).append(row)
    with legible():
        return [
            Known(
                name,
                tuple(row.fingerprint for row in own),
                own[-1].about["title"],
                tuple(own[-1].about["columns"]),
            )
            for name, own in sorted(versions.items())
        ]


def likely(records: Sequence[Known], table: _Table) -> list[Known]:
    """List tables of the ledger that another one may be a newer version of.

    They have its title or its columns; none where it is on record itself.
    """
    if any(table.fingerprint in one.fingerprints for one in records):
        return []
    return [
        one for one in records if table.title == one.title or tuple(table.columns) == one.columns
    ]


def standing(store: Store, name: str) -> Standing:
    """Return what is on record of a table; nothing is where the name is free."""
    with store.reading() as connection:
        return _standing(connection, name)


def take_name(store: Store, naming: Naming) -> Standing:
    """Return what is on record of a table, and put its name there with a secret key of 32 bytes.

    Raises
    ------
    StoreError
        If the table is on record under another name, or the name is another table's.
    """
    with store.writing() as connection:
        return _standing(connection, take(connection, naming))


def releases(store: Store, name: str | None = None) -> list[Entry]:
    """List the releases of all tables, or of one, the first one first."""
    with store.reading() as connection:
        if name is None:
            return _entries(connection)
        row = name_in(connection, name)
        return _entries(connection, RELEASES.c.name == row.name) if row else []


def release(
    store: Store,
    naming: Naming,
    *,
    token: str,
    kind: str,
    author: str,
    scenario: dict[str, Any],
    way: str,
    draw: Callable[[Standing], dict[str, Any]],
    choice: Choice | None = None,
    ranks: Ranks | None = None,
    reason: str = "",
) -> Entry:
    """Draw a release and put it on record; nobody gets it before it is.

    Everything happens in one transaction: it is checked against what is on record, drawn, written
    and read back. The same token gives the same release, however often it is asked for.

    Parameters
    ----------
    kind : "noise", "balanced", "as it is" or "no data"
    scenario, way
        As of the decision that it may rest on, plain.
    draw : callable
        Takes the standing, raises DistprivError where a limit would not hold, and returns the rest
        of the entry's body as plain JSON. It is called once, and must be quick.
    choice, ranks
        Of a balanced release: which records it keeps, and the ranks of these. Later balanced
        releases of the table must have the same.
    reason : str
        Needed where no agreed decision covers exactly this table, scenario and way.

    Raises
    ------
    StoreError
        If a rule is broken or the database cannot be used; nothing is released then.
    """
    if kind not in _KINDS:
        raise StoreError(f"A release is one of {', '.join(_KINDS)}, not {kind!r}.")
    author, scenario = line(author, "your name"), plain(scenario, "Choices")
    with store.writing() as connection:
        if again := _entries(connection, RELEASES.c.token == token):
            return again[0]
        name = take(connection, naming)
        now = _standing(connection, name)
        _check_kinds(now, kind, naming.fingerprint)
        if kind == "balanced":
            now = _keep(connection, name, naming.fingerprint, now, choice, ranks)
        decision = _covering(connection, name, naming.fingerprint, scenario, way)
        if reason.strip() or not decision:
            reason = cleaned(reason, "why it is released without an agreed decision")
        body = plain({**draw(now), "scenario": scenario, "way": way}, "Figures of a release")
        entry = Entry(
            next_number(connection, RELEASES.c.number), token, kind, datetime.now(UTC), author,
            reason, decision, name, naming.fingerprint, body,
        )  # fmt: skip
        connection.execute(RELEASES.insert().values(**asdict(entry)))
    return entry


def _check_kinds(now: Standing, kind: str, fingerprint: str) -> None:
    """Refuse what would tell more beside the other releases than can be bounded."""
    others = [each for each in now.releases if each.kind != "no data"]
    if kind == "no data" or not others:
        return
    balanced = others[0].kind == "balanced"
    if balanced != (kind == "balanced"):
        was, new = ("balanced", "of all records") if balanced else ("of all records", "balanced")
        raise StoreError(
            f"Releases of this table are {was}. One that is {new} would give the secret away "
            "beside them, so nothing is released."
        )
    if not balanced and any(each.fingerprint != fingerprint for each in others):
        raise StoreError(
            "Another version of this table has been released. What two versions tell together "
            "cannot be bounded, so nothing is released; balanced releases could have gone on."
        )


def _keep(
    connection: Connection,
    name: str,
    fingerprint: str,
    now: Standing,
    choice: Choice | None,
    ranks: Ranks | None,
) -> Standing:
    """Write the choice of the first balanced release; refuse another one afterwards."""
    if choice is None or ranks is None:
        raise StoreError("A balanced release needs the choice of its records and their ranks.")
    choice = replace(
        choice,
        secret=plain(choice.secret, "A secret"),
        numbers=(int(choice.numbers[0]), int(choice.numbers[1])),
    )
    if now.choice is None:
        if any(
            len({*part}) != number or len({*map(len, part)}) > 1
            for part, number in zip(ranks, choice.numbers, strict=True)
        ):
            raise StoreError("The kept records must have different names; choose another column.")
        blobs = {
            key: b"".join(part)
            for key, part in zip(("ranks_without", "ranks_with"), ranks, strict=True)
        }
        connection.execute(
            NAMES.update()
            .where(NAMES.c.name == name)
            .values(choice=asdict(choice), fingerprint_of_choice=fingerprint, **blobs)
        )
        return replace(now, choice=choice, ranks=ranks, fingerprint_of_choice=fingerprint)
    if choice != now.choice or [*map(sorted, ranks)] != [*map(sorted, now.ranks or ())]:
        raise StoreError(
            "Balanced releases of this table keep the records of the first one. This one would "
            "keep others, so nothing is released; take its secret, range and column of names."
        )
    if not choice.names and fingerprint != now.fingerprint_of_choice:
        raise StoreError(
            "The records were kept by the number of their row, and a newer version may have other "
            "rows. Nothing is released; only a column of names could have carried them over."
        )
    return now


def _covering(
    connection: Connection, name: str, fingerprint: str, scenario: Mapping[str, Any], way: str
) -> str:
    """Key of the latest agreed decision on exactly this; "" for none."""
    for each in decisions_in(connection, DECISIONS.c.name == name):
        about = each.proposal
        covers = (about.fingerprint, about.body.get("scenario"), about.body.get("way"))
        if each.agreed and covers == (fingerprint, scenario, way):
            return each.key
    return ""


def _standing(connection: Connection, name: str) -> Standing:
    row = name_in(connection, name)
    if row is None:
        return Standing()
    limits: dict[str, Mapping[str, Any]] = {}
    for each in reversed(decisions_in(connection, DECISIONS.c.name == row.name)):
        if each.now.act == "agreed":  # past its review date, too: it takes a decision to lift it
            with legible():
                limits |= {
                    json.dumps(one["secret"], sort_keys=True): {**one} for one in each.limits
                }
    entries = tuple(_entries(connection, RELEASES.c.name == row.name))
    now = Standing(entries, tuple(limits.values()), row.key)
    if row.choice is None:
        return now
    with legible():
        low, high = row.choice["numbers"]
        choice = Choice(row.choice["secret"], (low, high), row.choice["names"])
        ranks = (_cut(row.ranks_without, low), _cut(row.ranks_with, high))
    return replace(now, choice=choice, ranks=ranks, fingerprint_of_choice=row.fingerprint_of_choice)


def _cut(blob: bytes, number: int) -> list[bytes]:
    """Ranks of equal length that were written one after the other."""
    size = len(blob) // number if number else 1
    return [blob[at : at + size] for at in range(0, len(blob), size)]


def _entries(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Entry]:
    query = select(RELEASES).order_by(RELEASES.c.number)
    with legible():
        return [
            Entry(**row._mapping)
            for row in rows(connection, query if where is None else query.where(where))
        ]
