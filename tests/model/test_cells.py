"""Cells of like records: the margins of their matching are the groups, to the last record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from distpriv.model.cells import match
from distpriv.model.moments import RecordGroups


def _groups(seed: int, first: int, second: int, indicators: int, numbers: int) -> RecordGroups:
    random = np.random.default_rng(seed)

    def some(count: int, shift: float) -> np.ndarray:
        marks = random.random((count, indicators)) < 0.3 + 0.3 * shift
        return np.hstack([marks, random.integers(0, 9, (count, numbers)) + 3 * shift])

    return RecordGroups(some(first, 0.0).astype(float), some(second, 1.0).astype(float), 0)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(1, 90),
    st.integers(1, 90),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(1, 20),
)
def test_margins_are_exactly_the_groups(
    seed: int, first: int, second: int, indicators: int, numbers: int, most: int
) -> None:
    if indicators + numbers == 0:
        return
    groups = _groups(seed, first, second, indicators, numbers)
    matching = match(groups, np.arange(indicators + numbers) < indicators, most)
    sizes = matching.sizes
    assert (matching.flows >= 0).all()
    assert (matching.flows.sum(axis=1) == sizes[0] * second).all()
    assert (matching.flows.sum(axis=0) == sizes[1] * first).all()
    for rows, count in zip(matching.pairs[:2], (first, second), strict=True):
        masses = np.bincount(rows, matching.pairs[2], minlength=count)
        assert masses == pytest.approx(np.full(count, 1 / count), rel=1e-9)
    for side, values in zip(matching.groups, (groups.without, groups.having), strict=True):
        assert sorted(map(tuple, side)) == sorted(map(tuple, values))


def test_a_cell_a_record_is_the_assignment_of_least_cost() -> None:
    random = np.random.default_rng(5)
    groups = RecordGroups(random.normal(size=(12, 2)), random.normal(size=(12, 2)) + 0.5, 0)
    matching = match(groups, np.zeros(2, dtype=bool), 24)
    assert matching.flows.shape == (12, 12)
    first, second, masses = matching.pairs
    deviations = np.vstack([groups.without, groups.having]).std(axis=0)
    moved = (matching.groups[0][first] - matching.groups[1][second]) / deviations
    costs = cdist(groups.without / deviations, groups.having / deviations, "sqeuclidean")
    least = costs[linear_sum_assignment(costs)].mean()
    assert masses @ (moved**2).sum(axis=1) == pytest.approx(least, rel=1e-6)


def test_like_records_are_put_together() -> None:
    groups = _groups(3, 400, 300, 2, 2)
    matching = match(groups, np.arange(4) < 2, 60)
    first, second, masses = matching.pairs
    moved = matching.groups[0][first] - matching.groups[1][second]
    apart = np.array([groups.without.var(axis=0), groups.having.var(axis=0)]).sum(axis=0)
    apart += (groups.without.mean(axis=0) - groups.having.mean(axis=0)) ** 2
    assert (masses @ moved**2 < 0.8 * apart).all()
    means = groups.without.mean(axis=0) - groups.having.mean(axis=0)
    assert masses @ moved == pytest.approx(means)
