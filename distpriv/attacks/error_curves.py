"""How often an attacker is right and wrong, threshold by threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.model.sampling import Interval

__all__ = ["PrecisionRecallCurve", "RocCurve", "precision_recall_of", "thinned"]

FloatArray = NDArray[np.float64]


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
        Of no width where it is computed, not counted.
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
        Average precision. Of no width where it is computed, not counted.
    thresholds : ndarray, shape (points,) or (points − 1,), or None
    """

    recall: FloatArray
    precision: FloatArray
    area: Interval
    thresholds: FloatArray | None = None


def thinned(curve: RocCurve, points: int) -> RocCurve:
    """An ROC curve at some of its points, at least 2, about evenly spread along it."""
    false, true = curve.false_positive_rate, curve.true_positive_rate
    chosen = _evenly(false + true, points)
    return RocCurve(false[chosen], true[chosen], curve.area)


def precision_recall_of(
    false: FloatArray, true: FloatArray, points: int, base_rate: float = 0.5
) -> PrecisionRecallCurve:
    """Precision–recall curve along an ROC curve, its points about evenly spread.

    Parameters
    ----------
    false, true : ndarray
        Rates, rising from 0 to 1.
    points : int, at least 2
    base_rate : float in (0, 1)
    """
    precision = _precision(false * (1 - base_rate), true * base_rate)
    area = float(np.trapezoid(precision, true))
    chosen = _evenly(false + true, points)[::-1]
    return PrecisionRecallCurve(true[chosen], precision[chosen], Interval(area, area, area))


def _evenly(way: FloatArray, points: int) -> NDArray[np.int_]:
    """Positions that are about evenly spread along a way that rises, both ends among them."""
    inner = np.searchsorted(way, np.linspace(way[0], way[-1], points)[1:-1])
    return np.unique(np.concatenate([[0], inner, [len(way) - 1]]))


def _precision(false: FloatArray, true: FloatArray) -> FloatArray:
    """Where nothing is guessed, the limit: the precision beside it."""
    guessed = true + false
    first = int(np.argmax(guessed > 0))
    precision = true[first:] / guessed[first:]
    return np.concatenate([np.full(first, precision[0]), precision])
