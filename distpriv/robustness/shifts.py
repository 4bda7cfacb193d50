"""Whether the statistics at one share are those at the other, shifted: as simulated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import ModelError
from distpriv.model.gaussian import PairModel
from distpriv.model.sampling import RandomState
from distpriv.robustness.diagnostics import check_simulated

__all__ = ["Shift", "fitted_shift", "shift_residual"]

FloatArray = NDArray[np.float64]

_LEVEL = 0.05
_RELABELLINGS = 200
_FEW_VALUES = 0.05  # distinct values a dataset, below which a statistic moves in visible steps


@dataclass(frozen=True, eq=False)
class Shift:
    """How near the simulated statistics of two shares are to shifts of each other.

    Attributes
    ----------
    residuals : ndarray, shape (m,)
        What is left after the best shift, in standard deviations; see :func:`shift_residual`.
    chance : float
        What the largest of them stays below with probability 95 % if only shifts were left.
    in_steps : ndarray of bool, shape (m,)
        Whether the statistic visibly moves in steps, as counts do.
    """

    residuals: FloatArray
    chance: float
    in_steps: NDArray[np.bool_]


def shift_residual(x: FloatArray, y: FloatArray) -> FloatArray:
    """How far values must still move, on average, after the best shift of each statistic.

    The Wasserstein distance W_1 in one dimension, least over shifts: with as many values on both
    sides the mean of |x_(r) − y_(r) − c| over the ranks r, c the median of the differences.

    Parameters
    ----------
    x, y : ndarray, shape (..., R, m)

    Returns
    -------
    ndarray, shape (..., m)
        0 where one set of values is the other one shifted.
    """
    apart = np.sort(x, axis=-2) - np.sort(y, axis=-2)
    return np.asarray(np.abs(apart - np.median(apart, axis=-2, keepdims=True)).mean(axis=-2))


@checked(ModelError)
def fitted_shift(simulated: FloatArray, fit: PairModel, rng: RandomState = None) -> Shift:
    """Hold the statistics of simulated datasets against shifts of each other.

    What chance makes is the largest residual over 200 random relabellings of the datasets, once
    each share's are centred.

    Parameters
    ----------
    simulated : ndarray, shape (2, R, m)
        R datasets under p_i and p_j, see :func:`distpriv.model.simulate`.
    fit : PairModel
    rng : Generator, int or None

    Errors are those of :func:`distpriv.robustness.fit_diagnostics`.
    """
    simulated = check_simulated(simulated, fit)
    generator = np.random.default_rng(rng)
    centred = (simulated - fit.means[:, None]) / np.sqrt(np.diag(fit.pooled))
    both = np.concatenate(list(centred))
    half = len(both) // 2
    largest = []
    for _ in range(_RELABELLINGS):
        drawn = generator.permutation(both)
        largest.append(shift_residual(drawn[:half], drawn[half:]).max())
    distinct = [len(np.unique(values)) for values in np.moveaxis(simulated, 2, 0)]
    return Shift(
        shift_residual(centred[0], centred[1]),
        float(np.quantile(largest, 1 - _LEVEL)),
        np.array(distinct) < _FEW_VALUES * len(both),
    )
