"""Two normals plus the same Laplace noise, as the best possible attacker meets them.

See :mod:`distpriv.attacks.laplace_optimum` for what it is good for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from distpriv.attacks.optimal import likelihood_ratio
from distpriv.errors import AttackError
from distpriv.model.gaussian import PairModel
from distpriv.privacy.covered import normal_part
from distpriv.privacy.laplace_mixture import shifted_points
from distpriv.privacy.laplace_profile import LaplaceLoss
from distpriv.privacy.likelihood_ratio import LikelihoodRatio
from distpriv.privacy.noise import Noise
from distpriv.privacy.normal_laplace import log_density

__all__ = ["LaplaceProblem", "Linear", "fixed_draws", "laplace_problem"]

FloatArray = NDArray[np.float64]
# About either mean: standard normal and Laplace variables, each of shape (draws, q).
Standard: TypeAlias = tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

_TRACE = 1e-9
# Elements of a product that the usual linear algebra libraries do not split over threads, which
# costs more than it gains here.
_BLOCK = 1 << 18
# The integrals over t = e^u decay on both sides, so that the trapezoidal rule converges fast.
_U = np.linspace(-30.0, 17.0, 4096)
_T = np.exp(_U)
_PLAIN, _SPARSE = 5.0, 4  # up to how many deviations every fourth point does
_STEP = float(_U[1] - _U[0])
_FARTHEST = 150.0


@dataclass(frozen=True, eq=False)
class Linear:
    """The attacker who guesses +shift/2 where a weighted sum exceeds a threshold.

    Attributes
    ----------
    weights : ndarray, shape (q,)
    threshold : float
    """

    weights: FloatArray
    threshold: float = 0.0

    def signs(self, releases: FloatArray) -> FloatArray:
        """1 for +shift/2 and −1 for −shift/2, shape (releases,)."""
        return np.sign(releases @ self.weights - self.threshold)


@dataclass(frozen=True, eq=False)
class LaplaceProblem:
    """Normal plus independent Laplace noise about +shift/2 or −shift/2.

    Attributes
    ----------
    shift : ndarray, shape (q,)
    covariances : ndarray, shape (2, q, q)
        Of the normal part about either.
    scales : ndarray, shape (q,)
        Of the Laplace part; 0 for a coordinate without.
    ratio : LikelihoodRatio of shape (1,)
        If there were no Laplace part.
    equal : bool
        Whether the two covariances are one; then at most one coordinate has no noise, which is
        independent of the others and has unit variance.
    """

    shift: FloatArray
    covariances: FloatArray
    scales: FloatArray
    ratio: LikelihoodRatio
    equal: bool

    @cached_property
    def undefended(self) -> float:
        """Accuracy of the best attacker if there were no Laplace part."""
        return float(1 + self.ratio.total_variation()[0]) / 2

    @property
    def upper(self) -> float:
        """What no attacker passes."""
        if not self.equal:
            bounded = LaplaceLoss(self.shift, self.covariances, self.scales, 1, 0).bounds([0.0])
            return min(self.undefended, (1 + float(bounded[0])) / 2)
        noisy = self.scales > 0
        promise = math.tanh(float(np.abs(self.shift[noisy] / self.scales[noisy]).sum()) / 2)
        open_coordinate = 2 * float(ndtr(np.abs(self.shift[~noisy]).sum() / 2)) - 1
        together = 1 - (1 - promise) * (1 - open_coordinate)
        return min(self.undefended, (1 + together) / 2)

    def on_line(self, linear: float) -> float:
        """Of one statistic: that of the best linear attacker where the two variances agree."""
        if self.equal:
            return linear
        loss = LaplaceLoss(self.shift, self.covariances, self.scales, 1, 0)
        return (1 + float(loss.deltas([0.0]).delta[0])) / 2

    @cached_property
    def regular(self) -> bool:
        """Whether both normals have a width where there is no noise; else all is told."""
        return _positive(self.covariances)

    @cached_property
    def _total(self) -> FloatArray:
        return np.asarray(self.covariances.mean(axis=0) + 2 * np.diag(self.scales**2))

    def linear_accuracy(self, linear: Linear) -> tuple[float, FloatArray]:
        r"""Mean of P(X_k <= x_k) about both means, and its gradient in weights and threshold.

        X_k = w·noise and x_k = w·shift/2 ∓ threshold, with

        .. math:: P(X \le x) = 1/2 + \frac{1}{\pi} \int_0^\infty \frac{\sin(tx)}{t}
           e^{-t^2 w^T C w/2} \prod_k (1 + b_k^2 w_k^2 t^2)^{-1} dt
        """
        weights, half = linear.weights, float(linear.weights @ self.shift) / 2
        least = min(float(weights @ covariance @ weights) for covariance in self.covariances)
        plain = abs(half) + abs(linear.threshold) < _PLAIN * math.sqrt(max(least, 0.0))
        stride = _SPARSE if plain else 1
        t, squared = _T[::stride], _T[::stride] ** 2
        laplace = np.outer((self.scales * weights) ** 2, squared)
        shrink = np.log1p(laplace).sum(axis=0)
        accuracy, gradient = 0.5, np.zeros(len(weights) + 1)
        # Where the covariances and the sizes agree, one side says it all.
        mirrored = self.equal and linear.threshold == 0
        sides = ((1.0, self.covariances[0]), (-1.0, self.covariances[1]))[: 1 if mirrored else 2]
        for side, covariance in sides:
            x = half - side * linear.threshold
            across = covariance @ weights
            # A narrower normal part would ask for a finer grid; widening it only lowers the result.
            variance = max(float(weights @ across), (x / _FARTHEST) ** 2)
            decay = np.exp(-squared * variance / 2 - shrink)
            sine, cosine = np.sin(x * t) * decay, float(np.cos(x * t) * t @ decay)
            pull = 2 * self.scales**2 * weights * ((squared / (1 + laplace)) @ sine)
            share = stride * _STEP / math.pi / len(sides)
            accuracy += share * float(sine.sum())
            gradient[:-1] += share * (cosine * self.shift / 2 - (squared @ sine) * across - pull)
            gradient[-1] -= share * side * cosine
        return accuracy, gradient

    def best_linear(self) -> tuple[Linear, float]:
        """The best linear attacker that is found, and its accuracy; 1 if it is not regular."""
        if not self.regular:
            return Linear(np.zeros_like(self.shift)), 1.0
        starts = [self._scaled(start) for start in self._starts if start.weights.any()]
        if not starts:
            return Linear(np.zeros_like(self.shift)), 0.5
        if not self.equal:  # what it misses is simulated
            starts = [max(starts, key=lambda start: self.linear_accuracy(start)[0])]

        def loss(point: FloatArray) -> tuple[float, FloatArray]:
            # Only the direction of the weights, and the threshold beside them, count.
            weights = point[: len(self.shift)]
            size = math.sqrt(float(weights @ self._total @ weights))
            linear = Linear(weights / size, 0.0 if self.equal else float(point[-1]) / size)
            accuracy, gradient = self.linear_accuracy(linear)
            return -accuracy, -gradient[: len(point)] / size

        bounds = [
            minimize(
                loss,
                start.weights if self.equal else np.append(start.weights, start.threshold),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": 40},
            )
            for start in starts
        ]
        best = min(bounds, key=lambda result: float(result.fun))
        weights = np.asarray(best.x[: len(self.shift)])
        threshold = 0.0 if self.equal else float(best.x[-1])
        return Linear(weights, threshold), min(max(-float(best.fun), 0.5), self.upper)

    def _scaled(self, linear: Linear) -> Linear:
        largest = np.abs(linear.weights).max()  # its square may be no number
        weights = linear.weights / largest
        size = math.sqrt(float(weights @ self._total @ weights))
        return Linear(weights / size, linear.threshold / largest / size)

    @property
    def _starts(self) -> list[Linear]:
        noisy = np.where(self.scales > 0, self.scales, 1.0)
        pooled = self.covariances.mean(axis=0)
        starts = [
            Linear(np.linalg.solve(pooled, self.shift)),
            Linear(np.asarray(np.linalg.solve(self._total, self.shift))),
            Linear(np.sign(self.shift) / noisy),
        ]
        if self.equal:
            return starts
        # Where the spreads differ most, one deviation out to either side.
        added = self._total - pooled
        _, vectors = eigh(self.covariances[0] + added, self.covariances[1] + added)
        for vector in (vectors[:, 0], vectors[:, -1]):
            out = math.sqrt(float(vector @ self._total @ vector))
            starts += [Linear(vector, out), Linear(vector, -out)]
        return starts

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Releases about +shift/2, then as many about −shift/2, spread evenly by Sobol' points.

        Shape (2 draws, q).
        """
        return self.placed(_standard_draws(len(self.shift), draws, rng))

    def placed(self, standard: Standard) -> FloatArray:
        """Releases from standard normal and Laplace variables about either mean, as `draw`."""
        drawn = [
            side * self.shift + laplace * self.scales + normal @ np.linalg.cholesky(covariance).T
            for side, covariance, (normal, laplace) in zip(
                (0.5, -0.5), self.covariances, standard, strict=True
            )
        ]
        return np.vstack(drawn)

    @property
    def known(self) -> bool:
        """Whether L has a closed form."""
        return int((self.scales > 0).sum()) == 1

    def advantage(self, releases: FloatArray, nodes: int, rng: np.random.Generator) -> FloatArray:
        """tanh(L/2), the posterior of +shift/2 less that of −shift/2, shape (draws,)."""
        if self.known:
            first, second = self._log_densities(releases)
            return np.asarray(np.tanh((first - second) / 2))
        mixing = np.zeros((nodes, len(self.shift)))
        noisy = self.scales > 0
        mixing[:, noisy] = -np.log(shifted_points(int(noisy.sum()), (nodes - 1).bit_length(), rng))
        rows, columns = np.triu_indices(len(self.shift))
        weights = [self._weights(side, mixing, rows, columns) for side in (0, 1)]
        logs = np.empty(len(releases))
        block = max(1, _BLOCK // weights[0].size)
        for start in range(0, len(releases), block):
            part = releases[start : start + block]
            products = np.column_stack([part[:, rows] * part[:, columns], part, np.ones(len(part))])
            first, second = (products @ weight for weight in weights)
            top = np.maximum(first.max(axis=1), second.max(axis=1))[:, None]
            one, other = (np.exp(log - top).sum(axis=1) for log in (first, second))
            logs[start : start + block] = (one - other) / (one + other)
        return logs

    def _weights(
        self, side: int, mixing: FloatArray, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> FloatArray:
        """What products of coordinates, coordinates and 1 count in the nodes' log-densities."""
        covariances = np.tile(self.covariances[side], (len(mixing), 1, 1))
        diagonal = np.arange(len(self.shift))
        covariances[:, diagonal, diagonal] += 2 * self.scales**2 * mixing
        precisions = np.linalg.inv(covariances)
        mean = (0.5, -0.5)[side] * self.shift
        across = precisions @ mean
        return np.column_stack(
            [
                -precisions[:, rows, columns] * np.where(rows == columns, 0.5, 1.0),
                across,
                -(np.linalg.slogdet(covariances)[1] + across @ mean) / 2,
            ]
        ).T

    def _log_densities(self, releases: FloatArray) -> list[FloatArray]:
        """About both means, up to a constant, with noise in one coordinate."""
        noisy = int(np.argmax(self.scales))
        others = np.delete(np.arange(len(self.shift)), noisy)
        parts = []
        for side, covariance in zip((0.5, -0.5), self.covariances, strict=True):
            centered = releases - side * self.shift
            root = np.linalg.cholesky(covariance[np.ix_(others, others)])
            whitening = np.linalg.inv(root)
            slope = whitening.T @ whitening @ covariance[others, noisy]
            spread = float(covariance[noisy, noisy] - slope @ covariance[others, noisy])
            # All in one product: libraries split one of a matrix and a vector over threads.
            change = np.zeros((len(self.shift),) * 2)
            change[others, 1:], change[others, 0], change[noisy, 0] = whitening.T, -slope, 1.0
            changed = centered @ change
            parts.append(
                log_density(
                    np.ascontiguousarray(changed[:, 0]), math.sqrt(spread), self.scales[noisy]
                )
                - np.einsum("ij,ij->i", changed[:, 1:], changed[:, 1:]) / 2
                - np.log(np.diag(root)).sum()
            )
        return parts


def _standard_draws(size: int, draws: int, rng: np.random.Generator) -> Standard:
    points = [shifted_points(2 * size, (draws - 1).bit_length(), rng) for _ in range(2)]
    signed = [2 * uniform[:, size:] - 1 for uniform in points]
    first, second = (
        (ndtri(uniform[:, :size]), -np.sign(sign) * np.log1p(-np.abs(sign)))
        for uniform, sign in zip(points, signed, strict=True)
    )
    return first, second


@lru_cache(maxsize=8)
def fixed_draws(size: int, draws: int) -> Standard:
    """Standard normal and Laplace variables for both means, spread evenly, always the same ones.

    Parameters
    ----------
    size : int
        Coordinates.
    draws : int
        About each mean.
    """
    return _standard_draws(size, draws, np.random.default_rng(0))


def laplace_problem(fit: PairModel, noise: Noise) -> LaplaceProblem:
    """The pair in the coordinates of the noise, and others for what has none.

    Parameters
    ----------
    fit : PairModel
    noise : Laplace Noise

    Raises
    ------
    AttackError
        For Gaussian noise.
    """
    if noise.distribution != "laplace":
        raise AttackError(
            f"The noise of {noise.mechanism} is Gaussian: its best attack has a closed form."
        )
    fit, noise = normal_part(fit, noise)
    noisy = noise.directions[:, noise.scales > 0]
    scales = noise.scales[noise.scales > 0]
    ratio = likelihood_ratio([(fit, None)])
    equal = bool(ratio.equal_covariances[0])
    basis, count = np.linalg.qr(noisy, mode="complete")[0], len(scales)
    inside = np.linalg.pinv(noisy)  # the directions need not be orthogonal
    change = np.vstack([inside, basis[:, count:].T])
    own = fit.covariances
    if not _positive(own):
        # A statistic that does not vary at one share gets next to nothing on top of the noise.
        own = own + _TRACE * np.diag(np.diag(noise.covariance))
    shift, covariances = change @ fit.difference, change @ own @ change.T
    scales = np.append(scales, np.zeros(len(basis) - count))
    if equal and count < len(basis):
        shift, covariances, scales = _one_without(shift, covariances, scales, count)
    # In units of each coordinate's own spread: no number is far from 1.
    unit = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2).mean(axis=0) + 2 * scales**2)
    covariances = covariances / np.outer(unit, unit)
    covariances = (covariances + np.swapaxes(covariances, 1, 2)) / 2
    return LaplaceProblem(shift / unit, covariances, scales / unit, ratio, equal)


def _one_without(
    shift: FloatArray, covariances: FloatArray, scales: FloatArray, count: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The coordinates without noise in one, independent of the others, where covariances agree."""
    pooled = covariances.mean(axis=0)
    across, inner, moved = pooled[:count, count:], pooled[count:, count:], shift[count:]
    apart = math.sqrt(max(float(moved @ np.linalg.solve(inner, moved)), 0.0))
    own = pooled[:count, :count] - across @ np.linalg.solve(inner, across.T)
    own = np.pad(own, (0, 1))
    own[-1, -1] = 1.0
    left = np.append(shift[:count] - across @ np.linalg.solve(inner, moved), apart)
    return left, np.array([own, own]), scales[: count + 1]


def _positive(covariances: FloatArray) -> bool:
    try:
        np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        return False
    return True
