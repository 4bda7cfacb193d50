"""A release rests on an agreed decision for exactly this release, or on a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import write_scenario
from distpriv.errors import StoreError
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Mean, Query
from distpriv.store import (
    Decision,
    LedgerEntry,
    Store,
    deciding,
    grounds_missing,
    ledger,
    matching,
    propose,
    record,
    same_release,
    settle,
)
from tests.examples import alternative
from tests.store.limited import SCENARIO
from tests.store.writers import entry

ONE = replace(SCENARIO, whole=False, replacement=False, mechanism="OptM")
RICH = SCENARIO.secret
SHAPING = {
    "secret": SensitiveProperty("rich", "no"),
    "center": 0.4,
    "width": 0.2,
    "grid": (0.3, 0.7, 0.1),
    "others": (Pair(SensitiveProperty("age", above=60), 0.2, 0.3),),
    "query": Query([Mean("hours")]),
    "n": 299,
    "whole": True,
    "mechanism": "DauM",
    "epsilon": 0.5,
    "delta": 1e-4,
    "calibration": "exact",
    "units": "standardised",
    "replacement": True,
    "bounds": (("age", (0.0, 100.0)),),
    "persons": (1.0, 1e-5),
    "distances": "simulated",
}
LOOKED_AT = {"view": "presentation", "report": "standardised", "look": "rich = yes", "seed": 5}


def decided(store: Store, scenario: Scenario = ONE, digest: str = "d") -> Decision:
    """A proposal for one of two alternatives."""
    chosen = alternative("now", scenario.epsilon, scenario=write_scenario(scenario))
    other = replace(scenario, epsilon=9.0)
    return propose(
        store,
        author="Ann",
        reason="Enough.",
        data="people.csv",
        digest=digest,
        alternatives=[chosen, alternative("more", 9.0, scenario=write_scenario(other))],
        chosen="now",
    )


def agreed(store: Store, scenario: Scenario = ONE, digest: str = "d") -> Decision:
    return settle(store, decided(store, scenario, digest).key, 1, author="Bob", status="agreed")


def bare(scenario: Scenario = ONE, **changes: object) -> LedgerEntry:
    """A release without a reason."""
    return replace(entry("Cem"), scenario=scenario, reason="", **changes)


def test_what_shapes_a_release_is_compared_and_nothing_else() -> None:
    for name, value in SHAPING.items():
        assert not same_release(ONE, replace(ONE, **{name: value})), name
    for name, value in LOOKED_AT.items():
        assert same_release(ONE, replace(ONE, **{name: value})), name
    assert same_release(ONE, replace(ONE, tolerances=(2.0,)))  # nothing is counted in them
    custom = replace(ONE, units="custom", tolerances=(1.0,))
    assert not same_release(custom, replace(custom, tolerances=(2.0,)))
    # The whole table has its own size, whatever the box says.
    assert same_release(SCENARIO, replace(SCENARIO, n=100, replacement=False))
    assert not same_release(SCENARIO, replace(SCENARIO, reference="other data"))
    # The same pairs, however they were written down.
    pair = Pair(RICH, 0.2, 0.3)
    twice = replace(ONE, others=(pair, Pair(RICH, 0.45, 0.55), pair))
    assert same_release(twice, replace(ONE, others=(pair,)))
    assert not same_release(ONE, replace(ONE, center=0.99))  # no share at all


def test_what_is_agreed_goes_out_and_says_on_what_it_rests(store: Store) -> None:
    key = agreed(store).key
    record(store, bare())
    (found,) = ledger(store)
    assert (found.reason, found.decision) == ("", key)


@pytest.mark.parametrize(
    ("scenario", "digest"),
    [
        (replace(ONE, epsilon=0.5), "d"),
        (replace(ONE, whole=True), "d"),
        (replace(ONE, digest="kept from another table"), "d"),
        (ONE, "other"),
    ],
)
def test_a_decision_for_another_release_is_none(store: Store, scenario, digest) -> None:
    agreed(store, scenario, digest)
    with pytest.raises(StoreError, match="No agreed decision on record is for exactly this"):
        record(store, bare())
    assert ledger(store) == []
    record(store, replace(bare(), reason="The board asked for it."))
    (found,) = ledger(store)
    assert (found.reason, found.decision) == ("The board asked for it.", "")


def test_a_table_is_known_by_any_of_its_fingerprints(store: Store) -> None:
    key = agreed(store, digest="d").key
    record(store, bare(about="as it was uploaded"))
    agreed(store, replace(ONE, digest="as it was uploaded", epsilon=2.0), "as it was uploaded")
    record(store, bare(replace(ONE, epsilon=2.0), about="as it was uploaded"))
    first, second = ledger(store)
    assert first.decision == key != second.decision != ""


def test_what_is_only_proposed_or_rejected_needs_a_reason(store: Store) -> None:
    key = decided(store).key
    with pytest.raises(StoreError, match=r"by Ann, is not agreed to yet\. To release it"):
        record(store, bare())
    settle(store, key, 1, author="Bob", status="rejected")
    with pytest.raises(StoreError, match="proposed by Ann, was rejected by Bob"):
        record(store, replace(bare(), reason=" \n"))
    assert ledger(store) == []
    agreed(store)
    record(store, bare())


def test_one_person_alone_has_not_agreed(store: Store) -> None:
    """As an earlier version let them."""
    key = agreed(store).key
    with store.writing() as session:
        session.connection().exec_driver_sql(
            "UPDATE decision_revisions SET author = 'ann' WHERE version = 2"
        )
    found = matching(store, ONE, "d")
    assert [each.key for each in found] == [key]
    assert deciding(found) is None
    with pytest.raises(StoreError, match="agreed to by the same person, Ann"):
        record(store, bare())


def test_a_mechanism_without_a_promise_needs_a_reason_too(store: Store) -> None:
    nothing = replace(ONE, mechanism="DP")
    key = agreed(store, nothing).key
    with pytest.raises(StoreError, match=r"^DP promises nothing about the secret\. To release"):
        record(store, bare(nothing))
    record(store, replace(bare(nothing), reason="Known to all."))
    (found,) = ledger(store)
    assert (found.reason, found.decision) == ("Known to all.", key)


def test_a_promise_that_is_missed_needs_a_reason(store: Store) -> None:
    found = [agreed(store)]
    assert grounds_missing(ONE, found) == ()
    (said,) = grounds_missing(ONE, found, kept=False)
    assert said == "The promise, ε = 1 with δ = 0.001, is not kept as computed."
    assert len(grounds_missing(ONE, [], kept=False)) == 2


def test_a_decision_in_words_of_another_version_is_for_nothing(store: Store) -> None:
    agreed(store)
    with store.writing() as session:
        session.connection().exec_driver_sql(
            "UPDATE decision_revisions SET alternatives = "
            "REPLACE(CAST(alternatives AS TEXT), 'distpriv scenario', 'another')"
            + ("::json" if "postgres" in store.place.lower() else "")
        )
    assert matching(store, ONE, "d") == []


def test_what_is_there_already_needs_nothing(store: Store) -> None:
    """As an earlier version recorded it, without a reason."""
    one = entry("then")
    record(store, one)
    record(store, replace(one, reason=""))
    assert [each.reason for each in ledger(store)] == ["A first look."]
