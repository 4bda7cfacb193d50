"""Records with and without the property, and their moments.

:class:`GroupMoments` is the seam to the data: whatever can compute it, from whatever store,
feeds every closed form of the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import ModelError, PropertyError, QueryError
from distpriv.model.cosets import Cosets
from distpriv.model.grid import ProbedGrid, probed_grid
from distpriv.model.record_access import HoldsRecords
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.words import exact

__all__ = [
    "GroupMoments",
    "RecordGroups",
    "check_drawing",
    "check_linear",
    "check_split",
    "complete_records",
    "group_moments",
    "moments_of",
    "record_groups",
    "strata",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class RecordGroups(HoldsRecords):
    """Record-level values of a query, split by a property.

    Attributes
    ----------
    without, having : ndarray, shape (N_0, w) and (N_1, w)
        Values of the records that do not have the property, and of those that do; w is the
        number of statistics, a correlation counting twice.
    dropped : int
        Records left out because a column in use is missing.
    """

    without: FloatArray = field(repr=False)
    having: FloatArray = field(repr=False)
    dropped: int

    @property
    def counts(self) -> tuple[int, int]:
        """N_0 and N_1."""
        return len(self.without), len(self.having)

    @property
    def totals(self) -> tuple[int, int]:
        """Records of the table in each group: N_0 and N_1, unless these are a sample of them."""
        return self.counts

    def cells(self) -> tuple[IntArray, IntArray]:
        """How many records of the table have each combination of values that are 0 or 1.

        For the records without the property and with it, each of shape (2, ..., 2).
        """
        return _cells(self.without), _cells(self.having)

    def of_columns(self, columns: Sequence[int]) -> RecordGroups:
        """The same for some of the values, in that order."""
        chosen = list(columns)
        return RecordGroups(self.without[:, chosen], self.having[:, chosen], self.dropped)

    @property
    def steps(self) -> FloatArray:
        """In what steps sums of the values move, shape (3, w); see :func:`.grid.record_steps`."""
        return self._probed.steps

    @property
    def cosets(self) -> Cosets:
        """Where sums of the values lie in the lattice of their moves."""
        return self._probed.cosets

    @cached_property
    def _probed(self) -> ProbedGrid:
        values = np.vstack([self.without, self.having])
        return probed_grid(values, np.arange(len(values)) >= len(self.without))

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Return means and covariances of the groups, shape (2, w) and (2, w, w), with ddof 1.

        Of the whole table where these are a sample of it.
        """
        parts = [
            _mean_and_covariance(part, np.ones(len(part), dtype=np.bool_))
            if len(part)
            else (np.zeros(part.shape[1]), np.zeros((part.shape[1],) * 2))
            for part in (self.without, self.having)
        ]
        return np.array([mean for mean, _ in parts]), np.array([spread for _, spread in parts])

    def extremes(self) -> tuple[FloatArray, FloatArray]:
        """Least and greatest record-level value of each statistic, each of shape (m,)."""
        minima = np.minimum(self.without.min(axis=0), self.having.min(axis=0))
        maxima = np.maximum(self.without.max(axis=0), self.having.max(axis=0))
        return minima, maxima


@checked(QueryError)
@dataclass(frozen=True, eq=False)
class GroupMoments:
    """Count, mean and covariance of the records without (index 0) and with (index 1) the property.

    Attributes
    ----------
    counts : tuple of int
        N_0 and N_1.
    means : ndarray, shape (2, m)
    covariances : ndarray, shape (2, m, m)
        With ddof 1; zero for a group of one record.
    minima, maxima : ndarray, shape (m,)
        Least and greatest record-level value of each statistic.
    dropped : int
        Records left out because a column in use is missing.
    steps : ndarray, shape (3, m), or None
        In what steps sums of the record-level values move, see
        :func:`distpriv.model.grid.record_steps`; None where it is not known.
    cosets : Cosets or None
        Where these sums lie in the lattice of their moves; None where it is not known.
    """

    counts: tuple[int, int]
    means: FloatArray
    covariances: FloatArray
    minima: FloatArray = field(repr=False)
    maxima: FloatArray = field(repr=False)
    dropped: int = 0
    steps: FloatArray | None = None
    cosets: Cosets | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        m = self.means.shape[-1]
        if self.steps is not None and self.steps.shape != (3, m):
            raise ModelError(f"Group moments need steps of shape (3, {m}), got {self.steps.shape}.")
        if self.means.shape != (2, m) or self.covariances.shape != (2, m, m):
            raise ModelError(
                "Group moments need means of shape (2, m) and covariances of shape (2, m, m), "
                f"got {self.means.shape} and {self.covariances.shape}."
            )
        if self.minima.shape != (m,) or self.maxima.shape != (m,):
            raise ModelError(
                f"Group moments need minima and maxima of shape ({m},), "
                f"got {self.minima.shape} and {self.maxima.shape}."
            )


@checked(QueryError)
def record_groups(table: pd.DataFrame, query: Query, secret: SensitiveProperty) -> RecordGroups:
    """Split the record-level values of a query by a property; incomplete records are dropped.

    Parameters
    ----------
    table : DataFrame
    query : Query
    secret : SensitiveProperty

    Raises
    ------
    QueryError, PropertyError
        If a column does not fit.
    PropertyError
        If all records have the property, or none has.
    """
    values, having, dropped = _complete_values(table, query, secret)
    # `compress` on rows of contiguous columns is several times faster than a boolean index.
    return RecordGroups(
        without=values.T.compress(~having, axis=1).T,
        having=values.T.compress(having, axis=1).T,
        dropped=dropped,
    )


def complete_records(
    table: pd.DataFrame, query: Query, secret: SensitiveProperty
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the values of the complete records, shape (N, w), and which have the property.

    In the table's order; no error depends on which of them have the property.

    Raises
    ------
    QueryError, PropertyError
        If a column does not fit.
    """
    having = secret.mask(table)
    values = query.values(table)
    complete = _complete(table, query, secret, values)
    return (values, having) if complete is None else (values[complete], having[complete])


def _complete_values(
    table: pd.DataFrame, query: Query, secret: SensitiveProperty
) -> tuple[FloatArray, NDArray[np.bool_], int]:
    """Values of the complete records, which of them have the property, and how many are not."""
    values, having = complete_records(table, query, secret)
    dropped = len(table) - len(values)
    check_split(int(np.count_nonzero(having)), len(having), secret)
    return values, having, dropped


def check_split(having: int, records: int, secret: SensitiveProperty) -> None:
    """Raise PropertyError if all complete records have the property, or none has."""
    if having in (0, records):
        which = "No record has" if having == 0 else "Every record has"
        raise PropertyError(
            f"{which} the property {secret.label!r} ({exact(records)} complete records), so "
            "there is nothing to hide; choose a property that some records have and others do not."
        )


def check_drawing(count: int, n: int, replacement: bool) -> None:
    """Raise ModelError if n records cannot be drawn from so many complete ones."""
    if n > count and not (replacement and count):
        raise ModelError(
            f"A sample of {exact(n)} records is to be drawn, but there are only {exact(count)} "
            "complete ones; take a smaller n, or draw with replacement."
        )


def strata(counts: tuple[int, int], n: int) -> tuple[int, int]:
    """Return how many of n records of a release to draw without a property and with it.

    In the table's proportion, rounded as :attr:`.Theta.having` is; never more than there are.

    Parameters
    ----------
    counts : tuple of int
        Complete records without the property and with it, n of them at least unless they are
        drawn with replacement.
    """
    having = (2 * n * counts[1] + sum(counts)) // (2 * sum(counts))
    return n - having, having


def _complete(
    table: pd.DataFrame, query: Query, secret: SensitiveProperty, values: FloatArray
) -> NDArray[np.bool_] | None:
    """Mark the complete records, or None if all are."""
    missing = table[secret.column].isna().to_numpy() if table[secret.column].hasnans else None
    with np.errstate(invalid="ignore", over="ignore"):
        total = values.sum()
    if np.isfinite(total):
        return None if missing is None else ~missing
    infinite = np.argwhere(np.isinf(values))
    if infinite.size:
        record, index = infinite[0]
        raise QueryError(
            f"The statistic {query.label_of(index)!r} meets an infinite value in record "
            f"{record + 1}; remove or correct that record, or leave the statistic out."
        )
    complete = np.logical_not(np.isnan(values).any(axis=1))
    return complete if missing is None else complete & ~missing


def check_linear(query: Query) -> None:
    """Raise ModelError if a statistic is no sum over the records."""
    for statistic in query:
        if not statistic.linear:
            raise ModelError(
                f"The statistic {statistic.label!r} has no closed form; fit it with "
                'method="monte-carlo".'
            )


@checked(QueryError)
def group_moments(table: pd.DataFrame, query: Query, secret: SensitiveProperty) -> GroupMoments:
    """Moments of the records with and without the property.

    Parameters and errors are those of :func:`record_groups`; a statistic that is not linear in
    the records has no moments, which is a `ModelError`.
    """
    check_linear(query)
    values, having, dropped = _complete_values(table, query, secret)
    marks = (~having, having)
    moments = [_mean_and_covariance(values, group) for group in marks]
    grid = probed_grid(values, having, _whole(table, query))
    return GroupMoments(
        counts=(int(np.count_nonzero(marks[0])), int(np.count_nonzero(marks[1]))),
        means=np.array([mean for mean, _ in moments]),
        covariances=np.array([covariance for _, covariance in moments]),
        minima=values.min(axis=0),
        maxima=values.max(axis=0),
        dropped=dropped,
        steps=grid.steps,
        cosets=grid.cosets,
    )


def _cells(values: FloatArray) -> IntArray:
    """How many records have each combination of values that are 0 or 1, shape (2, ..., 2)."""
    shape = (2,) * values.shape[1]
    index = np.ravel_multi_index(tuple(values.T.astype(np.int64)), shape)
    return np.bincount(index, minlength=prod(shape)).reshape(shape)


def _whole(table: pd.DataFrame, query: Query) -> list[bool]:
    """Which statistics' record-level values are whole numbers by their column's type."""
    return [
        statistic.indicates or pd.api.types.is_integer_dtype(table[statistic.column].dtype)
        for statistic in query
    ]


def _mean_and_covariance(
    values: FloatArray, marks: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Of the marked records, in two passes.

    The second corrects what rounding left in the mean (Chan, Golub & LeVeque 1983, The American
    Statistician 37, Equation 1.7).
    """
    m = values.shape[1]
    total, count = np.zeros(m), int(np.count_nonzero(marks))
    for block in _blocks(values, marks):
        total += block.sum(axis=1)
    mean = total / count
    left, products = np.zeros(m), np.zeros((m, m))
    # An overflow is told of where the model is checked, with the statistic's name.
    with np.errstate(over="ignore", invalid="ignore"):
        for block in _blocks(values, marks):
            block -= mean[:, None]
            left += block.sum(axis=1)
            products += block @ block.T
        products -= np.outer(left, left) / count
    return mean + left / count, products / max(count - 1, 1)


def moments_of(
    known: Mapping[SensitiveProperty, GroupMoments], secret: SensitiveProperty
) -> GroupMoments:
    """Those of a property, or `ModelError`."""
    if secret not in known:
        raise ModelError(
            f"There are no moments for the property {secret.label!r}; compute them with "
            "group_moments."
        )
    return known[secret]


def _blocks(values: FloatArray, marks: NDArray[np.bool_]) -> Iterator[FloatArray]:
    """Copies of the marked records, shape (m, some), small enough to stay in the cache."""
    for start in range(0, len(values), _BLOCK):
        part = slice(start, start + _BLOCK)
        yield values[part].T.compress(marks[part], axis=1)
