"""What looks wrong in a table and is left as it is: each told, with what may be done about it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from numpy.typing import NDArray

from distpriv.tables.labels import counted, shown, some, string_array
from distpriv.tables.types import ColumnType
from distpriv.words import exact

__all__ = ["Notice", "NoticeKind", "bounded", "header_like", "mangled", "notices", "outliers"]

NoticeKind = Literal["header", "mangled", "outliers", "bounds"]

_FEW = 20  # values that say what is usual
_FAR = 20  # widths of nine tenths of the values
_EVEN = 100_000  # values that quantiles are taken of
_MOST = 12  # notices of a kind
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = "|".join(_MONTHS)
_DAY_MONTH = rf"^(?i:(\d{{1,2}})[- /]({_MONTH})|({_MONTH})[- /](\d{{2}}))$"
_CELL_DATE = r"^\d{4}-\d{2}-\d{2}( 00:00:00|T00:00:00)$"
_RANGE = r"^\d{1,3} ?[-–/] ?\d{1,3}$"


class Notice(NamedTuple):
    """Something that looks wrong.

    Attributes
    ----------
    kind : NoticeKind
        ``"header"``: the first row may be a record; ``"mangled"``: a spreadsheet made dates of
        labels; ``"outliers"``: numbers beyond all others, with bounds that come from the data;
        ``"bounds"``: numbers outside the bounds that were set are missing.
    column : str
        Blank for the whole table.
    said : str
    low, high : float or None
        Bounds to take, or taken.
    """

    kind: NoticeKind
    column: str
    said: str
    low: float | None = None
    high: float | None = None


def notices(
    table: pd.DataFrame, types: Mapping[str, ColumnType], written: Mapping[str, str], headed: bool
) -> list[Notice]:
    """Everything that looks wrong in a table.

    Parameters
    ----------
    table : DataFrame, shape (N, m)
        Typed.
    types : mapping of column to ColumnType
    written : mapping of column to str
        What stood in the first row, where the column is called otherwise.
    headed : bool
        Whether the first row was taken for names.
    """
    told = header_like(table, types, written) if headed else []
    return [*told, *mangled(table, types), *outliers(table, types)]


def header_like(
    table: pd.DataFrame, types: Mapping[str, ColumnType], written: Mapping[str, str]
) -> list[Notice]:
    """Whether the names look like the records: numbers above all numbers, or labels above labels.

    Years and other numbers that count up are names.
    """
    names = {str(name): written.get(str(name), str(name)) for name in table.columns}
    numeric = [name for name in names if types[name] == "number"]
    if numeric:
        values = [_number(names[name]) for name in numeric]
        known = [value for value in values if value is not None]
        steps = {b - a for a, b in pairwise(known)}
        whole = all(value % 1 == 0 for value in known)
        counting = whole and len(steps) == 1 and steps != {0.0}
        alike = len(known) == len(values) and not counting
    else:
        labels = [name for name in names if types[name] in ("category", "boolean")]
        alike = len(labels) > 1 and all(_occurs(table[name], names[name]) for name in labels)
    if not alike:
        return []
    first = ", ".join(shown(name) for name in list(names.values())[:3])
    return [
        Notice(
            "header", "", f"The first row ({first}{', …' * (len(names) > 3)}) looks like a record."
        )
    ]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _occurs(column: pd.Series, name: str) -> bool:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return name in column.cat.categories
    return name.lower() in ("true", "false")


def mangled(table: pd.DataFrame, types: Mapping[str, ColumnType]) -> list[Notice]:
    """Labels that a spreadsheet seems to have made dates of, such as 25-Jun of 6-25."""
    told = []
    for key, column in table.items():
        name = str(key)
        if types[name] not in ("category", "identifier", "text"):
            continue
        texts = _texts(column)
        if not (some(texts, _DAY_MONTH) or some(texts, _CELL_DATE)):
            continue
        labels = pd.Series(pc.unique(texts).drop_null().to_pandas(), dtype="str")
        dates = labels[labels.str.match(_DAY_MONTH) | labels.str.match(_CELL_DATE)]
        ranges = labels[labels.str.match(_RANGE)]
        if not len(dates) or len(dates) == len(labels) or not len(ranges):
            continue
        first = str(dates.iloc[0])
        count = int(column.isin(list(dates)).sum())
        guess = _range_of(first)
        was = f" ({shown(first)} was perhaps {shown(guess)})" if guess else f" ({shown(first)})"
        told.append(
            Notice(
                "mangled",
                name,
                f"{counted(count, 'value')} of {shown(name)} among ranges such as "
                f"{shown(ranges.iloc[0])} {'looks' if count == 1 else 'look'} like dates"
                f" that a spreadsheet made{was}; correct them in the file.",
            )
        )
    return told[:_MOST]


def _texts(column: pd.Series) -> Any:
    """All labels of a column, and perhaps some of them more than once."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return string_array(column.cat.categories.astype("str").array)
    return string_array(column.array)


def _range_of(text: str) -> str:
    """What was typed, as far as one can tell: Excel reads 6-25 as the 25th of June."""
    if len(text) > 8 and text[:4].isdigit():
        return f"{int(text[5:7])}-{int(text[8:10])}"
    first, last = text.replace("/", "-").replace(" ", "-").split("-")
    if first.isdigit():
        return f"{_MONTHS.index(last.lower()) + 1}-{int(first)}"
    return f"{_MONTHS.index(first.lower()) + 1}-{last}"


def outliers(table: pd.DataFrame, types: Mapping[str, ColumnType]) -> list[Notice]:
    """Numbers so far from all others that they are hardly possible, and bounds that leave them out.

    What is far: 20 times as far beyond the 5 % and the 95 % quantile as these are from each
    other. The bounds lie half that distance beyond them, rounded outwards to one digit of it, and
    are not negative where hardly a value is.
    """
    told = []
    for key, column in table.items():
        name = str(key)
        if types[name] != "number":
            continue
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        values = values[~np.isnan(values)]
        if (bounds := _bounds(values)) is None:
            continue
        low, high = bounds
        count = int(((values < low) | (values > high)).sum())
        told.append(
            Notice(
                "outliers",
                name,
                f"{shown(name)} runs from {_plain(values.min())} to {_plain(values.max())}, while "
                f"nearly all values lie between {_plain(low)} and {_plain(high)}; "
                f"{count} {'does' if count == 1 else 'do'} not. These bounds come from the data: "
                "better take what you know.",
                low,
                high,
            )
        )
    return told[:_MOST]


def _bounds(values: NDArray[np.float64]) -> tuple[float, float] | None:
    if len(values) < _FEW:
        return None
    least, most = float(values.min()), float(values.max())
    even = values[:: max(1, len(values) // _EVEN)]
    first, last = (float(value) for value in np.quantile(even, [0.05, 0.95]))
    width = last - first
    far = width > 0 and (least < first - _FAR * width or most > last + _FAR * width)
    if not far or not math.isfinite(width):
        return None
    step = 10.0 ** math.floor(math.log10(width))
    low = math.floor((first - width / 2) / step) * step
    high = math.ceil((last + width / 2) / step) * step
    if first >= 0:
        low = max(low, 0.0)
    digits = max(0, -math.floor(math.log10(step)))
    return round(low, digits), round(high, digits)


def _plain(value: float) -> str:
    return exact(int(value)) if value % 1 == 0 and abs(value) < 1e15 else exact(float(value))


def bounded(
    table: pd.DataFrame, bounds: Sequence[tuple[str, float, float]]
) -> tuple[pd.DataFrame, list[Notice]]:
    """Take numbers outside bounds as missing.

    Parameters
    ----------
    table : DataFrame, shape (N, m)
        Typed; a column that holds no numbers is left as it is.
    bounds : sequence of (column, lowest, highest)

    Returns
    -------
    DataFrame
        A new one if anything has changed.
    list of Notice
        One for each column of numbers.
    """
    told = []
    for name, low, high in bounds:
        column = table[name]
        dtype = column.dtype
        if not pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
            continue
        outside = ((column < low) | (column > high)).to_numpy(dtype=bool, na_value=False)
        if outside.any():
            table = table.copy()
            table[name] = column.astype("float64").mask(outside)
        count = int(outside.sum())
        said = f"{counted(count, 'value')} of {shown(name)} outside {_plain(low)} to {_plain(high)}"
        verb = "is" if count == 1 else "are"
        told.append(Notice("bounds", name, f"{said} {verb} missing.", low, high))
    return table, told
