"""What Laplace noise delivers: nodes of the two densities, so that they are a FiniteLoss like any other.

Along one direction (DirM(L), with its normal floor) the density given the other coordinates is normal
plus Laplace in closed form (Reed 2006): quasi-random nodes for these, a grid along the noise.  Along
several (ExpM(L)) Laplace noise is normal noise of random size (Andrews & Mallows 1974): a mixture of
normals at quasi-random sizes, the same for both, at quasi-random draws.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special
from scipy.stats import qmc

from distpriv.privacy.loss import FiniteLoss

_WIDER = 1.35  # of the nodes' spread, so that tails are met


def normal_laplace(x, s, b):
    """Density at x of N(0, s²) plus Lap(b)."""
    start = s**2 / (2 * b**2)
    right = start - x / b + special.log_ndtr(x / s - s / b)
    left = start + x / b + special.log_ndtr(-x / s - s / b)
    return (np.exp(right) + np.exp(left)) / (2 * b)


def _normals(count, m):
    return special.ndtri(qmc.Sobol(m, seed=0).random(count).clip(1e-12, 1 - 1e-12))


def line_loss(difference, covariances, v, b, nodes=256, fine=5) -> FiniteLoss:
    """P = N(d, Σ_i) against Q = N(0, Σ_j), both plus Lap(b) along the unit vector v."""
    unit = np.sqrt(np.diag(covariances.mean(0)))  # alike in these
    d, c = difference / unit, covariances / np.outer(unit, unit)
    b, v = b * np.linalg.norm(v / unit), (v / unit) / np.linalg.norm(v / unit)
    rest = np.linalg.svd(v[:, None])[0][:, 1:]
    laws = []
    for mean, cov in zip((d, 0 * d), c):
        free, cross = rest.T @ cov @ rest, rest.T @ cov @ v
        slope = np.linalg.solve(free, cross) if rest.size else np.zeros(0)
        laws.append((rest.T @ mean, free, v @ mean, slope, math.sqrt(v @ cov @ v - cross @ slope)))
    if rest.size:
        middle, root = (
            (laws[0][0] + laws[1][0]) / 2,
            np.linalg.cholesky((laws[0][1] + laws[1][1]) / 2),
        )
        x = _normals(nodes, rest.shape[1]) * _WIDER
        z = middle + x @ root.T
        log_node = -0.5 * ((x / _WIDER) ** 2).sum(1) - _log_size(root * _WIDER)
    else:
        z, log_node = np.zeros((1, 0)), np.zeros(1)
    s = min(law[4] for law in laws)
    centres = [law[2] + (z - law[0]) @ law[3] for law in laws]
    low, high = np.minimum(*centres) - 30 * b - 9 * s, np.maximum(*centres) + 30 * b + 9 * s
    step = min(s, b) / fine
    y = np.arange(0, (high - low).max(), step)[None] + low[:, None]
    masses = []
    for (mean, free, _, _, deviation), centre in zip(laws, centres):
        root = np.linalg.cholesky(free)
        away = np.linalg.solve(root, (z - mean).T)
        weight = np.exp(-0.5 * (away**2).sum(0) - _log_size(root) - log_node)
        mass = weight[:, None] * normal_laplace(y - centre[:, None], deviation, b) * step
        masses.append(mass / mass.sum())
    return FiniteLoss(*masses)


def _log_size(root):
    return np.log(np.diag(root)).sum()


def spread_loss(difference, covariances, basis, b, sizes=512, draws=4096) -> FiniteLoss:
    """The same for independent Lap(b) along several orthonormal directions."""
    m, k = basis.shape
    scale = -np.log1p(-qmc.Sobol(k, seed=1).random(sizes).clip(1e-12, 1 - 1e-12))  # Exp(1)
    total = [c + 2 * b**2 * np.einsum("ik,nk,jk->nij", basis, scale, basis) for c in covariances]
    roots = [np.linalg.cholesky(t) for t in total]
    x = qmc.Sobol(m + 1, seed=2).random(2 * draws)
    normal, pick = special.ndtri(x[:, :m].clip(1e-12, 1 - 1e-12)), (x[:, m] * sizes).astype(int)
    y = np.concatenate(
        [
            difference + np.einsum("nij,nj->ni", roots[0][pick[:draws]], normal[:draws]),
            np.einsum("nij,nj->ni", roots[1][pick[draws:]], normal[draws:]),
        ]
    )
    logs = []
    for mean, root in zip((difference, 0 * difference), roots):
        inverse = np.linalg.inv(root)
        constant = -np.log(np.diagonal(root, axis1=1, axis2=2)).sum(1)
        square = np.empty((len(y), sizes))
        for start in range(0, len(y), 512):
            part = y[start : start + 512] - mean
            square[start : start + 512] = (np.einsum("nij,yj->yni", inverse, part) ** 2).sum(-1)
        logs.append(special.logsumexp(constant - square / 2, axis=1))
    both = np.logaddexp(*logs)
    p, q = (np.exp(log - both) for log in logs)
    return FiniteLoss(p / p.sum(), q / q.sum())
