r"""How well a noise covers the grid of the statistics.

For x with a normal law restricted to a grid, and normal noise of covariance S, Poisson's summation
formula writes the density of y = x + noise as that of the normal model times
:math:`\sum_w e^{2\pi i w^T(\cdot)} e^{-2\pi^2 w^T M w}`, w over the dual grid and M the
covariance of x given y: everywhere within a factor 1 ± θ of the normal model's, with
:math:`\theta = \sum_{w \ne 0} e^{-2\pi^2 w^T M w}`. (Micciancio & Regev 2007 call the noise at
which such a sum is small the smoothing parameter of a lattice.) Noise that leaves a direction bare
has no finite θ: whoever knows the grid subtracts it.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["COVERED", "log_ratio", "smoothness"]

FloatArray = NDArray[np.float64]

COVERED = 0.05  # θ up to which a release counts as covering the grid
_ENUMERATED = 6  # statistics
_REACH = 2  # in each coordinate; what lies beyond is bounded
_NEGLIGIBLE = 40.0
_SHARE = 0.1
_MOST_POINTS = 200_000
_BARE = 1e-13
_LARGEST = 1e6  # deviation of the noise in units of the floor that numbers can tell apart
_TURNS = np.arange(1, 40)


def log_ratio(theta: float) -> float:
    """By how much θ moves a log-likelihood ratio at most: ln((1 + θ)/(1 − θ)), ∞ from θ = 1 on."""
    return math.log1p(theta) - math.log1p(-theta) if theta < 1 else math.inf


def smoothness(
    covariances: FloatArray, steps: FloatArray, factors: FloatArray, floor: FloatArray
) -> float:
    """θ of a release with normal noise, for the law that is covered worst.

    Parameters
    ----------
    covariances : ndarray, shape (k, m, m)
        Of the statistics, positive definite.
    steps : ndarray, shape (m,)
        Grid of each statistic: 0 where there is none, ∞ where it does not move, NaN where it is
        not known: finer than the noise if that leaves no direction bare, else ∞ comes out.
    factors : ndarray, shape (m, d)
        Of the noise: its covariance is factors factorsᵀ + diag(floor²).
    floor : ndarray, shape (m,)
        Standard deviations of independent noise on each statistic, each >= 0.

    Returns
    -------
    float >= 0
        An upper bound up to 1e-12 of itself; ∞ where arithmetic undoes the noise.
    """
    if not (steps != 0).any():
        return 0.0
    # What has no grid is a density: a trace of noise on it stands for none.
    traces = 1e-5 * np.sqrt(covariances[0].diagonal())
    floor = np.where((floor > 0) | (steps != 0), floor, traces)
    within = _given_release(covariances, factors, floor)
    if within is None or np.isinf(steps).any():
        return math.inf
    gridded = np.flatnonzero(steps > 0)
    if not gridded.size:
        return 0.0
    sizes = steps[gridded]
    forms = within[:, gridded[:, None], gridded] / np.outer(sizes, sizes)
    return max(map(_theta, forms)) if len(sizes) > _ENUMERATED else _theta_of_few(forms)


def _given_release(
    covariances: FloatArray, factors: FloatArray, floor: FloatArray
) -> FloatArray | None:
    """Covariance of the statistics given the release, (Σ⁻¹ + S⁻¹)⁻¹, or None if one is singular.

    In units of the floor, where S is the identity and a few directions more, so that a floor far
    below the noise along these is not lost to rounding.
    """
    units = floor
    if not (floor > 0).all():
        own = np.sqrt((factors**2).sum(axis=1))
        if not (own > 0).all():
            return None
        units = own
    scaled = factors / units[:, None]
    if (floor > 0).all():
        vectors, singular, _ = np.linalg.svd(scaled, full_matrices=False)
        singular = singular.clip(max=_LARGEST)  # less noise is the safe side
        precision = np.eye(len(units)) - (vectors * (singular**2 / (1 + singular**2))) @ vectors.T
    else:
        inner = scaled @ scaled.T + np.diag((floor / units) ** 2)
        values, vectors = np.linalg.eigh(inner)
        if values[0] < _BARE:
            return None
        precision = (vectors / values) @ vectors.T
    across = np.outer(units, units)
    try:
        return np.linalg.inv(np.linalg.inv(covariances / across) + precision) * across
    except np.linalg.LinAlgError:
        return None


@lru_cache(maxsize=_ENUMERATED)
def _points(size: int) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.intp]]:
    """One of w and −w for every point within reach but 0, as products of their coordinates."""
    every = list(itertools.product(range(-_REACH, _REACH + 1), repeat=size))
    half = np.array(every[len(every) // 2 + 1 :], dtype=np.float64)
    rows, columns = np.triu_indices(size)
    return half[:, rows] * half[:, columns] * np.where(rows == columns, 1.0, 2.0), rows, columns


def _theta_of_few(forms: FloatArray) -> float:
    """θ for quadratic forms of few coordinates, shape (k, m, m)."""
    products, rows, columns = _points(forms.shape[-1])
    exponents = -2 * math.pi**2 * (products @ forms[:, rows, columns].T)
    least = float(np.linalg.eigvalsh(forms)[:, 0].min())
    beyond = 2 * math.pi**2 * least * (_REACH + 1) ** 2
    if beyond < _NEGLIGIBLE:
        return max(map(_theta, forms))
    each = 1 + 2 * float(np.exp(-_SHARE * beyond * (_TURNS / (_REACH + 1)) ** 2).sum())
    left = each ** forms.shape[-1] * math.exp(-(1 - _SHARE) * beyond)
    return float(2 * np.exp(exponents).sum(axis=0).max()) + left


def _theta(form: FloatArray) -> float:
    """θ for one form: all points that count, or a product of bounds where those are too many."""
    try:
        root: FloatArray = np.asarray(np.linalg.cholesky(form).T, dtype=np.float64)
    except np.linalg.LinAlgError:
        return math.inf
    bound = _tail(form, share=1.0) - 1
    radius = _NEGLIGIBLE / (2 * math.pi**2)
    if bound <= 0.0 or len(form) > 2 * _ENUMERATED:
        return bound
    squares = _squares_within(root, radius)
    if squares is None:
        return bound
    left = _tail(form) * math.exp(-(1 - _SHARE) * _NEGLIGIBLE)
    return min(bound, float(np.exp(-2 * math.pi**2 * squares).sum()) - 1 + left)


def _squares_within(root: FloatArray, radius: float) -> FloatArray | None:
    """|root k|² of all whole k within a radius (Fincke & Pohst 1985); None for too many."""
    size = len(root)
    points, squares = np.zeros((1, size)), np.zeros(1)
    for place in range(size - 1, -1, -1):
        center = -(points[:, place + 1 :] @ root[place, place + 1 :]) / root[place, place]
        reach = np.sqrt((radius - squares).clip(0)) / root[place, place]
        first, last = np.ceil(center - reach), np.floor(center + reach)
        counts = (last - first + 1).clip(0).astype(np.intp)
        if counts.sum() > _MOST_POINTS:
            return None
        origin = np.repeat(np.arange(len(points)), counts)
        offset = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
        points, squares = points[origin], squares[origin]
        points[:, place] = first[origin] + offset
        squares = squares + ((points[:, place] - center[origin]) * root[place, place]) ** 2
    return squares


def _tail(form: FloatArray, share: float = _SHARE) -> float:
    """A bound on Σ exp(−2π² share kᵀ form k) over all whole k.

    With form = RᵀR the sum over the first coordinate is largest where the others shift it by
    nothing, and so on: the product of one-dimensional sums over the diagonal of R.
    """
    diagonal = np.diag(np.linalg.cholesky(form))
    sums = 2 * np.exp(-2 * math.pi**2 * share * np.outer(diagonal**2, _TURNS**2)).sum(axis=1)
    return float(np.prod(1 + sums))
