"""Columns: what type each one is, and conversion between types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from distpriv.errors import TableError
from distpriv.tables.labels import (
    DEFAULT_STYLES,
    Labels,
    NumberStyle,
    counted,
    dates_of,
    every,
    labels_of,
    matching,
    not_numbers,
    number_styles,
    plain_dates,
    shown,
    some,
    style_of,
)

__all__ = [
    "MAX_CELLS",
    "MAX_COLUMNS",
    "MAX_ROWS",
    "ColumnType",
    "check_shape",
    "check_types",
    "convert",
    "infer_type",
    "looks_like_a_key",
    "type_columns",
    "type_of_labels",
]

ColumnType = Literal["number", "category", "boolean", "date", "identifier", "text"]

MAX_ROWS = 5_000_000
MAX_COLUMNS = 2_000
MAX_CELLS = 100_000_000

_SMALLEST = 10  # With fewer records, distinct values say nothing about what a column is.
_NEARLY_ALL = 0.95
_MANY = 1_000
_LONG = 40

_BOOLEAN = r"^(?i:true|false)$"
_TRUE = r"^(?i:true|yes|t|y|1|1\.0)$"
_FALSE = r"^(?i:false|no|f|n|0|0\.0)$"
_CODE = r"^[+-]?(0\d|\d{19,}$)"
_IDENTIFIER = (
    r"^([^@\s]+@[^@\s]+\.[^@\s]+"
    r"|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|\+\d[\d ()/-]{6,}\d)$"
)
_KEY_NAME = re.compile(r"(?i:(^|[\W_])(id|uuid|guid|key|rowid)($|[\W_]))|[a-z]I[dD]$")
_PERSON_NAME = re.compile(r"(?i:name|e-?mail|phone)")


def check_shape(*, rows: int = 1, columns: int = 1) -> None:
    """Raise TableError for a table without records or columns, or one that is too large.

    Parameters
    ----------
    rows : int
        Number of records, at most ``MAX_ROWS``.
    columns : int
        Number of columns, at most ``MAX_COLUMNS``; rows times columns is at most ``MAX_CELLS``.
    """
    if columns == 0:
        raise TableError("the table has no columns; choose one with column names and records.")
    if rows == 0:
        raise TableError("the table has column names but no records; add at least one row.")
    if columns > MAX_COLUMNS:
        raise TableError(
            f"the table has {columns} columns, more than the {MAX_COLUMNS} that fit; "
            "keep only the columns that matter."
        )
    if rows > MAX_ROWS or rows * columns > MAX_CELLS:
        raise TableError(
            f"the table has {counted(rows, 'row')} and {counted(columns, 'column')}, more than the "
            f"{MAX_ROWS} rows or {MAX_CELLS} values that fit; choose a random part of the rows."
        )


def check_types(types: Mapping[str, ColumnType], columns: Iterable[object]) -> None:
    """Raise TableError for an unknown type, or a type of a column that does not exist."""
    known = list(columns)
    for name, kind in types.items():
        if name not in known:
            listed = ", ".join(shown(column) for column in known[:10])
            raise TableError(
                f"There is no column {shown(name)} to set a type for; the columns are {listed}."
            )
        if kind not in get_args(ColumnType):
            raise TableError(
                f"Column {shown(name)} cannot be of type {shown(kind)}; "
                f"choose one of {', '.join(get_args(ColumnType))}."
            )


def type_columns(
    names: Sequence[str],
    table: pd.DataFrame,
    labels: dict[str, Labels],
    types: Mapping[str, ColumnType],
    *,
    semicolons: bool = False,
    watch: Callable[[float], object] | None = None,
) -> tuple[pd.DataFrame, dict[str, ColumnType]]:
    """Give every column its type and the dtype that goes with it.

    Parameters
    ----------
    names : sequence of str, length m
        Of all columns, in their order.
    table : DataFrame, shape (N, k)
        Those that are no text.
    labels : dict of str to Labels
        Those of text; emptied on the way, so that no column is held twice.
    types : mapping
        Types that are known; the others are inferred.
    semicolons : bool
        Whether the values were separated by semicolons: then a comma is likelier to be a
        decimal comma.
    watch : callable, optional
        Is given the share of the columns that are done, between 0 and 1.

    Returns
    -------
    DataFrame, shape (N, m)
    dict of str to ColumnType

    Raises
    ------
    TableError
        If a value cannot be converted to a known type, or a number is infinite.
    """
    check_types(types, names)
    styles = number_styles([label.texts for label in labels.values()], semicolons)
    decided: dict[str, ColumnType] = {}
    typed: dict[str, pd.Series] = {}
    for done, name in enumerate(names, start=1):
        known = labels.pop(name, None)
        if known is None:
            decided[name] = types.get(name) or infer_type(name, table[name], styles)
            typed[name] = convert(name, table[name], decided[name], styles=styles)
        else:
            decided[name] = types.get(name) or type_of_labels(name, known, styles)
            typed[name] = _of_labels(name, known, decided[name], styles).set_axis(table.index)
            pa.default_memory_pool().release_unused()
        if watch is not None:
            watch(done / len(names))
    return pd.DataFrame(typed, index=table.index, copy=False), decided


def infer_type(name: str, column: pd.Series, styles: Sequence[NumberStyle] = ()) -> ColumnType:
    """Tell what a column is from its dtype and, where it holds text, from its labels.

    Parameters
    ----------
    name : str
        The column's name; it only helps to recognise keys and names of people.
    column : Series, shape (N,)
    styles : sequence
        How numbers may be written; with none, text is never a number or a date.
    """
    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return "boolean"
    if pd.api.types.is_numeric_dtype(dtype):
        return "identifier" if _is_key(name, column) else "number"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    return type_of_labels(name, labels_of(column), styles)


def type_of_labels(name: str, labels: Labels, styles: Sequence[NumberStyle]) -> ColumnType:
    """What a column of text is, by its labels; see :func:`infer_type`."""
    texts = labels.texts
    if not len(texts):
        return "text"
    if every(texts, _IDENTIFIER):
        return "identifier"
    if styles and every(texts, _BOOLEAN):
        return "boolean"
    if styles and not some(texts, _CODE) and style_of(texts, styles):
        key = labels.distinct and _is_key(name, _to_number(name, labels, styles))
        return "identifier" if key else "number"
    if styles and dates_of(texts).notna().all():
        return "date"
    return _type_of_words(name, labels)


def _type_of_words(name: str, labels: Labels) -> ColumnType:
    distinct, present = len(labels.texts), labels.present
    long = pc.mean(pc.utf8_length(labels.texts)).as_py() >= _LONG
    named = bool(_KEY_NAME.search(name) or _PERSON_NAME.search(name))
    if distinct >= _NEARLY_ALL * present and present >= (3 if named else _SMALLEST):
        return "text" if long else "identifier"
    if distinct > _MANY or (long and distinct > max(_SMALLEST, present / 5)):
        return "text"
    return "category"


def _is_key(name: str, column: pd.Series) -> bool:
    if not pd.api.types.is_integer_dtype(column.dtype) or len(column) < 3:
        return False
    if column.hasnans or not column.is_unique:
        return False
    return looks_like_a_key(name, len(column), int(column.min()), int(column.max()))


def looks_like_a_key(name: str, records: int, low: float, high: float) -> bool:
    """Whether whole numbers that are all different number the records, by name or range."""
    running = high - low == records - 1 and records >= _SMALLEST
    return bool(_KEY_NAME.search(name)) or (running and (low in (0, 1) or records >= _MANY))


def convert(
    name: str,
    column: pd.Series,
    kind: ColumnType,
    labels: Labels | None = None,
    styles: Sequence[NumberStyle] = DEFAULT_STYLES,
) -> pd.Series:
    """Convert a column to the dtype of a type.

    Parameters
    ----------
    name : str
        The column's name, for messages.
    column : Series, shape (N,)
    kind : ColumnType
    labels : Labels, optional
        The column's labels, if they are known already.
    styles : sequence
        How numbers may be written, the likeliest first.

    Returns
    -------
    Series, shape (N,)
        Missing where the column is missing.

    Raises
    ------
    TableError
        If a value cannot be converted; names the column, the first such row and the value.
    """
    if kind == "number" and pd.api.types.is_numeric_dtype(column.dtype):
        converted = _plain_number(name, column)
    elif kind == "date" and pd.api.types.is_datetime64_any_dtype(column.dtype):
        converted = plain_dates(column)
    elif kind == "boolean" and pd.api.types.is_bool_dtype(column.dtype):
        converted = _plain_boolean(column)
    else:
        converted = _of_labels(name, labels or labels_of(column), kind, styles)
    return converted.set_axis(column.index)


def _of_labels(
    name: str, labels: Labels, kind: ColumnType, styles: Sequence[NumberStyle]
) -> pd.Series:
    if kind == "number":
        return _to_number(name, labels, styles)
    return _FROM_LABELS[kind](name, labels)


def _plain_number(name: str, column: pd.Series) -> pd.Series:
    if pd.api.types.is_bool_dtype(column.dtype):
        column = column.astype("Int64")
    integers = pd.api.types.is_integer_dtype(column.dtype) and not column.hasnans
    if integers and column.max() <= np.iinfo(np.int64).max:
        return column.astype("int64")
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.Series(_finite(name, values))


def _finite(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values))) + 1
        raise TableError(
            f"Column {shown(name)} holds an infinite number in record {row}; "
            "replace it by a number or leave it empty."
        )
    return values


def _plain_boolean(column: pd.Series) -> pd.Series:
    return column.astype("boolean" if column.hasnans else "bool")


def _to_number(name: str, labels: Labels, styles: Sequence[NumberStyle]) -> pd.Series:
    if not len(labels.texts):
        return pd.Series(np.full(len(labels.codes), np.nan))
    style = style_of(labels.texts, styles)
    if style is None:
        raise _misfit(name, labels, not_numbers(labels.texts, styles), "number such as 12 or 3.5")
    plain = style.normalise(labels.texts)
    if labels.codes.min() >= 0 and every(plain, r"^-?\d{1,18}$"):
        return pd.Series(labels.take(pc.cast(plain, pa.int64()), 0))
    numbers = labels.take(pc.cast(plain, pa.float64()), np.nan)
    return pd.Series(_finite(name, numbers))


def _misfit(name: str, labels: Labels, misfits: NDArray[np.bool_], wanted: str) -> TableError:
    row = int(np.argmax(labels.take(misfits, False)))
    value = labels.texts[int(labels.codes[row])].as_py()
    return TableError(
        f"Column {shown(name)} holds {shown(value)} in record {row + 1}, which is no {wanted}; "
        "correct the value, leave it empty or choose another type."
    )


def _to_date(name: str, labels: Labels) -> pd.Series:
    texts = pc.replace_substring_regex(labels.texts, r"^(\d{4})(\d{2})(\d{2})$", r"\1-\2-\3")
    dates = dates_of(pc.replace_substring_regex(texts, r"^(\d{4})$", r"\1-01-01"))
    misfits = dates.isna().to_numpy()
    if misfits.any():
        raise _misfit(name, labels, misfits, "date such as 2024-12-31")
    return pd.Series(labels.take(dates.to_numpy(), np.datetime64("NaT", "s")))


def _to_boolean(name: str, labels: Labels) -> pd.Series:
    true = matching(labels.texts, _TRUE)
    misfits = ~(true | matching(labels.texts, _FALSE))
    if misfits.any():
        raise _misfit(name, labels, misfits, "yes or no, true or false, 1 or 0")
    values = pd.Series(labels.take(true, False))
    if labels.present == len(values):
        return values
    return values.astype("boolean").mask(labels.codes < 0)


def _to_category(_: str, labels: Labels) -> pd.Series:
    texts = np.array(labels.texts.to_pylist(), dtype=object)
    order = np.argsort(texts)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    categories = pd.Index(texts[order], dtype="str")
    return pd.Series(pd.Categorical.from_codes(labels.take(rank, -1), categories=categories))


def _to_string(_: str, labels: Labels) -> pd.Series:
    indices = pa.array(labels.codes, mask=labels.codes < 0)
    return pd.Series(labels.texts.take(indices).to_pandas(), dtype="str")


_FROM_LABELS: Mapping[ColumnType, Callable[[str, Labels], pd.Series]] = {
    "boolean": _to_boolean,
    "category": _to_category,
    "date": _to_date,
    "identifier": _to_string,
    "text": _to_string,
}
