"""Hypothesis tests of one record and of a share: closed forms, brute force, and simulation."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.attacks.hypothesis.releases import false_alarms_along
from distpriv.attacks.optimal import optimal_precision_recall, optimal_roc
from distpriv.privacy.likelihood_ratio import LikelihoodRatio

hypothesis = dp.hypothesis

# Liu et al. (2019), Table 1; their bounds and most of their ε are cut to two digits.
BOUNDS = (0.55, 0.58, 0.62, 0.67, 0.76, 0.83, 0.9, 0.95)
TABLE = {
    0.5: (0.22, 0.34, 0.55, 0.82, 1.42, 2.04, 3.0, 4.29),
    0.6: (None, 0.33, 0.54, 0.83, 1.45, 2.11, 3.11, 4.43),
    0.8: (None, None, 0.49, 0.8, 1.46, 2.16, 3.21, 4.58),
    1.0: (None, None, None, 0.71, 1.4, 2.12, 3.2, 4.6),
    1.5: (None, None, None, None, 1.17, 1.88, 2.99, 4.41),
    2.0: (None, None, None, None, None, 1.61, 2.69, 4.12),
}

epsilons = st.floats(1e-4, 20)
betas = st.floats(0.1, 8)
knowledge = st.tuples(st.floats(0, 0.6), st.floats(0, 0.15), st.floats(0, 0.1))


def brute_force(epsilon, beta, factor, distance=None):
    """Largest F over many thresholds, straight from distribution functions."""
    psi = np.concatenate([np.linspace(-60, 60, 4001) / max(epsilon, 1), np.linspace(-1, 2, 30001)])
    if distance is None:
        upper = lambda x: stats.laplace.sf(x, scale=1 / epsilon)  # noqa: E731
    else:
        psi = np.concatenate([psi, np.linspace(-40, 40, 20001) / distance])
        upper = lambda x: stats.norm.sf(x * distance)  # noqa: E731
    right, wrong = upper(psi - 1), upper(psi)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = right / (right + factor * wrong)
        score = (1 + beta**2) * precision * right / (beta**2 * precision + right)
    # Beside the thresholds, an attacker who always says yes.
    return max(np.nanmax(score), (1 + beta**2) / (1 + beta**2 + factor))


def test_table_1_to_a_hundredth():
    found = hypothesis.epsilon_table(BOUNDS, list(TABLE))
    for row, (beta, printed) in zip(found, TABLE.items(), strict=True):
        for value, bound, expected in zip(row, BOUNDS, printed, strict=True):
            if expected is None:
                assert math.isnan(value)
            else:
                assert abs(value - expected) < 0.01, (beta, bound)


@given(epsilons, betas, knowledge)
def test_the_closed_form_is_the_maximum_over_thresholds(epsilon, beta, known):
    factor = hypothesis.auxiliary_factor(*known)
    found = hypothesis.max_f_score(epsilon, beta, *known)
    assert found == pytest.approx(brute_force(epsilon, beta, factor), abs=2e-5)
    assert found == pytest.approx(
        hypothesis.max_f_score(epsilon, beta, *known, numerical=True), abs=1e-12
    )


@given(st.floats(1e-3, 10), betas, knowledge, st.sampled_from([1e-6, 1e-3, 0.1]))
def test_gaussian_noise_by_optimisation_is_the_maximum_over_thresholds(epsilon, beta, known, delta):
    factor = hypothesis.auxiliary_factor(*known)
    for calibration in ("exact", "classical"):
        found = hypothesis.max_f_score(epsilon, beta, *known, delta=delta, calibration=calibration)
        distance = dp.privacy.gaussian_distance(epsilon, delta, calibration)
        assert found == pytest.approx(brute_force(epsilon, beta, factor, distance), abs=2e-5)


@given(betas, knowledge, st.floats(0.01, 0.999))
def test_the_largest_epsilon_is_the_inverse(beta, known, place):
    floor = hypothesis.f_score_floor(beta, hypothesis.auxiliary_factor(*known))
    bound = floor + place * (1 - floor)
    epsilon = hypothesis.max_epsilon(bound, beta, *known)
    assert hypothesis.max_f_score(epsilon, beta, *known) == pytest.approx(bound, rel=1e-9)
    assert hypothesis.max_f_score(epsilon * 1.001, beta, *known) > bound
    assert hypothesis.max_epsilon(floor, beta, *known) == pytest.approx(
        hypothesis.turning_point(beta, *known)
    )


@pytest.mark.parametrize("calibration", ["exact", "classical"])
@pytest.mark.parametrize("bound", [0.73, 0.8, 0.95])
def test_the_largest_epsilon_of_gaussian_noise_is_the_inverse(calibration, bound):
    options = {"delta": 1e-3, "calibration": calibration}
    epsilon = hypothesis.max_epsilon(bound, 1.0, 0.2, **options)
    assert hypothesis.max_f_score(epsilon, 1.0, 0.2, **options) == pytest.approx(bound, abs=1e-6)


def test_every_figure_is_finite_from_tiny_to_huge_epsilon():
    grid = np.geomspace(1e-4, 1000, 200)
    for known in ((0, 0, 0), (0.5, 0.1, 0.1), (0.99, 0, 0)):
        for beta in (0.01, 1, 100):
            scores = hypothesis.max_f_score(grid, beta, *known)
            assert scores.shape == grid.shape
            assert np.isfinite(scores).all()
            assert (np.diff(scores) >= -1e-15).all()
            assert scores[-1] == pytest.approx(1)
            gaussian = hypothesis.max_f_score(grid[grid <= 100], beta, *known, delta=1e-6)
            assert (np.diff(gaussian) >= -1e-12).all()
    recall = np.linspace(0.01, 1, 99)
    for epsilon in (1e-4, 1.0, 100.0, 1000.0):
        for test in (
            hypothesis.LaplaceTest(epsilon),
            hypothesis.PromiseTest(epsilon, 1e-3),
            hypothesis.GaussianTest(epsilon / 4),
        ):
            precision = hypothesis.precision_at(test, recall)
            assert ((precision >= 0.5 - 1e-12) & (precision <= 1)).all()


@given(epsilons, st.floats(-3, 4))
def test_rates_at_a_threshold(epsilon, psi):
    right, wrong = hypothesis.record_rates(epsilon, psi)
    assert right == pytest.approx(stats.laplace.sf(psi, loc=1, scale=1 / epsilon))
    assert wrong == pytest.approx(stats.laplace.sf(psi, loc=0, scale=1 / epsilon))
    right, wrong = hypothesis.record_rates(epsilon, psi, 1e-3, "classical")
    sigma = math.sqrt(2 * math.log(1.25 / 1e-3)) / epsilon
    assert right == pytest.approx(stats.norm.sf(psi, loc=1, scale=sigma))
    assert wrong == pytest.approx(stats.norm.sf(psi, loc=0, scale=sigma))
    # No threshold beats the fewest false alarms at its recall.
    if 0 < right < 0.999:
        assert hypothesis.record_test(epsilon, 1e-3, "classical").false_positive_rate(
            right
        ) == pytest.approx(wrong, abs=1e-9)


@given(st.floats(0.01, 6), st.floats(0.02, 0.98))
def test_the_trade_off_of_errors_fits_its_thresholds(epsilon, recall):
    for test in (
        hypothesis.LaplaceTest(epsilon),
        hypothesis.GaussianTest(epsilon),
        hypothesis.PromiseTest(epsilon, 0.01),
    ):
        level = float(test.log_ratio(recall))
        # A tangent of that slope touches the curve there: no other recall does better.
        others = np.linspace(0.001, 0.999, 400)
        worth = others - math.exp(level) * test.false_positive_rate(others)
        here = recall - math.exp(level) * float(test.false_positive_rate(recall))
        assert here >= worth.max() - 1e-9
        right, wrong = test.rates(level)
        assert right - math.exp(level) * wrong == pytest.approx(here, abs=1e-9)


def test_simulated_attackers_stay_within_sampling_error(rng):
    size = 200_000
    for epsilon, delta in ((0.5, None), (2.0, None), (2.0, 1e-2)):
        if delta is None:
            noise = rng.laplace(scale=1 / epsilon, size=(2, size))
        else:
            noise = rng.normal(
                scale=1 / dp.privacy.gaussian_distance(epsilon, delta), size=(2, size)
            )
        absent, present = noise[0], 1 + noise[1]
        test = hypothesis.record_test(epsilon, delta)
        best = 0.0
        for psi in np.linspace(-1, 2, 13):
            right, wrong = (present > psi).mean(), (absent > psi).mean()
            expected = hypothesis.record_rates(epsilon, psi, delta)
            for drawn, rate in zip((right, wrong), expected, strict=True):
                assert abs(drawn - rate) < 5 * math.sqrt(rate * (1 - rate) / size) + 1e-12
            precision = right / (right + wrong)
            ceiling = hypothesis.precision_at(test, right)
            assert precision < ceiling + 5 * math.sqrt(0.5 / size / right)
            best = max(best, hypothesis.f_score(precision, right, 1.0))
        assert best < hypothesis.max_f_score(epsilon, 1.0, delta=delta) + 0.005


def test_the_promise_is_the_accuracy_ceiling():
    for epsilon in (0.1, 1.0, 2.0, 30.0):
        for delta in (0.0, 0.05):
            found = hypothesis.best_accuracy(hypothesis.PromiseTest(epsilon, delta))
            assert found == pytest.approx(dp.accuracy_ceiling(epsilon, delta))
    # Laplace noise meets its own promise below it, and touches it nowhere but at the ends.
    grid = np.linspace(0.05, 0.95, 19)
    laplace = hypothesis.LaplaceTest(1.0).false_positive_rate(grid)
    assert (laplace >= hypothesis.PromiseTest(1.0).false_positive_rate(grid) - 1e-12).all()


@given(st.floats(0.05, 5), st.floats(0.01, 0.99))
def test_plausible_deniability_is_the_ratio_of_the_densities_at_the_threshold(epsilon, alarm):
    psi = stats.laplace.isf(alarm, scale=1 / epsilon)
    # Equation 8: between the two results it is the ratio of the densities itself.
    expected = math.exp((2 * psi - 1) * epsilon)
    found = hypothesis.plausible_deniability(epsilon, alarm)
    assert found == pytest.approx(expected, rel=1e-9)
    if 0 <= psi <= 1:
        ratio = stats.laplace.pdf(psi - 1, scale=1 / epsilon)
        ratio /= stats.laplace.pdf(psi, scale=1 / epsilon)
        assert found == pytest.approx(ratio, rel=1e-9)


def test_what_the_attacker_knows():
    assert hypothesis.auxiliary_factor() == 1
    assert hypothesis.auxiliary_factor(0.2) == pytest.approx(0.8)
    assert hypothesis.auxiliary_factor(0.2, 0.1) == pytest.approx(0.62)
    assert hypothesis.auxiliary_factor(0.2, 0.1, 0.1) == pytest.approx(0.458)
    # Figure 8: more knowledge, more success.
    scores = [
        hypothesis.max_f_score(1.0, 1.0, *known)
        for known in ((0, 0, 0), (0.2, 0, 0), (0.2, 0.1, 0), (0.2, 0.1, 0.1))
    ]
    assert scores == sorted(scores)
    assert len(set(scores)) == 4
    assert hypothesis.knowledge_before(0.8) == pytest.approx(1 / 1.8)
    assert hypothesis.odds_against(1 / 1.8) == pytest.approx(0.8)


@given(st.tuples(*[st.floats(0, 1)] * 3))
def test_the_nearest_knowledge_that_is_named_leaves_a_doubt(known):
    try:
        assert 0 < hypothesis.auxiliary_factor(*known) <= 1
    except dp.errors.HypothesisError as error:
        named = [float(value) for value in re.findall(r"ρ_. = (\d\.?\d*(?:e-\d+)?)", str(error))]
        assert hypothesis.auxiliary_factor(*named) > 0
        assert all(new <= old + 1e-5 for new, old in zip(named, known, strict=True))


def test_values_of_a_record_closer_together_are_told_apart_less():
    near = hypothesis.record_test(1.0, separation=0.5)
    far = hypothesis.record_test(1.0)
    assert hypothesis.best_accuracy(near) < hypothesis.best_accuracy(far)
    assert hypothesis.best_accuracy(near) == pytest.approx(1 - math.exp(-0.25) / 2)
    assert hypothesis.best_accuracy(hypothesis.record_test(1.0, 1e-3, separation=0.5)) < 0.6


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: hypothesis.max_f_score(1.0, 0.0), "β must be a positive"),
        (lambda: hypothesis.max_f_score(1.0, math.nan), "β must be a positive"),
        (lambda: hypothesis.max_f_score(-1.0, 1.0), "ε must be at least 0"),
        (lambda: hypothesis.max_f_score([1.0, math.nan], 1.0), "ε must be at least 0"),
        (lambda: hypothesis.auxiliary_factor(1.2), "nearest is 1"),
        (lambda: hypothesis.auxiliary_factor(0.0, -0.1), "nearest is 0"),
        (lambda: hypothesis.auxiliary_factor(0.5, 0.3, 0.2), "time ρ_t = 0.04"),
        (lambda: hypothesis.auxiliary_factor(1.0), "κ = 0"),
        (lambda: hypothesis.max_epsilon(0.6, 1.0), "the nearest is 0.6667"),
        (lambda: hypothesis.max_epsilon(1.0, 1.0), "0.999"),
        (lambda: hypothesis.max_epsilon([0.9, 0.5], 1.0), "got 0.5"),
        (lambda: hypothesis.max_epsilon(2 / 3, 1.0, delta=1e-3), "the nearest bound is 0.666[78]"),
        (lambda: hypothesis.plausible_deniability(1.0, 0.0), "between 0 and 1"),
        (lambda: hypothesis.precision_at(hypothesis.LaplaceTest(1.0), 0.0), "recall"),
        (lambda: hypothesis.odds_against(1.0), "base rate"),
        (lambda: hypothesis.record_test(1.0, separation=2.0), "separation"),
        (lambda: hypothesis.believed_after(hypothesis.LaplaceTest(1.0), 0.5, 1.0), "confidence"),
    ],
)
def test_bad_input_is_explained(call, says):
    with pytest.raises(dp.errors.HypothesisError, match=says):
        call()


# The same lens on a share of the records.


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
