"""Distances and reach of normal distributions, against other ways to compute them."""

from __future__ import annotations

import itertools

import cvxpy as cp
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.distances.normals import normal_closeness, normal_deviation


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
    reach = normal_deviation(covariance, outside)
    drawn = np.random.default_rng(2).multivariate_normal(np.zeros(m), covariance, size=400_000)
    beyond = (np.abs(drawn).sum(axis=1) > reach).mean()
    spread = np.sqrt(outside / 400_000)
    assert beyond == pytest.approx(outside, abs=4 * spread + 0.01 * outside)


SMALL = [0.3, 1e-2, 1e-4, 1e-8, 1e-12, 1e-18, 1e-30]


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(SMALL), st.floats(0.01, 1))
def test_reach_in_the_plane_however_far_out(seed: int, outside: float, width: float) -> None:
    """By an integral over the angle, in high precision."""
    covariance = random_normal(seed, 2)[1] * np.outer([1, width], [1, width])
    reach = mp.mpf(normal_deviation(covariance, outside))
    (a, b), (_, c) = covariance.tolist()

    def beyond(angle: mp.mpf) -> mp.mpf:
        x = mp.sqrt(a) * mp.cos(angle)
        y = b / mp.sqrt(a) * mp.cos(angle) + mp.sqrt(c - mp.mpf(b) ** 2 / a) * mp.sin(angle)
        return mp.exp(-((reach / (abs(x) + abs(y))) ** 2) / 2)

    # Kinks where a coordinate changes its sign, and peaks along the axes of both rows of signs.
    root = mp.sqrt(c - mp.mpf(b) ** 2 / a)
    marks = [mp.pi / 2, mp.atan2(-b / mp.sqrt(a), root)]
    marks += [mp.atan2(s * root, mp.sqrt(a) + s * b / mp.sqrt(a)) for s in (1, -1)]
    ends = sorted(mark % mp.pi for mark in marks)
    tail = mp.quad(beyond, [*ends, ends[0] + mp.pi]) / mp.pi
    assert float(tail / mp.mpf(outside)) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("outside", SMALL)
def test_reach_of_four_independent_statistics(outside: float) -> None:
    """Two half-normals sum to a density in closed form; two of those are one integral."""
    reach = mp.mpf(normal_deviation(np.eye(4) * 9.0, outside)) / 3

    def density(x: mp.mpf) -> mp.mpf:
        return 2 / mp.sqrt(mp.pi) * mp.exp(-x * x / 4) * mp.erf(x / 2)

    def beyond(x: mp.mpf) -> mp.mpf:
        return mp.erfc(x / 2) * (2 - mp.erfc(x / 2))

    tail = mp.quad(lambda x: density(x) * beyond(reach - x), [0, reach / 2, reach]) + beyond(reach)
    assert float(tail / mp.mpf(outside)) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("outside", SMALL)
@pytest.mark.parametrize("m", [2, 5, 12])
def test_reach_of_statistics_that_move_together(m: int, outside: float) -> None:
    along = np.random.default_rng(m).normal(size=m)
    found = normal_deviation(np.outer(along, along), outside)
    tail = mp.erfc(found / (mp.sqrt(2) * np.abs(along).sum()))
    assert float(tail / mp.mpf(outside)) == pytest.approx(1, abs=0.02)


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(3, 8), st.sampled_from([1e-2, 1e-5, 1e-8, 1e-12]))
def test_reach_by_a_union_of_half_spaces(seed: int, m: int, outside: float) -> None:
    """‖X‖_1 > c where sᵀX > c for some signs s: one is drawn, and counts 1 over how many hold.

    The estimator of Owen, Maximov & Chertkov (2019), whose relative error is bounded.
    """
    covariance = random_normal(seed, m)[1]
    reach = normal_deviation(covariance, outside)
    rng, draws = np.random.default_rng(seed), 20_000
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=m)))
    spreads = np.sqrt(((signs @ covariance) * signs).sum(axis=1))
    tails = stats.norm.sf(reach / spreads)
    which = rng.choice(len(signs), draws, p=tails / tails.sum())
    far = stats.norm.isf(rng.random(draws) * tails[which]) * spreads[which]
    x, along = rng.multivariate_normal(np.zeros(m), covariance, size=draws), signs[which]
    missing = (far - (x * along).sum(axis=1)) / spreads[which] ** 2
    x += missing[:, None] * (along @ covariance)
    hold = (x @ signs.T > reach * (1 - 1e-12)).sum(axis=1)
    tail = tails.sum() / hold
    error = tail.std() / np.sqrt(draws) / outside
    assert tail.mean() / outside == pytest.approx(1, abs=5 * error + 0.02)


@pytest.mark.parametrize("delta", [1e-3, 2e-8, 1e-18])
def test_the_bounded_mechanism_reaches_as_far_as_delta_asks(
    model: dp.GaussianModel, delta: float
) -> None:
    noise = dp.calibrate("BoundedWasserstein", model, 1.0, delta)
    strays = max(normal_deviation(each, delta / 2) for each in model.pairs[0].covariances)
    assert noise.scales == pytest.approx(model.sensitivity(1) + 2 * strays, rel=1e-12)


def test_reach_far_out_in_one_dimension() -> None:
    found = normal_deviation(np.array([[4.0]]), 1e-9)
    assert found == pytest.approx(2 * stats.norm.isf(5e-10), rel=1e-6)


@pytest.mark.parametrize("outside", [0.05, 1e-5])
def test_reach_where_some_or_all_statistics_do_not_vary(outside: float) -> None:
    one = -float(stats.norm.ppf(outside / 2))
    assert normal_deviation(np.zeros((2, 2)), outside) == 0
    assert normal_deviation(np.diag([1.0, 0.0]), outside) == pytest.approx(one, rel=1e-3)
    # |X| + |−X|: the signs (1, 1) reach nowhere.
    opposed = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert normal_deviation(opposed, outside) == pytest.approx(2 * one, rel=1e-3)
