r"""What Laplace noise delivers: δ for every ε, from the two normals as they are.

The promise (ε, 0) rests on two distributions that are translations of each other. Where their
covariances differ, δ(ε) = sup_S P(S) − e^ε Q(S) is a small positive number, P and Q the two
normals plus the same noise. One statistic is a closed form; with noise along one direction nothing
but the other coordinates is averaged over (:mod:`distpriv.privacy.laplace_line`). Else:

1. Along the noise, one coordinate each, a normal is split into independent coordinates, as wide
   as its covariance allows, and a rest. Given the rest a release has a density in closed form,
   normal plus Laplace in each coordinate (Reed 2006) beside a normal. Where the noise is much
   narrower than the statistics, it is what gives way instead: a normal of random width, as
   Laplace is a scale mixture of normals (Andrews & Mallows 1974). On independent statistics
   nothing is left over, and the densities are exact.
2. What is left over is replaced by a few random points, the same for P and for Q. The divergence
   is jointly convex, and each point has the right law, so that in the mean this overstates δ.
3. Testing with one half of the points and weighing with the other understates δ, in the mean.
   The estimate is the overstated one; the interval covers both, and the spread between
   independent repetitions.
4. Releases are drawn from Sobol' points, some of them where P outweighs Q (importance sampling).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from scipy.stats import qmc

from distpriv.errors import CalibrationError
from distpriv.model.sampling import Interval
from distpriv.privacy.calibration import check_delta
from distpriv.privacy.laplace_line import LineLoss
from distpriv.privacy.laplace_mixture import REPLICATES, Draws, draw_losses
from distpriv.privacy.normal_laplace import log_density, upper_tail
from distpriv.privacy.privacy_loss import PrivacyLoss

__all__ = [
    "DeliveredBound",
    "LaplaceLoss",
    "laplace_losses",
]

FloatArray = NDArray[np.float64]
Kind = Literal["exact", "numerical", "bound"]

_QUANTILE = float(stats.t.ppf(0.975, REPLICATES - 1)) / math.sqrt(REPLICATES)
_COUPLED = 12  # 2¹² points
_SAME = 1e-12
_TABULATED = 1e-2  # of δ, that values between tabulated ones may be off


@dataclass(frozen=True, eq=False)
class DeliveredBound:
    """δ at several ε, and how it is known.

    Attributes
    ----------
    delta : ndarray, shape (points,)
        "exact": up to rounding. "numerical": an estimate, which rather over- than understates.
        "bound": at most this.
    low, high : ndarray, shape (points,)
        95 % interval where it is numerical; where it is a bound, from 0.
    kind : "exact", "numerical" or "bound"
    """

    delta: FloatArray
    low: FloatArray
    high: FloatArray
    kind: Kind


@dataclass(frozen=True, eq=False)
class LaplaceLoss:
    """Privacy loss L = ln dP/dQ of two normals plus the same Laplace noise, in one order.

    In coordinates of their own: one along each direction of the noise, then those without.

    Attributes
    ----------
    gap : ndarray, shape (m,)
        Mean of P less that of Q.
    variances : ndarray, shape (2, m, m)
        Of the two normals.
    scales : ndarray, shape (m,)
        Of the noise; 0 for a coordinate without.
    draws, seed : int
        As for :func:`laplace_losses`.
    """

    gap: FloatArray
    variances: FloatArray
    scales: FloatArray
    draws: int
    seed: int

    @property
    def kind(self) -> Kind:
        """How δ is known; "exact" for one statistic, or without noise."""
        return "exact" if len(self.gap) == 1 or not self.scales.any() else "numerical"

    def deltas(self, epsilons: ArrayLike) -> DeliveredBound:
        """δ(ε) for each ε >= 0, shape (points,); decreasing, and never above :meth:`bounds`."""
        points = _checked(epsilons)
        most = self.bounds(points)
        if not self.scales.any():
            return DeliveredBound(most, most, most, self.kind)
        if len(self.gap) == 1:
            delta = np.array([self._on_line(float(point)) for point in points]).clip(0, most)
            return DeliveredBound(delta, delta, delta, self.kind)
        estimates = np.array([self._simulated(float(point)) for point in points]).reshape(-1, 3)
        delta, low, high = estimates.T.clip(0, most)
        return DeliveredBound(delta, low, high, self.kind)

    def bounds(self, epsilons: ArrayLike) -> FloatArray:
        """What δ(ε) is at most, by proof, for each ε >= 0, shape (points,).

        δ without the noise (post-processing); and, if all statistics have noise, what a coupling
        of the two normals gives (Gelbrich 1990). Where it moves by s, in scales of the noise
        and the L1 norm, the noise is (s, 0)-private, which leaves (e^s − e^ε)/(1 + e^s)
        (Kairouz, Oh & Viswanath 2015). The mean of that is taken over 4096 fixed Sobol' points, so
        that it is proven up to an error of quadrature.
        """
        points = _checked(epsilons)
        deltas = self._undefended.deltas(points)
        if self.scales.all():
            coupled = np.array([self._coupled(float(point)) for point in points])
            deltas = np.minimum(deltas, coupled)
        return deltas

    def epsilon(self, delta: float) -> Interval:
        """Least ε >= 0 with δ(ε) <= delta, on the same draws; δ in (0, 1).

        The interval is that in which the interval of δ(ε) holds delta.
        """
        delta = check_delta(delta)
        top = self._undefended.epsilon(delta)
        if not self.scales.any():
            return Interval(top, top, top)
        if self.scales.all():
            top = _root(self._coupled, delta, top)
        if len(self.gap) == 1:
            epsilon = _root(self._on_line, delta, top)
            return Interval(epsilon, epsilon, epsilon)
        middle, low, high = (
            _root(partial(self._simulated_end, which), delta, top) for which in range(3)
        )
        return Interval(middle, min(low, middle), max(high, middle))

    @cached_property
    def _undefended(self) -> PrivacyLoss:
        first, second = self.variances
        return PrivacyLoss.between(self.gap, first, np.zeros_like(self.gap), second)

    @cached_property
    def _drawn(self) -> Draws:
        return draw_losses(self.gap, self.variances, self.scales, self.draws, self.seed)

    def at_scale(self, factor: float) -> LaplaceLoss:
        """The same with noise of another size, a positive multiple of what there is."""
        other = LaplaceLoss(self.gap, self.variances, self.scales * factor, self.draws, self.seed)
        if self.along is not None:
            other.__dict__["along"] = self.along.at_scale(self.along.scale * factor)
        return other

    def most(self, epsilon: float) -> float:
        """The upper end of the interval of δ(ε) at one ε >= 0."""
        if len(self.gap) == 1:
            return self._on_line(epsilon)
        return self._simulated(epsilon)[2]

    @cached_property
    def along(self) -> LineLoss | None:
        """Where there is noise along one direction, without draws of it."""
        (noisy,) = np.nonzero(self.scales)
        if len(noisy) != 1 or len(self.gap) == 1:
            return None
        order = np.append(noisy, np.flatnonzero(self.scales == 0))
        variances = self.variances[:, order[:, None], order]
        scale = float(self.scales[noisy[0]])
        return LineLoss(self.gap[order], variances, scale, self.draws, self.seed)

    def _simulated(self, epsilon: float) -> tuple[float, float, float]:
        """Overstated δ, and the ends of its interval."""
        if self.along is not None:
            deltas = self.along.means(epsilon)
            delta = float(deltas.mean())
            spread = _QUANTILE * float(deltas.std(ddof=1)) + _TABULATED * delta
            return delta, delta - spread, delta + spread
        over = -np.expm1(np.minimum(epsilon - self._drawn.losses, 0.0)) * self._drawn.weights
        under = -np.expm1(np.minimum(epsilon - self._drawn.weighed, 700.0)) * self._drawn.weights
        under[self._drawn.tests <= epsilon] = 0
        most, least = over.mean(axis=1), under.mean(axis=1)
        spread, spread_least = (_QUANTILE * float(part.std(ddof=1)) for part in (most, least))
        delta = float(most.mean())
        return delta, min(float(least.mean()) - spread_least, delta), delta + spread

    def _simulated_end(self, which: int, epsilon: float) -> float:
        return self._simulated(epsilon)[which]

    def _coupled(self, epsilon: float) -> float:
        beyond = np.maximum(self._moves - epsilon, 0.0)
        return float((-np.expm1(-beyond) * expit(self._moves)).mean())

    @cached_property
    def _moves(self) -> FloatArray:
        """‖x − y‖_1, in scales of the noise, for x ~ P and the y ~ Q coupled with it."""
        first, second = self.variances / np.outer(self.scales, self.scales)
        root, m = _root_of(first), len(self.gap)
        transport = np.linalg.solve(root, np.linalg.solve(root, _root_of(root @ second @ root)).T)
        normal = ndtri(qmc.Sobol(m, scramble=True, rng=0).random_base2(_COUPLED))
        away = normal @ ((np.eye(m) - transport) @ root).T
        return np.asarray(np.abs(self.gap / self.scales + away).sum(axis=1))

    @cached_property
    def _line(self) -> tuple[FloatArray, FloatArray]:
        """Releases, about the mean of P, and L there."""
        (first, second), scale = self._widths, float(self.scales[0])
        fine, coarse = np.linspace(-12, 12, 4801), scale * np.geomspace(1e-3, 100, 400)
        near = np.concatenate([first * fine, second * fine, coarse, -coarse])
        x = np.unique(np.concatenate([near, near - self.gap[0]]))
        loss = log_density(x, first, scale) - log_density(x + self.gap[0], second, scale)
        return x, loss

    @property
    def _widths(self) -> tuple[float, float]:
        first, second = np.sqrt(self.variances[:, 0, 0])
        return float(first), float(second)

    def _on_line(self, epsilon: float) -> float:
        """P(S) − e^ε Q(S) of S = {L > ε}, intervals whose ends count to second order only."""
        (x, loss), (first, second), scale = self._line, self._widths, float(self.scales[0])
        ahead = loss > epsilon
        (at,) = np.nonzero(np.diff(ahead))
        part = (epsilon - loss[at]) / (loss[at + 1] - loss[at])
        ends = x[at] + part * (x[at + 1] - x[at])
        # Masses are those beyond an end, away from the middle of Q: no small number is a
        # difference of large ones.
        side = np.where(ends + self.gap[0] > 0, 1.0, -1.0)
        opens = np.where(ahead[at], -1.0, 1.0)
        ratio = math.exp(min(epsilon, 700.0))
        beyond = upper_tail(side * ends, first, scale)
        beyond -= ratio * upper_tail(side * (ends + self.gap[0]), second, scale)
        whole = int(ahead[0]) + int(opens[side < 0].sum())
        return float(whole * (1 - ratio) + (side * opens) @ beyond)


def laplace_losses(
    means: FloatArray,
    covariances: FloatArray,
    directions: FloatArray,
    scales: FloatArray,
    *,
    draws: int = 1024,
    seed: int = 0,
) -> tuple[LaplaceLoss, LaplaceLoss]:
    """Privacy losses of two normals plus the same Laplace noise, in both orders.

    Parameters
    ----------
    means : ndarray, shape (2, m)
    covariances : ndarray, shape (2, m, m)
        Positive definite, any Gaussian noise included.
    directions : ndarray, shape (m, d)
        Independent columns of the noise Σ_k scales_k ξ_k directions[:, k], ξ standard Laplace.
    scales : ndarray, shape (d,)
        Not negative.
    draws : int
        Releases that each of eight repetitions draws, a power of two; four times as many halve
        the interval. A δ far below 1e-6 may be missed, and the interval with it.
    seed : int
        The same gives the same.

    Raises
    ------
    CalibrationError
        If a covariance is not positive definite.
    """
    noisy = scales > 0
    along, widths = directions[:, noisy], scales[noisy]
    basis = np.linalg.qr(along, mode="complete")[0][:, len(widths) :]
    change = np.vstack([np.linalg.pinv(along), basis.T])
    variances = change @ covariances @ change.T
    widths = np.append(widths, np.zeros(basis.shape[1]))
    units = np.sqrt(np.diagonal(variances, axis1=1, axis2=2).mean(axis=0) + 2 * widths**2)
    gap, variances = change @ (means[0] - means[1]) / units, variances / np.outer(units, units)
    own = np.sqrt(np.diagonal(variances, axis1=1, axis2=2))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = variances / (own[:, :, None] * own[:, None, :])
    if not (np.isfinite(correlations).all() and np.linalg.eigvalsh(correlations).min() > _SAME):
        raise CalibrationError(
            "What Laplace noise delivers needs covariances that are positive definite; leave "
            "out statistics that the others determine, or add a little Gaussian noise."
        )
    return (
        LaplaceLoss(gap, variances, widths / units, draws, seed),
        LaplaceLoss(-gap, variances[::-1], widths / units, draws, seed),
    )


def _root_of(matrix: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def _root(falling: Callable[[float], float], level: float, top: float) -> float:
    """Where a function of ε falls to a level, between 0 and top."""
    if falling(0.0) <= level:
        return 0.0
    if falling(top) > level:
        return top
    return float(brentq(lambda point: falling(point) - level, 0.0, top, xtol=1e-9))


def _checked(epsilons: ArrayLike) -> FloatArray:
    points = np.atleast_1d(np.asarray(epsilons, dtype=np.float64))
    if not (np.isfinite(points).all() and (points >= 0).all()):
        raise CalibrationError("Every ε must be a number that is not negative.")
    return points
