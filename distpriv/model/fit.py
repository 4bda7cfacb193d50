"""The normal model of statistics under two shares, exactly from the groups' moments."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.model.grid import smoothness
from distpriv.model.groups import PROVENANCES, Groups, Provenance
from distpriv.queries import Pair, Query
from distpriv.text import percent, whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GaussianModel", "PairModel", "fit_groups"]

_LARGEST = 10**15  # records; whole numbers above it are not all of double precision


@dataclass(frozen=True, eq=False)
class PairModel:
    """Two normal laws of the statistics that must not be told apart.

    Attributes
    ----------
    pair : Pair
    groups : Groups
        What it was computed from, in units of the columns.
    numbers : ndarray, shape (2, 2)
        Records [share, group].
    means : ndarray, shape (2, m)
        Of the statistics, at each share.
    covariances : ndarray, shape (2, m, m)
    steps : ndarray, shape (m,)
        Step of each statistic by itself, 0 where it has no grid.
    joint_steps : ndarray, shape (2, m)
        At each share while all other statistics stay, see :class:`distpriv.model.grid.Grid`.
    apart : bool
        Whether the two laws lie on different grids, so that arithmetic tells the shares, see
        :meth:`distpriv.model.grid.GroupGrids.apart`.
    alternatives : tuple of PairModel
        Laws that are as likely as these where they were estimated from simulated tables; a promise
        has to hold under all of them. Empty where the laws are exact.
    """

    pair: Pair
    groups: Groups
    numbers: FloatArray
    means: FloatArray
    covariances: FloatArray
    steps: FloatArray
    joint_steps: FloatArray
    apart: bool
    alternatives: tuple[PairModel, ...] = ()

    def __repr__(self) -> str:
        low, high = self.pair.low, self.pair.high
        return f"PairModel({self.pair.secret.label!r}, {low:g} against {high:g})"

    @property
    def difference(self) -> FloatArray:
        """Mean at the lower share less that at the higher one, shape (m,)."""
        return np.asarray(self.means[0] - self.means[1])

    @property
    def pooled(self) -> FloatArray:
        """Mean of the two covariances, which the published mechanisms use, shape (m, m)."""
        return np.asarray(self.covariances.mean(axis=0))

    @property
    def middle(self) -> float:
        """Middle of the two shares as whole records give them, a fraction."""
        return float(self.numbers[:, 1].mean() / self.numbers[0].sum())

    def distance(self, noise: FloatArray | float = 0.0) -> float:
        """Return the Mahalanobis distance of the means under pooled covariance and noise."""
        total = self.pooled + noise
        unit = np.sqrt(np.diagonal(total))
        unit = np.where(unit > 0, unit, 1.0)
        scaled = self.difference / unit
        trace = 1e-13 * np.eye(len(unit))  # what does not vary at all varies a trace
        square = scaled @ np.linalg.solve(total / np.outer(unit, unit) + trace, scaled)
        return math.sqrt(max(float(square), 0.0))

    def smoothness(self, noise: FloatArray) -> FloatArray:
        """Return θ for covariances of noise, shape (..., m, m); ∞ where arithmetic undoes it."""
        return smoothness(self.covariances, self.joint_steps, self.steps, noise)

    def in_units(self, units: FloatArray) -> PairModel:
        """Return the laws of statistics divided by units, shape (m,); the groups stay."""
        return replace(
            self,
            means=self.means / units,
            covariances=self.covariances / np.outer(units, units),
            steps=self.steps / units,
            joint_steps=self.joint_steps / units,
        )


@dataclass(frozen=True, eq=False)
class GaussianModel:
    """Normal laws of a query's statistics under the shares of one or several pairs.

    Attributes
    ----------
    query : Query
    n : int
        Records that the statistics are of.
    replacement : bool
        Whether the records count as drawn with replacement; whole tables always do.
    pairs : tuple of PairModel
    scales : ndarray, shape (m,)
        What turns sums over the records into the statistics.
    """

    query: Query
    n: int
    replacement: bool
    pairs: tuple[PairModel, ...]
    scales: FloatArray

    def __repr__(self) -> str:
        secrets = ", ".join(repr(pair.pair.secret.label) for pair in self.pairs)
        return f"GaussianModel({len(self.query)} statistics of {self.n} records; {secrets})"

    @property
    def steps(self) -> FloatArray:
        """Step of each statistic by itself, the largest over the pairs, shape (m,)."""
        return np.asarray(np.max([pair.steps for pair in self.pairs], axis=0))

    @property
    def provenance(self) -> Provenance:
        """Where the groups come from, the least public of them."""
        return min((pair.groups.provenance for pair in self.pairs), key=PROVENANCES.index)

    def to_frame(self) -> pd.DataFrame:
        """Return mean and standard deviation of every statistic at every share."""
        import pandas as pd

        rows = [
            (label, one.pair.secret.label, share, one.means[side][place], deviations[place])
            for one in self.pairs
            for side, share in enumerate((one.pair.low, one.pair.high))
            for deviations in [np.sqrt(np.diagonal(one.covariances[side]))]
            for place, label in enumerate(self.query.labels)
        ]
        return pd.DataFrame(rows, columns=["statistic", "secret", "share", "mean", "deviation"])


def fit_groups(
    groups: Sequence[Groups], query: Query, pairs: Sequence[Pair], n: int, replacement: bool = False
) -> GaussianModel:
    """Compute the model from the groups of each pair's secret.

    Parameters
    ----------
    groups : sequence of Groups
        One for each pair.
    query : Query
    pairs : sequence of Pair
    n : int
        Records, from 2 to 10¹⁵.
    replacement : bool

    Raises
    ------
    DistprivError
        If n is no such number, both shares mean as many records, or a group has too few.
    """
    if not pairs:
        raise DistprivError("Nothing is to be hidden; give at least one pair of shares.")
    try:
        n = operator.index(n)
    except TypeError:
        raise DistprivError(f"The number of records must be whole, not {n}.") from None
    if not 2 <= n <= _LARGEST:
        raise DistprivError(
            f"Statistics are of 2 to 10¹⁵ records, not of {n}; change their number."
        )
    scales = query.scales(n)
    fitted = [
        _fit_pair(one, pair, n, scales, replacement)
        for one, pair in zip(groups, pairs, strict=True)
    ]
    return GaussianModel(query, n, replacement, tuple(fitted), scales)


def _fit_pair(
    groups: Groups, pair: Pair, n: int, scales: FloatArray, replacement: bool
) -> PairModel:
    numbers = pair.numbers(n)
    if numbers[0, 1] == numbers[1, 1]:
        raise DistprivError(
            f"Both shares of {pair.secret.label} mean {whole(numbers[0, 1])} of {whole(n)} "
            "records; move them apart or take more records."
        )
    sizes, covariances = groups.population(replacement)
    if (numbers > sizes).any():
        _, group = np.argwhere(numbers > sizes)[0]
        who = "with" if group else "without"
        raise DistprivError(
            f"{whole(n)} records at {percent(pair.low)} and {percent(pair.high)} need "
            f"{whole(numbers[:, group].max())} {who} {pair.secret.label}, and the table has "
            f"{whole(sizes[group])}; take fewer records, or draw with replacement."
        )
    factors = numbers * (1 - numbers / sizes)
    grids = [groups.grids.at(row, sizes) for row in numbers]
    return PairModel(
        pair=pair,
        groups=groups,
        numbers=numbers,
        means=numbers @ groups.means * scales,
        covariances=np.tensordot(factors, covariances, 1) * np.outer(scales, scales),
        steps=np.max([grid.steps for grid in grids], axis=0) * scales,
        joint_steps=np.array([grid.joint_steps for grid in grids]) * scales,
        apart=groups.grids.apart(numbers, sizes),
    )
