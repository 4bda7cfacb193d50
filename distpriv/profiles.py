"""The privacy that is delivered: δ for every ε, from the two normals as they are.

The mechanisms promise (ε, δ) under the assumption that both distributions of a pair have one
covariance. Here nothing is assumed but that they are normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

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

_SAME = 1e-9
_NEGLIGIBLE = -45.0
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
        r"""δ(ε) = sup_S P(S) − e^ε Q(S) = E_P[(1 − e^{ε−L})_+].

        With equal covariances Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ the Mahalanobis distance
        (Balle & Wang 2018, Theorem 5). Otherwise the inverse Laplace transform
        :math:`\frac{1}{2\pi i}\int_{c-i\infty}^{c+i\infty}\frac{M(s)e^{-s\varepsilon}}{s(s+1)}ds`
        of the moment generating function M of L under P, along the vertical line through the
        saddle point c, by the trapezoidal rule, which converges exponentially.

        Parameters
        ----------
        epsilon : float >= 0
        """
        if self.equal_covariances:
            return gaussian_delta(float(np.linalg.norm(self.shift)), epsilon)
        if epsilon >= self.supremum - 1e-12:
            return 0.0
        _, weights = self._quadrature(epsilon)
        return float(min(max(weights.sum().real, 0.0), 1.0))

    def gradient(self, epsilon: float) -> FloatArray:
        r"""Derivative of δ(ε) in a covariance S added to both normals, shape (m, m), symmetric.

        The generating function of L is M(s) with, for α = 1 + s, C = (1 − α)Σ_P + αΣ_Q and the
        difference d of the means, :math:`\ln M = -\frac{\alpha(1-\alpha)}{2} d^T C^{-1} d -
        \frac12 \ln|C| + \frac{1-\alpha}{2} \ln|\Sigma_P| + \frac{\alpha}{2} \ln|\Sigma_Q|`
        (Rényi divergence of normals, van Erven & Harremoës 2014, Section II); its derivative
        goes under the integral of :meth:`delta`.
        """
        change = np.eye(len(self.shift)) if self.whitening is None else self.whitening
        if epsilon >= self.supremum - 1e-12 or not np.isfinite(self.shift).all():
            return np.zeros((change.shape[1],) * 2)
        line, weights = self._quadrature(epsilon)
        alpha = (1 + line)[:, None]
        between = 1 - alpha + alpha * self.spread
        scaled = self.shift / between
        inner = ((weights * (alpha[:, 0] * (1 - alpha[:, 0])))[:, None] * scaled).T @ scaled
        diagonal = weights @ (1 - alpha + alpha / self.spread - 1 / between)
        inner += np.diag(diagonal)
        return np.asarray(change.T @ inner.real @ change / 2)

    def _quadrature(self, epsilon: float) -> tuple[ComplexArray, ComplexArray]:
        """Points along the contour and the integrand's weights there; δ is the sum's real part.

        The contour is a branch of a hyperbola through the saddle point that bends to the side on
        which the integrand falls. All singularities are on the real axis, at least 0.7 widths
        from the saddle, so that the trapezoidal rule in u converges exponentially.
        """
        saddle, width = self._saddle(epsilon)
        peak = float(self._exponent(np.array([saddle + 0j]), epsilon).real[0])
        best = 0.0, len(_U)
        for bend in _BENDS:
            line = saddle + width * (1j * _UP[::8] + bend * _ASIDE[::8])
            fallen = self._exponent(line, epsilon).real - peak
            end = int(np.argmax(np.append(fallen, -np.inf) < _NEGLIGIBLE))
            if fallen[:end].max() < 1 and 8 * end < best[1]:
                best = bend, 8 * end
        bend, end = best
        up, along, aside = _UP[:end], _ALONG[:end], _ASIDE[:end]
        line = saddle + width * (1j * up + bend * aside)
        # Where it is negligible for good the contour may go on as it likes.
        values = np.exp(self._exponent(line, epsilon) - peak) * (along - 1j * bend * up)
        values[0] /= 2
        return line, math.exp(peak) * width * _STEP / math.pi * values

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

    def _exponent(self, s: ComplexArray, epsilon: float) -> ComplexArray:
        """ln M(s) − sε − ln(s(s+1)), shape of s."""
        inner = 1 + s[..., None] * (1 - 1 / self.spread)
        scaled = self.shift / self.spread
        terms = (
            s[..., None] * (np.log(self.spread) + self.shift * scaled)
            - np.log(inner)
            + (s[..., None] * scaled) ** 2 / inner
        )
        return np.asarray(terms.sum(axis=-1) / 2 - s * epsilon - np.log(s) - np.log(s + 1))

    def _derivatives(self, c: float, epsilon: float) -> tuple[float, float]:
        """First and second derivative of the exponent at a real point."""
        rate = 1 - 1 / self.spread
        inner = 1 + c * rate
        squared = (self.shift / self.spread) ** 2
        first = (
            np.log(self.spread)
            + self.shift**2 / self.spread
            - rate / inner
            + squared * c * (2 + c * rate) / inner**2
        ).sum() / 2
        second = ((rate / inner) ** 2 + 2 * squared / inner**3).sum() / 2
        return (
            float(first - epsilon - 1 / c - 1 / (1 + c)),
            float(second + 1 / c**2 + 1 / (1 + c) ** 2),
        )

    def _saddle(self, epsilon: float) -> tuple[float, float]:
        """Where the exponent, convex on the real line, is least, and its width there."""
        low, high = 0.0, self._pole
        point = 1.0 if math.isinf(high) else high / 2
        for _ in range(200):
            first, second = self._derivatives(point, epsilon)
            low, high = (point, high) if first < 0 else (low, point)
            newton = point - first / second
            if abs(newton - point) < 1e-6 * point:
                break
            inside = low < newton < high
            middle = 2 * point if math.isinf(high) else (low + high) / 2
            point = newton if inside else middle
        return point, 1 / math.sqrt(second)


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
    return np.array([[loss.delta(float(epsilon)) for epsilon in points] for loss in losses])


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
    losses = [loss for fit in model.pairs for loss in privacy_losses(fit, noise)]
    return max(_epsilon(loss, delta) for loss in losses)


def _epsilon(loss: PrivacyLoss, delta: float) -> float:
    if loss.delta(0.0) <= delta:
        return 0.0
    if not np.isfinite(loss.shift).all():
        return math.inf
    high = 1.0
    while loss.delta(high) > delta:
        high *= 2
    return float(
        brentq(
            lambda epsilon: math.log(max(loss.delta(epsilon), 1e-300)) - math.log(delta),
            0.0,
            high,
            xtol=1e-10,
        )
    )
