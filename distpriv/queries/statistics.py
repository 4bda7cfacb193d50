"""Statistics of n records that a release can hold, and queries that list them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.queries.columns import Label, as_label, column_of, flags_of, numbers_of
from distpriv.text import listed, near

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "Count", "Mean", "Proportion", "Query", "Statistic", "Sum"]

KINDS: dict[str, str] = {
    "mean": "Average of a column",
    "sum": "Total of a column",
    "count": "Number of records with a value",
    "proportion": "Share of records with a value",
}
"""Every kind of statistic and its words. All of them are sums over the records, times a scale."""

_OF_A_VALUE = ("count", "proportion")
T = TypeVar("T")


@dataclass(frozen=True)
class Statistic:
    """One statistic of n records, made by `Mean`, `Sum`, `Count` or `Proportion`.

    Attributes
    ----------
    kind : str
        A key of ``KINDS``.
    column : str
    value : Label or None
        What counts and proportions look for; None for the others.
    """

    kind: str
    column: str
    value: Label | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DistprivError(
                f"There is no statistic {self.kind!r}; take {listed(KINDS, 'or')}."
                f"{near(self.kind, KINDS)}"
            )
        check_column(self.column)
        if (self.value is not None) != (self.kind in _OF_A_VALUE):
            needs = "needs" if self.kind in _OF_A_VALUE else "takes no"
            raise DistprivError(f"The {self.kind} of {self.column!r} {needs} value to look for.")
        if self.value is not None:
            object.__setattr__(self, "value", as_label(self.value))

    @property
    def label(self) -> str:
        """Short name, which identifies the statistic in frames: "count sex = Female"."""
        return f"{self.kind} {self.column}" + ("" if self.value is None else f" = {self.value}")

    @property
    def title(self) -> str:
        """Name as a reader would say it."""
        column = self.column.replace("_", " ").replace("-", " ")
        if self.value is None:
            return f"{'total' if self.kind == 'sum' else self.kind} {column}"
        return f"{'share ' if self.kind == 'proportion' else ''}{self.value} ({column})"

    def scale(self, n: int) -> float:
        """Return what turns the sum over n records into the statistic: 1, or 1/n."""
        return 1.0 if self.kind in ("count", "sum") else 1.0 / n

    def unit(self, units: Mapping[str, str]) -> str:
        """Return the statistic's unit, given those of the columns; "" where there is none."""
        if self.kind == "count":
            return "records"
        return "" if self.kind == "proportion" else units.get(self.column, "")

    def values(self, frame: pd.DataFrame) -> FloatArray:
        """Return what each record adds to the sum, shape (N,); NaN where it is missing.

        Raises
        ------
        DistprivError
            If the column is not there, holds no numbers, or never has the value.
        """
        if self.value is None:
            return numbers_of(frame, self.column)
        return flags_of(column_of(frame, self.column), [self.value])

    def plain(self) -> dict[str, Any]:
        """Return the statistic as JSON has it."""
        fields = {"kind": self.kind, "column": self.column, "value": self.value}
        return {name: value for name, value in fields.items() if value is not None}

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> Statistic:
        """Return the statistic that `plain` wrote.

        Raises
        ------
        DistprivError
            If the fields are not those of a statistic.
        """
        return from_fields(cls, fields, "statistic")


def check_column(name: object) -> None:
    """Raise DistprivError unless a column's name is a text that is not empty."""
    if not isinstance(name, str) or not name:
        raise DistprivError(f"{name!r} is no column; give the name that the table has for it.")


def from_fields(make: type[T], fields: object, noun: str) -> T:
    """Make a value of JSON's fields; anything unknown or lacking is an error in a sentence."""
    try:
        return make(**dict(fields))  # type: ignore[call-overload]
    except DistprivError:
        raise
    except (TypeError, ValueError):
        raise DistprivError(f"{fields!r} is no {noun}; write it anew.") from None


def Mean(column: str) -> Statistic:  # noqa: N802
    """Return the average of a column."""
    return Statistic("mean", column)


def Sum(column: str) -> Statistic:  # noqa: N802
    """Return the total of a column."""
    return Statistic("sum", column)


def Count(column: str, value: Label) -> Statistic:  # noqa: N802
    """Return the number of records whose column has a value."""
    return Statistic("count", column, value)


def Proportion(column: str, value: Label) -> Statistic:  # noqa: N802
    """Return the share of records whose column has a value."""
    return Statistic("proportion", column, value)


@dataclass(frozen=True)
class Query:
    """The statistics that a release holds, at least one and all different.

    Attributes
    ----------
    statistics : tuple of Statistic
        Any iterable is accepted, and a single one.

    Raises
    ------
    DistprivError
        If there is none, one is no statistic, or one occurs twice.
    """

    statistics: tuple[Statistic, ...]

    def __post_init__(self) -> None:
        several: Any = self.statistics
        object.__setattr__(
            self, "statistics", (several,) if isinstance(several, Statistic) else tuple(several)
        )
        for one in self.statistics:
            if not isinstance(one, Statistic):
                raise DistprivError(
                    f"{one!r} is no statistic; write Mean('age') or Count('sex', 'Female')."
                )
        if not self.statistics:
            raise DistprivError("Nothing is released; choose at least one figure.")
        twice = {s.label for s in self.statistics if self.statistics.count(s) > 1}
        if twice:
            raise DistprivError(f"{min(twice)!r} is released twice; take it once.")

    def __len__(self) -> int:
        return len(self.statistics)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the statistics, in their order."""
        return tuple(statistic.label for statistic in self.statistics)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the statistics read, each once."""
        return tuple(dict.fromkeys(statistic.column for statistic in self.statistics))

    def values(self, frame: pd.DataFrame) -> FloatArray:
        """Return what each record adds to the sums, shape (N, m); NaN where it is missing."""
        # By columns in memory, as moments are computed: stacking them costs more than reading them.
        return np.array([statistic.values(frame) for statistic in self.statistics]).T

    def scales(self, n: int) -> FloatArray:
        """Return what turns sums over n records into the statistics, shape (m,)."""
        return np.array([statistic.scale(n) for statistic in self.statistics])
