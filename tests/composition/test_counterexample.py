"""Two releases that deliver more together than their promises add up to."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import distpriv as dp
from distpriv.composition.counterexample import (
    COIN,
    TOGETHER,
    example_against_correlation,
    example_against_releases,
)
from distpriv.composition.rules import AGAIN, SUM_RULE
from distpriv.privacy.calibration import gaussian_delta
from distpriv.privacy.privacy_loss import PrivacyLoss
from tests.examples import hockey_stick

epsilons = st.floats(0.05, 3)


@given(
    st.floats(0, 3),
    st.floats(-0.99, 0.99),
    st.floats(0, 2),
    epsilons,
    st.integers(1, 3),
    st.integers(0, 2),
)
def test_the_example_is_its_own_two_normals(shift, correlation, noise, epsilon, first, second):
    example = dp.composition.CompositionExample(shift, correlation, noise)
    # Every release a coordinate of its own: the same statistic with noise drawn anew. Without noise
    # a second one says nothing new. With little, doubles would lose what sets the releases apart.
    which = [0] * (first if noise else 1) + [1] * min(second, 1)
    with mpmath.workdps(700):
        mean = mpmath.matrix([0 if i else shift for i in which])
        covariance = mpmath.matrix(
            [[1 if i == j else mpmath.mpf(correlation) for j in which] for i in which]
        ) + mpmath.diag([0 if i else mpmath.mpf(noise) ** 2 for i in which])
        distance = float(mpmath.sqrt((mean.T * mpmath.lu_solve(covariance, mean))[0]))
    assert example.distance(first, second) == pytest.approx(distance, rel=1e-9)
    expected = gaussian_delta(distance, epsilon)
    assert example.delta(epsilon, first, second) == pytest.approx(expected, rel=1e-7, abs=1e-15)


def test_the_example_by_integration_over_both_statistics():
    example, epsilon = dp.composition.CompositionExample(0.5, 0.9), 1.0
    first, second = np.linspace(-6, 6.5, 1500)[:, None], np.linspace(-6, 6, 1200)
    step = (first[1, 0] - first[0, 0]) * (second[1] - second[0])

    def density(shift):
        given_second = norm.pdf(first, 0.9 * second + shift, math.sqrt(1 - 0.81))
        return given_second * norm.pdf(second)

    expected = hockey_stick(density(0.5), density(0.0), epsilon) * step
    assert example.delta(epsilon) == pytest.approx(expected, rel=1e-4)
    assert example.epsilon(expected) == pytest.approx(epsilon, rel=1e-4)
    assert example.delta(epsilon, 0, 3) == 0.0


@given(st.floats(0.01, 3), st.floats(-0.9, 0.99), epsilons, st.floats(1e-5, 0.3))
def test_each_of_the_example_keeps_its_promise_alone(shift, correlation, epsilon, delta):
    example = dp.composition.CompositionExample.calibrated(shift, correlation, epsilon, delta)
    alone = example.delta(epsilon, 1, 0)
    assert alone <= delta * (1 + 1e-9)
    assert example.noise == 0 or alone == pytest.approx(delta)
    # Convexity: a coin that shows which of them is released.
    assert example.coin_delta(epsilon, 1) == pytest.approx(alone / 2)


@given(st.floats(0.01, 2), st.floats(0, 0.99), st.floats(0, 1), epsilons, st.integers(1, 4))
def test_the_coin_outcome_by_outcome(shift, correlation, noise, epsilon, tosses):
    example = dp.composition.CompositionExample(shift, correlation, noise)
    total = 0.0
    for outcome in itertools.product("HT", repeat=tosses):
        heads = outcome.count("H")
        if heads:
            noisy = 1 + noise**2 / heads
            data = np.array([[noisy, correlation], [correlation, 1.0]])
            kept = data if heads < tosses else data[:1, :1]
            mean = np.array([shift, 0.0])[: len(kept)]
            loss = PrivacyLoss.between(mean, kept, np.zeros(len(kept)), kept)
            total += loss.delta(epsilon) / 2**tosses
    assert example.coin_delta(epsilon, tosses) == pytest.approx(total, rel=1e-6, abs=1e-14)


def test_a_coin_tossed_again_breaks_the_sum_rule():
    example = dp.composition.CompositionExample.calibrated(0.25, 0.999, 1.0, 1e-3)
    assert example.noise == 0
    assert example.coin_delta(1.0, 1) <= 1e-3
    # Both come out half of the time, and then nothing is hidden.
    assert 0.45 < example.coin_delta(2.0, 2) <= 0.5
    assert example.coin_epsilon(2e-3, 2) > 4.0
    assert example.coin_delta(example.coin_epsilon(2e-3, 2), 2) == pytest.approx(2e-3)
    assert example.coin_epsilon(0.9, 2) == 0.0


def test_the_curves_of_the_example():
    curves = example_against_correlation(0.25, 1.0, 1e-3, [0.0, 0.5, 0.99])
    np.testing.assert_array_equal(curves.y[SUM_RULE], [2, 2, 2])
    below, above = curves.y[TOGETHER][0], curves.y[TOGETHER][2]
    assert below < 1 < 2 < above
    assert (curves.y[COIN] <= curves.y[TOGETHER]).all()
    assert curves.y[COIN][2] > 2
    example = dp.composition.CompositionExample.calibrated(0.25, 0.99, 1.0, 1e-3)
    curves = example_against_releases(example, 1.0, 1e-3, [1, 2, 3, 2000])
    np.testing.assert_array_equal(curves.x, [1, 2, 3])
    np.testing.assert_array_equal(curves.y[SUM_RULE], [1, 2, 3])
    assert (curves.y[AGAIN] <= curves.y[SUM_RULE]).all()
    assert curves.y[COIN][0] < 1
    assert curves.y[COIN][1] == example.coin_epsilon(2e-3, 2)


@pytest.mark.parametrize(
    "values", [(-0.1, 0.5), (math.inf, 0.5), (math.nan, 0.5), (0.1, 1.0), (0.1, -1.0), (1, 0, -1)]
)
def test_an_example_that_makes_no_sense(values):
    with pytest.raises(dp.errors.CalibrationError):
        dp.composition.CompositionExample(*values)
