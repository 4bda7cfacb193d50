"""The best possible test between two hypotheses, as its trade-off of right and wrong.

By the lemma of Neyman and Pearson nobody does better than to accept h_1 where the likelihood
ratio of what was seen exceeds a threshold; each class here knows the two error rates of that
test. A test of a record has h_1: the record is in the data; a test of a share has h_1: the share
is p_j.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtr, ndtri

from distpriv.arguments import checked
from distpriv.errors import HypothesisError
from distpriv.privacy.calibration import Calibration, gaussian_distance
from distpriv.privacy.likelihood_ratio import LikelihoodRatio

__all__ = [
    "CurveTest",
    "GaussianTest",
    "LaplaceTest",
    "NormalsTest",
    "OptimalTest",
    "PromiseTest",
    "Rates",
    "WorstTest",
    "check_epsilons",
    "record_rates",
    "record_test",
]

FloatArray = NDArray[np.float64]


class Rates(NamedTuple):
    """How often a test accepts h_1, each of the shape of its inputs together.

    Attributes
    ----------
    true_positive : ndarray
        When it holds: the recall, RSR in Liu et al. (2019).
    false_positive : ndarray
        When it does not: the false alarms, GSR in Liu et al. (2019).
    """

    true_positive: FloatArray
    false_positive: FloatArray


class OptimalTest(ABC):
    """The likelihood-ratio test of two hypotheses at any threshold."""

    @abstractmethod
    def rates(self, log_ratio: ArrayLike) -> Rates:
        """Rates when h_1 is accepted above a logarithm of the likelihood ratio."""

    @abstractmethod
    def false_positive_rate(self, recall: ArrayLike) -> FloatArray:
        """Fewest false alarms at a recall in [0, 1]."""

    @abstractmethod
    def log_ratio(self, recall: ArrayLike) -> FloatArray:
        """Logarithm of the likelihood ratio exceeded with that probability under h_1."""


@checked(HypothesisError)
@dataclass(frozen=True, eq=False)
class LaplaceTest(OptimalTest):
    """Two Laplace distributions, one scale over ε apart: the ε-private Laplace mechanism.

    The likelihood ratio stays within e^−ε and e^ε (Liu et al. 2019, Equations 7 to 10). A query
    of several statistics whose noise is calibrated to the L1 sensitivity of the whole vector
    gives no attacker more than this; the qε of Theorem 4 there is a pessimistic bound.

    Attributes
    ----------
    epsilon : float or ndarray, each >= 0
        Broadcasts against every argument of the methods.
    """

    epsilon: float | FloatArray

    def rates(self, log_ratio: ArrayLike) -> Rates:
        """In closed form: the two middles of the densities are the only place it is not flat."""
        level, epsilon = np.broadcast_arrays(np.asarray(log_ratio, np.float64), self.epsilon)
        inside = np.clip(level, -epsilon, epsilon)
        true = 1 - np.exp((inside - epsilon) / 2) / 2
        false = np.exp(-(inside + epsilon) / 2) / 2
        everything, nothing = level < -epsilon, level >= epsilon
        return Rates(
            np.where(everything, 1.0, np.where(nothing, 0.0, true)),
            np.where(everything, 1.0, np.where(nothing, 0.0, false)),
        )

    def false_positive_rate(self, recall: ArrayLike) -> FloatArray:
        """Inverse of the trade-off: e^−ε recall up to ½, then e^−ε/(4(1 − recall)), then flat."""
        right = np.asarray(recall, np.float64)
        shrunk = np.exp(-np.asarray(self.epsilon))
        missed = 1 - right
        middle = shrunk / (4 * np.maximum(missed, np.maximum(shrunk / 2, 1e-300)))
        # e^ε times what is missed at most ½, without the overflow of e^ε.
        last = 1 - np.minimum(missed / np.maximum(shrunk, 1e-300), 0.5)
        return np.where(right <= 0.5, shrunk * right, np.where(missed < shrunk / 2, last, middle))

    def log_ratio(self, recall: ArrayLike) -> FloatArray:
        """ln 4 + 2 ln(1 − recall) + ε, within −ε and ε."""
        with np.errstate(divide="ignore"):
            middle = 2 * np.log(2 * (1 - np.asarray(recall, np.float64))) + self.epsilon
        return np.clip(middle, -np.asarray(self.epsilon), self.epsilon)


@checked(HypothesisError)
@dataclass(frozen=True, eq=False)
class GaussianTest(OptimalTest):
    """Two normal distributions of one covariance: Gaussian noise on a record.

    Φ(z) and Φ(z − distance) (Liu et al. 2019, Equation 14). Erratum: their Equation 29 writes
    the variance of the noise where its standard deviation stands everywhere else.

    Attributes
    ----------
    distance : float or ndarray, each >= 0
        Mahalanobis distance of the two means: ΔQ/σ, or what is left of a share's shift.
    """

    distance: float | FloatArray

    def rates(self, log_ratio: ArrayLike) -> Rates:
        """The log-likelihood ratio is N(±distance²/2, distance²)."""
        level, distance = np.broadcast_arrays(np.asarray(log_ratio, np.float64), self.distance)
        apart = distance > 0
        moved = level / np.where(apart, distance, 1.0)
        blind = (level < 0).astype(np.float64)
        true = np.where(apart, ndtr(distance / 2 - moved), blind)
        return Rates(true, np.where(apart, ndtr(-distance / 2 - moved), blind))

    def false_positive_rate(self, recall: ArrayLike) -> FloatArray:
        """Φ(Φ⁻¹(recall) − distance)."""
        return np.asarray(ndtr(ndtri(np.asarray(recall, np.float64)) - self.distance))

    def log_ratio(self, recall: ArrayLike) -> FloatArray:
        """distance²/2 − distance Φ⁻¹(recall)."""
        distance = np.asarray(self.distance)
        return distance**2 / 2 - distance * ndtri(np.asarray(recall, np.float64))


@checked(HypothesisError)
@dataclass(frozen=True, eq=False)
class NormalsTest(OptimalTest):
    """Two normal distributions, each with its own covariance: Gaussian noise on a share.

    The log-likelihood ratio is a quadratic form, whose law is integrated
    (:mod:`distpriv.privacy.likelihood_ratio`). Of several pairs the one counts that is worst in the
    figure asked for, see :class:`WorstTest`.

    Attributes
    ----------
    ratio : LikelihoodRatio of shape (..., pairs)
        Of h_1 against h_0; all but the last axis broadcast against the arguments of the methods.
    """

    ratio: LikelihoodRatio

    def rates(self, log_ratio: ArrayLike) -> Rates:
        """By the tails of the log-likelihood ratio under either hypothesis."""
        level = np.asarray(log_ratio, np.float64)[..., None]
        tails = self.ratio.tails(level)
        return _furthest(level, tails.first, tails.second)

    def false_positive_rate(self, recall: ArrayLike) -> FloatArray:
        """At the threshold that has this recall."""
        level = self.ratio.threshold(np.asarray(recall, np.float64)[..., None])
        return np.asarray(self.ratio.tails(level).second.min(axis=-1))

    def log_ratio(self, recall: ArrayLike) -> FloatArray:
        """By the inverse of the law of the log-likelihood ratio under h_1."""
        level = self.ratio.threshold(np.asarray(recall, np.float64)[..., None])
        return np.asarray(level.max(axis=-1))


@dataclass(frozen=True, eq=False)
class WorstTest(OptimalTest):
    """The most that an attacker gets of several pairs of hypotheses, in any figure.

    Each method takes the pair that is worst there. Accuracy, precision, F_β and belief are those
    of the worst pair then: what a threshold on the likelihood ratio maximises is largest for the
    pair whose rates are furthest out in its direction.

    Attributes
    ----------
    tests : tuple of OptimalTest
        At least one.
    """

    tests: tuple[OptimalTest, ...]

    def rates(self, log_ratio: ArrayLike) -> Rates:
        """Of the pair with the most true positives less e^log_ratio times the false ones."""
        level = np.asarray(log_ratio, np.float64)
        rates = [test.rates(level) for test in self.tests]
        true, false = (np.stack(part, axis=-1) for part in zip(*rates, strict=True))
        return _furthest(level[..., None], true, false)

    def false_positive_rate(self, recall: ArrayLike) -> FloatArray:
        """The fewest of any pair."""
        return np.asarray(np.min([test.false_positive_rate(recall) for test in self.tests], axis=0))

    def log_ratio(self, recall: ArrayLike) -> FloatArray:
        """The largest of any pair."""
        return np.asarray(np.max([test.log_ratio(recall) for test in self.tests], axis=0))


def _furthest(level: FloatArray, true: FloatArray, false: FloatArray) -> Rates:
    """Rates of the one along the last axis that is furthest out in the direction of a level."""
    gained = expit(-level) * true - expit(level) * false
    chosen = np.argmax(gained, axis=-1)[..., None]
    return Rates(*(np.take_along_axis(values, chosen, axis=-1)[..., 0] for values in (true, false)))


@dataclass(frozen=True, eq=False)
class PromiseTest(OptimalTest):
    """The most that an (ε, δ) promise leaves to anybody, whatever the data.

    True positives are at most e^ε false ones + δ, and the same of the errors the other way
    round (Kairouz et al. 2015, Theorem 2.1); a release that reaches it exists.

    Attributes
    ----------
    epsilon : float or ndarray, each >= 0
    delta : float in [0, 1)
    """

    epsilon: float | FloatArray
    delta: float = 0.0

    def rates(self, log_ratio: ArrayLike) -> Rates:
        """One corner at equal errors, one where nothing is risked, one where nothing is missed."""
        level, epsilon = np.broadcast_arrays(np.asarray(log_ratio, np.float64), self.epsilon)
        corner = (1 - self.delta) * expit(-epsilon)
        everything, nothing = level < -epsilon, level >= epsilon
        return Rates(
            np.where(everything, 1.0, np.where(nothing, self.delta, 1 - corner)),
            np.where(everything, 1 - self.delta, np.where(nothing, 0.0, corner)),
        )

    def false_positive_rate(self, recall: ArrayLike) -> FloatArray:
        """The two lines of the promise, whichever asks for more."""
        right, epsilon = np.asarray(recall, np.float64), np.asarray(self.epsilon)
        rising = (right - self.delta) * np.exp(-epsilon)
        steep = 1 - self.delta - (1 - right) * np.exp(np.minimum(epsilon, 700.0))
        return np.maximum(np.maximum(rising, steep), 0.0)

    def log_ratio(self, recall: ArrayLike) -> FloatArray:
        """ε up to the corner, −ε behind it; unbounded for what δ excepts."""
        right, epsilon = np.asarray(recall, np.float64), np.asarray(self.epsilon)
        corner = 1 - (1 - self.delta) * expit(-epsilon)
        return np.where(right < self.delta, np.inf, np.where(right <= corner, epsilon, -epsilon))


@checked(HypothesisError)
@dataclass(frozen=True, eq=False)
class CurveTest(OptimalTest):
    """A test of which only the ROC curve is known, point by point.

    Attributes
    ----------
    false_positive, true_positive : ndarray, shape (points,)
        Rising from 0 to 1, concave.
    """

    false_positive: FloatArray
    true_positive: FloatArray

    def rates(self, log_ratio: ArrayLike) -> Rates:
        """The point that the tangent of this slope touches."""
        level = np.asarray(log_ratio, np.float64)[..., None]
        touched = np.argmax(
            expit(-level) * self.true_positive - expit(level) * self.false_positive, axis=-1
        )
        return Rates(self.true_positive[touched], self.false_positive[touched])

    def false_positive_rate(self, recall: ArrayLike) -> FloatArray:
        """Read off between the points."""
        return np.asarray(np.interp(np.asarray(recall), self.true_positive, self.false_positive))

    def log_ratio(self, recall: ArrayLike) -> FloatArray:
        """Logarithm of the slope there."""
        right = np.searchsorted(self.true_positive, np.asarray(recall, np.float64), side="left")
        right = np.clip(right, 1, len(self.true_positive) - 1)
        rise = self.true_positive[right] - self.true_positive[right - 1]
        run = self.false_positive[right] - self.false_positive[right - 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(np.log(rise) - np.log(run), nan=0.0, posinf=np.inf, neginf=-np.inf)


@checked(HypothesisError)
def record_test(
    epsilon: ArrayLike,
    delta: float | None = None,
    calibration: Calibration = "exact",
    separation: float = 1.0,
) -> OptimalTest:
    """Best test of one record against differentially private noise.

    Whether a record is there (unbounded) and which of two values it has (bounded) are the same
    test when the two results lie the whole sensitivity apart; values closer together are told
    apart less often (Liu et al. 2019, Theorem 5 and Section 4.2).

    Parameters
    ----------
    epsilon : float or array-like, each >= 0
    delta : float in (0, 1), optional
        Gaussian noise of that δ; by default Laplace noise.
    calibration : "exact" or "classical"
        Of the Gaussian noise; Liu et al. use the classical one, whose proof ends at ε = 1.
    separation : float in (0, 1]
        Distance of the two results in units of the sensitivity.

    Raises
    ------
    HypothesisError
        If ε or the separation is outside its domain.
    CalibrationError
        If δ is, or ε for Gaussian noise.
    """
    budget = check_epsilons(epsilon)
    if not 0 < separation <= 1:
        raise HypothesisError(
            f"The separation must be in (0, 1], got {separation:g}; 1 is the worst case."
        )
    if delta is None:
        return LaplaceTest(budget * separation)
    flat = [gaussian_distance(float(value), delta, calibration) for value in budget.ravel()]
    return GaussianTest(np.reshape(flat, budget.shape) * separation)


@checked(HypothesisError)
def record_rates(
    epsilon: ArrayLike,
    threshold: ArrayLike,
    delta: float | None = None,
    calibration: Calibration = "exact",
) -> Rates:
    """Rates of the attacker who accepts above a threshold ψ = (θ − Q(D′))/ΔQ.

    RSR and GSR of Liu et al. (2019), Equations 9 and 10 for Laplace noise and 14 for Gaussian.

    Parameters
    ----------
    epsilon : float or array-like, each >= 0
    threshold : float or array-like
        ψ, broadcasts against ε.
    delta, calibration
        See :func:`record_test`.
    """
    position = np.asarray(threshold, np.float64)
    if delta is not None:
        test = record_test(epsilon, delta, calibration)
        assert isinstance(test, GaussianTest)
        distance = np.asarray(test.distance)
        return Rates(ndtr((1 - position) * distance), ndtr(-position * distance))
    budget = check_epsilons(epsilon)
    return Rates(_above((position - 1) * budget), _above(position * budget))


def check_epsilons(epsilon: ArrayLike) -> FloatArray:
    """Return ε as an array, or raise `HypothesisError` unless each is at least 0."""
    budget = np.asarray(epsilon, np.float64)
    if not (budget >= 0).all():
        raise HypothesisError(
            f"ε must be at least 0, got ε = {np.min(budget):g}; the nearest is 0, which tells "
            "an attacker nothing."
        )
    return budget


def _above(x: FloatArray) -> FloatArray:
    """Probability that a standard Laplace variable exceeds x."""
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x >= 0, tail, 1 - tail)
