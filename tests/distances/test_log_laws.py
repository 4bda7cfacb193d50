"""Laws of counts by logarithms, against whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv.distances.log_laws import binomial, convolved, hypergeometric, wasserstein_steps
from distpriv.distances.outcomes import count_outcomes


def _hypergeometric(draws: int, hits: int, misses: int) -> list[Fraction]:
    total = math.comb(hits + misses, draws)
    return [
        Fraction(math.comb(hits, k) * math.comb(misses, draws - k), total) for k in range(draws + 1)
    ]


def _binomial(draws: int, hits: int, misses: int) -> list[Fraction]:
    p = Fraction(hits, hits + misses)
    return [math.comb(draws, k) * p**k * (1 - p) ** (draws - k) for k in range(draws + 1)]


def _convolved(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    law = [Fraction(0)] * (len(first) + len(second) - 1)
    for k, one in enumerate(first):
        for j, other in enumerate(second):
            law[k + j] += one * other
    return law


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator) if value else -math.inf


def _steps(first: list[Fraction], second: list[Fraction]) -> int:
    """Return W_∞ by the quantiles of the two laws, walked along together."""
    laws, at, left = (first, second), [0, 0], [first[0], second[0]]
    worst = 0
    while True:
        for side in (0, 1):
            while not left[side]:
                at[side] += 1
                if at[side] == len(laws[side]):
                    return worst
                left[side] = laws[side][at[side]]
        worst = max(worst, abs(at[0] - at[1]))
        moved = min(left)
        left = [left[0] - moved, left[1] - moved]


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 40), st.integers(0, 60), st.integers(0, 60), st.booleans())
def test_laws_are_those_of_fractions(draws: int, hits: int, misses: int, replacement: bool) -> None:
    if hits + misses < (1 if replacement else draws):
        return
    ours = (binomial if replacement else hypergeometric)(draws, hits, misses)
    exact = (_binomial if replacement else _hypergeometric)(draws, hits, misses)
    np.testing.assert_allclose(ours, [_log(mass) for mass in exact], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    "parts",
    [
        ((30, 3, 4000), (30, 3000, 5)),
        ((60, 2, 9000), (90, 9000, 2)),
        ((1, 1, 1), (1, 1, 3)),
        ((200, 20, 10**9), (100, 10**6, 40)),
    ],
)
def test_convolutions_hold_the_rarest_outcomes(parts) -> None:
    """Down to probabilities that floating point does not hold."""
    ours = convolved(*(binomial(*part) for part in parts))
    exact = [_log(mass) for mass in _convolved(*(_binomial(*part) for part in parts))]
    np.testing.assert_allclose(ours, exact, rtol=1e-10, atol=1e-10)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_w_infinity_counts_every_outcome(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 24))
    kinds = [data.draw(st.tuples(st.integers(0, 50), st.integers(24, 60))) for _ in range(2)]
    numbers = data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))
    ours, exact = [], []
    for k in numbers:
        parts = [(n - k, *kinds[0]), (k, *kinds[1])]
        ours.append(convolved(*(hypergeometric(*part) for part in parts)))
        exact.append(_convolved(*(_hypergeometric(*part) for part in parts)))
    assert wasserstein_steps(*ours) == _steps(*exact)


def test_wasserstein_hides_outcomes_of_any_probability() -> None:
    """A far outcome of 1e-30 under one share moves W, and the loss stays below ε."""
    query, n = dp.Query([dp.Count("c", "x")]), 40
    outcomes = count_outcomes(query, n, (4, 36), (4000, 4000), (0.02, 0.98), replacement=True)
    assert outcomes is not None
    width = outcomes.closeness()
    masses = [np.exp(law) for law in outcomes.logs]
    assert min(masses[0][masses[0] > 0].min(), masses[1][masses[1] > 0].min()) < 1e-15
    points, places = np.linspace(-200, 240, 8801), np.arange(n + 1)
    # ln of the released density, Laplace noise of scale W/ε, from logarithms alone.
    epsilon = 3.0
    kernel = -np.abs(points[:, None] - places) * epsilon / width
    first, second = (np.logaddexp.reduce(kernel + law, axis=1) for law in outcomes.logs)
    assert np.abs(first - second).max() <= epsilon * (1 + 1e-9)
    exact = [
        _convolved(
            _binomial(n - k, 80, 3920), _binomial(k, 3920, 80)
        )
        for k in (4, 36)
    ]  # fmt: skip
    assert width == _steps(*exact)
