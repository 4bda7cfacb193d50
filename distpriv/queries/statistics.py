"""Statistics that are sums over the records, and the query that releases several statistics."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import MODERATE, checked
from distpriv.errors import QueryError
from distpriv.queries.base import Parameter, Statistic, register
from distpriv.tables.predicates import Scalar, column_of, matches

__all__ = [
    "Count",
    "Mean",
    "Proportion",
    "Query",
    "Statistic",
    "Sum",
    "check_bounds",
]

FloatArray = NDArray[np.float64]


@register
@checked(QueryError)
@dataclass(frozen=True)
class Mean(Statistic):
    """Mean of a numeric column over the n records."""

    kind: ClassVar[str] = "mean"
    title: ClassVar[str] = "Mean of a numeric column"

    def scale(self, n: int) -> float:
        return 1.0 / n


@register
@checked(QueryError)
@dataclass(frozen=True)
class Sum(Statistic):
    """Sum of a numeric column over the n records."""

    kind: ClassVar[str] = "sum"
    title: ClassVar[str] = "Sum of a numeric column"

    def scale(self, n: int) -> float:
        return 1.0


@dataclass(frozen=True)
class _Indicator(Statistic):
    value: Scalar
    takes: ClassVar[tuple[str, ...]] = ("category", "boolean")
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("value", "Value", "value"),)
    takes_bounds: ClassVar[bool] = False
    indicates: ClassVar[bool] = True

    def values(self, table: pd.DataFrame) -> FloatArray:
        column = column_of(table, self.column)
        hits = matches(column, [self.value]).astype(np.float64)
        if column.hasnans:
            hits[column.isna().to_numpy()] = np.nan
        return hits

    @property
    def label(self) -> str:
        return f"{self.kind} {self.column} = {self.value}"

    @classmethod
    def read(cls, text: str, columns: Collection[str]) -> Statistic | None:
        parts = re.fullmatch(r"(.+?) = (.+)", text)
        return cls(parts[1], parts[2]) if parts and parts[1] in columns else None


@register
@checked(QueryError)
@dataclass(frozen=True)
class Count(_Indicator):
    """Number of the n records whose column has the given value."""

    kind: ClassVar[str] = "count"
    title: ClassVar[str] = "Count of a value"

    def scale(self, n: int) -> float:
        return 1.0

    def unit(self, units: Mapping[str, str]) -> str:
        return "records"


@register
@checked(QueryError)
@dataclass(frozen=True)
class Proportion(_Indicator):
    """Share of the n records whose column has the given value, between 0 and 1."""

    kind: ClassVar[str] = "share"
    title: ClassVar[str] = "Share of a value"

    def scale(self, n: int) -> float:
        return 1.0 / n

    def unit(self, units: Mapping[str, str]) -> str:
        return ""


def check_bounds(
    column: str, low: float, high: float, records: tuple[float, float] | None = None
) -> None:
    """Raise QueryError unless bounds of a column are two finite numbers that hold its records.

    The lower one comes first. Both lie between ±1e50: squares of what is computed from them stay
    finite.

    Parameters
    ----------
    column : str
    low, high : float
    records : (least, greatest), optional
        Values of the column's records, where they are known.
    """
    if not (np.isfinite([low, high]).all() and low <= high):
        raise QueryError(
            f"The bounds of column {column!r} must be two finite numbers, the lower one first, got "
            f"({low:g}, {high:g})."
        )
    if low not in MODERATE or high not in MODERATE:
        raise QueryError(
            f"The bounds of column {column!r}, {low:g} to {high:g}, are beyond "
            f"±{MODERATE.high:g}; give narrower ones."
        )
    if records is not None and (low > records[0] or high < records[1]):
        raise QueryError(
            f"The bounds of column {column!r}, {low:g} to {high:g}, do not hold all its records, "
            f"which reach from {records[0]:g} to {records[1]:g}; widen them, or cut the column off "
            "at them first."
        )


@checked(QueryError)
@dataclass(frozen=True, init=False)
class Query:
    """The statistics released together, in a fixed order.

    Parameters
    ----------
    statistics : sequence of Statistic
        At least one.

    Raises
    ------
    QueryError
        If there is none.
    """

    statistics: tuple[Statistic, ...]

    def __init__(self, statistics: Sequence[Statistic]) -> None:
        if not statistics:
            raise QueryError("A release needs at least one statistic; add one.")
        object.__setattr__(self, "statistics", tuple(statistics))

    def __len__(self) -> int:
        return len(self.statistics)

    def __iter__(self) -> Iterator[Statistic]:
        return iter(self.statistics)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the statistics, in order."""
        return tuple(statistic.label for statistic in self.statistics)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns in use, each once."""
        return tuple(dict.fromkeys(name for statistic in self for name in statistic.columns))

    @property
    def is_linear(self) -> bool:
        """Whether every statistic is a sum over the records, so that there is a closed form."""
        return all(statistic.linear for statistic in self.statistics)

    @property
    def widths(self) -> tuple[int, ...]:
        """Record-level values that each statistic needs."""
        return tuple(len(statistic.columns) for statistic in self.statistics)

    def units(self, units: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """Units of the statistics, given those of the columns."""
        return tuple(statistic.unit(units or {}) for statistic in self.statistics)

    def values(self, table: pd.DataFrame) -> FloatArray:
        """Record-level values, shape (N, w); NaN where a record has none.

        One column a statistic, in order; two for a correlation.

        Raises
        ------
        QueryError
            If a column is missing, or not numeric where it has to be.
        """
        # Column by column, as pandas stores them and as the moments read them.
        result = np.empty((len(table), sum(self.widths)), order="F")
        start = 0
        for statistic, width in zip(self.statistics, self.widths, strict=True):
            values = statistic.values(table)
            result[:, start : start + width] = values if values.ndim == 2 else values[:, None]
            start += width
        return result

    def label_of(self, position: int) -> str:
        """Label of the statistic that a column of :meth:`values` belongs to."""
        return self.labels[int(np.searchsorted(np.cumsum(self.widths), position, side="right"))]

    def evaluate(self, records: FloatArray) -> FloatArray:
        """Statistics of whole datasets, whatever kind they are.

        Parameters
        ----------
        records : ndarray, shape (subsets, n, w)
            Record-level values, as :meth:`values` has them.

        Returns
        -------
        ndarray, shape (subsets, m)
        """
        answers = np.empty((len(records), len(self)))
        start = 0
        for index, (statistic, width) in enumerate(zip(self.statistics, self.widths, strict=True)):
            answers[:, index] = statistic.compute(records[:, :, start : start + width])
            start += width
        return answers

    def answer(self, table: pd.DataFrame) -> FloatArray:
        """True statistics of all complete records of a table, shape (m,).

        What a release adds noise to: not to be shown to whoever must not know it.

        Raises
        ------
        QueryError
            If a column is missing or not numeric where it has to be, or no record is complete.
        """
        values = self.values(table)
        complete = values[~np.isnan(values).any(axis=1)]
        if not len(complete):
            raise QueryError(
                "No record has a value in every column in use; leave a statistic out, or complete "
                "the records."
            )
        return self.evaluate(complete[None])[0]

    def steps(self, n: int, record_steps: FloatArray) -> FloatArray:
        """In what steps each statistic of n records moves, shape (m,).

        Parameters
        ----------
        n : int
        record_steps : ndarray, shape (w,)
            Steps of the record-level values, see :func:`distpriv.model.grid.record_steps`.
        """
        starts = np.cumsum([0, *self.widths])
        return np.array(
            [
                statistic.step(n, float(record_steps[start]))
                for statistic, start in zip(self, starts, strict=False)
            ]
        )

    def scales(self, n: int) -> FloatArray:
        """Factors from sums over n records to the statistics, shape (m,)."""
        return np.array([statistic.scale(n) for statistic in self.statistics])

    def record_sensitivities(
        self,
        n: int,
        minima: FloatArray,
        maxima: FloatArray,
        bounds: Mapping[str, tuple[float, float]] | None = None,
    ) -> FloatArray:
        """How far replacing one of the n records can move each statistic, shape (m,).

        Parameters
        ----------
        n : int
        minima, maxima : ndarray, shape (w,)
            Least and greatest record-level value in the data, as :meth:`values` has them.
        bounds : mapping of column to (lowest, highest), optional
            Public bounds of the columns. A numeric column without one takes the data's own
            range, which leaks it; an indicator is bounded by 0 and 1.

        Raises
        ------
        QueryError
            If a bound is not two finite numbers, the lower one first, or a record lies outside.
        """
        moves = np.ones(len(self))
        ranges = self.record_ranges(minima, maxima)
        for index, statistic in enumerate(self.statistics):
            if not statistic.takes_bounds:
                moves[index] = statistic.sensitivity(n, 1.0)
                continue
            records = ranges[statistic.column]
            low, high = (bounds or {}).get(statistic.column, records)
            check_bounds(statistic.column, low, high, records)
            moves[index] = statistic.sensitivity(n, high - low)
        return moves

    def record_ranges(
        self, minima: FloatArray, maxima: FloatArray
    ) -> dict[str, tuple[float, float]]:
        """Return the least and greatest value of each column that takes bounds.

        Parameters
        ----------
        minima, maxima : ndarray, shape (w,)
            As for :meth:`record_sensitivities`.
        """
        starts = np.cumsum([0, *self.widths])
        return {
            statistic.column: (float(minima[start]), float(maxima[start]))
            for statistic, start in zip(self.statistics, starts, strict=False)
            if statistic.takes_bounds
        }
