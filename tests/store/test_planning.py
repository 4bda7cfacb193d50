"""The ε that limits leave, exactly and by adding up promises."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.store import AgreedLimit, Budget, LimitVersion, Terms, check
from distpriv.store.planning import (
    epsilon_that_fits,
    following,
    largest_fitting,
    naive_epsilon,
    planned,
)
from tests.store.limited import SCENARIO, release, sources, table

KNOWN = sources()
EVALUATION = dp.evaluate(replace(SCENARIO, calibration="exact"), table())


def limit(terms: Terms) -> AgreedLimit:
    return AgreedLimit(
        "k", "x", "d", (LimitVersion(1, release().at, "Ann", "Why", terms, SCENARIO),)
    )


@given(st.floats(0.001, 100), st.integers(2, 6))
def test_the_largest_epsilon_is_found_from_below(threshold: float, digits: int) -> None:
    found = largest_fitting(lambda epsilon: epsilon - threshold, 0.001, 100.0, digits)
    assert found is not None
    assert found <= threshold
    # A jump to no noise at all is met as well.
    jump = largest_fitting(lambda epsilon: -1.0 if epsilon <= threshold else math.inf, 0.001, 100.0)
    assert jump == pytest.approx(threshold, rel=3e-3)
    assert found == pytest.approx(threshold, rel=3 * 10.0 ** (1 - digits))
    assert largest_fitting(lambda _: 1.0, 0.001, 100.0) is None
    assert largest_fitting(lambda _: 0.0, 0.001, 100.0) == 100.0


@pytest.mark.parametrize("terms", [Terms(accuracy=0.55), Terms(budget=Budget(0.9, 1e-3))])
@pytest.mark.parametrize("releases", [1, 12])
def test_the_next_ones_just_fit(terms: Terms, releases: int) -> None:
    agreed, made = limit(terms), [release(epsilon=0.2)]
    found = epsilon_that_fits(EVALUATION, [agreed], made, KNOWN, releases)
    assert found is not None
    for factor, fits in ((1.0, True), (1.003, False)):
        at = following(EVALUATION.at(found * factor))
        assert check(agreed, made, at, KNOWN, releases).fits == fits
    after = planned(EVALUATION, found, [agreed], made, KNOWN, releases)
    assert after.error == EVALUATION.at(found).error
    assert after.checks[0].fits


def test_twelve_of_one_table_need_each_twelve_times_the_variance() -> None:
    """r releases with S are one with S/r, for the same limit."""
    agreed = limit(Terms(accuracy=0.55))
    one, twelve = (
        EVALUATION.at(epsilon_that_fits(EVALUATION, [agreed], [], KNOWN, count) or 0).noise
        for count in (1, 12)
    )
    ratio = twelve.covariance[0, 0] / one.covariance[0, 0]
    assert ratio == pytest.approx(12, rel=0.01)


def test_exact_accounting_leaves_more_than_adding_up() -> None:
    agreed = limit(Terms(budget=Budget(1.0, 0.02)))
    naive = naive_epsilon([agreed], [], 1e-3, 12)
    exact = epsilon_that_fits(EVALUATION, [agreed], [], KNOWN, 12)
    assert naive == pytest.approx(1 / 12)
    assert exact is not None
    assert exact > 2 * naive


def test_where_nothing_is_left() -> None:
    agreed, spent = limit(Terms(0.52, Budget(0.2, 0.1))), [release(epsilon=3.0)]
    assert epsilon_that_fits(EVALUATION, [agreed], spent, KNOWN) is None
    assert naive_epsilon([agreed], spent, 1e-3) is None
    assert naive_epsilon([], [], 1e-3) is None


def test_the_naive_total_of_an_accuracy_is_its_ceiling() -> None:
    total = naive_epsilon([limit(Terms(accuracy=0.6))], [], 1e-3)
    assert total is not None
    assert dp.accuracy_ceiling(total, 1e-3) == pytest.approx(0.6)
    less = naive_epsilon([limit(Terms(accuracy=0.6))], [release(epsilon=0.1)], 1e-3, 3)
    assert less == pytest.approx((math.log((0.6 - 4e-3) / 0.4) - 0.1) / 3)
