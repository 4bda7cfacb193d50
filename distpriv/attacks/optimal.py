"""The best possible attacker, and any fixed linear one, without simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from distpriv.arguments import MODERATE, Axes, Within, checked
from distpriv.attacks.error_curves import (
    PrecisionRecallCurve,
    RocCurve,
    precision_recall_of,
    thinned,
)
from distpriv.errors import AttackError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.sampling import Interval
from distpriv.privacy.covered import coset_loss, holding, normal_part, shown_each
from distpriv.privacy.likelihood_ratio import LikelihoodRatio
from distpriv.privacy.noise import Noise
from distpriv.privacy.normal_laplace import upper_tail

__all__ = [
    "PrecisionRecallCurve",
    "RocCurve",
    "binding_pair",
    "equivalent_separation",
    "exact_accuracies",
    "exact_accuracy",
    "likelihood_ratio",
    "linear_attack_accuracy",
    "optimal_precision_recall",
    "optimal_roc",
]

FloatArray = NDArray[np.float64]

# Thresholds on a normal plus Laplace coordinate, closest together between the two means.
_FINE = np.sinh(np.linspace(-4, 4, 1201)) / np.sinh(4)
_TAIL = 9.0
# Thresholds on a likelihood ratio: about its means, in deviations, then where rates are far apart.
_ROUNDS, _GAP = 6, 0.02  # of both rates together, between two thresholds
_FIRST = np.sinh(np.linspace(-3, 3, 41)) / np.sinh(3) * _TAIL
_SHOWS = 1e-3  # θ of grid-safe noise is below, and moves an accuracy by less than 3e-4


def exact_accuracy(model: GaussianModel, noise: Noise | None = None) -> float:
    """Accuracy of the best possible attacker at equal priors, for the worst pair.

    (1 + TV)/2, TV the total variation of the two normals N(μ_i, Σ_i + S) and N(μ_j, Σ_j + S) of a
    pair, each with its own covariance: the test of Neyman and Pearson is quadratic, and the law of
    its statistic is integrated to rounding (:mod:`distpriv.privacy.likelihood_ratio`). Where the
    two covariances agree it is linear, and right with probability Φ(d_M/2), d_M the Mahalanobis
    distance of the two means; then it has a closed form for Laplace noise along the difference of
    the means too, a threshold on one coordinate, normal plus Laplace. Where arithmetic undoes the
    noise (:mod:`distpriv.privacy.smoothness`) it is that of a release without noise; and where that
    tells how many records have the property by its last digits (:mod:`distpriv.model.cosets`), of
    whoever is told this number.

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
        For any other Laplace noise, whose best attack has to be simulated;
        :func:`distpriv.optimal_attack_accuracy` has a number for it.
    """
    (accuracy,) = exact_accuracies([(model, noise)])
    if math.isnan(accuracy):
        assert noise is not None
        raise _simulated_only(noise)
    return float(accuracy)


def exact_accuracies(cases: Sequence[tuple[GaussianModel, Noise | None]]) -> FloatArray:
    """:func:`exact_accuracy` of many releases, faster than one by one.

    Parameters
    ----------
    cases : sequence of (GaussianModel, Noise or None)

    Returns
    -------
    ndarray, shape (cases,)
        NaN where the best attack has to be simulated.
    """
    pairs = [(place, fit) for place, (model, _) in enumerate(cases) for fit in model.pairs]
    results = np.full(len(cases), 0.5)
    accuracies = _pair_accuracies([(fit, cases[place][1]) for place, fit in pairs])
    with np.errstate(invalid="ignore"):
        np.maximum.at(results, [place for place, _ in pairs], accuracies)
    return results


@checked(AttackError)
def binding_pair(model: GaussianModel, noise: Noise | None = None) -> int:
    """Index of the pair that the best possible attacker tells apart most often.

    Where the best attack on the noise has to be simulated, the pair that is furthest apart without
    noise.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    """
    if len(model.pairs) == 1:
        return 0
    accuracies = _pair_accuracies([(fit, noise) for fit in model.pairs])
    if np.isnan(accuracies).any():
        accuracies = _pair_accuracies([(fit, None) for fit in model.pairs])
    return int(np.argmax(accuracies))


def likelihood_ratio(cases: Sequence[tuple[PairModel, Noise | None]]) -> LikelihoodRatio:
    """Log-likelihood ratio of p_j against p_i of releases, with the separate covariances.

    Parameters
    ----------
    cases : sequence of (PairModel, Gaussian Noise or None)
        All of as many statistics; the noise holds, see :func:`distpriv.privacy.covered.holding`.

    Returns
    -------
    LikelihoodRatio of shape (cases,)
    """
    covariances = [
        fit.covariances if noise is None or noise.is_zero else fit.covariances + noise.covariance
        for fit, noise in cases
    ]
    return LikelihoodRatio.between(np.array([fit.means for fit, _ in cases]), np.array(covariances))


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
    """ROC curve of the best possible attacker, for the pair told apart most often.

    The rates of the likelihood-ratio test of the two normals as they are, threshold by threshold
    (:mod:`distpriv.privacy.likelihood_ratio`). The area is the accuracy with which the attacker
    orders one dataset of each kind, whose log-likelihood ratios add up (Green & Swets 1966, Chapter
    2). Where the covariances agree the curve is binormal, TPR = Φ(d_M + Φ⁻¹(FPR)) with the area
    Φ(d_M/√2), d_M the Mahalanobis distance of the means, and thresholds on one coordinate are the
    tests of Laplace noise along their difference.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    points : int, at least 2

    Raises
    ------
    AttackError
        For Laplace noise whose best attack has to be simulated;
        :func:`distpriv.attacks.best_attack.best_roc` has a curve for it.
    """
    return thinned(_curve(model, noise), points)


@checked(AttackError)
def optimal_precision_recall(
    model: GaussianModel,
    noise: Noise | None = None,
    points: Annotated[int, Within(2, 10**6)] = 101,
    *,
    base_rate: Annotated[float, Within(0, 1)] = 0.5,
) -> PrecisionRecallCurve:
    """Precision–recall curve of the best possible attacker, for the pair told apart most often.

    Precision πTPR/(πTPR + (1 − π)FPR) against recall TPR along :func:`optimal_roc`, whose other
    parameters and errors these are.

    Parameters
    ----------
    base_rate : float in (0, 1)
        π, how often the share is p_j.
    """
    curve = _curve(model, noise)
    rates = curve.false_positive_rate, curve.true_positive_rate
    return precision_recall_of(*rates, points, base_rate)


def _curve(model: GaussianModel, noise: Noise | None) -> RocCurve:
    """At thresholds from above all scores to below all."""
    fit = model.pairs[binding_pair(model, noise)]
    noise = holding(fit, noise)
    if noise is not None:
        fit, noise = normal_part(fit, noise)
    if (told := coset_loss(fit, noise)) is not None:
        wrong, right = told.reversed.rates()
        area = float(np.trapezoid(right, wrong))
        return RocCurve(wrong, right, Interval(area, area, area))
    if noise is not None and noise.distribution == "laplace" and not noise.is_zero:
        coordinate = _coordinate(fit, noise)
        if coordinate is None:
            raise _simulated_only(noise)
        false, true = coordinate.rates()
        area = float(np.trapezoid(true, false))
        return RocCurve(false, true, Interval(area, area, area))
    ratio = likelihood_ratio([(fit, noise)])
    area = float(ratio.ordering()[0])
    blind = ratio.total_variation()[0] == 0
    rates = (np.linspace(0, 1, len(_FINE)),) * 2 if blind else _rates(ratio)
    return RocCurve(*rates, Interval(area, area, area))


def _rates(ratio: LikelihoodRatio) -> tuple[FloatArray, FloatArray]:
    """False and true positive rates of one case, rising, at thresholds evenly spread over both."""
    centers, deviations = ratio.moments()
    level = (centers + deviations * _FIRST[:, None]).ravel()
    level = np.sort(np.append(level[np.isfinite(level)], [-math.inf, math.inf]))[::-1]
    tails = ratio.tails(level)
    false, true = tails.second, tails.first
    for _ in range(_ROUNDS):
        new = _where_wide(level, false + true)
        if not len(new):
            break
        tails = ratio.tails(new)
        order = np.argsort(-np.append(level, new), kind="stable")
        level = np.append(level, new)[order]
        false = np.append(false, tails.second)[order]
        true = np.append(true, tails.first)[order]
    return np.maximum.accumulate(false), np.maximum.accumulate(true)


def _where_wide(level: FloatArray, way: FloatArray) -> FloatArray:
    """Thresholds between falling ones that are too far apart along a way."""
    parts = np.ceil(np.diff(way) / _GAP).astype(int)
    new = [np.zeros(0)]
    for place in np.flatnonzero(parts > 1):
        high, low = level[place], level[place + 1]
        if math.isinf(high) or math.isinf(low):
            end = low if math.isinf(high) else high
            new.append(np.array([end + math.copysign(abs(end) + 1, high + low)]))
        else:
            new.append(np.linspace(high, low, parts[place] + 1)[1:-1])
    return np.concatenate(new)


@dataclass(frozen=True)
class _Coordinate:
    """A number with the same law about two means, normal plus Laplace, that is thresholded.

    Attributes
    ----------
    shift : float >= 0
        Distance of its two means.
    spread : float > 0
        Standard deviation of the normal part.
    scale : float > 0
        Scale of the Laplace part.
    """

    shift: float
    spread: float
    scale: float

    @property
    def accuracy(self) -> float:
        return float(self.cdf(self.shift / 2))

    def cdf(self, x: float | FloatArray) -> float | FloatArray:
        """Distribution function about its mean, of any shape."""
        return upper_tail(-np.asarray(x), self.spread, self.scale)

    def rates(self) -> tuple[FloatArray, FloatArray]:
        """False and true positive rates at thresholds from above all scores to below all."""
        reach = _TAIL * (self.spread + 4 * self.scale)
        below = self.shift / 2 + (reach + self.shift / 2) * _FINE
        rates = np.array([self.cdf(below - self.shift), self.cdf(below)]).clip(0, 1)
        rates[:, 0], rates[:, -1] = 0.0, 1.0
        return rates[0], rates[1]


def _pair_accuracies(cases: Sequence[tuple[PairModel, Noise | None]]) -> FloatArray:
    """Of each pair alone; NaN where the best attack has to be simulated.

    What the grid shows through noise that covers it, at most θ/2, is added where it shows.
    """
    thetas = shown_each(cases)
    held: list[tuple[PairModel, Noise | None]] = [
        (fit, None) if noise is None or math.isinf(theta) else normal_part(fit, noise)
        for (fit, noise), theta in zip(cases, thetas, strict=True)
    ]
    thresholds = np.full(len(cases), math.nan)
    sizes: dict[int, list[int]] = {}
    for place, (fit, noise) in enumerate(held):
        if (told := coset_loss(fit, noise)) is not None:
            thresholds[place] = told.accuracy
        elif noise is None or noise.is_zero or noise.distribution == "gaussian":
            sizes.setdefault(len(fit.difference), []).append(place)
        elif (coordinate := _coordinate(fit, noise)) is not None:
            thresholds[place] = coordinate.accuracy
    for places in sizes.values():
        ratio = likelihood_ratio([held[place] for place in places])
        thresholds[places] = (1 + ratio.total_variation()) / 2
    for place, theta in enumerate(thetas):
        if _SHOWS < theta < math.inf:
            (undefended,) = _pair_accuracies([(cases[place][0], None)])
            thresholds[place] = max(
                thresholds[place], min(thresholds[place] + theta / 2, undefended)
            )
    return thresholds


def _coordinate(fit: PairModel, noise: Noise) -> _Coordinate | None:
    """What the best attacker on Laplace noise thresholds; None if it is not one coordinate."""
    difference = fit.difference
    shift = float(np.linalg.norm(difference))
    direction = noise.directions[:, 0]
    if noise.directions.shape[1] > 1 or abs(direction @ difference) < (1 - 1e-9) * shift:
        return None
    if not likelihood_ratio([(fit, None)]).equal_covariances[0]:
        return None
    spread = 1 / math.sqrt(float(direction @ np.linalg.solve(fit.pooled, direction)))
    return _Coordinate(shift, spread, float(noise.scales[0]))


def _simulated_only(noise: Noise) -> AttackError:
    return AttackError(
        f"The best attack on {noise.mechanism} has no closed form: its Laplace noise leaves more "
        "than one coordinate to weigh; simulate it with optimal_attack_estimate."
    )


@checked(AttackError)
def linear_attack_accuracy(
    model: GaussianModel,
    noise: Noise | None = None,
    weights: Annotated[FloatArray, Axes(1), MODERATE] | None = None,
) -> float:
    """Accuracy of the attacker who thresholds a fixed linear score, at equal priors.

    Halfway between its two means: ½Φ(x/σ_i) + ½Φ(x/σ_j) for x = wᵀd/2 and the standard deviations
    σ of the score wᵀy under the two proportions, with the noise; for the worst pair. The default
    w = Σ⁻¹d, Σ the pooled covariance, is what logistic regression on clean statistics tends to
    where the covariances are close: the attacker of Chen & Ohrimenko (2023).

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
        spread = np.sqrt(np.maximum((fit.covariances + added) @ score @ score, 0.0))
        half = float(score @ fit.difference) / 2
        if half > 0:
            with np.errstate(divide="ignore"):
                worst = max(worst, float(ndtr(half / spread).mean()))
    return worst
