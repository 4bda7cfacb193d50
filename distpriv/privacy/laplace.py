"""Losses under Laplace noise: quadrature nodes of the two densities, as finitely many outcomes.

Along one direction (DirM(L), with its normal floor) the density given the other coordinates is
normal plus Laplace in closed form (Reed 2006): quasi-random nodes for these, a mesh along noise.
Along several (ExpM(L)) Laplace noise is normal noise of random size (Andrews & Mallows 1974): a
mixture of normals at quasi-random sizes, equal for both laws, at quasi-random draws. Accuracies
come out to about 3e-4, a δ to about a fifth of it and 2e-5.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from distpriv.arrays import FloatArray
from distpriv.privacy.loss import FiniteLoss

__all__ = ["APART", "line_loss", "normal_laplace", "spread_loss"]

APART = FiniteLoss(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
"""Of two laws without a value in common."""

_WIDER = 1.35  # of the nodes' spread, so that tails are met
_NODES = 512
_FINE = 8  # points of the mesh in the least deviation, or in 1/40 of a scale
_STEP = 0.05  # of the mesh far out, relative
_POINTS = 8192  # of a mesh, at most
_REACH = 9.0  # deviations
_SCALES = 30.0  # of Laplace noise
_SIZES = 512
_DRAWS = 4096
_BLOCK = 512
_TOLERANCE = 0.1  # of the mass that nodes must meet
_TRACE = 1e-12


def normal_laplace(x: FloatArray, deviation: float, scale: float) -> FloatArray:
    """Compute the density at x of N(0, deviation²) plus Laplace noise (Reed 2006, Equation 3)."""

    def side(x: FloatArray) -> FloatArray:  # exp(s²/2b² − x/b) Φ(x/s − s/b) without overflow
        u = (deviation / scale - x / deviation) / math.sqrt(2)
        near = np.exp(-((x / deviation) ** 2) / 2) * special.erfcx(np.maximum(u, -5.0)) / 2
        far = np.exp(np.minimum(deviation**2 / (2 * scale**2) - x / scale, 0.0))
        return np.where(u > -5, near, far)

    return (side(x) + side(-x)) / (2 * scale)


def line_loss(
    difference: FloatArray, covariances: FloatArray, direction: FloatArray, scale: float
) -> FiniteLoss:
    """Compute the loss of N(d, Σ_0) against N(0, Σ_1), both with Laplace noise along a direction.

    Parameters
    ----------
    difference : ndarray, shape (m,)
    covariances : ndarray, shape (2, m, m)
        Normal noise besides included.
    direction : ndarray, shape (m,)
    scale : float
        Of the noise along the direction, which has length 1.

    Returns
    -------
    FiniteLoss
        Of laws without a common value where the nodes miss one of the laws.
    """
    m = len(difference)
    unit = np.sqrt(np.diagonal(covariances.mean(axis=0)))
    unit = np.where(unit > 0, unit, 1.0)
    d, scaled = difference / unit, covariances / np.outer(unit, unit) + _TRACE * np.eye(m)
    size = float(np.linalg.norm(direction / unit))
    v, b = direction / unit / size, scale * size
    others = np.linalg.svd(v[:, None])[0][:, 1:]
    free = others.T @ scaled @ others  # (2, m − 1, m − 1)
    cross = others.T @ scaled @ v
    slopes = np.linalg.solve(free, cross[..., None])[..., 0]
    deviations = np.sqrt(v @ scaled @ v - (cross * slopes).sum(axis=1))
    means = np.array([d, np.zeros(m)])
    nodes, logs = _nodes(means @ others, free)
    away = nodes[None] - (means @ others)[:, None]
    centres = (means @ v)[:, None] + (away * slopes[:, None]).sum(axis=2)  # (2, nodes)
    mesh, steps = _mesh(np.abs(np.diff(centres, axis=0)).max(), deviations, b)
    y = centres.mean(axis=0)[:, None] + mesh
    masses = []
    for log, centre, deviation in zip(logs, centres, deviations, strict=True):
        density = normal_laplace(y - centre[:, None], float(deviation), b)
        masses.append(np.exp(log)[:, None] * density * steps)
    return _loss(*masses)


def _nodes(means: FloatArray, covariances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return nodes, (N, k), that cover two normals, and the logarithms of their masses, (2, N)."""
    k = means.shape[1]
    if k == 0:
        return np.zeros((1, 0)), np.zeros((2, 1))
    roots = np.linalg.cholesky(covariances)
    wide = _WIDER * np.linalg.cholesky(covariances.mean(axis=0))
    x = special.ndtri(_sequence(k, _NODES, seed=0))
    nodes = means.mean(axis=0) + x @ wide.T
    logs = [_log_density(nodes - mean, root) for mean, root in zip(means, roots, strict=True)]
    return nodes, np.array(logs) + (x**2).sum(axis=1) / 2 + _log_size(wide) - math.log(_NODES)


def _log_density(away: FloatArray, root: FloatArray) -> FloatArray:
    """Return that of normals, by a root of their covariance, but for a constant."""
    return -(np.linalg.solve(root, away.T) ** 2).sum(axis=0) / 2 - _log_size(root)


def _log_size(root: FloatArray) -> FloatArray:
    return np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)


def _mesh(gap: float, deviations: FloatArray, b: float) -> tuple[FloatArray, FloatArray]:
    """Return points around 0 and their steps: fine where densities bend, wide where they decay."""
    core = gap / 2 + _REACH * float(deviations.max())
    end = math.asinh(1 + (gap / 2 + _SCALES * b) / core)
    step = min(max(float(deviations.min()), b / 40) / _FINE / core, _STEP)
    step = max(step, 2 * end / _POINTS)
    t = np.arange(-end, end + step, step)
    return core * np.sinh(t), core * np.cosh(t) * step


def _loss(p: FloatArray, q: FloatArray) -> FiniteLoss:
    total = p.sum(), q.sum()
    if not all(abs(mass - 1) <= _TOLERANCE for mass in total):
        return APART
    return FiniteLoss(p / total[0], q / total[1])


def spread_loss(
    difference: FloatArray, covariances: FloatArray, directions: FloatArray, scale: float
) -> FiniteLoss:
    """Compute the loss of N(d, Σ_0) against N(0, Σ_1), both with Laplace noise along directions.

    Parameters
    ----------
    difference : ndarray, shape (m,)
    covariances : ndarray, shape (2, m, m)
        Normal noise besides included.
    directions : ndarray, shape (m, r)
        Orthonormal.
    scale : float
        Of the independent noise along each.
    """
    m, r = directions.shape
    sizes = -np.log1p(-_sequence(r, _SIZES, seed=1))  # exponential, mean 1
    noise = 2 * scale**2 * np.einsum("ik,nk,jk->nij", directions, sizes, directions)
    unit = np.sqrt(np.diagonal(covariances.mean(axis=0)) + 2 * scale**2)
    across = np.outer(unit, unit)
    scaled = (covariances[:, None] + noise) / across + _TRACE * np.eye(m)
    roots = np.linalg.cholesky(scaled)  # (2, sizes, m, m)
    means = np.array([difference / unit, np.zeros(m)])
    points = _sequence(m + 1, 2 * _DRAWS, seed=2).reshape(2, _DRAWS, m + 1)
    normal, pick = special.ndtri(points[..., :m]), (points[..., m] * _SIZES).astype(int)
    draws = [
        mean + np.einsum("nij,nj->ni", root[pick[law]], normal[law])
        for law, (mean, root) in enumerate(zip(means, roots, strict=True))
    ]
    y = np.concatenate(draws)
    logs = [_mixture(y - mean, root) for mean, root in zip(means, roots, strict=True)]
    both = np.logaddexp(*logs)
    p, q = (np.exp(log - both) for log in logs)
    return FiniteLoss(p / p.sum(), q / q.sum())


def _mixture(away: FloatArray, roots: FloatArray) -> FloatArray:
    """Return the logarithm of a mixture of normals, (points,), but for a constant."""
    inverses = np.linalg.inv(roots)
    constant = -_log_size(roots)
    parts = []
    for start in range(0, len(away), _BLOCK):
        part = away[start : start + _BLOCK]
        square = (np.einsum("nij,yj->yni", inverses, part) ** 2).sum(axis=-1)
        parts.append(special.logsumexp(constant - square / 2, axis=1))
    return np.concatenate(parts)


def _sequence(dimensions: int, count: int, seed: int) -> NDArray[np.float64]:
    """Return points of Sobol's sequence, scrambled, inside the unit cube."""
    from scipy.stats import qmc  # noqa: TID251  (takes a second, so only where it is needed)

    return qmc.Sobol(dimensions, seed=seed).random(count).clip(1e-12, 1 - 1e-12)
