"""Closeness on a line where points are many: a plain sweep says what can move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from distpriv import closeness
from distpriv.distances.on_a_line import line_closeness


def moved(x: np.ndarray, y: np.ndarray, reach: float) -> int:
    """How many of the ascending points can be matched: each with the first that is left."""
    matched = j = 0
    for point in x:
        while j < len(y) and y[j] < point - reach:
            j += 1
        if j < len(y) and y[j] <= point + reach:
            matched, j = matched + 1, j + 1
    return matched


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([300, 5000, 80_000]),
    st.sampled_from([0.001, 0.02, 0.1, 0.3]),
    st.sampled_from(["shift", "spread", "tails", "steps"]),
)
def test_the_least_distance_at_which_enough_can_move(seed, size, delta, kind) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(size=size))
    y = {
        "shift": rng.normal(size=size) + 1,
        "spread": rng.normal(size=size) * 2 - 0.2,
        "tails": rng.standard_t(3, size=size),
        "steps": rng.integers(-3, 5, size=size).astype(float),
    }[kind]
    y.sort()
    even, missing = np.ones(size), float(np.floor(delta * size))
    found = line_closeness(x, even, y, even, missing)
    assert moved(x, y, found + 1e-12) >= size - missing
    if found > 0:
        assert moved(x, y, found * (1 - 1e-9) - 1e-12) < size - missing


@pytest.mark.parametrize("delta", [0.001, 0.05, 0.3])
def test_two_shifted_normals_to_five_digits(delta: float) -> None:
    """W = max(0, d − 2σΦ⁻¹((1 + δ)/2)) (independent of this module's way)."""
    levels = (np.arange(200_000) + 0.5) / 200_000
    x = stats.norm.ppf(levels, scale=1.5)
    expected = 2 - 3 * stats.norm.ppf((1 + delta) / 2)
    assert closeness(x, x + 2.0, delta) == pytest.approx(expected, abs=3e-5)


def test_unequal_numbers_of_points() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=30_000), rng.normal(size=20_000) + 1
    twice, thrice = np.sort(np.repeat(x, 2)), np.sort(np.repeat(y, 3))
    found = closeness(x, y, 0.1)
    assert moved(twice, thrice, found + 1e-12) >= 54_000
    assert moved(twice, thrice, found - 1e-9) < 54_000
