"""Tests of a record: closed forms against thresholds, the laws of losses, and the paper's table."""

import math

import numpy as np
import pytest

from distpriv.errors import DistprivError
from distpriv.hypothesis import (
    RecordTest,
    auxiliary_factor,
    f_score_floor,
    max_epsilon,
    max_f_score,
    plausible_deniability,
)
from distpriv.papers.liu import BOUNDS, TABLE_1
from distpriv.privacy import NormalLoss

PSI = 0.5 + np.sinh(np.linspace(-8, 8, 100_001))
KNOWN = (0.2, 0.1, 0.1)


@pytest.mark.parametrize("beta", TABLE_1)
def test_largest_epsilon_under_a_bound_is_that_of_table_1(beta):
    # Liu et al. (2019) cut to two digits, also bounds: the first of a row is the floor.
    floor, printed = f_score_floor(beta), [float(x) for x in TABLE_1[beta].split() if x != "-"]
    bounds = np.maximum(BOUNDS[-len(printed) :], floor)
    found = max_epsilon(bounds, beta)
    np.testing.assert_allclose(found, printed, rtol=0, atol=0.01)
    assert max_epsilon(floor, beta) == pytest.approx(math.log1p(beta**2))  # turning point
    np.testing.assert_allclose(max_f_score(found, beta), bounds, rtol=1e-12)


@pytest.mark.parametrize("known", [(0, 0, 0), KNOWN])
@pytest.mark.parametrize("noise", [(None, "exact"), (1e-3, "exact"), (1e-5, "classical")])
def test_f_scores_and_precision_are_the_best_over_all_thresholds(noise, known):
    delta, calibration = noise
    kappa, some = auxiliary_factor(*known), slice(30_000, 70_000, 1000)
    for epsilon, beta in ((0.05, 1.0), (0.9, 0.4), (1.3, 2.5), (4.0, 1.0)):
        test = RecordTest(epsilon, *noise, *known)
        true, false = test.rates(PSI)
        precisions = true[some] / (true + kappa * false)[some]
        scores = (1 + beta**2) * true / (true + kappa * false + beta**2)
        best = max_f_score(epsilon, beta, *known, delta=delta, calibration=calibration)
        assert best == pytest.approx(scores.max(), abs=1e-7)
        np.testing.assert_allclose(test.precision(true[some]), precisions, atol=1e-9)
        for found, right in zip(
            test.scores(PSI[some], beta), (true[some], precisions, scores[some]), strict=True
        ):
            np.testing.assert_allclose(found, right, atol=1e-14)
        assert test.scores(test.threshold(beta), beta)[2] == pytest.approx(best)
        for density, rate in zip(
            test.densities((PSI[1:] + PSI[:-1]) / 2), (true, false), strict=True
        ):
            np.testing.assert_allclose(density * np.diff(PSI), -np.diff(rate), atol=1e-6)
        if best > f_score_floor(beta, kappa) + 1e-9:
            again = max_epsilon(best, beta, *known, delta=delta, calibration=calibration)
            assert again == pytest.approx(epsilon, rel=1e-7)


def test_the_same_follows_from_the_law_of_the_privacy_loss():
    test, beta = RecordTest(1.2, 1e-3, "exact", *KNOWN), 0.8
    loss, kappa = NormalLoss(test.apart[None], np.ones(1)), test.factor
    even = loss.f_score(beta / math.sqrt(kappa))  # TPR/(FPR + β²/κ) is largest where this is
    shifted = (1 + beta**2) * even / (even * (1 - kappa) + kappa + beta**2)
    assert test.f_score(beta) == pytest.approx(shifted, abs=1e-12)
    plain = loss.precision(np.array([0.2, 0.6]))
    odds = plain / (plain + kappa * (1 - plain))
    np.testing.assert_allclose(test.precision([0.2, 0.6]), odds, atol=1e-7)


def test_extreme_promises_neither_overflow_nor_hide_anything():
    np.testing.assert_allclose(max_f_score([0, 1e3, 1e6], 1.0), [2 / 3, 1, 1])
    np.testing.assert_allclose(max_f_score([0.0, 900.0], 1.0, delta=1e-3), [2 / 3, 1], atol=1e-8)
    assert max_f_score(0.0, 1.0, delta=1e-3, calibration="classical") == pytest.approx(2 / 3)
    assert RecordTest(0.01).precision(0.5) == pytest.approx(0.5, abs=0.01)  # Section 4.1.3
    assert RecordTest(0.5).threshold() == -math.inf
    assert max_epsilon(1 - 1e-12, 1.0) == pytest.approx(53.87, abs=0.01)
    bounds = np.array([0.63, 0.7, 0.8, 0.9])  # at likelihood ratios on both sides of 1
    found = max_epsilon(bounds, 0.5, delta=1e-3)
    np.testing.assert_allclose(RecordTest(found, 1e-3).f_score(0.5), bounds)


def test_plausible_deniability_is_the_ratio_of_the_densities_at_the_threshold():
    alarms = np.array([0.25, 0.5, 0.75, 0.0])
    ratios = np.array([4.0, 1.0, 0.25, math.inf]) / math.e
    np.testing.assert_allclose(plausible_deniability(1.0, alarms), ratios)
    test, psi = RecordTest(1.0), np.linspace(-3, 4, 29)
    ratios = plausible_deniability(1.0, test.rates(psi)[1])
    possible = ratios.clip(1 / math.e, math.e)  # beyond both results Laplace noise tells no more
    np.testing.assert_allclose(possible, np.divide(*test.densities(psi)), rtol=1e-12)
    for one in (test, RecordTest(2.0, 1e-3)):
        psi = np.array([-1.0, 0.3, 2.0])
        ratio = np.divide(*one.densities(psi))
        np.testing.assert_allclose(one.likelihood_ratio(psi), ratio, rtol=1e-12)
    far = RecordTest(10.0, 0.5, "classical")
    log = np.log(far.likelihood_ratio([9.0]))  # where both densities are 0
    np.testing.assert_allclose(log, 8.5 * far.apart**2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: max_f_score(-1, 1), "ε must be a number from 0"),
        (lambda: max_f_score(math.nan, 1), "ε must be a number from 0"),
        (lambda: max_f_score(1, 0), "β must be a number above 0"),
        (lambda: max_f_score(1, 1, prior=1.5), "from the prior must be a number from 0 to 1"),
        (lambda: max_f_score(1, 1, prior=1, records=0.2), "κ = −0.2"),
        (lambda: max_f_score(1, 1, delta=0), "δ must be a number above 0"),
        (lambda: max_f_score(1, 1, delta=0.1, calibration="exakt"), "Did you mean 'exact'"),
        (lambda: max_epsilon(0.6, 1), "reaches an F-score of 0.6667"),
        (lambda: max_epsilon(1.0, 1), "below 1"),
        (lambda: max_epsilon(0.7, 1, delta=0.5), "at every ε"),
        (lambda: max_epsilon([0.7, 0.99], 1, delta=0.5), r"0\.7 at every ε"),
        (lambda: RecordTest(1).precision(0), "recall"),
        (lambda: plausible_deniability(1, 1.1), "false alarms must be"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call, words):
    with pytest.raises(DistprivError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
