"""Laws of statistics that are no sums, estimated from simulated tables.

All statistics are regressed on the sums among them and on sums of the others' influence functions,
whose laws are exact. So sums keep their exact laws, of the others only the rest is uncertain, and
covariances are positive definite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from distpriv.arrays import FloatArray
from distpriv.model.grid import deviations
from distpriv.model.groups import Groups, nested_moments
from distpriv.model.simulate import drawn_nested, records_of, statistics_of, sums_of
from distpriv.queries import Query

__all__ = ["Estimate", "estimated_law", "spacings", "stretched"]

_WORK, _FEWEST, _MOST = 1_200_000, 200, 12_000  # records drawn at a share, and tables
_MEMBERS = 4_000_000  # at a time
_RESAMPLED, _WIDER = 8, 2.0  # laws, and how much wider than the sampling deviation they spread
_CELLS = 16  # of equally many tables
_CENTRAL, _FEW = 0.1, 0.01  # of the tables: tails left out, and those within a spacing


@dataclass(frozen=True, eq=False)
class Estimate:
    """Law of statistics estimated from simulated tables.

    The resampled ones are as likely, so widely spread that a figure is worse under the true law
    than under all of them in 3 of 100 cases only.
    """

    mean: FloatArray  # (p,)
    covariance: FloatArray  # (p, p)
    mean_error: FloatArray  # standard errors; 0, but for rounding, for sums whose laws are exact
    covariance_error: FloatArray
    resampled: list[tuple[FloatArray, FloatArray]]  # means and covariances
    draws: FloatArray  # (tables, p)


def estimated_law(
    query: Query,
    groups: Groups,
    kept: FloatArray,
    total: FloatArray,
    replacement: bool,
    rng: np.random.Generator,
    count: int | None = None,
    controlled: bool = True,
) -> Estimate:
    """Estimate the joint law of the u m statistics of nested subsets of one table's records.

    Of each group, (u, 2), a subset has `kept` records, the first of the larger ones, that stand for
    `total`; where none is kept, the statistics are those of the groups' laws. Tables are as many as
    about half a second allows, or `count`; only where it is controlled, exact laws of sums are
    used. Groups without their records are a DistprivError.
    """
    records = records_of(groups)
    sizes, everyone = [len(group) for group in records], np.concatenate(records)
    features = [np.zeros((size, 0)) for size in sizes]
    if controlled:
        moves = query.influence(everyone, np.repeat(total[0] / sizes, sizes))
        features = np.split(moves * query.scales(round(float(total[0].sum()))), sizes[:1])
    count = count or int(np.clip(_WORK / max(kept.sum(axis=1).max(), 1), _FEWEST, _MOST))
    weights = np.divide(total, kept, out=np.zeros_like(total), where=kept > 0)
    x = np.zeros((count, len(kept), features[0].shape[1]))
    y = np.zeros((count, len(kept), len(query)))
    used = kept.any(axis=1)
    for place in np.flatnonzero(~used):
        y[:, place] = query.of(everyone, np.repeat(total[place] / sizes, sizes))
    block = max(1, _MEMBERS // max(int(kept.sum(axis=1).max()), 1))
    for start in range(0, count if used.any() else 0, block):
        rows = slice(start, min(start + block, count))
        drawn = [
            drawn_nested(size, kept[used, group], rows.stop - start, rng, replacement)
            for group, size in enumerate(sizes)
        ]
        for place, members in zip(np.flatnonzero(used), zip(*drawn, strict=True), strict=True):
            for group in (0, 1):
                x[rows, place] += weights[place, group] * sums_of(features[group], members[group])
            y[rows, place] = statistics_of(query, records, members, weights[place])
    controls, figures = x.reshape(count, -1), y.reshape(count, -1)
    p = features[0].shape[1]
    single = np.array([np.cov(group.T).reshape(p, p) for group in features])
    population = np.array(sizes, dtype=float)
    if replacement:
        single, population = single * (1 - 1 / population)[:, None, None], np.full(2, np.inf)
    averages = np.array([group.mean(axis=0) for group in features])
    exact = nested_moments(averages, single, population, kept, total)
    mean, along, rest = _regressed(controls, figures, *exact)
    residual, explained = np.diagonal(rest), np.diagonal(along)
    error = np.outer(residual, residual) + rest**2 + 2 * rest * along
    error += np.outer(residual, explained) + np.outer(explained, residual)
    resampled = []
    for _ in range(_RESAMPLED):
        some = rng.integers(count, size=max(int(count / _WIDER**2), 2 * controls.shape[1] + 8))
        again = _regressed(controls[some], figures[some], *exact)
        resampled.append((again[0], again[1] + again[2]))
    errors = np.sqrt(residual / count), np.sqrt(error.clip(0) / count)
    return Estimate(mean, along + rest, *errors, resampled, figures)


def _regressed(
    x: FloatArray, y: FloatArray, mean_x: FloatArray, covariance_x: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of y, the covariance that x explains, and that of the rest."""
    unit = deviations(covariance_x)
    moved = y - y[0]  # exactly 0 where a statistic is constant
    away, rest = (x - x.mean(axis=0)) / unit, moved - moved.mean(axis=0)
    inverse = np.linalg.pinv(away.T @ away, hermitian=True, rcond=1e-12)
    slope = inverse @ (away.T @ rest)
    rest = rest - away @ slope
    residual = rest.T @ rest / max(len(x) - 1 - x.shape[1], 1)
    slope = slope / unit[:, None]
    mean = y[0] + moved.mean(axis=0) + (mean_x - x.mean(axis=0)) @ slope
    return mean, slope.T @ covariance_x @ slope, residual


def spacings(draws: FloatArray) -> FloatArray:
    """Return the widest gap between central values that holds 1 % of the tables, shape (p,)."""
    ordered = np.sort(draws, axis=0)
    tail, few = int(_CENTRAL * len(draws)), max(int(_FEW * len(draws)), 1)
    central = ordered[tail : len(draws) - tail]
    return np.asarray((central[few:] - central[:-few]).max(axis=0, initial=0.0))


def stretched(means: FloatArray, deviations: FloatArray, draws: Sequence[FloatArray]) -> float:
    """Return how far apart two normals' means must be for tables to differ as much as drawn ones.

    By the total variation of one statistic over cells that hold equally many of all tables; less
    what chance adds, and the means' own distance where the normals differ as much. Means and
    deviations are (2,), draws two of (tables,).
    """
    edges = np.unique(np.quantile(np.concatenate(draws), np.arange(1, _CELLS) / _CELLS))
    cells = [np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1) for x in draws]
    count, apart = len(draws[0]), abs(float(means[1] - means[0]))
    found = np.abs(cells[1] - cells[0]).sum() / count / 2 - 0.6 * math.sqrt(len(edges) / count)
    middle, spread = means.mean(), float(deviations.max())
    deviations = np.maximum(deviations, 1e-6 * spread)
    sides = (1, -1) if means[0] <= means[1] else (-1, 1)

    def variation(distance: float) -> float:
        both = [
            np.diff(ndtr((edges - middle + side * distance / 2) / s), prepend=0, append=1)
            for side, s in zip(sides, deviations, strict=True)
        ]
        return float(np.abs(both[1] - both[0]).sum() / 2)

    while variation(apart) < found and apart < 10 * spread:
        apart += 0.05 * spread
    return apart
