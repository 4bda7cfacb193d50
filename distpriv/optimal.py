"""The best possible attacker, and any fixed linear one, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from distpriv.arguments import MODERATE, Axes, Within, checked
from distpriv.covered import holding, normal_part, shown
from distpriv.errors import AttackError
from distpriv.models import GaussianModel, PairModel
from distpriv.noise import Noise

__all__ = [
    "Interval",
    "PrecisionRecallCurve",
    "RocCurve",
    "binding_pair",
    "closed_form_accuracy",
    "equivalent_separation",
    "linear_attack_accuracy",
    "optimal_precision_recall",
    "optimal_roc",
]

FloatArray = NDArray[np.float64]

# Thresholds, closest together between the two means.
_FINE = np.sinh(np.linspace(-4, 4, 1201)) / np.sinh(4)
_TAIL = 9.0
_SHOWS = 1e-3  # θ of grid-safe noise is below, and moves an accuracy by less than 3e-4


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
    confidence : float in (0, 1)
    """

    estimate: float
    low: float
    high: float
    confidence: float = 0.95


@dataclass(frozen=True, eq=False)
class RocCurve:
    """How often an attacker is right and wrong when they say p_j, threshold by threshold.

    Attributes
    ----------
    false_positive_rate : ndarray, shape (points,)
        Share of the datasets with p_i that are taken for p_j, rising from 0 to 1.
    true_positive_rate : ndarray, shape (points,)
        Share of the datasets with p_j that are recognised.
    area : Interval
        Area under the curve: how often the attacker orders a dataset of each kind rightly.
        Of no width in closed form.
    thresholds : ndarray, shape (points,), or None
    """

    false_positive_rate: FloatArray
    true_positive_rate: FloatArray
    area: Interval
    thresholds: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """How often an attacker who says p_j is right, against how often they dare to.

    Attributes
    ----------
    recall : ndarray, shape (points,)
        Share of the datasets with p_j that are recognised, falling from 1 to 0.
    precision : ndarray, shape (points,)
        Share of those taken for p_j that have it, as many datasets having p_i as p_j.
    area : Interval
        Average precision. Of no width in closed form.
    thresholds : ndarray, shape (points,) or (points − 1,), or None
    """

    recall: FloatArray
    precision: FloatArray
    area: Interval
    thresholds: FloatArray | None = None


def closed_form_accuracy(model: GaussianModel, noise: Noise | None = None) -> float:
    """Accuracy of the best possible attacker at equal priors, for the worst pair.

    With Gaussian noise S that covers the grid, and the pooled covariance Σ of a pair, the
    Neyman–Pearson test is linear and right with probability Φ(d_M/2), d_M the Mahalanobis
    distance of the two means under Σ + S. With Laplace noise along the difference of the means the
    test is a threshold on one coordinate, a normal plus a Laplace variable. Where arithmetic
    undoes the noise (:mod:`distpriv.smoothness`) it is that of a release without noise.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.

    Returns
    -------
    float in [0.5, 1]

    Raises
    ------
    AttackError
        For Laplace noise in several directions, which has no closed form;
        :func:`distpriv.optimal_attack_accuracy` has a number for it.
    """
    return max(_optimal_accuracy(fit, noise) for fit in model.pairs)


@checked(AttackError)
def binding_pair(model: GaussianModel, noise: Noise | None = None) -> int:
    """Index of the pair that the best possible attacker tells apart most often.

    Where the noise is Laplace in several directions, which has no closed form, the pair that is
    furthest apart without noise.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    """
    try:
        accuracies = [_optimal_accuracy(fit, noise) for fit in model.pairs]
    except AttackError:
        accuracies = [_optimal_accuracy(fit, None) for fit in model.pairs]
    return int(np.argmax(accuracies))


def equivalent_separation(accuracy: float) -> float:
    """Distance of two unit normals that the best attacker tells apart this accurately.

    2Φ⁻¹(accuracy), the inverse of Φ(d/2).

    Parameters
    ----------
    accuracy : float in [0.5, 1)
    """
    return 2 * float(ndtri(accuracy))


@checked(AttackError)
def optimal_roc(
    model: GaussianModel, noise: Noise | None = None, points: Annotated[int, Within(2, 10**6)] = 101
) -> RocCurve:
    """ROC curve of the best possible attacker, for the worst pair.

    With Gaussian noise the curve is binormal, TPR = Φ(d_M + Φ⁻¹(FPR)) with the area Φ(d_M/√2),
    d_M the Mahalanobis distance of :func:`closed_form_accuracy`: the log-likelihood ratio is
    N(±d_M²/2, d_M²) (Green & Swets 1966, Chapter 3). With Laplace noise along the difference of
    the means the tests are thresholds on one coordinate, whose density is log-concave.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    points : int, at least 2

    Raises
    ------
    AttackError
        For Laplace noise in several directions, which has no closed form.
    """
    coordinate = _worst(model, noise)
    false_rate, true_rate = coordinate.rates()
    if coordinate.scale == 0:
        area = float(ndtr(coordinate.shift / coordinate.spread / math.sqrt(2)))
    else:
        area = float(np.trapezoid(true_rate, false_rate))
    chosen = _evenly(false_rate + true_rate, points)
    return RocCurve(false_rate[chosen], true_rate[chosen], Interval(area, area, area))


@checked(AttackError)
def optimal_precision_recall(
    model: GaussianModel,
    noise: Noise | None = None,
    points: Annotated[int, Within(2, 10**6)] = 101,
    *,
    base_rate: Annotated[float, Within(0, 1)] = 0.5,
) -> PrecisionRecallCurve:
    """Precision–recall curve of the best possible attacker, for the worst pair.

    Precision πTPR/(πTPR + (1 − π)FPR) against recall TPR along :func:`optimal_roc`, whose other
    parameters and errors these are.

    Parameters
    ----------
    base_rate : float in (0, 1)
        π, how often the share is p_j.
    """
    false_rate, true_rate = _worst(model, noise).rates()
    precision = _precision(false_rate * (1 - base_rate), true_rate * base_rate)
    area = float(np.trapezoid(precision, true_rate))
    chosen = _evenly(false_rate + true_rate, points)[::-1]
    return PrecisionRecallCurve(true_rate[chosen], precision[chosen], Interval(area, area, area))


def _evenly(way: FloatArray, points: int) -> NDArray[np.int_]:
    """Positions that are about evenly spread along a way that rises, both ends among them."""
    inner = np.searchsorted(way, np.linspace(way[0], way[-1], points)[1:-1])
    return np.unique(np.concatenate([[0], inner, [len(way) - 1]]))


def _precision(false: FloatArray, true: FloatArray) -> FloatArray:
    """Where nothing is guessed, the limit: the precision beside it."""
    precision = true[1:] / (true[1:] + false[1:])
    return np.concatenate([precision[:1], precision])


@dataclass(frozen=True)
class _Coordinate:
    """The number that the best attacker thresholds, normal plus Laplace, under both proportions.

    Attributes
    ----------
    shift : float >= 0
        Distance of its two means.
    spread : float > 0
        Standard deviation of the normal part.
    scale : float >= 0
        Scale of the Laplace part; 0 if there is none.
    """

    shift: float
    spread: float
    scale: float = 0.0

    @property
    def accuracy(self) -> float:
        return float(self.cdf(self.shift / 2))

    def cdf(self, x: float | FloatArray) -> float | FloatArray:
        """Distribution function about its mean, of any shape."""
        if self.scale == 0:
            return np.asarray(ndtr(np.asarray(x) / self.spread))[()]
        return _normal_laplace_cdf(x, self.spread, self.scale)

    def rates(self) -> tuple[FloatArray, FloatArray]:
        """False and true positive rates at thresholds from above all scores to below all."""
        reach = _TAIL * (self.spread + 4 * self.scale)
        below = self.shift / 2 + (reach + self.shift / 2) * _FINE
        rates = np.array([self.cdf(below - self.shift), self.cdf(below)]).clip(0, 1)
        rates[:, 0], rates[:, -1] = 0.0, 1.0
        return rates[0], rates[1]


def _optimal_accuracy(fit: PairModel, noise: Noise | None) -> float:
    """What the grid shows through noise that covers it, at most θ/2, is added where it shows."""
    theta = shown(fit, noise)
    accuracy = _coordinate(fit, None if math.isinf(theta) else noise).accuracy
    if not _SHOWS < theta < math.inf:
        return accuracy
    return max(accuracy, min(accuracy + theta / 2, _coordinate(fit, None).accuracy))


def _worst(model: GaussianModel, noise: Noise | None) -> _Coordinate:
    coordinates = [_coordinate(fit, noise) for fit in model.pairs]
    return max(coordinates, key=lambda found: (found.accuracy, found.shift / found.spread))


def _coordinate(fit: PairModel, noise: Noise | None) -> _Coordinate:
    noise = holding(fit, noise)
    if noise is not None:
        fit, noise = normal_part(fit, noise)
    difference = fit.difference
    if noise is None or noise.is_zero or noise.distribution == "gaussian":
        covariance = fit.pooled if noise is None else fit.pooled + noise.covariance
        squared = float(difference @ np.linalg.solve(covariance, difference))
        return _Coordinate(math.sqrt(max(squared, 0.0)), 1.0)
    shift = float(np.linalg.norm(difference))
    direction = noise.directions[:, 0]
    if noise.directions.shape[1] > 1 or abs(direction @ difference) < (1 - 1e-9) * shift:
        raise AttackError(
            f"The best attack on {noise.mechanism} has no closed form: its Laplace noise is not "
            "along the difference of the means."
        )
    spread = 1 / math.sqrt(float(direction @ np.linalg.solve(fit.pooled, direction)))
    return _Coordinate(shift, spread, float(noise.scales[0]))


def _normal_laplace_cdf(x: float | FloatArray, sigma: float, b: float) -> float | FloatArray:
    """Distribution function of N(0, σ²) + Lap(b) (Reed 2006, Equation 3)."""
    ratio, z = sigma / b, np.asarray(x) / sigma
    return np.asarray(ndtr(z) - (_tilted(z, ratio) - _tilted(-z, ratio)) / 2)[()]


def _tilted(z: FloatArray, ratio: float) -> FloatArray:
    """exp(ratio²/2 − ratio·z) Φ(z − ratio), without a difference of large exponents."""
    gap = ratio - z
    before = erfcx(np.maximum(gap, 0) / math.sqrt(2)) / 2 * np.exp(-(z**2) / 2)
    exponent = np.where(gap > 0, 0.0, ratio * (gap - z) / 2 + log_ndtr(-gap))
    return np.where(gap > 0, before, np.exp(exponent))


@checked(AttackError)
def linear_attack_accuracy(
    model: GaussianModel,
    noise: Noise | None = None,
    weights: Annotated[FloatArray, Axes(1), MODERATE] | None = None,
) -> float:
    """Accuracy of the attacker who thresholds a fixed linear score, at equal priors.

    Φ(wᵀd / (2√(wᵀ(Σ+S)w))), for the worst pair. The default w = Σ⁻¹d is what logistic
    regression on clean statistics tends to: the paper's attacker.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise or None
    weights : ndarray, shape (m,), optional

    Raises
    ------
    AttackError
        For Laplace noise, or if there is not one weight a statistic.
    """
    if weights is not None and len(weights) != len(model.query):
        raise AttackError(
            f"There must be one weight a statistic, {len(model.query)}, got {len(weights)}."
        )
    if noise is not None and noise.distribution != "gaussian" and not noise.is_zero:
        raise AttackError(
            f"The linear attack on {noise.mechanism} has no closed form: its noise is Laplace."
        )
    added = np.zeros((len(model.query),) * 2) if noise is None else noise.covariance
    worst = 0.5
    for fit in model.pairs:
        score = np.linalg.solve(fit.pooled, fit.difference) if weights is None else weights
        spread = math.sqrt(float(score @ (fit.pooled + added) @ score))
        if spread > 0:
            worst = max(worst, float(ndtr(float(score @ fit.difference) / (2 * spread))))
    return worst
