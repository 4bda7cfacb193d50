"""Decisions come back as they were written, and nobody agrees to what is their own."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from distpriv.errors import StoreError
from distpriv.records import decisions as d
from tests.records.conftest import (
    BODY,
    LIMIT,
    NEWER,
    OTHER,
    SCENARIO,
    TABLE,
    agreed,
    at_once,
    proposed,
)


def test_decision_comes_back_as_it_was_written(store):
    key = proposed(store, reason="  Zeile 1\nZeile 2 ").key
    d.answer(store, key, 1, author="Bo", act="changes", reason="Smaller ε")
    body = {**BODY, "way": "BalM"}
    proposed(store, reason="Without noise", body=body, key=key, seen=2)
    d.answer(store, key, 3, author="Bo", act="agreed", review=date(2998, 1, 1))
    now = d.decision(store, key)
    assert [each.act for each in now.versions] == ["proposed", "changes", "proposed", "agreed"]
    assert [each.version for each in now.versions] == [1, 2, 3, 4]
    assert now.versions[0].reason == "Zeile 1\nZeile 2"
    assert now.proposal == now.versions[2]
    assert now.proposal.body == body
    assert now.now.body == {**body, "review": "2998-01-01"}
    assert (now.now.name, now.now.fingerprint) == ("Staff", "f1")
    assert now.now.at.utcoffset() == timedelta(0)
    assert now.agreed
    assert now.limits == tuple(BODY["limits"])


def test_decisions_are_listed_whole_and_the_latest_first(store):
    first, second = proposed(store), proposed(store)
    other = proposed(store, OTHER)
    d.answer(store, first.key, 1, author="Bo", act="changes", reason="Newer data")
    moved = proposed(store, NEWER, key=first.key, seen=2)
    assert [each.key for each in d.decisions(store)] == [first.key, other.key, second.key]
    assert d.decisions(store, "f1") == [moved, second]
    assert d.decisions(store, "f2") == [moved]
    assert d.decisions(store, "f3") == []
    assert moved.open
    assert not moved.agreed


SAME = [
    "Ana",
    " ana ",
    "ANA",
    "A\u200bna",
    "Ａｎａ",
    "\u202eAna",
    "A\u3164na",
    "Ana\ufe0f",
    "A\u00adna",
]


def test_who_proposed_cannot_agree_under_any_writing_of_the_name(store):
    key = proposed(store).key
    for name in SAME:
        with pytest.raises(StoreError, match=r"^Someone other than Ana must answer\.$"):
            d.answer(store, key, 1, author=name, act="agreed")
    assert d.decision(store, key).open


def test_nobody_who_ever_proposed_a_decision_agrees_to_it(store):
    key = proposed(store).key
    d.answer(store, key, 1, author="Bo", act="changes", reason="Why?")
    proposed(store, author="Bo", key=key, seen=2)
    for name in ("ana", "BO"):
        with pytest.raises(StoreError, match="other than Ana, Bo must"):
            d.answer(store, key, 3, author=name, act="agreed")
    assert d.answer(store, key, 3, author="Cy", act="agreed").agreed


def test_names_are_the_same_but_for_how_they_are_written():
    for one, other in (("Café", "Cafe\u0301"), ("Straße", "STRASSE"), ("Ana  B", "ana\tb")):
        assert d.same_name(one, other)
    for one, other in (("Ana", "Anna"), ("Ana", "An a"), ("José", "Jose")):
        assert not d.same_name(one, other)


def test_texts_are_trimmed_or_asked_for():
    assert d.cleaned(" a\u202eb\u0000c\r\nd ", "it") == "ab c \nd"
    assert d.cleaned("\ud800x", "it") == "x"
    with pytest.raises(StoreError, match=r"^Fill in it\.$"):
        d.cleaned("\u200b \u3164\n", "it")
    with pytest.raises(StoreError, match=r"^Shorten it: 4001 characters of 4000 at most\.$"):
        d.cleaned("a" * 4001, "it")


ANSWERS = [
    ({"act": "rejected", "reason": " "}, "^Fill in your reason.$"),
    ({"act": "changes"}, "Fill in your reason"),
    ({"author": "\u200b"}, "Fill in your name"),
    ({"author": "B" * 81}, "Shorten your name"),
    ({"act": "proposed"}, "agreed, changes or rejected"),
    ({"act": "maybe"}, "not 'maybe'"),
    ({"seen": 0}, "Ana has proposed after you opened it"),
    ({"seen": 2}, "Nothing was written"),
    ({"key": "a" * 32}, "not on record"),
    ({"key": "\x00'; --"}, "not on record"),
    ({"review": date(2020, 1, 1)}, "2020-01-01 has passed"),
]


def test_answer_is_refused_and_leaves_nothing(store):
    before = proposed(store)
    for values, match in ANSWERS:
        start = {"key": before.key, "seen": 1, "author": "Bo", "act": "agreed"}
        with pytest.raises(StoreError, match=match):
            d.answer(store, **start | values)
    assert d.decisions(store) == [before]


def test_answer_to_an_older_version_or_after_another_answer_is_refused(store):
    key = proposed(store).key
    d.answer(store, key, 1, author="Bo", act="changes", reason="Why?")
    with pytest.raises(StoreError, match="Bo has asked for changes already"):
        d.answer(store, key, 2, author="Cy", act="agreed")
    proposed(store, key=key, seen=2)
    with pytest.raises(StoreError, match="Ana has proposed after you opened it; look at it again"):
        d.answer(store, key, 1, author="Bo", act="agreed")
    d.answer(store, key, 3, author="Bo", act="rejected", reason="No")
    with pytest.raises(StoreError, match="Bo has rejected; propose it again"):
        proposed(store, key=key, seen=4)
    assert len(d.decision(store, key).versions) == 4


def test_answer_sent_twice_counts_once(store):
    key = proposed(store).key
    one, other = (d.answer(store, key, 1, author="Bo", act="agreed") for _ in range(2))
    assert one == other
    with pytest.raises(StoreError, match="Bo has agreed after you opened it"):
        d.answer(store, key, 1, author="Bo", act="rejected", reason="No")


PROPOSALS = [
    ({"reason": ""}, "^Fill in why.$"),
    ({"author": " "}, "Fill in your name"),
    ({"naming": replace(TABLE, name=" ")}, "Fill in the name of this table"),
    ({"body": {**BODY, "review": "2020-01-01"}}, "2020-01-01 has passed"),
    ({"body": {**BODY, "record": {"x": float("nan")}}}, "finite numbers"),
    ({"body": {**BODY, "record": {1j}}}, "finite numbers"),
    ({"body": {"scenario": SCENARIO, "way": "OptM"}}, "needs scenario, way and limits"),
    ({"body": {**BODY, "way": ""}}, "needs scenario, way and limits"),
    *(
        ({"body": {**BODY, "limits": [{**LIMIT, **bad}]}}, "needs scenario, way and limits")
        for bad in (
            {"secret": {}},
            {"epsilon": "x"},
            {"epsilon": -1},
            {"delta": 1.0},
            {"delta": None},
        )
    ),
    ({"key": "b" * 32, "seen": 1}, "not on record"),
]


def test_proposal_is_refused_and_leaves_nothing(store):
    for values, match in PROPOSALS:
        with pytest.raises(StoreError, match=match):
            proposed(store, **values)
    assert d.decisions(store) == []


def test_changed_proposal_stays_with_its_table(store):
    key = proposed(store).key
    with pytest.raises(StoreError, match="about 'Staff', and Ana has proposed; propose it again"):
        proposed(store, OTHER, key=key, seen=1)


def test_same_token_gives_the_same_decision_also_at_once(store):
    made = at_once(lambda number: proposed(store, token="t", reason=f"R{number}"), 4)
    assert {each.key for each in made} == {made[0].key}
    assert proposed(store, token="t", body={**BODY, "way": "BalM"}) == made[0]
    assert len(d.decisions(store)) == len(made[0].versions) == 1


def test_of_answers_to_one_version_at_once_one_counts(store):
    key = proposed(store).key
    made = at_once(lambda n: d.answer(store, key, 1, author=f"N{n}", act="agreed"), 4)
    refused = [str(each) for each in made if isinstance(each, StoreError)]
    assert len(refused) == 3
    assert all("Nothing was written" in each for each in refused)
    assert len(d.decision(store, key).versions) == 2


def test_decision_counts_up_to_its_review_date(store):
    made = agreed(store)
    day = date.today()
    for review, counts in ((day, True), (day - timedelta(1), False), (None, True)):
        now = replace(made.now, body={**BODY, "review": review and review.isoformat()})
        assert replace(made, versions=(*made.versions[:1], now)).agreed is counts
