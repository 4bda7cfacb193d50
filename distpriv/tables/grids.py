"""Cells of a file, before it is decided which are names and what the columns are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from distpriv.arrays import EXACT, decimals
from distpriv.errors import ReadError
from distpriv.tables.options import ColumnType, Notice, ReadOptions
from distpriv.text import listed

__all__ = ["Grid", "check_width", "choose", "grid_of_columns", "grid_of_rows", "grid_of_table"]
__all__ += ["plain_cells", "text_of", "trimmed"]

MOST_COLUMNS = 2_000
_TEXTS = ("null", "time", "string", "large_string", "string_view")


class Grid(NamedTuple):
    """Hold the cells of a file, as columns ``c0``, ``c1`` and so on.

    Kinds are "number", "boolean", "date", or "text", which is still to be read: trimmed, and null
    where it is empty. Names are those that the file itself has; else there are none.
    """

    cells: pa.Table
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    options: ReadOptions
    notices: tuple[Notice, ...] = ()


def check_width(columns: int) -> None:
    """Refuse more columns than are read."""
    if columns > MOST_COLUMNS:
        raise ReadError(
            f"The table has {columns} columns and at most {MOST_COLUMNS} are read; leave out "
            "those that are not needed."
        )


def choose(name: str, names: Sequence[str], container: str, notices: list[Notice]) -> str:
    """Check the name of a part, and tell of the others."""
    if name not in names:
        raise ReadError(f"The {container} has no {name!r}; choose {listed(names[:10], 'or')}.")
    others = [other for other in names if other != name]
    if others:
        text = f"{name!r} was read; the {container} also has {listed(map(repr, others[:5]))}."
        notices.append(Notice(text, changes=(("member", others[0]),)))
    return name


def text_of(value: object) -> str | None:
    """Write a value of Python so that it reads back as the same."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return None if value is None else str(value)


def trimmed(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Trim texts, and make null of empty ones."""
    if pa.types.is_dictionary(texts.type):
        parts = [(part.indices, trimmed(part.dictionary)) for part in texts.chunks]
        if not any(labels.null_count for _, labels in parts):
            parts = [pa.DictionaryArray.from_arrays(*part) for part in parts]
            return pa.chunked_array(parts, texts.type)
        texts = texts.cast(pa.string())
    texts = pc.utf8_trim_whitespace(texts)
    filled = pc.binary_length(texts).cast(pa.bool_())
    return pc.if_else(filled, texts, pa.nulls(1, pa.string())[0])


def grid_of_columns(
    columns: Iterable[pa.Array | pa.ChunkedArray],
    options: ReadOptions,
    notices: Iterable[Notice],
    names: Sequence[str] = (),
) -> Grid:
    """Return a grid of texts, which may be coded by dictionaries."""
    cells = {f"c{place}": trimmed(column) for place, column in enumerate(columns)}
    return Grid(pa.table(cells), ("text",) * len(cells), tuple(names), options, tuple(notices))


def grid_of_rows(
    rows: Sequence[Sequence[object]],
    options: ReadOptions,
    notices: Iterable[Notice],
    names: Sequence[str] = (),
) -> Grid:
    """Return a grid of rows of any values, short ones filled up."""
    check_width(max(map(len, rows), default=0))
    if not any(rows):
        raise ReadError("The table is empty; choose one with column names and records.")
    columns = (pa.array(map(text_of, column), pa.string()) for column in zip_longest(*rows))
    return grid_of_columns(columns, options, notices, names)


def grid_of_table(table: pa.Table, options: ReadOptions, notices: Iterable[Notice]) -> Grid:
    """Return a grid of typed columns; nested and binary ones are left out, with a notice."""
    columns, names = [], []
    notes = list(notices)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if (plain := plain_cells(column)) is None:
            notes.append(Notice(f"Column {name!r} holds {column.type} and was left out.", name))
        else:
            columns.append(plain)
            names.append(name)
    if not columns or not table.num_rows:
        raise ReadError("The table has no records in columns that can be read; choose another.")
    cells = {f"c{place}": column for place, (column, _) in enumerate(columns)}
    kinds = tuple(kind for _, kind in columns)
    return Grid(pa.table(cells), kinds, tuple(names), options, tuple(notes))


def plain_cells(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, ColumnType] | None:
    """Cast a column to a type that DuckDB reads, and say its kind; None for nested and binary."""
    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        # Of views, as Polars has them, Arrow can take nothing before they are texts.
        plain = pa.string() if kind.value_type == pa.string_view() else kind.value_type
        parts = [part.dictionary.cast(plain).take(part.indices) for part in column.chunks]
        return plain_cells(pa.chunked_array(parts, plain))
    if types.is_integer(kind):
        ends = pc.min_max(column).as_py()
        if max(abs(ends["min"] or 0), abs(ends["max"] or 0)) <= EXACT:
            return column.cast(pa.int64()), "number"
        return column.cast(pa.string()), "text"  # so many digits name something
    if types.is_float32(kind):
        column = column.combine_chunks()
        numbers = decimals(column.fill_null(0).to_numpy())
        exact = pa.Array.from_buffers(pa.float64(), len(numbers), [None, pa.py_buffer(numbers)])
        return pc.if_else(column.is_valid(), exact, pa.nulls(1, pa.float64())[0]), "number"
    if types.is_floating(kind) or types.is_decimal(kind):
        return column.cast(pa.float64()), "number"
    if types.is_date(kind) or types.is_timestamp(kind):
        return column.cast(pa.timestamp("us"), safe=False), "date"
    if types.is_boolean(kind):
        return column, "boolean"
    if any(getattr(types, f"is_{text}")(kind) for text in _TEXTS):
        return trimmed(column.cast(pa.string())), "text"
    return None
