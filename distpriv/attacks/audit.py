"""Auditing a promise: the least ε that an attack proves a release to have."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv

from distpriv.arguments import checked
from distpriv.attacks.property_inference import AttackResult, dataset_labels
from distpriv.errors import AttackError
from distpriv.privacy.noise import Noise
from distpriv.words import share

__all__ = [
    "Audit",
    "AuditedRates",
    "audit_attack",
    "delta_lower_bound",
    "epsilon_lower_bound",
    "rate_bounds",
]

FloatArray = NDArray[np.float64]

_HIGHEST = 700.0  # of an ε; e to the 710th is no float


@dataclass(frozen=True)
class AuditedRates:
    """How often an attacker is right and wrong at one threshold, and what that proves.

    Attributes
    ----------
    threshold : float
        Score above which they guess p_j.
    true_positives, positives : int
        Datasets with p_j taken for p_j, and all of them.
    false_positives, negatives : int
        Datasets with p_i taken for p_j, and all of them.
    true_positive_low, false_positive_high : float
        One-sided Clopper–Pearson bounds.
    epsilon : float >= 0
        Lower bound on ε.
    """

    threshold: float
    true_positives: int
    positives: int
    false_positives: int
    negatives: int
    true_positive_low: float
    false_positive_high: float
    epsilon: float

    @property
    def true_positive_rate(self) -> float:
        """Share of the datasets with p_j that are recognised."""
        return self.true_positives / self.positives

    @property
    def false_positive_rate(self) -> float:
        """Share of the datasets with p_i that are taken for p_j."""
        return self.false_positives / self.negatives


@dataclass(frozen=True)
class Audit:
    """What an attack proves about the ε of a release.

    Attributes
    ----------
    name : str
        Of the release in the attack's result.
    claimed_epsilon : float or None
        None if nothing is claimed: an undefended release.
    delta : float
        δ of the claim, at which the bound holds.
    confidence : float
        With which all bounds together hold.
    default : AuditedRates
        At the classifier's own threshold, all guesses.
    chosen : AuditedRates or None
        At the threshold that is best on every other repetition, the guesses of the rest; None
        for a single repetition.
    caveats : tuple of str
        Of the claim.
    """

    name: str
    claimed_epsilon: float | None
    delta: float
    confidence: float
    default: AuditedRates
    chosen: AuditedRates | None
    caveats: tuple[str, ...] = ()

    @property
    def epsilon(self) -> float:
        """The larger of the two lower bounds on ε."""
        chosen = 0.0 if self.chosen is None else self.chosen.epsilon
        return max(self.default.epsilon, chosen)

    @property
    def contradicted(self) -> bool:
        """Whether the bound is above the claim."""
        return self.claimed_epsilon is not None and self.epsilon > self.claimed_epsilon

    @property
    def verdict(self) -> str:
        """The outcome in words."""
        at = f"at {share(self.confidence)} confidence"
        claim = f"the claimed ε = {self.claimed_epsilon:g}" if self.claimed_epsilon else ""
        if self.epsilon == 0:
            sentence = f"The attack proves no ε above 0 {at}"
            return f"{sentence}, which agrees with {claim}." if claim else f"{sentence}."
        sentence = f"The attack proves that ε is at least {self.epsilon:.3g} {at}"
        if not claim:
            return f"{sentence}; this release claims none."
        if not self.contradicted:
            return f"{sentence}, which agrees with {claim}."
        return " ".join([f"{sentence}, which contradicts {claim}.", *self.caveats])


@checked(AttackError)
def audit_attack(
    result: AttackResult,
    name: str,
    noise: Noise | None,
    *,
    delta: float | None = None,
    confidence: float = 0.95,
) -> Audit:
    """Lower confidence bound on ε from the guesses of an attack.

    Under (ε, δ)-distribution privacy every guess has TPR <= e^ε FPR + δ, and with the two
    proportions swapped TNR <= e^ε FNR + δ (Kairouz et al. 2015, Theorem 2.1), so that
    ε >= ln((TPR − δ)/FPR) and ε >= ln((TNR − δ)/FNR) (Jagielski et al. 2020, Section 3). The
    rates are replaced by Clopper–Pearson bounds, whose errors, two for each threshold, share
    1 − confidence (Bonferroni). One threshold is the classifier's own, on all guesses; the
    other is chosen on every other repetition and tried on the rest, which it has not seen.

    What is assumed: guesses of one repetition share a classifier and the records that their
    datasets are drawn from. Given both they are independent, with rates that differ from
    repetition to repetition, for which Clopper–Pearson on the pooled guesses is conservative
    (Hoeffding 1956, Theorem 5); the bound is on the mean rates of these classifiers. It speaks
    about the records in the testing parts, which stand in for all records, and about datasets
    drawn at random from them, as the promise does. An attack can show that a claim is wrong,
    never that it is right.

    Parameters
    ----------
    result : AttackResult
        Of a run that kept its scores; an adaptive attacker proves more.
    name : str
        Which of its releases.
    noise : Noise or None
        Its noise, whose ε and δ are the claim; None: an undefended release, which claims none.
    delta : float in [0, 1), optional
        Instead of the δ of the noise; 0 for an undefended release.
    confidence : float in (0, 1)

    Returns
    -------
    Audit

    Raises
    ------
    AttackError
        If the scores were not kept, or a parameter is outside its domain.
    """
    if delta is None:
        delta = 0.0 if noise is None else noise.delta
    _check(delta, confidence)
    scores, labels = result.kept_scores(name), dataset_labels(result.tests)
    ways = 1 if len(scores) < 2 else 2
    level = 1 - (1 - confidence) / ways
    default = _audited(scores, labels, 0.0, delta, level)
    chosen = None
    if ways == 2:
        threshold = _best_threshold(scores[::2], labels, delta, level)
        chosen = _audited(scores[1::2], labels, threshold, delta, level)
    return Audit(
        name=name,
        claimed_epsilon=None if noise is None else noise.epsilon,
        delta=delta,
        confidence=confidence,
        default=default,
        chosen=chosen,
        caveats=() if noise is None else noise.caveats,
    )


def epsilon_lower_bound(
    true_positives: ArrayLike,
    positives: int,
    false_positives: ArrayLike,
    negatives: int,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> FloatArray:
    """Lower confidence bound on ε from counts of guesses, in both directions, at least 0.

    max(0, ln((TPR_low − δ)/FPR_high), ln((1 − FPR_high − δ)/(1 − TPR_low))): the second has the
    roles of the two proportions swapped and needs the same two bounds.

    Parameters
    ----------
    true_positives, false_positives : array-like of int
        Of one shape.
    positives, negatives : int, at least 1
    delta : float in [0, 1)
    confidence : float in (0, 1)
        Each rate errs with half of 1 − confidence.

    Returns
    -------
    ndarray
        Of the shape of the counts.

    Raises
    ------
    AttackError
        If a parameter is outside its domain.
    """
    _check(delta, confidence)
    low, high = rate_bounds(true_positives, positives, false_positives, negatives, confidence)
    # Where a rate is not above δ its logarithm is left at −∞: nothing is proven.
    forward = np.maximum(low - delta, 0) / high
    backward = np.maximum(1 - high - delta, 0) / (1 - low)
    return np.log(np.maximum(np.maximum(forward, backward), 1.0))


def delta_lower_bound(
    true_positives: ArrayLike,
    positives: int,
    false_positives: ArrayLike,
    negatives: int,
    epsilon: float = 0.0,
    confidence: float = 0.95,
) -> FloatArray:
    """Lower confidence bound on δ from counts of guesses, in both directions, at least 0.

    max(0, TPR_low − e^ε FPR_high, (1 − FPR_high) − e^ε (1 − TPR_low)), as δ is the most that
    P(S) − e^ε Q(S) comes to for any set S, and a guess is one.

    Parameters
    ----------
    true_positives, positives, false_positives, negatives, confidence
        Of :func:`epsilon_lower_bound`.
    epsilon : float >= 0

    Raises
    ------
    AttackError
        If a parameter is outside its domain.
    """
    if not epsilon >= 0:
        raise AttackError(f"ε must be a number that is not negative, got ε = {epsilon:g}.")
    _check(0.0, confidence)
    low, high = rate_bounds(true_positives, positives, false_positives, negatives, confidence)
    factor = math.exp(min(epsilon, _HIGHEST))
    return np.maximum(np.maximum(low - factor * high, 1 - high - factor * (1 - low)), 0.0)


def rate_bounds(
    true_positives: ArrayLike,
    positives: int,
    false_positives: ArrayLike,
    negatives: int,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Lower bound of a true and upper bound of a false positive rate (Clopper & Pearson 1934).

    Together they hold with the confidence; parameters are those of
    :func:`epsilon_lower_bound`.
    """
    hits, misses = np.asarray(true_positives), np.asarray(false_positives)
    if not (
        positives >= 1
        and negatives >= 1
        and ((hits >= 0) & (hits <= positives)).all()
        and ((misses >= 0) & (misses <= negatives)).all()
    ):
        raise AttackError(
            "An audit needs guesses of both kinds, and no more right or wrong ones than there are."
        )
    error = (1 - confidence) / 2
    # At the ends the beta distribution has no density; the bounds there are 0 and 1.
    low = np.where(
        hits == 0, 0.0, betaincinv(np.maximum(hits, 1), positives - np.maximum(hits, 1) + 1, error)
    )
    inner = np.minimum(misses, negatives - 1)
    high = np.where(misses == negatives, 1.0, betainccinv(inner + 1, negatives - inner, error))
    return low, high


def _audited(
    scores: FloatArray, labels: NDArray[np.int_], threshold: float, delta: float, confidence: float
) -> AuditedRates:
    guesses = scores > threshold
    positives, negatives = (int((labels == label).sum()) * len(scores) for label in (1, 0))
    right, wrong = (int(guesses[:, labels == label].sum()) for label in (1, 0))
    low, high = rate_bounds(right, positives, wrong, negatives, confidence)
    bound = epsilon_lower_bound(right, positives, wrong, negatives, delta, confidence)
    return AuditedRates(
        threshold, right, positives, wrong, negatives, float(low), float(high), float(bound)
    )


def _best_threshold(
    scores: FloatArray, labels: NDArray[np.int_], delta: float, confidence: float
) -> float:
    """The threshold that would prove most; between two scores, so that rounding moves none."""
    positive, negative = (np.sort(scores[:, labels == label].ravel()) for label in (1, 0))
    values = np.unique(scores)
    thresholds = np.concatenate([(values[1:] + values[:-1]) / 2, [0.0]])
    right = len(positive) - np.searchsorted(positive, thresholds, side="right")
    wrong = len(negative) - np.searchsorted(negative, thresholds, side="right")
    bounds = epsilon_lower_bound(right, len(positive), wrong, len(negative), delta, confidence)
    best = np.flatnonzero(bounds == bounds.max())
    return float(thresholds[best[-1]] if bounds.max() > 0 else 0.0)


def _check(delta: float, confidence: float) -> None:
    if not (0 <= delta < 1 and math.isfinite(delta)):
        raise AttackError(f"δ must be in [0, 1), got δ = {delta:g}.")
    if not 0 < confidence < 1:
        raise AttackError(f"The confidence must be between 0 and 1, got {confidence:g}.")
