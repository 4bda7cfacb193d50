"""The attacker who knows in what steps the statistics move, and subtracts the noise.

Statistics x lie on a coset of a lattice, which follows from the records (erratum 12). Noise that
leaves directions bare, or is small beside a step, leaves few points possible for a release
y = x + z. The attacker enumerates those within an ellipsoid around E[x | y], coordinate by
coordinate (Fincke & Pohst 1985), for all releases at once, and decides by

    ln Σ_x N(x; μ_1, Σ_1) p(y − x) − ln Σ_x N(x; μ_0, Σ_0) p(y − x),

p the density of noise and rounding. Where noise covers the lattice the sums are normal densities,
which are taken instead. A coset that only one share has decides by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from distpriv.arrays import FloatArray, IntArray
from distpriv.model import Release
from distpriv.model.grid import Grid, theta_sum

__all__ = ["ArithmeticAttacker", "log_density", "log_normal", "row_basis"]

_MISSED = 1e-4  # how probable it is that the statistics are not among the points
_EXACT = 1e-4  # of a step: how exactly numbers are known at all
_LAPLACE = 30.0  # scales of Laplace noise that a normal stands in for where points are searched
_MOST_POINTS = 6_000  # for each release
_ROWS = 50  # releases at a time, for memory
_COVERED = 1e-3  # of densities, that sums over the lattice differ from normal ones
_PINNED = 0.1  # scales of Laplace noise: deviation up to which a point says how large it is
_SIZES = 512  # of Laplace noise along several directions
_IMPOSSIBLE = -1e300
_HALF_LOG = math.log(2 * math.pi) / 2


def row_basis(grid: Grid) -> FloatArray:
    """Return the rows that span a grid of sums, shape (r, m), in units of the columns."""
    rows = np.array(grid.basis, float).reshape(-1, len(grid.steps))
    common = np.array([math.gcd(*column) for column in zip(*grid.basis, strict=True)], float)
    some = rows.any(axis=0)
    rows[:, some] *= (grid.steps / common)[some] if len(rows) else 0.0
    return rows


@dataclass(frozen=True, eq=False)
class ArithmeticAttacker:
    """Guess a share from releases, knowing lattice, noise and the normal law under both shares.

    Attributes
    ----------
    means, covariances : ndarray, shape (2, m) and (2, m, m)
        Of the statistics, at each share.
    bases : (ndarray, ndarray)
        Rows that span the lattice at each share, (r, m), see `row_basis`; 0 in the columns of
        statistics on no grid. Each row begins further right than the one before.
    origins : ndarray, shape (2, m)
        A possible value at each share.
    release : Release
        Noise that is added, or none.
    rounding : ndarray, shape (m,), or float
        Unit of a release's last place; 0 where it is not rounded.
    """

    means: FloatArray
    covariances: FloatArray
    bases: tuple[FloatArray, FloatArray]
    origins: FloatArray
    release: Release
    rounding: FloatArray | float = 0.0

    def scores(self, releases: FloatArray) -> FloatArray:
        """Return log-likelihood ratios for releases (rows, m), positive for the higher share."""
        return self.guess(releases)[0]

    def guess(self, releases: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return scores, (rows,), and the likeliest statistics, (rows, m).

        The statistics are NaN where noise covers the lattice, so that nothing can be subtracted.
        """
        if len(releases) > _ROWS:
            parts = [
                self.guess(part) for part in np.split(releases, range(_ROWS, len(releases), _ROWS))
            ]
            return np.concatenate([one for one, _ in parts]), np.concatenate(
                [one for _, one in parts]
            )
        m = self.means.shape[1]
        steps = np.max([np.abs(basis).max(axis=0, initial=0) for basis in self.bases], axis=0)
        spread = np.sqrt(np.diagonal(self.covariances.mean(axis=0)))
        unit = np.where(steps > 0, steps, np.where(spread > 0, spread, 1.0))
        noise = np.zeros((m, m)) if self.release.covariance is None else self.release.covariance
        noise = noise / np.outer(unit, unit)
        laplace = np.zeros((m, 0))
        if self.release.directions is not None:
            laplace = self.release.scale * self.release.directions / unit[:, None]
        largest = math.sqrt(np.linalg.norm(noise, 2)) + float(np.linalg.norm(laplace))
        noise += max(_EXACT, 1e-7 * largest) ** 2 * np.eye(m)
        noise += np.diag(np.broadcast_to((self.rounding / unit) ** 2 / 12, m))
        sides = []
        for share in (0, 1):
            law = self.means[share] / unit, self.covariances[share] / np.outer(unit, unit)
            lattice = self.bases[share] / unit, self.origins[share] / unit
            sides.append(_enumerated(releases / unit, *law, *lattice, noise, laplace))
        lower, higher = sides
        if lower is None or higher is None:
            logs = [
                log_density(
                    (releases - mean) / unit, covariance / np.outer(unit, unit) + noise, laplace
                )
                for mean, covariance in zip(self.means, self.covariances, strict=True)
            ]
            return logs[1] - logs[0], np.full(releases.shape, np.nan)
        likelier = (higher[0] > lower[0])[:, None]
        return higher[0] - lower[0], np.where(likelier, higher[1], lower[1]) * unit


def _enumerated(
    releases: FloatArray,
    mean: FloatArray,
    covariance: FloatArray,
    basis: FloatArray,
    origin: FloatArray,
    noise: FloatArray,
    laplace: FloatArray,
) -> tuple[FloatArray, FloatArray] | None:
    """Log-densities of releases under one share, and the likeliest points; None if too many.

    The first entry of each row of the basis leads: these statistics determine the point.
    """
    gridded = basis.any(axis=0)
    leads = np.argmax(basis != 0, axis=1)
    if not len(leads):
        return None
    wide = noise + _LAPLACE**2 * laplace @ laplace.T
    precise = np.linalg.solve(covariance + wide, covariance).T  # E[x | y] − μ = precise (y − μ)
    inverse = np.linalg.inv(basis[:, leads])
    # W (Σ + W)⁻¹ Σ = Σ − Σ (Σ + W)⁻¹ Σ without the difference, in steps along the basis.
    spread, narrow = (
        inverse.T
        @ np.linalg.solve(covariance + each, each).T[leads]
        @ covariance[:, leads]
        @ inverse
        for each in (wide, noise)
    )
    spread = (spread + spread.T) / 2 + _EXACT**2 * np.eye(len(leads))
    if len(leads) <= 7 and theta_sum((narrow + narrow.T) / 2) < _COVERED:
        return None
    order = _fewest_first(spread)
    root = np.linalg.cholesky(spread[np.ix_(order, order)])
    tilt = 0.0
    if laplace.shape[1]:  # how far Laplace noise can move E[x | y], in deviations
        trace = np.eye(len(mean)) * 1e-12
        inner = laplace.T @ np.linalg.solve(covariance + trace, laplace)
        tilt = math.sqrt(max(float(np.linalg.pinv(inner).sum()), 0.0))
    radius = math.sqrt(2 * special.gammainccinv(len(leads) / 2, _MISSED)) + tilt
    turns = np.floor(radius * root.diagonal() + 0.5).astype(int)
    several = turns[turns > 0]
    ball = math.pi ** (len(several) / 2) / math.gamma(len(several) / 2 + 1)
    if ball * np.prod(several + 0.5) > _MOST_POINTS:
        return None
    # Statistics on no grid are normal given those on one.
    within = covariance[np.ix_(leads, leads)] + 1e-12 * np.eye(len(leads))
    across = np.linalg.solve(within, covariance[leads])
    rest = covariance - covariance[:, leads] @ across
    rest[gridded] = rest[:, gridded] = 0.0
    given = noise + rest
    if laplace.shape[1] > 1 and not _pinned(laplace, given):
        return None
    centers = mean + (releases - mean) @ precise.T
    targets = ((centers - origin)[:, leads] @ inverse)[:, order]
    rows, counts = _lattice_points(targets, root, turns, radius)
    logs, best = np.full(len(releases), _IMPOSSIBLE), np.full(releases.shape, np.nan)
    if not len(rows):
        return logs, best
    points = origin + counts[:, np.argsort(order)] @ basis
    moved = (points - mean)[:, leads]
    expected = np.where(gridded, points, mean + moved @ across)
    weights = log_normal(moved, within) + _log_noise(releases[rows] - expected, given, laplace)
    # Chances of points: density times volume of a cell.
    weights += np.log(np.abs(np.linalg.det(basis[:, leads]))) - len(leads) * _HALF_LOG
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    lengths = np.diff(starts, append=len(rows))
    top = np.maximum.reduceat(weights, starts)
    sums = np.add.reduceat(np.exp(weights - np.repeat(top, lengths)), starts)
    logs[rows[starts]] = top + np.log(sums)
    likeliest = np.lexsort((weights, rows))[starts + lengths - 1]
    best[rows[starts]] = np.where(gridded, points[likeliest], releases[rows[starts]])
    return logs, best


def _lattice_points(
    targets: FloatArray, root: FloatArray, turns: IntArray, radius: float
) -> tuple[IntArray, FloatArray]:
    """Find whole k with ‖root⁻¹ (k − target)‖ <= radius: rows of the targets, rising, and k."""
    rows = np.arange(len(targets))
    standard, squares = np.empty((len(rows), 0)), np.zeros(len(rows))
    counts = np.empty((len(rows), 0))
    for place, turn in enumerate(turns):
        center = targets[rows, place] + standard @ root[place, :place]
        tried = np.rint(center)[:, None] + np.arange(-turn, turn + 1)
        moved = (tried - center[:, None]) / root[place, place]
        total = squares[:, None] + moved**2
        before, which = np.nonzero(total <= radius**2)
        rows, squares = rows[before], total[before, which]
        counts = np.column_stack([counts[before], tried[before, which]])
        standard = np.column_stack([standard[before], moved[before, which]])
    return rows, counts


def _fewest_first(spread: FloatArray) -> IntArray:
    """Order in which each variance given those before is the least."""
    rest = spread.copy()
    order: list[int] = []
    for _ in range(len(spread)):
        variances = rest.diagonal().copy()
        variances[order] = np.inf
        place = int(np.argmin(variances))
        order.append(place)
        rest = rest - np.outer(rest[:, place], rest[place]) / max(rest[place, place], 1e-300)
    return np.array(order)


# ---------------------------------------------------------------- densities


def log_normal(away: FloatArray, covariance: FloatArray) -> FloatArray:
    """Compute the log-density of N(0, covariance) at points (rows, m), up to a constant of m."""
    root = np.linalg.cholesky(covariance)
    squares = (np.linalg.solve(root, away.T) ** 2).sum(axis=0)
    return np.asarray(-squares / 2 - np.log(root.diagonal()).sum())


def log_density(away: FloatArray, covariance: FloatArray, laplace: FloatArray) -> FloatArray:
    """Compute the log-density of normal plus Laplace noise, up to a constant of m.

    Along one direction in closed form; along several, Laplace noise is normal noise of random size
    (Andrews & Mallows 1974), at points of an additive sequence.

    Parameters
    ----------
    away : ndarray, shape (rows, m)
    covariance : ndarray, shape (m, m)
    laplace : ndarray, shape (m, r)
        Directions of independent Laplace noise, each of the length of its scale.
    """
    r = laplace.shape[1]
    if r <= 1:
        return _log_noise(away, covariance, laplace)
    root = 2.0  # of x^(r + 1) = x + 1
    for _ in range(60):
        root = (1 + root) ** (1 / (r + 1))
    levels = (0.5 + np.outer(np.arange(1, _SIZES + 1), root ** -np.arange(1.0, r + 1))) % 1
    sizes = -2 * np.log1p(-levels)
    roots = np.linalg.cholesky(covariance + np.einsum("ik,nk,jk->nij", laplace, sizes, laplace))
    squares = (np.linalg.solve(roots, away.T) ** 2).sum(axis=1)
    volumes = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    return np.asarray(special.logsumexp(-squares / 2 - volumes[:, None], axis=0)) - math.log(_SIZES)


def _log_noise(away: FloatArray, covariance: FloatArray, laplace: FloatArray) -> FloatArray:
    """As `log_density`; by Laplace's method along several directions, if sizes are pinned."""
    if not laplace.shape[1]:
        return log_normal(away, covariance)
    weighted = np.linalg.solve(covariance, laplace)
    inner = laplace.T @ weighted
    sizes = np.linalg.solve(inner, weighted.T @ away.T).T
    logs = log_normal(away - sizes @ laplace.T, covariance)
    logs -= np.linalg.slogdet(inner)[1] / 2 - laplace.shape[1] * _HALF_LOG
    if laplace.shape[1] > 1:
        return logs - np.abs(sizes).sum(axis=1) - laplace.shape[1] * math.log(2)
    # ∫ ½ exp(−(s − size)² inner / 2 − |s|) ds, on both sides of 0.
    size, deviation = sizes[:, 0], float(inner[0, 0]) ** -0.5
    parts = [
        special.log_ndtr(sign * size / deviation - deviation) - sign * size for sign in (1, -1)
    ]
    return logs + deviation**2 / 2 - math.log(2) + np.logaddexp(*parts)


def _pinned(laplace: FloatArray, covariance: FloatArray) -> bool:
    """Whether a point says how large the Laplace noise is, to a tenth of its scale."""
    inner = laplace.T @ np.linalg.solve(covariance, laplace)
    if np.linalg.cond(inner) > 1e12:
        return False
    return bool(np.sqrt(np.linalg.inv(inner).diagonal()).max() < _PINNED)
