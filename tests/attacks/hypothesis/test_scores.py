"""Figures of a hypothesis test: closed forms against brute force over thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp

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
