"""What is written is told, in the same transaction and in one chain."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from sqlalchemy import select, text

from distpriv.analysis.person import Verified
from distpriv.errors import ConflictError, LimitError, StoreError
from distpriv.store import (
    Store,
    Terms,
    agree,
    all_decisions,
    deciding,
    ledger,
    limits,
    one_decision,
    propose,
    record,
    revise,
    settle,
)
from distpriv.store.audit import check_trail, trail
from distpriv.store.models import AuditRow
from distpriv.store.trail import FIRST, link
from tests.examples import alternative
from tests.store.writers import EACH, beginning, entry, work_in_threads

ANN = Verified("https://id.example.org", "7", "ann@example.org", "analyst")
BOB = Verified("https://id.example.org", "8", "", "approver")


def proposed(store: Store, author: str = "Ann", verified: Verified | None = ANN):
    return propose(
        store,
        author=author,
        reason="Enough.",
        data="people.csv",
        digest="d",
        alternatives=[alternative()],
        chosen="now",
        verified=verified,
    )


def test_every_kind_of_write_is_told_with_who_and_what(store: Store) -> None:
    made = proposed(store)
    now = made.now
    same = {"reason": now.reason, "alternatives": now.alternatives, "chosen": now.chosen}
    revise(store, made.key, 1, author="Cy", **same)
    settle(store, made.key, 2, author="Bob", status="agreed", verified=BOB)
    other = proposed(store)
    settle(store, other.key, 1, author="Bob", status="rejected", verified=BOB)
    agreed = {
        "data": "people.csv",
        "digest": "e",
        "author": "Bob",
        "reason": "So.",
        "verified": BOB,
    }
    scenario = replace(entry().scenario, digest="e")
    agree(store, 0, terms=Terms(0.6), scenario=scenario, **agreed)
    agree(store, 1, terms=Terms(0.7), scenario=scenario, **agreed)
    agree(store, 2, terms=Terms(), scenario=scenario, **agreed)
    record(store, replace(entry("Ann"), verified=ANN))
    rows = trail(store)
    assert [row.number for row in rows] == list(range(1, 10))
    assert [(row.act, row.version, row.author) for row in rows] == [
        ("proposed", 1, "Ann"),
        ("changed", 2, "Cy"),
        ("agreed", 3, "Bob"),
        ("proposed", 1, "Ann"),
        ("rejected", 2, "Bob"),
        ("limit set", 1, "Bob"),
        ("limit changed", 2, "Bob"),
        ("limit lifted", 3, "Bob"),
        ("released", 0, "Ann"),
    ]
    assert rows[0].signed == "Ann (ann@example.org, verified by id.example.org)"
    assert rows[1].signed == "Cy"
    assert (rows[0].before, rows[1].before) == (FIRST, rows[0].hash)
    assert all(link(asdict(row)) == row.hash for row in rows)
    assert check_trail(store).sentence == "The trail is unbroken up to row 9."
    # And who it was comes back with what was written.
    assert [each.verified for each in one_decision(store, made.key).revisions] == [ANN, None, BOB]
    assert {each.now.verified for each in all_decisions(store)} == {BOB}
    assert [each.verified for each in limits(store, "e")[0].versions] == [BOB] * 3
    assert [each.verified for each in ledger(store)] == [ANN]


def test_what_is_refused_leaves_no_row(store: Store) -> None:
    made = proposed(store)
    with pytest.raises(ConflictError):
        settle(store, made.key, 0, author="Bob", status="agreed")
    with pytest.raises(StoreError, match="somebody else"):
        settle(store, made.key, 1, author="Bob", status="agreed", verified=ANN)
    with pytest.raises(StoreError, match="reason"):
        record(store, entry(reason=""))
    agree(
        store, 0, terms=Terms(0.500001), scenario=entry().scenario, data="x", digest="d",
        author="Bob", reason="So.",
    )  # fmt: skip
    with pytest.raises(LimitError):
        record(store, entry())
    assert [row.act for row in trail(store)] == ["proposed", "limit set"]
    record(store, entry(reason="It is out."), out=True)
    record(store, entry(reason="It is out."), out=True)
    assert len(trail(store)) == 4


def test_without_its_row_nothing_is_written(store: Store) -> None:
    made = proposed(store)
    with store.writing() as session:
        session.execute(text("ALTER TABLE audit_trail RENAME TO hidden"))
        session.commit()
    for write in (
        lambda: proposed(store),
        lambda: settle(store, made.key, 1, author="Bob", status="agreed", verified=BOB),
        lambda: record(store, entry()),
    ):
        with pytest.raises(StoreError):
            write()
    with store.writing() as session:
        session.execute(text("ALTER TABLE hidden RENAME TO audit_trail"))
        session.commit()
    assert [each.now.status for each in all_decisions(store)] == ["proposed"]
    assert ledger(store) == []
    assert check_trail(store).sentence == "The trail is unbroken up to row 1."


def test_two_people_are_told_apart_by_their_provider_and_not_by_their_names(store: Store) -> None:
    namesake = replace(BOB, role="approver")
    made = proposed(store, "Ann", ANN)
    settled = settle(store, made.key, 1, author="Ann", status="agreed", verified=namesake)
    assert deciding([settled]) is settled
    for author, verified in (("Anna", ANN), ("ann", None)):
        made = proposed(store, "Ann", ANN)
        with pytest.raises(StoreError, match="somebody else"):
            settle(store, made.key, 1, author=author, status="agreed", verified=verified)


def test_the_trail_is_only_added_to(store: Store) -> None:
    proposed(store)

    def touch(how) -> None:
        with store.writing() as session:
            (row,) = session.scalars(select(AuditRow))
            how(session, row)

    for how in (lambda _, row: setattr(row, "author", "Eve"), lambda at, row: at.delete(row)):
        with pytest.raises(StoreError, match="neither changed nor shortened"):
            touch(how)
    assert check_trail(store).wrong == ()


def test_many_writers_make_one_chain_without_gaps(url: str, store: Store) -> None:
    shared = proposed(store, "Zoe", None).key
    processes = [beginning(url, shared, [f"writer {number}"]) for number in range(2)]
    work_in_threads(url, shared, [f"thread {number}" for number in range(4)])
    assert [process.wait(timeout=120) for process in processes] == [0] * 2
    rows = trail(store)
    assert [row.number for row in rows] == list(range(1, 1 + 6 * 3 * EACH + 1))
    assert check_trail(store).wrong == ()
    assert json.dumps([row.author for row in rows]).count("writer 1") == 3 * EACH
