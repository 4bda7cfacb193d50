"""How many records tell two shares apart as well as an attacker does."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.attacks.record_equivalent import (
    draws_to_match,
    leaked_records,
    reading_accuracy,
    records_to_match,
)
from distpriv.errors import AttackError

SHARES = st.floats(0, 1)


def test_it_agrees_with_the_specification() -> None:
    assert draws_to_match(0.60, 0.45, 0.55) == 7
    assert draws_to_match(0.75, 0.45, 0.55) == 45
    assert records_to_match(0.75, 0.45, 0.55, 100) == 31


def by_enumeration(k: int, low: Fraction, high: Fraction) -> Fraction:
    """Every row of k records, each with its probability, as fractions."""
    total = Fraction(0)
    for row in product((0, 1), repeat=k):
        chances = [
            math.prod((share if hit else 1 - share for hit in row), start=Fraction(1))
            for share in (low, high)
        ]
        total += max(chances)
    return total / 2


@pytest.mark.parametrize("k", [0, 1, 4, 9])
@pytest.mark.parametrize("shares", [(1, 2), (3, 7), (0, 4), (9, 10), (0, 10), (5, 5)])
def test_draws_with_replacement_against_all_outcomes(k: int, shares: tuple[int, int]) -> None:
    low, high = (Fraction(share, 10) for share in shares)
    found = reading_accuracy(k, float(low), float(high))
    assert found == pytest.approx(float(by_enumeration(k, low, high)), abs=1e-13)


@pytest.mark.parametrize("k", range(0, 13, 3))
@pytest.mark.parametrize("having", [(4, 6), (0, 3), (5, 12), (2, 11), (7, 7)])
def test_draws_without_replacement_against_all_subsets(k: int, having: tuple[int, int]) -> None:
    n = 12
    ways = [
        [math.comb(each, x) * math.comb(n - each, k - x) for x in range(k + 1)] for each in having
    ]
    wanted = Fraction(sum(map(max, *ways)), 2 * math.comb(n, k))
    found = reading_accuracy(k, having[0] / n, having[1] / n, n=n)
    assert found == pytest.approx(float(wanted), abs=1e-12)


@given(SHARES, SHARES, st.floats(0.5, 0.999), st.integers(1, 300))
def test_the_least_number_reaches_the_accuracy_and_one_less_does_not(
    p_i: float, p_j: float, accuracy: float, n: int
) -> None:
    for k, size in (
        (draws_to_match(accuracy, p_i, p_j), None),
        (records_to_match(accuracy, p_i, p_j, n), n),
    ):
        if k is None:
            if size:
                assert abs(n * p_i - n * p_j) <= 1
            continue
        assert reading_accuracy(k, p_i, p_j, n=size) >= accuracy - 1e-10
        if k:
            assert reading_accuracy(k - 1, p_i, p_j, n=size) < accuracy


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.5, 0.99))
def test_the_published_bound_is_never_above(p_i: float, p_j: float, accuracy: float) -> None:
    k = draws_to_match(accuracy, p_i, p_j)
    if k is not None:
        assert leaked_records(accuracy, p_i, p_j) <= k + 1e-6


def test_what_no_number_of_records_tells() -> None:
    assert draws_to_match(0.6, 0.4, 0.4) is None
    assert draws_to_match(1.0, 0.4, 0.5) is None
    assert draws_to_match(1.0, 0.0, 1.0) == 1
    assert records_to_match(1.0, 0.4, 0.5, 10) == 10
    assert records_to_match(0.6, 0.41, 0.42, 10) is None
    assert records_to_match(0.6, 0.5, 0.6, 5) is None  # 2.5 of 5 records are 3
    assert leaked_records(0.6, 0.4, 0.4) == math.inf
    assert leaked_records(0.5, 0.4, 0.4) == 0


def test_large_datasets_take_no_time() -> None:
    assert records_to_match(0.8, 0.4999, 0.5001, 10**6) == 946_549
    assert draws_to_match(0.8, 0.4999, 0.5001) == 17_708_157


def test_no_more_records_than_there_are() -> None:
    with pytest.raises(AttackError, match="no more than 5"):
        reading_accuracy(6, 0.2, 0.8, n=5)
