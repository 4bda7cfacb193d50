"""The best attacker without simulation, against the likelihood ratio itself."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import logsumexp, ndtr, ndtri
from sklearn import metrics

import distpriv as dp
from distpriv.attacks.best_attack import best_precision_recall, best_roc
from distpriv.attacks.laplace_optimum import laplace_brackets
from distpriv.attacks.optimal import (
    RocCurve,
    binding_pair,
    exact_accuracy,
    optimal_precision_recall,
    optimal_roc,
)
from distpriv.privacy.noise import Noise, gaussian_noise

EPSILONS = st.floats(math.log(0.01), math.log(100)).map(math.exp)


def _simulated_accuracy(
    model: dp.GaussianModel, noise: Noise | None, draws: int, seed: int
) -> tuple[float, float]:
    """Mean of the larger posterior over releases of both kinds, with its standard error."""
    fit, rng = model.pairs[0], np.random.default_rng(seed)
    released = np.vstack(
        [
            rng.multivariate_normal(mean, covariance, draws // 2)
            for mean, covariance in zip(fit.means, fit.covariances, strict=True)
        ]
    )
    if noise is not None:
        released += noise.sample(len(released), rng)
    likelihoods = np.array(
        [
            _log_density(released - mean, covariance, noise)
            for mean, covariance in zip(fit.means, fit.covariances, strict=True)
        ]
    )
    posterior = 1 / (1 + np.exp(-np.abs(likelihoods[0] - likelihoods[1])))
    return float(posterior.mean()), float(posterior.std() / math.sqrt(draws))


def _wide_apart(model: dp.GaussianModel) -> dp.GaussianModel:
    """Half and three times the variances, shape by shape alike."""
    factors = np.array([0.5, 3.0])[:, None, None]
    pairs = (replace(fit, covariances=factors * fit.covariances) for fit in model.pairs)
    return replace(model, pairs=tuple(pairs))


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
    known = np.einsum("ij,jk,ik->i", x, precision, x) + np.linalg.slogdet(covariance)[1]
    return logsumexp(terms, axis=1) - known / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", [None, "ExpM", "DirM", "EigM", "DauM", "DP", "DirM(L)"])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("covariances", ["their own", "one", "wide apart"])
def test_accuracy_against_the_likelihood_ratio(
    model: dp.GaussianModel,
    alike: dp.GaussianModel,
    name: str | None,
    epsilon: float,
    covariances: str,
) -> None:
    model = {"their own": model, "one": alike, "wide apart": _wide_apart(model)}[covariances]
    noise = None if name is None else dp.calibrate(name, model, epsilon, 1e-3, calibration="exact")
    found = dp.optimal_attack_accuracy(model, noise)
    mean, standard_error = _simulated_accuracy(model, noise, 8000, 17)
    assert abs(found - mean) < 4.5 * standard_error + 1e-4
    assert standard_error < 0.002


@pytest.mark.slow
@given(EPSILONS)
def test_accuracy_grows_with_epsilon_and_noise_only_lowers_it(
    model: dp.GaussianModel, epsilon: float
) -> None:
    undefended = dp.optimal_attack_accuracy(model)
    for name in ("ExpM", "DirM", "EigM", "DauM", "DirM(L)"):
        tight = dp.optimal_attack_accuracy(
            model, dp.calibrate(name, model, epsilon, 1e-3, calibration="exact")
        )
        loose = dp.optimal_attack_accuracy(
            model, dp.calibrate(name, model, 1.3 * epsilon, 1e-3, calibration="exact")
        )
        assert 0.5 <= tight <= loose * (1 + 1e-9) <= undefended * (1 + 2e-9)


@given(EPSILONS)
def test_no_linear_attacker_is_better(
    model: dp.GaussianModel, alike: dp.GaussianModel, epsilon: float
) -> None:
    for each in (model.densities(), alike.densities()):
        fit = each.pairs[0]
        for name in ("ExpM", "EigM", "DauM"):
            noise = dp.calibrate(name, each, epsilon, 1e-3, calibration="exact")
            best = dp.optimal_attack_accuracy(each, noise)
            assert dp.attacks.linear_attack_accuracy(each, noise) <= best * (1 + 1e-12)
            weights = np.linalg.solve(fit.pooled + noise.covariance, fit.difference)
            linear = dp.attacks.linear_attack_accuracy(each, noise, weights)
            assert linear <= best * (1 + 1e-12)
            if each.pairs[0].pooled is alike.pairs[0].pooled:
                assert linear == pytest.approx(best)


def test_the_linear_attacker_without_noise_is_the_best_where_covariances_agree(
    model: dp.GaussianModel, alike: dp.GaussianModel
) -> None:
    assert dp.attacks.linear_attack_accuracy(alike) == pytest.approx(
        dp.optimal_attack_accuracy(alike)
    )
    assert dp.attacks.linear_attack_accuracy(model) < dp.optimal_attack_accuracy(model) - 1e-5


def test_linear_accuracy_against_simulation(
    model: dp.GaussianModel, rng: np.random.Generator
) -> None:
    model = _wide_apart(model)
    fit, noise = model.pairs[0], dp.calibrate("ExpM", model, 3.0, 1e-3, calibration="exact")
    weights = np.linalg.solve(fit.pooled, fit.difference)
    draws = 100_000
    ahead = [
        (rng.multivariate_normal(mean, covariance, draws) + noise.sample(draws, rng)) @ weights
        > weights @ fit.means.mean(axis=0)
        for mean, covariance in zip(fit.means, fit.covariances, strict=True)
    ]
    share = (1 + np.mean(ahead[0]) - np.mean(ahead[1])) / 2
    assert dp.attacks.linear_attack_accuracy(model, noise) == pytest.approx(
        share, abs=4.5 * 0.5 / 447
    )


def test_the_worst_pair_counts(several: dp.GaussianModel) -> None:
    noise = dp.calibrate("DauM", several, 1.0, 1e-3, calibration="exact")
    alone = [
        dp.optimal_attack_accuracy(
            dp.GaussianModel(
                several.query, several.n, (fit,), "exact", False, several.record_sensitivities
            ),
            noise,
        )
        for fit in several.pairs
    ]
    assert dp.optimal_attack_accuracy(several, noise) == pytest.approx(max(alone), rel=1e-12)


def test_an_attacker_can_only_guess_what_makes_no_difference(
    people, query: dp.Query, rich: dp.SensitiveProperty
) -> None:
    model = dp.fit_gaussian(people, query, rich.pair(0.5, 0.001), n=60)
    for noise in (
        None,
        dp.calibrate("ExpM", model, 1, 0.1, calibration="exact"),
        dp.calibrate("DP", model, 1, 0.1, calibration="exact"),
    ):
        assert dp.optimal_attack_accuracy(model, noise) == 0.5
        assert dp.attacks.linear_attack_accuracy(model, noise) == 0.5


@pytest.mark.parametrize("scale", [1e-9, 1e-7, 1e-5, 1e-3, 1e3, 1e9])
def test_extreme_laplace_noise_meets_its_limits(
    model: dp.GaussianModel, alike: dp.GaussianModel, scale: float
) -> None:
    for each in (model.densities(), alike.densities(), _wide_apart(model).densities()):
        fit = each.pairs[0]
        direction = fit.difference[:, None] / np.linalg.norm(fit.difference)
        size = scale * np.linalg.norm(fit.difference)
        noise = Noise("test", "laplace", direction, np.array([size]), 1.0, 0.0)
        limit = dp.optimal_attack_accuracy(each)
        if scale > 1:  # what is across the direction stays
            across = np.linalg.svd(direction)[0][:, 1:]
            left = replace(
                each.of_statistics(0, 1, 2),
                pairs=(
                    replace(
                        fit.of_statistics([0, 1, 2]),
                        means=fit.means @ across,
                        covariances=across.T @ fit.covariances @ across,
                    ),
                ),
            )
            limit = dp.optimal_attack_accuracy(left)
        assert dp.optimal_attack_accuracy(each, noise) == pytest.approx(limit, abs=2e-3)


@pytest.mark.parametrize("name", ["ExpM(L)", "DP(L)", "GroupDP(L)"])
def test_laplace_noise_in_several_directions_has_no_closed_form(
    model: dp.GaussianModel, name: str
) -> None:
    noise = dp.calibrate(name, model, 1.0, calibration="exact")
    with pytest.raises(
        dp.errors.AttackError, match=r"\(L\) has no closed form: its Laplace noise leaves"
    ):
        exact_accuracy(model, noise)
    with pytest.raises(dp.errors.AttackError, match="has no closed form: its noise is Laplace"):
        dp.attacks.linear_attack_accuracy(model, noise)
    # It is computed numerically, and is the same at every call.
    low, high = laplace_brackets(model, noise)
    accuracy = dp.optimal_attack_accuracy(model, noise)
    assert low - 1e-9 <= accuracy <= high + 1e-9
    assert accuracy == dp.optimal_attack_accuracy(model, noise)
    assert accuracy == pytest.approx(dp.optimal_attack_estimate(model, noise, 5).estimate, abs=1e-3)


@pytest.mark.parametrize("name", [None, "ExpM", "DauM", "OptM"])
def test_the_curve_of_the_best_attacker_is_binormal_where_covariances_agree(
    alike: dp.GaussianModel, name: str | None
) -> None:
    model = alike.densities()
    noise = None if name is None else dp.calibrate(name, model, 2.0, 1e-3, calibration="exact")
    distance = dp.attacks.optimal.equivalent_separation(dp.optimal_attack_accuracy(model, noise))
    roc = optimal_roc(model, noise)
    wrong, right = roc.false_positive_rate, roc.true_positive_rate
    assert (wrong[0], right[0], wrong[-1], right[-1]) == (0, 0, 1, 1)
    np.testing.assert_allclose(right[1:-1], ndtr(distance + ndtri(wrong[1:-1])), rtol=1e-9)
    assert np.diff(wrong + right).max() < 0.04
    assert 80 <= len(wrong) <= 101
    area = ndtr(distance / math.sqrt(2))
    assert roc.area == dp.model.Interval(*[pytest.approx(area)] * 3)
    assert metrics.auc(wrong, right) == pytest.approx(area, abs=2e-3)
    # Half the sum of both rates' right guesses is best where the densities cross.
    assert (right + 1 - wrong).max() / 2 == pytest.approx(ndtr(distance / 2), abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ExpM", "DirM(L)"])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("covariances", ["their own", "one", "wide apart"])
def test_both_curves_against_simulation(
    model: dp.GaussianModel,
    alike: dp.GaussianModel,
    rng: np.random.Generator,
    name: str,
    epsilon: float,
    covariances: str,
) -> None:
    model = {"their own": model, "one": alike, "wide apart": _wide_apart(model)}[covariances]
    noise = dp.calibrate(name, model, epsilon, 1e-3, calibration="exact")
    fit, draws = model.pairs[0], 25_000 if name == "ExpM" else 6_000
    labels = np.repeat([0, 1], draws)
    sides = list(zip(fit.means, fit.covariances, strict=True))
    released = np.vstack([rng.multivariate_normal(*side, draws) for side in sides])
    released += noise.sample(2 * draws, rng)
    logs = [_log_density(released - mean, covariance, noise) for mean, covariance in sides]
    scores = logs[1] - logs[0]
    error = 4.5 * 0.5 / math.sqrt(draws)
    if name == "DirM(L)" and covariances != "one":
        with pytest.raises(dp.errors.AttackError, match="no closed form"):
            optimal_roc(model, noise)
        error += 0.012
    roc = best_roc(model, noise)
    assert roc.area.estimate == pytest.approx(metrics.roc_auc_score(labels, scores), abs=error)
    wrong, right, _ = metrics.roc_curve(labels, scores)
    # Point by point along the way, as the curve may be steep.
    way = roc.false_positive_rate + roc.true_positive_rate
    np.testing.assert_allclose(
        np.interp(way, wrong + right, right), roc.true_positive_rate, atol=1.5 * error
    )
    curve = best_precision_recall(model, noise)
    average = metrics.average_precision_score(labels, scores)
    assert curve.area.estimate == pytest.approx(average, abs=1.5 * error)
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    often = curve.recall > 0.1
    np.testing.assert_allclose(
        np.interp(curve.recall[often], recall[::-1], precision[::-1]),
        curve.precision[often],
        atol=3 * error,
    )


@pytest.mark.parametrize("name", [None, "ExpM", "DirM(L)"])
def test_precision_and_recall_come_from_the_roc_curve(
    model: dp.GaussianModel, alike: dp.GaussianModel, name: str | None
) -> None:
    model = (alike if name == "DirM(L)" else model).densities()
    noise = None if name is None else dp.calibrate(name, model, 1.0, 1e-3, calibration="exact")
    roc, curve = optimal_roc(model, noise), optimal_precision_recall(model, noise)
    wrong, right = roc.false_positive_rate[1:], roc.true_positive_rate[1:]
    np.testing.assert_allclose(curve.recall[::-1][1:], right)
    np.testing.assert_allclose(curve.precision[::-1][1:], right / (right + wrong))
    assert (curve.recall[0], curve.precision[0], curve.recall[-1]) == (1, 0.5, 0)
    assert (np.diff(curve.precision) >= -1e-9).all()
    if name == "DirM(L)":
        # No release says more than ε does.
        assert curve.precision.max() == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-4)


def test_the_average_precision_of_the_best_attacker(
    model: dp.GaussianModel, alike: dp.GaussianModel
) -> None:
    distance = dp.attacks.optimal.equivalent_separation(dp.optimal_attack_accuracy(alike))

    def integrand(recall: float) -> float:
        return recall / (recall + ndtr(ndtri(recall) - distance))

    average, _ = quad(integrand, 0, 1, epsabs=1e-10)
    assert optimal_precision_recall(alike).area.estimate == pytest.approx(average, abs=1e-4)
    # With covariances of their own, over many recalls instead of many thresholds.
    apart = _wide_apart(model)
    test = dp.hypothesis.release_test(apart)
    recall = (np.arange(400) + 0.5) / 400
    average = float(dp.hypothesis.precision_at(test, recall).mean())
    assert optimal_precision_recall(apart).area.estimate == pytest.approx(average, abs=2e-4)


@given(EPSILONS)
def test_no_curve_crosses_what_the_promise_allows(alike: dp.GaussianModel, epsilon: float) -> None:
    """The promises of the papers are for one covariance a pair."""
    for name in ("ExpM", "DauM", "OptM", "DirM(L)"):
        noise = dp.calibrate(name, alike, epsilon, 1e-3, calibration="exact")
        _keeps_the_promise(optimal_roc(alike, noise), noise)


@given(st.floats(0.5, 5.0))
def test_no_curve_crosses_what_a_guarded_promise_allows(
    model: dp.GaussianModel, epsilon: float
) -> None:
    for name in ("ExpM", "OptM"):
        noise = dp.calibrate(name, model, epsilon, 1e-2)
        _keeps_the_promise(optimal_roc(model, noise), noise)


def _keeps_the_promise(roc: RocCurve, noise: Noise) -> None:
    wrong, right, factor = roc.false_positive_rate, roc.true_positive_rate, np.exp(noise.epsilon)
    assert (right <= factor * wrong + noise.delta + 1e-9).all()
    assert (1 - wrong <= factor * (1 - right) + noise.delta + 1e-9).all()
    assert (right >= wrong - 1e-12).all()
    assert (np.diff(wrong) >= 0).all()
    assert (np.diff(right) >= 0).all()


def test_curves_at_the_ends(several: dp.GaussianModel, people, query, rich) -> None:
    told = [dp.optimal_attack_accuracy(several.only(pair)) for pair in range(3)]
    assert binding_pair(several) == int(np.argmax(told))
    hardest = several.only(binding_pair(several))
    assert optimal_roc(several).area.estimate == pytest.approx(optimal_roc(hardest).area.estimate)
    nothing = dp.fit_gaussian(people, query, rich.pair(0.5, 0.001), n=60)
    assert optimal_roc(nothing).area.estimate == 0.5
    assert optimal_precision_recall(nothing).area.estimate == pytest.approx(0.5)
    everything = dp.fit_gaussian(people, query, rich.pair(0.5, 1.0), n=700)
    assert optimal_roc(everything).area.estimate == pytest.approx(1)
    assert optimal_precision_recall(everything).area.estimate == pytest.approx(1)
    with pytest.raises(dp.errors.AttackError, match="no closed form"):
        optimal_roc(several, dp.calibrate("ExpM(L)", several, 1.0, calibration="exact"))


def test_normal_plus_laplace_against_integration() -> None:
    from distpriv.privacy.normal_laplace import upper_tail

    for x in (-3.0, -0.2, 0.0, 1.0, 6.0):
        for sigma, scale in ((1.0, 1.0), (1.0, 0.05), (0.05, 1.0)):
            exact, _ = quad(
                lambda z, x=x, sigma=sigma, scale=scale: (
                    ndtr((x - z) / sigma) * math.exp(-abs(z) / scale) / (2 * scale)
                ),
                -40,
                40,
                points=[-1, 0, x, 1],
                limit=500,
                epsabs=1e-12,
            )
            assert upper_tail(-x, sigma, scale) == pytest.approx(exact, abs=1e-9)
    # Far from any scale of the other part nothing overflows or cancels.
    x = np.linspace(-30, 30, 7)
    np.testing.assert_allclose(upper_tail(-x, 1.0, 1e-12), ndtr(x), rtol=1e-9)
    tail = upper_tail(np.array([30.0]), 1e-9, 1.0)
    assert tail[0] == pytest.approx(math.exp(-30) / 2, rel=1e-9)


@pytest.mark.adult
def test_adult_at_epsilon_5(adult_income: dp.GaussianModel) -> None:
    adult_income = adult_income.densities()  # as published
    assert dp.attacks.pooled_attack_accuracy(adult_income) == pytest.approx(0.7615, abs=5e-5)
    for name, accuracy in (("ExpM", 0.658), ("EigM", 0.6955), ("DirM", 0.686), ("DauM", 0.746)):
        noise = dp.calibrate(name, adult_income, 5, 1e-3, "classical")
        assert dp.attacks.pooled_attack_accuracy(adult_income, noise) == pytest.approx(
            accuracy, abs=5e-4
        )
        # With covariances that hardly differ, hardly more.
        more = dp.optimal_attack_accuracy(adult_income, noise) - accuracy
        assert -5e-4 < more < 2e-3


@pytest.mark.adult
def test_adult_attacker_of_the_paper_in_the_limit(adult_income: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM", adult_income, 5, 1e-3, "classical")
    assert dp.attacks.linear_attack_accuracy(adult_income, noise) == pytest.approx(0.54, abs=0.01)


def test_laplace_noise_of_which_the_floor_alone_remains_is_normal() -> None:
    """Means that agree but for rounding take Laplace noise of scale 0 above the floor."""
    values = np.random.default_rng(3).integers(0, 9, 30).astype(float)
    table = pd.DataFrame({"v": [*values, *values], "s": ["y"] * 30 + ["n"] * 30})
    pair = dp.SensitiveProperty("s", "y").pair(0.5, 0.2)
    query = dp.Query([dp.Mean("v")])
    model = dp.fit_gaussian(table, query, pair, 20, share_of="table")
    noise = dp.calibrate("ApproxWasserstein", model, 1.0, 1e-2)
    assert noise.floor is not None
    bare = replace(noise, scales=np.zeros(1))
    assert dp.optimal_attack_accuracy(model, bare) == pytest.approx(0.5, abs=1e-9)
    apart = replace(model, pairs=(replace(model.pairs[0], means=np.array([[1.0], [0.0]])),))
    gaussian = gaussian_noise(
        "x", np.diag(noise.floor**2), epsilon=1.0, delta=1e-2, calibration="exact"
    )
    expected = dp.optimal_attack_accuracy(apart, gaussian)
    assert dp.optimal_attack_accuracy(apart, bare) == pytest.approx(expected, abs=1e-9)
    assert optimal_roc(apart, bare).area.estimate == pytest.approx(
        optimal_roc(apart, gaussian).area.estimate, abs=1e-6
    )
