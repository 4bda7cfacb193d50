r"""How far sums of swapped records stray, for certain: Chernoff's bound from their own cumulants.

No draw is needed: a record's values are known, and so is how it comes into a sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from distpriv.model.swap_counts import SwapCounts

__all__ = ["ApartSums", "MatchedSums", "Tails"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Cumulant = Callable[[float], float]

_TILTS = (0.3, 0.5, 0.75, 1.0)  # of what a normal law would take


class _Sums(Protocol):
    def along(self, direction: FloatArray) -> Cumulant:
        """From t to no less than ln E exp(t directionᵀ(D − E D))."""


def _mixed(
    counts: SwapCounts, groups: tuple[FloatArray, FloatArray], direction: FloatArray, swap: Cumulant
) -> Cumulant:
    """Return ln E exp(d K(t) + (d − E d) t μ) from K of one swap, μ the mean of one.

    K holds given d and whatever was swapped before.
    """
    values, masses = counts.swapped
    if len(values) == 1:
        return lambda tilt: counts.most * swap(tilt)
    shift = float((groups[0].mean(axis=0) - groups[1].mean(axis=0)) @ direction)

    def cumulant(tilt: float) -> float:
        one = swap(tilt)
        if math.isinf(one):
            return math.inf
        return float(logsumexp(values * one + (values - counts.mean) * (tilt * shift), b=masses))

    return cumulant


@dataclass(frozen=True, eq=False)
class ApartSums:
    r"""D = Σ a_l − Σ b_l, of which only the two sums' own laws are known.

    For independent draws of either group, with replacement or without (the exponential of a sum
    without replacement is no more on average than with it, Hoeffding 1963, Theorem 4). Where the
    two sums may depend on each other, by the inequality of Cauchy and Schwarz, half of what a and
    −b have at 2t.

    Attributes
    ----------
    groups : tuple of two ndarrays, shape (N_g, m)
    counts : SwapCounts
    dependent : bool
    """

    groups: tuple[FloatArray, FloatArray]
    counts: SwapCounts
    dependent: bool

    def along(self, direction: FloatArray) -> Cumulant:
        sides = [
            sign * (values - values.mean(axis=0)) @ direction
            for sign, values in zip((1, -1), self.groups, strict=True)
        ]
        stretch = 2.0 if self.dependent else 1.0

        def swap(tilt: float) -> float:
            total = 0.0
            for values in sides:
                exponents = stretch * tilt * values
                top = float(exponents.max())
                total += top + math.log(np.exp(exponents - top).mean())
            return total / stretch

        return _mixed(self.counts, self.groups, direction, swap)


@dataclass(frozen=True, eq=False)
class MatchedSums:
    r"""D = Σ (a_l − b_l), the pairs from one coupling, unless a record was taken before.

    With C_g common records of N_g, a record that has not been looked at is taken with a probability
    of at most q_g = C_g/(N_g − d), whatever came before; at most 2d have been looked at, and a
    fresh record has at most F_g = N_g/(N_g − 2d) times the mean over its group. So E exp t(a − b)
    is at most

    .. math:: E_\pi e^{t(a-b)} + F_0 E e^{ta} \Big(q_0 E e^{-tb} + \sum_{a \in T_0} \pi(a, b)
        e^{-tb}\Big) + F_1 E e^{-tb} \Big(q_1 E e^{ta} + \sum_{b \in T_1} \pi(a, b) e^{ta}\Big)
        + F_0 F_1 E e^{ta} E e^{-tb} \min_g (q_g + 2d/N_g)

    with those 2d records T_g for which the sums are the largest. Where d and C_g are random the
    largest values of theirs are taken.

    Attributes
    ----------
    groups : tuple of two ndarrays, shape (N_g, m)
    pairs : tuple of (first, second, probabilities)
        See :attr:`distpriv.model.cells.Matching.pairs`.
    counts : SwapCounts
    """

    groups: tuple[FloatArray, FloatArray]
    pairs: tuple[IntArray, IntArray, FloatArray]
    counts: SwapCounts

    def along(self, direction: FloatArray) -> Cumulant:
        sides = [
            sign * (values - values.mean(axis=0)) @ direction
            for sign, values in zip((1, -1), self.groups, strict=True)
        ]

        def swap(tilt: float) -> float:
            tops = [float((tilt * values).max()) for values in sides]
            powers = [np.exp(tilt * values - top) for values, top in zip(sides, tops, strict=True)]
            mean = self._mean(powers)
            # Lost to rounding at so large a tilt: nothing is bounded there.
            return math.log(mean) + sum(tops) if mean else math.inf

        return _mixed(self.counts, self.groups, direction, swap)

    def _mean(self, powers: list[FloatArray]) -> float:
        """The bound above, from e^{ta} and e^{−tb}."""
        *rows, masses = self.pairs
        parts = powers[0][rows[0]], powers[1][rows[1]]
        total = float(masses @ (parts[0] * parts[1]))
        if self.counts.replacement:
            return total
        seen, both, means = 2 * self.counts.most, 1.0, [float(power.mean()) for power in powers]
        for side, common in enumerate(self.counts.most_common):
            count = len(powers[side])
            if count <= seen:
                return math.inf
            met = common / (count - self.counts.most)
            sums = np.bincount(rows[side], masses * parts[1 - side], count)
            again = float(np.partition(sums, count - seen)[count - seen :].sum())
            fresh = means[side] * count / (count - seen)
            total += fresh * (met * means[1 - side] + again)
            means[side] = fresh
            both = min(both, met + seen / count)
        return total + means[0] * means[1] * both


@dataclass(frozen=True, eq=False)
class Tails:
    """Mean and spread of D, and where it lies for certain.

    Attributes
    ----------
    mean : ndarray, shape (m,)
        E D.
    covariance : ndarray, shape (m, m)
        Of D, or about.
    sums : sequence of bounds on ln E exp, each valid
        In the units of `scales`.
    scales : ndarray, shape (m,)
        What D is of the sums.
    """

    mean: FloatArray
    covariance: FloatArray
    sums: Sequence[_Sums] = field(repr=False)
    scales: FloatArray

    @property
    def second_moment(self) -> FloatArray:
        """E D Dᵀ, or about, shape (m, m)."""
        return self.covariance + np.outer(self.mean, self.mean)

    def box(self, chosen: list[int], units: FloatArray, outside: float) -> tuple[FloatArray, ...]:
        """Where some of the statistics lie but with a probability of at most `outside`.

        Parameters
        ----------
        chosen : list of int
        units : ndarray, shape (c,)
            What they are divided by.
        outside : float in (0, 1)

        Returns
        -------
        axes : ndarray, shape (c, c)
            Columns; D is the sum of coordinates times these.
        ends : ndarray, shape (2, c)
            Lowest and highest coordinate of D.
        """
        covariance = self.covariance[np.ix_(chosen, chosen)] / np.outer(units, units)
        spread = np.sqrt(np.diag(covariance))
        sizes = np.where(spread > 0, spread, 1.0)
        values, turned = np.linalg.eigh(covariance / np.outer(sizes, sizes))
        level = math.log(2 * len(spread) / outside)
        ends = np.empty((2, len(spread)))
        for axis, (variance, part) in enumerate(zip(values, turned.T, strict=True)):
            direction = np.zeros(len(self.mean))
            direction[chosen] = part / (sizes * units)
            centre = float(self.mean @ direction)
            for side, sign in enumerate((-1.0, 1.0)):
                reach = self._reach(sign * direction, level, math.sqrt(max(variance, 1e-12)))
                ends[side, axis] = centre + sign * reach
        return turned * sizes[:, None], ends

    def _reach(self, direction: FloatArray, level: float, deviation: float) -> float:
        """What a coordinate exceeds its mean by with a probability of at most e^−level."""
        best = math.inf
        normal = math.sqrt(2 * level) / deviation
        for sums in self.sums:
            cumulant = sums.along(direction * self.scales)
            for tilt in _TILTS:
                best = min(best, (level + max(cumulant(tilt * normal), 0.0)) / (tilt * normal))
        return best
