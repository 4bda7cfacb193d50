"""Densities of noisy counts by Fourier transforms, against the sum over all bells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from distpriv.privacy.lattice_mixtures import LatticeLaws, lattice_deltas

FACTORS = np.exp([0.0, 0.5, 1.0, 2.0])


def _laws(rng: np.random.Generator, m: int, n: int) -> Any:
    """Of n draws with a share for each combination of values, under two sets of shares."""
    found = []
    for _ in range(2):
        shares = rng.dirichlet(np.full(2**m, 1.5)).reshape((2,) * m)
        law = np.ones((1,) * m)
        for _ in range(n):
            grown = np.zeros([size + 1 for size in law.shape])
            for cell in np.ndindex(*shares.shape):
                part = tuple(slice(hit, hit + law.shape[k]) for k, hit in enumerate(cell))
                grown[part] += shares[cell] * law
            law = grown
        found.append(law)
    return np.array(found)


def _by_bells(laws: Any, covariance: Any) -> Any:
    """On a fine mesh in the noise's own coordinates, in which bells are products."""
    variances, directions = np.linalg.eigh(covariance)
    points = np.indices(laws.shape[1:]).reshape(len(variances), -1).T @ directions
    rows, cell = [], 1.0
    for index, deviation in enumerate(np.sqrt(variances)):
        ends = points[:, index].min() - 8 * deviation, points[:, index].max() + 8 * deviation
        width = deviation / 40
        axis = np.arange(*ends, width)
        rows.append(stats.norm.pdf(axis[:, None] - points[:, index], scale=deviation))
        cell *= width
    masses = laws.reshape(2, -1)
    if len(rows) == 1:
        p, q = (rows[0] @ mass for mass in masses)
    else:
        p, q = ((rows[0] * mass) @ rows[1].T for mass in masses)
    return np.array(
        [[cell * np.maximum(a - f * b, 0).sum() for f in FACTORS] for a, b in ((p, q), (q, p))]
    )


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_against_the_bells(m: int, seed: int) -> None:
    rng = np.random.default_rng(100 * m + seed)
    laws = _laws(rng, m, int(rng.integers(3, 20)))
    factor = rng.normal(size=(m, m))
    covariance = 0.49 * np.eye(m) + rng.choice([0.1, 1.0, 4.0]) * factor @ factor.T
    found = lattice_deltas(LatticeLaws(laws), covariance, FACTORS)
    assert found is not None
    np.testing.assert_allclose(found, _by_bells(laws, covariance), rtol=1e-3, atol=1e-7)


def test_three_counts_that_are_independent_of_the_third() -> None:
    """A third count of the same law under both shares tells nothing."""
    rng = np.random.default_rng(5)
    two = _laws(rng, 2, 12)
    third = stats.binom.pmf(np.arange(13), 12, 0.4)
    three = two[..., None] * third
    first = lattice_deltas(LatticeLaws(two), np.diag([1.0, 2.0]), FACTORS)
    found = lattice_deltas(LatticeLaws(three), np.diag([1.0, 2.0, 0.8]), FACTORS)
    assert first is not None
    assert found is not None
    np.testing.assert_allclose(found, first, rtol=1e-3, atol=1e-9)


@given(st.floats(0.9, 30), st.integers(2, 60), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_one_count_against_its_integral(
    deviation: float, n: int, first: float, second: float
) -> None:
    counts = np.arange(n + 1)
    laws = np.array([stats.binom.pmf(counts, n, share) for share in (first, second)])
    found = lattice_deltas(LatticeLaws(laws), np.array([[deviation**2]]), np.exp([1.0]))
    assert found is not None
    mesh = np.linspace(-9 * deviation, n + 9 * deviation, 60_001)
    p, q = laws @ stats.norm.pdf(mesh - counts[:, None], scale=deviation)
    width = mesh[1] - mesh[0]
    expected = [width * np.maximum(a - math.e * b, 0).sum() for a, b in ((p, q), (q, p))]
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-3, atol=2e-9)


def test_noise_that_does_not_cover_the_grid_is_left_to_others() -> None:
    laws = LatticeLaws(_laws(np.random.default_rng(1), 2, 10))
    assert lattice_deltas(laws, np.diag([0.01, 4.0]), FACTORS) is None
    assert lattice_deltas(laws, np.diag([0.0, 4.0]), FACTORS) is None
    assert lattice_deltas(laws, np.diag([4.0, 4.0]), FACTORS) is not None


def test_moments() -> None:
    n, share = 40, np.array([0.1, 0.3])
    laws = np.array([stats.binom.pmf(np.arange(n + 1), n, one) for one in share])
    means, covariances = LatticeLaws(laws).moments
    assert means[:, 0] == pytest.approx(n * share)
    assert covariances[:, 0, 0] == pytest.approx(n * share * (1 - share))
