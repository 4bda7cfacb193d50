r"""The law of the log-likelihood ratio of two normals, each with its own covariance.

By the lemma of Neyman and Pearson (1933) the best test of P against Q asks whether L = ln dP/dQ
exceeds a threshold. Where the covariances differ, L is a quadratic form of normals, and with M the
moment generating function of L under P

.. math::
   P(L > t) = \frac{1}{2\pi i}\int_{c-i\infty}^{c+i\infty} \frac{M(s)e^{-st}}{s}\,ds, \qquad
   e^t\,Q(L > t) = \frac{1}{2\pi i}\int_{c-i\infty}^{c+i\infty} \frac{M(s)e^{-st}}{s+1}\,ds,

whose difference is δ(t) = P(L > t) − e^t Q(L > t): both are sums over the contour of δ
(:mod:`distpriv.privacy.contours`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from distpriv.privacy.contours import Contours, contours, suprema

__all__ = ["LikelihoodRatio", "Tails"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_EQUAL = 1e-6  # relative: covariances no farther apart count as one, which moves no rate by more
_INSIDE = 1e-12  # of a threshold, below the largest value of L
_MOST_STEPS = 100
_SETTLED = 1e-10  # of a probability
_AT_ONCE = 256  # contours, which keeps their points in the processor's memory


@dataclass(frozen=True, eq=False)
class Tails:
    """How often L exceeds a threshold, each of the shape of its inputs together.

    Attributes
    ----------
    first, second : ndarray
        P(L > t) and Q(L > t).
    """

    first: FloatArray
    second: FloatArray


@dataclass(frozen=True, eq=False)
class LikelihoodRatio:
    """L = ln dP/dQ of normals P and Q, for any number of cases at once.

    After a linear change of variables P is standard normal and Q is N(−shift, diag(spread)), as in
    :class:`distpriv.privacy.privacy_loss.PrivacyLoss`.

    Attributes
    ----------
    shift, spread : ndarray, shape (..., m)
        The shift is infinite where a covariance is singular: then one of the two lives where the
        other has no mass.
    """

    shift: FloatArray
    spread: FloatArray

    @classmethod
    def between(cls, means: FloatArray, covariances: FloatArray) -> LikelihoodRatio:
        """Of the second normal of each case (P) against the first (Q).

        Parameters
        ----------
        means : ndarray, shape (..., 2, m)
        covariances : ndarray, shape (..., 2, m, m)
        """
        try:
            shift, spread = _whitened(means, covariances)
        except np.linalg.LinAlgError:
            size = means.shape[-1]
            cases = zip(
                means.reshape(-1, 2, size), covariances.reshape(-1, 2, size, size), strict=True
            )
            whitened = np.array([_whitened_or_infinite(*case) for case in cases])
            shift, spread = np.moveaxis(whitened.reshape(*means.shape[:-2], 2, size), -2, 0)
        return cls(shift, spread)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the cases."""
        return self.shift.shape[:-1]

    @property
    def equal_covariances(self) -> BoolArray:
        """Where the two covariances are regular and differ by next to nothing, shape (...)."""
        alike = np.abs(self.spread - 1).max(axis=-1) < _EQUAL
        return np.asarray(alike & np.isfinite(self.shift).all(axis=-1))

    @property
    def distance(self) -> FloatArray:
        """Mahalanobis distance of the means under the covariance of P, shape (...)."""
        return np.asarray(np.linalg.norm(self.shift, axis=-1))

    def together(self) -> LikelihoodRatio:
        """Of independent releases, one a case along the last axis of the cases: L adds up."""
        size = self.shape[-1] * self.shift.shape[-1]
        lead = self.shape[:-1]
        return LikelihoodRatio(self.shift.reshape(*lead, size), self.spread.reshape(*lead, size))

    def total_variation(self) -> FloatArray:
        """sup_S P(S) − Q(S) of each case, shape (...): twice the advantage at equal priors."""
        tails = self.tails(0.0)
        return np.asarray((tails.first - tails.second).clip(0.0, 1.0))

    def ordering(self) -> FloatArray:
        """How often L of a draw from P is above that of one from Q, shape (...): the ROC's area.

        The difference of the two is the log-likelihood ratio of P × Q against Q × P.
        """
        back = self._reversed
        both = (
            np.concatenate(parts, axis=-1) for parts in zip(self._parts, back._parts, strict=True)
        )
        return np.asarray((1 + LikelihoodRatio(*both).total_variation()) / 2)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of L under P and under Q, each of shape (..., 2)."""
        mean, deviation = self._moments
        lower, other = self._reversed._moments
        return np.stack([mean, -lower], axis=-1), np.stack([deviation, other], axis=-1)

    def tails(self, thresholds: ArrayLike) -> Tails:
        """P(L > t) and Q(L > t).

        In closed form where the covariances are equal (L is N(±d²/2, d²), d the Mahalanobis
        distance; Green & Swets 1966, Chapter 3), else to about 1e-13; within 1e-12 of the largest
        value of L, where there is one, to 1e-6.

        Parameters
        ----------
        thresholds : array-like
            t, ±∞ included; broadcasts against the cases.
        """
        shape = np.broadcast_shapes(np.shape(thresholds), self.shape)
        level = np.broadcast_to(np.asarray(thresholds, np.float64), shape).ravel()
        rows = self._rows(shape)
        first, second = rows._tails(level)[:2]
        return Tails(first.reshape(shape), second.reshape(shape))

    def threshold(self, probability: ArrayLike) -> FloatArray:
        """t that L exceeds with that probability under P, by Newton's method within a bracket.

        The scale is Φ⁻¹ of the probability, on which the law of L is nearly a straight line.

        Parameters
        ----------
        probability : array-like in [0, 1]
            Broadcasts against the cases.
        """
        shape = np.broadcast_shapes(np.shape(probability), self.shape)
        wanted = np.broadcast_to(np.asarray(probability, np.float64), shape).ravel()
        return self._rows(shape)._threshold(wanted).reshape(shape)

    def _rows(self, shape: tuple[int, ...]) -> LikelihoodRatio:
        size = self.shift.shape[-1]
        return LikelihoodRatio(
            *(np.broadcast_to(x, (*shape, size)).reshape(-1, size) for x in self._parts)
        )

    @property
    def _parts(self) -> tuple[FloatArray, FloatArray]:
        return self.shift, self.spread

    def _of(self, rows: BoolArray | NDArray[np.intp]) -> LikelihoodRatio:
        return LikelihoodRatio(self.shift[rows], self.spread[rows])

    @cached_property
    def _reversed(self) -> LikelihoodRatio:
        """ln dQ/dP, in the variables in which Q is standard."""
        return LikelihoodRatio(self.shift / np.sqrt(self.spread), 1 / self.spread)

    def _tails(self, level: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Both tails, and the density of L under P; a case and a threshold a row."""
        tails = np.zeros((3, len(level)))
        apart = ~np.isfinite(self.shift).all(axis=1)
        tails[0] = np.where(apart, level < math.inf, level == -math.inf)
        tails[1] = level == -math.inf
        usual = ~apart & np.isfinite(level)
        equal = usual & self.equal_covariances
        tails[:, equal] = _equal_tails(self.distance[equal], level[equal])
        above = usual & ~equal & (level >= 0)
        tails[:, above] = self._of(above)._upper_tails(level[above])
        below = usual & ~equal & (level < 0)
        second, first, density = self._of(below)._reversed._upper_tails(-level[below])
        tails[:, below] = 1 - first, 1 - second, np.exp(level[below]) * density
        first, second = tails[:2].clip(0.0, 1.0)
        return first, second, tails[2]

    def _upper_tails(self, level: FloatArray) -> FloatArray:
        """Tails and density at thresholds that are not negative, shape (3, rows)."""
        tails = np.zeros((3, len(level)))
        (inside,) = np.nonzero(level < suprema(self.shift, self.spread) - _INSIDE)
        for start in range(0, len(inside), _AT_ONCE):
            part = inside[start : start + _AT_ONCE]
            line = contours(self.shift[part], self.spread[part], level[part])
            tails[:, part] = _sums(line, level[part])
        return tails

    def _threshold(self, wanted: FloatArray) -> FloatArray:
        low, high = -suprema(*self._reversed._parts), suprema(*self._parts)
        apart = ~np.isfinite(self.shift).all(axis=1)
        blind = ~apart & (self.shift == 0).all(axis=1) & self.equal_covariances
        equal = ~apart & ~blind & self.equal_covariances
        distance = np.where(equal, self.distance, 1.0)
        aim = ndtri(wanted)
        point = np.where(equal, distance**2 / 2 - distance * aim, 0.0)
        point[apart] = math.inf
        low[equal], high[equal] = -math.inf, math.inf
        point = np.where(wanted <= 0, high, np.where(wanted >= 1, low, point))
        point[blind] = 0.0
        (open_,) = np.nonzero((wanted > 0) & (wanted < 1) & ~(equal | apart | blind))
        if len(open_):
            cases = self._of(open_)
            point[open_] = cases._search(wanted[open_], aim[open_], low[open_], high[open_])
        return point

    def _search(
        self, wanted: FloatArray, aim: FloatArray, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        """Where P(L > t) is what is wanted, between the least and the largest value of L."""
        mean, deviation = self._moments
        point = mean - deviation * aim
        point = np.where((low < point) & (point < high), point, _between(low, high, mean))
        left = np.ones(len(point), dtype=np.bool_)
        for _ in range(_MOST_STEPS):
            first, _, density = self._of(left)._tails(point[left])
            beyond = first > wanted[left]
            low[left] = np.where(beyond, point[left], low[left])
            high[left] = np.where(beyond, high[left], point[left])
            with np.errstate(divide="ignore", invalid="ignore"):
                reached = ndtri(first)
                slope = density * math.sqrt(2 * math.pi) * np.exp(reached**2 / 2)
                newton = point[left] + (reached - aim[left]) / slope
            inside = (low[left] < newton) & (newton < high[left])
            near = np.abs(first - wanted[left]) <= _SETTLED * np.minimum(
                wanted[left], 1 - wanted[left]
            )
            narrow = high[left] - low[left] <= 1e-14 * np.maximum(np.abs(point[left]), 1e-10)
            following = np.where(inside, newton, _between(low[left], high[left], point[left]))
            point[left] = np.where(near | narrow, point[left], following)
            left[left] = ~(near | narrow)
            if not left.any():
                break
        return point

    @property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of L under P, shape (...)."""
        squared, rate = self.shift**2 / self.spread, 1 / self.spread - 1
        mean = (np.log(self.spread) + rate + squared).sum(axis=-1) / 2
        variance = (rate**2 / 2 + squared / self.spread).sum(axis=-1)
        return mean, np.sqrt(variance)


def _sums(line: Contours, level: FloatArray) -> FloatArray:
    """Both tails and the density of L under P from the points of δ's contours."""
    above = (line.line * line.weights).sum(axis=1).real
    density = (line.line * (line.line + 1) * line.weights).sum(axis=1).real
    return np.array([above + line.deltas, np.exp(-level) * above, density])


def _equal_tails(distance: FloatArray, level: FloatArray) -> FloatArray:
    apart = distance > 0
    across = np.where(apart, distance, 1.0)
    moved, blind = level / across, level < 0
    first = np.where(apart, ndtr(distance / 2 - moved), blind)
    second = np.where(apart, ndtr(-distance / 2 - moved), blind)
    return np.array([first, second, np.zeros_like(first)])


def _between(low: FloatArray, high: FloatArray, point: FloatArray) -> FloatArray:
    """The middle of a bracket, or twice as far towards an end that is infinite."""
    far = 2 * np.abs(point) + 1
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
    middle = np.where(np.isinf(high), np.where(np.isinf(low), 0.0, low + far), middle)
    return np.where(np.isinf(low) & np.isfinite(high), high - far, middle)


def _whitened(means: FloatArray, covariances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shift and spread; raises `LinAlgError` if any covariance is not positive definite."""
    roots = np.linalg.cholesky(covariances)
    half = np.linalg.solve(roots[..., 1, :, :], covariances[..., 0, :, :])
    inner = np.linalg.solve(roots[..., 1, :, :], np.swapaxes(half, -1, -2))
    spread, vectors = np.linalg.eigh(inner)
    if not (spread > 0).all():
        raise np.linalg.LinAlgError
    apart = np.linalg.solve(roots[..., 1, :, :], (means[..., 1, :] - means[..., 0, :])[..., None])
    shift = (np.swapaxes(vectors, -1, -2) @ apart)[..., 0]
    return shift, spread


def _whitened_or_infinite(means: FloatArray, covariances: FloatArray) -> FloatArray:
    try:
        return np.array(_whitened(means, covariances))
    except np.linalg.LinAlgError:
        return np.array([np.full(means.shape[1], math.inf), np.ones(means.shape[1])])
