"""The privacy loss of two normals as they are: δ for every ε.

The mechanisms promise (ε, δ) under the assumption that both distributions of a pair have one
covariance. Here nothing is assumed but that they are normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from distpriv.privacy.calibration import gaussian_delta
from distpriv.privacy.contours import Contours, contours, suprema

__all__ = ["PrivacyLoss"]

FloatArray = NDArray[np.float64]

_SAME = 1e-9


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
            return np.array([gaussian_delta(distance, float(epsilon)) for epsilon in epsilons])
        deltas = np.zeros(len(epsilons))
        inside = epsilons < self.supremum - 1e-12
        if inside.any():
            deltas[inside] = self._contours(epsilons[inside]).deltas
        return deltas.clip(0.0, 1.0)

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
        lines = self._contours(np.array([epsilon]))
        return float(lines.deltas[0]), float(-(lines.line * lines.weights).sum().real)

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
        lines = self._contours(np.array([epsilon]))
        line, weights = lines.line[0], lines.weights[0]
        alpha = (1 + line)[:, None]
        between = 1 - alpha + alpha * self.spread
        scaled = self.shift / between
        inner = ((weights * (alpha[:, 0] * (1 - alpha[:, 0])))[:, None] * scaled).T @ scaled
        diagonal = weights @ (1 - alpha + alpha / self.spread - 1 / between)
        inner += np.diag(diagonal)
        return np.asarray(change.T @ inner.real @ change / 2)

    def _contours(self, epsilons: FloatArray) -> Contours:
        rows = (len(epsilons), len(self.shift))
        return contours(
            np.broadcast_to(self.shift, rows), np.broadcast_to(self.spread, rows), epsilons
        )

    @property
    def supremum(self) -> float:
        """The largest value of L; infinite unless Q is wider than P wherever they differ."""
        return float(suprema(self.shift[None], self.spread[None])[0])
