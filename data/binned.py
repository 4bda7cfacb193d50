"""Numeric columns as histograms whose bins each hold several records.

A bin is (lowest value, highest value, number of records, mean rounded to a whole number). Two bins
can share a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

__all__ = ["Bin", "histogram", "latent_correlation", "quota"]

Bin = tuple[int, int, int, int]


def histogram(values: NDArray[np.int64], limits: tuple[int, int], smallest: int) -> list[Bin]:
    """Count values in bins of at least `smallest` records.

    A value with enough records keeps its own bin. Rarer values next to each other share one; a few
    left over between two frequent values are counted with the nearer, or half with each. A few
    left over at an end of the range form a bin with records of the value next to them. A bin of
    several values at an end reaches to the limit, so that it does not tell the extreme record.

    Parameters
    ----------
    values : ndarray of int, shape (N,)
        N at least `smallest`.
    limits : (int, int)
        Least and largest value possible.
    smallest : int
        Least number of records in a bin, at least 1.

    Returns
    -------
    list of Bin
        In rising order.
    """
    ordered = np.sort(values)
    if len(ordered) < 2 * smallest:
        return [(*limits, len(ordered), round(float(ordered.mean())))]
    parts = _runs(ordered, smallest)
    if len(parts[0]) < smallest:
        parts[:2] = _fill(parts[0], parts[1], smallest)
    if len(parts[-1]) < smallest:
        filled = _fill(-parts[-1][::-1], -parts[-2][::-1], smallest)
        parts[-2:] = [-part[::-1] for part in reversed(filled)]
    bins = [(int(part[0]), int(part[-1]), len(part), round(float(part.mean()))) for part in parts]
    while min(count for _, _, count, _ in bins) < smallest:
        at = next(index for index, bin_ in enumerate(bins) if bin_[2] < smallest)
        low, high, number, _ = bins.pop(at)
        gaps = (low - bins[at - 1][1], bins[at][0] - high)
        below = number // 2 if gaps[0] == gaps[1] else number * (gaps[0] < gaps[1])
        for index, extra in ((at - 1, below), (at, number - below)):
            first, last, count, mean = bins[index]
            bins[index] = (first, last, count + extra, mean)
    low, high, number, mean = bins[0]
    if low < high:
        bins[0] = (limits[0], high, number, mean)
    low, high, number, mean = bins[-1]
    if low < high:
        bins[-1] = (low, limits[1], number, mean)
    return bins


def quota(bins: Sequence[Bin]) -> NDArray[np.int64]:
    """Turn a histogram into values, each bin's records spread over its range with its mean.

    Parameters
    ----------
    bins : sequence of Bin

    Returns
    -------
    ndarray of int, shape (N,)
        In rising order; N is the number of records in all bins.
    """
    return np.sort(np.concatenate([_spread(*bin_) for bin_ in bins]))


def latent_correlation(x: Sequence[Bin], y: Sequence[Bin], correlation: float) -> float:
    """Find the correlation of two normals that gives two binned columns the wanted one.

    With g and h the quantile functions of the columns on the normal scale and a_k, b_k their
    coefficients in the normalised Hermite polynomials, Mehler's formula gives
    ``cov(g(Z_1), h(Z_2)) = sum_k a_k b_k rho^k`` for standard normals of correlation rho.

    Parameters
    ----------
    x, y : sequence of Bin
    correlation : float
        Product-moment correlation wanted, in (-1, 1).

    Returns
    -------
    float
        rho in [-0.95, 0.95]; the nearer end if the bins cannot reach the wanted correlation, 0 if
        one of the columns is constant.
    """
    a, b = _hermite_coefficients(quota(x)), _hermite_coefficients(quota(y))
    scale = float(np.std(quota(x)) * np.std(quota(y)))
    powers = np.arange(1, len(a) + 1)

    def excess(rho: float) -> float:
        return float(np.sum(a * b * rho**powers)) - correlation * scale

    if excess(-0.95) >= 0 or excess(0.95) <= 0:
        return math.copysign(0.95, correlation) if scale else 0.0
    return float(optimize.brentq(excess, -0.95, 0.95))


def _runs(ordered: NDArray[np.int64], smallest: int) -> list[NDArray[np.int64]]:
    """Part sorted values by value, and join rare ones next to each other until they suffice."""
    parts: list[NDArray[np.int64]] = []
    open_run = False
    for part in np.split(ordered, np.flatnonzero(np.diff(ordered)) + 1):
        rare = len(part) < smallest
        if rare and open_run:
            parts[-1] = np.concatenate([parts[-1], part])
        else:
            parts.append(part)
        open_run = rare and len(parts[-1]) < smallest
    return parts


def _fill(
    few: NDArray[np.int64], next_: NDArray[np.int64], smallest: int
) -> list[NDArray[np.int64]]:
    """Move records of the neighbouring bin to the end bin, all of them if too few would stay."""
    moved = smallest - len(few)
    if len(next_) - moved < smallest:
        moved = len(next_)
    return [np.concatenate([few, next_[:moved]]), *([next_[moved:]] if moved < len(next_) else [])]


def _spread(low: int, high: int, count: int, mean: int) -> NDArray[np.int64]:
    """Quantiles of the distribution of largest entropy on low..high with that mean."""
    offsets = np.arange(high - low + 1)
    target = float(np.clip(mean - low, 0.25, max(high - low - 0.25, 0.25)))

    def shares(tilt: float) -> NDArray[np.float64]:
        weights = np.exp(tilt * (offsets - offsets[-1] * (tilt > 0)))
        return np.asarray(weights / weights.sum())

    if low == high:
        return np.full(count, low)
    tilt = optimize.brentq(lambda tilt: float(shares(tilt) @ offsets) - target, -20, 20)
    levels = (np.arange(count) + 0.5) / count
    return np.asarray(low + np.searchsorted(np.cumsum(shares(float(tilt)))[:-1], levels))


def _hermite_coefficients(values: NDArray[np.int64], terms: int = 40) -> NDArray[np.float64]:
    """Coefficients 1 to `terms` of a step function of a normal that takes the sorted values."""
    levels, counts = np.unique(values, return_counts=True)
    ends = stats.norm.ppf(np.cumsum(counts)[:-1] / len(values))
    # he holds He_{k-1}(end) / sqrt((k-1)!), which stays bounded against the density.
    older, he = np.zeros_like(ends), np.ones_like(ends)
    coefficients = []
    for k in range(1, terms + 1):
        # E[1(a < Z <= b) He_k(Z)] = He_{k-1}(a) phi(a) - He_{k-1}(b) phi(b), summed by parts.
        total = np.sum(np.diff(levels) * he * stats.norm.pdf(ends))
        coefficients.append(total / math.sqrt(k))
        older, he = he, (ends * he - math.sqrt(k - 1) * older) / math.sqrt(k)
    return np.array(coefficients)
