"""How far apart two normal distributions are, and how far one reaches, in the L1 norm."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq, minimize
from scipy.special import gammaln, log_ndtr, logsumexp, ndtri
from scipy.stats import qmc

from distpriv.arguments import MODERATE, Axes, checked
from distpriv.errors import DistanceError

__all__ = ["normal_closeness", "normal_deviation"]

FloatArray = NDArray[np.float64]

_SPHERE = 12  # 2¹² points of the unit sphere
_AXES = 256
_SHORTEST = 1e-7  # of the longest axis


@checked(DistanceError)
def normal_closeness(
    difference: Annotated[FloatArray, Axes(1), MODERATE],
    covariance: Annotated[FloatArray, Axes(2), MODERATE],
    delta: float,
) -> float:
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

    Raises
    ------
    DistanceError
        If Σ is not positive definite, or does not go with d, or δ is outside its domain.

    Returns
    -------
    float
        ‖e‖_1 of an e that meets the condition, whether or not the search found the least.
    """
    if not 0 <= delta < 1:
        raise DistanceError(f"δ must be in [0, 1), got δ = {delta:g}.")
    shape = (len(difference),) * 2
    if covariance.shape != shape or not _is_definite(covariance):
        raise DistanceError(
            f"The covariance must be a positive definite matrix of shape {shape}, as there are "
            f"{len(difference)} differences, got shape {covariance.shape} and eigenvalues "
            f"{'of another number' if covariance.shape != shape else 'that are not all positive'}."
        )
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
    optimum = minimize(
        negative,
        start / np.abs(start).max(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1, 1)] * len(start),
        options={"ftol": 1e-13, "gtol": 1e-9},
    )
    return min(straight, float(np.abs(left(optimum.x)).sum()))


def _is_definite(covariance: FloatArray) -> bool:
    """In units of each one's own deviation, so that none is lost beside a larger one."""
    own = np.diag(covariance)
    if not (own > 0).all():
        return False
    units = np.sqrt(own)
    return bool(np.linalg.eigvalsh(covariance / np.outer(units, units))[0] > 0)


def normal_deviation(covariance: FloatArray, outside: float) -> float:
    r"""The least c with ‖X‖_1 > c with no more than a given probability, X ~ N(0, Σ).

    X = R L u with LLᵀ = Σ, R² ~ χ²_m and u uniform on the sphere, so that
    :math:`\Pr(\|X\|_1 > c) = E_u \Pr(R > c/\|Lu\|_1)`, a mean over 4096 scrambled Sobol' points,
    the same at every call. They lie where the mean comes from (importance sampling): X reaches
    beyond c where sᵀX does for a row s of signs, so that far out they gather about the directions
    Lᵀs in which the reach is longest. The probability beyond c is the one asked for to
    1 %, however small, for up to eight statistics, and to 2 % for a dozen.

    Parameters
    ----------
    covariance : ndarray, shape (m, m)
    outside : float in (0, 1)
        The probability beyond c.
    """
    return _deviation(covariance.tobytes(), len(covariance), outside)


@lru_cache(maxsize=256)
def _deviation(entries: bytes, size: int, outside: float) -> float:
    """Remembered: it depends on neither ε nor a mechanism, and curves ask for it at every point."""
    covariance = np.frombuffer(entries).reshape(size, size)
    if not covariance.any():  # nothing varies, as all records of a group are taken
        return 0.0
    if size == 1:
        return float(-math.sqrt(covariance[0, 0]) * ndtri(outside / 2))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    # A fixed sign for each axis: the result must not depend on how the solver happened to turn it.
    signs = np.sign(np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0))
    factor = vectors * signs * np.sqrt(np.maximum(eigenvalues, 0.0))
    uniform = qmc.Sobol(size + 1, scramble=True, rng=0).random_base2(_SPHERE)
    normal, axes = ndtri(uniform[:, 1:]), _axes(factor)
    reaches = np.linalg.norm(axes, axis=1)
    # It reaches at least as far as the longest axis alone.
    depths = -float(ndtri(outside / 2)) * reaches.max() / reaches
    sphere, weights = _gathered(uniform[:, 0], normal, axes / reaches[:, None], depths)
    squared = (np.abs(sphere @ factor.T).sum(axis=1) / reaches.max()) ** 2

    def excess(reach: float) -> float:
        beyond = weights @ stats.chi2.sf(reach**2 / np.maximum(squared, 1e-12), size)
        return math.log(max(float(beyond), 1e-300) / outside)

    highest = math.sqrt(float(stats.chi2.isf(outside, size)))
    radius = brentq(excess, highest * 1e-6, highest * 1.01, xtol=1e-9 * highest)
    return float(reaches.max()) * float(radius)


def _axes(factor: FloatArray) -> FloatArray:
    """Lᵀs for rows s of signs, up to one of all, the longest first, shape (axes, m)."""
    normal = ndtri(qmc.Sobol(len(factor), scramble=True, rng=0).random_base2(_SPHERE))
    rows = np.where(normal @ factor.T > 0, 1.0, -1.0)
    climbed = rows
    for _ in range(4):  # sᵀΣs grows where signs become those of Σs
        climbed = np.where(climbed @ factor @ factor.T > 0, 1.0, -1.0)
    candidates = np.vstack([rows, climbed])
    axes = np.unique(candidates * candidates[:, :1], axis=0) @ factor
    # As above: along the widest axis of the normal, not against it.
    axes *= np.where(axes[:, -1:] < 0, -1.0, 1.0)
    lengths = np.linalg.norm(axes, axis=1)
    order = np.argsort(-lengths, kind="stable")[:_AXES]
    return axes[order[lengths[order] > _SHORTEST * lengths.max()]]  # others are none, but rounding


def _gathered(
    uniform: FloatArray, normal: FloatArray, axes: FloatArray, depths: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Points of the sphere, more about some axes, and weights that make up for it.

    About an axis e they are e + v, v normal across it with deviation 1/depth, drawn back to the
    sphere; one in ten is from anywhere, so that no weight is large.
    """
    size = normal.shape[1]
    shares = np.append(0.1, 0.9 * np.exp(log_ndtr(-depths) - logsumexp(log_ndtr(-depths))))
    which = np.minimum(np.searchsorted(shares.cumsum(), uniform), len(axes)) - 1
    about, depth = axes[which], depths[which, None]
    across = normal - (normal * about).sum(axis=1, keepdims=True) * about
    points = np.where(which[:, None] < 0, normal, about + across / depth)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    cosines = np.abs(points @ axes.T).clip(1e-100)
    # Of an axis, over the uniform density 1/A, A the sphere's area; e and −e are the same.
    area = math.log(2) + size / 2 * math.log(math.pi) - gammaln(size / 2)
    logs = area - math.log(2) + (size - 1) * (np.log(depths) - math.log(2 * math.pi) / 2)
    logs = logs - depths**2 * (cosines**-2.0 - 1) / 2 - size * np.log(cosines)
    density = shares[0] + np.exp(logs) @ shares[1:]
    return points, 1 / (density * len(points))
