"""The ledger: one door, through which every release of a table goes.

A table has a name in it, a secret key, and for balanced releases one choice of kept records, over
all its versions. Whatever a rule needs is read, checked, drawn and written in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from distpriv.display import Result, html
from distpriv.errors import StoreError
from distpriv.records import decisions
from distpriv.records.decisions import Naming
from distpriv.records.store import FINGERPRINTS, NAMES, RELEASES, Store, add, legible, plain, rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Choice", "Entry", "Known", "Naming", "Ranks", "Standing", "likely", "release"]
__all__ += ["releases", "standing", "tables", "take_name"]

_KINDS = ("noise", "balanced", "as it is", "no data")
Ranks = tuple[list[bytes], list[bytes]]  # of kept records, without and with the property


@dataclass(frozen=True)
class Known:
    """Hold a table of the ledger: fingerprints of its versions, title and columns of the latest."""

    name: str
    fingerprints: tuple[str, ...]  # the latest one last
    title: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """Hold what decides which records balanced releases keep."""

    secret: Mapping[str, Any]  # pair of shares, plain
    numbers: tuple[int, int]  # records kept without and with the property
    names: str  # column that names the records; "" for the number of the row


@dataclass(frozen=True, repr=False)
class Entry(Result):
    """Hold a release, on record or, as number 0, not."""

    number: int  # from 1 on
    token: str  # which tells it from every other one
    kind: str  # "noise", "balanced", "as it is" or "no data"
    at: datetime  # in UTC
    author: str
    reason: str
    decision: str  # key of the one that it rests on; "" for none
    name: str
    fingerprint: str
    body: Mapping[str, Any]  # "scenario", "way" and what was drawn; its "law" stays in the ledger

    def __repr__(self) -> str:
        place = f"no. {self.number} of {self.name!r}" if self.number else "not on record"
        return f"Entry({place}, {self.body['way']}, {', '.join(self.body['labels'])})"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a figure: figure, value, low and high of the 95 % interval, deviation, unit.

        The deviation is the noise's; NaN where there is no noise, or no interval.
        """
        import numpy as np
        import pandas as pd

        body = self.body
        ends = np.array([one or (np.nan, np.nan) for one in body["intervals"]])
        columns = {"figure": body["labels"], "value": body["values"], "low": ends[:, 0]}
        columns |= {"high": ends[:, 1], "deviation": np.array(body["deviations"], dtype=float)}
        return pd.DataFrame(columns | {"unit": body["units"]})

    def _repr_html_(self) -> str:
        from distpriv.mechanisms.draws import written  # the records alone start at once

        frame, places = self.to_frame(), self.body["decimals"]
        for name in ("value", "low", "high"):
            numbers = zip(frame[name], places, strict=True)
            frame[name] = [written(one, place) if one == one else "–" for one, place in numbers]
        items = "".join(f"<li>{escape(one)}</li>" for one in self.body["not_protected"])
        return f"{html(repr(self), frame)}\n<p>Not protected:</p>\n<ul>{items}</ul>"


@dataclass(frozen=True)
class Standing:
    """Hold what is on record of one table at one moment, over all its versions."""

    releases: tuple[Entry, ...] = ()  # the first one first
    limits: tuple[Mapping[str, Any], ...] = ()  # of the latest agreed decision about each secret
    key: bytes = field(default=b"", repr=False)  # which ranks records; empty for a free name
    choice: Choice | None = None  # of the first balanced release, as ranks and fingerprint
    ranks: Ranks | None = field(default=None, repr=False)
    fingerprint_of_choice: str = ""


def tables(store: Store) -> list[Known]:
    """List the tables of the ledger, by name."""
    on_record: dict[str, Known] = {}
    with store.reading() as connection, legible():
        for row in rows(connection, FINGERPRINTS):
            before = on_record[row.name].fingerprints if row.name in on_record else ()
            columns = tuple(row.about["columns"])
            one = Known(row.name, (*before, row.fingerprint), row.about["title"], columns)
            on_record[row.name] = one
    return [on_record[name] for name in sorted(on_record)]


def likely(records: Sequence[Known], table: Naming) -> list[Known]:
    """List tables of the ledger that a table may be a newer version of, unless it is one of them.

    They have its title, or more than half of the columns of both.
    """
    if any(table.fingerprint in one.fingerprints for one in records):
        return []
    columns = {*table.columns}

    def alike(one: Known) -> bool:
        return 2 * len(columns & {*one.columns}) > len(columns | {*one.columns})

    return [one for one in records if table.title == one.title or alike(one)]


def standing(store: Store, name: str) -> Standing:
    """Return what is on record of a table; nothing is where the name is free."""
    with store.reading() as connection:
        return _standing(connection, name)


def take_name(store: Store, naming: Naming) -> Standing:
    """Return what is on record of a table, and put its name there with a secret key of 32 bytes.

    The table itself is entered with its first decision or release. StoreError if it is on record
    under another name, or the name is another table's.
    """
    with store.writing() as connection:
        return _standing(connection, decisions.take(connection, naming, enter=False))


def releases(store: Store, name: str | None = None) -> list[Entry]:
    """List the releases of all tables, or of one, the first one first."""
    with store.reading() as connection:
        same = decisions.same_name
        return [each for each in _entries(connection) if name is None or same(each.name, name)]


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
    scenario, way
        As of the decision that it may rest on; without one for exactly this, a reason is needed.
    draw : callable
        Takes the standing, raises DistprivError where a limit would not hold, and returns the rest
        of the entry's body as plain JSON. It is called at most once, and must be quick.
    choice, ranks
        Of the records that a balanced release keeps; those of the first one bind all later ones.

    StoreError if a rule is broken or the database cannot be used; nothing is released then.
    """
    author = decisions.cleaned_name(author, "your name")
    scenario = plain(scenario, "Choices")
    with store.writing() as connection:
        if again := _entries(connection, token=token):
            return again[0]
        name = decisions.take(connection, naming)
        now = _standing(connection, name)
        _check_kind(now, kind, naming.fingerprint)
        if kind == "balanced":
            now = _keep(connection, name, naming.fingerprint, now, choice, ranks)
        decision = _covering(connection, name, (naming.fingerprint, scenario, way))
        if reason.strip() or not decision:
            reason = decisions.cleaned(reason, "why it is released without an agreed decision")
        values = {"token": token, "kind": kind, "author": author, "reason": reason}
        values |= {"decision": decision, "name": name, "fingerprint": naming.fingerprint}
        values["body"] = plain({**draw(now), "scenario": scenario, "way": way}, "Released figures")
        add(connection, RELEASES, at=datetime.now(UTC).isoformat(), **values)
        return _entries(connection, token=token)[0]


def _check_kind(now: Standing, kind: str, fingerprint: str) -> None:
    """Refuse what would tell more beside the other releases than can be bounded."""
    if kind not in _KINDS:
        raise StoreError(f"A release is one of {', '.join(_KINDS)}, not {kind!r}.")
    others = [each for each in now.releases if each.kind != "no data"]
    if kind == "no data" or not others:
        return
    balanced = others[0].kind == "balanced"
    if balanced != (kind == "balanced"):
        before, new = ("balanced", "of all records")[:: 1 if balanced else -1]
        raise StoreError(
            f"Releases of this table are {before}. One that is {new} would give the secret away "
            "beside them, so nothing is released."
        )
    if not balanced and any(each.fingerprint != fingerprint for each in others):
        raise StoreError(
            "Another version of this table was released already. What both tell together has no "
            "bound, so nothing is released."
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
    without, having = map(int, choice.numbers)
    choice = Choice(plain(choice.secret, "A secret"), (without, having), choice.names)
    if now.choice is None:
        every = [*ranks[0], *ranks[1]]
        sizes = (len({*ranks[0]}), len({*ranks[1]}), len({*map(len, every)}))
        if sizes != (without, having, 1) or len({*every}) < len(every):
            raise StoreError("The kept records must have different names; choose another column.")
        values = {"choice": asdict(choice) | {"fingerprint": fingerprint}, "ranks": b"".join(every)}
        connection.execute(NAMES.update().where(NAMES.c.name == name).values(**values))
        return replace(now, choice=choice, ranks=ranks, fingerprint_of_choice=fingerprint)
    if choice != now.choice or [*map(sorted, ranks)] != [*map(sorted, now.ranks or ())]:
        raise StoreError(
            "Balanced releases of this table keep the records of the first one, and this would "
            "keep others. Take its secret, range and column of names; nothing is released."
        )
    if not choice.names and fingerprint != now.fingerprint_of_choice:
        raise StoreError(
            "The records were kept by the number of their row, and a newer version may have other "
            "rows. So nothing is released."
        )
    return now


def _covering(connection: Connection, name: str, about: tuple[str, dict[str, Any], str]) -> str:
    """Key of the latest agreed decision on exactly this; "" for none."""
    for each in decisions.decisions_in(connection, name=name):
        with legible():
            if each.agreed and each.covers(*about):
                return each.key
    return ""


def _standing(connection: Connection, name: str) -> Standing:
    if not (on_record := rows(connection, NAMES, folded=decisions.folded(name))):
        return Standing()
    (row,) = on_record
    limits: dict[str, Mapping[str, Any]] = {}
    for each in reversed(decisions.decisions_in(connection, name=row.name)):
        if each.now.act == "agreed":  # past its review date, too: it takes a decision to lift it
            with legible():
                limits |= {json.dumps(one["secret"], sort_keys=True): one for one in each.limits}
    entries = tuple(_entries(connection, name=row.name))
    now = Standing(entries, tuple(limits.values()), row.key)
    if row.choice is None:
        return now
    with legible():
        without, having = row.choice["numbers"]
        choice = Choice(row.choice["secret"], (without, having), row.choice["names"])
        size = len(row.ranks) // (without + having)
        ranks = [row.ranks[at : at + size] for at in range(0, len(row.ranks), size)]
        return replace(
            now,
            choice=choice,
            ranks=(ranks[:without], ranks[without:]),
            fingerprint_of_choice=row.choice["fingerprint"],
        )


def _entries(connection: Connection, **values: object) -> list[Entry]:
    with legible():
        every = [row._mapping for row in rows(connection, RELEASES, **values)]
        return [Entry(**{**row, "at": datetime.fromisoformat(row["at"])}) for row in every]
