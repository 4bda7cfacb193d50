"""How well a noise covers a grid."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.linalg import block_diag

import distpriv as dp
from distpriv.privacy.smoothness import _reduced, log_ratio, smoothness


def by_summation(
    covariance: np.ndarray, steps: np.ndarray, noise: np.ndarray, reach: int = 25
) -> float:
    """θ term by term, from its definition."""
    within = np.linalg.inv(np.linalg.inv(covariance) + np.linalg.inv(noise))
    form = within / np.outer(steps, steps)
    points = np.array(list(itertools.product(range(-reach, reach + 1), repeat=len(steps))))
    exponents = np.einsum("ka,ab,kb->k", points, form, points)
    return float(np.exp(-2 * math.pi**2 * exponents).sum() - 1)


@given(st.integers(0, 10**6), st.integers(1, 3), st.floats(0.2, 1.2), st.integers(0, 2))
def test_against_the_sum_over_the_dual_grid(
    seed: int, size: int, share: float, directions: int
) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size + 2)) * rng.uniform(0.5, 4)
    covariance, steps = root @ root.T, 10.0 ** rng.uniform(-2, 0.3, size)
    factors = rng.normal(size=(size, directions)) * rng.uniform(0, 10)
    floor = share * steps
    found = smoothness(covariance[None], steps, factors, floor)
    wanted = by_summation(covariance, steps, factors @ factors.T + np.diag(floor**2))
    assert found >= wanted * (1 - 1e-6) - 1e-12
    assert found <= wanted * (1 + 1e-6) + 1e-12 or wanted > 0.5


@pytest.mark.parametrize("deviation", [0.3, 0.5, 0.8])
def test_the_density_of_a_count_after_noise_stays_within_theta(deviation: float) -> None:
    """A normal law restricted to whole numbers, after noise, against the normal itself."""
    spread, where = 2.0, np.linspace(-6, 6, 997)
    counts = np.arange(-60, 61)
    masses = stats.norm.pdf(counts, 0.3, spread)
    masses /= masses.sum()
    density = stats.norm.pdf(where[:, None], counts, deviation) @ masses
    normal = stats.norm.pdf(where, 0.3, math.hypot(spread, deviation))
    theta = smoothness(
        np.array([[[spread**2]]]), np.ones(1), np.zeros((1, 0)), np.array([deviation])
    )
    apart = np.abs(density / normal - 1).max()
    assert apart <= theta * (1 + 1e-6)
    assert apart >= 0.98 * theta  # it is reached


@pytest.mark.parametrize("moves", [[True, False], [False, True], [True, True]])
def test_a_statistic_that_cannot_vary_under_one_law_has_no_grid_there(moves: list[bool]) -> None:
    """What is released beside it tells of the noise all the same."""
    noise = np.array([[1.0, 0.6], [0.6, 0.8]])
    covariance = np.array([[3.0, 0.5], [0.5, 2.0]])
    chosen = np.ix_(moves, moves)
    # Given a release the noise on what varies is known up to the inverse of its precision's block.
    within = np.linalg.inv(np.linalg.inv(covariance[chosen]) + np.linalg.inv(noise)[chosen])
    points = np.array(list(itertools.product(range(-9, 10), repeat=sum(moves))))
    exponents = np.einsum("ka,ab,kb->k", points, within, points)
    expected = float(np.exp(-2 * math.pi**2 * exponents).sum() - 1)
    still = covariance * np.outer(moves, moves)
    floor = np.array([0.1, 0.1])
    factors = np.linalg.cholesky(noise - np.diag(floor**2))
    both = by_summation(covariance, np.ones(2), noise)
    theta = smoothness(np.array([still, covariance]), np.ones(2), factors, floor)
    assert theta == pytest.approx(max(expected, both), rel=1e-5)
    wide = np.diag([100.0, 100.0])  # the law under which both vary is covered better
    theta = smoothness(np.array([still, wide]), np.ones(2), factors, floor)
    limit = by_summation(wide, np.ones(2), noise)
    assert theta == pytest.approx(max(expected, limit), rel=1e-5)
    assert smoothness(np.zeros((1, 2, 2)), np.ones(2), factors, floor) == math.inf


def test_noise_along_one_direction_has_none() -> None:
    covariance, steps = np.diag([4.0, 9.0])[None], np.ones(2)
    along = np.array([[3.0], [4.0]])
    assert smoothness(covariance, steps, along, np.zeros(2)) == math.inf
    assert smoothness(covariance, steps, along, np.array([0.5, 0.0])) < math.inf
    assert smoothness(covariance, np.zeros(2), along, np.zeros(2)) == 0
    # Off the grid a statistic may be bare: it is a density.
    assert smoothness(covariance, np.array([1.0, 0.0]), along, np.zeros(2)) < 1e-9
    assert smoothness(covariance, np.array([1.0, 0.0]), along * [[0], [1]], np.zeros(2)) > 1
    assert smoothness(covariance, np.array([1.0, math.inf]), along, np.ones(2)) == math.inf


def test_an_unknown_grid_is_covered_by_noise_in_every_direction_only() -> None:
    covariance, unknown = np.diag([4.0, 9.0])[None], np.full(2, math.nan)
    assert smoothness(covariance, unknown, np.array([[3.0], [4.0]]), np.zeros(2)) == math.inf
    assert smoothness(covariance, unknown, np.eye(2), np.zeros(2)) == 0


@given(st.integers(0, 10**6), st.integers(7, 20))
def test_many_statistics_are_bounded_and_wider_floors_cover_more(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, 2 * size)) * 3
    covariance, direction = (root @ root.T / size)[None], rng.normal(size=(size, 1)) * 5
    thetas = [
        smoothness(covariance, np.ones(size), direction, np.full(size, share))
        for share in (0.5, 0.7, 0.9)
    ]
    assert thetas[0] >= thetas[1] >= thetas[2] > 0
    # At most what the floor alone lets through, coordinate by coordinate.
    alone = np.linalg.inv(np.linalg.inv(covariance[0]) + np.eye(size) / 0.81)
    least = np.linalg.eigvalsh(alone)[0]
    one = 2 * sum(math.exp(-2 * math.pi**2 * least * k * k) for k in range(1, 9))
    assert thetas[2] <= (1 + one) ** size - 1 + 1e-12


@pytest.mark.parametrize("blocks", [2, 4, 8])
def test_independent_releases_show_what_each_shows(blocks: int) -> None:
    """Of four statistics each, noise along one line above a floor: 1 + θ multiplies."""
    rng = np.random.default_rng(blocks)
    root = rng.normal(size=(blocks, 4, 6)) * 30
    covariances = root @ root.transpose(0, 2, 1)
    lines, floor = rng.normal(size=(blocks, 4, 1)) * 20, np.full(4, 0.5)
    alone = [
        smoothness(each[None], np.ones(4), line, floor)
        for each, line in zip(covariances, lines, strict=True)
    ]
    together = smoothness(
        block_diag(*covariances)[None],
        np.ones(4 * blocks),
        block_diag(*lines),
        np.full(4 * blocks, 0.5),
    )
    wanted = math.prod(1 + theta for theta in alone) - 1
    assert wanted * (1 - 1e-9) <= together + 1e-12
    # A bound beyond twelve: the shortest points of one block are a few of the product's.
    assert together <= max(60 * wanted, 1e-12)
    assert together < 0.01


@given(st.integers(0, 10**6), st.integers(2, 15))
def test_another_basis_is_of_the_same_lattice(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    skewed = rng.normal(size=(size, size)) @ np.diag(10.0 ** rng.uniform(-1, 1, size))
    root = np.linalg.cholesky(skewed @ skewed.T + 0.01 * np.eye(size)).T
    found = _reduced(root)
    assert np.allclose(found, np.triu(found))
    assert (np.diag(found) > 0).all()
    volumes = [np.log(np.diag(each)).sum() for each in (root, found)]
    assert volumes[1] == pytest.approx(volumes[0], abs=1e-6)
    assert np.diag(found).min() >= np.diag(root).min() * (1 - 1e-9)
    if size > 3:
        return
    # As many vectors of every length: the theta series.
    points = np.array(list(itertools.product(range(-30, 31), repeat=size)))
    within = 2.9 * np.linalg.norm(found, axis=0).min()
    lengths = [np.linalg.norm(points @ each.T, axis=1) for each in (found, root)]
    near, seen = (np.sort(each[each < within]) for each in lengths)
    # The skewed basis reaches a vector by larger numbers: some may be out of reach.
    assert len(seen) <= len(near)
    if len(seen) == len(near):
        np.testing.assert_allclose(seen, near, rtol=1e-7, atol=1e-9)


def test_a_floor_far_below_the_noise_is_not_lost() -> None:
    """Steps of 1e-9 of the noise's size, and of 1."""
    covariance = np.diag([1e18, 4.0])[None]
    steps, along = np.array([1.0, 1e-2]), np.array([[3e9], [0.7]])
    floor = steps / 2
    found = smoothness(covariance, steps, along, floor)
    assert 0 < found < 0.02
    assert smoothness(covariance, steps, along, floor / 50) > 1


@given(st.floats(0, 0.99))
def test_log_ratio(theta: float) -> None:
    assert math.exp(log_ratio(theta)) == pytest.approx((1 + theta) / (1 - theta))
    assert log_ratio(1.0) == math.inf


@pytest.mark.adult
def test_the_floor_of_half_a_step_on_adult(adult_income: dp.GaussianModel) -> None:
    """SPEC: trace 104.327 → 104.592 at c = ½, θ = 3e-9."""
    published = dp.calibrate("OptM", adult_income, 1.0, 1e-3, "exact", grid_safe=False)
    safe = dp.calibrate("OptM", adult_income, 1.0, 1e-3, "exact")
    assert np.trace(published.covariance) == pytest.approx(104.327, abs=1e-3)
    assert np.trace(safe.covariance) == pytest.approx(104.592, abs=1e-3)
    assert safe.floor == pytest.approx(adult_income.steps / 2)
    assert safe.smoothness(adult_income) == pytest.approx(3e-9, rel=0.05)
    fit = adult_income.pairs[0]
    wanted = max(
        by_summation(each, adult_income.steps, safe.covariance, reach=2) for each in fit.covariances
    )
    assert safe.smoothness(adult_income) == pytest.approx(wanted, rel=1e-5)
