r"""How far the noise moves one statistic: tails and quantiles of its law.

What a noise adds to one statistic is a sum of independent variables, a normal one and one Laplace
variable a direction, of scales b_k > 0. For one it has a closed form (Reed 2006). For several
different ones the characteristic function :math:`\prod_k (1 + b_k^2t^2)^{-1}` comes apart into
partial fractions, so that the law is a mixture of single ones with signed weights

.. math:: w_k = \prod_{l \ne k} \frac{b_k^2}{b_k^2 - b_l^2}.

Scales that are too close to each other for that, where weights of opposite signs would cancel all
digits, are raised until they are apart. Symmetric unimodal variables are less peaked the larger
their scales, and so are their sums (Birnbaum 1948, "On random variables with comparable
peakedness", Theorem 1): a tail is never less than the noise's own. A quantile is more than its own
by 1 % where five scales are equal, and by a sixth where ten are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from distpriv.privacy.noise import Noise
from distpriv.privacy.normal_laplace import upper_tail

__all__ = ["NoiseTail"]

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-14  # of a direction's length 1: what is less is none
_LEAST = 1e-9  # of a Laplace scale: a normal part that is less is raised to that
_CLOSEST = 1e-4  # two scales, relatively
_LARGEST = 1e8  # sum of the weights' sizes, which leaves eight digits


@dataclass(frozen=True)
class NoiseTail:
    """Law of the noise on one statistic, symmetric about 0.

    Attributes
    ----------
    spread : float >= 0
        Standard deviation of its normal part.
    scales : tuple of float > 0
        Of its Laplace parts, falling, no two of them close to each other.
    """

    spread: float
    scales: tuple[float, ...] = ()

    @classmethod
    def of(cls, noise: Noise, index: int) -> Self:
        """Of the statistic at an index of a noise."""
        along = np.abs(noise.directions[index] * noise.scales)
        along = along[(np.abs(noise.directions[index]) > _ROUNDING) & (along > 0)]
        floor = float(noise.floor_deviations[index])
        if noise.distribution == "gaussian":
            return cls(math.hypot(floor, float(np.linalg.norm(along))))
        return cls(floor, _apart(along))

    @property
    def is_zero(self) -> bool:
        """Whether nothing is added."""
        return not (self.spread or self.scales)

    def upper(self, x: FloatArray | float) -> FloatArray:
        """Pr(Z > x), any shape."""
        x = np.asarray(x, dtype=np.float64)
        if self.is_zero:
            return np.where(x < 0, 1.0, 0.0)
        if not self.scales:
            return np.asarray(ndtr(-x / self.spread))
        away, total = np.abs(x), np.zeros(x.shape)
        for weight, scale in zip(_weights(self.scales), self.scales, strict=True):
            total += weight * _single(away, self.spread, scale)
        total = total.clip(0.0, 0.5)
        return np.where(x < 0, 1 - total, total)

    def quantile(self, level: float) -> float:
        """How far it moves the statistic at most with this probability.

        Least q with Pr(\\|Z\\| <= q) at least the level, which lies in (0, 1).
        """
        tail = (1 - level) / 2
        if self.is_zero:
            return 0.0
        if not self.scales:
            return self.spread * -float(ndtri(tail))
        high = self.spread + sum(self.scales)
        while float(self.upper(high)) > tail:
            high *= 2
        found: float = brentq(lambda x: float(self.upper(x)) - tail, 0.0, high, xtol=1e-12 * high)
        return found


def _single(x: FloatArray, spread: float, scale: float) -> FloatArray:
    """Pr(N(0, spread²) + Lap(scale) > x) for x >= 0."""
    if spread == 0:
        return np.asarray(np.exp(-x / scale) / 2)
    return upper_tail(x, max(spread, _LEAST * scale), scale)


def _apart(scales: FloatArray) -> tuple[float, ...]:
    """Scales as they are, or raised until their weights leave enough digits."""
    excess = _CLOSEST
    while True:
        risen: list[float] = []
        for scale in sorted(scales.tolist()):
            risen.append(max(scale, risen[-1] * (1 + excess)) if risen else scale)
        if sum(map(abs, _weights(risen))) <= _LARGEST:
            return tuple(reversed(risen))
        excess *= 1.25


def _weights(scales: Sequence[float]) -> list[float]:
    """Of the single laws in the sum's."""
    squares = [scale**2 for scale in scales]
    return [math.prod(one / (one - other) for other in squares if other != one) for one in squares]
