"""Means and covariances of simulated statistics, and how sure they are: the grouped jackknife."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Jackknife", "estimated_moments"]

FloatArray = NDArray[np.float64]

_GROUPS = 100
_CONDITION = 1e-10  # of the linear statistics' correlations


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Means and covariances of a pair from all simulated datasets but one group of them.

    Whatever is computed from the model can be computed from each of these, and its standard error
    is √((B − 1)/B Σ_b (x_b − x̄)²) (Efron & Tibshirani 1993, Chapter 11; Shao & Tu 1995, Section
    2.3).

    Attributes
    ----------
    means : ndarray, shape (B, 2, m)
    covariances : ndarray, shape (B, 2, m, m)
    """

    means: FloatArray
    covariances: FloatArray

    @staticmethod
    def errors(values: FloatArray) -> FloatArray:
        """Return the standard errors of what was computed B times, shape (B, ...)."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt((len(values) - 1) * values.var(axis=0)))

    def plus(self, covariance: FloatArray) -> Jackknife:
        """Return it with something added to every covariance, shape (m, m)."""
        return replace(self, covariances=self.covariances + covariance)

    def in_units(self, units: FloatArray) -> Jackknife:
        """Return it with each statistic divided by a unit, shape (m,)."""
        return Jackknife(self.means / units, self.covariances / np.outer(units, units))

    def of_statistics(self, indices: Sequence[int]) -> Jackknife:
        """Return it for some of the statistics, in that order."""
        rows = list(indices)
        return Jackknife(self.means[..., rows], self.covariances[..., rows, :][..., rows])


def estimated_moments(
    drawn: FloatArray,
    linear: Sequence[int] = (),
    mean: FloatArray | None = None,
    covariance: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    r"""Estimate mean and covariance of statistics from simulated datasets, and without each group.

    The moments of some of the statistics may be known. Then the others y are regressed on these x,
    :math:`y = a + Bx + e`, and their moments are :math:`a + B\mu_x`,
    :math:`B\Sigma_{xx}` and :math:`B\Sigma_{xx}B^\top + \operatorname{Cov}(e)`: the control
    variates of simulation, and maximum likelihood where all are normal (Anderson 1957; Lavenberg &
    Welch 1981, Management Science 27).

    Parameters
    ----------
    drawn : ndarray, shape (datasets, m)
        More datasets than statistics.
    linear : sequence of int
        Whose moments are known.
    mean, covariance : ndarray, shape (q,) and (q, q)
        Their moments.

    Returns
    -------
    tuple of ndarray, shape (B + 1, m) and (B + 1, m, m)
        At index 0 of all datasets, then of all but one of B groups of them.
    """
    center, units = drawn.mean(axis=0), drawn.std(axis=0)
    units = np.where(units > 0, units, 1.0)
    parts = np.array_split((drawn - center) / units, min(_GROUPS, len(drawn)))
    sums = np.array([part.sum(axis=0) for part in parts])
    squares = np.array([part.T @ part for part in parts])
    counts = len(drawn) - np.array([0, *map(len, parts)])[:, None]
    first = sums.sum(axis=0) - np.vstack([np.zeros_like(center), sums])
    second = squares.sum(axis=0) - np.concatenate([np.zeros_like(squares[:1]), squares])
    means = first / counts
    outer = counts[..., None] * means[:, :, None] * means[:, None, :]
    covariances = (second - outer) / (counts[..., None] - 1)
    if linear and mean is not None and covariance is not None:
        rows = list(linear)
        within = (mean - center[rows]) / units[rows]
        across = covariance / np.outer(units[rows], units[rows])
        _replace_known(means, covariances, counts, rows, within, across)
    return center + units * means, covariances * np.outer(units, units)


def _replace_known(
    means: FloatArray,
    covariances: FloatArray,
    counts: FloatArray,
    rows: list[int],
    mean: FloatArray,
    covariance: FloatArray,
) -> None:
    others = [index for index in range(means.shape[1]) if index not in rows]
    inside, between = np.ix_(range(len(means)), rows, rows), np.ix_(range(len(means)), others, rows)
    beside = np.ix_(range(len(means)), others, others)
    cross = covariances[between]
    slopes = cross @ np.linalg.pinv(covariances[inside], _CONDITION, hermitian=True)
    left = np.maximum(counts - 1 - len(rows), 1)[..., None]
    rest = (covariances[beside] - slopes @ cross.swapaxes(1, 2)) * (counts[..., None] - 1) / left
    means[:, others] += (slopes @ (mean - means[:, rows])[..., None])[..., 0]
    means[:, rows] = mean
    covariances[beside] = slopes @ covariance @ slopes.swapaxes(1, 2) + rest
    covariances[between] = slopes @ covariance
    covariances[np.ix_(range(len(means)), rows, others)] = covariances[between].swapaxes(1, 2)
    covariances[inside] = covariance
