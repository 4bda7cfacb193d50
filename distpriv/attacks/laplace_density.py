r"""The density of a normal plus Laplace noise along several directions.

In coordinates of the noise, one along each of its directions, a release is u = x + ξ with x
normal and ξ independent, of scale 1. Given the coordinates of x before it, each u_k is a normal
plus a Laplace variable, whose density is known (Reed 2006), and so is the law of x_k given u_k: two
pieces of normals. So

.. math:: p(u) = E \prod_k p(u_k \mid x_1, \ldots, x_{k-1}),

each x_k drawn from its law given u_k and those before it, all from the same evenly spread points
(Geweke 1991; Hajivassiliou & McFadden 1998, the GHK simulator, there for probit probabilities).
The last one need not be drawn: along one direction, or for statistics that are independent, the
density is exact. Coordinates in which the noise is narrowest go first: they are all but known.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp, ndtri_exp
from scipy.stats import qmc

from distpriv.privacy.normal_laplace import log_tilted

__all__ = ["log_densities"]

FloatArray = NDArray[np.float64]

_WORK = 17  # 2¹⁷ densities in one dimension together, some 15 ms
_FEWEST, _MOST = 6, 13  # 2⁶ to 2¹³ points
_TOGETHER = 1024  # releases, for the memory
_NARROW = 1e-6  # of the usual deviation: noise whose shape is lost in rounding


def log_densities(away: FloatArray, covariances: FloatArray, noise: FloatArray) -> FloatArray:
    r"""ln p(y) of y = x + Σ_k ξ_k noise[:, k], up to a constant, for K normals x.

    The more points, 64 to 8192, the fewer normals there are. Against orthant probabilities, for
    five statistics, the logarithms of two densities are apart by what they should be to 10⁻⁴ or so
    where the noise is as wide as the statistics spread, to 10⁻² at worst where it is a tenth of
    that.

    Parameters
    ----------
    away : ndarray, shape (K, m)
        y less the means, in units in which no variance is far from 1.
    covariances : ndarray, shape (K, m, m)
        Positive definite.
    noise : ndarray, shape (m, d)
        Independent columns, not zero: directions times scales; ξ are standard Laplace.

    Returns
    -------
    ndarray, shape (K,)
        No further apart than the noise allows where two normals are translations of each other:
        a shift by Σ_k s_k noise[:, k] moves a logarithm by at most Σ|s_k|.
    """
    sizes = np.linalg.norm(noise, axis=0)
    narrow, wide = noise[:, sizes < _NARROW], sizes >= _NARROW
    covariances = covariances + 2 * narrow @ narrow.T
    along, sizes = noise[:, wide] / sizes[wide], sizes[wide]
    rest = np.linalg.qr(along, mode="complete")[0][:, len(sizes) :]
    change = np.vstack([rest.T, np.linalg.pinv(along) / sizes[:, None]])
    moved, variances = away @ change.T, change @ covariances @ change.T
    free = rest.shape[1]
    usual = variances.mean(axis=0)
    coefficients = usual[free:, :free] @ np.linalg.solve(usual[:free, :free], usual[:free, free:])
    spreads = np.diag(usual[free:, free:] - coefficients)
    order = np.concatenate([np.arange(free), free + np.argsort(-spreads, kind="stable")])
    moved, variances = moved[:, order], variances[:, order[:, None], order]
    points = _points(len(sizes), len(moved))
    blocks = [(start, start + _TOGETHER) for start in range(0, len(moved), _TOGETHER)]
    logs = np.concatenate(
        [
            _sequentially(moved[start:end], variances[start:end], free, points)
            for start, end in blocks
        ]
    )
    return _as_promised(logs, moved, variances, free)


def _sequentially(
    moved: FloatArray, variances: FloatArray, free: int, points: FloatArray
) -> FloatArray:
    """Logarithms of the densities; `free` coordinates without noise come first."""
    roots = np.asarray(np.linalg.cholesky(variances), dtype=np.float64)
    before = np.linalg.solve(roots[:, :free, :free], moved[:, :free, None])
    logs = -(before[..., 0] ** 2).sum(axis=1) / 2
    logs -= np.log(np.diagonal(roots, axis1=1, axis2=2)[:, :free]).sum(axis=1)
    known = np.zeros((len(moved), moved.shape[1], len(points)))  # x, in standard normals
    known[:, :free] = before
    weights = np.zeros((len(moved), len(points)))
    for k in range(free, moved.shape[1]):
        explained = (roots[:, None, k, :k] @ known[:, :k])[:, 0]
        spread = roots[:, k, k, None]
        z = (moved[:, k, None] - explained) / spread
        below, above = log_tilted(z, spread), log_tilted(-z, spread)
        both = np.logaddexp(below, above)
        weights += both
        if k + 1 < moved.shape[1]:
            known[:, k] = _given_release(z, spread, np.exp(below - both), points[:, k - free])
    return logs + logsumexp(weights, axis=1)


def _given_release(
    z: FloatArray, spread: FloatArray, below: FloatArray, uniform: FloatArray
) -> FloatArray:
    """x by inversion, in its standard deviations: below z with a probability, or above it."""
    under = uniform < below
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # of the one not taken
        part = np.where(under, uniform / below, (1 - uniform) / (1 - below))
    end = np.where(under, z, -z) - spread
    depth = ndtri_exp(np.log(part) + log_ndtr(end)) + spread
    return np.where(under, depth, -depth)


def _as_promised(
    logs: FloatArray, moved: FloatArray, variances: FloatArray, free: int
) -> FloatArray:
    """Lower what the noise does not allow between neighbours that are translations."""
    allowed = np.abs(np.diff(moved[:, free:], axis=0)).sum(axis=1)
    scale = np.abs(variances).max(axis=(1, 2))
    apart = np.abs(np.diff(variances, axis=0)).max(axis=(1, 2), initial=0.0) > 1e-12 * scale[1:]
    apart |= (np.abs(np.diff(moved[:, :free], axis=0)) > 1e-9).any(axis=1)
    allowed[apart] = math.inf
    held = logs.tolist()
    for near, far, most in zip(range(len(logs)), range(1, len(logs)), allowed, strict=False):
        held[far] = min(held[far], held[near] + most)
    for near, most in reversed(list(enumerate(allowed))):
        held[near] = min(held[near], held[near + 1] + most)
    return np.array(held)


def _points(noisy: int, count: int) -> FloatArray:
    """Evenly spread over the open cube, shape (J, noisy − 1); J = 1 where none is drawn."""
    if noisy < 2:
        return np.empty((1, 0))
    power = int(math.log2(max(2**_WORK / (count * noisy), 1)))
    return _sobol(noisy - 1, min(max(power, _FEWEST), _MOST))


@lru_cache(maxsize=16)
def _sobol(dimensions: int, power: int) -> FloatArray:
    drawn = qmc.Sobol(dimensions, scramble=True, rng=0).random_base2(power)
    return np.asarray(drawn).clip(2**-60, 1 - 2**-53)
