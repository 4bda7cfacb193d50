"""Statistics of n records that a release can hold, and queries that list them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.text import near

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "KINDS",
    "Count",
    "Label",
    "Mean",
    "Proportion",
    "Query",
    "Statistic",
    "Sum",
    "as_label",
    "column_of",
    "numbers_of",
]

Label = str | bool | int | float
"""A label as Python and JSON have it; dates are ISO text."""

KINDS: dict[str, str] = {
    "mean": "Average of a column",
    "sum": "Total of a column",
    "count": "Number of records with a value",
    "proportion": "Share of records with a value",
}
"""Every kind of statistic and its words. All of them are sums over the records, times a scale."""

_OF_A_VALUE = ("count", "proportion")
T = TypeVar("T")


def as_label(value: object) -> Label:
    """Return a label as native Python: NumPy's scalars unpacked, dates as ISO text.

    Raises
    ------
    DistprivError
        If it is no text, number or boolean.
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | bool | int) or (isinstance(plain, float) and np.isfinite(plain)):
        return plain
    if hasattr(plain, "isoformat"):
        return str(plain.isoformat())
    raise DistprivError(f"{value!r} is no label; give a text, a number, or True or False.")


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a column.

    Raises
    ------
    DistprivError
        If the table has no such column.
    """
    if name not in frame:
        raise DistprivError(f"The table has no column {name!r}.{near(name, frame.columns)}")
    return frame[name]


def numbers_of(frame: pd.DataFrame, name: str) -> FloatArray:
    """Return a column's numbers, shape (N,); NaN where one is missing.

    Raises
    ------
    DistprivError
        If the column holds something else than numbers.
    """
    import pandas as pd

    column = column_of(frame, name)
    if column.dtype == bool or pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    numbers = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(dtype=float)
    unread = np.flatnonzero(np.isnan(numbers) & column.notna().to_numpy())
    if len(unread):
        raise DistprivError(
            f"Column {name!r} holds {column.iloc[unread[0]]!r} in record {unread[0] + 1}, which is "
            "no number; choose a column of numbers, or count one of its values."
        )
    return numbers


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
                f"There is no statistic {self.kind!r}; take one of {', '.join(KINDS)}."
            )
        if (self.value is not None) != (self.kind in _OF_A_VALUE):
            needs = "needs" if self.kind in _OF_A_VALUE else "takes no"
            raise DistprivError(f"The {self.kind} of {self.column!r} {needs} value to look for.")
        if self.value is not None:
            object.__setattr__(self, "value", as_label(self.value))

    @property
    def label(self) -> str:
        """Short name, which identifies the statistic in frames: "mean age", "count sex = Female"."""
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
        return flags(column_of(frame, self.column), [self.value])

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


def from_fields(make: type[T], fields: Mapping[str, Any], noun: str) -> T:
    """Make a value of JSON's fields; anything unknown or lacking is an error in a sentence."""
    try:
        return make(**fields)
    except TypeError:
        raise DistprivError(f"{dict(fields)!r} is no {noun}; write it anew.") from None


def flags(column: pd.Series, values: Iterable[Label]) -> FloatArray:
    """Return 1 where a column has one of the values, 0 elsewhere, NaN where it is missing, (N,).

    Raises
    ------
    DistprivError
        If no record has any of the values.
    """
    import pandas as pd

    texts = column.map(as_text) if pd.api.types.is_datetime64_any_dtype(column) else column
    having = texts.isin(list(values)).to_numpy(dtype=float)
    missing = column.isna().to_numpy()
    if not having.any():
        searched = " or ".join(map(str, values))
        labels = [str(label) for label in column.dropna().unique()[:2000]]
        raise DistprivError(f"No record has {column.name} = {searched}.{near(searched, labels)}")
    return np.where(missing, np.nan, having)


def as_text(date: Any) -> str | None:
    """Return a date as labels write it, None where it is missing."""
    return None if date != date else str(date.isoformat())


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
        Any iterable is accepted.
    """

    statistics: tuple[Statistic, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "statistics", tuple(self.statistics))
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
        return np.column_stack([statistic.values(frame) for statistic in self.statistics])

    def scales(self, n: int) -> FloatArray:
        """Return what turns sums over n records into the statistics, shape (m,)."""
        return np.array([statistic.scale(n) for statistic in self.statistics])
