"""Files read as typed tables; a table's types, its digest and a summary of its columns."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import TableError
from distpriv.tables.labels import MISSING_TOKENS, labels_of, shown, string_array
from distpriv.tables.loading import READING, check_choices, how_read, load
from distpriv.tables.parsing import MAX_BYTES, parse, too_large
from distpriv.tables.repairs import Choices, RepairKind
from distpriv.tables.types import ColumnType, check_types, convert, infer_type

__all__ = [
    "ColumnType",
    "column_types",
    "digest",
    "how_read",
    "read_table",
    "retype",
    "summarise",
    "typed",
]

_TYPES = "column_types"


@checked(TableError)
def read_table(
    source: str | os.PathLike[str] | bytes | IO[bytes],
    *,
    name: str | None = None,
    types: Mapping[str, ColumnType] | None = None,
    member: str = "",
    header: bool = True,
    undo: Sequence[RepairKind] = (),
    missing: Mapping[str, Sequence[str]] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    progress: Callable[[float], object] | None = None,
) -> pd.DataFrame:
    """Read a file as a typed table, and do what has to be done so that it can be read.

    The content decides how a file is read, not its name: delimited text (comma, semicolon, tab
    or ``|``; encoding and decimal comma are found out), JSON (a list of records, an object of
    columns, or split), JSON Lines, Parquet, the first sheet with data of a workbook (.xlsx, .xlsb,
    .xls, .ods), and UCI's Adult files, which get Adult's column names. Any of them may be packed
    with gzip, or lie in a zip archive, of which the largest table is read.

    Names that stand twice are numbered, nameless columns named, what short rows lack and infinite
    values are missing, nested columns are left out; :func:`how_read` tells what was done. Labels
    are stripped of blanks; blank ones, what programs write for a missing value (``NA``, ``null``,
    ``NaN``, ...) and ``?`` are missing; ``None``, ``unknown`` and the like are only among numbers,
    dates or truth values.

    Parameters
    ----------
    source : path, bytes or binary file object
        At most 512 MB unpacked, 5 million records, 2 000 columns and 100 million values.
    name : str, optional
        The file's name, for messages; by default that of the source, if it has one.
    types : mapping of column name to ColumnType, optional
        Types that are known; those of the other columns are inferred.
    member : str, optional
        The file in a zip archive, or the sheet of a workbook.
    header : bool
        Whether the first row of text or of a sheet names the columns.
    undo : sequence of RepairKind
        What is not to be done to the file; ``distpriv.tables.repairs.REPAIRS`` says what is then.
    missing : mapping of column to texts, optional
        What stands for a missing value in a column beside blanks, in place of the usual.
    bounds : mapping of column to (lowest, highest), optional
        Numbers outside are taken as missing.
    progress : callable, optional
        Is given, again and again, the share that is done, between 0 and 1.

    Returns
    -------
    DataFrame, shape (N, m)
        N and m are at least 1; the column names are distinct, stripped and not blank.

    Raises
    ------
    TableError
        If the file is no such table; the message says what is wrong, where, and what to do.

    Examples
    --------
    >>> read_table(b"age;income\\n39;1,5\\n50;2,25\\n")["income"].tolist()
    [1.5, 2.25]
    """
    title = name or _name_of(source)
    try:
        choices = Choices(
            member=member,
            header=header,
            undo=tuple(undo),
            missing=tuple((key, tuple(texts)) for key, texts in (missing or {}).items()),
            bounds=tuple(
                (key, float(low), float(high)) for key, (low, high) in (bounds or {}).items()
            ),
        )
        check_choices(choices)
        first, second = _halves(progress)
        # Not kept under a name: of a large file it goes while its columns are made.
        table, decided = load(parse(_content(source), choices, first), choices, types or {}, second)
    except TableError as error:
        message = str(error)
        prefix = f"{shown(title)}: " if title else ""
        raise TableError(
            prefix + (message if title else message[:1].upper() + message[1:])
        ) from None
    return typed(table, decided)


def _halves(
    progress: Callable[[float], object] | None,
) -> tuple[Callable[[float], object] | None, Callable[[float], object] | None]:
    """For the text and for its columns, which take about as long."""
    if progress is None:
        return None, None
    return lambda share: progress(share / 2), lambda share: progress((1 + share) / 2)


def typed(table: pd.DataFrame, types: Mapping[str, ColumnType]) -> pd.DataFrame:
    """The table, with the types of its columns noted on it."""
    table.attrs[_TYPES] = dict(types)
    return table


def _name_of(source: object) -> str | None:
    found = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    return Path(found).name if isinstance(found, str | os.PathLike) else None


def _content(source: Any) -> bytes:
    if isinstance(source, bytes | bytearray | memoryview):
        content: object = bytes(source)
    elif isinstance(source, str | os.PathLike):
        content = _file_content(source)
    elif hasattr(source, "getvalue"):
        # An upload may have been read before; its value does not depend on that.
        content = source.getvalue()
    elif hasattr(source, "read"):
        content = source.read(MAX_BYTES + 1)
    else:
        raise TableError("there is nothing to read; give a path, bytes or a binary file.")
    if not isinstance(content, bytes):
        raise TableError("the file gives characters and not bytes; open it in binary mode.")
    if len(content) > MAX_BYTES:
        raise too_large()
    return content


def _file_content(path: str | os.PathLike[str]) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise TableError("there is no such file; check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not valid"
        raise TableError(f"the file cannot be opened ({reason}); check the path.") from None


@checked(TableError)
def column_types(table: pd.DataFrame) -> dict[str, ColumnType]:
    """Tell the type of every column.

    Parameters
    ----------
    table : DataFrame, shape (N, m)
        A table from `read_table`, or any other: types that are not stored, or that do not go
        with the column's dtype any more, are inferred from dtype and content.

    Returns
    -------
    dict of str to ColumnType
        One entry a column, in the order of the columns.

    Raises
    ------
    TableError
        If two columns have the same name.
    """
    _check_distinct(table)
    stored = table.attrs.get(_TYPES)
    known = stored if isinstance(stored, Mapping) else {}
    return {
        str(name): known[name]
        if _fits(column.dtype, known.get(name))
        else infer_type(str(name), _settled(column))
        for name, column in _columns(table)
    }


def _columns(table: pd.DataFrame) -> Iterable[tuple[Any, pd.Series]]:
    """Names and columns, without the `attrs` that pandas copies along with every single one."""
    bare = table.copy(deep=False)
    bare.attrs = {}
    return bare.items()


def _check_distinct(table: pd.DataFrame) -> None:
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise TableError(
            f"Two columns are called {shown(twice)}; give every column a name of its own."
        )


def _fits(dtype: Any, kind: object) -> bool:
    types = pd.api.types
    if kind == "number":
        return types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)
    if kind == "boolean":
        return types.is_bool_dtype(dtype)
    if kind == "date":
        return types.is_datetime64_any_dtype(dtype)
    if kind == "category":
        return isinstance(dtype, pd.CategoricalDtype)
    return kind in ("identifier", "text") and isinstance(dtype, pd.StringDtype)


def _settled(column: pd.Series) -> pd.Series:
    return column.infer_objects() if column.dtype == object else column


@checked(TableError)
def retype(table: pd.DataFrame, types: Mapping[str, ColumnType]) -> pd.DataFrame:
    """Give some columns another type.

    Parameters
    ----------
    table : DataFrame, shape (N, m)
        Is left as it is.
    types : mapping of column name to ColumnType
        The columns to change.

    Returns
    -------
    DataFrame, shape (N, m)
        A new table; missing values stay missing.

    Raises
    ------
    TableError
        If a value cannot be converted (the message names the column, the first such record,
        counted from 1, and the value), or for an unknown column or type.
    """
    check_types(types, table.columns)
    decided = column_types(table) | dict(types)
    result = table.copy()
    # What of a file's labels is missing has been settled: "NA" may be an answer.
    answers = ("",) if READING in table.attrs else MISSING_TOKENS
    for name, kind in types.items():
        result[name] = convert(name, table[name], kind, labels_of(table[name], answers))
    result.attrs[_TYPES] = decided
    return result


@checked(TableError)
def digest(table: pd.DataFrame) -> str:
    """Digest the whole content of a table: names, dtypes, every value and their order.

    The index and ``attrs`` are no part of it. Missing values of a column are all alike, and so
    are 0.0 and -0.0.

    Parameters
    ----------
    table : DataFrame, shape (N, m)

    Returns
    -------
    str
        64 hexadecimal digits (BLAKE2b, 256 bits).
    """
    state = hashlib.blake2b(digest_size=32)
    _feed(state, repr(table.shape).encode())
    for name, column in _columns(table):
        _feed(state, repr(name).encode())
        _feed_values(state, column.array)
    return state.hexdigest()


def _feed(state: Any, part: bytes | NDArray[Any]) -> None:
    """Add one part with its length, so that no two lists of parts give the same stream."""
    content = part if isinstance(part, bytes) else np.ascontiguousarray(part).view(np.uint8)
    state.update(len(content).to_bytes(8, "little"))
    state.update(content)


def _feed_values(state: Any, values: Any) -> None:
    dtype = values.dtype
    plain = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)
    if isinstance(dtype, pd.CategoricalDtype):
        _feed(state, f"category {dtype.ordered}".encode())
        _feed_values(state, dtype.categories.array)
        _feed(state, values.codes.astype("<i4"))
    elif isinstance(dtype, pd.StringDtype):
        _feed(state, b"str")
        _feed_texts(state, values)
    elif plain is not None and plain.kind in "biufmM":
        _feed(state, str(dtype).encode())
        if plain is not dtype:
            _feed(state, np.asarray(values.isna()))
            values = values.fillna(plain.type(0))
        _feed(state, _canonical(values.to_numpy(dtype=plain)))
    else:
        _feed(state, str(dtype).encode())
        texts = [None if pd.isna(value) is True else f"{type(value)}{value!r}" for value in values]
        _feed_texts(state, pd.array(np.array(texts, dtype=object), dtype="str"))


def _canonical(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind != "f":
        return values
    return np.where(np.isnan(values), values.dtype.type(np.nan), values + values.dtype.type(0))


def _feed_texts(state: Any, values: Any) -> None:
    texts = string_array(values)
    _feed(state, pc.fill_null(pc.binary_length(texts), -1).to_numpy())
    filled = texts.fill_null("")
    _, offsets, content = filled.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[filled.offset : filled.offset + len(filled) + 1]
    _feed(state, np.frombuffer(content or b"", dtype=np.uint8)[ends[0] : ends[-1]])


@checked(TableError)
def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Describe every column in one row.

    Parameters
    ----------
    table : DataFrame, shape (N, m)

    Returns
    -------
    DataFrame, shape (m, 5)
        ``column``, ``type``, ``missing`` and ``distinct`` (counts), and ``example``: the range
        of numbers and dates, the commonest labels, or the first value.
    """
    rows = []
    for (name, column), kind in zip(_columns(table), column_types(table).values(), strict=True):
        missing = int(column.isna().sum())
        rows.append((name, kind, missing, column.nunique(), _example(column, kind)))
    return pd.DataFrame(rows, columns=["column", "type", "missing", "distinct", "example"])


def _example(column: pd.Series, kind: ColumnType) -> str:
    present = column.dropna()
    if present.empty:
        return ""
    if kind in ("number", "date"):
        low, high = present.min(), present.max()
        return f"{_brief(low)} to {_brief(high)}"
    if kind in ("category", "boolean"):
        return ", ".join(_brief(label) for label in present.value_counts().index[:3])
    return _brief(present.iloc[0])


def _brief(value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return str(value.date() if value == value.normalize() else value)
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
