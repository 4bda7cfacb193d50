"""Statistics of n records that a release can hold, and queries that list them."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.display import Result
from distpriv.errors import DistprivError
from distpriv.queries.columns import Label, as_label, column_of, flags_of, numbers_of
from distpriv.queries.nonlinear import correlation, deviation, influence, quantile
from distpriv.text import listed, one_of, percent

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "Correlation", "Count", "Deviation", "Mean", "Median", "Proportion"]
__all__ += ["Quantile", "Query", "Statistic", "Sum"]

LARGEST = 1e100  # number of a column, whose powers and sums are numbers, too
KINDS: dict[str, str] = {
    "mean": "Average of a column",
    "sum": "Total of a column",
    "count": "Number of records with a value",
    "proportion": "Share of records with a value",
    "median": "Median of a column",
    "quantile": "Quantile of a column",
    "deviation": "Standard deviation of a column",
    "correlation": "Correlation of two columns",
}
"""Every kind of statistic and its words."""

NEEDS = {"count": "value", "proportion": "value", "correlation": "other", "quantile": "level"}
"""What kinds need beside a column."""
PARAMETERS = {"level": (0.0, 1.0, 0.9)}
"""Of needs that are numbers: what they are above, what they are below, and an example."""

_NO_SUMS = ("median", "quantile", "deviation", "correlation")
_NOUNS = {"value": "value to look for", "other": "second column"}
T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Statistic:
    """One statistic of n records, made by `Mean`, `Count`, `Median` and their like.

    Attributes
    ----------
    kind : str
        A key of ``KINDS``.
    value : Label or None
        What counts and proportions look for; None for the others.
    other : str
        Second column of a correlation; "" for the others.
    level : float or None
        Of a quantile, above 0 and below 1; None for the others.

    Examples
    --------
    >>> dp.Statistic("mean", "age") == dp.Mean("age")
    True
    >>> dp.Count("sex", "Female").label
    'count sex = Female'
    """

    kind: str
    column: str
    value: Label | None = None
    other: str = ""
    level: float | None = None

    def __post_init__(self) -> None:
        one_of("statistic", self.kind, KINDS)
        check_column(self.column)
        passed, needed = self.plain().keys() - {"kind", "column"}, NEEDS.get(self.kind)
        for name in sorted(passed ^ ({needed} if needed else set())):
            needs, noun = "takes no" if name in passed else "needs a", _NOUNS.get(name, name)
            raise DistprivError(f"The {self.kind} of {self.column!r} {needs} {noun}.")
        if self.value is not None:
            object.__setattr__(self, "value", as_label(self.value))
        if self.other != "":
            check_column(self.other)
        if self.other == self.column:
            raise DistprivError(
                f"The correlation of {self.column!r} with itself is always 1; take two columns."
            )
        if needed in PARAMETERS:
            (above, below, such), number = PARAMETERS[needed], self.parameter
            plain = isinstance(number, numbers.Real) and not isinstance(number, bool)
            if not plain or not above < number < below:
                raise DistprivError(
                    f"The {needed} of the {self.kind} of {self.column!r} must be above {above:g} "
                    f"and below {below:g}, such as {such:g}; it is {number!r}."
                )
            object.__setattr__(self, needed, float(number))

    def __repr__(self) -> str:
        _, *some = self.plain().values()
        return f"{self.kind.title()}({', '.join(map(repr, some))})"

    @property
    def linear(self) -> bool:
        """Whether it is a sum over the records, times a scale."""
        return self.kind not in _NO_SUMS

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table that it reads."""
        return (self.column, self.other) if self.other else (self.column,)

    @property
    def parameter(self) -> Any:
        """The number that the kind needs, such as a quantile's level; None if it needs none."""
        name = NEEDS.get(self.kind)
        return getattr(self, name) if name in PARAMETERS else None

    @property
    def label(self) -> str:
        """Short name, which identifies the statistic in frames: "count sex = Female"."""
        if self.parameter is not None:
            return f"{self.kind} {self.parameter:.12g} {self.column}"
        value = "" if self.value is None else f" = {self.value}"
        return f"{self.kind} {', '.join(self.columns)}{value}"

    @property
    def title(self) -> str:
        """Name as a reader would say it."""
        column, *others = (name.replace("_", " ").replace("-", " ") for name in self.columns)
        if self.value is not None:
            return f"{'share ' if self.kind == 'proportion' else ''}{self.value} ({column})"
        number = self.parameter or 0.0
        words = {
            "sum": f"total {column}",
            "quantile": f"{percent(number)} quantile of {column}",
            "deviation": f"deviation of {column}",
            "correlation": f"correlation of {listed((column, *others))}",
        }
        return words.get(self.kind, f"{self.kind} {column}")

    def scale(self, n: int) -> float:
        """Return what turns the sum over n records into the statistic: 1, or 1/n; 1 for no sum."""
        return 1.0 / n if self.kind in ("mean", "proportion") else 1.0

    def unit(self, units: Mapping[str, str]) -> str:
        """Return the statistic's unit, given those of the columns; "" where there is none."""
        if self.kind == "count":
            return "records"
        return "" if self.kind in ("proportion", "correlation") else units.get(self.column, "")

    def values(self, frame: pd.DataFrame) -> FloatArray:
        """Return what the statistic needs of each record, shape (N,); NaN where it is missing.

        That is what a record adds to the sum, a number, or two numbers, (N, 2), for a correlation.
        A column that is not there, holds no numbers, all too large or too small to be squared, or
        never has the value is a DistprivError.
        """
        if self.value is not None:
            return flags_of(column_of(frame, self.column), [self.value])
        columns = [numbers_of(frame, name) for name in self.columns]
        for name, column in zip(self.columns, columns, strict=True):
            largest = np.abs(column).max(initial=0.0, where=~np.isnan(column))
            if largest and not 1 / LARGEST <= largest <= LARGEST:
                raise DistprivError(
                    f"Column {name!r} holds numbers too large or too small to be squared; write it "
                    "in another unit."
                )
        return columns[0] if len(columns) == 1 else np.array(columns).T

    def of(self, records: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Compute the statistic of datasets, shape (...).

        Records, (..., n, w), are as `values` gives them, w is 1, or 2 for a correlation; each
        stands for a weight, (..., n), by default 1. One dataset, (n, w), may come with many rows of
        weights. A deviation or correlation of one record is a DistprivError.
        """
        x = records[..., 0]
        if self.linear:
            weights = np.ones(x.shape[-1]) if weights is None else weights
            sums = (weights * x).sum(axis=-1)
            return np.asarray(sums / weights.sum(axis=-1) if self.scale(2) < 1 else sums)
        if self.kind == "correlation":
            return correlation(records, weights)
        if self.kind == "deviation":
            return deviation(x, weights)
        return quantile(x, self.level or 0.5, weights)

    def plain(self) -> dict[str, Any]:
        """Return the statistic as JSON has it."""
        fields = {**vars(self), "other": self.other or None}
        return {name: value for name, value in fields.items() if value is not None}

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> Statistic:
        """Return the statistic that `plain` wrote; anything else is a DistprivError."""
        return from_fields(cls, fields, "statistic")


def as_query(query: Any) -> Query:
    """Return a query as it is, or of statistics that a user passes for one."""
    return query if isinstance(query, Query) else Query(query)


def check_column(name: object) -> None:
    """Raise DistprivError unless a column's name is a text that is not empty."""
    if not isinstance(name, str) or not name:
        raise DistprivError(f"{name!r} is not a column; give the name that the table has for it.")


def from_fields(make: type[T], fields: object, noun: str) -> T:
    """Make a value of JSON's fields; anything unknown or lacking is an error in a sentence."""
    try:
        return make(**dict(fields))  # type: ignore[call-overload]
    except DistprivError:
        raise
    except (TypeError, ValueError):
        raise DistprivError(f"{fields!r} is not a {noun}; write it again.") from None


def Mean(column: str) -> Statistic:  # noqa: N802
    """Return the average of a column.

    Examples
    --------
    >>> dp.Mean("age").label
    'mean age'
    """
    return Statistic("mean", column)


def Sum(column: str) -> Statistic:  # noqa: N802
    """Return the total of a column.

    Examples
    --------
    >>> dp.Sum("amount").label
    'sum amount'
    """
    return Statistic("sum", column)


def Count(column: str, value: Label) -> Statistic:  # noqa: N802
    """Return the number of records whose column has a value.

    Examples
    --------
    >>> dp.Count("sex", "Female").label
    'count sex = Female'
    """
    return Statistic("count", column, value)


def Proportion(column: str, value: Label) -> Statistic:  # noqa: N802
    """Return the share of records whose column has a value.

    Examples
    --------
    >>> dp.Proportion("sex", "Female").title
    'share Female (sex)'
    """
    return Statistic("proportion", column, value)


def Median(column: str) -> Statistic:  # noqa: N802
    """Return the median of a column.

    Examples
    --------
    >>> dp.Median("income").title
    'median income'
    """
    return Statistic("median", column)


def Quantile(column: str, level: float) -> Statistic:  # noqa: N802
    r"""Return the value that a share of the records, above 0 and below 1, does not exceed.

    Examples
    --------
    >>> dp.Quantile("income", 0.9).title
    '90\xa0% quantile of income'
    """
    return Statistic("quantile", column, level=level)


def Deviation(column: str) -> Statistic:  # noqa: N802
    """Return the standard deviation of a column.

    Examples
    --------
    >>> dp.Deviation("income").title
    'deviation of income'
    """
    return Statistic("deviation", column)


def Correlation(column: str, other: str) -> Statistic:  # noqa: N802
    """Return Pearson's correlation of two columns.

    Examples
    --------
    >>> dp.Correlation("age", "income").title
    'correlation of age and income'
    """
    return Statistic("correlation", column, other=other)


@dataclass(frozen=True, repr=False)
class Query(Result):
    """The statistics that a release holds, at least one and all different.

    Any iterable of statistics is accepted, and a single one.

    Examples
    --------
    >>> query = dp.Query([dp.Mean("age"), dp.Count("sex", "Female")])
    >>> query
    Query(mean age, count sex = Female)
    >>> query.to_frame()
            kind column   value
    0   mean    age
    1  count    sex  Female
    """

    statistics: tuple[Statistic, ...]

    def __post_init__(self) -> None:
        several: Any = self.statistics
        if isinstance(several, Statistic | str) or not hasattr(several, "__iter__"):
            several = (several,)
        object.__setattr__(self, "statistics", tuple(several))
        for one in self.statistics:
            if not isinstance(one, Statistic):
                raise DistprivError(
                    f"{one!r} is not a statistic; write Mean('age') or Count('sex', 'Female')."
                )
        if not self.statistics:
            raise DistprivError("Nothing is released; choose at least one figure.")
        twice = [one.label for one, times in Counter(self.statistics).items() if times > 1]
        if twice:
            raise DistprivError(f"{min(twice)!r} is released twice; take it once.")

    def __len__(self) -> int:
        return len(self.statistics)

    def __repr__(self) -> str:
        return f"Query({', '.join(self.labels)})"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a statistic: kind and column, and value, other or level where there are."""
        import pandas as pd

        return pd.DataFrame([one.plain() for one in self.statistics]).fillna("")

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the statistics."""
        return tuple(statistic.label for statistic in self.statistics)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the statistics read, each once."""
        return tuple(dict.fromkeys(name for one in self.statistics for name in one.columns))

    @property
    def linear(self) -> bool:
        """Whether all statistics are sums over the records."""
        return all(statistic.linear for statistic in self.statistics)

    @property
    def places(self) -> tuple[slice, ...]:
        """Columns of `values` that each statistic takes."""
        ends = np.cumsum([0, *(len(statistic.columns) for statistic in self.statistics)]).tolist()
        return tuple(slice(*pair) for pair in pairwise(ends))

    def values(self, frame: pd.DataFrame) -> FloatArray:
        """Return what the statistics need of each record, see `Statistic.values`, shape (N, w)."""
        # By columns in memory, as moments are computed: stacking them costs more than reading them.
        return np.vstack([statistic.values(frame).T for statistic in self.statistics]).T

    def of(self, records: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Compute the statistics of datasets, shape (..., n, w), see `Statistic.of`: (..., m)."""
        every = zip(self.statistics, self.places, strict=True)
        return np.stack([one.of(records[..., place], weights) for one, place in every], axis=-1)

    def influence(self, values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Return what each record moves the statistics by, but for their size, shape (N, m).

        What it adds to sums, and for others their influence function at the law of the complete
        records, shape (N, w), with weights, shape (N,); NaN where a value is missing.
        """
        if self.linear:
            return values
        complete = np.isfinite(values).all(axis=1)
        records, moves = values[complete], np.full((len(values), len(self)), np.nan)
        weights = np.ones(len(values)) if weights is None else weights
        for at, (one, place) in enumerate(zip(self.statistics, self.places, strict=True)):
            moves[complete, at] = records[:, place.start]
            if not one.linear:
                some, level = records[:, place], one.level or 0.5
                moves[complete, at] = influence(one.kind, some, weights[complete], level)
        return moves

    def scales(self, n: int) -> FloatArray:
        """Return what turns sums over n records into the statistics, shape (m,)."""
        return np.array([statistic.scale(n) for statistic in self.statistics])
