"""What the audit trail shows of a change, and what only a kept head shows."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sqlalchemy import text

from distpriv.analysis.person import Verified
from distpriv.errors import StoreError
from distpriv.store import Store, Terms, agree, propose, record
from distpriv.store.audit import (
    LIMITS_OF_A_CHAIN,
    check_file,
    check_trail,
    export_trail,
    sign_in,
    sign_out,
    signed_out,
    trail,
)
from distpriv.store.models import AuditRow
from distpriv.store.trail import FIRST, link
from tests.examples import alternative
from tests.store.writers import entry

ANN = Verified("https://id.example.org", "7", "ann@example.org", "analyst")


@pytest.fixture
def five(store: Store) -> Store:
    for number in range(3):
        propose(
            store,
            author=f"Ann {number}",
            reason="Enough.",
            data="people.csv",
            digest="d",
            alternatives=[alternative()],
            chosen="now",
        )
    record(store, entry("Ann"))
    agree(
        store, 0, terms=Terms(0.9), scenario=replace(entry().scenario, digest="e"), data="x",
        digest="e", author="Bob", reason="So.",
    )  # fmt: skip
    return store


def by_hand(store: Store, *statements: str) -> None:
    with store.writing() as session:
        for statement in statements:
            session.execute(text(statement))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE audit_trail SET author = 'Eve' WHERE number = 2", "Row 2 was changed."),
        (
            "UPDATE audit_trail SET at = '2020-01-01 00:00:00' WHERE number = 3",
            "Row 3 was changed.",
        ),
        ("UPDATE audit_trail SET told = '' WHERE number = 1", "Row 1 was changed."),
        ("UPDATE audit_trail SET hash = before WHERE number = 2", "Row 2 was changed."),
        ("UPDATE audit_trail SET before = hash WHERE number = 2", "Row 2 does not follow"),
        ("DELETE FROM audit_trail WHERE number = 2", "Row 2 is missing."),
        ("DELETE FROM audit_trail WHERE number < 4", "Rows 1 to 3 are missing."),
        ("UPDATE audit_trail SET number = 9 WHERE number = 4", "Row 4 is missing."),
        ("UPDATE decision_revisions SET author = 'Eve'", "was changed: it is not what row 1 has"),
        ("UPDATE decision_revisions SET status = 'agreed'", "is not in the trail"),
        ("UPDATE decision_revisions SET epsilon = 9", "was changed"),
        ("DELETE FROM decision_revisions", "What row 3 tells (proposed, "),
        ("UPDATE releases SET note = 'x'", "was changed: it is not what row 4 has seen"),
        ("DELETE FROM releases", "What row 4 tells (released, "),
        ("UPDATE limit_revisions SET terms = '{}'", "is gone or was changed"),
        ("UPDATE limit_revisions SET terms = '[]'", "cannot be read"),
    ],
)
def test_a_change_by_another_hand_shows(five: Store, statement: str, said: str) -> None:
    assert check_trail(five).sentence == "The trail is unbroken up to row 5."
    by_hand(five, statement)
    found = check_trail(five)
    assert said in found.sentence, found.sentence
    assert found.wrong


def test_text_that_is_no_json_and_no_time_is_said_and_does_not_raise(tmp_path) -> None:
    from distpriv.store import open_store

    store = open_store(f"sqlite:///{tmp_path}/kept.sqlite")
    record(store, entry("Ann"))
    by_hand(store, "UPDATE releases SET noise = '{'")
    assert "cannot be read" in check_trail(store).sentence
    by_hand(store, "UPDATE audit_trail SET at = 'yesterday'")
    assert check_trail(store).sentence == "Row 1 was changed."


def test_a_release_that_was_slipped_in_shows(five: Store) -> None:
    by_hand(
        five,
        "INSERT INTO releases (number, token, at, author, note, digest, data, scenario, units, "
        "\"values\", noise, reason, decision) SELECT 77, 'slipped', '2099-01-01 00:00:00', "
        'author, note, digest, data, scenario, units, "values", noise, reason, decision '
        "FROM releases",
    )
    assert "(slippe) is not in the trail." in check_trail(five).sentence


def test_what_was_cut_off_or_written_anew_shows_beside_a_kept_head(five: Store) -> None:
    head = check_trail(five).head
    assert head.startswith("5:")
    assert check_trail(five, f" {head}\n").wrong == ()
    by_hand(five, "DELETE FROM audit_trail WHERE number = 5", "DELETE FROM limit_revisions")
    assert check_trail(five).wrong == ()  # as LIMITS_OF_A_CHAIN says
    assert "cut rows off" in LIMITS_OF_A_CHAIN
    assert "the trail ends at row 4" in check_trail(five, head).sentence
    record(five, entry("Eve"))
    assert check_trail(five).wrong == ()
    assert "written anew" in check_trail(five, head).sentence


def test_a_trail_that_goes_on_still_has_its_old_head(five: Store) -> None:
    head = check_trail(five).head
    record(five, entry("Bob"))
    assert check_trail(five, head).sentence == "The trail is unbroken up to row 6."
    for wrong in ("5", "x:y", "5:abc", "-1:" + "0" * 64):
        with pytest.raises(StoreError, match="A head is"):
            check_trail(five, wrong)


def test_a_file_is_checked_without_a_database(five: Store) -> None:
    text = export_trail(five)
    head = check_trail(five).head
    assert check_file(text).sentence == check_file(text, head).sentence
    assert check_file(text).sentence == "The trail is unbroken up to row 5."
    content = json.loads(text)
    content["rows"][1]["author"] = "Eve"
    assert check_file(json.dumps(content)).sentence == "Row 2 was changed."
    content = json.loads(text)
    del content["rows"][-1]
    assert "ends at row 4" in check_file(json.dumps(content)).sentence
    content["head"] = {"number": 4, "hash": content["rows"][-1]["hash"]}
    assert check_file(json.dumps(content)).wrong == ()
    assert "ends at row 4" in check_file(json.dumps(content), head).sentence
    for wrong in ("", "[]", "{}", "null", '{"format": "distpriv audit trail", "version": 1}'):
        with pytest.raises(StoreError, match="no audit trail"):
            check_file(wrong)
    content["rows"][0]["more"] = 1
    with pytest.raises(StoreError, match="no audit trail"):
        check_file(json.dumps(content))


def test_an_empty_trail_says_so(store: Store) -> None:
    assert (check_trail(store).sentence, trail(store)) == ("The trail has no row yet.", [])
    assert check_trail(store).head == f"0:{FIRST}"
    assert check_file(export_trail(store)).wrong == ()


def test_signing_in_and_out_is_told_once_for_each_sign_in(store: Store) -> None:
    for _ in range(2):
        sign_in(store, "mark", "Ann", ANN)
    assert not signed_out(store, "mark")
    for _ in range(2):
        sign_out(store, "mark", "Ann", ANN)
    sign_in(store, "other", "Ann", ANN)
    assert signed_out(store, "mark")
    assert not signed_out(store, "other")
    assert [row.act for row in trail(store)] == ["signed in", "signed out", "signed in"]
    assert check_trail(store).wrong == ()
    assert [row.about for row in trail(store, 1)] == ["other"]


def test_the_hash_is_what_the_file_says_it_is(five: Store) -> None:
    import hashlib

    row = json.loads(export_trail(five))["rows"][2]
    stated = row.pop("hash")
    said = json.dumps(row, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(said.encode()).hexdigest() == stated
    assert {column.name for column in AuditRow.__table__.columns} == {*row, "hash"}
    assert link({**row, "hash": ""}) == stated
