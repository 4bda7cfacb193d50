"""What several attackers together prove: bounds that hold, that see, and that are counted apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from distpriv.attacks.audit import delta_lower_bound
from distpriv.attacks.joint_audit import JointAudit, audit_attackers
from distpriv.attacks.results import AttackResult
from distpriv.errors import AttackError


def result(scores: np.ndarray, classifier: str = "logistic") -> AttackResult:
    """Of scores of shape (repetitions, tests), the first half of the tests under p_i."""
    accuracy, tests = {"x": np.zeros(len(scores))}, scores.shape[1]
    return AttackResult(accuracy, tests, True, 1, classifier, {"x": scores})


def normals(rng: np.random.Generator, repetitions: int, tests: int, shift: float) -> np.ndarray:
    """Log-likelihood ratios of N(0, 1) against N(shift, 1)."""
    values = rng.normal(size=(repetitions, tests))
    values[:, tests // 2 :] += shift
    return shift * values - shift**2 / 2


def true_delta(shift: float, epsilon: float) -> float:
    phi = stats.norm.cdf
    return float(
        phi(shift / 2 - epsilon / shift) - math.exp(epsilon) * phi(-shift / 2 - epsilon / shift)
    )


@given(
    st.integers(1, 60), st.integers(1, 60), st.floats(0, 1), st.floats(0, 1), st.floats(0, 3),
    st.floats(0.5, 0.999),
)  # fmt: skip
def test_delta_from_clopper_pearson(positives, negatives, right, wrong, epsilon, confidence):
    hits, misses = round(right * positives), round(wrong * negatives)
    # Half of the error on either side: each end is one of the two bounds.
    low = stats.binomtest(hits, positives).proportion_ci(confidence, method="exact").low
    high = stats.binomtest(misses, negatives).proportion_ci(confidence, method="exact").high
    factor = math.exp(epsilon)
    expected = max(0.0, low - factor * high, 1 - high - factor * (1 - low))
    found = delta_lower_bound(hits, positives, misses, negatives, epsilon, confidence)
    assert float(found) == pytest.approx(expected, abs=1e-9)


def test_the_bounds_hold_as_often_as_they_say() -> None:
    wrong = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        audit = audit_attackers(
            [result(normals(rng, 4, 400, 0.8))], "x", epsilon=0.3, delta=0.05, confidence=0.9
        )
        epsilon = next(e for e in np.linspace(0, 4, 401) if true_delta(0.8, e) <= 0.05)
        wrong += audit.delta > true_delta(0.8, 0.3) or audit.epsilon > epsilon
    assert wrong <= 300 * 0.1


def test_many_guesses_prove_nearly_all_of_it(rng) -> None:
    audit = audit_attackers([result(normals(rng, 10, 20_000, 1.5))], "x", epsilon=0.5, delta=0.01)
    assert 0.9 * true_delta(1.5, 0.5) < audit.delta < true_delta(1.5, 0.5)
    assert audit.epsilon > 1.5
    assert audit.guesses == 50_000


def test_the_better_of_two_attackers_is_chosen(rng) -> None:
    good, idle = normals(rng, 10, 2000, 1.5), rng.normal(size=(10, 2000))
    alone = audit_attackers([result(good)], "x", epsilon=0.5, delta=0.01)
    both = audit_attackers([result(idle, "idle"), result(good)], "x", epsilon=0.5, delta=0.01)
    assert (both.delta, both.epsilon) == (alone.delta, alone.epsilon)
    assert both.attackers == ("idle", "logistic")


def test_what_is_chosen_on_is_not_counted(rng) -> None:
    scores = rng.normal(size=(10, 400))
    scores[::2, 200:] += 100  # an attacker who is always right where nothing is counted
    audit = audit_attackers([result(scores)], "x", epsilon=0.5, delta=0.01)
    assert audit.delta == audit.epsilon == 0


def test_infinite_scores_are_scores(rng) -> None:
    scores = np.where(normals(rng, 4, 2000, 5.0) > 0, np.inf, -np.inf)
    audit = audit_attackers([result(scores)], "x", epsilon=0.5, delta=0.01)
    assert audit.delta > 0.9


@pytest.mark.parametrize(("guesses", "epsilon"), [(50, 0.0), (1000, 1.0), (25_000, 1.0), (99, 3.0)])
def test_what_so_many_guesses_show_at_best(guesses: int, epsilon: float) -> None:
    audit = JointAudit(0.0, 0.0, epsilon, 1e-3, 0.95, ("x",), 4, guesses, 1)

    def shows(hits: int) -> bool:
        return bool(delta_lower_bound(hits, guesses, 0, guesses, epsilon, 0.975) > 0)

    hits = round(audit.visible * guesses)
    assert shows(hits)
    assert not shows(hits - 1)
    assert audit.visible > 1 / guesses


def test_too_few_guesses_show_nothing() -> None:
    assert JointAudit(0.0, 0.0, 5.0, 1e-3, 0.95, ("x",), 4, 20, 1).visible == 1


def test_one_repetition_is_refused(rng) -> None:
    with pytest.raises(AttackError, match="at least 2 repetitions"):
        audit_attackers([result(normals(rng, 1, 20, 1.0))], "x", epsilon=1.0, delta=0.1)
    with pytest.raises(AttackError, match="at least 2 repetitions"):
        audit_attackers([], "x", epsilon=1.0, delta=0.1)
    with pytest.raises(AttackError, match="not negative"):
        audit_attackers([result(normals(rng, 2, 20, 1.0))], "x", epsilon=-1.0, delta=0.1)
