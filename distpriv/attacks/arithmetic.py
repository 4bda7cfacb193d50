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
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from distpriv.arrays import FloatArray, IntArray
from distpriv.model import Release
from distpriv.model.grid import GroupGrids, deviations, theta_sum
from distpriv.model.release import additive_sequence

__all__ = ["ShareLaws", "lattices", "log_density", "log_normal"]

_MISSED = 1e-4  # how probable it is that the statistics are not among the points
_EXACT = 1e-4  # of a step: how exactly numbers are known at all
_LAPLACE = 5.0  # scales of Laplace noise that a normal stands in for where points are searched
_MOST_POINTS = 6_000  # for each release
_ROWS = 50  # releases at a time, for memory
_COVERED = 1e-3  # of densities, that sums over the lattice differ from normal ones
_PINNED = 0.1  # scales of Laplace noise: deviation up to which a point says how large it is
_SIZES = 512  # of Laplace noise along several directions
_TRACE = 1e-13  # of a statistic's variance
_IMPOSSIBLE = -1e300
_HALF_LOG = math.log(2 * math.pi) / 2


@dataclass(frozen=True, eq=False)
class ShareLaws:
    """Normal laws of the statistics at several shares, and the lattices on which they lie.

    Rows of a basis span the lattice at a share, each beginning further right than the one before;
    they are 0 in the columns of statistics on no grid. Origins are possible values.
    """

    means: FloatArray  # (S, m)
    covariances: FloatArray  # (S, m, m)
    bases: Sequence[FloatArray]  # each (r, m)
    origins: FloatArray  # (S, m)

    def log_densities(
        self, releases: FloatArray, noise: Release, rounding: FloatArray | float = 0.0
    ) -> tuple[FloatArray, FloatArray]:
        """Compute log-densities of releases, (rows, m), at each share, but for a common constant.

        The rounding is the unit of a release's last place, of each statistic or of all; 0 where it
        is not rounded. Besides densities, (S, rows), it returns likeliest statistics, (S, rows, m);
        NaN where noise covers the lattice.
        """
        if len(releases) > _ROWS:
            parts = np.array_split(releases, math.ceil(len(releases) / _ROWS))
            several = [self.log_densities(part, noise, rounding) for part in parts]
            logs, points = (np.concatenate(each, axis=1) for each in zip(*several, strict=True))
            return logs, points
        m = self.means.shape[1]
        steps = np.max([np.abs(basis).max(axis=0, initial=0) for basis in self.bases], axis=0)
        unit = np.where(steps > 0, steps, deviations(self.covariances.mean(axis=0)))
        normal, laplace = noise.normal(m) / np.outer(unit, unit), noise.laplace(m) / unit[:, None]
        largest = math.sqrt(np.linalg.norm(normal, 2)) + float(np.linalg.norm(laplace))
        normal += max(_EXACT, 1e-7 * largest) ** 2 * np.eye(m)
        normal += np.diag(np.broadcast_to((rounding / unit) ** 2 / 12, m))
        y, means = releases / unit, self.means / unit
        # A trace for statistics that follow from others; their noise may be as little.
        covariances = self.covariances / np.outer(unit, unit) * (1 + _TRACE * np.eye(m))
        lattices = [(b / unit, o / unit) for b, o in zip(self.bases, self.origins, strict=True)]
        laws = list(zip(means, covariances, strict=True))
        sides = []
        for law, lattice in zip(laws, lattices, strict=True):
            side = _enumerated(y, law, lattice, normal, laplace)
            if side is None:  # too many points: by normal laws at all shares
                sides = [(np.full(len(y), _IMPOSSIBLE), np.full(y.shape, np.nan))] * len(laws)
                break
            sides.append(side)
        logs, points = (np.array(each) for each in zip(*sides, strict=True))
        never = (logs <= _IMPOSSIBLE).all(axis=0)
        if never.any():
            logs[:, never] = [log_density(y[never] - a, b + normal, laplace) for a, b in laws]
        return logs, points * unit


def lattices(
    grids: GroupGrids,
    records: Sequence[FloatArray],
    numbers: FloatArray,
    sizes: FloatArray,
    scales: FloatArray,
) -> tuple[list[FloatArray], FloatArray]:
    """Return bases and origins of the statistics' lattices, see `ShareLaws`.

    Records, (N_g, m), are some of each group; all, where a dataset may have a group whole. Numbers
    are [share, group], (S, 2); sizes of the groups are ∞ for draws with replacement or from parts
    that are not known.
    """
    firsts, totals = (np.array([group[:end].sum(axis=0) for group in records]) for end in (1, None))
    bases = []
    for row in numbers:
        grid = grids.at(row, sizes)
        basis = np.array(grid.basis, float).reshape(-1, len(scales))
        common = np.array([math.gcd(*column) for column in zip(*grid.basis, strict=True)], float)
        some = basis.any(axis=0)
        basis[:, some] *= grid.steps[some] / common[some] if len(basis) else 1.0
        bases.append(basis * scales)
    every = (numbers == sizes)[..., None]
    return bases, np.where(every, totals, numbers[..., None] * firsts).sum(axis=1) * scales


def _enumerated(
    releases: FloatArray,
    law: tuple[FloatArray, FloatArray],
    lattice: tuple[FloatArray, FloatArray],
    noise: FloatArray,
    laplace: FloatArray,
) -> tuple[FloatArray, FloatArray] | None:
    """Log-densities of releases at one share, and the likeliest points; None if too many.

    The first entry of each row of the basis leads: these statistics determine the point.
    """
    (mean, covariance), (basis, origin) = law, lattice
    gridded = basis.any(axis=0)
    leads = np.argmax(basis != 0, axis=1)
    wide = noise + _LAPLACE**2 * laplace @ laplace.T
    precise = np.linalg.solve(covariance + wide, covariance).T  # E[x | y] − μ = precise (y − μ)
    inverse = np.linalg.inv(basis[:, leads])
    # W (Σ + W)⁻¹ Σ = Σ − Σ (Σ + W)⁻¹ Σ without the difference, in steps along the basis.
    spread, narrow = (
        inverse.T
        @ (np.linalg.solve(covariance + added, added).T @ covariance)[np.ix_(leads, leads)]
        @ inverse
        for added in (wide, noise)
    )
    if not len(leads) or (len(leads) <= 7 and theta_sum((narrow + narrow.T) / 2) < _COVERED):
        logs = log_density(releases - mean, covariance + noise, laplace)
        return logs, np.full(releases.shape, np.nan)
    spread = np.asarray((spread + spread.T) / 2 + _EXACT**2 * np.eye(len(leads)))
    order = _fewest_first(spread)
    root = np.linalg.cholesky(spread[np.ix_(order, order)])
    # (x − E)ᵀ (Σ⁻¹ + W⁻¹) (x − E) <= xᵀ Σ⁻¹ x + zᵀ W⁻¹ z, of which Laplace noise has the last.
    square = 2 * float(special.gammainccinv(len(leads) / 2, _MISSED))
    radius = math.sqrt(square + laplace.shape[1] * (math.log(1 / _MISSED) / _LAPLACE) ** 2)
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
    conditional = noise + rest
    if laplace.shape[1] > 1:  # a point must say how large the Laplace noise is
        inner = laplace.T @ np.linalg.solve(conditional, laplace)
        singular = np.linalg.cond(inner) > 1e12
        if singular or np.linalg.inv(inner).diagonal().max() >= _PINNED**2:
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
    weights = log_normal(moved, within)
    weights += _log_noise(releases[rows] - expected, conditional, laplace)
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
    """Compute the log-density of normal plus Laplace noise at points, up to a constant of m.

    Laplace noise is independent along directions, (m, r), each of the length of its scale. Along
    one it has a closed form; along several, it is normal noise of random size (Andrews & Mallows
    1974), at points of an additive sequence.
    """
    r = laplace.shape[1]
    if r <= 1:
        return _log_noise(away, covariance, laplace)
    sizes = -2 * np.log1p(-additive_sequence(_SIZES, r))
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
