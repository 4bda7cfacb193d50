"""Tests of a record: closed forms against thresholds, normals' losses, and the paper's table."""

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
from distpriv.privacy import FiniteLoss, NormalLoss

PSI = 0.5 + np.sinh(np.linspace(-8, 8, 100_001))
KNOWN = (0.2, 0.1, 0.1)
# Liu et al. (2019), Table 1; they cut to two digits, also bounds: the first of a row is the floor.
BOUNDS = 0.55, 0.58, 0.62, 0.67, 0.76, 0.83, 0.9, 0.95
TABLE_1 = {
    0.5: (0.22, 0.34, 0.55, 0.82, 1.42, 2.04, 3, 4.29),
    0.6: (0.33, 0.54, 0.83, 1.45, 2.11, 3.11, 4.43),
    0.8: (0.49, 0.8, 1.46, 2.16, 3.21, 4.58),
    1.0: (0.71, 1.4, 2.12, 3.2, 4.6),
    1.5: (1.17, 1.88, 2.99, 4.41),
    2.0: (1.61, 2.69, 4.12),
}


@pytest.mark.parametrize("beta", TABLE_1)
def test_largest_epsilon_under_a_bound_is_that_of_table_1(beta):
    floor, printed = f_score_floor(beta), TABLE_1[beta]
    bounds = np.maximum(BOUNDS[-len(printed) :], floor)
    found = max_epsilon(bounds, beta)
    np.testing.assert_allclose(found, printed, rtol=0, atol=0.01)
    assert max_epsilon(floor, beta) == pytest.approx(math.log1p(beta**2))  # turning point
    np.testing.assert_allclose(max_f_score(found, beta), bounds, rtol=1e-12)


@pytest.mark.parametrize("known", [(0, 0, 0), KNOWN])
@pytest.mark.parametrize("noise", [(None, "exact"), (1e-3, "exact"), (1e-5, "classical")])
def test_f_scores_and_precision_are_the_best_over_all_thresholds(noise, known):
    delta, calibration = noise
    kappa = auxiliary_factor(*known)
    for epsilon, beta in ((0.05, 1.0), (0.9, 0.4), (1.3, 2.5), (4.0, 1.0)):
        test = RecordTest(epsilon, *noise, *known)
        true, false = test.rates(PSI)
        scores = (1 + beta**2) * true / (true + kappa * false + beta**2)
        best = max_f_score(epsilon, beta, *known, delta=delta, calibration=calibration)
        assert best == pytest.approx(scores.max(), abs=1e-7)
        recall, precision, score = test.scores(PSI[::5000], beta)
        np.testing.assert_allclose(score, scores[::5000], atol=1e-14)
        harmonic = (1 + beta**2) / (1 / precision + beta**2 / recall)
        np.testing.assert_allclose(score, harmonic, atol=1e-12)
        assert test.scores(test.threshold(beta), beta)[2] == pytest.approx(best)
        recall = np.array([0.03, 0.4, 0.7, 0.97])
        least = np.interp(recall, true[::-1], false[::-1])
        precision = recall / (recall + kappa * least)
        np.testing.assert_allclose(test.precision(recall), precision, atol=1e-6)
        middles = (PSI[1:] + PSI[:-1]) / 2
        for density, rate in zip(test.densities(middles), (true, false), strict=True):
            np.testing.assert_allclose(density * np.diff(PSI), -np.diff(rate), atol=1e-6)
        if best > f_score_floor(beta, kappa) + 1e-9:
            again = max_epsilon(best, beta, *known, delta=delta, calibration=calibration)
            assert again == pytest.approx(epsilon, rel=1e-7)


@pytest.mark.parametrize("known", [(0, 0, 0), KNOWN])
def test_the_same_figures_follow_from_the_law_of_the_privacy_loss(known):
    kappa = auxiliary_factor(*known)
    test = RecordTest(1.2, 1e-3, "exact", *known)
    gaussian = NormalLoss(test.apart[None], np.ones(1))
    edges = np.linspace(-30, 31, 6101)
    laplace = FiniteLoss(*(-np.diff(r, prepend=1, append=0) for r in RecordTest(1.2).rates(edges)))
    for loss, one in ((gaussian, test), (laplace, RecordTest(1.2, None, "exact", *known))):
        # The F_β of κ is a function of that at even odds of β/√κ, and precision shifts its odds.
        even, beta = loss.f_score(0.8 / math.sqrt(kappa)), 0.8
        shifted = (1 + beta**2) * even / (even * (1 - kappa) + kappa + beta**2)
        assert one.f_score(beta) == pytest.approx(shifted, abs=1e-4)
        plain = loss.precision(np.array([0.2, 0.6]))
        np.testing.assert_allclose(
            one.precision([0.2, 0.6]), plain / (plain + kappa * (1 - plain)), atol=1e-4
        )


def test_extreme_promises_neither_overflow_nor_hide_anything():
    np.testing.assert_allclose(max_f_score([0, 1e3, 1e6], 1.0), [2 / 3, 1, 1])
    np.testing.assert_allclose(max_f_score([0.0, 900.0], 1.0, delta=1e-3), [2 / 3, 1], atol=1e-8)
    assert max_f_score(0.0, 1.0, delta=1e-3, calibration="classical") == pytest.approx(2 / 3)
    assert RecordTest(0.01).precision(0.5) == pytest.approx(0.5, abs=0.01)  # Section 4.1.3
    assert RecordTest(0.5).threshold() == -math.inf
    assert max_epsilon(1 - 1e-12, 1.0) == pytest.approx(53.87, abs=0.01)


@pytest.mark.parametrize(
    ("alarms", "ratio"), [(0.25, 4.0), (0.5, 1.0), (0.75, 0.25), (0.0, math.inf)]
)
def test_plausible_deniability_is_the_likelihood_ratio_at_the_threshold(alarms, ratio):
    assert plausible_deniability(1.0, alarms) == pytest.approx(ratio / math.e)
    for test in (RecordTest(1.0), RecordTest(0.7, 1e-3)):
        present, absent = test.densities(PSI[20_000:80_000:1000])
        ratios = test.likelihood_ratio(PSI[20_000:80_000:1000])
        np.testing.assert_allclose(ratios, present / absent, rtol=1e-9)
    psi = np.linspace(-3, 4, 29)  # beyond both results Laplace noise tells no more
    told = plausible_deniability(1.0, RecordTest(1.0).rates(psi)[1]).clip(1 / math.e, math.e)
    np.testing.assert_allclose(told, RecordTest(1.0).likelihood_ratio(psi), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: max_f_score(-1, 1), "ε must be from 0"),
        (lambda: max_f_score(math.nan, 1), "ε must be from 0"),
        (lambda: max_f_score(1, 0), "β must be above 0"),
        (lambda: max_f_score(1, 1, prior=1.5), "from the prior must be from 0 to 1"),
        (lambda: max_f_score(1, 1, prior=1, records=0.2), "κ = −0.2"),
        (lambda: max_f_score(1, 1, delta=0), "δ must be above 0"),
        (lambda: max_f_score(1, 1, delta=0.1, calibration="exakt"), "Did you mean 'exact'"),
        (lambda: max_epsilon(0.6, 1), "reaches an F-score of 0.6667"),
        (lambda: max_epsilon(1.0, 1), "below 1"),
        (lambda: max_epsilon(0.7, 1, delta=0.5), "at every ε"),
        (lambda: RecordTest(1).precision(0), "recall"),
        (lambda: plausible_deniability(1, 1.1), "false alarms must be"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call, words):
    with pytest.raises(DistprivError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
