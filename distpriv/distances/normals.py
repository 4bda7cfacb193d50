"""How far apart two normal laws are, and how far one reaches, in the L1 norm."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special

from distpriv.arrays import FloatArray, number, numbers
from distpriv.errors import DistprivError

__all__ = ["normal_closeness", "normal_reach"]

_POINTS = 15  # of the sphere, as a power of 2


def normal_closeness(difference: FloatArray, covariance: FloatArray, delta: float) -> float:
    r"""Compute the least W for which N(μ, Σ) and N(μ + d, Σ) are (W, δ)-close in the L1 norm.

    :math:`\min \|e\|_1` subject to :math:`(d - e)^\top\Sigma^{-1}(d - e) \le r^2`,
    :math:`r = 2\Phi^{-1}((1 + \delta)/2)`. Enough: moved by e, the two overlap in all but δ of
    their mass, which stays where it is. Needed: a direction w with :math:`\|w\|_\infty \le 1`
    lengthens no move, and along it :math:`w^\top d - r\sqrt{w^\top\Sigma w}` is the least W; the
    largest of these is the minimum by duality. On a line it is max(0, d − 2σΦ⁻¹((1 + δ)/2)).
    Whatever w the search ends at, the result is ‖e‖_1 of an e that meets the condition.
    DistprivError if a number is out of its domain, or the shapes do not fit.

    Parameters
    ----------
    difference : ndarray, shape (m,)
    covariance : ndarray, shape (m, m)
        Positive definite.
    delta : float
        From 0, below 1.

    Examples
    --------
    >>> round(dp.distances.normal_closeness([3.0, 0.0], np.eye(2), delta=0.05), 3)
    2.875
    """
    number("δ", delta, 0, 1, below=True)
    difference = np.atleast_1d(numbers("A difference", difference))
    covariance = _covariance(covariance, difference.shape)
    radius = 2 * float(special.ndtri((1 + delta) / 2))
    if np.linalg.matrix_rank(covariance) < len(covariance):
        raise DistprivError("The covariance leaves some direction without variance; leave it out.")
    start = np.linalg.solve(covariance, difference)
    apart = math.sqrt(max(float(difference @ start), 0.0))
    if apart <= radius:
        return 0.0

    def rest(w: FloatArray) -> FloatArray:
        return difference - radius * covariance @ w / math.sqrt(w @ covariance @ w)

    signs = np.where(difference < 0, -1.0, 1.0)
    if radius == 0 or (rest(signs) * signs >= 0).all():  # no coordinate turns back
        return float(np.abs(rest(signs)).sum())
    best = optimize.minimize(  # type: ignore[call-overload]
        lambda w: (-float(w @ rest(w)), -rest(w)),
        start / np.abs(start).max(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1, 1)] * len(start),
        options={"ftol": 1e-13, "gtol": 1e-9},
    )
    straight = float(np.abs(difference).sum()) * (1 - radius / apart)
    return min(straight, float(np.abs(rest(best.x)).sum()))


def normal_reach(covariance: FloatArray, outside: float) -> float:
    r"""Compute the least c with Pr(‖X‖_1 > c) <= outside for X ~ N(0, Σ), as Theorem 3.3 needs it.

    X = R L u with R² ~ χ²_m and u uniform on the sphere, so that
    :math:`\Pr(\|X\|_1 > c) = E_u \Pr(R > c/\|Lu\|_1)`: a mean over 2¹⁵ points of Sobol's sequence,
    good to 0.1 % of c for up to five statistics, 1 % for eight and 2 % for a dozen; so much is
    added. DistprivError if a number is out of its domain, or the shape is another one.

    Parameters
    ----------
    covariance : ndarray, shape (m, m)
        Positive semidefinite.
    outside : float
        Above 0, below 1.

    Examples
    --------
    >>> round(dp.distances.normal_reach([[4.0]], outside=0.05), 3)
    3.92
    """
    from scipy.stats import qmc  # noqa: TID251  (takes a second, so only where it is needed)

    number("The chance outside", outside, 0, 1, above=True, below=True)
    covariance = _covariance(covariance)
    m = len(covariance)
    if m == 1:
        return -math.sqrt(covariance[0, 0]) * float(special.ndtri(outside / 2))
    values, vectors = np.linalg.eigh(covariance)
    points = special.ndtri(qmc.Sobol(m, seed=0).random_base2(_POINTS).clip(1e-12, 1 - 1e-12))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    lengths = np.abs(points @ (vectors * np.sqrt(values.clip(0))).T).sum(axis=1)
    widest = float(lengths.max())
    if widest == 0:
        return 0.0

    def excess(c: float) -> float:
        return float(special.chdtrc(m, (c / lengths) ** 2).mean()) - outside

    top = 1.01 * widest * math.sqrt(special.chdtri(m, outside))
    return float(optimize.brentq(excess, 1e-9 * top, top)) * (1 + 1.5e-4 * m**2)


def _covariance(values: FloatArray, shape: tuple[int, ...] | None = None) -> FloatArray:
    """Check a covariance, of a difference of that shape."""
    matrix = numbers("A covariance", values)
    if matrix.ndim != 2 or matrix.shape != 2 * (shape or matrix.shape[:1]):
        raise DistprivError(f"A covariance is a square of numbers, not of shape {matrix.shape}.")
    rounding = 1e-9 * np.abs(matrix).max()
    if np.linalg.eigvalsh(matrix)[0] < -rounding or (np.abs(matrix - matrix.T) > rounding).any():
        raise DistprivError("A covariance is symmetric, and no variance is negative; correct it.")
    return matrix
