"""Columns of a table as numbers, and as flags of labels."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv.arrays import BoolArray, FloatArray
from distpriv.errors import DistprivError
from distpriv.text import near

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Label", "as_label", "column_of", "flags_of", "numbers_of"]

Label = str | bool | int | float
"""A label as Python and JSON have it; dates are ISO text."""

_LOOKED_AT = 2000  # labels, for the one that was meant


def as_label(value: object) -> Label:
    """Return a label as native Python: NumPy's scalars unpacked, dates and intervals as text.

    Anything but a text, number, boolean, date or interval is a DistprivError.
    """
    plain: Any = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | bool | int) or (isinstance(plain, float) and np.isfinite(plain)):
        return plain
    if hasattr(plain, "isoformat") and plain == plain:  # a missing date differs from itself
        return str(plain.isoformat()).removesuffix("T00:00:00")
    if type(plain).__name__ in ("Interval", "Period"):
        return str(plain)
    raise DistprivError(f"{value!r} is no label; give a text, a number, or True or False.")


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a column; DistprivError if the table has no such column, or several."""
    if name not in frame.columns:
        raise DistprivError(f"The table has no column {name!r}.{near(name, frame.columns)}")
    column: Any = frame[name]
    if column.ndim > 1:
        raise DistprivError(
            f"The table has {column.shape[1]} columns {name!r}; give each a name of its own."
        )
    return column


def numbers_of(frame: pd.DataFrame, name: str) -> FloatArray:
    """Return a column's numbers, shape (N,); NaN where one is missing or infinite.

    Numbers of single precision are taken for the decimals of seven digits that they stand for, as
    0.1 is stored as 0.100000001. Anything but numbers is a DistprivError.
    """
    import pandas as pd

    column = column_of(frame, name)
    kind = column.dtype
    if pd.api.types.is_numeric_dtype(kind):
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
        if str(kind).lower() in ("float32", "float[pyarrow]"):
            numbers = _decimals(numbers)
    else:
        plain = column.astype(object)
        numbers = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=float)
        unread = np.flatnonzero(np.isnan(numbers) & plain.notna().to_numpy())
        if len(unread):
            raise DistprivError(
                f"Column {name!r} holds {plain.iloc[unread[0]]!r} in record {unread[0] + 1}, which "
                "is no number; choose a column of numbers, or count one of its values."
            )
    finite = np.isfinite(numbers)
    return numbers if finite.all() else np.where(finite, numbers, np.nan)


def _decimals(numbers: FloatArray) -> FloatArray:
    size = np.abs(numbers)
    ordinary = np.isfinite(size) & (size > 0)
    shift = 10.0 ** (6 - np.floor(np.log10(np.where(ordinary, size, 1.0))))
    decimals = np.rint(numbers * shift) / shift
    return np.where(decimals.astype(np.float32) == numbers.astype(np.float32), decimals, numbers)


def flags_of(column: pd.Series, values: Sequence[Label]) -> FloatArray:
    """Return 1 where a column has one of the values, 0 elsewhere, NaN where it is missing, (N,).

    Values that no record has are a DistprivError.
    """
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        matching = _matches(pd.Series(column.cat.categories, name=column.name), values)
        flags = np.append(matching, np.nan).take(column.cat.codes.to_numpy())  # −1 is missing
    else:
        flags = np.where(column.isna().to_numpy(), np.nan, _matches(column, values))
    if not (flags == 1).any():
        searched = " or ".join(map(repr, values))
        raise DistprivError(f"No record has {column.name} = {searched}.{_meant(column, values[0])}")
    return flags


def _matches(column: pd.Series, values: Sequence[Label]) -> BoolArray:
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        dates = []
        for value in values:
            with suppress(ValueError, TypeError):
                dates.append(pd.Timestamp(str(value)))
        return column.isin(dates).to_numpy(dtype=bool)
    try:
        matching = column.isin(list(values)).to_numpy(dtype=bool)
        if matching.any() or pd.api.types.is_numeric_dtype(column.dtype):
            return matching
        labels = column.map(as_label, na_action="ignore")
    except (TypeError, DistprivError):  # lists and the like
        raise DistprivError(
            f"Column {column.name!r} holds something else than texts, numbers and dates, so no "
            "value of it can be looked for; choose another column."
        ) from None
    return labels.isin(list(values)).to_numpy(dtype=bool)


def _meant(column: pd.Series, value: Label) -> str:
    """Ask after the nearest label, which may differ in its type alone."""
    labels = list(column.dropna().unique()[:_LOOKED_AT])
    for label in labels:
        if str(label) == str(value):
            return f" Did you mean {as_label(label)!r}?"
    return near(value, labels)
