"""The best attacker in closed form, against the likelihood ratio itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

import distpriv as dp
from distpriv.noise import Noise

EPSILONS = st.floats(math.log(0.01), math.log(100)).map(math.exp)


def _simulated_accuracy(
    model: dp.GaussianModel, noise: Noise | None, draws: int, seed: int
) -> tuple[float, float]:
    """Mean of the larger posterior over releases of both kinds, with its standard error."""
    fit, rng = model.pairs[0], np.random.default_rng(seed)
    labels = rng.integers(2, size=draws)
    released = fit.means[labels] + rng.multivariate_normal(
        np.zeros(len(model.query)), fit.pooled, size=draws
    )
    if noise is not None:
        released += noise.sample(draws, rng)
    likelihoods = np.array([_log_density(released - mean, fit.pooled, noise) for mean in fit.means])
    posterior = 1 / (1 + np.exp(-np.abs(likelihoods[0] - likelihoods[1])))
    return float(posterior.mean()), float(posterior.std() / math.sqrt(draws))


def _log_density(x: np.ndarray, covariance: np.ndarray, noise: Noise | None) -> np.ndarray:
    """Of normal plus noise, at x; Laplace noise is integrated out on a grid."""
    if noise is None or noise.distribution == "gaussian":
        total = covariance if noise is None else covariance + noise.covariance
        return stats.multivariate_normal(np.zeros(len(total)), total).logpdf(x)
    direction, scale = noise.directions[:, 0], noise.scales[0]
    grid = scale * np.sinh(np.linspace(-4, 4, 801))
    weights = np.log(np.gradient(grid)) - np.abs(grid) / scale
    precision = np.linalg.inv(covariance)
    cross, square = x @ precision @ direction, direction @ precision @ direction
    terms = cross[:, None] * grid - square * grid**2 / 2 + weights
    return logsumexp(terms, axis=1) - np.einsum("ij,jk,ik->i", x, precision, x) / 2


@pytest.mark.parametrize("name", [None, "ExpM", "DirM", "EigM", "DauM", "DP", "DirM(L)"])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_accuracy_against_the_likelihood_ratio(
    model: dp.GaussianModel, name: str | None, epsilon: float
) -> None:
    noise = None if name is None else dp.calibrate(name, model, epsilon, 1e-3)
    found = dp.optimal_attack_accuracy(model, noise)
    mean, standard_error = _simulated_accuracy(model, noise, 8000, 17)
    assert abs(found - mean) < 4.5 * standard_error + 1e-4
    assert standard_error < 0.002


@given(EPSILONS)
def test_accuracy_grows_with_epsilon_and_noise_only_lowers_it(
    model: dp.GaussianModel, epsilon: float
) -> None:
    undefended = dp.optimal_attack_accuracy(model)
    for name in ("ExpM", "DirM", "EigM", "DauM", "DirM(L)"):
        tight = dp.optimal_attack_accuracy(model, dp.calibrate(name, model, epsilon, 1e-3))
        loose = dp.optimal_attack_accuracy(model, dp.calibrate(name, model, 1.3 * epsilon, 1e-3))
        assert 0.5 <= tight <= loose * (1 + 1e-9) <= undefended * (1 + 2e-9)


@given(EPSILONS)
def test_no_linear_attacker_is_better(model: dp.GaussianModel, epsilon: float) -> None:
    fit = model.pairs[0]
    for name in ("ExpM", "EigM", "DauM"):
        noise = dp.calibrate(name, model, epsilon, 1e-3)
        best = dp.optimal_attack_accuracy(model, noise)
        assert dp.linear_attack_accuracy(model, noise) <= best * (1 + 1e-12)
        weights = np.linalg.solve(fit.pooled + noise.covariance, fit.difference)
        assert dp.linear_attack_accuracy(model, noise, weights) == pytest.approx(best)


def test_the_linear_attacker_without_noise_is_the_best(model: dp.GaussianModel) -> None:
    assert dp.linear_attack_accuracy(model) == pytest.approx(dp.optimal_attack_accuracy(model))


def test_linear_accuracy_against_simulation(
    model: dp.GaussianModel, rng: np.random.Generator
) -> None:
    fit, noise = model.pairs[0], dp.calibrate("ExpM", model, 3.0, 1e-3)
    weights = np.linalg.solve(fit.pooled, fit.difference)
    draws = 200_000
    scores = (
        rng.multivariate_normal(fit.means[0], fit.pooled, draws) + noise.sample(draws, rng)
    ) @ weights
    share = np.mean(scores > weights @ fit.means.mean(axis=0))
    assert dp.linear_attack_accuracy(model, noise) == pytest.approx(share, abs=4.5 * 0.5 / 447)


def test_the_worst_pair_counts(several: dp.GaussianModel) -> None:
    noise = dp.calibrate("DauM", several, 1.0, 1e-3)
    alone = [
        dp.optimal_attack_accuracy(
            dp.GaussianModel(
                several.query, several.n, (fit,), "exact", False, several.record_sensitivities
            ),
            noise,
        )
        for fit in several.pairs
    ]
    assert dp.optimal_attack_accuracy(several, noise) == max(alone)


def test_an_attacker_can_only_guess_what_makes_no_difference(
    people, query: dp.Query, rich: dp.SensitiveProperty
) -> None:
    model = dp.fit_gaussian(people, query, rich.pair(0.5, 0.001), n=60)
    for noise in (None, dp.calibrate("ExpM", model, 1, 0.1), dp.calibrate("DP", model, 1, 0.1)):
        assert dp.optimal_attack_accuracy(model, noise) == 0.5
        assert dp.linear_attack_accuracy(model, noise) == 0.5


@pytest.mark.parametrize("scale", [1e-9, 1e-7, 1e-5, 1e-3, 1e3, 1e9])
def test_extreme_laplace_noise_meets_its_limits(model: dp.GaussianModel, scale: float) -> None:
    d = model.pairs[0].difference
    direction = d[:, None] / np.linalg.norm(d)
    noise = Noise("test", "laplace", direction, np.array([scale * np.linalg.norm(d)]), 1.0, 0.0)
    limit = dp.optimal_attack_accuracy(model) if scale < 1 else 0.5
    assert dp.optimal_attack_accuracy(model, noise) == pytest.approx(limit, abs=2e-3)


@pytest.mark.parametrize("name", ["ExpM(L)", "DP(L)", "GroupDP(L)"])
def test_laplace_noise_in_several_directions_has_no_closed_form(
    model: dp.GaussianModel, name: str
) -> None:
    noise = dp.calibrate(name, model, 1.0)
    with pytest.raises(dp.AttackError, match=r"\(L\) has no closed form: its Laplace noise is not"):
        dp.optimal_attack_accuracy(model, noise)
    with pytest.raises(dp.AttackError, match="has no closed form: its noise is Laplace"):
        dp.linear_attack_accuracy(model, noise)


@pytest.mark.adult
def test_adult_at_epsilon_5(adult_income: dp.GaussianModel) -> None:
    assert dp.optimal_attack_accuracy(adult_income) == pytest.approx(0.7615, abs=5e-5)
    for name, accuracy in (("ExpM", 0.658), ("EigM", 0.6955), ("DirM", 0.686), ("DauM", 0.746)):
        noise = dp.calibrate(name, adult_income, 5, 1e-3, "classical")
        assert dp.optimal_attack_accuracy(adult_income, noise) == pytest.approx(accuracy, abs=5e-4)


@pytest.mark.adult
def test_adult_attacker_of_the_paper_in_the_limit(adult_income: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM", adult_income, 5, 1e-3, "classical")
    assert dp.linear_attack_accuracy(adult_income, noise) == pytest.approx(0.54, abs=0.01)
