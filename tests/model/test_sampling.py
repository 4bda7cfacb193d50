"""Drawing subsets: no member twice, every subset equally likely."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from distpriv.model.sampling import draw_subsets, subset_sums


@given(st.integers(0, 40), st.data(), st.integers(0, 2**32 - 1))
def test_subsets_hold_no_member_twice(population: int, data: st.DataObject, seed: int) -> None:
    size = data.draw(st.integers(0, population))
    members = draw_subsets(population, size, 25, np.random.default_rng(seed))
    assert members.shape == (25, size)
    assert all(len(set(row)) == size for row in members.tolist())
    assert not size or (members.min() >= 0 and members.max() < population)


@pytest.mark.parametrize("population", [1, 2, 3, 4, 5, 6])
def test_every_subset_is_equally_likely(population: int) -> None:
    for size in range(population + 1):
        rng = np.random.default_rng((population, size))
        subsets = list(combinations(range(population), size))
        drawn = draw_subsets(population, size, 400 * len(subsets), rng)
        found, counts = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
        assert len(found) == len(subsets)
        if len(subsets) > 1:
            # One false alarm in 100 000; the seed is fixed.
            assert stats.chisquare(counts).pvalue > 1e-5


@pytest.mark.parametrize(("population", "size"), [(500, 60), (500, 250), (500, 251), (500, 470)])
def test_every_member_is_equally_likely(population: int, size: int) -> None:
    repetitions = 2000
    members = draw_subsets(population, size, repetitions, np.random.default_rng(size))
    counts = np.bincount(members.ravel(), minlength=population)
    share = size / population
    z = (counts - repetitions * share) / np.sqrt(repetitions * share * (1 - share))
    assert np.abs(z).max() < 5
    assert 0.75 < z.var() < 1.25


def test_pairs_of_members_are_equally_likely() -> None:
    population, size, repetitions = 12, 5, 40_000
    members = draw_subsets(population, size, repetitions, np.random.default_rng(5))
    held = np.zeros((repetitions, population))
    np.put_along_axis(held, members.astype(np.intp), 1.0, axis=1)
    together = (held.T @ held / repetitions)[np.triu_indices(population, 1)]
    share = size * (size - 1) / (population * (population - 1))
    assert np.abs(together - share).max() < 5 * np.sqrt(share * (1 - share) / repetitions)


def test_repetitions_are_independent() -> None:
    members = draw_subsets(10, 3, 20_000, np.random.default_rng(6))
    sums = members.sum(axis=1).astype(float)
    assert abs(np.corrcoef(sums[1:], sums[:-1])[0, 1]) < 5 / np.sqrt(20_000)


def test_with_replacement_a_subset_may_exceed_the_population() -> None:
    members = draw_subsets(3, 50, 200, np.random.default_rng(7), replacement=True)
    assert members.shape == (200, 50)
    assert stats.chisquare(np.bincount(members.ravel())).pvalue > 1e-5


def test_more_members_than_there_are() -> None:
    with pytest.raises(ValueError, match=r"size must be in \[0, 3\], got size=4"):
        draw_subsets(3, 4, 1, np.random.default_rng(8))


@given(st.integers(1, 20), st.data(), st.integers(0, 2**32 - 1))
def test_sums_are_those_of_the_members(population: int, data: st.DataObject, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = data.draw(st.integers(0, population))
    values = rng.normal(size=(population, 3))
    members = draw_subsets(population, size, 7, rng)
    np.testing.assert_allclose(
        subset_sums(values, members), values[members].sum(axis=1), atol=1e-12
    )
