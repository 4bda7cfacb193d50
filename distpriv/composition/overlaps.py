r"""What the statistics of a table and of samples of it have as their joint law.

The N records of the table are drawn with replacement from the two groups that the law of the
releases rests on, round(N p) of them with the property. Every sample is drawn from the table by
itself. With N_a records of group a in the table, n_a and n'_a in two datasets, c_a the covariance
of the group's records, and sums X and X' over the two datasets,

.. math:: \mathrm{Cov}(X, X') = \sum_a \frac{E n_a \, E n'_a}{N_a} c_a,

because n_a n'_a / N_a records are in both. That is (n/N) Cov(X', X') where X' is the whole
table's. Given the table, samples are independent; without it, they are not. Means and covariances
are exact for sums over records. Where a statistic is none they are simulated by the same drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.composition.table_releases import TableRelease
from distpriv.model.cosets import grid_of
from distpriv.model.gaussian import PairModel, thetas_of
from distpriv.model.moments import GroupMoments, RecordGroups
from distpriv.model.sampling import draw_subsets
from distpriv.model.theta import ShareOf, Theta
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query

__all__ = ["DrawnPart", "moments_of_parts", "simulated_parts"]

FloatArray = NDArray[np.float64]

_AT_ONCE = 1 << 22  # numbers held at once


@dataclass(frozen=True)
class DrawnPart:
    """Statistics of one dataset that is the table, or a sample of it.

    Attributes
    ----------
    query : Query
    table : int
        Complete records of the table that it is drawn from, N.
    n : int
        Its own; N for the table itself.
    whole, replacement : bool
    share_of : "release" or "table"
        As :class:`TableRelease` has them.
    """

    query: Query
    table: int
    n: int
    whole: bool
    replacement: bool
    share_of: ShareOf

    @classmethod
    def of(cls, query: Query, release: TableRelease, table: int) -> DrawnPart:
        """Return statistics of the dataset that a release was computed from."""
        n = table if release.whole else release.n
        return cls(query, table, n, release.whole, release.replacement, release.drawn_share)

    def thetas(self, pair: Pair) -> tuple[Theta, Theta]:
        """How many of its records have the property under the two shares."""
        replacement = self.whole or self.replacement
        table = self.table if self.share_of == "table" else None
        return thetas_of(pair, self.n, replacement, table)


def moments_of_parts(
    moments: GroupMoments,
    union: Query,
    pair: Pair,
    parts: Sequence[DrawnPart],
    shared: FloatArray,
) -> PairModel:
    """Return the joint normals of all parts' statistics, part by part, in closed form.

    Parameters
    ----------
    moments : GroupMoments
        Of the union of the parts' statistics, in the groups that the table is drawn from.
    union : Query
        Linear.
    pair : Pair
    parts : sequence of DrawnPart
    shared : ndarray, shape (parts, parts)
        Complete records that the tables of two parts have in common.
    """
    places = [[union.statistics.index(statistic) for statistic in part.query] for part in parts]
    drawn = [part.thetas(pair) for part in parts]
    scales = [part.query.scales(thetas[0].n) for part, thetas in zip(parts, drawn, strict=True)]
    counts = np.array(moments.counts, dtype=np.float64)
    within = moments.covariances * (1 - 1 / counts)[:, None, None]
    apart = moments.means[1] - moments.means[0]
    means, covariances = [], []
    for order in range(2):
        numbers = [_Numbers.of(part, drawn[k][order]) for k, part in enumerate(parts)]
        means.append(
            np.concatenate(
                [
                    scale * (number.means @ moments.means[:, place])
                    for number, scale, place in zip(numbers, scales, places, strict=True)
                ]
            )
        )
        blocks = []
        for row, first in enumerate(numbers):
            line = []
            for column, second in enumerate(numbers):
                across = np.ix_(places[row], places[column])
                both = first.common(second, shared[row, column], row == column)
                block = both[0] * within[0][across] + both[1] * within[1][across]
                if row == column:
                    block = block + first.spread * np.outer(apart, apart)[across]
                line.append(block * np.outer(scales[row], scales[column]))
            blocks.append(line)
        covariances.append(np.block(blocks))
    steps = _steps(moments.steps, moments.counts, union, pair, parts)
    return PairModel(pair, drawn[0], np.array(means), np.array(covariances), steps=steps)


def _steps(
    record_steps: FloatArray | None,
    counts: tuple[int, int],
    union: Query,
    pair: Pair,
    parts: Sequence[DrawnPart],
) -> FloatArray:
    """Return the grid of all parts' statistics."""
    steps = []
    for part in parts:
        first, _ = part.thetas(pair)
        # The table is any table of its groups' values, so that no group is taken whole.
        free = thetas_of(pair, first.n, True, first.table)
        whole = dict(zip(union, grid_of(free, union, record_steps, counts), strict=True))
        steps.append([whole[statistic] for statistic in part.query])
    return np.concatenate(steps)


@dataclass(frozen=True)
class _Numbers:
    """How many records of each group a dataset has under one share.

    Attributes
    ----------
    means : ndarray, shape (2,)
        Without the property and with it.
    spread : float
        Variance of either number.
    groups : ndarray, shape (2,)
        Records of the table.
    part : DrawnPart
    """

    means: FloatArray
    spread: float
    groups: FloatArray
    part: DrawnPart

    @classmethod
    def of(cls, part: DrawnPart, theta: Theta) -> _Numbers:
        values, masses = theta.count_law()
        mean = float(values @ masses)
        having = Theta(theta.secret, theta.proportion, part.table, True).having
        return cls(
            np.array([theta.n - mean, mean]),
            float((values - mean) ** 2 @ masses),
            np.array([part.table - having, having], dtype=np.float64),
            part,
        )

    def common(self, other: _Numbers, shared: float, same: bool) -> FloatArray:
        """Return how many pairs of equal records two datasets have on average, shape (2,)."""
        if same and (self.part.whole or not self.part.replacement):
            return self.means
        groups = np.maximum(self.groups, 1.0)
        if same:  # a record that is drawn twice counts twice
            squares = self.means**2 + self.spread
            return np.asarray(self.means + (squares - self.means) / groups)
        expected = shared / other.part.table * self.means * other.means / groups
        return np.asarray(np.minimum(expected, np.minimum(self.means, other.means)))


def simulated_parts(
    groups: RecordGroups,
    union: Query,
    pair: Pair,
    parts: Sequence[DrawnPart],
    datasets: int,
    seed: int,
) -> PairModel:
    """Return the same from simulated tables and samples of them.

    Parameters
    ----------
    groups : RecordGroups
        Of the union.
    union : Query
    pair : Pair
    parts : sequence of DrawnPart
        Of tables of equally many records.
    datasets : int
        Tables under each share.
    seed : int
    """
    places = [[union.statistics.index(statistic) for statistic in part.query] for part in parts]
    thetas = [part.thetas(pair) for part in parts]
    table = parts[0].table
    size = max(1, _AT_ONCE // (table * sum(union.widths)))
    means, covariances = [], []
    for order, stream in enumerate(np.random.SeedSequence((seed, 0x0E4A)).spawn(2)):
        rng = np.random.default_rng(stream)
        having = Theta(pair.secret, (pair.p_i, pair.p_j)[order], table, True).having
        drawn = []
        for start in range(0, datasets, size):
            count = min(size, datasets - start)
            records = np.concatenate(
                [
                    values[rng.integers(len(values), size=(count, number))]
                    for values, number in (
                        (groups.without, table - having),
                        (groups.having, having),
                    )
                ],
                axis=1,
            )
            whole: FloatArray | None = None
            columns = []
            for part, theta, place in zip(parts, thetas, places, strict=True):
                if part.whole:
                    whole = union.evaluate(records) if whole is None else whole
                    columns.append(whole[:, place])
                    continue
                chosen = _sample(theta[order], table, having, count, rng, part)
                taken = np.take_along_axis(records, chosen[:, :, None], axis=1)
                columns.append(union.evaluate(taken)[:, place])
            drawn.append(np.hstack(columns))
        values = np.vstack(drawn)
        means.append(values.mean(axis=0))
        covariances.append(np.atleast_2d(np.cov(values.T)))
    steps = _steps(groups.steps, groups.totals, union, pair, parts)
    return PairModel(pair, thetas[0], np.array(means), np.array(covariances), steps=steps)


def _sample(
    theta: Theta, table: int, having: int, count: int, rng: np.random.Generator, part: DrawnPart
) -> NDArray[np.int64]:
    """Return which of a table's records samples of it hold, shape (count, n)."""
    replacement = part.replacement
    if not theta.fixed or theta.table is not None:
        return draw_subsets(table, theta.n, count, rng, replacement=replacement).astype(np.int64)
    number = theta.having if replacement else min(theta.having, having)
    first = draw_subsets(
        table - having, theta.n - number, count, rng, replacement=replacement
    ).astype(np.int64)
    second = draw_subsets(having, number, count, rng, replacement=replacement)
    return np.concatenate([first, second.astype(np.int64) + table - having], axis=1)
