"""Distances and reach of normal distributions, against other ways to compute them."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.normals import normal_closeness, normal_deviation


def random_normal(seed: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(m, m + 1))
    return rng.normal(size=m), factor @ factor.T


@given(
    st.floats(0, 5), st.floats(0.1, 5), st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 0.5])
)  # fmt: skip
def test_one_dimension_in_closed_form(shift: float, spread: float, delta: float) -> None:
    expected = max(0.0, shift - 2 * spread * stats.norm.ppf((1 + delta) / 2))
    found = normal_closeness(np.array([shift]), np.array([[spread**2]]), delta)
    assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([1e-3, 0.05, 0.3]))
def test_against_the_conic_program(seed: int, m: int, delta: float) -> None:
    difference, covariance = random_normal(seed, m)
    inverse = np.linalg.inv(np.linalg.cholesky(covariance))
    moved = cp.Variable(m)
    radius = 2 * stats.norm.ppf((1 + delta) / 2)
    program = cp.Problem(
        cp.Minimize(cp.norm1(moved)), [cp.norm(inverse @ (difference - moved)) <= radius]
    )
    program.solve(solver=cp.CLARABEL)
    found = normal_closeness(difference, covariance, delta)
    assert found == pytest.approx(program.value, abs=2e-5 * (1 + abs(program.value)))


def test_a_translation_is_its_length() -> None:
    difference, covariance = random_normal(3, 4)
    assert normal_closeness(difference, covariance, 0.0) == pytest.approx(np.abs(difference).sum())


def test_samples_of_two_normals_on_a_line_in_the_plane() -> None:
    """Empirical closeness of many draws in one dimension agrees."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 200_000)) * 1.5
    found = dp.closeness(x, y + 2, 0.2)
    assert found == pytest.approx(
        normal_closeness(np.array([2.0]), np.array([[2.25]]), 0.2), abs=0.03
    )


@pytest.mark.parametrize("m", [1, 2, 5, 12])
@pytest.mark.parametrize("outside", [0.2, 0.01, 1e-3])
def test_reach_against_simulation(m: int, outside: float) -> None:
    _, covariance = random_normal(m, m)
    reach = normal_deviation(covariance, 1 - outside)
    drawn = np.random.default_rng(2).multivariate_normal(np.zeros(m), covariance, size=400_000)
    beyond = (np.abs(drawn).sum(axis=1) > reach).mean()
    spread = np.sqrt(outside / 400_000)
    assert beyond == pytest.approx(outside, abs=4 * spread + 0.01 * outside)


def test_reach_far_out_in_one_dimension() -> None:
    found = normal_deviation(np.array([[4.0]]), 1 - 1e-9)
    assert found == pytest.approx(2 * stats.norm.isf(5e-10), rel=1e-6)
