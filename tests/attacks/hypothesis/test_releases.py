"""The attacker on a share: curves, drawn releases, and several pairs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv.attacks.hypothesis.releases import (
    false_alarms_along,
    false_alarms_of,
    release_tests,
)
from distpriv.attacks.optimal import optimal_precision_recall, optimal_roc
from distpriv.privacy.likelihood_ratio import LikelihoodRatio

hypothesis = dp.hypothesis
RECALLS = np.append(0.0005, np.linspace(0.02, 1.0, 40))


@pytest.mark.parametrize("name", ["OptM", "ExpM", "DirM(L)", "ExpM(L)"])
@pytest.mark.parametrize("base_rate", [0.5, 0.2, 0.7])
def test_the_attacker_on_a_share(model, alike, name, base_rate):
    model = (alike if name == "DirM(L)" else model).densities()
    noise = dp.calibrate(name, model, 2.0, 1e-2, calibration="exact")
    test = hypothesis.release_test(model, noise)
    simulated = name == "ExpM(L)"
    assert hypothesis.best_accuracy(test) == pytest.approx(
        dp.optimal_attack_accuracy(model, noise), abs=0.01 if simulated else 1e-5
    )
    odds = hypothesis.odds_against(base_rate)
    best = hypothesis.optimal_f_score(model, noise, 1.0, base_rate)
    assert best >= hypothesis.f_score_floor(1.0, odds)
    if simulated:
        return
    curve = optimal_precision_recall(model, noise, 401, base_rate=base_rate)
    inner = (curve.recall > 0.01) & (curve.recall < 1)
    assert hypothesis.precision_at(test, curve.recall[inner], odds) == pytest.approx(
        curve.precision[inner], abs=1e-3
    )
    scores = hypothesis.f_score(curve.precision, curve.recall, 1.0)
    assert best == pytest.approx(scores.max(), abs=1e-4)
    roc = optimal_roc(model, noise, 401)
    assert test.false_positive_rate(roc.true_positive_rate[1:-1]) == pytest.approx(
        roc.false_positive_rate[1:-1], abs=1e-4
    )


@pytest.mark.parametrize("name", ["OptM", "DirM(L)", "ExpM(L)"])
def test_drawn_releases_follow_the_curves_of_the_attacker_on_a_share(model, name, rng):
    """Attackers who know the densities, drawn and counted, reach what is computed."""
    fit, size = model.pairs[0], 20_000
    noise = dp.calibrate(name, model, 2.0, 1e-2, calibration="exact")
    test = hypothesis.release_test(model, noise)
    sides = list(zip(fit.means, fit.covariances, strict=True))
    releases = [rng.multivariate_normal(*side, size) + noise.sample(size, rng) for side in sides]
    normal = noise.covariance
    laws = [stats.multivariate_normal(mean, covariance + normal) for mean, covariance in sides]
    scores = [laws[1].logpdf(released) - laws[0].logpdf(released) for released in releases]
    error = 5 * math.sqrt(0.5 / size) + (0 if name == "OptM" else 0.02)
    for threshold in np.quantile(np.concatenate(scores), [0.2, 0.5, 0.8]):
        wrong, right = ((score > threshold).mean() for score in scores)
        least = float(test.false_positive_rate(right))
        assert wrong > least - error
        if name == "OptM":
            assert wrong == pytest.approx(least, abs=error)
            rates = test.rates(threshold)
            assert rates.true_positive == pytest.approx(right, abs=error)
            assert rates.false_positive == pytest.approx(wrong, abs=error)


def wide_apart(model):
    """One of the two normals with four times the variances."""
    factors = np.array([1.0, 4.0])[:, None, None]
    pairs = [replace(fit, covariances=factors * fit.covariances) for fit in model.pairs]
    return replace(model, pairs=tuple(pairs))


@pytest.mark.parametrize("base_rate", [0.5, 0.2, 0.8])
def test_figures_of_two_normals_by_brute_force_over_thresholds(model, base_rate):
    test = hypothesis.release_test(wide_apart(model))
    assert isinstance(test, hypothesis.NormalsTest)
    odds = hypothesis.odds_against(base_rate)
    true, false = test.rates(np.linspace(-30, 15, 6001))
    accuracy = (base_rate * true + (1 - base_rate) * (1 - false)).max()
    assert hypothesis.best_accuracy(test, base_rate) == pytest.approx(accuracy, abs=1e-6)
    precision = np.divide(true, true + odds * false, out=np.ones_like(true), where=true > 0)
    score = hypothesis.f_score(precision, true, 0.7).max()
    assert hypothesis.best_f_score(test, 0.7, odds) == pytest.approx(score, abs=1e-6)
    recall = np.array([0.1, 0.5, 0.9])
    least = np.interp(recall, true[::-1], false[::-1])
    assert test.false_positive_rate(recall) == pytest.approx(least, abs=1e-5)
    told = hypothesis.believed_after(test, base_rate, 0.9)
    level = np.interp(0.1, true[::-1], np.linspace(-30, 15, 6001)[::-1])
    assert told == pytest.approx(1 / (1 + odds * math.exp(-level)), abs=1e-4)


@pytest.mark.parametrize("name", [None, "OptM", "DirM(L)"])
def test_every_figure_is_that_of_the_pair_it_is_worst_for(several, name):
    several = wide_apart(several)
    noise = None if name is None else dp.calibrate(name, several, 2.0, 1e-2, calibration="exact")
    together = hypothesis.release_test(several, noise)
    alone = [hypothesis.release_test(several.only(pair), noise) for pair in range(3)]
    assert isinstance(
        together, hypothesis.WorstTest if name == "DirM(L)" else hypothesis.NormalsTest
    )
    for base_rate in (0.3, 0.5, 0.9):
        odds = hypothesis.odds_against(base_rate)
        for figure in (
            lambda test, base_rate=base_rate: hypothesis.best_accuracy(test, base_rate),
            lambda test, odds=odds: hypothesis.best_f_score(test, 2.0, odds),
            lambda test, odds=odds: hypothesis.precision_at(test, 0.3, odds),
            lambda test, base_rate=base_rate: hypothesis.believed_after(test, base_rate, 0.8),
        ):
            assert figure(together) == pytest.approx(max(map(figure, alone)), rel=1e-9)


def test_belief_after_gaussian_noise_is_a_quantile_of_the_likelihood_ratio(rng):
    distance, size = 0.8, 400_000
    drawn = rng.normal(distance, 1, size)
    odds = np.exp(distance * drawn - distance**2 / 2) * 0.3 / 0.7
    expected = np.quantile(odds / (1 + odds), 0.9)
    found = hypothesis.believed_after(hypothesis.GaussianTest(distance), 0.3, 0.9)
    assert found == pytest.approx(expected, abs=2e-3)


def test_f_scores_against_epsilon(model):
    curves = hypothesis.f_score_against_epsilon(
        model, ["OptM", "DirM(L)"], np.array([0.5, 2.0]), 1e-3, beta=0.5, base_rate=0.4, pair=0
    )
    noise = dp.calibrate("OptM", model, 2.0, 1e-3)
    alone = hypothesis.optimal_f_score(model, noise, 0.5, 0.4)
    assert curves.y["OptM"][1] == pytest.approx(alone, rel=1e-6)
    assert (np.diff(list(curves.y.values()), axis=1) >= 0).all()
    guarded = hypothesis.f_score_against_epsilon(model, ["DauM"], np.array([1e-3]), 1e-6, "guarded")
    assert np.isnan(guarded.y["DauM"]).all()


def test_the_hardest_pair_counts(several):
    noise = dp.calibrate("ExpM", several, 1.0, 1e-3, calibration="exact")
    accuracy = hypothesis.best_accuracy(hypothesis.release_test(several, noise))
    assert accuracy == pytest.approx(dp.optimal_attack_accuracy(several, noise))


@pytest.mark.parametrize("name", ["OptM", "ExpM", "ExpM(L)", None])
def test_false_alarms_along_a_curve_are_those_at_each_recall(model, name):
    noise = None if name is None else dp.calibrate(name, model, 1.0, 1e-3)
    test = hypothesis.release_test(model, noise)
    recalls = np.linspace(0.0, 1.0, 101)
    found = false_alarms_along(test, recalls)
    assert found == pytest.approx(test.false_positive_rate(recalls), abs=1e-5)


def test_false_alarms_of_what_is_told_apart_for_certain():
    apart = LikelihoodRatio(np.full((1, 2), np.inf), np.ones((1, 2)))
    found = false_alarms_along(hypothesis.NormalsTest(apart), np.array([0.1, 0.5, 0.9]))
    assert found == pytest.approx(0.0)


@pytest.mark.parametrize("which", ["model", "several"])
def test_false_alarms_of_many_tests_are_those_of_each(which, request):
    model = request.getfixturevalue(which)
    names = ("OptM", "ExpM", "DirM", "ExpM(L)")
    cases = [(model, dp.calibrate(name, model, 1.0, 1e-3)) for name in names]
    apart = LikelihoodRatio(*(np.full((len(model.pairs), 4), x) for x in (np.inf, 1.0)))
    tests = [*release_tests([*cases, (model, None)]), hypothesis.NormalsTest(apart)]
    together = false_alarms_of(tests, RECALLS)
    assert len(together) == len(tests)
    for test, found in zip(tests, together, strict=True):
        np.testing.assert_allclose(found, false_alarms_along(test, RECALLS), rtol=0, atol=1e-12)
        assert found == pytest.approx(test.false_positive_rate(RECALLS), abs=1e-5)
    assert false_alarms_of([], RECALLS) == []


@pytest.mark.parametrize("beta", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("odds", [0.2, 1.0, 4.0])
def test_the_best_f_score_is_a_fixed_point(model, beta, odds):
    weight = beta**2
    for name in ("OptM", "DauM", None):
        noise = None if name is None else dp.calibrate(name, model, 2.0, 1e-3)
        test = hypothesis.release_test(model, noise)
        score = hypothesis.best_f_score(test, beta, odds)
        true, false = test.rates(np.log(score * odds / (1 + weight - score)))
        reached = (1 + weight) * true / (true + odds * false + weight)
        floor = hypothesis.f_score_floor(beta, odds)
        assert score == pytest.approx(max(float(reached), floor), abs=1e-13)
