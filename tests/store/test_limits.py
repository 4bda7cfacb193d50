"""Limits are kept with their history, and changed only by who has seen the latest version."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.errors import ConflictError, StoreError
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.store import Budget, Store, Terms, agree, limits
from distpriv.store.limits import limit_key, terms_in_words
from tests.store.limited import SCENARIO, agreed

SOME = Terms(0.6, Budget(1.0, 1e-3), Budget(2.0, 1e-5))


def test_a_limit_with_its_history(store: Store) -> None:
    first = agreed(store, SOME)
    assert limits(store, "d") == [first]
    second = agreed(store, Terms(accuracy=0.55), version=1)
    third = agreed(store, Terms(), version=2)
    (found,) = limits(store, "d")
    assert found == third
    assert [each.terms for each in found.versions] == [SOME, Terms(accuracy=0.55), Terms()]
    assert found.versions[:2] == second.versions
    assert (found.in_force, second.in_force) == (False, True)
    assert found.now.scenario is not None
    assert found.pairs == SCENARIO.pairs
    assert abs(datetime.now(UTC) - found.now.at) < timedelta(minutes=1)
    assert limits(store, "other") == []


def test_the_later_of_two_is_told_of_the_earlier(store: Store) -> None:
    agreed(store, SOME)
    for version, said in ((0, "Ann set this limit on"), (2, "Ann set")):
        with pytest.raises(ConflictError, match=said):
            agreed(store, Terms(accuracy=0.7), version=version)
    agreed(store, Terms(accuracy=0.7), version=1)
    with pytest.raises(ConflictError, match=r"Ann changed .* right in at most 70 of 100"):
        agreed(store, Terms(), version=1)
    agreed(store, Terms(), version=2)
    with pytest.raises(ConflictError, match="Ann lifted"):
        agreed(store, SOME, version=2)
    with pytest.raises(ConflictError, match="not in the database any more"):
        agreed(store, SOME, version=1, scenario=replace(SCENARIO, width=0.2))


def test_of_twenty_who_set_it_first_one_does(store: Store) -> None:
    def first(place: int) -> bool:
        try:
            agreed(store, Terms(accuracy=0.51 + place / 100))
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(first, range(20))) == 1
    (limit,) = limits(store, "d")
    assert len(limit.versions) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"author": " "}, "The name is empty"),
        ({"reason": ""}, "The reason is empty"),
        ({"terms": Terms()}, "limits nothing"),
    ],
)
def test_what_cannot_be_kept_is_a_sentence(store: Store, changes, said) -> None:
    values = {"author": "Ann", "reason": "Why", "data": "x", "digest": "d", "terms": SOME}
    with pytest.raises(StoreError, match=said):
        agree(store, 0, scenario=SCENARIO, **values | changes)
    assert limits(store, "d") == []


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Terms(accuracy=0.5), "more than 50 and less than 100"),
        (lambda: Terms(accuracy=math.nan), "more than 50"),
        (lambda: Terms(accuracy=1.0), "more than 50"),
        (lambda: Budget(0.0, 0.1), "positive number, got ε = 0"),
        (lambda: Budget(math.inf, 0.1), "positive number"),
        (lambda: Budget(math.nan, 0.1), "positive number"),
        (lambda: Budget(1.0, 0.0), "between 0 and 1, got δ = 0"),
        (lambda: Budget(1.0, 1.0), "between 0 and 1"),
    ],
)
def test_figures_outside_their_domain(make, said) -> None:
    with pytest.raises(StoreError, match=said):
        make()


def test_a_limit_of_another_version_is_told_from_none(store: Store) -> None:
    agreed(store, SOME)
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE limit_revisions SET scenario = '{}'")
    (limit,) = limits(store, "d")
    assert limit.in_force
    assert limit.now.scenario is None
    assert limit.pairs == ()


def test_the_key_is_about_the_table_the_secret_and_its_pairs() -> None:
    key = limit_key("d", SCENARIO)
    same = replace(SCENARIO, epsilon=0.3, mechanism="DauM", look="x", seed=5, view="presentation")
    assert limit_key("d", same) == key
    other = SensitiveProperty("age", above=40)
    assert limit_key("e", SCENARIO) != key
    assert limit_key("d", replace(SCENARIO, secret=other)) != key
    assert limit_key("d", replace(SCENARIO, width=0.2)) != key
    one, two = Pair(other, 0.2, 0.3), Pair(other, 0.3, 0.5)
    keys = {limit_key("d", replace(SCENARIO, others=pairs)) for pairs in ((one, two), (two, one))}
    assert len(keys) == 1
    assert limit_key("d", replace(SCENARIO, others=SCENARIO.pairs)) == key


@given(
    st.none() | st.floats(0.5, 1, exclude_min=True, exclude_max=True),
    st.none() | st.builds(Budget, st.floats(1e-3, 100), st.floats(1e-12, 0.5)),
)
def test_terms_in_words(accuracy: float | None, budget: Budget | None) -> None:
    said = terms_in_words(Terms(accuracy, budget))
    assert ("of 100" in said) == (accuracy is not None)
    assert ("ε" in said) == (budget is not None)
    assert ("nothing" in said) == (accuracy is None and budget is None)
