"""Decisions: proposed, changed, agreed or rejected, with all that was before."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from distpriv.analysis.error_sizes import ErrorSize
from distpriv.errors import ConflictError, StoreError
from distpriv.store import Decision, Store, all_decisions, one_decision, propose, revise, settle
from distpriv.store.models import RevisionRow
from distpriv.store.texts import LONGEST, cleaned
from tests.examples import alternative

SEEN = [alternative("now"), alternative("half", 0.5, delivered=0.002), alternative("twice", 2.0)]


def proposed(store: Store, **changes: object) -> Decision:
    values: dict[str, object] = {
        "author": "Ann",
        "reason": "Enough for the report.",
        "data": "people.csv",
        "digest": "abc",
        "alternatives": SEEN,
        "chosen": "now",
    }
    return propose(store, **values | changes)  # type: ignore[arg-type]


def test_a_decision_with_its_history(store: Store) -> None:
    first = proposed(store)
    assert one_decision(store, first.key) == first
    second = revise(
        store,
        first.key,
        1,
        author="Bob",
        reason="Less is enough.",
        alternatives=SEEN,
        chosen="half",
    )
    third = settle(store, first.key, 2, author="Cem", status="agreed", comment="Fine.")
    assert one_decision(store, first.key) == third
    assert [each.author for each in third.revisions] == ["Ann", "Bob", "Cem"]
    assert [each.choice.epsilon for each in third.revisions] == [1.0, 0.5, 0.5]
    assert [each.status for each in third.revisions] == ["proposed", "proposed", "agreed"]
    assert third.revisions[:2] == second.revisions
    assert third.now.reason == "Less is enough."
    assert third.now.comment == "Fine."
    assert third.proposed_by == "Ann"
    for each in third.revisions:
        assert each.at.tzinfo is not None
        assert abs(datetime.now(UTC) - each.at) < timedelta(minutes=1)


@pytest.mark.parametrize("status", ["agreed", "rejected"])
def test_what_is_settled_cannot_be_changed(store: Store, status: str) -> None:
    key = proposed(store).key
    settled = settle(store, key, 1, author="Cem", status=status)  # type: ignore[arg-type]
    said = {"agreed": "Cem agreed to", "rejected": "Cem rejected"}[status]
    with pytest.raises(ConflictError, match=f"{said} this decision on .* UTC, so it cannot"):
        revise(store, key, 2, author="Ann", reason="But", alternatives=SEEN, chosen="now")
    with pytest.raises(ConflictError, match=said):
        settle(store, key, 2, author="Ann", status="rejected")
    assert one_decision(store, key) == settled


@pytest.mark.parametrize("status", ["agreed", "rejected"])
@pytest.mark.parametrize("name", ["Ann", " aNN ", "A\u200bnn", "Ａｎｎ", "José  STRASSE"])
def test_nobody_settles_what_they_proposed_or_changed(store: Store, name: str, status) -> None:
    """However the name is spelt: as the one who proposed it, or as the one who changed it."""
    key = proposed(store).key
    revise(
        store, key, 1, author="Jose\u0301 Straße", reason="Less.", alternatives=SEEN, chosen="half"
    )
    with pytest.raises(
        StoreError, match=r"proposed or changed by Ann and Jos.* Straße, so somebody else has to"
    ):
        settle(store, key, 2, author=name, status=status)
    before = one_decision(store, key)
    assert (before.now.status, before.proposers) == ("proposed", ("Ann", "Jose\u0301 Straße"))
    assert settle(store, key, 2, author="Anna", status=status).now.status == status


def test_the_later_of_two_editors_is_told_of_the_earlier(store: Store) -> None:
    key = proposed(store).key
    kept = revise(
        store, key, 1, author="Bob", reason="More noise.", alternatives=SEEN, chosen="half"
    )
    with pytest.raises(ConflictError) as caught:
        revise(store, key, 1, author="Ann", reason="Less noise.", alternatives=SEEN, chosen="twice")
    assert "Bob changed this decision on" in str(caught.value)
    assert "(ε from 1 to 0.5, another reason)" in str(caught.value)
    assert one_decision(store, key) == kept
    with pytest.raises(ConflictError, match="Bob changed"):
        settle(store, key, 1, author="Ann", status="agreed")
    after = revise(
        store, key, 2, author="Ann", reason="Less noise.", alternatives=SEEN, chosen="twice"
    )
    assert [each.author for each in after.revisions] == ["Ann", "Bob", "Ann"]


def test_the_latest_change_comes_first_and_data_are_told_apart(store: Store) -> None:
    first, second = proposed(store), proposed(store, digest="other")
    settle(store, first.key, 1, author="Cem", status="rejected")
    assert [each.key for each in all_decisions(store)] == [first.key, second.key]
    assert [each.key for each in all_decisions(store, "other")] == [second.key]
    assert all_decisions(store, "nothing") == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"author": " \n"}, "The name is empty"),
        ({"reason": "\x00"}, "The reason is empty"),
        ({"reason": "x" * 4001}, "has 4001 characters and may have 4000"),
        ({"author": "x" * 81}, "may have 80"),
        ({"chosen": "never seen"}, "one of the alternatives"),
        ({"alternatives": [SEEN[0], SEEN[0]]}, "same name"),
        ({"alternatives": [alternative(str(k)) for k in range(21)], "chosen": "3"}, "20 alt"),
    ],
)
def test_what_cannot_be_kept_is_a_sentence(store: Store, changes, said) -> None:
    with pytest.raises(StoreError, match=said):
        proposed(store, **changes)
    assert all_decisions(store) == []


def test_a_status_is_agreed_or_rejected(store: Store) -> None:
    key = proposed(store).key
    for status in ("proposed", "forgotten"):
        with pytest.raises(StoreError, match="agreed or rejected, got"):
            settle(store, key, 1, author="Cem", status=status)  # type: ignore[arg-type]


def test_a_decision_that_is_gone(store: Store) -> None:
    proposed(store)
    with pytest.raises(StoreError, match="not in the database any more"):
        settle(store, "0" * 32, 1, author="Cem", status="agreed")


def test_figures_that_are_none(store: Store) -> None:
    odd = alternative("now", error=math.inf, delivered=math.nan)
    found = one_decision(store, proposed(store, alternatives=[odd]).key).now.choice
    assert math.isnan(found.error)
    assert found.delivered is None


def test_errors_and_the_promise_are_kept_but_no_value(store: Store) -> None:
    size = ErrorSize("mean age", "years", 1.5, 3.0, 100, value=39.25)
    endless = ErrorSize("count sex = Female", "", math.inf, 5.0, 100)
    made = proposed(
        store, alternatives=[alternative("now", errors=(size, endless), promise="missed")]
    )
    found = one_decision(store, made.key)
    assert found == made
    assert found.now.choice.promise == "missed"
    assert found.now.choice.errors == (size.unvalued(), endless)
    with store.reading() as session:
        (row,) = session.scalars(select(RevisionRow))
        assert "39.25" not in json.dumps(row.alternatives)


def test_a_row_of_an_earlier_version_shows_what_it_has(store: Store) -> None:
    made = proposed(store)
    with store.writing() as session:
        (row,) = session.scalars(select(RevisionRow))
        late = ("errors", "promise", "per_record")
        row.alternatives = [
            {name: value for name, value in each.items() if name not in late}
            for each in row.alternatives
        ]
    (choice, *_) = one_decision(store, made.key).now.alternatives
    assert (choice.errors, choice.promise, choice.per_record) == ((), "", "")
    assert choice.accuracy == 0.58


@given(name=st.text(max_size=80), reason=st.text(max_size=200))
@example(name="'; DROP TABLE releases; --", reason="Zürich ∑ 🔏 \r\n second\tline")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_any_text_is_kept_as_it_reads_or_refused(store: Store, name: str, reason: str) -> None:
    said = [sign for sign in (name, reason) if not cleaned(sign, "reason")]
    if said:
        with pytest.raises(StoreError, match="is empty"):
            proposed(store, author=name, reason=reason)
        return
    made = proposed(store, author=name, reason=reason)
    assert one_decision(store, made.key) == made
    visible = [sign for sign in reason if sign.isprintable() and not sign.isspace()]
    kept = made.now.reason
    assert [sign for sign in kept if sign.isprintable() and not sign.isspace()] == visible
    assert len(made.now.author) <= LONGEST["name"]
    assert "\n" not in made.now.author


def test_a_title_is_one_line_and_not_too_long(store: Store) -> None:
    made = proposed(store, data="a\x00b\n\ud800.csv" + "x" * 300)
    assert made.data.startswith("ab.csv")
    assert len(made.data) == 200
    assert one_decision(store, made.key) == made


def test_what_the_database_cannot_spell_is_a_sentence(store: Store) -> None:
    with pytest.raises(StoreError, match="refused that"):
        proposed(store, digest="\ud800")
    assert all_decisions(store) == []
