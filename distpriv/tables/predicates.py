"""Columns of a table by name: their values as numbers, and which of them are the ones wanted."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.errors import QueryError

__all__ = ["Scalar", "as_number", "as_text", "column_of", "matches", "numeric_values"]

FloatArray = NDArray[np.float64]
Scalar = str | float | bool


def column_of(table: pd.DataFrame, name: str) -> pd.Series:
    """Return the column, or say which columns there are.

    Raises
    ------
    QueryError
        If the table has no column of that name.
    """
    if name not in table.columns:
        known = ", ".join(map(str, table.columns[:20]))
        raise QueryError(f"There is no column {name!r} in the table; its columns are {known}.")
    return table[name]


def matches(values: pd.Series, wanted: Iterable[Scalar]) -> NDArray[np.bool_]:
    """Mark the records whose value is one of those wanted; a missing value is none of them.

    Categories are compared once each and not once a record. A number written as text
    ("5") matches the category "5" and the number 5 alike.

    Parameters
    ----------
    values : Series, shape (N,)
    wanted : iterable of str, float or bool

    Returns
    -------
    ndarray of bool, shape (N,)
    """
    texts = {as_text(value) for value in wanted}
    if isinstance(values.dtype, pd.CategoricalDtype):
        hits = np.array([as_text(value) in texts for value in values.cat.categories], dtype=bool)
        codes = values.cat.codes.to_numpy()
        if hits.sum() == 1:
            return np.equal(codes, np.flatnonzero(hits)[0])
        return np.append(hits, False)[codes]
    if pd.api.types.is_numeric_dtype(values.dtype):
        numbers = [number for value in wanted if not math.isnan(number := as_number(value))]
        return values.isin(numbers).fillna(False).to_numpy(dtype=bool)
    return values.map(as_text, na_action="ignore").isin(texts).to_numpy(dtype=bool)


def as_text(value: object) -> str:
    """The value as a label that is matched: stripped, truth values in lower case."""
    text = str(value).strip()
    return text.lower() if isinstance(value, bool | np.bool_) else text


def as_number(value: Scalar) -> float:
    """The value as a number; NaN, which no record matches, if it is none."""
    lowered = str(value).strip().lower()
    if lowered in {"true", "false"}:
        return float(lowered == "true")
    try:
        return float(value)
    except ValueError:
        return math.nan


def numeric_values(table: pd.DataFrame, name: str, kind: str) -> FloatArray:
    """Values of a numeric column, shape (N,); NaN where one is missing.

    Raises
    ------
    QueryError
        If there is no such column, or it does not hold numbers.
    """
    column = column_of(table, name)
    if pd.api.types.is_bool_dtype(column.dtype):
        raise QueryError(
            f"Column {name!r} holds true and false, not numbers, so it has no {kind}; use a count "
            "or a proportion of it instead."
        )
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise QueryError(
            f"Column {name!r} does not hold numbers, so it has no {kind}; use a count or a "
            "proportion of one of its values, or correct the column's type."
        )
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
