"""The sum of a normal and a Laplace variable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr, ndtr

__all__ = ["Table", "log_density", "log_tilted", "upper_tail"]

FloatArray = NDArray[np.float64]

_STEPS = 200  # of a table, to a standard deviation


def log_density(x: FloatArray, spread: float, scale: float) -> FloatArray:
    """Of N(0, spread²) + Lap(scale) (Reed 2006, Equation 4), any shape."""
    ratio, z = spread / scale, np.abs(x) / spread
    # The second one is log_tilted(−z, ratio), which takes no branch, as z is not negative.
    beyond = np.log(erfcx((ratio + z) / math.sqrt(2)) / 2) - z**2 / 2
    return np.asarray(np.logaddexp(log_tilted(z, ratio), beyond) - math.log(2 * scale))


def upper_tail(x: FloatArray, spread: float, scale: float) -> FloatArray:
    """Pr(X > x) of N(0, spread²) + Lap(scale) (Reed 2006, Equation 3), any shape."""
    ratio, z = spread / scale, x / spread
    tilted = np.exp(log_tilted(z, ratio)) - np.exp(log_tilted(-z, ratio))
    return np.asarray(ndtr(-z) + tilted / 2)


def log_tilted(z: FloatArray, ratio: float | FloatArray) -> FloatArray:
    """ratio²/2 − ratio·z + ln Φ(z − ratio), without a difference of large numbers."""
    gap = ratio - z
    before = np.log(erfcx(np.maximum(gap, 0.0) / math.sqrt(2)) / 2) - z**2 / 2
    return np.where(gap > 0, before, ratio * (gap - z) / 2 + log_ndtr(-gap))


@dataclass(frozen=True, eq=False)
class Table:
    """Log density of N(0, s²) + Lap(b) between equidistant points, and in a line beyond.

    It is concave with slopes within ±1/b, and so is what is read off here: the noise hides a
    shift as well as it should.
    """

    values: FloatArray
    slopes: FloatArray
    per_unit: float

    @classmethod
    def of(cls, spread: float, scale: float) -> Table:
        end = spread * (spread / scale + 9)
        count = math.ceil(_STEPS * end / spread)
        values = log_density(np.linspace(0.0, end, count + 1), spread, scale)
        return cls(values[:-1], np.diff(values), count / end)

    def add_to(self, total: FloatArray, x: FloatArray) -> None:
        """Add the log density at x, which is overwritten, to a total of the same shape."""
        np.abs(x, out=x)
        x *= self.per_unit
        index = np.minimum(x, len(self.values) - 1).astype(np.intp)
        x -= index
        x *= self.slopes.take(index)
        x += self.values.take(index)
        total += x
