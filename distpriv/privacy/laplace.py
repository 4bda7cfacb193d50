"""Losses under Laplace noise: quadrature nodes of the two densities, as finitely many outcomes.

In coordinates in which noise is independent, those without noise come first: quasi-random nodes for
all but the last, and a mesh along the last, with a phase of its own at each node. Given the part of
the statistics in the coordinates before, each density is normal plus Laplace in closed form (Reed
2006). That part is known where there is no noise; under noise it is drawn, one coordinate after the
other (Genz 1992), so that densities are right in the mean, and δ, which is convex in them, is too
large in the mean. What the nodes do not know of it is charged by :func:`at_most`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from distpriv.arrays import FloatArray
from distpriv.privacy.loss import APART, FiniteLoss, PrivacyLoss

__all__ = ["NodeLoss", "at_most", "laplace_loss", "normal_laplace"]

_NODES = 2048, 1024  # with noise along one direction, along several
_PHASES = 256  # of the mesh of a single statistic, which has no other coordinates
_PARTS = 8  # drawn at each node, along several
_WIDER = 1.25  # of the nodes' spread, so that tails are met
_STEP = 1.4  # of the mesh, in the least deviation or 1/40 of a scale; phases even out its errors
_FAR = 0.15  # largest step far out, relative
_POINTS = 1024  # of a mesh, at most; the phases of all nodes fill the gaps
_REACH = 8.0  # deviations
_SCALES = 24.0  # of Laplace noise
_QUANTILES = 4001
_TOLERANCE = 0.1  # of the mass that nodes must meet
_TRACE = 1e-12
_ROOT = math.sqrt(2)
_BELL = 28.0  # deviations over √2 beyond which a bell curve is 0
_GROUPS, _ERRORS, _SHARE = 16, 3.0, 1e-3  # standard errors of groups of nodes, and a share of δ


@dataclass(frozen=True, eq=False, repr=False)
class NodeLoss(FiniteLoss):
    """Loss of two laws at nodes, p and q of shape (nodes, points of the mesh)."""

    def error(self, level: float) -> float:
        """Return how much the profile may be above what the nodes give.

        Each group of nodes is an estimate by itself, and three standard errors of their mean are
        more than what all of them err by (of 720 errors at random laws none was beyond it by 1e-6).
        """
        each = np.maximum(self.p - math.exp(min(level, 700.0)) * self.q, 0.0).sum(axis=1)
        groups = each.reshape(_GROUPS, -1).sum(axis=1)
        deviation = groups.std(ddof=1) * math.sqrt(_GROUPS)
        return float(_ERRORS * deviation + _SHARE * groups.sum())


def at_most(loss: PrivacyLoss, epsilon: float, charge: float = 0.0) -> float:
    """Return δ(ε), of quadratures what it may be at most, where a grid moves ln dP/dQ by a charge.

    Both densities are within 1 ± tanh(charge/2) of those of the laws.
    """
    value = float(loss.profile(epsilon - charge))
    if isinstance(loss, NodeLoss):
        value = min(value + loss.error(epsilon - charge), 1.0)
    return min((1 + math.tanh(charge / 2)) * value, 1.0)


def normal_laplace(x: FloatArray, deviation: float, scale: float) -> FloatArray:
    """Compute the density at x of N(0, deviation²) plus Laplace noise (Reed 2006, Equation 3)."""
    right, left = _sides(x, deviation, scale)
    return (right + left) / (2 * scale)


def _sides(x: FloatArray, deviation: float, scale: float) -> tuple[FloatArray, FloatArray]:
    """Return exp(s²/2b² ∓ x/b) Φ(±x/s − s/b) without overflow."""
    size = np.abs(x)
    within, away = deviation / scale / _ROOT, size / (deviation * _ROOT)
    outer, inner = np.exp(np.minimum(within**2 - size / scale, 0.0)), np.zeros_like(size)
    some = away < max(within + 5, _BELL)
    bell, near = np.exp(-((size[some] / deviation) ** 2) / 2) / 2, within - away[some]
    tail = bell * special.erfcx(np.maximum(near, -5.0))
    outer[some] = np.where(near > -5, tail, outer[some])
    inner[some] = bell * special.erfcx(within + away[some])
    return np.where(x >= 0, outer, inner), np.where(x >= 0, inner, outer)


def laplace_loss(
    difference: FloatArray, covariances: FloatArray, directions: FloatArray, scale: float
) -> FiniteLoss:
    """Compute the loss of N(d, Σ_0) against N(0, Σ_1), both with Laplace noise along directions.

    Covariances, (2, m, m), include normal noise besides; directions, (m, r), are orthonormal, and
    the noise along each is of one scale. It is `APART` where the nodes miss one of the laws.
    """
    d, covariances, b = _in_coordinates(difference, covariances, directions, scale)
    m, r = directions.shape
    several = r > 1
    points = _sequence(m + r - 1, _PHASES if m == 1 else _NODES[several])
    z, logs = _nodes(points[:, : m - 1], d, covariances.mean(axis=0), b)
    parts = points[:, None, m - 1 : -1] + _sequence(r - 1, _PARTS)[None] if several else None
    laws = [
        _given_before(z, mean, np.linalg.cholesky(covariance), b, parts)
        for mean, covariance in zip((d, 0 * d), covariances, strict=True)
    ]
    ends = np.array([[centres.min(1), centres.max(1)] for _, centres, _ in laws])
    low, high = ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)
    y, steps = _mesh(float((high - low).max()), [one for _, _, one in laws], b[-1], points[:, -1:])
    y += ((low + high) / 2)[:, None]
    masses = []
    for weights, centres, deviation in laws:
        mass = np.zeros_like(y)
        for weight, centre in zip((weights - logs[:, None]).T, centres.T, strict=True):
            mass += np.exp(weight)[:, None] * normal_laplace(y - centre[:, None], deviation, b[-1])
        masses.append(mass * steps / weights.size)
    if not all(abs(mass.sum() - 1) <= _TOLERANCE for mass in masses):
        return APART
    return NodeLoss(*(mass / mass.sum() for mass in masses))


def _in_coordinates(
    difference: FloatArray, covariances: FloatArray, directions: FloatArray, scale: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return d, (m,), covariances, and scales, (m,): 0 first, the farthest direction last."""
    m, r = directions.shape
    unit = np.sqrt(np.diagonal(covariances.mean(axis=0)))
    unit = np.where(unit > 0, unit, 1.0)
    d, scaled = difference / unit, covariances / np.outer(unit, unit) + _TRACE * np.eye(m)
    along = directions / unit[:, None]
    sizes = np.linalg.norm(along, axis=0)
    to_noise = np.linalg.pinv(along / sizes)
    order = np.argsort(np.abs(to_noise @ d) / sizes)
    others = np.linalg.svd(along / sizes)[0][:, r:].T
    if r < m:  # of unit covariance, those that tell the laws apart first
        root = np.linalg.cholesky(others @ scaled.mean(axis=0) @ others.T)
        others = np.linalg.solve(root, others)
        apart = others @ (scaled[0] - scaled[1]) @ others.T
        telling = np.outer(others @ d, others @ d) + apart @ apart
        others = np.linalg.eigh(telling)[1][:, ::-1].T @ others
    turn = np.vstack([others, to_noise[order]])
    return turn @ d, turn @ scaled @ turn.T, np.append(np.zeros(m - r), scale * sizes[order])


def _nodes(
    points: FloatArray, d: FloatArray, covariance: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return nodes, (N, m − 1), between two laws, and the logarithms of their density, (N,).

    Their covariance is that of the statistics with noise, their shape normal plus Laplace.
    """
    root = np.linalg.cholesky(covariance + np.diag(2 * b**2))[:-1, :-1]
    logs, x = np.zeros(len(points)), np.zeros_like(points)
    for k, u in enumerate(points.T):
        if b[k] == 0:
            x[:, k] = special.ndtri(u)
            logs -= x[:, k] ** 2 / 2 + math.log(math.sqrt(2 * math.pi))
        else:
            unit = math.sqrt(covariance[k, k] + 2 * b[k] ** 2)
            deviation, scale = math.sqrt(covariance[k, k]) / unit, b[k] / unit
            end = math.asinh(10 + 40 * scale / deviation)  # quantiles, between close ones
            at = deviation * np.sinh(np.linspace(-end, end, _QUANTILES))
            right, left = _sides(at, deviation, scale)
            x[:, k] = np.interp(u, special.ndtr(at / deviation) + (left - right) / 2, at)
            logs += np.log(normal_laplace(x[:, k], deviation, scale))
        logs -= math.log(_WIDER * root[k, k])
    return d[:-1] / 2 + _WIDER * x @ root.T, logs


def _given_before(
    z: FloatArray, mean: FloatArray, root: FloatArray, b: FloatArray, parts: FloatArray | None
) -> tuple[FloatArray, FloatArray, float]:
    """Return log densities of nodes, (N, parts), then the last coordinate's centres, deviation.

    Of nodes z, (N, m − 1), and a law by its mean, (m,), and its covariance's lower triangle; parts
    are uniform numbers, (N, parts, noisy coordinates before the last), that draw what is noisy.
    """
    count = 1 if parts is None else parts.shape[1]
    logs = np.zeros((len(z), count))
    e = np.zeros((len(z), count, z.shape[1]))  # the statistics are mean + root @ e
    first = int((b == 0).sum())
    for k in range(z.shape[1]):
        x, s = (z[:, k] - mean[k])[:, None] - e[:, :, :k] @ root[k, :k], float(root[k, k])
        if b[k] == 0:
            e[:, :, k] = x / s
            logs -= e[:, :, k] ** 2 / 2 + math.log(s * math.sqrt(2 * math.pi))
        else:
            assert parts is not None  # noqa: S101  (as more than one coordinate is noisy)
            with np.errstate(divide="ignore"):
                logs += np.log(normal_laplace(x, s, b[k]))
            e[:, :, k] = _normal_part(x, s, float(b[k]), parts[:, :, k - first] % 1)
    return logs, mean[-1] + e @ root[-1, :-1], float(root[-1, -1])


def _normal_part(x: FloatArray, s: float, b: float, u: FloatArray) -> FloatArray:
    """Return quantiles u of e ~ N(0, 1) given that s e plus Laplace noise of scale b is x.

    Below x/s its law is N(s/b, 1), above it N(−s/b, 1), cut there.
    """
    cut, tilt = x / s, s / b
    below = special.expit(special.log_ndtr(cut - tilt) - special.log_ndtr(-cut - tilt) - 2 * x / b)
    side = np.where(u < below, 1.0, -1.0)
    share = np.where(u < below, u, 1 - u) / np.where(u < below, below, 1 - below)
    logs = np.log(share.clip(1e-300, 1)) + special.log_ndtr(side * cut - tilt)
    return np.asarray(side * (tilt + special.ndtri_exp(logs)))


def _mesh(
    gap: float, deviations: list[float], b: float, phases: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return points around 0 and their steps: fine where densities bend, wide where they decay."""
    least, most = min(deviations), max(deviations)
    core = gap / 2 + 3 * most
    end = math.asinh((gap / 2 + _REACH * most + _SCALES * b) / core)
    step = min(max(least, b / 40) * _STEP / math.hypot(core, core + 2 * most), _FAR)
    step = max(step, 2 * end / _POINTS)
    t = np.arange(-end - step, end, step) + step * phases
    return core * np.sinh(t), core * np.cosh(t) * step


@lru_cache(maxsize=16)
def _sequence(dimensions: int, count: int) -> NDArray[np.float64]:
    """Return points of Sobol's sequence, scrambled, inside the unit cube."""
    from scipy.stats import qmc  # noqa: TID251  (takes a second, so only where it is needed)

    points = qmc.Sobol(dimensions, seed=0).random(count).clip(1e-12, 1 - 1e-12)
    points.setflags(write=False)
    return points
