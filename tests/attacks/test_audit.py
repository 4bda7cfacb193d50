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


def test_bound_is_that_of_clopper_and_pearson():
    for hits, alarms in ((70, 20), (100, 0), (0, 100), (30, 31)):
        intervals = [
            stats.binomtest(one, 100).proportion_ci(0.9, "exact") for one in (hits, alarms)
        ]
        low, high = intervals[0].low, intervals[1].high
        ratios = (low - 0.01) / high, (1 - high - 0.01) / max(1 - low, 1e-300)
        expected = max(0.0, math.log(max(*ratios, 1e-300)))
        assert epsilon_lower_bound(hits, 100, alarms, 100, 0.01, 0.9) == pytest.approx(expected)


def test_audit_refutes_dau_m_as_published_and_no_promise_that_is_kept(model):
    """At (1, 0.001), by arithmetic: 20 repetitions, each alone at 95 of 100, and all together."""
    noises = {
        "OptM": calibrate("OptM", model, 1.0, 1e-3),
        "DauM": calibrate("DauM", model, 1.0, 1e-3, calibration="classical", grid_safe=False),
    }
    attack = PropertyInferenceAttack.of(model, noises, classifier="arithmetic", tests=300, seed=1)
    runs = [attack.repetition(index) for index in range(20)]
    for some in ([run] for run in runs):
        assert not audit_attack(attack.collect(some), "OptM", 1.0, 1e-3).refuted
    audits = {name: audit_attack(attack.collect(runs), name, 1.0, 1e-3) for name in noises}
    assert not audits["OptM"].refuted
    assert audits["DauM"].refuted
    assert audits["DauM"].epsilon > 1.3


def test_threshold_is_chosen_on_other_guesses_than_it_is_tried_on():
    """Scores that tell the share in the first repetition alone prove nothing by it."""
    labels = np.repeat([0, 1], 200)
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 400))
    scores[0] += 9 + 20 * labels
    result = AttackResult({"x": scores}, labels, 0, "lda", True, True)
    assert audit_attack(result, "x").epsilon < 0.5
    scores[1] += 9 + 20 * labels
    audit = audit_attack(result, "x", claimed=2.0)
    assert (audit.true_positive_rate, audit.false_positive_rate) == (1, 0)
    assert audit.refuted
    assert audit.epsilon > 3.5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"name": "y"}, "met no release 'y'"),
        ({"delta": 1.0}, "δ from 0 to below 1"),
        ({"confidence": 1.0}, "confidence between 0 and 1"),
        ({"claimed": math.nan}, "claimed ε is a number from 0 on"),
    ],
)
def test_audit_that_makes_no_sense_is_one_sentence(settings, words):
    result = AttackResult({"x": np.zeros((1, 4))}, np.array([0, 0, 1, 1]), 0, "lda", True, True)
    with pytest.raises(AttackError, match=words):
        audit_attack(**({"result": result, "name": "x"} | settings))
