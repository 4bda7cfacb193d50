"""The privacy that is delivered: δ for every ε, from the two normals as they are.

The mechanisms promise (ε, δ) under the assumption that both distributions of a pair have one
covariance. Here nothing is assumed but that they are normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr

from distpriv.calibration import check_delta, gaussian_delta
from distpriv.errors import CalibrationError
from distpriv.models import GaussianModel, PairModel
from distpriv.noise import Noise

__all__ = [
    "PrivacyLoss",
    "WorstCase",
    "delivered_delta",
    "delivered_epsilon",
    "privacy_losses",
    "privacy_profile",
    "worst_case",
]

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complexfloating]
IntArray = NDArray[np.intp]

_SAME = 1e-9
_NEGLIGIBLE = -45.0
_SOON = 96  # points; a contour that needs no more is not bent
# The contour s = saddle + width (i sinh u + bend (cosh u − 1)).
_BENDS = (0.0, 0.5, -0.5)
_STEP = 0.0625
_U = np.arange(0, 24, _STEP)
_UP, _ALONG, _ASIDE = np.sinh(_U), np.cosh(_U), np.cosh(_U) - 1


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    r"""Privacy loss L = ln dP/dQ of two normals P and Q, a quadratic form of normals.

    After a linear change of variables P is standard normal and Q is N(−shift, diag(spread)):
    L = ½ Σ_k (ln β_k − y_k² + (y_k + d_k)²/β_k) for shift d and spread β.

    Attributes
    ----------
    shift : ndarray, shape (m,)
    spread : ndarray, shape (m,)
        All ones when the covariances are equal.
    whitening : ndarray, shape (m, m), optional
        The change of variables; the identity by default.
    """

    shift: FloatArray
    spread: FloatArray
    whitening: FloatArray | None = None

    @classmethod
    def between(
        cls,
        mean_p: FloatArray,
        covariance_p: FloatArray,
        mean_q: FloatArray,
        covariance_q: FloatArray,
    ) -> PrivacyLoss:
        """Of N(mean_p, covariance_p) against N(mean_q, covariance_q).

        If one of the covariances is singular the shift is infinite, and δ = 1 for every ε.
        """
        try:
            root = np.linalg.cholesky(covariance_p)
            np.linalg.cholesky(covariance_q)
        except np.linalg.LinAlgError:
            # One of the two lives where the other has no mass: nothing hides that.
            return cls(np.array([math.inf]), np.ones(1), np.zeros((1, len(mean_p))))
        half = np.linalg.solve(root, covariance_q)
        spread, vectors = np.linalg.eigh(np.linalg.solve(root, half.T))
        whitening = np.linalg.solve(root.T, vectors).T
        return cls(whitening @ (mean_p - mean_q), spread, whitening)

    @property
    def equal_covariances(self) -> bool:
        """Whether the two covariances differ by rounding at most."""
        return bool(np.abs(self.spread - 1).max() < _SAME)

    def delta(self, epsilon: float) -> float:
        """δ(ε) at one ε >= 0; see :meth:`deltas`."""
        return float(self.deltas(np.array([epsilon]))[0])

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        r"""δ(ε) = sup_S P(S) − e^ε Q(S) = E_P[(1 − e^{ε−L})_+] for every ε >= 0, same shape.

        With equal covariances Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ the Mahalanobis distance
        (Balle & Wang 2018, Theorem 5). Otherwise the inverse Laplace transform
        :math:`\frac{1}{2\pi i}\int_{c-i\infty}^{c+i\infty}\frac{M(s)e^{-s\varepsilon}}{s(s+1)}ds`
        of the moment generating function M of L under P, along a contour through the saddle
        point c, by the trapezoidal rule, which converges exponentially.
        """
        if self.equal_covariances:
            distance = float(np.linalg.norm(self.shift))
            return np.array([gaussian_delta(distance, float(each)) for each in epsilons])
        found = np.zeros(len(epsilons))
        inside = epsilons < self.supremum - 1e-12
        if inside.any():
            _, weights = self._quadrature(epsilons[inside])
            found[inside] = weights.sum(axis=1).real
        return found.clip(0.0, 1.0)

    def epsilon(self, delta: float) -> float:
        """Least ε >= 0 with δ(ε) <= delta; ∞ if there is none.

        Newton's method on ln δ, whose slope goes under the integral of :meth:`deltas`, kept
        between the ends of a bracket.
        """
        if self.delta(0.0) <= delta:
            return 0.0
        if not np.isfinite(self.shift).all():
            return math.inf
        low, high = 0.0, math.inf
        point = min(1.0, self.supremum / 2)
        for _ in range(200):
            value, slope = self._value_and_slope(point)
            low, high = (point, high) if value > delta else (low, point)
            if math.isfinite(high) and high - low <= 1e-13 * high:
                break
            step = math.inf
            if 0 < value < 1 and slope < 0:
                step = math.log(value / delta) * value / -slope
            if abs(step) <= 1e-11 * point:
                break
            middle = 2 * point if math.isinf(high) else (low + high) / 2
            point = point + step if low < point + step < high else middle
        return float(point)

    def _value_and_slope(self, epsilon: float) -> tuple[float, float]:
        if self.equal_covariances:
            distance = float(np.linalg.norm(self.shift))
            beyond = log_ndtr(-distance / 2 - epsilon / distance)
            return gaussian_delta(distance, epsilon), -math.exp(min(epsilon + beyond, 700.0))
        if epsilon >= self.supremum - 1e-12:
            return 0.0, 0.0
        line, weights = self._quadrature(np.array([epsilon]))
        return float(weights.sum().real), float(-(line * weights).sum().real)

    def gradient(self, epsilon: float) -> FloatArray:
        r"""Derivative of δ(ε) in a covariance S added to both normals, shape (m, m), symmetric.

        The generating function of L is M(s) with, for α = 1 + s, C = (1 − α)Σ_P + αΣ_Q and the
        difference d of the means, :math:`\ln M = -\frac{\alpha(1-\alpha)}{2} d^T C^{-1} d -
        \frac12 \ln|C| + \frac{1-\alpha}{2} \ln|\Sigma_P| + \frac{\alpha}{2} \ln|\Sigma_Q|`
        (Rényi divergence of normals, van Erven & Harremoës 2014, Section II); its derivative
        goes under the integral of :meth:`deltas`.
        """
        change = np.eye(len(self.shift)) if self.whitening is None else self.whitening
        if epsilon >= self.supremum - 1e-12 or not np.isfinite(self.shift).all():
            return np.zeros((change.shape[1],) * 2)
        line, weights = (part[0] for part in self._quadrature(np.array([epsilon])))
        alpha = (1 + line)[:, None]
        between = 1 - alpha + alpha * self.spread
        scaled = self.shift / between
        inner = ((weights * (alpha[:, 0] * (1 - alpha[:, 0])))[:, None] * scaled).T @ scaled
        diagonal = weights @ (1 - alpha + alpha / self.spread - 1 / between)
        inner += np.diag(diagonal)
        return np.asarray(change.T @ inner.real @ change / 2)

    def _quadrature(self, epsilons: FloatArray) -> tuple[ComplexArray, ComplexArray]:
        """Points along the contours, a row for each ε, and the integrand's weights there.

        A contour is a branch of a hyperbola through the saddle point that bends to the side on
        which the integrand falls. All singularities are on the real axis, at least 0.7 widths
        from the saddle, so that the trapezoidal rule in u converges exponentially.
        """
        saddle, width = self._saddle(epsilons)
        peak: FloatArray = np.real(self._exponent(saddle[:, None] + 0j, epsilons))
        coarse = saddle[:, None] + width[:, None] * (1j * _UP + _BENDS[0] * _ASIDE)[::8]
        bend = np.full(len(epsilons), _BENDS[0])
        end = self._fall(coarse, epsilons, peak)
        if end.max() > _SOON:
            for other in _BENDS[1:]:
                coarse = saddle[:, None] + width[:, None] * (1j * _UP + other * _ASIDE)[::8]
                sooner = self._fall(coarse, epsilons, peak)
                bend, end = np.where(sooner < end, other, bend), np.minimum(sooner, end)
        last = min(int(end.max()), len(_U))
        up, along, aside = _UP[:last], _ALONG[:last], _ASIDE[:last]
        line = saddle[:, None] + width[:, None] * (1j * up + bend[:, None] * aside)
        # Once it is negligible the contour may go on as it likes: what comes later is left out.
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.exp(self._exponent(line, epsilons) - peak)
            values *= along - 1j * bend[:, None] * up
        values[np.arange(last) >= end[:, None]] = 0
        values[end > len(_U)] = np.nan  # it grows on every contour: no figure is better than any
        values[:, 0] /= 2
        return line, np.exp(peak) * width[:, None] * _STEP / math.pi * values

    def _fall(self, coarse: ComplexArray, epsilons: FloatArray, peak: FloatArray) -> IntArray:
        """Index at which the integrand has become negligible; too large if it grows before."""
        fallen = self._exponent(coarse, epsilons).real - peak
        low = fallen < _NEGLIGIBLE
        end = np.where(low.any(axis=1), low.argmax(axis=1), fallen.shape[1])
        before = np.arange(fallen.shape[1]) < end[:, None]
        grows = (np.where(before, fallen, -np.inf) > 1).any(axis=1)
        return np.where(grows, 10 * len(_U), 8 * end)

    @property
    def supremum(self) -> float:
        """The largest value of L; infinite unless Q is wider than P wherever they differ."""
        wider = self.spread > 1 + 1e-13
        if (self.spread < 1 - 1e-13).any() or self.shift[~wider].any():
            return math.inf
        shift, spread = self.shift[wider], self.spread[wider]
        return float((np.log(spread) + shift**2 / (spread - 1)).sum() / 2)

    @property
    def _pole(self) -> float:
        """Where the moment generating function ends to the right."""
        narrow = self.spread[self.spread < 1 - 1e-13]
        return float((narrow / (1 - narrow)).min()) if narrow.size else math.inf

    def _exponent(self, s: ComplexArray, epsilons: FloatArray) -> ComplexArray:
        """ln M(s) − sε − ln(s(s+1)), shape of s: a row for each ε."""
        inner = 1 + s[..., None] * (1 - 1 / self.spread)
        scaled = self.shift / self.spread
        terms = (
            s[..., None] * (np.log(self.spread) + self.shift * scaled)
            - np.log(inner)
            + (s[..., None] * scaled) ** 2 / inner
        )
        return np.asarray(
            terms.sum(axis=-1) / 2 - s * epsilons[:, None] - np.log(s) - np.log(s + 1)
        )

    def _derivatives(self, c: FloatArray, epsilons: FloatArray) -> tuple[FloatArray, FloatArray]:
        """First and second derivative of the exponent at real points, one for each ε."""
        rate = 1 - 1 / self.spread
        inner = 1 + c[:, None] * rate
        squared = (self.shift / self.spread) ** 2
        first = (
            np.log(self.spread)
            + self.shift**2 / self.spread
            - rate / inner
            + squared * c[:, None] * (2 + c[:, None] * rate) / inner**2
        ).sum(axis=1) / 2
        second = ((rate / inner) ** 2 + 2 * squared / inner**3).sum(axis=1) / 2
        return first - epsilons - 1 / c - 1 / (1 + c), second + 1 / c**2 + 1 / (1 + c) ** 2

    def _saddle(self, epsilons: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where the exponent, convex on the real line, is least for each ε, and its width there."""
        low, high = np.zeros(len(epsilons)), np.full(len(epsilons), self._pole)
        point = np.full(len(epsilons), 1.0 if math.isinf(self._pole) else self._pole / 2)
        for _ in range(200):
            first, second = self._derivatives(point, epsilons)
            rising = first < 0
            low, high = np.where(rising, point, low), np.where(rising, high, point)
            newton = point - first / second
            if (np.abs(newton - point) < 1e-2 / np.sqrt(second)).all():  # near is enough
                break
            middle = np.where(np.isinf(high), 2 * point, (low + np.minimum(high, 1e300)) / 2)
            point = np.where((low < newton) & (newton < high), newton, middle)
        return point, 1 / np.sqrt(second)


@dataclass(frozen=True)
class WorstCase:
    """The pair and order for which a release keeps the least of its promise.

    Attributes
    ----------
    pair : int
        Index into ``model.pairs``.
    order : int
        0 if P is the first proportion of the pair, 1 if it is the second.
    delta : float
        δ(ε) there.
    """

    pair: int
    order: int
    delta: float


def privacy_losses(fit: PairModel, noise: Noise | None) -> tuple[PrivacyLoss, PrivacyLoss]:
    """Privacy losses of a pair in both orders."""
    if noise is None or noise.is_zero:
        covariances = fit.covariances
    elif noise.distribution == "gaussian":
        covariances = fit.covariances + noise.covariance
    else:
        raise CalibrationError(
            f"The delivered guarantee of {noise.mechanism} has no closed form: its noise is "
            "Laplace; its promise (ε, 0) stands as it is if its assumptions do."
        )
    (mean_i, mean_j), (covariance_i, covariance_j) = fit.means, covariances
    return (
        PrivacyLoss.between(mean_i, covariance_i, mean_j, covariance_j),
        PrivacyLoss.between(mean_j, covariance_j, mean_i, covariance_i),
    )


def privacy_profile(fit: PairModel, noise: Noise | None, epsilons: ArrayLike) -> FloatArray:
    """δ(ε) of a release for one pair in both orders, with the separate covariances.

    Parameters
    ----------
    fit : PairModel
    noise : Gaussian Noise or None
    epsilons : array-like, shape (points,), each >= 0

    Returns
    -------
    ndarray, shape (2, points)

    Raises
    ------
    CalibrationError
        For Laplace noise, or a negative ε.
    """
    points = np.asarray(epsilons, dtype=np.float64)
    if not (np.isfinite(points).all() and (points >= 0).all()):
        raise CalibrationError("Every ε must be a number that is not negative.")
    losses = privacy_losses(fit, noise)
    return np.array([loss.deltas(points) for loss in losses])


def worst_case(model: GaussianModel, noise: Noise | None, epsilon: float) -> WorstCase:
    """Pair and order with the largest δ(ε); see :func:`privacy_profile`."""
    cases = [
        WorstCase(pair, order, float(privacy_profile(fit, noise, [epsilon])[order, 0]))
        for pair, fit in enumerate(model.pairs)
        for order in range(2)
    ]
    return max(cases, key=lambda case: case.delta)


def delivered_delta(model: GaussianModel, noise: Noise | None, epsilon: float) -> float:
    """δ that a release delivers at ε, for the worst pair and order.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise or None
    epsilon : float >= 0

    Raises
    ------
    CalibrationError
        For Laplace noise, or a negative ε.
    """
    return worst_case(model, noise, epsilon).delta


def delivered_epsilon(model: GaussianModel, noise: Noise | None, delta: float) -> float:
    """Least ε ≥ 0 at which a release delivers δ, for the worst pair and order; it may be ∞.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise or None
    delta : float in (0, 1)

    Raises
    ------
    CalibrationError
        For Laplace noise, or δ outside its domain.
    """
    delta = check_delta(delta)
    largest = 0.0
    for fit in model.pairs:
        for loss in privacy_losses(fit, noise):
            # One δ is cheaper than solving for ε, and tells whether there is more to find.
            if largest < math.inf and loss.delta(largest) > delta:
                largest = loss.epsilon(delta)
    return largest
