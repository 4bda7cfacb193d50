"""Tests of one record: rates at a threshold, by formula and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp

hypothesis = dp.hypothesis
epsilons = st.floats(1e-4, 20)


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


def test_values_of_a_record_closer_together_are_told_apart_less():
    near = hypothesis.record_test(1.0, separation=0.5)
    far = hypothesis.record_test(1.0)
    assert hypothesis.best_accuracy(near) < hypothesis.best_accuracy(far)
    assert hypothesis.best_accuracy(near) == pytest.approx(1 - math.exp(-0.25) / 2)
    assert hypothesis.best_accuracy(hypothesis.record_test(1.0, 1e-3, separation=0.5)) < 0.6
