"""The floor: normal noise on all that has a grid, and what a promise is charged for the grid.

Densities of a release on a grid are within a factor 1 ± θ of those of its normal model, so a
log-likelihood ratio is off by at most r = ln((1 + θ)/(1 − θ)), and

    δ_grid(ε) <= (1 + θ) δ(ε − r),    δ(ε − r) <= δ(0) + 1 − e^{ε − r} where ε < r.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from distpriv.arrays import FloatArray, IntArray
from distpriv.model import PairModel
from distpriv.model.grid import log_ratio

__all__ = ["NARROWEST", "TOO_COARSE", "allowance", "charged", "floor_widths", "grid_ratio"]

_SHARE = 1e-3  # of ε, or of δ where that is more
_WIDTHS = 0.5 * 1.02 ** np.arange(60)  # steps
NARROWEST = float(_WIDTHS[0])
"""Width from which on sums over a few points of the dual grid suffice for θ."""
TOO_COARSE = (
    "Some statistics take so few values that normal curves do not describe them; release other "
    "statistics, take more records, or publish balanced figures."
)


def allowance(epsilon: FloatArray, delta: FloatArray) -> FloatArray:
    """Return by how much the grid may move log-likelihood ratios, for promises (B,)."""
    return np.asarray(np.maximum(np.minimum(epsilon, 1.0), delta) * _SHARE)


def charged(
    epsilon: FloatArray, delta: FloatArray, ratio: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ε and δ that normal densities must keep so that their grid keeps the promises (B,)."""
    rest = epsilon - ratio
    theta = np.tanh(ratio / 2)
    return np.maximum(rest, 0.0), delta / (1 + theta) + np.expm1(np.minimum(rest, 0.0))


def grid_ratio(pairs: Sequence[PairModel], noise: FloatArray) -> FloatArray:
    """Return what the grid moves log-likelihood ratios by under noises (B, m, m), shape (B,)."""
    return np.asarray(np.max([log_ratio(pair.smoothness(noise)) for pair in pairs], axis=0))


def floor_widths(
    pairs: Sequence[PairModel], above: FloatArray, steps: FloatArray, allowed: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least widths of a floor below noises that keep the grid's ratio within limits.

    Of noises above the floor, (B, m, m), steps of each statistic by itself, (m,), and limits, (B,):
    widths in these steps, (B,), NaN where no floor is enough, and the ratios, (B,).
    """
    squares = np.diag(steps**2)

    def ratios_of(cases: IntArray, places: IntArray) -> FloatArray:
        return grid_ratio(pairs, above[cases] + _WIDTHS[places, None, None] ** 2 * squares)

    places = np.zeros(len(above), dtype=np.int64)
    ratios = ratios_of(np.arange(len(above)), places)
    (wanting,) = np.nonzero(ratios > allowed)
    low, high = places[wanting], np.full(len(wanting), len(_WIDTHS) - 1)
    while (high - low > 1).any():  # the ratio falls with the width
        middle = (low + high) // 2
        enough = ratios_of(wanting, middle) <= allowed[wanting]
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    if len(wanting):
        places[wanting], ratios[wanting] = high, ratios_of(wanting, high)
    return np.where(ratios <= allowed, _WIDTHS[places], np.nan), ratios
