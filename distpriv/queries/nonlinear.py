"""Statistics that are no sums over the records: quantiles, deviations and correlations.

Records have shape (..., n) or, for correlations, (..., n, 2). Weights have shape (..., n), or there
are none, which counts every record once; they sum to the number of records that is stood for. One
list of records, shape (n,), may come with many rows of weights.
"""

from __future__ import annotations

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError

__all__ = ["correlation", "deviation", "influence", "quantile"]

_SLACK = 1e-9  # of the records, for rounding
_CONSTANT = 1e-12  # of its squares a column varies by rounding only


def quantile(x: FloatArray, level: float, weights: FloatArray | None = None) -> FloatArray:
    """Return the least value that a share of the records does not exceed, shape (...).

    Halfway to the next value where a share of exactly `level` does not, so that level ½ is the
    usual median (definition 2 of Hyndman & Fan 1996).
    """
    n = x.shape[-1]
    if weights is None:
        rank = round(level * n, 9)
        low, high = max(int(np.ceil(rank)) - 1, 0), min(int(np.floor(rank)), n - 1)
        ordered = np.partition(x, sorted({low, high}), axis=-1)
        return np.asarray((ordered[..., low] + ordered[..., high]) / 2)
    order = np.argsort(x, axis=-1)
    ordered = np.take_along_axis(x, order, axis=-1)
    if x.ndim == 1:
        weights = weights[..., order]
    else:
        weights = np.take_along_axis(np.broadcast_to(weights, x.shape), order, axis=-1)
    reached = np.cumsum(weights, axis=-1)
    total = reached[..., -1:]
    low_at = (reached < (level - _SLACK) * total).sum(axis=-1)
    high_at = (reached <= (level + _SLACK) * total).sum(axis=-1).clip(max=n - 1)
    ends = np.stack([low_at, high_at], axis=-1)
    values = ordered[ends] if x.ndim == 1 else np.take_along_axis(ordered, ends, axis=-1)
    return np.asarray(values.mean(axis=-1))


def deviation(x: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the standard deviation with n − 1, shape (...)."""
    total, (square, *_) = _products([x], weights)
    return np.asarray(np.sqrt(square / (total - 1)))


def correlation(xy: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return Pearson's correlation, shape (...); 0 where a column has one value only."""
    _, (xx, both, yy) = _products([xy[..., 0], xy[..., 1]], weights)
    size = np.sqrt(xx * yy)
    result = np.divide(both, size, out=np.zeros_like(size), where=size > 0)
    return np.asarray(result.clip(-1, 1))


def _products(
    columns: list[FloatArray], weights: FloatArray | None
) -> tuple[FloatArray | float, list[FloatArray]]:
    """Return the records stood for, and sums of products of columns less their means."""
    n = columns[0].shape[-1]
    if n < 2:
        raise DistprivError("A deviation or correlation needs two records; take more records.")
    near = [x - x.mean() for x in columns]  # so that squares do not drown what varies
    total = float(n) if weights is None else weights.sum(axis=-1)
    sums = [_sum(x, weights) for x in near]
    pairs = [_sum(x * y, weights) for place, x in enumerate(near) for y in near[place:]]
    squares = [s * t / total for place, s in enumerate(sums) for t in sums[place:]]
    result = [raw - part for raw, part in zip(pairs, squares, strict=True)]
    for place in (0, len(result) - 1):
        result[place] = np.where(result[place] > _CONSTANT * pairs[place], result[place], 0.0)
    return total, result


def _sum(x: FloatArray, weights: FloatArray | None) -> FloatArray:
    if weights is None:
        return np.asarray(x.sum(axis=-1))
    return np.asarray(weights @ x if x.ndim == 1 else np.einsum("...n,...n->...", weights, x))


def influence(kind: str, records: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """Return what a record moves a statistic by, at most 1 in size, shape (N,).

    The influence function (Hampel 1974), scaled, at the law that gives the records, shape (N, w),
    their weights, shape (N,).
    """
    share = weights / weights.sum()
    away = records - share @ records
    if kind == "correlation":
        size = np.sqrt(share @ away**2)
        x, y = (away / np.where(size > 0, size, 1.0)).T
        moves = x * y - share @ (x * y) * (x**2 + y**2) / 2
    elif kind == "deviation":
        moves = away[:, 0] ** 2
    else:
        middle = quantile(records[:, 0], level, weights)
        moves = ((records[:, 0] < middle) * 1.0 + (records[:, 0] <= middle)) / 2
    moves = moves - share @ moves  # so that squares do not drown what varies
    reach = float(np.abs(moves).max(initial=0.0))
    return np.asarray(moves / reach if reach > 0 else moves)
