"""Laws of statistics that are no sums, estimated from simulated tables.

Each such statistic is regressed on the sums beside it and on the sum of its influence function,
whose laws are exact: so only the rest is uncertain, and covariances are positive definite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from distpriv.arrays import BoolArray, FloatArray, IntArray
from distpriv.model.groups import Groups, nested_moments
from distpriv.model.simulate import drawn_nested, records_of, statistics_of, sums_of
from distpriv.queries import Query

__all__ = ["Estimate", "estimated_law"]

_WORK, _FEWEST, _MOST = 1_200_000, 200, 12_000  # records drawn at a share, and tables
_MEMBERS = 4_000_000  # at a time
_RESAMPLED, _WIDER = 12, 1.5  # laws, and how much wider than the sampling deviation they spread
_CENTRAL, _FEW = 0.1, 0.01  # of the tables: tails left out, and those within a spacing


@dataclass(frozen=True, eq=False)
class Estimate:
    """Law of statistics estimated from simulated tables.

    Attributes
    ----------
    mean : ndarray, shape (p,)
    covariance : ndarray, shape (p, p)
    mean_error : ndarray, shape (p,)
        Standard errors; 0 for sums, whose laws are exact.
    covariance_error : ndarray, shape (p, p)
    resampled : list of (ndarray, ndarray)
        Means and covariances that are as likely, so widely spread that a figure is worse under all
        of them than under the true law in 3 of 100 cases only.
    spacing : ndarray, shape (p,)
        Of the values that a statistic takes: the widest gap between central ones that holds 1 % of
        the tables; 0 for sums.
    """

    mean: FloatArray
    covariance: FloatArray
    mean_error: FloatArray
    covariance_error: FloatArray
    resampled: list[tuple[FloatArray, FloatArray]]
    spacing: FloatArray


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
    """Estimate the joint law of the statistics of nested subsets of one table's records.

    Parameters
    ----------
    query : Query
    groups : Groups
        With their records.
    kept, total : ndarray, shape (u, 2)
        Records of each group that a subset has, the first of the larger ones, and how many they
        stand for; where none is kept, the statistics are those of the groups' laws.
    replacement : bool
    rng : Generator
    count : int, optional
        Simulated tables; by default as many as about half a second allows.
    controlled : bool
        Whether sums keep their exact laws and the others are regressed on them.

    Returns
    -------
    Estimate
        Of the u m statistics, subset by subset.

    Raises
    ------
    DistprivError
        If the groups came without records.
    """
    records = records_of(groups)
    linear = np.array([one.linear and controlled for one in query.statistics])
    sizes = [len(group) for group in records]
    features = [np.zeros((size, 0)) for size in sizes]
    if controlled:
        moves = query.influence(np.concatenate(records), np.repeat(total[0] / sizes, sizes))
        features = np.split(moves * query.scales(round(float(total[0].sum()))), sizes[:1])
    free, columns = _part(query, ~linear)
    needed = [group[:, columns] for group in records]
    count = count or int(np.clip(_WORK / max(kept.sum(axis=1).max(), 1), _FEWEST, _MOST))
    weights = np.divide(total, kept, out=np.zeros_like(total), where=kept > 0)
    x = np.zeros((count, len(kept), features[0].shape[1]))
    y = np.zeros((count, len(kept), len(free)))
    for place in np.flatnonzero(~kept.any(axis=1)):
        y[:, place] = free.of(np.concatenate(needed), np.repeat(total[place] / sizes, sizes))
    used = np.flatnonzero(kept.any(axis=1))
    many = sum(min(4 * int(kept[:, g].max()), len(records[g])) for g in (0, 1))
    block = max(1, _MEMBERS // max(many, int(kept.sum(axis=1).max()), 1))
    for start in range(0, count if len(used) else 0, block):
        rows = slice(start, min(start + block, count))
        drawn = [
            drawn_nested(len(group), kept[used, g], rows.stop - start, rng, replacement)
            for g, group in enumerate(records)
        ]
        for place, members in zip(used, zip(*drawn, strict=True), strict=True):
            for g in (0, 1):
                x[rows, place] += weights[place, g] * sums_of(features[g], members[g])
            y[rows, place] = statistics_of(free, needed, members, weights[place])
    exact = _exact(features, kept, total, groups, replacement)
    order = _order(linear, len(kept), features[0].shape[1])
    return _estimate(x.reshape(count, -1), y.reshape(count, -1), exact, order, rng)


def _part(query: Query, chosen: BoolArray) -> tuple[Query, IntArray]:
    """Return some statistics of a query, and the columns of its values that they take."""
    some = np.flatnonzero(chosen)
    places = query.places
    columns = [np.arange(places[one].start, places[one].stop) for one in some]
    return Query(tuple(query.statistics[one] for one in some)), np.concatenate(columns)


def _exact(
    features: Sequence[FloatArray],
    kept: FloatArray,
    total: FloatArray,
    groups: Groups,
    replacement: bool,
) -> tuple[FloatArray, FloatArray]:
    p = features[0].shape[1]
    single = np.array([np.cov(group.T).reshape(p, p) for group in features])
    sizes = groups.counts
    if replacement:
        sizes, single = np.full(2, np.inf), single * (1 - 1 / groups.counts)[:, None, None]
    means = np.array([group.mean(axis=0) for group in features])
    return nested_moments(means, single, sizes, kept, total)


def _order(linear: BoolArray, subsets: int, features: int) -> IntArray:
    """Return places of the statistics among all features and then all simulated ones."""
    free = int((~linear).sum())
    places = [
        subset * features + at
        if linear[at]
        else subsets * features + subset * free + int((~linear[:at]).sum())
        for subset in range(subsets)
        for at in range(len(linear))
    ]
    return np.array(places)


def _estimate(
    x: FloatArray,
    y: FloatArray,
    exact: tuple[FloatArray, FloatArray],
    order: IntArray,
    rng: np.random.Generator,
) -> Estimate:
    count, (p, q) = len(x), (x.shape[1], y.shape[1])
    across = np.ix_(order, order)
    mean, covariance, rest = _regressed(x, y, *exact)
    own = np.zeros_like(covariance)
    own[p:, p:] = rest
    along, diagonal, variance = covariance - own, np.diagonal(own), np.diagonal(covariance - own)
    error = np.outer(diagonal, diagonal) + own**2 + 2 * own * along
    error += np.outer(diagonal, variance) + np.outer(variance, diagonal)
    spacing = np.concatenate([np.zeros(p), [_spacing(each) for each in y.T]])
    resampled = []
    for _ in range(_RESAMPLED):
        rows = rng.integers(count, size=max(int(count / _WIDER**2), p + q + 2))
        again = _regressed(x[rows], y[rows], *exact)
        resampled.append((again[0][order], again[1][across]))
    return Estimate(
        mean[order],
        covariance[across],
        np.sqrt(diagonal / count)[order],
        np.sqrt(error.clip(0) / count)[across],
        resampled,
        spacing[order],
    )


def _regressed(
    x: FloatArray, y: FloatArray, mean_x: FloatArray, covariance_x: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and covariance of both, and the covariance of what x leaves of y."""
    unit = np.sqrt(np.diagonal(covariance_x))
    unit = np.where(unit > 0, unit, 1.0)
    moved = y - y[0]  # exactly 0 where a statistic is constant
    away, rest = (x - x.mean(axis=0)) / unit, moved - moved.mean(axis=0)
    inverse = np.linalg.pinv(away.T @ away, hermitian=True, rcond=1e-9)
    slope = inverse @ (away.T @ rest)
    rest = rest - away @ slope
    own = rest.T @ rest / max(len(x) - 1 - x.shape[1], 1)
    slope = slope / unit[:, None]
    cross = covariance_x @ slope
    mean_y = y[0] + moved.mean(axis=0) + (mean_x - x.mean(axis=0)) @ slope
    mean = np.append(mean_x, mean_y)
    covariance = np.block([[covariance_x, cross], [cross.T, slope.T @ cross + own]])
    return mean, covariance, own


def _spacing(values: FloatArray) -> float:
    ordered = np.sort(values)
    tail, few = int(_CENTRAL * len(values)), max(int(_FEW * len(values)), 1)
    central = ordered[tail : len(values) - tail]
    return float((central[few:] - central[:-few]).max(initial=0.0))
