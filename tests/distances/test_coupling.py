"""Couplings have the right marginals and show the distance they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.distances.coupling import optimal_coupling

PLACES = np.array([1.0, 2.0, 3.0, 100.0])
MU, NU = (0.6, 0.2, 0.0, 0.2), (0.4, 0.3, 0.2, 0.1)


def test_figure_1() -> None:
    """0.1 goes from 100 to 3; the rest moves by one place at most."""
    whole = optimal_coupling(PLACES, PLACES, 0.0, MU, NU)
    assert whole.reach == 97
    assert whole.mass_beyond == 0
    close = optimal_coupling(PLACES, PLACES, 0.1, MU, NU)
    assert close.reach == 1
    assert close.mass_beyond == pytest.approx(0.1)
    far = {
        (PLACES[source], PLACES[target]): mass
        for source, target, mass, beyond in zip(
            close.sources, close.targets, close.masses, close.beyond, strict=True
        )
        if beyond
    }
    ((source, target),) = far
    assert (source, target) == (100.0, 3.0)


@given(
    st.integers(0, 10**6),
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.1, 0.4]),
    st.booleans(),
)
def test_marginals_and_reach(seed, k, size, m, delta, weighted) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(k, m)), rng.normal(size=(size, m))
    p, q = np.full(k, 1 / k), np.full(size, 1 / size)
    if weighted:
        p, q = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(size))
        p[0], p = 0.0 if k > 1 else p[0], p
        p /= p.sum()
        found = optimal_coupling(x, y, delta, p, q)
        assert found.reach == dp.closeness(x, y, delta, p, q)
    else:
        found = optimal_coupling(x, y, delta)
        assert found.reach == dp.closeness(x, y, delta)
    np.testing.assert_allclose(np.bincount(found.sources, found.masses, k), p, atol=1e-7)
    np.testing.assert_allclose(np.bincount(found.targets, found.masses, size), q, atol=1e-7)
    lengths = np.abs(x[found.sources] - y[found.targets]).sum(axis=1)
    np.testing.assert_allclose(found.distances, lengths)
    assert found.mass_beyond <= delta + 1e-7


def test_too_many_points() -> None:
    with pytest.raises(dp.errors.DistanceError, match="more than 250\u202f000; take fewer points"):
        optimal_coupling(np.arange(1000.0), np.arange(999.0))
