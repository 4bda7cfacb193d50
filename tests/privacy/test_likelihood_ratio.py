"""The law of a log-likelihood ratio, against closed forms, integration and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtr

from distpriv.privacy.likelihood_ratio import LikelihoodRatio
from distpriv.privacy.privacy_loss import PrivacyLoss

LEVELS = np.array([-40.0, -3.0, -0.7, -0.01, 0.0, 0.02, 0.5, 2.0, 12.0])


def _random(
    rng: np.random.Generator, m: int, spread: float, shift: float
) -> tuple[np.ndarray, np.ndarray]:
    """Means and covariances of two normals; variances and their axes differ by the spread."""
    factors = [
        np.linalg.qr(rng.normal(size=(m, m)))[0] * np.exp(spread * rng.normal(size=m) / 2)
        for _ in range(2)
    ]
    first = rng.normal(size=(m, m)) + 2 * np.eye(m)  # in any units
    covariances = np.array([first @ part @ part.T @ first.T for part in factors])
    means = np.array([rng.normal(size=m), np.zeros(m)])
    return first @ (shift * means[0]) * np.array([[1.0], [0.0]]), covariances


def _log_ratio(x: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    first, second = (
        stats.multivariate_normal(mean, covariance).logpdf(x)
        for mean, covariance in zip(means, covariances, strict=True)
    )
    return np.asarray(second - first)


@pytest.mark.parametrize("m", [1, 2, 3, 6])
@pytest.mark.parametrize("spread", [0.02, 0.3, 0.99, 1.001, 1.5, 40.0])
def test_spheres_follow_the_noncentral_chi_squared_law(m: int, spread: float) -> None:
    """With one ratio of the variances L is an affine function of a squared distance."""
    shift = 0.8 * np.cos(np.arange(m))
    square = (1 / spread - 1) / 2
    center = shift / (2 * spread * square)
    level = m / 2 * math.log(spread) + shift @ shift / (2 * spread) - square * center @ center
    beyond = (LEVELS - level) / square
    away = (center - shift) / math.sqrt(spread)
    law = stats.ncx2.sf if square > 0 else stats.ncx2.cdf
    found = LikelihoodRatio(shift, np.full(m, spread)).tails(LEVELS)
    assert found.first == pytest.approx(law(beyond, m, center @ center), abs=2e-13, rel=1e-8)
    assert found.second == pytest.approx(law(beyond / spread, m, away @ away), abs=2e-13, rel=1e-8)


@given(
    st.floats(0.0, 5.0),
    st.floats(-4, 4).map(math.exp).filter(lambda ratio: abs(ratio - 1) > 1e-3),
)
def test_the_total_variation_of_two_normals_on_a_line(shift: float, ratio: float) -> None:
    """Their densities cross where a quadratic equation says."""
    # N(0, 1) against N(shift, ratio²): 2 ln ratio = x² − (x − shift)²/ratio².
    scaled = ratio**2
    roots = np.roots([1 - 1 / scaled, 2 * shift / scaled, -(shift**2) / scaled - math.log(scaled)])
    low, high = np.sort(roots.real)
    inside = [ndtr(high) - ndtr(low), ndtr((high - shift) / ratio) - ndtr((low - shift) / ratio)]
    case = LikelihoodRatio.between(np.array([[0.0], [shift]]), np.array([[[1.0]], [[scaled]]]))
    assert case.total_variation() == pytest.approx(abs(inside[0] - inside[1]), abs=1e-10)


@pytest.mark.parametrize("shift", [0.0, 0.6])
@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_the_total_variation_of_two_normals_in_the_plane(shift: float, spread: float) -> None:
    rng = np.random.default_rng(3)
    means, covariances = _random(rng, 2, spread, shift)
    case = LikelihoodRatio.between(means, covariances)
    reach = 9 * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2).max(axis=0))
    axes = [np.linspace(-end, end, 1501) for end in reach + np.abs(means).max(axis=0)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    densities = [
        stats.multivariate_normal(mean, covariance).pdf(points)
        for mean, covariance in zip(means, covariances, strict=True)
    ]
    cell = math.prod(float(axis[1] - axis[0]) for axis in axes)
    apart = float(np.abs(densities[0] - densities[1]).sum()) * cell / 2
    assert case.total_variation() == pytest.approx(apart, abs=2e-5)


@pytest.mark.parametrize(("m", "spread", "shift"), [(1, 1.0, 1.0), (4, 0.5, 0.5), (5, 2.0, 0.0)])
def test_tails_against_simulation(m: int, spread: float, shift: float) -> None:
    rng, draws = np.random.default_rng(7), 100_000
    means, covariances = _random(rng, m, spread, shift)
    drawn = [
        _log_ratio(rng.multivariate_normal(mean, covariance, draws), means, covariances)
        for mean, covariance in zip(means, covariances, strict=True)
    ]
    case = LikelihoodRatio.between(means, covariances)
    tails = case.tails(LEVELS)
    for found, logs in ((tails.second, drawn[0]), (tails.first, drawn[1])):
        shares = (logs > LEVELS[:, None]).mean(axis=1)
        error = np.sqrt(found * (1 - found) / draws)
        assert (np.abs(found - shares) <= 4.5 * error + 1e-9).all()
    ordered = (drawn[1] > drawn[0]).mean()
    assert case.ordering() == pytest.approx(ordered, abs=4.5 * 0.5 / math.sqrt(draws))
    middles, deviations = case.moments()
    assert middles == pytest.approx(
        [drawn[1].mean(), drawn[0].mean()], abs=5 * deviations.max() / math.sqrt(draws)
    )
    assert deviations == pytest.approx([drawn[1].std(), drawn[0].std()], rel=0.1)


def test_the_area_of_the_roc_curve_is_its_integral() -> None:
    rng = np.random.default_rng(5)
    case = LikelihoodRatio.between(*_random(rng, 3, 0.7, 0.4))
    tails = case.tails(np.linspace(40, -40, 4001))
    area = np.trapezoid(tails.first, tails.second)
    assert case.ordering() == pytest.approx(area, abs=1e-5)


scenarios = st.tuples(
    st.integers(0, 10_000), st.integers(1, 5), st.floats(0.0, 2.0), st.floats(0.0, 3.0)
)


@given(scenarios, st.floats(1e-4, 1 - 1e-4))
def test_thresholds_invert_the_tails(scenario: tuple, probability: float) -> None:
    seed, m, spread, shift = scenario
    case = LikelihoodRatio.between(*_random(np.random.default_rng(seed), m, spread, shift + 1e-3))
    level = case.threshold(probability)
    assert case.tails(level).first == pytest.approx(probability, rel=1e-6, abs=1e-9)


@given(scenarios)
def test_it_matters_neither_which_is_called_first_nor_in_what_units(scenario: tuple) -> None:
    seed, m, spread, shift = scenario
    rng = np.random.default_rng(seed)
    means, covariances = _random(rng, m, spread, shift)
    case = LikelihoodRatio.between(means, covariances)
    back = LikelihoodRatio.between(means[::-1], covariances[::-1])
    change = rng.normal(size=(m, m)) + 3 * np.eye(m)
    turned = LikelihoodRatio.between(means @ change.T, change @ covariances @ change.T)
    # The profile has its own way to the same figure.
    loss = PrivacyLoss.between(means[1], covariances[1], means[0], covariances[0])
    told = case.total_variation()
    assert 0 <= told <= 1
    assert told == pytest.approx(loss.delta(0.0), abs=2e-6)
    assert back.total_variation() == pytest.approx(told, abs=2e-6)
    assert turned.total_variation() == pytest.approx(told, abs=2e-6)
    level = np.array([-1.3, 0.4])
    # What exceeds t for one order is what stays below −t for the other.
    assert back.tails(-level).second == pytest.approx(1 - case.tails(level).first, abs=1e-5)


@given(scenarios)
def test_noise_only_brings_two_normals_closer(scenario: tuple) -> None:
    seed, m, spread, shift = scenario
    rng = np.random.default_rng(seed)
    means, covariances = _random(rng, m, spread, shift)
    factors = rng.normal(size=(m, m))
    noisy = covariances + factors @ factors.T
    bare, covered = (LikelihoodRatio.between(means, each) for each in (covariances, noisy))
    assert covered.total_variation() <= bare.total_variation() + 2e-6


def test_covariances_count_as_one_up_to_a_millionth() -> None:
    distance = np.array([0.0, 0.3, 2.0])
    for size in (0.9e-6, 1.1e-6):  # either side of the limit
        cases = LikelihoodRatio(distance[:, None] * [[1.0, 0.0]], np.full((3, 2), 1 + size))
        assert cases.equal_covariances.all() == (size < 1e-6)
        assert cases.total_variation() == pytest.approx(2 * ndtr(distance / 2) - 1, abs=2e-6)


def test_independent_releases_add_up() -> None:
    distances = np.array([[0.5], [1.2], [0.9]])
    equal = LikelihoodRatio(distances, np.ones((3, 1))).together()
    assert equal.distance == pytest.approx(math.sqrt((distances**2).sum()))
    rng = np.random.default_rng(1)
    means, covariances = _random(rng, 2, 1.0, 0.5)
    case = LikelihoodRatio.between(np.array([means] * 3), np.array([covariances] * 3))
    wide = np.array([np.kron(np.eye(3), covariance) for covariance in covariances])
    joint = LikelihoodRatio.between(np.tile(means, 3), wide)
    assert case.together().total_variation() == pytest.approx(joint.total_variation(), abs=1e-12)
    assert (case.total_variation() < joint.total_variation()).all()


def test_a_normal_without_width_is_told_apart_always() -> None:
    means = np.zeros((2, 2, 2))
    covariances = np.array([[np.eye(2), np.diag([1.0, 0.0])], [np.eye(2), 2 * np.eye(2)]])
    cases = LikelihoodRatio.between(means, covariances)
    assert cases.total_variation()[0] == 1
    assert cases.total_variation()[1] == pytest.approx(0.25)  # of two exponential variables
    found = cases.tails([[-5.0], [0.0], [math.inf], [-math.inf]])
    assert found.first[:, 0] == pytest.approx([1, 1, 0, 1])
    assert found.second[:, 0] == pytest.approx([0, 0, 0, 1])
    assert cases.threshold(0.3)[0] == math.inf


def test_shapes_are_those_of_cases_and_thresholds_together() -> None:
    cases = LikelihoodRatio(np.ones((3, 1, 2)), np.full((3, 1, 2), 1.5))
    assert cases.shape == (3, 1)
    assert cases.tails(np.zeros(4)).first.shape == (3, 4)
    assert cases.threshold(np.full(4, 0.5)).shape == (3, 4)
    assert cases.total_variation().shape == (3, 1)
    assert LikelihoodRatio(np.ones(2), np.ones(2)).tails(0.0).first.shape == ()
    # More thresholds than are taken at once come to the same.
    one = LikelihoodRatio(np.ones(2), np.full(2, 1.5))
    many = one.tails(np.linspace(-3, 3, 1001))
    assert many.first[::100] == pytest.approx(one.tails(np.linspace(-3, 3, 11)).first, abs=1e-13)


def test_where_both_are_one_nothing_is_told() -> None:
    case = LikelihoodRatio(np.zeros(3), np.ones(3))
    assert case.total_variation() == 0
    assert case.ordering() == 0.5
    assert case.threshold([0.2, 0.9]) == pytest.approx([0, 0])
    tails = case.tails([-1.0, 0.0, 1.0])
    assert tails.first == pytest.approx(tails.second)
    assert tails.first == pytest.approx([1, 0, 0])
