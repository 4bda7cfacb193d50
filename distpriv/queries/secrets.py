"""Sensitive properties of records, and the pairs of their shares that must look alike."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv.arrays import FloatArray, number
from distpriv.errors import DistprivError
from distpriv.queries.columns import (
    Label,
    answer_flags,
    as_date,
    as_label,
    column_of,
    dates_of,
    flags_of,
    numbers_of,
)
from distpriv.queries.statistics import check_column, from_fields
from distpriv.text import FIXED, percent

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Pair", "SensitiveProperty", "Threshold", "round_half_up"]

Threshold = float | str
"""A number, or a date as ISO text."""


@dataclass(frozen=True, repr=False)
class SensitiveProperty:
    """A property that a record has or has not: a value, an answer, a number or date in a range.

    Exactly one of `values`, `above`, `below`, `between` and `contains` is given.

    Attributes
    ----------
    column : str
    values : tuple of Label
        Any of these; a single label may be given as it is.
    above, below : float, str or None
        More, or less, than a number or date (ISO text), which does not itself belong.
    between : pair of float or str, or None
        From a number or date to another one; both belong.
    contains : str
        One of the answers that ";", "|" or "," separate in a cell.

    Examples
    --------
    >>> dp.SensitiveProperty("income", ">50K").label
    'income = >50K'
    >>> dp.SensitiveProperty("age", between=(30, 39)).label
    'age from 30 to 39'
    >>> dp.SensitiveProperty("hired", above="2010-01-01").label
    'hired after 2010-01-01'
    """

    column: str
    values: tuple[Label, ...] = ()
    above: Threshold | None = None
    below: Threshold | None = None
    between: tuple[Threshold, Threshold] | None = None
    contains: str = ""

    def __post_init__(self) -> None:
        check_column(self.column)
        values: Any = self.values
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            values = (values,)
        labels = tuple(map(as_label, values))
        object.__setattr__(self, "values", tuple(dict.fromkeys(labels)))  # 1 and True are one
        if len({(type(label), label) for label in labels}) < len(labels):
            twice = next(label for at, label in enumerate(labels) if label in labels[:at])
            raise DistprivError(f"The secret has {twice!r} twice; give each value once.")
        for name in ("above", "below"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, self._threshold(getattr(self, name)))
        if self.between is not None:
            ends: Any = self.between
            if isinstance(ends, str) or not hasattr(ends, "__len__") or len(ends) != 2:
                raise DistprivError(f"between of {self.column!r} needs two numbers, not {ends!r}.")
            object.__setattr__(self, "between", tuple(map(self._threshold, ends)))
        if not isinstance(self.contains, str):
            raise DistprivError(f"contains of {self.column!r} needs a text, not {self.contains!r}.")
        object.__setattr__(self, "contains", self.contains.strip())
        ways = bool(self.values) + bool(self.contains) + len(self._thresholds)
        if ways != 1:
            raise DistprivError(
                f"The secret about {self.column!r} needs exactly one of a value, above, below, "
                f"between and contains; it has {ways}."
            )
        if self.between is not None:
            low, high = self.between
            if isinstance(low, str) != isinstance(high, str):
                raise DistprivError(f"between of {self.column!r} needs two numbers or two dates.")
            if low > high:  # type: ignore[operator]
                raise DistprivError(f"between of {self.column!r} needs the smaller end first.")

    def __repr__(self) -> str:
        fields = {k: v for k, v in vars(self).items() if k != "column" and v not in (None, (), "")}
        texts = ", ".join(f"{name}={value!r}" for name, value in fields.items())
        return f"SensitiveProperty({self.column!r}, {texts})"

    @property
    def _thresholds(self) -> tuple[Any, ...]:
        return tuple(one for one in (self.above, self.below, self.between) if one is not None)

    def _threshold(self, end: object) -> Threshold:
        if isinstance(end, numbers.Real) and math.isfinite(end):
            return float(end)
        with suppress(ValueError):  # a DistprivError is one
            return as_date(str(as_label(end)))
        raise DistprivError(
            f"A threshold of {self.column!r} must be a number or a date like 2010-01-31, "
            f"not {end!r}."
        )

    @property
    def dated(self) -> bool:
        """Whether it compares dates."""
        return isinstance(np.ravel(self._thresholds or [0.0])[0], str)

    @property
    def label(self) -> str:
        """Name in sentences and frames."""
        if self.values:
            return f"{self.column} = {' or '.join(map(str, self.values))}"
        if self.contains:
            return f"{self.column} contains {self.contains}"
        ends = [x if isinstance(x, str) else f"{x:.12g}" for x in np.ravel(self._thresholds)]
        if self.between is not None:
            return f"{self.column} from {ends[0]} to {ends[1]}"
        words = ("after", "before") if self.dated else (">", "<")
        return f"{self.column} {words[self.above is None]} {ends[0]}"

    def mask(self, frame: pd.DataFrame) -> FloatArray:
        """Return 1 for records with the property, 0 without, NaN where it is missing, shape (N,).

        A column that is not there, values that no record has, and thresholds that meet something
        else than numbers or dates are a DistprivError.
        """
        if self.values:
            return flags_of(column_of(frame, self.column), self.values)
        if self.contains:
            return answer_flags(column_of(frame, self.column), self.contains)
        values: Any = dates_of(frame, self.column) if self.dated else numbers_of(frame, self.column)
        low, *high = np.ravel(self._thresholds).astype(values.dtype)
        if high:
            having = (low <= values) & (values <= high[0])
        else:
            having = values < low if self.above is None else values > low
        return np.where(np.isnan(values), np.nan, having.astype(float))

    def pair(self, center: float, width: float) -> Pair:
        """Return the two shares half a width below and above a center; all are fractions."""
        center = number(f"The center of {self.label}", center)
        half = number(f"The width of {self.label}", width) / 2
        return Pair(self, round(center - half, 12), round(center + half, 12))

    def plain(self) -> dict[str, Any]:
        """Return the property as JSON has it."""
        fields = {name: list(x) if isinstance(x, tuple) else x for name, x in vars(self).items()}
        return {name: value for name, value in fields.items() if value not in (None, [], "")}

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> SensitiveProperty:
        """Return the property that `plain` wrote; anything else is a DistprivError."""
        return from_fields(cls, fields, "secret")


@dataclass(frozen=True, repr=False)
class Pair:
    """Two shares of one property that must look alike.

    Attributes
    ----------
    secret : SensitiveProperty
    low, high : float
        Fractions, 0 <= low < high <= 1.

    Examples
    --------
    >>> pair = dp.Pair(dp.SensitiveProperty("income", ">50K"), 0.2, 0.3)
    >>> pair
    Pair(income = >50K, 20 % or 30 %)
    >>> pair == dp.SensitiveProperty("income", ">50K").pair(center=0.25, width=0.1)
    True
    """

    secret: SensitiveProperty
    low: float
    high: float

    def __post_init__(self) -> None:
        if not isinstance(self.secret, SensitiveProperty):
            raise DistprivError(
                f"{self.secret!r} is not a secret; write SensitiveProperty('income', '>50K')."
            )
        for name in ("low", "high"):
            share = number(f"A share of {self.secret.label}", getattr(self, name))
            object.__setattr__(self, name, share)
        if not 0 <= self.low < self.high <= 1:
            raise DistprivError(
                f"The two shares of {self.secret.label} must lie between 0 and 1 and differ, the "
                f"smaller one first; they are {self.low:g} and {self.high:g}."
            )

    def __repr__(self) -> str:
        low, high = (percent(share).replace(FIXED, " ") for share in (self.low, self.high))
        return f"Pair({self.secret.label}, {low} or {high})"

    @property
    def width(self) -> float:
        """Distance of the shares, Δp."""
        return round(self.high - self.low, 12)

    @property
    def center(self) -> float:
        """Middle of the shares."""
        return round((self.low + self.high) / 2, 12)

    def numbers(self, n: int) -> FloatArray:
        """Return numbers of records [share, group], shape (2, 2): group 0 without, 1 with it."""
        having = [round_half_up(n * share) for share in (self.low, self.high)]
        return np.array([[n - k, k] for k in having], dtype=float)

    def plain(self) -> dict[str, Any]:
        """Return the pair as JSON has it."""
        return {"secret": self.secret.plain(), "low": self.low, "high": self.high}

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> Pair:
        """Return the pair that `plain` wrote; anything else is a DistprivError."""
        if not isinstance(fields, Mapping):
            raise DistprivError(f"{fields!r} is not a pair of shares; write it again.")
        secret = SensitiveProperty.from_plain(fields.get("secret", {}))
        return from_fields(cls, {**fields, "secret": secret}, "pair of shares")


def round_half_up(number: float) -> int:
    """Round to the nearest whole number, halves up; 14.499999999 counts as 14.5."""
    return math.floor(round(number, 9) + 0.5)
