"""One door for releases: each of its rules is broken here, and nothing is released then."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from distpriv.errors import NotApplicable, StoreError
from distpriv.records import decisions as d, ledger as l, store as database
from tests.records.conftest import (
    BODY,
    CHOICE,
    LIMIT,
    NEWER,
    OTHER,
    RANKS,
    SCENARIO,
    SECRET,
    TABLE,
    agreed,
    at_once,
    balanced,
    draw,
    proposed,
    released,
)


def test_release_comes_back_as_it_was_drawn(store):
    first, second = released(store), released(store, kind="as it is", reason=" Board\nwants it ")
    assert (first.number, second.number) == (1, 2)
    assert first.body == {"values": [0.5], "scenario": SCENARIO, "way": "OptM"}
    assert second.body["values"] == [1.5]
    assert second.reason == "Board\nwants it"
    assert first.at.utcoffset() == timedelta(0)
    other = released(store, OTHER)
    assert l.releases(store) == [first, second, other]
    assert l.releases(store, " STAFF") == [first, second] == [*l.standing(store, "staff").releases]
    assert l.releases(store, "Nobody's") == []
    assert l.standing(store, "Nobody's") == l.Standing()


def test_numbers_follow_each_other_also_after_a_release_that_failed(store):
    with pytest.raises(NotApplicable, match="Beyond the limit"):
        released(store, draw=fails)
    assert [released(store).number for _ in range(2)] == [1, 2]
    assert l.tables(store) == [l.Known("Staff", ("f1",), "staff.csv", ("age", "left"))]


def fails(standing):
    raise NotApplicable("Beyond the limit.")


def test_same_token_is_drawn_once_also_at_once(store):
    drawings = []
    made = at_once(
        lambda _: released(store, token="t", draw=lambda s: drawings.append(1) or draw(s)), 4
    )
    assert made == [made[0]] * 4
    assert released(store, OTHER, token="t", kind="balanced") == made[0]
    assert drawings == [1]


def test_of_many_at_once_no_more_are_released_than_the_limit_leaves(store):
    agreed(store)

    def once(standing):
        assert standing.limits == (LIMIT,)
        return fails(standing) if len(standing.releases) == 2 else draw(standing)

    def act(number):
        try:
            return released(store, draw=once).number
        except NotApplicable:
            return 0

    assert sorted(at_once(act, 5)) == [0, 0, 0, 1, 2]


SECOND = replace(CHOICE, secret={**SECRET, "low": 0.1})
FEWER = replace(CHOICE, numbers=(1, 1))
ROWS = replace(CHOICE, names="")
# Kind of what is released before, what is released then, and what the door says to it.
OPENS = [
    ("noise", {"naming": NEWER, "kind": "no data"}),
    ("no data", {"naming": NEWER}),
    ("noise", {"naming": replace(TABLE, name=" sTaff\u200b")}),
    ("noise", {"kind": "as it is"}),
    ("no data", {"kind": "balanced"}),
    ("balanced", {"kind": "no data"}),
    ("balanced", {"kind": "balanced", "ranks": ([b"bb", b"aa"], [b"cc"])}),
    ("balanced", {"kind": "balanced", "naming": NEWER}),
]
REFUSES = [
    ("", {"kind": "noisy"}, "one of noise, balanced, as it is, no data"),
    ("", {"author": " "}, "Fill in your name"),
    ("", {"reason": ""}, "Fill in why it is released without an agreed decision"),
    ("", {"draw": lambda _: {"values": [float("inf")]}}, "finite numbers"),
    ("", {"scenario": {"n": float("nan")}}, "finite numbers"),
    ("", {"naming": replace(TABLE, name="\u200b")}, "Fill in the name of this table"),
    ("noise", {"naming": replace(TABLE, name="Other")}, "on record as 'Staff'; use that name"),
    ("noise", {"naming": replace(NEWER, newer=False)}, "'Staff' is another table on record"),
    ("noise", {"naming": NEWER}, "Another version of this table"),
    ("as it is", {"naming": NEWER, "kind": "as it is"}, "Another version of this"),
    ("noise", {"kind": "balanced"}, "are of all records. One that is balanced would give"),
    ("as it is", {"kind": "balanced", "naming": NEWER}, "are of all records"),
    ("balanced", {}, "are balanced. One that is of all records would give the secret away"),
    ("balanced", {"kind": "as it is", "naming": NEWER}, "are balanced"),
    ("", {"kind": "balanced", "choice": None}, "needs the choice of its records"),
    ("", {"kind": "balanced", "ranks": None}, "needs the choice of its records"),
    ("", {"kind": "balanced", "ranks": ([b"aa", b"aa"], [b"cc"])}, "must have different names"),
    ("", {"kind": "balanced", "ranks": ([b"aa", b"bb"], [b"aa"])}, "must have different names"),
    ("", {"kind": "balanced", "ranks": ([b"aa"], [b"cc"])}, "must have different names"),
    ("", {"kind": "balanced", "ranks": ([b"aa", b"b"], [b"cc"])}, "must have different names"),
    ("balanced", {"kind": "balanced", "ranks": None}, "needs the choice"),
    ("balanced", {"kind": "balanced", "ranks": ([b"aa", b"cc"], [b"bb"])}, "keep others"),
    ("balanced", {"kind": "balanced", "choice": SECOND}, "keep others"),
    ("balanced", {"kind": "balanced", "choice": ROWS}, "keep others"),
    ("balanced", {"kind": "balanced", "choice": FEWER, "ranks": ([b"aa"], [b"cc"])}, "keep others"),
]


def test_door_refuses_whatever_breaks_a_rule_and_nothing_else(tmp_path):
    store = database.Store(f"sqlite:///{tmp_path}/records.sqlite")
    for before, then, *match in [*OPENS, *REFUSES]:
        with store.writing() as connection:
            for table in (database.RELEASES, database.NAMES, database.FINGERPRINTS):
                connection.execute(table.delete())
        if before:
            balanced(store, kind=before)
        tables = l.tables(store)
        try:
            answer = "" if balanced(store, **{"kind": "noise"} | then) else None
        except StoreError as error:
            answer = str(error)
        assert re.search(*match or ["^$"], answer), then
        assert not match or l.tables(store) == tables
        assert len(l.releases(store)) == bool(before) + (not match)


def test_records_kept_by_the_number_of_their_row_are_not_carried_over(store):
    for _ in range(2):
        balanced(store, choice=ROWS)
    with pytest.raises(StoreError, match="by the number of their row"):
        balanced(store, NEWER, choice=ROWS)


def test_kept_records_are_those_of_the_first_release_under_one_key(store):
    with pytest.raises(NotApplicable):
        balanced(store, choice=SECOND, draw=fails)  # of which nothing stays
    key = l.take_name(store, TABLE).key
    assert l.take_name(store, TABLE).key == key
    standings = []
    for naming in (TABLE, NEWER):
        balanced(store, naming, draw=lambda now: standings.append(now) or {})
    now = l.standing(store, "Staff")
    assert {(one.key, one.fingerprint_of_choice) for one in (now, *standings)} == {(key, "f1")}
    assert [one.choice for one in (now, *standings)] == [CHOICE] * 3
    assert [one.ranks for one in (now, *standings)] == [RANKS] * 3
    assert len(key) == 32
    assert l.take_name(store, OTHER).key != key


def test_release_needs_a_decision_on_exactly_it_or_a_reason(store):
    def decides(naming=TABLE, **more):
        try:
            return released(store, naming, kind="no data", reason="", **more).decision
        except StoreError as error:
            return str(error)

    missing = "Fill in why it is released without an agreed decision."
    key = proposed(store).key
    assert decides() == missing
    d.answer(store, key, 1, author="Bo", act="agreed")
    assert decides(scenario={**SCENARIO, "guesses": 55}) == key
    others = ({"scenario": {**SCENARIO, "seed": 1}}, {"way": "BalM"}, {"naming": NEWER})
    assert {decides(**other) for other in others} == {missing}
    assert released(store, reason="Still").reason == "Still"
    with store.writing() as connection:
        table = database.DECISIONS
        connection.execute(table.update().values(body={**BODY, "review": "2020-01-01"}))
    assert decides() == missing
    assert l.standing(store, "Staff").limits == (LIMIT,)  # limits stay until another is agreed on


def test_limits_are_those_of_the_latest_agreed_decision_about_each_secret(store):
    def limit(delta, secret=SECRET):
        return {**LIMIT, "secret": secret, "delta": delta}

    other = {**SECRET, "high": 0.4}
    agreed(store, body={**BODY, "limits": [limit(0.2), limit(0.3, other)]})
    late = proposed(store, body={**BODY, "limits": [limit(0.5)]})
    agreed(store, NEWER, body={**BODY, "limits": [limit(0.1)]})
    proposed(store, body={**BODY, "limits": [limit(0.9)]})
    rejected = proposed(store, body={**BODY, "limits": [limit(0.8)]})
    d.answer(store, rejected.key, 1, author="Bo", act="rejected", reason="No")
    assert l.standing(store, "staff").limits == (limit(0.1), limit(0.3, other))
    d.answer(store, late.key, 1, author="Bo", act="agreed")
    assert l.standing(store, "staff").limits == (limit(0.5), limit(0.3, other))


def test_tables_keep_their_versions_and_similar_ones_are_likely(store):
    for naming in (TABLE, OTHER, replace(NEWER, title="new.csv"), TABLE):
        proposed(store, naming)
    tables = l.tables(store)
    assert tables == [
        l.Known("Other", ("f9",), "other.csv", ("x",)),
        l.Known("Staff", ("f1", "f2"), "new.csv", ("age", "left")),
    ]
    for table, names in (
        (l.Naming("", "f3", "new.csv", ()), ["Staff"]),
        (l.Naming("", "f3", "", ("x",)), ["Other"]),
        (l.Naming("", "f3", "other.csv", ("age", "left")), ["Other", "Staff"]),
        (l.Naming("", "f3", "", ("left", "age", "pay")), ["Staff"]),
        (l.Naming("", "f3", "", ("age", "pay")), []),
        (l.Naming("", "f3", "", ()), []),
        (l.Naming("", "f1", "new.csv", ("x",)), []),
    ):
        assert [one.name for one in l.likely(tables, table)] == names


def test_name_is_a_table_s_only_with_a_decision_or_a_release(store):
    for naming in (replace(TABLE, name="Staf"), TABLE, replace(OTHER, name="staff")):
        assert len(l.take_name(store, naming).key) == 32
    assert l.tables(store) == []
    released(store)
    with pytest.raises(NotApplicable):
        released(store, NEWER, kind="no data", draw=fails)
    assert released(store, replace(NEWER, name="Third", newer=False)).name == "Third"
    with pytest.raises(StoreError, match="'Staff' is another table on record"):
        l.take_name(store, replace(OTHER, name="staff"))
    with pytest.raises(StoreError, match="This table is on record as 'Staff'"):
        l.take_name(store, replace(TABLE, name="Third", newer=True))
