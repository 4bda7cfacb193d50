"""Diagnostics of the fit and the bootstrap, against direct computations."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv.robustness.diagnostics import fit_diagnostics, mardia
from tests.robustness.examples import COVARIANCES, MEANS, Array, fitted


def normal(rng: np.random.Generator, count: int, fit: dp.PairModel) -> Array:
    return np.array(
        [
            rng.multivariate_normal(mean, covariance, count)
            for mean, covariance in zip(fit.means, fit.covariances, strict=True)
        ]
    )


def skewed(rng: np.random.Generator, count: int, fit: dp.PairModel) -> Array:
    """The fit's means and covariances, but exponential marginals."""
    roots = np.linalg.cholesky(fit.covariances)
    drawn = rng.exponential(size=(2, count, fit.means.shape[1])) - 1
    return fit.means[:, None] + drawn @ np.swapaxes(roots, 1, 2)


@pytest.mark.parametrize("m", [1, 3])
def test_mardia_against_all_pairs_of_datasets(rng: np.random.Generator, m: int) -> None:
    count = 300
    values = rng.gamma(4, size=(count, m)) @ (np.eye(m) + 0.3)
    centred = values - values.mean(axis=0)
    products = centred @ np.linalg.inv(np.cov(values.T, ddof=0).reshape(m, m)) @ centred.T
    found = mardia(values)
    assert found.skewness == pytest.approx((products**3).mean())
    assert found.kurtosis == pytest.approx((np.diag(products) ** 2).mean())
    freedom = math.comb(m + 2, 3)
    tail = stats.chi2(freedom).sf(count * found.skewness / 6)
    assert found.skewness_p_value == pytest.approx(tail)
    spread = math.sqrt(8 * m * (m + 2) / count)
    upper = stats.norm(m * (m + 2), spread).sf(found.kurtosis)
    assert found.kurtosis_p_value == pytest.approx(2 * min(upper, 1 - upper))


def test_mardia_of_one_statistic_is_its_skewness_and_kurtosis(rng: np.random.Generator) -> None:
    values = rng.exponential(size=(400, 1))
    found = mardia(values)
    assert found.skewness == pytest.approx(stats.skew(values[:, 0]) ** 2)
    assert found.kurtosis - 3 == pytest.approx(stats.kurtosis(values[:, 0]))


def test_mardia_does_not_depend_on_units_or_direction(rng: np.random.Generator) -> None:
    values = rng.gamma(3, size=(500, 3))
    turned = values @ rng.normal(size=(3, 3)) * [1e6, 1.0, 1e-6] + [1e7, 0, 1]
    assert dataclasses.astuple(mardia(turned)) == pytest.approx(
        dataclasses.astuple(mardia(values)), rel=1e-6
    )


def test_p_values_are_uniform_if_the_model_is_right(rng: np.random.Generator) -> None:
    fit = fitted(covariances=np.array([COVARIANCES[0]] * 2))
    found = [fit_diagnostics(normal(rng, 300, fit), fit) for _ in range(150)]
    several = {
        "Shapiro-Wilk": [part.p_values[1, 0] for part in found],
        "Mardia's skewness": [part.mardia[0].skewness_p_value for part in found],
        "Mardia's kurtosis": [part.mardia[1].kurtosis_p_value for part in found],
        "Box's M": [part.covariances.p_value for part in found],
    }
    for name, p_values in several.items():
        assert stats.kstest(p_values, "uniform").pvalue > 0.001, name
    gaps = np.array([part.kolmogorov for part in found])
    assert 0.02 < (gaps > found[0].kolmogorov_chance).mean() < 0.09
    covered = [part.accuracy.low <= part.expected_accuracy <= part.accuracy.high for part in found]
    assert np.mean(covered) > 0.88


@pytest.mark.parametrize(("count", "test"), [(500, "Shapiro–Wilk"), (6000, "D'Agostino–Pearson")])
def test_a_skewed_model_is_rejected(rng: np.random.Generator, count: int, test: str) -> None:
    fit = fitted()
    found = fit_diagnostics(skewed(rng, count, fit), fit)
    assert found.test == test
    assert found.p_values.max() < 1e-6
    assert found.skewness[0] == pytest.approx([2, 2 * (0.3**3 + 1.91**1.5) / 2**1.5], abs=0.9)
    assert found.excess_kurtosis.min() > 0.5
    assert all(part.skewness_p_value < 1e-6 for part in found.mardia)
    assert all(part.kurtosis_p_value < 1e-6 for part in found.mardia)
    assert (found.kolmogorov > found.kolmogorov_chance).all()


def test_the_k_squared_test_is_that_of_each_statistic(rng: np.random.Generator) -> None:
    fit = fitted()
    values = normal(rng, 5001, fit)
    found = fit_diagnostics(values, fit)
    for group in (0, 1):
        for index in (0, 1):
            expected = stats.normaltest(values[group, :, index]).pvalue
            assert found.p_values[group, index] == pytest.approx(expected)


def test_gaps_and_steps_against_a_count_by_hand(rng: np.random.Generator) -> None:
    fit = fitted()
    values = normal(rng, 400, fit)
    values[:, :, 1] = values[:, :, 1].round()
    found = fit_diagnostics(values, fit)
    column = values[1, :, 1]
    law = stats.norm(MEANS[1, 1], math.sqrt(COVARIANCES[1, 1, 1]))
    gaps = [
        max(
            abs((column <= value).mean() - law.cdf(value)),
            abs((column < value).mean() - law.cdf(value)),
        )
        for value in np.unique(column)
    ]
    assert found.kolmogorov[1, 1] == pytest.approx(max(gaps))
    most = max((column == value).sum() for value in np.unique(column))
    assert found.steps[1, 1] == pytest.approx(most / 800)
    assert found.steps[1, 0] == 1 / 800
    assert (found.kolmogorov >= found.steps - 1e-12).all()


def test_quantiles_are_order_statistics_within_their_band(rng: np.random.Generator) -> None:
    fit = fitted()
    values = normal(rng, 250, fit)
    found = fit_diagnostics(values, fit, points=250)
    assert found.simulated.shape == (2, len(found.quantiles), 2)
    standard = (values[1, :, 1] - MEANS[1, 1]) / math.sqrt(COVARIANCES[1, 1, 1])
    assert set(found.simulated[1, :, 1]) <= set(standard)
    assert found.simulated[1, [0, -1], 1] == pytest.approx([standard.min(), standard.max()])
    assert (np.diff(found.quantiles) > 0).all()
    assert found.quantiles == pytest.approx(-found.quantiles[::-1])
    drawn = np.sort(rng.normal(size=(4000, 250)), axis=1)[:, [0, -1]]
    for end in (0, -1):
        band = found.envelope[:, end]
        within = (drawn[:, end] > band[0]) & (drawn[:, end] < band[1])
        assert within.mean() == pytest.approx(0.95, abs=0.012)
        assert (drawn[:, end] < found.quantiles[end]).mean() == pytest.approx(0.5, abs=0.03)


def test_the_attacker_who_trusts_the_fit(rng: np.random.Generator) -> None:
    fit = fitted()
    values = skewed(rng, 900, fit)
    weights = np.linalg.solve(fit.pooled, fit.difference)
    middle = weights @ fit.means.mean(axis=0)
    right = sum(int(weights @ x > middle) for x in values[0])
    right += sum(int(weights @ x < middle) for x in values[1])
    found = fit_diagnostics(values, fit)
    assert found.accuracy.estimate == right / 1800
    assert found.accuracy.low < found.accuracy.estimate < found.accuracy.high
    assert found.expected_accuracy == pytest.approx(stats.norm.cdf(fit.mahalanobis / 2))
    same = fitted(means=np.zeros((2, 2)))
    assert fit_diagnostics(normal(rng, 100, same), same).accuracy.estimate == 0.5


def test_the_covariance_difference_against_its_definitions(rng: np.random.Generator) -> None:
    fit = fitted()
    values = normal(rng, 200, fit)
    found = fit_diagnostics(values, fit).covariances
    assert found.variance_ratios == pytest.approx([1.0, 2.0])
    ratios = np.linalg.eigvals(np.linalg.solve(COVARIANCES[0], COVARIANCES[1]))
    assert found.eigenvalues == pytest.approx(np.sort(ratios))
    # The likelihood ratio of one covariance against two, with 199 degrees of freedom for 200.
    scatters = [np.cov(part.T, ddof=0) for part in values]
    own = shared = 0.0
    for part, scatter in zip(values, scatters, strict=True):
        mean = part.mean(axis=0)
        own += stats.multivariate_normal(mean, scatter).logpdf(part).sum()
        shared += stats.multivariate_normal(mean, sum(scatters) / 2).logpdf(part).sum()
    assert found.box_m == pytest.approx(2 * (own - shared) * 199 / 200)
    assert found.p_value < 1e-4


def test_a_direction_without_variance_under_one_share(rng: np.random.Generator) -> None:
    covariances = np.array([[[1.0, 0.0], [0.0, 1e-14]], [[1.0, 0.0], [0.0, 1.0]]])
    fit = fitted(covariances=covariances)
    found = fit_diagnostics(normal(rng, 100, fit), fit).covariances
    assert found.eigenvalues[1] > 1e12
    assert found.variance_ratios[1] == pytest.approx(1e14)


@pytest.mark.parametrize(
    "shape", [(2, 50), (2, 7, 2), (2, 50, 3), (1, 50, 2)], ids=["flat", "few", "wide", "one"]
)
def test_simulated_values_of_another_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(dp.errors.ModelError, match=r"shape \(2, 8 or more, 2\).*got shape"):
        fit_diagnostics(np.ones(shape), fitted())


def test_simulated_values_that_cannot_be_diagnosed(rng: np.random.Generator) -> None:
    fit = fitted()
    values = normal(rng, 50, fit)
    endless = values.copy()
    endless[0, 3, 1] = math.nan
    with pytest.raises(dp.errors.ModelError, match="finite"):
        fit_diagnostics(endless, fit)
    constant = values.copy()
    constant[1, :, 1] = 0.1
    with pytest.raises(
        dp.errors.ModelError, match=r"Statistic 2 is the same in all 50 .* share of 50\u00a0%"
    ):
        fit_diagnostics(constant, fit)
    doubled = values.copy()
    doubled[0, :, 1] = 3 * doubled[0, :, 0]
    with pytest.raises(dp.errors.ModelError, match=r"determine each other .* share of 30\u00a0%"):
        fit_diagnostics(doubled, fit)
