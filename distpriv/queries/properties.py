"""The sensitive property of a dataset, and pairs of proportions an attacker must not tell apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import PropertyError
from distpriv.tables.predicates import Scalar, column_of, matches
from distpriv.words import exact

__all__ = ["MOST_PAIRS", "Pair", "SensitiveProperty"]

MOST_PAIRS = 500
"""Pairs that are hidden at once, at most."""


@checked(PropertyError)
@dataclass(frozen=True, init=False)
class SensitiveProperty:
    """The proportion of records that satisfy a predicate on one column.

    Parameters
    ----------
    column : str
        The column the predicate looks at.
    value : str, float or bool, optional
        The column equals this value. A boolean column needs none: it stands for true.
    values : sequence, optional
        The column equals one of these values.
    above, below : float, optional
        The column is greater than, or less than, this threshold (both strict).
    between : tuple of two floats, optional
        The column lies between the two, both included.

    Raises
    ------
    PropertyError
        If more than one predicate is given, or one that makes no sense.

    Examples
    --------
    >>> SensitiveProperty("income", ">50K").label
    'income = >50K'
    >>> SensitiveProperty("age", above=65).label
    'age > 65'
    """

    column: str
    values: tuple[Scalar, ...]
    low: float
    high: float
    closed: bool

    def __init__(
        self,
        column: str,
        value: Scalar | None = None,
        *,
        values: Sequence[Scalar] | None = None,
        above: float | None = None,
        below: float | None = None,
        between: tuple[float, float] | None = None,
    ) -> None:
        given = [
            name
            for name, argument in (
                ("value", value),
                ("values", values),
                ("above", above),
                ("below", below),
                ("between", between),
            )
            if argument is not None
        ]
        if len(given) > 1:
            raise PropertyError(
                f"The property of column {column!r} takes one predicate, got {' and '.join(given)}."
            )
        chosen: tuple[Scalar, ...] = ()
        low, high, closed = -math.inf, math.inf, False
        if value is not None:
            chosen = (value,)
        elif values is not None:
            chosen = tuple(values)
        elif above is not None:
            low = float(above)
        elif below is not None:
            high = float(below)
        elif between is not None:
            low, high, closed = float(between[0]), float(between[1]), True
        else:
            chosen = (True,)
        if values is not None and not chosen:
            raise PropertyError(f"The property of column {column!r} needs at least one value.")
        if math.isnan(low) or math.isnan(high) or low > high:
            raise PropertyError(
                f"The thresholds of column {column!r} must be numbers, the lower one first, "
                f"got {low:g} and {high:g}."
            )
        for name, content in (
            ("column", column),
            ("values", chosen),
            ("low", low),
            ("high", high),
            ("closed", closed),
        ):
            object.__setattr__(self, name, content)

    @property
    def label(self) -> str:
        """The predicate in words, e.g. ``income = >50K``."""
        if self.values:
            if len(self.values) == 1:
                return f"{self.column} = {self.values[0]}"
            return f"{self.column} in {', '.join(map(str, self.values))}"
        if self.closed:
            return f"{self.column} from {self.low:.12g} to {self.high:.12g}"
        if math.isinf(self.high):
            return f"{self.column} > {self.low:.12g}"
        return f"{self.column} < {self.high:.12g}"

    def mask(self, table: pd.DataFrame) -> NDArray[np.bool_]:
        """Mark the records that have the property, shape (N,); False where it is missing.

        Raises
        ------
        QueryError
            If there is no such column.
        PropertyError
            If a threshold is put to a column that does not hold numbers.
        """
        column = column_of(table, self.column)
        if self.values:
            return matches(column, self.values)
        if not pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(
            column.dtype
        ):
            raise PropertyError(
                f"Column {self.column!r} does not hold numbers, so it has no threshold; "
                "choose one or more of its values instead."
            )
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if self.closed:
            return (numbers >= self.low) & (numbers <= self.high)
        return (numbers > self.low) & (numbers < self.high)

    def pair(self, center: float, width: float) -> Pair:
        """The two proportions ``center - width/2`` and ``center + width/2``.

        Parameters
        ----------
        center : float in [0, 1]
        width : float in (0, 1]
            Δp; both proportions have to stay in [0, 1].
        """
        if not (math.isfinite(center) and math.isfinite(width) and 0 < width <= 1):
            raise PropertyError(
                f"Δp must be in (0, 1] and the centre a number, got Δp = {width:g} "
                f"around {center:g}."
            )
        # Rounding at the 12th decimal keeps 0.5 + 0.1/2 the number 0.55.
        low, high = round(center - width / 2, 12), round(center + width / 2, 12)
        if low < 0 or high > 1:
            widest = 2 * min(center, 1 - center)
            advice = (
                f"take Δp at most {widest:.3g} there"
                if widest > 0
                else "take a centre between 0 and 1"
            )
            raise PropertyError(
                f"Δp = {width:g} around {center:g} leaves the range of a proportion "
                f"({low:g} to {high:g}); {advice}."
            )
        return Pair(self, low, high)

    def grid(self, low: float, high: float, step: float, width: float) -> tuple[Pair, ...]:
        """All pairs of proportions on a grid that are at most `width` apart.

        Which of the possible proportions it is stays hidden from its neighbours, wherever on
        the grid it lies (Chen & Ohrimenko 2023, Example 2.1).

        Parameters
        ----------
        low, high : float in [0, 1]
            Ends of the grid.
        step : float > 0
        width : float
            Δp, at least the step.

        Raises
        ------
        PropertyError
            If the ends or the step make no grid, no two of its proportions are that close, or
            there are more than 500 pairs.
        """
        if not (0 <= low < high <= 1 and 0 < step <= high - low + 1e-9):
            raise PropertyError(
                "A grid of shares needs ends from 0 to 1, the lower one first, and a step no "
                f"larger than their distance, got {low:g} to {high:g} by {step:g}."
            )
        count = math.floor((high - low) / step + 1e-9) + 1
        reach = math.floor(width / step + 1e-9)
        if reach < 1:
            raise PropertyError(
                f"No two shares of a grid with step {step:g} are within Δp = {width:g}; take a "
                "smaller step or a larger Δp."
            )
        steps = min(reach, count - 1)
        many = steps * count - steps * (steps + 1) // 2
        if many > MOST_PAIRS:  # before any is made: a step can be tiny
            told = exact(many) if many < 10**12 else "countless"
            raise PropertyError(
                f"A grid from {low:g} to {high:g} by {step:g} has {told} pairs within "
                f"Δp = {width:g}, more than {MOST_PAIRS}; take a larger step or a smaller Δp."
            )
        shares = [round(low + step * index, 12) for index in range(count)]
        return tuple(
            Pair(self, shares[first], shares[second])
            for first in range(count)
            for second in range(first + 1, min(first + reach, count - 1) + 1)
        )


@checked(PropertyError)
@dataclass(frozen=True)
class Pair:
    """Two proportions of one property that an attacker must not tell apart, in both orders.

    Attributes
    ----------
    secret : SensitiveProperty
    p_i, p_j : float
        The two proportions, each in [0, 1].
    """

    secret: SensitiveProperty
    p_i: float
    p_j: float

    def __post_init__(self) -> None:
        for name, proportion in (("p_i", self.p_i), ("p_j", self.p_j)):
            if not 0 <= proportion <= 1:
                raise PropertyError(f"{name} must be in [0, 1], got {proportion:g}.")

    @property
    def center(self) -> float:
        """The middle of the two proportions."""
        return (self.p_i + self.p_j) / 2

    @property
    def width(self) -> float:
        """Δp, the distance of the two proportions."""
        return round(abs(self.p_j - self.p_i), 12)

    @property
    def label(self) -> str:
        """The pair in words, e.g. ``income = >50K: 45 % or 55 %``."""
        return f"{self.secret.label}: {100 * self.p_i:.12g} % or {100 * self.p_j:.12g} %"
