"""The least ε that an attack proves a release to have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from distpriv.arrays import BoolArray, FloatArray, IntArray, number
from distpriv.attacks.property_inference import AttackResult
from distpriv.display import Result, plain
from distpriv.errors import AttackError
from distpriv.text import one_of, percent

__all__ = ["Audit", "audit_attack", "epsilon_lower_bound"]


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """What an attack proves about an (ε, δ) that is claimed; it can refute it, never prove it.

    Rates are those at the threshold that proves most, on the guesses that it was not chosen on.
    """

    epsilon: float  # lower confidence bound
    true_positive_rate: float
    false_positive_rate: float
    claimed: float | None
    delta: float
    confidence: float

    def __repr__(self) -> str:
        claim = "" if self.claimed is None else f"; claimed {self.claimed:.4g}"
        word = "" if self.claimed is None else ", refuted" if self.refuted else ", not refuted"
        least = f"ε is at least {self.epsilon:.3g} at δ = {self.delta:g}"
        return plain(f"Audit({least}, {percent(self.confidence)} sure{claim}{word})")

    @property
    def refuted(self) -> bool:
        """Whether the bound is above the claim."""
        return self.claimed is not None and self.epsilon > self.claimed


def audit_attack(
    result: AttackResult,
    name: str,
    claimed: float | None = None,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> Audit:
    """Compute a lower confidence bound on ε, at a δ, from the guesses of an attack on a release.

    It holds whatever the distributions are; that ε is larger is possible.

    (ε, δ) asks TPR <= e^ε FPR + δ, and the same of true and false negatives (Kairouz et al. 2015,
    Theorem 2.1). One threshold is the classifier's, on all guesses; the other is chosen on every
    second repetition and tried on the rest. The bounds share 1 − confidence (Bonferroni). Guesses
    of a repetition share classifier and records; given both they are independent, for which
    Clopper's and Pearson's bounds on all guesses together are conservative (Hoeffding 1956, Theorem
    5).

    The result is what `run_attack` returned, the name that of one of its releases. What is claimed
    is an ε from 0 on and a δ from 0 to below 1; the confidence is above 0 and below 1. AttackError
    if the attack met no such release, or a number is out of its domain.

    Examples
    --------
    >>> table, query = dp.load_example("bank"), dp.Query([dp.Mean("age")])
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.2, width=0.2)
    >>> result = dp.run_attack(table, query, pair, n=400, repetitions=10, rng=0)
    >>> dp.audit_attack(result, "as it is", claimed=0.2)
    Audit(ε is at least 2.11 at δ = 0, 95 % sure; claimed 0.2, refuted)
    """
    if not isinstance(result, AttackResult):
        raise AttackError(f"An audit needs what run_attack returned, not {result!r:.60}.")
    one_of("release in this attack", name, result.scores, AttackError)
    number("δ", delta, 0, 1, below=True, error=AttackError)
    number("The confidence", confidence, 0, 1, above=True, below=True, error=AttackError)
    if claimed is not None:
        number("The claimed ε", claimed, 0, error=AttackError)
    scores, positive = result.scores[name], result.labels == 1
    several = len(scores) > 1
    level = 1 - (1 - confidence) / (2 if several else 1)
    trials = [(scores, 0.0)]
    if several:
        trials.append((scores[1::2], _best_threshold(scores[::2], positive, delta, level)))
    audits = []
    for rows, threshold in trials:
        hits, alarms = (int((rows[:, side] > threshold).sum()) for side in (positive, ~positive))
        sizes = int(positive.sum()) * len(rows), int((~positive).sum()) * len(rows)
        bound = epsilon_lower_bound(hits, sizes[0], alarms, sizes[1], delta, level)
        rates = hits / sizes[0], alarms / sizes[1]
        audits.append(Audit(float(bound), *rates, claimed, delta, confidence))
    return max(audits, key=lambda one: one.epsilon)


def epsilon_lower_bound(
    hits: IntArray | int,
    positives: int,
    alarms: IntArray | int,
    negatives: int,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> FloatArray:
    """Compute max(0, ln((TPR − δ)/FPR), ln((TNR − δ)/FNR)) with both rates at their bounds.

    True and false positives, of so many positives and negatives, broadcast. Both bounds hold with
    the confidence (Clopper & Pearson 1934), by halves.
    """
    right, wrong = np.asarray(hits, float), np.asarray(alarms, float)
    error, rest = (1 - confidence) / 2, negatives - wrong
    low = betaincinv(np.maximum(right, 1), positives - right + 1, error) * (right > 0)
    high = np.where(rest > 0, betaincinv(wrong + 1, np.maximum(rest, 1), 1 - error), 1.0)
    ratios = np.maximum((low - delta) / high, (1 - high - delta) / (1 - low))
    return np.asarray(np.log(np.maximum(ratios, 1.0)))


def _best_threshold(scores: FloatArray, positive: BoolArray, delta: float, level: float) -> float:
    """Return the threshold that would prove most, between two scores."""
    right, wrong = (np.sort(scores[:, side].ravel()) for side in (positive, ~positive))
    values = np.unique(scores)
    thresholds = (values[1:] + values[:-1]) / 2
    if not len(thresholds):
        return 0.0
    hits, alarms = (
        len(side) - np.searchsorted(side, thresholds, "right") for side in (right, wrong)
    )
    bounds = epsilon_lower_bound(hits, len(right), alarms, len(wrong), delta, level)
    return float(thresholds[bounds.argmax()])
