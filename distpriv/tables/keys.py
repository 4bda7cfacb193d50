"""Columns that tell records, places or times apart and measure nothing: keys, codes and dates."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["few_values", "names_records"]

MOST_FEW = 12
_FEWEST_RUNNING = 10  # records from which on a running number is no chance
_FEWEST = 50  # records from which on distinct values say something
_NEARLY_ALL = 0.95
_GLANCE = 5_000  # records that rule out, at little cost, what holds of all

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ANYWHERE = {"id", "ids", "uuid", "guid", "rowid", "zip", "zipcode", "postcode", "postal", "plz"}
_ANYWHERE |= {"idnr", "ssn", "iban", "isbn"}
_AT_THE_END = {"nr", "nbr", "no", "number", "code", "codes", "key", "identifier", "phone", "fax"}
_AT_THE_END |= {"telephone", "mobile", "date", "datum", "timestamp", "year", "month", "day"}
_RATES = {"per", "a"}  # cigarettes per day
_YEARS = (1900, 2100)


def few_values(column: pd.Series) -> tuple[float, ...]:
    """Values of a numeric column that holds two, or up to twelve whole ones; else none.

    Parameters
    ----------
    column : Series of numbers, shape (N,)

    Returns
    -------
    tuple of int or float
        In order; whole numbers as integers.
    """
    if column.iloc[:_GLANCE].nunique() > MOST_FEW:
        return ()
    values = np.sort(pd.unique(_present(column)))
    whole = bool((values % 1 == 0).all())
    if len(values) != 2 and not (2 < len(values) <= MOST_FEW and whole):
        return ()
    return tuple(int(value) if value % 1 == 0 else float(value) for value in values)


def names_records(column: pd.Series) -> bool:
    """Whether a column names records, places or times and measures nothing, as far as one can see.

    It is called as keys, codes and dates are; or its numbers are years or dates, count the
    records, or are all different and spread evenly. A column of two values that are no years is a
    property.

    Parameters
    ----------
    column : Series of numbers, categories or truth values, shape (N,)
    """
    if pd.api.types.is_bool_dtype(column.dtype):
        return False
    named = _named(str(column.name))
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return named and column.nunique() > 2
    values = _present(column)
    if not len(values) or not _are_whole(column, values):
        return False
    if _are_dates(values):
        return True
    return (named and column.nunique() > 2) or _count(values)


def _present(column: pd.Series) -> NDArray[np.float64]:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values[~np.isnan(values)]


def _are_whole(column: pd.Series, values: NDArray[np.float64]) -> bool:
    if pd.api.types.is_integer_dtype(column.dtype):
        return True
    return not ((values[:_GLANCE] % 1).any() or (values % 1).any())


def _named(name: str) -> bool:
    words = [word.lower() for word in _WORD.findall(name)]
    if _ANYWHERE & set(words):
        return True
    words = [word for word in words if not word.isdigit()]
    return bool(words) and words[-1] in _AT_THE_END and not _RATES & set(words[:-1])


def _are_dates(values: NDArray[np.float64]) -> bool:
    """Whether all numbers are years, or written as 202412 or 20241231."""
    low, high = values.min(), values.max()
    first, last = _YEARS
    if first <= low and high <= last:
        return True
    if first * 100 < low and high < (last + 1) * 100:
        return bool(_months(values).all())
    if first * 10_000 < low and high < (last + 1) * 10_000:
        days = values % 100
        return bool(_months(values // 100).all() and ((days >= 1) & (days <= 31)).all())
    return False


def _months(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    months = values % 100
    return (months >= 1) & (months <= 12)


def _count(values: NDArray[np.float64]) -> bool:
    """Whether whole numbers count the records, or are (nearly) all different and spread evenly."""
    glance = values[:_GLANCE]
    if len(values) < _FEWEST_RUNNING or len(pd.unique(glance)) < _NEARLY_ALL * len(glance):
        return False
    distinct = np.sort(pd.unique(values))
    if distinct[-1] - distinct[0] == len(distinct) - 1 == len(values) - 1:
        return True
    if len(values) < _FEWEST or len(distinct) < _NEARLY_ALL * len(values):
        return False
    steps = np.diff(values)
    if (steps > 0).all() or (steps < 0).all():
        return True
    # What is measured crowds somewhere; numbers that are given out do not. The distance to the
    # even spread is Kolmogorov's, beyond which one in a hundred even spreads lies.
    places = (distinct - distinct[0]) / (distinct[-1] - distinct[0])
    even = np.linspace(0, 1, len(distinct))
    return bool(np.abs(places - even).max() < 1.63 / np.sqrt(len(distinct)))
