"""How far apart two normal distributions are, and how far one reaches, in the L1 norm."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq, minimize
from scipy.special import ndtri
from scipy.stats import qmc

__all__ = ["normal_closeness", "normal_deviation"]

FloatArray = NDArray[np.float64]

_SPHERE = 12  # 2¹² points of the unit sphere


def normal_closeness(difference: FloatArray, covariance: FloatArray, delta: float) -> float:
    r"""The least W for which N(μ, Σ) and N(μ + d, Σ) are (W, δ)-close.

    It is the length :math:`\min \|e\|_1` subject to
    :math:`(d - e)^\top\Sigma^{-1}(d - e) \le r^2`, :math:`r = 2\Phi^{-1}((1 + \delta)/2)`.
    Enough: moved by e, the two overlap in all but
    2Φ(r/2) − 1 = δ of their mass, which stays where it is. Needed: a direction w with
    :math:`\|w\|_\infty \le 1` shortens no move, and along it the two normals are
    :math:`(w^\top d - r\sqrt{w^\top\Sigma w}, \delta)`-close at best; the largest of these is the
    least of those by duality. In one dimension W = max(0, d − 2σΦ⁻¹((1 + δ)/2)).

    Parameters
    ----------
    difference : ndarray, shape (m,)
        d.
    covariance : ndarray, shape (m, m)
        Σ, positive definite.
    delta : float in [0, 1)

    Returns
    -------
    float
        ‖e‖_1 of an e that meets the condition, whether or not the search found the least.
    """
    radius = 2 * float(ndtri((1 + delta) / 2))
    apart = math.sqrt(max(float(difference @ np.linalg.solve(covariance, difference)), 0.0))
    if apart <= radius:
        return 0.0

    def left(weights: FloatArray) -> FloatArray:
        """What is left to move if r is spent along Σw: it meets the condition for any w."""
        spread = math.sqrt(float(weights @ covariance @ weights))
        return difference - radius * (covariance @ weights) / spread

    def negative(weights: FloatArray) -> tuple[float, FloatArray]:
        return -float(weights @ left(weights)), -left(weights)

    signs = np.sign(difference)
    straight = float(np.abs(difference).sum()) * (1 - radius / apart)
    if radius == 0 or (left(signs) * signs >= 0).all():  # nothing turns back: the least
        return float(np.abs(left(signs)).sum())
    start = np.linalg.solve(covariance, difference)
    found = minimize(
        negative,
        start / np.abs(start).max(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1, 1)] * len(start),
        options={"ftol": 1e-13, "gtol": 1e-9},
    )
    return min(straight, float(np.abs(left(found.x)).sum()))


def normal_deviation(covariance: FloatArray, probability: float) -> float:
    r"""The least c with ‖X‖_1 ≤ c with a given probability, X ~ N(0, Σ).

    X = R L u with LLᵀ = Σ, R² ~ χ²_m and u uniform on the sphere, so that
    :math:`\Pr(\|X\|_1 > c) = E_u \Pr(R > c/\|Lu\|_1)`, a mean over 4096 scrambled Sobol' points
    (c to about 1e-3, and the same at every call).

    Parameters
    ----------
    covariance : ndarray, shape (m, m)
    probability : float in (0, 1)
    """
    return _deviation(covariance.tobytes(), len(covariance), probability)


@lru_cache(maxsize=256)
def _deviation(entries: bytes, size: int, probability: float) -> float:
    """Remembered: it depends on neither ε nor a mechanism, and curves ask for it at every point."""
    covariance = np.frombuffer(entries).reshape(size, size)
    outside = 1 - probability
    if size == 1:
        return float(-math.sqrt(covariance[0, 0]) * ndtri(outside / 2))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    # A fixed sign for each axis: the result must not depend on how the solver happened to turn it.
    signs = np.sign(np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0))
    factor = vectors * signs * np.sqrt(np.maximum(eigenvalues, 0.0))
    normal = ndtri(qmc.Sobol(size, scramble=True, rng=0).random_base2(_SPHERE))
    lengths = np.abs(normal @ factor.T).sum(axis=1) / np.linalg.norm(normal, axis=1)
    furthest = float(lengths.max())
    squared = (lengths / furthest) ** 2

    def excess(reach: float) -> float:
        beyond = stats.chi2.sf(reach**2 / np.maximum(squared, 1e-12), size).mean()
        return math.log(max(float(beyond), 1e-300) / outside)

    highest = math.sqrt(float(stats.chi2.isf(outside, size)))
    return furthest * float(brentq(excess, highest * 1e-6, highest, xtol=1e-9 * highest))
