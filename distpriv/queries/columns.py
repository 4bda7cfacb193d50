"""Columns of a table as numbers, and as flags of labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from distpriv.arrays import BoolArray, FloatArray, decimals
from distpriv.errors import DistprivError
from distpriv.text import near

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Label", "answer_flags", "as_date", "as_label", "column_of", "dates_of", "flags_of"]
__all__ += ["label_of_text", "numbers_of"]

Label = str | bool | int | float
"""A label as Python and JSON have it; dates are ISO text."""

_LOOKED_AT = 2000  # labels, for the one that was meant
_SHARED = 3  # records that have a label, which then tells of none of them
_DATES = ("date", "datetime", "datetime64")
_NUMBERS = ("boolean", "integer", "floating", "mixed-integer-float")


def as_label(value: object) -> Label:
    """Return a label as native Python: NumPy's scalars unpacked, dates and intervals as text.

    Anything but a text, number, boolean, date or interval is a DistprivError.
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]")  # finer ones would unpack as whole numbers
    plain: Any = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | bool | int) or (isinstance(plain, float) and np.isfinite(plain)):
        return plain
    if hasattr(plain, "isoformat") and plain == plain:  # a missing date differs from itself
        return str(plain.isoformat()).removesuffix("T00:00:00")
    if type(plain).__name__ in ("Interval", "Period"):
        return str(plain)
    raise DistprivError(f"{value!r} is not a label; give a text, a number, or True or False.")


def label_of_text(value: Label) -> Label:
    """Return the number or truth value that a text names: "1" as 1; other labels as they are.

    So somebody types it, or a link has it, where a column holds numbers or booleans.
    """
    if not isinstance(value, str) or "_" in value:
        return value
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for read in (int, float):
        with suppress(ValueError):
            number: int | float = read(value)
            return number if np.isfinite(number) else value
    return value


def as_date(text: str) -> str:
    """Return a date as ISO text, without a time at midnight; ValueError for anything else."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo:
        raise ValueError(text)
    return str(as_label(moment))


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
            numbers = decimals(numbers)
    else:
        plain = column.astype(object)
        numbers = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=float)
        unread = np.flatnonzero(np.isnan(numbers) & plain.notna().to_numpy())
        if len(unread):
            raise DistprivError(
                f"Column {name!r} holds a value in record {unread[0] + 1} which is not a number; "
                "choose a column of numbers, or count one of its values."
            )
    finite = np.isfinite(numbers)
    return numbers if finite.all() else np.where(finite, numbers, np.nan)


def dates_of(frame: pd.DataFrame, name: str) -> NDArray[np.datetime64]:
    """Return a column's dates to the microsecond, shape (N,); NaT where one is missing.

    Anything but dates is a DistprivError.
    """
    import pandas as pd

    column = column_of(frame, name)
    if pd.api.types.infer_dtype(column, skipna=True) not in _DATES:
        raise DistprivError(f"Column {name!r} holds no dates; compare it with a number.")
    dates = pd.to_datetime(column.astype(object) if column.dtype == object else column)
    plain = dates.dt.tz_localize(None) if dates.dt.tz is not None else dates
    return plain.to_numpy("datetime64[us]")


def flags_of(column: pd.Series, values: Sequence[Label]) -> FloatArray:
    """Return 1 where a column has one of the values, 0 elsewhere, NaN where it is missing, (N,).

    Values that no record has are a DistprivError.
    """
    flags = _flags(column, lambda part: _matches(part, values))
    if not (flags == 1).any():
        searched = " or ".join(map(repr, values))
        raise DistprivError(f"No record has {column.name} = {searched}.{_meant(column, values[0])}")
    return flags


def answer_flags(column: pd.Series, answer: str) -> FloatArray:
    """Return 1 where an answer is one of those in a cell, 0 elsewhere, NaN where it is missing.

    Answers are texts between ";", "|" and ",". One that no record has is a DistprivError.
    """
    answers: dict[str, None] = {}

    def has(cell: object) -> bool:
        each = [part.strip() for part in re.split("[;|,]", cell if isinstance(cell, str) else "")]
        answers.update(dict.fromkeys(each))
        return answer in each

    flags = _flags(column, lambda part: part.map(has, na_action="ignore").eq(True).to_numpy(bool))
    if not (flags == 1).any():
        hint = near(answer, [*answers][:_LOOKED_AT])
        raise DistprivError(f"No record's {column.name} contains the answer {answer!r}.{hint}")
    return flags


def _flags(column: pd.Series, matches: Callable[[pd.Series], BoolArray]) -> FloatArray:
    """Return what matches, by category where there are some, NaN where a value is missing."""
    import pandas as pd

    if not isinstance(column.dtype, pd.CategoricalDtype):
        return np.where(column.isna().to_numpy(), np.nan, matches(column))
    matching = matches(pd.Series(column.cat.categories, name=column.name))
    return np.append(matching, np.nan).take(column.cat.codes.to_numpy())  # −1 is missing


def _matches(column: pd.Series, values: Sequence[Label]) -> BoolArray:
    import pandas as pd

    if pd.api.types.infer_dtype(column, skipna=True) in _NUMBERS:
        values = [*map(label_of_text, values)]
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
    except (OverflowError, UnicodeEncodeError):  # a value that such a column cannot hold
        return column.astype(object).isin(list(values)).to_numpy(dtype=bool)
    except (TypeError, DistprivError):  # lists and the like
        raise DistprivError(
            f"Column {column.name!r} holds other things than texts, numbers and dates; choose "
            "another column."
        ) from None
    return labels.isin(list(values)).to_numpy(dtype=bool)


def _meant(column: pd.Series, value: Label) -> str:
    """Ask after the label that differs in type or case alone, or the nearest that many share."""
    counts, text = column.value_counts(), str(value).casefold()
    for label in counts.index[:_LOOKED_AT]:
        if str(label).casefold() == text:
            return f" Did you mean {as_label(label)!r}?"
    return near(value, counts.index[counts >= _SHARED][:_LOOKED_AT])
