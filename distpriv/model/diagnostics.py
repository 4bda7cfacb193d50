"""How well normal laws describe simulated tables: tests, misfits, covariances and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import eigvalsh
from scipy.special import chdtrc, kolmogi, ndtr, ndtri

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.model.fit import PairModel
from distpriv.model.grid import deviations

__all__ = ["CovarianceDifference", "bootstrap_intervals", "chance", "covariance_difference"]
__all__ += ["mardia", "misfit", "normality"]

_FEWEST = 5  # expected tables in a cell of a chi-squared test
_RANK = 1e-10  # of a correlation's eigenvalues: what varies less follows from the others
_VARIES = 1e-12  # of a statistic's size: a deviation below it is rounding
_BLOCK = 2_000_000  # weights at a time


def misfit(draws: FloatArray, mean: float, deviation: float, step: float) -> float:
    """Return the largest distance between two shares of tables below a value, in points of 100.

    One is that of the draws, shape (R,), the other that of the normal curve; on a grid the curve
    counts up to half a step above the value.
    """
    values, counts = np.unique(np.round(draws, 9), return_counts=True)
    if not deviation > 0:
        return 0.0
    below = counts.cumsum() / len(draws)
    expected = ndtr((values + step / 2 - mean) / deviation)
    before = below - counts / len(draws)
    earlier = ndtr((values - step / 2 - mean) / deviation)
    return 100 * float(np.maximum(np.abs(below - expected), np.abs(before - earlier)).max())


def chance(draws: int, curves: int = 1) -> float:
    """Return the misfit in points of 100 that chance exceeds once in 100 times, on any curve.

    By Kolmogorov's law, which is generous for statistics on a grid.
    """
    return 100 * float(kolmogi(0.01 / curves)) / math.sqrt(draws)


def normality(
    draws: FloatArray, pair: PairModel, labels: Sequence[str], shares: Sequence[str]
) -> pd.DataFrame:
    """Test each of m statistics against its fitted normal by Pearson's χ².

    By simulated tables of :func:`distpriv.model.simulate.simulate`, shape (2, R, m). The cells are
    about equally likely, at most 2 R^0.4 (Mann & Wald 1942) and with five tables expected in each;
    where a statistic has a grid they end half-way between its values, so that steps are no
    deviation. Other tests of normality (Shapiro & Wilk's) reject every grid. Columns are statistic,
    share, tables (R), cells, chi2, p; NaN where there are fewer than two cells, for the statistic
    does not vary. DistprivError if the draws are not of that shape, or not finite.
    """
    values = _checked(draws, len(labels))
    deviations = np.sqrt(np.diagonal(pair.covariances, axis1=1, axis2=2).clip(0))
    rows = [
        (label, share, values.shape[1], *_chi_squared(values[side, :, place], *law))
        for place, label in enumerate(labels)
        for side, share in enumerate(shares)
        for law in [(pair.means[side, place], deviations[side, place], pair.steps[place])]
    ]
    return pd.DataFrame(rows, columns=["statistic", "share", "tables", "cells", "chi2", "p"])


def _chi_squared(
    draws: FloatArray, mean: float, deviation: float, step: float
) -> tuple[int, float, float]:
    """Return the number of cells, χ² and its p-value."""
    count, reach = len(draws), float(np.abs(draws).max())
    if not deviation > _VARIES * reach:
        return 1, math.nan, math.nan
    cells = min(int(2 * count**0.4), count // _FEWEST)
    edges = mean + deviation * ndtri(np.arange(1, cells) / cells)
    if step > 0:
        origin = draws[0] + step / 2
        edges = np.unique(origin + step * np.rint((edges - origin) / step))
    edges = np.concatenate([[-np.inf], edges, [np.inf]])
    below, chosen = count * ndtr((edges - mean) / deviation), [0]
    for place in range(1, len(edges) - 1):
        if min(below[place] - below[chosen[-1]], count - below[place]) >= _FEWEST:
            chosen.append(place)
    chosen.append(-1)
    expected = np.diff(below[chosen])
    if len(expected) < 2:
        return 1, math.nan, math.nan
    observed = np.diff(np.searchsorted(np.sort(draws), edges[chosen]))
    chi2 = float(((observed - expected) ** 2 / expected).sum())
    return len(expected), chi2, float(chdtrc(len(expected) - 1, chi2))


def mardia(draws: FloatArray, shares: Sequence[str] = ("lower", "higher")) -> pd.DataFrame:
    """Test all statistics jointly by Mardia's (1970) skewness and kurtosis, see :func:`normality`.

    With whitened tables z, the skewness is Σ (mean of z_i z_j z_k)² and the kurtosis the mean of
    ‖z‖⁴. For R normal tables in d dimensions, R/6 times the skewness is chi-squared with d(d + 1)(d
    + 2)/6 degrees of freedom, and the kurtosis normal around d(d + 2) with variance 8d(d + 2)/R.
    Statistics that follow from others, or do not vary, add no dimension. Columns are share, tables,
    dimensions, skewness, skewness_p, kurtosis, expected, kurtosis_p.
    """
    rows = []
    for share, values in zip(shares, _checked(draws), strict=True):
        away, deviation = values - values.mean(axis=0), values.std(axis=0)
        varies = deviation > _VARIES * np.abs(values).max(axis=0)
        scaled = away[:, varies] / deviation[varies]
        variances, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
        some = variances > _RANK
        white = np.asarray(scaled @ vectors[:, some] / np.sqrt(variances[some]))
        count, d = white.shape
        if d == 0:
            rows.append((share, count, 0, *[math.nan] * 5))
            continue
        squares = (white[:, :, None] * white[:, None, :]).reshape(count, d * d)
        skewness = float((((squares.T @ white) / count) ** 2).sum())
        kurtosis = float(((white**2).sum(axis=1) ** 2).mean())
        score = (kurtosis - d * (d + 2)) / math.sqrt(8 * d * (d + 2) / count)
        first = float(chdtrc(d * (d + 1) * (d + 2) / 6, count * skewness / 6))
        second = float(2 * ndtr(-abs(score)))
        rows.append((share, count, d, skewness, first, kurtosis, d * (d + 2), second))
    columns = ["share", "tables", "dimensions", "skewness", "skewness_p"]
    return pd.DataFrame(rows, columns=[*columns, "kurtosis", "expected", "kurtosis_p"])


@dataclass(frozen=True, eq=False)
class CovarianceDifference:
    """How far the covariances of two shares differ, and what that costs."""

    # Least and largest ratio, of any combination of the statistics, of the variance at the higher
    # share to that at the lower one.
    extremes: tuple[float, float]
    epsilon: float
    pooled: float  # δ(ε) if both shares had the mean covariance
    delta: float  # δ(ε) by their own covariances, in the worse order


def covariance_difference(
    pair: PairModel, noise: FloatArray | float = 0.0, epsilon: float = 1.0
) -> CovarianceDifference:
    """Compare the covariances of two shares, and what δ(ε) is by each and by their mean.

    Normal noise, of a covariance (m, m), makes both more alike.
    """
    from distpriv.privacy.loss import NormalLoss  # a later room

    one, other = pair.covariances + noise
    mean = (one + other) / 2
    unit = deviations(mean)
    across, trace = np.outer(unit, unit), 1e-12 * np.eye(len(unit))
    parts = eigvalsh(other / across + trace, mean / across + trace).clip(0, 2)[[0, -1]]
    with np.errstate(divide="ignore"):
        least, most = map(float, parts / (2 - parts))
    loss, pooled = (
        NormalLoss.between(pair.difference, *law) for law in ((one, other), (mean, mean))
    )
    delta = max(float(order.delta(epsilon)) for order in (loss, loss.reversed))
    return CovarianceDifference((least, most), epsilon, float(pooled.delta(epsilon)), delta)


def bootstrap_intervals(draws: FloatArray, resamples: int = 1000) -> pd.DataFrame:
    """Compute 95 % intervals of the shares' distances, by simulated tables drawn again.

    Squared distances of R tables' means are too large by the tables' own scatter, tr(2 Σ)/R for
    Δ_{E,2} and 2 d/R for the Mahalanobis distance in d dimensions, and drawn again twice as much;
    that is taken off. The same draws, shape (2, R, m), have the same intervals. Rows are "Δ_{E,2}"
    and "Mahalanobis distance", columns distance, estimate, low, high, tables (R), resamples.
    DistprivError if the draws are not of that shape, or not finite.
    """
    values = _checked(draws)
    generator, count, m = np.random.default_rng(0), *values.shape[1:]
    unit = values.std(axis=1).mean(axis=0)
    unit = np.where(unit > _VARIES * np.abs(values).max(axis=(0, 1)), unit, np.inf)
    moments = np.empty((2, resamples + 1, m + m * m))
    for side, away in enumerate(values - values.mean(axis=(0, 1))):
        outer = (away[:, :, None] * away[:, None, :]).reshape(count, m * m)
        for part in np.array_split(np.arange(resamples + 1), 1 + resamples * count // _BLOCK):
            members = generator.integers(count, size=(len(part), count))
            weights = np.array([np.bincount(one, minlength=count) for one in members])
            weights[part == 0] = 1  # the tables as they are
            moments[side, part] = weights @ np.hstack([away, outer]) / count
    means, products = moments[..., :m], moments[..., m:].reshape(2, -1, m, m)
    covariances = (products - means[..., :, None] * means[..., None, :]).mean(axis=0)
    difference, scatter = means[0] - means[1], np.full(resamples + 1, 4 / count)
    scatter[0] = 2 / count
    spreads, vectors = np.linalg.eigh(covariances / np.outer(unit, unit))
    along = np.einsum("bij,bi->bj", vectors, difference / unit) ** 2
    some = spreads > _RANK
    square = (along / np.where(some, spreads, np.inf)).sum(axis=1) - scatter * some.sum(axis=1)
    plain = (difference**2).sum(axis=1) - scatter * np.trace(covariances, axis1=1, axis2=2)
    estimate, *again = np.sqrt(np.stack([plain, square], axis=1).clip(0))
    low, high = np.quantile(again, [0.025, 0.975], axis=0)
    names = ["Δ_{E,2}", "Mahalanobis distance"]
    frame = pd.DataFrame({"distance": names, "estimate": estimate, "low": low, "high": high})
    return frame.assign(tables=count, resamples=resamples)


def _checked(draws: FloatArray, m: int | None = None) -> FloatArray:
    values = np.asarray(draws, dtype=np.float64)
    fits = values.ndim == 3 and len(values) == 2 and m in (None, values.shape[-1])
    if not fits or values.shape[1] < 2 * _FEWEST or not np.isfinite(values).all():
        raise DistprivError(
            f"Tests of the fit need finite figures of 10 or more simulated tables at both shares; "
            f"they got an array of shape {values.shape}."
        )
    return values
