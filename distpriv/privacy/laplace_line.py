r"""Two normals plus Laplace noise along one direction: what they differ by, without drawing noise.

Given the coordinates r without noise, a release is one number, normal plus Laplace under P and
under Q alike (Reed 2006). With l(r) = ln p(r)/q(r) and D(r) what the two conditional means differ
by, δ(ε) is the mean of h(ε − l(r), D(r)) over r ~ P, with

.. math:: h(e, D) = \int \max(g_P(x) - e^e g_Q(x + D), 0)\, dx.

h is tabulated: for a few D, between which it is interpolated, the line is cut into cells, whose
masses give h at every e at once, since it is the sum of max(P_c − e^e Q_c, 0) over the cells. The
mean is one over shifted Sobol' points. It moves as little as the covariances differ: where they
agree and the means differ along the noise alone, as with the directional mechanism, it has nothing
left to average.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from distpriv.privacy.laplace_mixture import REPLICATES, shifted_points
from distpriv.privacy.normal_laplace import upper_tail

__all__ = ["LineLoss"]

FloatArray = NDArray[np.float64]

_ALMOST = 1e-300
_FAR = 9.0  # standard deviations of a normal that count
_TILTS = np.array([0.0, 1.0, 2.0, 3.0]) / 3
_BENT, _PULLED = 0.4, 3.0  # the farthest κ times what l bends by and rises by
_PLACES = np.linspace(-_FAR, _FAR, 181)
_INSIDE = np.linspace(0.0, 1.0, 61)
_TAIL = np.geomspace(1e-2, 60.0, 40)
_ALIKE = 0.7  # of the wider normal
_NARROW = 1.5  # times as narrow as a normal
_FEWEST, _MOST = 3, 129  # values of D
_EACH = 8.0  # values to a standard deviation


@dataclass(frozen=True, eq=False)
class LineLoss:
    """δ(ε) of N(gap, V_P) against N(0, V_Q), both plus Lap(scale) on the first coordinate.

    Attributes
    ----------
    gap : ndarray, shape (m,)
        m >= 2.
    variances : ndarray, shape (2, m, m)
        Positive definite.
    scale : float > 0
    draws, seed : int
        Points for r in each of eight repetitions, a power of two from 16 on, and what shifts them.
    """

    gap: FloatArray
    variances: FloatArray
    scale: float
    draws: int
    seed: int

    def means(self, epsilon: float) -> FloatArray:
        """δ(ε) by each repetition, shape (8,)."""
        levels = epsilon - self._rest.losses
        # Where the noise is wide, L reaches |D|/scale and no farther: values are compared from
        # there, between which the kink would be lost.
        rise = 1 / self.scale if _NARROW * self.scale >= self._given[1].min() else 0.0
        levels -= rise * np.abs(self._rest.apart)
        total = np.zeros_like(levels)
        for weights, profile, node in zip(
            self._interpolation, self._profiles, self._nodes.tolist(), strict=True
        ):
            total += weights * profile.at(levels + rise * abs(node))
        weights = self._rest.weights
        values, level = total.clip(0.0), weights.mean(axis=1, keepdims=True)
        # That the weights have mean 1 is known: what they miss of it is made up for.
        apart = weights - level
        slope = (values * weights * apart).sum() / max(float((apart**2).sum()), _ALMOST)
        return np.asarray((values * weights).mean(axis=1) - slope * (level[:, 0] - 1))

    def at_scale(self, scale: float) -> LineLoss:
        """The same with noise of another scale, on the same points."""
        other = LineLoss(self.gap, self.variances, scale, self.draws, self.seed)
        for name in ("_rest", "_interpolation"):
            other.__dict__[name] = getattr(self, name)
        return other

    @cached_property
    def _given(self) -> tuple[FloatArray, FloatArray]:
        """Slopes of the first coordinate on the others, (2, m − 1), and deviation given them."""
        slopes = np.linalg.solve(self.variances[:, 1:, 1:], self.variances[:, 1:, :1])[..., 0]
        told = (slopes * self.variances[:, 0, 1:]).sum(axis=1)
        own = self.variances[:, 0, 0]
        return np.asarray(slopes), np.sqrt(np.maximum(own - told, 1e-14 * own))

    @cached_property
    def _rest(self) -> _Rest:
        return _Rest.of(self.gap, self.variances, self._given[0], self.draws, self.seed)

    @cached_property
    def _nodes(self) -> FloatArray:
        """Values of D that h is tabulated for: Chebyshev points over those that occur."""
        apart = self._rest.apart
        low, high = float(apart.min()), float(apart.max())
        reach = (high - low) / float(self._given[1].min())
        if reach < 1e-9:
            return np.array([(low + high) / 2])
        count = min(_FEWEST + math.ceil(_EACH * reach), _MOST)
        turns = np.cos(np.pi * (np.arange(count) + 0.5) / count)
        return (low + high) / 2 + (high - low) / 2 * turns

    @cached_property
    def _interpolation(self) -> FloatArray:
        """Weights of the tabulated values for each point of r, shape (values, 8, draws)."""
        nodes, apart = self._nodes, self._rest.apart
        weights = np.ones((len(nodes), *apart.shape))
        for index, node in enumerate(nodes):
            for other in np.delete(nodes, index):
                weights[index] *= (apart - other) / (node - other)
        return weights

    @cached_property
    def _profiles(self) -> list[_Profile]:
        first, second = self._given[1].tolist()
        return [_Profile.of(first, second, self.scale, node) for node in self._nodes.tolist()]


@dataclass(frozen=True, eq=False)
class _Rest:
    """Points for the coordinates without noise.

    Attributes
    ----------
    losses : ndarray, shape (8, draws)
        l(r).
    apart : ndarray, shape (8, draws)
        D(r).
    weights : ndarray, shape (8, draws)
        Of mean 1.
    """

    losses: FloatArray
    apart: FloatArray
    weights: FloatArray

    @classmethod
    def of(
        cls,
        gap: FloatArray,
        variances: FloatArray,
        slopes: FloatArray,
        draws: int,
        seed: int,
    ) -> _Rest:
        size = len(gap) - 1
        first, second = np.linalg.cholesky(variances[:, 1:, 1:])
        change = np.linalg.solve(second, first)
        away = np.linalg.solve(second, gap[1:])
        # With r = E r + first·z under P, l is a sum over the axes of what second⁻¹ first stretches:
        # coordinates that do not depend on those of the statistics.
        _, stretches, axes = np.linalg.svd(change)
        axes = axes.T
        bend = (stretches**2 - 1) / 2
        pull = axes.T @ (change.T @ away)
        level = float(away @ away) / 2 - float(np.log(stretches).sum())
        across = axes.T @ (first.T @ (slopes[0] - slopes[1]))
        turned = np.where(pull + 1e-6 * across < 0, -1.0, 1.0)
        pull, across = pull * turned, across * turned
        middle = gap[0] - slopes[1] @ gap[1:]

        # φ(z)·exp(κ l(z)) is normal too: points are drawn with a few κ, the farther ones more often
        # where P outweighs Q.
        tilt = min(
            _BENT / max(float(bend.max()), 1e-12), _PULLED / max(float(np.abs(pull).max()), 1e-12)
        )
        widths = 1 / np.sqrt(1 - 2 * np.outer(_TILTS * tilt, bend))
        centres = np.outer(_TILTS * tilt, pull) * widths**2
        power = max(max(draws - 1, 1).bit_length() - 2, 2)
        rng = np.random.default_rng(seed)
        normal = ndtri([shifted_points(size, power, rng) for _ in range(REPLICATES)])
        z = np.concatenate(
            [normal * width + centre for width, centre in zip(widths, centres, strict=True)], axis=1
        )
        density = np.zeros(z.shape[:2])
        for width, centre in zip(widths, centres, strict=True):
            distance = (((z - centre) / width) ** 2).sum(axis=2)
            density += np.exp(((z**2).sum(axis=2) - distance) / 2) / width.prod()
        losses = z**2 @ bend + z @ pull + level
        return cls(losses, middle + z @ across, len(_TILTS) / density)


@dataclass(frozen=True, eq=False)
class _Profile:
    """h(e, D) at one D: masses of cells, sorted by what they tell.

    Attributes
    ----------
    ratios : ndarray, shape (cells,)
        ln P_c/Q_c, increasing.
    first, second : ndarray, shape (cells + 1,)
        Mass under P and Q of the cells from each one on; of P with what cells miss.
    """

    ratios: FloatArray
    first: FloatArray
    second: FloatArray

    @classmethod
    def of(cls, first: float, second: float, scale: float, apart: float) -> _Profile:
        wide = max(first, second)
        tail = wide * _FAR + scale * _TAIL
        parts = [wide * _PLACES, tail, -tail]
        if min(first, second) < _ALIKE * wide:
            parts.append(min(first, second) * _PLACES)
        near = np.concatenate(parts)
        x = np.unique(np.concatenate([near, near - apart, -apart * _INSIDE]))
        p, q = _masses(x, first, scale), _masses(x + apart, second, scale)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.log(p) - np.log(q)
        there = (p > 0) & ~np.isnan(ratios)
        ratios, p, q = ratios[there], p[there], q[there]
        order = np.argsort(ratios)
        ratios, p = ratios[order], p[order]
        # Within a cell L is no one number: where it is spread evenly over a width w, the sum over
        # the cells misses P_c w/24 of h, in the mean over e.
        with np.errstate(invalid="ignore"):
            widths = np.nan_to_num(np.gradient(ratios), nan=0.0, posinf=0.0)
        inner = np.append(p * np.where(widths < 1, widths, 0.0) / 24, 0.0)
        return cls(ratios, _from_end(p) + inner, _from_end(q[order]))

    def at(self, levels: FloatArray) -> FloatArray:
        """Of every e, any shape."""
        index = np.searchsorted(self.ratios, levels)
        beyond = self.second.take(index)
        with np.errstate(over="ignore", invalid="ignore"):
            taken = np.where(beyond > 0, np.exp(np.minimum(levels, 700.0)) * beyond, 0.0)
        return np.maximum(self.first.take(index) - taken, 0.0)


def _masses(x: FloatArray, spread: float, scale: float) -> FloatArray:
    """Of normal plus Laplace in the cells that increasing points cut the line into."""
    tails = upper_tail(np.abs(x), spread, scale)
    ends = np.where(x < 0, tails, 1 - tails)  # the smaller side, where numbers are exact
    inner = np.where(
        x[1:] <= 0, tails[1:] - tails[:-1], np.where(x[:-1] >= 0, tails[:-1] - tails[1:], 0.0)
    )
    across = (x[:-1] < 0) & (x[1:] > 0)
    inner[across] = (ends[1:] - ends[:-1])[across]
    return np.concatenate([ends[:1], inner, [tails[-1] if x[-1] > 0 else 1 - tails[-1]]])


def _from_end(masses: FloatArray) -> FloatArray:
    return np.append(masses[::-1].cumsum()[::-1], 0.0)
