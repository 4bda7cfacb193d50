"""The best attacker on Laplace noise, against integration, limits, and trained attackers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import fftconvolve
from scipy.special import ndtr

import distpriv as dp
from distpriv.attacks.best_attack import best_roc, optimal_attack_estimate
from distpriv.attacks.laplace_optimum import laplace_brackets, laplace_optimum, laplace_roc
from distpriv.attacks.laplace_problem import fixed_draws, laplace_problem
from distpriv.privacy.delivered import privacy_losses
from distpriv.privacy.laplace_profile import laplace_losses
from distpriv.privacy.noise import Noise
from distpriv.privacy.normal_laplace import log_density

SECRET = dp.SensitiveProperty("secret")


def _model(differences: np.ndarray, covariance: np.ndarray) -> dp.GaussianModel:
    """Pairs with those differences of means and one covariance."""
    differences = np.atleast_2d(differences)
    m = differences.shape[1]
    pair = SECRET.pair(0.5, 0.1)
    thetas = dp.model.Theta(SECRET, 0.45, 100), dp.model.Theta(SECRET, 0.55, 100)
    pairs = tuple(
        dp.PairModel(pair, thetas, np.array([d, np.zeros(m)]), np.array([covariance] * 2))
        for d in differences
    )
    query = dp.Query([dp.Mean(f"x{index}") for index in range(m)])
    return dp.GaussianModel(query, 100, pairs, "exact", False, np.ones(m))


def _unlike(difference: np.ndarray, first: np.ndarray, second: np.ndarray) -> dp.GaussianModel:
    """A pair with that difference of means and two covariances."""
    model = _model(difference, first)
    fit = replace(model.pairs[0], covariances=np.array([first, second]))
    return replace(model, pairs=(fit,))


def _noise(scales: np.ndarray | list[float], directions: np.ndarray | None = None) -> Noise:
    scales = np.asarray(scales, dtype=float)
    chosen = np.eye(len(scales)) if directions is None else directions
    return Noise("test", "laplace", chosen, scales, 1.0, 0.0)


def _random(seed: int, m: int, size: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    """A difference of that length and a covariance."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(m, m + 2))
    difference = rng.normal(size=m)
    return size * difference / np.linalg.norm(difference), factors @ factors.T / m


def _on_a_grid(difference: np.ndarray, covariances: np.ndarray, scales: np.ndarray) -> float:
    """Optimal accuracy for two statistics by convolving the densities on a grid."""
    half, points = 14 * np.sqrt(covariances[0, 0, 0]) + 22 * scales.max(), 1201
    # The difference is a whole number of steps along each axis.
    steps = np.maximum(np.round(np.abs(difference) / (2 * half / points)), 1)
    width = np.abs(difference) / steps
    axes = [np.arange(-(points // 2), points // 2 + 1) * w for w in width]
    x = np.stack(np.meshgrid(*axes, indexing="ij"))
    # Laplace masses of the cells.
    cells = [
        np.diff(np.where(e < 0, np.exp(-np.abs(e)) / 2, 1 - np.exp(-np.abs(e)) / 2))
        for e in (
            np.append(axis - w / 2, axis[-1] + w / 2) / b
            for axis, w, b in zip(axes, width, scales, strict=True)
        )
    ]
    first, second = (
        fftconvolve(normal / normal.sum(), np.outer(*cells), mode="same")
        for normal in (
            np.exp(-np.einsum("iab,ij,jab->ab", x, np.linalg.inv(covariance), x) / 2)
            for covariance in covariances
        )
    )
    shifted = np.roll(second, np.round(difference / width).astype(int), axis=(0, 1))
    return float(np.maximum(first, shifted).sum() / 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "scales", "correlation"),
    [
        ([1.0, 1.0], [0.5, 0.5], 0.0),
        ([1.5, -0.5], [1.0, 1.0], 0.6),
        ([1.0, 2.0], [3.0, 0.7], -0.5),
        ([2.0, 2.0], [4.0, 4.0], 0.3),
        ([3.0, 1.0], [2.0, 1.0], -0.8),
    ],
)
def test_two_statistics_against_numerical_integration(
    difference: list[float], scales: list[float], correlation: float
) -> None:
    d, covariance = np.array(difference), np.array([[1.0, correlation], [correlation, 1.0]])
    exact = _on_a_grid(d, np.array([covariance] * 2), np.array(scales))
    found = laplace_optimum(_model(d, covariance), _noise(scales), 3)
    assert found.interval.estimate == pytest.approx(exact, abs=1e-3)
    assert found.interval.low - 3e-4 < exact < found.interval.high + 3e-4
    assert found.lower <= exact + 1e-4
    assert found.upper >= exact - 1e-4
    assert found.interval.high - found.interval.low <= 1e-3
    assert found.standard_error < 4e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "scales", "spread", "correlations"),
    [
        ([1.0, 1.0], [0.5, 0.5], 0.3, (0.0, 0.0)),
        ([1.5, -0.5], [1.0, 1.0], 2.0, (0.6, -0.6)),
        ([0.05, 0.05], [0.2, 0.3], 6.0, (0.0, 0.5)),
        ([0.05, 0.05], [1.0, 0.5], 1.0, (0.9, -0.9)),
    ],
)
def test_two_statistics_with_covariances_of_their_own_against_numerical_integration(
    difference: list[float], scales: list[float], spread: float, correlations: tuple[float, float]
) -> None:
    d = np.array(difference)
    first, second = (np.array([[1.0, rho], [rho, 1.0]]) for rho in correlations)
    exact = _on_a_grid(d, np.array([first, spread * second]), np.array(scales))
    # The grid holds the second normal at a distance from the first.
    found = laplace_optimum(_unlike(-d, first, spread * second), _noise(scales), 3)
    assert found.interval.estimate == pytest.approx(exact, abs=1e-3)
    assert found.interval.low - 5e-4 < exact < found.interval.high + 5e-4
    assert found.lower <= exact + 1e-4
    assert found.upper >= exact - 1e-4


@pytest.mark.slow
@given(
    st.floats(0.0, 4.0),
    st.floats(-2, 2).map(math.exp),
    st.floats(-2, 2).map(lambda power: 10**power),
)
def test_one_statistic_with_variances_of_its_own(shift: float, ratio: float, scale: float) -> None:
    model, noise = _unlike(np.array([shift]), np.eye(1), ratio * np.eye(1)), _noise([scale])
    loss = privacy_losses(model.pairs[0], noise)[0]
    exact = (1 + loss.delta(0.0)) / 2
    found = optimal_attack_estimate(model, noise, 0)
    # Covariances that agree to 1e-6, of the one or of the other, are taken for equal.
    near = 1e-7 if abs(ratio - 1) <= 1.1e-6 else 1e-9
    assert found == dp.model.Interval(*[pytest.approx(exact, abs=near)] * 3)
    # A number for the exact one to be right: densities on a line.
    line = np.linspace(-60, 60, 200_001) * max(1.0, math.sqrt(ratio), scale)
    logs = [log_density(line - at, math.sqrt(s), scale) for at, s in ((shift, 1.0), (0.0, ratio))]
    densities = np.exp(logs)
    assert exact == pytest.approx(np.trapezoid(densities.max(axis=0), line) / 2, abs=1e-4)


@pytest.mark.parametrize("gap", [0.0, 1.0])
def test_one_direction_among_several_statistics_against_the_simulated_profile(gap: float) -> None:
    d, first = _random(3, 4, gap)
    second = _random(4, 4)[1]
    direction = np.array([[0.6], [0.8], [0.0], [0.0]])
    model, noise = _unlike(d, first, second), _noise([0.7], direction)
    found = optimal_attack_estimate(model, noise, 1)
    both = laplace_losses(
        model.pairs[0].means, model.pairs[0].covariances, direction, np.array([0.7])
    )
    for loss in both:  # another decomposition, another estimator, either order
        told = loss.deltas([0.0])
        assert (1 + told.low[0]) / 2 - 1e-3 < found.estimate < (1 + told.high[0]) / 2 + 1e-3
    assert found.high - found.low < 2.5e-3


def test_a_statistic_that_does_not_vary_at_one_share() -> None:
    still, moving = np.diag([1.0, 0.0]), np.eye(2)
    model = _unlike(np.zeros(2), still, moving)
    # Without noise of its own it says which share it is; with some it is one normal plus Laplace.
    bare = _noise([1.0], np.eye(2)[:, :1])
    assert optimal_attack_estimate(model, bare, 0) == dp.model.Interval(1.0, 1.0, 1.0)
    assert best_roc(model, bare).area.estimate == 1
    assert laplace_brackets(model, bare) == (1.0, 1.0)
    found = optimal_attack_estimate(model, _noise([1.0, 0.5]), 0)
    line = np.linspace(-40, 40, 200_001)
    laplace, mixed = np.exp(-np.abs(line) / 0.5), np.exp(log_density(line, 1.0, 0.5))
    exact = float(np.trapezoid(np.maximum(laplace, mixed), line)) / 2
    assert found.estimate == pytest.approx(exact, abs=2e-3)


def test_covariances_that_nearly_agree_give_what_those_that_agree_do() -> None:
    d, covariance = _random(5, 3)
    noise = _noise([0.5, 1.0, 2.0])
    one = optimal_attack_estimate(_model(d, covariance), noise, 1)
    near = optimal_attack_estimate(_unlike(d, covariance, covariance * (1 + 1e-5)), noise, 1)
    assert near.estimate == pytest.approx(one.estimate, abs=1e-3)


@given(
    st.floats(0.05, 4.0),
    st.floats(-3, 3).map(lambda power: 10**power),
    st.floats(-3, 3).map(lambda power: 10**power),
)
def test_one_statistic_is_exact(shift: float, sigma: float, scale: float) -> None:
    model = _model(np.array([shift * sigma]), np.array([[sigma**2]]))
    noise = _noise([scale])
    exact = dp.optimal_attack_accuracy(model, noise)
    found = laplace_optimum(model, noise, 0)
    assert found.interval.estimate == pytest.approx(exact, abs=1e-9)
    assert found.interval.low == found.interval.high
    assert optimal_attack_estimate(model, noise) == dp.model.Interval(exact, exact, exact)
    lower, upper = laplace_brackets(model, noise)
    assert lower == pytest.approx(exact, abs=1e-9)
    assert upper >= exact - 1e-12


def test_noise_along_the_difference_in_more_directions_than_it_needs_is_exact_too() -> None:
    """Independent statistics, of which one alone differs."""
    d, covariance = np.array([1.2, 0, 0]), np.diag([1.0, 2.0, 0.5])
    model = _model(d, covariance)
    exact = dp.optimal_attack_accuracy(model, _noise([0.8], np.eye(3)[:, :1]))
    found = laplace_optimum(model, _noise([0.8, 1.0, 2.0]), 1)
    assert found.interval.low - 1e-9 <= exact <= found.interval.high + 1e-9
    assert found.interval.estimate == pytest.approx(exact, abs=3e-4)


def test_a_direction_that_is_not_that_of_the_difference() -> None:
    """One noisy coordinate and one without: a one-dimensional integral over the second."""
    d, covariance = np.array([1.0, 1.0]), np.array([[1.0, 0.4], [0.4, 1.0]])
    found = laplace_optimum(_model(d, covariance), _noise([1.5], np.eye(2)[:, :1]), 2)
    exact = _on_a_grid(d, np.array([covariance] * 2), np.array([1.5, 1e-9]))
    assert found.interval.estimate == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_little_noise_is_none_and_much_leaves_a_coin(m: int) -> None:
    d, covariance = _random(m, m)
    model = _model(d, covariance)
    undefended = dp.optimal_attack_accuracy(model)
    for scale in (1e-12, 1e-6, 1e-3):
        found = optimal_attack_estimate(model, _noise(np.full(m, scale)), 1)
        assert found.estimate == pytest.approx(undefended, abs=1e-3)
        assert found.high <= undefended
    for scale in (1e4, 1e9):
        found = optimal_attack_estimate(model, _noise(np.full(m, scale)), 1)
        assert found.estimate == pytest.approx(0.5, abs=1e-3)
        assert found.low >= 0.5


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 5, 8])
@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_estimates_lie_between_their_brackets_and_seeds_agree(m: int, scale: float) -> None:
    d, covariance = _random(10 + m, m, size=1.5 * max(scale, 1.0))
    rng = np.random.default_rng(m)
    noise = _noise(scale * np.exp(0.5 * rng.normal(size=m)))
    model = _model(d, covariance)
    one, other = (laplace_optimum(model, noise, seed, tolerance=1e-3) for seed in (1, 2))
    for found in (one, other):
        interval = found.interval
        assert found.lower <= interval.low <= interval.estimate <= interval.high <= found.upper
        assert (found.lower, found.upper) == laplace_brackets(model, noise)
        assert interval.high - interval.low <= 2e-3
    assert one.interval.estimate == pytest.approx(other.interval.estimate, abs=2e-3)


def test_every_kind_of_noise_has_an_estimate(
    model: dp.GaussianModel, alike: dp.GaussianModel
) -> None:
    for name in (None, "ExpM", "DauM", "OptM", "DirM(L)"):
        each = alike if name == "DirM(L)" else model
        noise = None if name is None else dp.calibrate(name, each, 1.0, 1e-3, calibration="exact")
        exact = dp.optimal_attack_accuracy(each, noise)
        assert optimal_attack_estimate(each, noise) == dp.model.Interval(exact, exact, exact)
    for name in ("ExpM(L)", "DP(L)", "GroupDP(L)"):
        found = optimal_attack_estimate(
            model, dp.calibrate(name, model, 1.0, calibration="exact"), 1
        )
        assert 0.5 <= found.low <= found.estimate < found.high < 1
        assert found.high - found.low <= 1e-3


@given(st.floats(math.log(0.01), math.log(100)).map(math.exp))
def test_brackets_are_in_order_and_the_promise_is_among_them(
    model: dp.GaussianModel, alike: dp.GaussianModel, epsilon: float
) -> None:
    noise = dp.calibrate("ExpM(L)", model, epsilon, calibration="exact")
    for each in (model, alike):
        lower, upper = laplace_brackets(each, noise)
        assert 0.5 <= lower <= upper
        assert upper <= dp.optimal_attack_accuracy(each)
    # The promise is for two normals of one covariance.
    assert upper <= dp.accuracy_ceiling(epsilon) * (1 + 1e-9)


def test_the_linear_bracket_is_a_linear_attackers_accuracy(
    alike: dp.GaussianModel, rng: np.random.Generator
) -> None:
    noise, fit, draws = (
        dp.calibrate("ExpM(L)", alike, 3.0, calibration="exact"),
        alike.pairs[0],
        400_000,
    )
    lower, _ = laplace_brackets(alike, noise)
    released = rng.multivariate_normal(fit.difference / 2, fit.pooled, draws)
    released += noise.sample(draws, rng)
    shares = [
        np.mean(released @ weights > 0)
        for weights in (
            np.linalg.solve(fit.pooled + noise.covariance, fit.difference),
            np.linalg.solve(fit.pooled, fit.difference),
            fit.difference,
        )
    ]
    assert max(shares) < lower + 3 * 0.5 / math.sqrt(draws)
    assert lower < max(shares) + 0.01


def test_an_estimate_can_be_repeated_from_its_seed(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM(L)", model, 2.0, calibration="exact")
    for rng in (None, np.random.default_rng(5), np.int64(7)):
        found = laplace_optimum(model, noise, rng)
        assert laplace_optimum(model, noise, found.seed) == found


def test_the_worst_pair_counts(several: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM(L)", several, 2.0, calibration="exact")
    together = laplace_optimum(several, noise, 4)
    alone = [laplace_optimum(replace(several, pairs=(fit,)), noise, 4) for fit in several.pairs]
    best = max(alone, key=lambda found: found.interval.estimate)
    assert together.interval.estimate == pytest.approx(best.interval.estimate, abs=1e-3)
    assert together.lower == max(found.lower for found in alone)
    assert together.upper == max(found.upper for found in alone)


def test_no_difference_leaves_a_coin() -> None:
    found = laplace_optimum(_model(np.zeros(3), np.eye(3)), _noise([1.0, 2.0, 3.0]), 0)
    assert found.interval == dp.model.Interval(0.5, 0.5, 0.5)


def test_a_huge_difference_leaves_no_doubt() -> None:
    found = laplace_optimum(_model(np.full(3, 1e3), np.eye(3)), _noise([1.0, 2.0, 3.0]), 0)
    assert found.interval.estimate == pytest.approx(1.0, abs=1e-9)


def test_gaussian_noise_has_a_closed_form_already(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("DauM", model, 1.0, 1e-3, calibration="exact")
    with pytest.raises(
        dp.errors.AttackError, match="DauM is Gaussian: its best attack has a closed"
    ):
        laplace_optimum(model, noise)
    with pytest.raises(dp.errors.AttackError, match="DauM is Gaussian"):
        laplace_brackets(model, noise)


def test_a_strong_trained_attacker_comes_close_and_does_not_pass(
    alike: dp.GaussianModel, rng: np.random.Generator
) -> None:
    from sklearn.neural_network import MLPClassifier

    noise, fit, draws = (
        dp.calibrate("ExpM(L)", alike, 2.0, calibration="exact"),
        alike.pairs[0],
        20_000,
    )
    best = laplace_optimum(alike, noise, 1).interval
    unit = np.sqrt(np.diag(fit.pooled + noise.covariance))

    def releases(count: int) -> tuple[np.ndarray, np.ndarray]:
        labels = rng.integers(2, size=count)
        drawn = rng.multivariate_normal(np.zeros(len(unit)), fit.pooled, count)
        drawn += noise.sample(count, rng) + np.outer(labels - 0.5, fit.difference)
        return drawn / unit, labels

    trained = MLPClassifier((12,), learning_rate_init=0.01, random_state=0)
    for _ in range(12):
        trained.partial_fit(*releases(draws), classes=[0, 1])
    features, labels = releases(200_000)
    accuracy = np.mean(trained.predict(features) == labels)
    assert accuracy < best.high + 4 * 0.5 / math.sqrt(200_000)
    assert accuracy > best.low - 0.01


@pytest.mark.adult
def test_adult(adult: pd.DataFrame, adult_income: dp.GaussianModel) -> None:
    # How often a likelihood ratio guessed 12 million simulated releases rightly; it is uncertain
    # by 0.00014.
    for epsilon, expected in ((1.0, 0.58962), (5.0, 0.68231)):
        noise = dp.calibrate("ExpM(L)", adult_income, epsilon, calibration="exact")
        found = laplace_optimum(adult_income, noise, 1)
        assert found.interval.estimate == pytest.approx(expected, abs=7e-4)
        assert found.interval.low - 4e-4 < expected < found.interval.high + 4e-4
        assert 0.001 < expected - found.lower < 0.003
    accuracy = dp.run_attack(
        adult,
        adult_income.query,
        adult_income.pairs[0].pair,
        100,
        {"ExpM(L)": noise},
        repetitions=25,
        rng=3,
    ).interval("ExpM(L)")
    assert accuracy.low < found.interval.high
    assert accuracy.estimate > found.interval.low - 0.03


def test_the_limit_of_one_noisy_statistic_among_many_is_the_rest() -> None:
    """A statistic with endless noise is as good as not released."""
    d, covariance = np.array([5.0, 1.0, 0.5]), np.eye(3)
    found = optimal_attack_estimate(_model(d, covariance), _noise([1e7, 1e-9, 1e-9]), 1)
    assert found.estimate == pytest.approx(float(ndtr(math.hypot(1.0, 0.5) / 2)), abs=1e-3)


def test_curves_are_always_of_the_same_draws(model) -> None:
    problem = laplace_problem(model.pairs[0], dp.calibrate("DirM(L)", model, epsilon=1.0))
    assert problem.known
    drawn = problem.draw(64, np.random.default_rng(0))
    np.testing.assert_allclose(
        problem.placed(fixed_draws(len(problem.shift), 64)), drawn, rtol=0, atol=1e-12
    )
    curves = [laplace_roc(model, dp.calibrate("DirM(L)", model, epsilon=1.0)) for _ in range(2)]
    np.testing.assert_array_equal(curves[0].true_positive_rate, curves[1].true_positive_rate)
