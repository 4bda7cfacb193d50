"""Shapes of noise against the papers' worked examples, bisection and each other."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from distpriv.errors import DistprivError
from distpriv.mechanisms import MECHANISMS, Mechanism, mechanism_named, register
from distpriv.mechanisms.shapes import one_dimensional_noise, span

GAUSSIAN = [one for one in MECHANISMS.values() if one.shape is not None]


def law(seed, m, count=1):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(count, m, m))
    return rng.normal(size=(count, m)) * 3, (roots @ roots.swapaxes(1, 2) + 0.1 * np.eye(m))[None]


def test_register_refuses_a_second_of_a_name():
    with pytest.raises(ValueError, match="'OptM' already"):
        register(MECHANISMS["OptM"])
    with pytest.raises(DistprivError, match=r"no mechanism 'optm'; .*\. Did you mean 'OptM'\?"):
        mechanism_named("optm")
    assert all(isinstance(one, Mechanism) and one.theorem for one in MECHANISMS.values())


def test_eigenvector_noise_of_the_worked_example():
    # Chen & Ohrimenko 2023, Section 4.2: 28.52 for ExpM becomes 18.52 and 3.52.
    pooled = np.array([[22.0, -6.0], [-6.0, 13.0]])[None, None]
    d, mu = np.array([[np.sqrt(28.52), 0.0]]), np.ones(1)
    np.testing.assert_allclose(MECHANISMS["ExpM"].shape(d, pooled, mu)[0], 28.52 * np.eye(2))
    noise = MECHANISMS["EigM"].shape(d, pooled, mu)[0]
    np.testing.assert_allclose(np.linalg.eigvalsh(noise), [3.52, 18.52], atol=1e-10)
    # Of several covariances the one that varies least counts in each direction.
    several = np.array([np.diag([1.0, 4.0]), np.diag([3.0, 2.0])])[None]
    noise = MECHANISMS["EigM"].shape(np.array([[5.0, 0.0], [0.0, 1.0]]), several, mu)[0]
    np.testing.assert_allclose(noise, np.diag([24.0, 23.0]), atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_one_dimensional_noise_is_what_bisection_finds(seed):
    # Algorithm 1: the least σ² at which Σ + (σ² − (α/μ)²) v vᵀ is positive semidefinite.
    d, pooled = law(seed, 4)
    mu, v = 0.3 + 0.4 * seed, span(d)[:, 0]
    alpha, low, high = d[0] @ v, 0.0, (d[0] @ v / mu) ** 2
    for _ in range(200):
        middle = (low + high) / 2
        matrix = pooled[0, 0] + (middle - (alpha / mu) ** 2) * np.outer(v, v)
        low, high = (low, middle) if np.linalg.eigvalsh(matrix)[0] >= 0 else (middle, high)
    noise = one_dimensional_noise(d, pooled, np.array([mu]))[0]
    np.testing.assert_allclose(noise, high * np.outer(v, v), rtol=1e-7, atol=1e-9)
    # Of several pairs the one that needs most counts.
    several, units = np.array([[1.0, 0.0], [3.0, 0.0]]), np.eye(2)[None, None].repeat(2, axis=1)
    noise = one_dimensional_noise(several, units, np.ones(1))[0]
    np.testing.assert_allclose(noise, np.diag([8.0, 0.0]), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(-2, 1))
def test_no_shape_has_less_trace_than_the_least_and_all_keep_the_distance(seed, m, log_mu):
    d, pooled = law(seed, m)
    mu = np.array([10**log_mu])
    noises = {one.name: one.shape(d, pooled, mu)[0] for one in GAUSSIAN}
    traces = {name: np.trace(noise) for name, noise in noises.items()}
    assert min(traces.values()) >= traces["OptM"] * (1 - 1e-9) - 1e-9
    order = [traces[name] for name in ("EigM", "APGM", "ExpM")]
    assert order == pytest.approx(sorted(order))
    for noise in noises.values():
        total = pooled[0, 0] + noise
        assert d[0] @ np.linalg.solve(total, d[0]) <= mu[0] ** 2 * (1 + 1e-6) or not noise.any()
        assert np.linalg.eigvalsh(noise)[0] >= -1e-9 * np.trace(noise)


def test_noise_along_several_directions_covers_the_span():
    d, pooled = law(3, 4, count=2)
    noise = MECHANISMS["DirM"].shape(d, pooled, np.ones(1))[0]
    size = np.linalg.norm(d, axis=1).max() ** 2
    np.testing.assert_allclose(noise @ d.T, size * d.T, rtol=1e-10)
    assert np.linalg.matrix_rank(noise) == 2
