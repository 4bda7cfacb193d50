"""Labels: a column of text as its distinct values, read as numbers or dates.

Everything that reads labels reads the distinct ones only, so that a column of millions of
records with few labels costs no more than its labels.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from distpriv.errors import TableError

__all__ = [
    "DEFAULT_STYLES",
    "MISSING_TOKENS",
    "Labels",
    "NumberStyle",
    "counted",
    "dates_of",
    "every",
    "holds_text",
    "labels_of",
    "matching",
    "not_numbers",
    "number_styles",
    "plain_dates",
    "plain_text",
    "shown",
    "some",
    "string_array",
    "style_of",
    "text_of",
]

MISSING_TOKENS = (
    *("", "?", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "NaN", "nan", "-NaN", "-nan"),
    *("#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""Labels that stand for a missing value: those of pandas, and ``?``."""

_SPACES = r" \x{a0}\x{202f}"
_TIME = r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?$"
_YEAR_FIRST = r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
_YEAR_LAST = r"^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})"


@dataclass(frozen=True)
class Labels:
    """A column as its distinct labels.

    Attributes
    ----------
    codes : ndarray of int, shape (N,)
        Position of each record's label, -1 where it is missing.
    texts : pyarrow string array, shape (K,)
        The distinct labels in order of first appearance, stripped.
    """

    codes: NDArray[np.signedinteger[Any]]
    texts: Any

    @property
    def present(self) -> int:
        """Number of records that have a label."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def distinct(self) -> bool:
        """Whether every record has a label of its own."""
        return len(self.texts) == len(self.codes)

    def take(self, values: Any, missing: object) -> NDArray[Any]:
        """Value of each record, given those of the labels, shape (N,)."""
        values = np.asarray(values)
        return np.append(values, np.array([missing], dtype=values.dtype))[self.codes]


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written.

    Attributes
    ----------
    pattern : str
        What a number looks like.
    extras : str
        What stands in a number without changing it: signs that group digits, a leading plus.
    decimal : str
        The decimal sign.
    certain : str
        A number that no other style would read otherwise.
    """

    pattern: str
    extras: str
    decimal: str
    certain: str

    def normalise(self, texts: Any) -> Any:
        """Write numbers with a decimal point and nothing that groups their digits."""
        plain = pc.replace_substring_regex(texts, self.extras, "")
        return pc.replace_substring(plain, self.decimal, ".")


def _style(group: str, decimal: str) -> NumberStyle:
    point = re.escape(decimal)
    signs = [f"[{group}]", "'", f"[{_SPACES}]"] if group else []
    grouped = "".join(rf"|[1-9]\d{{0,2}}({sign}\d{{3}})+" for sign in signs)
    number = rf"((\d+{grouped})({point}\d*)?|{point}\d+)([eE][+-]?\d{{1,3}})?"
    return NumberStyle(
        pattern=rf"^[+-]?({number}|(?i:inf|infinity))$",
        extras=rf"[{group}'{_SPACES}]|^\+",
        decimal=decimal,
        certain=rf"{point}(\d{{0,2}}|\d{{4,}})([eE]|$)|^[+-]?(0+|\d{{4,}})?{point}|'.*{point}",
    )


_PLAIN = _style("", ".")
_POINT = _style(",", ".")
_COMMA = _style(".", ",")

DEFAULT_STYLES = (_POINT, _COMMA)


def shown(value: object, length: int = 40) -> str:
    """Quote a value for a message, shortened to `length` characters."""
    text = str(value)
    return repr(text if len(text) <= length else text[: length - 1] + "…")


def counted(number: int, noun: str) -> str:
    """Write a number of things, e.g. ``1 value`` or ``2 values``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def text_of(value: Any) -> str:
    """Write a value as a label: true, false, 5 for 5.0, and the rest as Python does."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else str(number)
    return str(value)


def labels_of(column: pd.Series, missing: Collection[str] = MISSING_TOKENS) -> Labels:
    """Read a column of any type as labels; blank ones and missing tokens are missing by default."""
    if holds_text(column.dtype):
        codes, texts = _encoded(column)
    else:
        codes, distinct = _factorise(column)
        texts = pa.array(_texts_of(distinct), type=pa.large_string())
    trimmed = pc.utf8_trim_whitespace(texts)
    away = pc.is_in(trimmed, pa.array(list(missing), texts.type))
    if holds_text(column.dtype) and trimmed.equals(texts) and not pc.any(away).as_py():
        smallest = np.min_scalar_type(-len(texts) - 1)
        return Labels(codes.astype(smallest, copy=False), texts)  # The file's own, shared.
    texts = trimmed
    merged = pc.if_else(away, pa.scalar(None, texts.type), texts).dictionary_encode()
    target = merged.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    smallest = np.min_scalar_type(-len(merged.dictionary) - 1)
    return Labels(np.append(target, -1).astype(smallest)[codes], merged.dictionary)


def holds_text(dtype: object) -> bool:
    """Whether a column is text, as strings or as an arrow dictionary of them."""
    if isinstance(dtype, pd.ArrowDtype):
        return bool(pa.types.is_dictionary(dtype.pyarrow_dtype))
    return isinstance(dtype, pd.StringDtype)


def plain_text(column: pd.Series) -> pd.Series:
    """A column of text as strings, whichever way it is held."""
    if not isinstance(column.dtype, pd.ArrowDtype):
        return column
    texts = pa.array(column.array).cast(pa.large_string())
    return pd.Series(texts.to_pandas(), index=column.index, dtype="str")


def _encoded(column: pd.Series) -> tuple[NDArray[Any], Any]:
    """Codes, -1 where missing, and the labels they stand for, each of which is used."""
    if isinstance(column.dtype, pd.ArrowDtype):
        array = pa.array(column.array)
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        texts = array.dictionary.cast(pa.large_string())
        used = np.bincount(codes[codes >= 0], minlength=len(texts)) > 0
        if used.all():
            return codes, texts
        # Records were left out.
        return np.append(np.cumsum(used) - 1, -1)[codes], texts.filter(pa.array(used))
    encoded = string_array(column.array).dictionary_encode()
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), encoded.dictionary


def _factorise(column: pd.Series) -> tuple[NDArray[np.intp], Any]:
    try:
        return pd.factorize(column)
    except TypeError:
        raise TableError(
            f"Column {shown(column.name)} holds nested values; write one value in each cell."
        ) from None


def string_array(values: Any) -> Any:
    """A pandas array of strings as one arrow array, without a copy where that is possible."""
    array = pa.array(values, type=pa.large_string(), from_pandas=True)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _texts_of(distinct: Any) -> list[str]:
    if pd.api.types.is_datetime64_any_dtype(distinct.dtype):
        dates = pd.DatetimeIndex(distinct)
        whole_days = bool((dates == dates.normalize()).all())
        return [str(value.date() if whole_days else value) for value in dates]
    return [text_of(value) for value in distinct]


def number_styles(columns: Iterable[Any], semicolons: bool) -> tuple[NumberStyle, ...]:
    """Order the ways to read numbers by what the columns prove about the decimal sign."""
    proof = {_POINT: False, _COMMA: False}
    for texts in columns:
        for style in proof:
            proof[style] |= every(texts, style.pattern) and some(texts, style.certain)
    if proof[_COMMA] and not proof[_POINT]:
        return (_COMMA, _POINT)
    if semicolons and not proof[_POINT]:
        return (_PLAIN, _COMMA, _POINT)
    return (_POINT, _COMMA)


def every(texts: Any, pattern: str) -> bool:
    """Whether there are labels and all of them match."""
    return len(texts) > 0 and bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def some(texts: Any, pattern: str) -> bool:
    """Whether any label matches."""
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())


def style_of(texts: Any, styles: Sequence[NumberStyle]) -> NumberStyle | None:
    """The first style that reads every label as a number."""
    return next((style for style in styles if every(texts, style.pattern)), None)


def not_numbers(texts: Any, styles: Sequence[NumberStyle]) -> NDArray[np.bool_]:
    """Mark the labels that are no numbers, as the style sees it that reads the most of them."""
    misfits = [~matching(texts, style.pattern) for style in styles]
    return min(misfits, key=np.count_nonzero)


def matching(texts: Any, pattern: str) -> NDArray[np.bool_]:
    """Mark the labels that match."""
    matches = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return np.asarray(matches, dtype=np.bool_)


def dates_of(texts: Any) -> pd.Series:
    """Read labels as dates, NaT where they are none; the day comes first unless they disprove it.

    Where 1/2/2020 can be read both ways throughout, the month comes first after American use.
    """
    texts = pc.replace_substring_regex(texts, r"(\.\d{6})\d+", r"\1")
    texts = pc.replace_substring_regex(texts, r" ?UTC$", "Z")
    readable = matching(texts, f"({_YEAR_FIRST}|{_YEAR_LAST}){_TIME}")
    if not readable.any():
        return pd.Series(pd.NaT, index=range(len(texts)), dtype="datetime64[us]")
    day_first = some(texts, r"^(1[3-9]|[23]\d)[-/.]\d{1,2}[-/.]") or not (
        some(texts, r"^\d{1,2}[-/.](1[3-9]|[23]\d)[-/.]") or some(texts, r"^\d{1,2}/")
    )
    iso = pc.replace_substring_regex(texts, _YEAR_FIRST, r"\1-\2-\3")
    iso = pc.replace_substring_regex(iso, _YEAR_LAST, r"\3-\2-\1" if day_first else r"\3-\1-\2")
    candidates = pd.Series(iso.to_pandas()).where(readable)
    dates = pd.to_datetime(candidates, format="ISO8601", utc=True, errors="coerce")
    return plain_dates(dates)


def plain_dates(column: pd.Series) -> pd.Series:
    """Dates in microseconds without a time zone, converted to UTC where they have one."""
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column.astype("datetime64[us]")
