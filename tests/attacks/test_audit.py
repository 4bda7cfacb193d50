"""Bounds on ε that attacks prove."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from distpriv.attacks import AttackResult, PropertyInferenceAttack, audit_attack
from distpriv.attacks.audit import epsilon_lower_bound
from distpriv.errors import AttackError
from distpriv.mechanisms import calibrate


def expected(hits, alarms, delta, confidence):
    """Of 100 trials each, by the library's intervals of Clopper and Pearson."""
    low, high = (stats.binomtest(k, 100).proportion_ci(confidence, "exact") for k in (hits, alarms))
    ratios = (low.low - delta) / high.high, (1 - high.high - delta) / max(1 - low.low, 1e-300)
    return max(0.0, math.log(max(*ratios, 1e-300)))


def test_bound_is_that_of_clopper_and_pearson():
    for hits, alarms in ((70, 20), (100, 0), (0, 100), (30, 31)):
        bound = epsilon_lower_bound(hits, 100, alarms, 100, 0.01, 0.9)
        assert bound == pytest.approx(expected(hits, alarms, 0.01, 0.9))


def test_audit_refutes_dau_m_as_published_and_no_promise_that_is_kept(model):
    """At (1, 0.001), by arithmetic: 6 repetitions, each alone at 95 of 100, and all together."""
    noises = {
        "OptM": calibrate("OptM", model, 1.0, 1e-3),
        "DauM": calibrate("DauM", model, 1.0, 1e-3, calibration="classical", grid_safe=False),
    }
    attack = PropertyInferenceAttack.of(
        model, noises, classifier="arithmetic", shadows=4, tests=300, seed=1
    )
    runs = [attack.repetition(index) for index in range(6)]
    for some in (runs, *([run] for run in runs)):
        assert not audit_attack(attack.collect(some), "OptM", 1.0, 1e-3).refuted
    audit = audit_attack(attack.collect(runs), "DauM", 1.0, 1e-3)
    assert audit.refuted
    assert audit.epsilon > 1.2


def test_threshold_is_chosen_on_other_guesses_and_both_bounds_hold_together():
    """Scores that tell the share in the first repetition alone prove nothing by it."""
    labels, rng = np.repeat([0, 1], 200), np.random.default_rng(0)
    scores = rng.normal(size=(2, 400))
    scores[0] += 9 + 20 * labels
    result = AttackResult({"x": scores}, labels, 0, True)
    assert audit_attack(result, "x").epsilon < 0.5
    scores[1] += 9 + 20 * labels
    audit = audit_attack(result, "x", claimed=2.0)
    assert (audit.true_positive_rate, audit.false_positive_rate) == (1, 0)
    assert audit.refuted
    # Two thresholds, each at 97.5 of 100; one repetition has one, at 95.
    assert audit.epsilon == pytest.approx(float(epsilon_lower_bound(200, 200, 0, 200, 0.0, 0.975)))
    guesses = np.where(np.arange(100) < 80, 1.0, -1.0)
    one = AttackResult({"x": np.hstack([-guesses, guesses])[None]}, np.repeat([0, 1], 100), 0, True)
    assert audit_attack(one, "x").epsilon == pytest.approx(expected(80, 20, 0.0, 0.95))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"name": "y"}, "no release in this attack 'y'"),
        ({"delta": 1.0}, "a number from 0 to below 1"),
        ({"confidence": 1.0}, "above 0 and below 1"),
        ({"claimed": math.nan}, "claimed ε must be a number from 0 on"),
    ],
)
def test_audit_that_makes_no_sense_is_one_sentence(settings, words):
    result = AttackResult({"x": np.zeros((1, 4))}, np.array([0, 0, 1, 1]), 0, True)
    with pytest.raises(AttackError, match=words):
        audit_attack(**({"result": result, "name": "x"} | settings))
