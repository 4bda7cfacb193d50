"""A file as a typed table: read, excerpt, and changed by the person who brought it."""
# ruff: noqa: S608 - identifiers are quoted or c0, t0, v0, …; texts are literals

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from distpriv.arrays import EXACT
from distpriv.display import Progress, tracked
from distpriv.errors import ReadError
from distpriv.files import File, content_of
from distpriv.tables.columns import CELLS, Column, decide, guess_writing, profile, selected, stride
from distpriv.tables.formats import open_grid, sequence
from distpriv.tables.grids import plain_cells
from distpriv.tables.layout import column_names, guess_layout, tell_layout, unique
from distpriv.tables.options import ColumnType, Notice, ReadOptions, excerpt, how_as_json
from distpriv.tables.rows import tell_row

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Reading", "frame_of", "frame_of_arrow", "in_memory", "read", "read_table", "tell_odd"]

MOST_NOTICES = 200
MOST_DROPPED = 100  # rows that one notice offers to leave out
_Db = duckdb.DuckDBPyConnection
TOO_LARGE = "The file unpacks to more than fits into memory; choose the part that is needed."


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """Hold a table as it was read."""

    options: ReadOptions  # guessed where nothing was chosen
    types: dict[str, ColumnType]
    notices: tuple[Notice, ...]
    table: pa.Table  # of int64, float64, bool, timestamps, and sorted dictionaries of text

    def __repr__(self) -> str:
        rows, columns = self.table.shape
        return f"Reading({rows} rows, {columns} columns, {len(self.notices)} notices)"

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame; :func:`distpriv.how_read` tells of it."""
        return frame_of(self.table, self.options, self.notices)


def read(
    file: File,
    options: ReadOptions | None = None,
    progress: Progress = None,
    **changes: Any,
) -> Reading:
    """Read a file as :func:`read_table` does."""
    if options is None or {"member", "delimiter"} & changes.keys():
        start, fixed = ReadOptions(), frozenset(changes)
    else:
        start, fixed = options, frozenset(ReadOptions.__dataclass_fields__)
    try:
        return _read(content_of(file), start.changed(**changes), fixed, progress)
    except (MemoryError, duckdb.OutOfMemoryException):
        raise ReadError(TOO_LARGE) from None


def in_memory() -> duckdb.DuckDBPyConnection:
    """Open a database in memory that writes nothing to disk and loads nothing from the net."""
    off = "autoinstall_known_extensions", "autoload_known_extensions"
    return duckdb.connect(config={"threads": 2, "temp_directory": "", **dict.fromkeys(off, False)})


def _read(data: bytes, options: ReadOptions, fixed: frozenset[str], progress: Progress) -> Reading:
    grid = open_grid(data, options, fixed)
    del data
    options, notices = grid.options, list(grid.notices)
    rows = grid.cells.append_column("rn", sequence(1, len(grid.cells) + 1))
    if grid.names:
        names, more = unique([" ".join(name.split()) for name in grid.names])
    else:
        options = guess_layout(grid.cells, options, fixed)
        names, more = column_names(grid.cells, options)
        notices += tell_layout(grid.cells, options)
        rows = _records(rows, options)
    notices += more
    if options.drop:
        text = f"{len(options.drop)} rows between records were left out, as row {options.drop[0]}."
        notices.append(Notice(text, changes=(("drop", ()),)))
    if not len(rows):
        raise ReadError("The table has no records below its names; choose one that has.")
    step = stride(len(rows), len(names))
    some = rows if step == 1 else rows.take(sequence(0, len(rows), step))
    columns = profile(some, grid.kinds, names, step)
    columns = [c for c in columns if grid.names or c.present or not c.name.startswith("column ")]
    options = guess_writing(columns, options, fixed)
    macros = decide(columns, options)
    with in_memory() as db:
        db.register("records", rows)
        db.execute(macros)
        types = {column.name: column.type for column in columns}
        parts = _parts(columns, rows)
        some = tracked(parts, len(parts), "Columns", progress)
        arrays = [array for part in some for array in _typed(db, part, rows)]
        for column, array in zip(columns, arrays, strict=True):
            count = len(array) - array.null_count
            every = column.complete and column.step == 1 and column.count(column.labels)
            if column.plural and array.null_count and every != count:
                cells = f"(SELECT rn, {column.text} AS {column.source} FROM records)"
                tell_odd(db, column, cells, count, options.drop)
        notices += [notice for column in columns for notice in column.notices]
        notices += _tell_absent(columns, arrays)
    table = pa.table(arrays, names=list(types))
    return Reading(options, types, tuple(notices[:MOST_NOTICES]), table)


def _records(rows: pa.Table, options: ReadOptions) -> pa.Table:
    """Return the rows that are records: those in range that are not blank."""
    last = len(rows) - options.last
    rows = rows.slice(options.first - 1, max(0, last - options.first + 1))
    *cells, numbers = rows.columns
    keep = reduce(pc.or_, map(pc.is_valid, cells))
    if options.drop:
        keep = pc.and_not(keep, pc.is_in(numbers, pa.array(options.drop)))
    return rows if pc.all(keep).as_py() else rows.filter(keep)


def _parts(columns: list[Column], rows: pa.Table) -> list[list[Column]]:
    """Take so many columns that neither their values nor planning takes much."""
    size = max(1, min(100, 4_000_000 // len(rows)))
    return [columns[at : at + size] for at in range(0, len(columns), size)]


def _typed(db: _Db, columns: list[Column], rows: pa.Table) -> list[pa.Array]:
    """Read the values of columns, in the order of the records."""
    db.register("part", rows.select(["rn", *dict.fromkeys(one.cell for one in columns)]))
    cells = db.sql(selected("part", {f"v{one.place}": one for one in columns})).to_arrow_table()
    if not cells["rn"].equals(rows["rn"]):
        cells = cells.sort_by("rn")
    return list(map(_arrow, cells.columns[1:], [column.type for column in columns]))


def tell_odd(
    db: _Db, column: Column, cells: str, count: int, drop: Sequence[int] | None = None
) -> None:
    """Tell of values that a column of numbers or dates does not take: they are missing.

    `count` are taken; rows that are left out already can be told by `drop`, records by None.
    """
    where = f"{column.source} IS NOT NULL AND ({column.sql}) IS NULL"
    query = f"SELECT rn, {column.source}, count(*) OVER () FROM {cells} WHERE {where}"
    odd = db.execute(f"{query} ORDER BY rn LIMIT {MOST_DROPPED + 1}").fetchall()
    if not odd:
        return
    row = "record" if drop is None else "row"
    some = "; ".join(f"{row} {rn} is {excerpt(text)}" for rn, text, _ in odd[:3])
    some += " …" if len(odd) > 3 else ""
    changes: dict[str, object] = {"types": {column.name: "category"}}
    if drop is not None and len(odd) <= MOST_DROPPED:
        changes = {"drop": [*drop, *(rn for rn, *_ in odd)]}
    column.tell(
        f"{count} of {count + odd[0][2]} values of {column.name!r} are {column.plural}, but "
        f"{some}: they were read as missing.",
        **changes,
    )


def _tell_absent(columns: list[Column], arrays: list[pa.Array]) -> list[Notice]:
    """Tell of columns that are missing for all records of a label, as if one sex was asked."""
    gaps = [at for at, array in enumerate(arrays) if array.null_count]
    gaps = gaps[: max(1, CELLS // len(arrays[0]))]
    present = np.array([pc.is_valid(arrays[at]).to_numpy(zero_copy_only=False) for at in gaps])
    absences: dict[str, list[str]] = {}
    for by, array in zip(columns, arrays, strict=True) if gaps else ():
        coded = array.dictionary_encode() if by.type == "boolean" else array
        if not pa.types.is_dictionary(coded.type) or not 1 < len(coded.dictionary) <= 20:
            continue
        codes = coded.indices.fill_null(-1).to_numpy()
        groups = [present[:, codes == k] for k in range(len(coded.dictionary))]
        sizes = np.array([group.shape[1] for group in groups])
        absent = np.array([~group.any(axis=1) for group in groups]).T & (sizes > 4)
        for at, labels in zip(gaps, absent, strict=True):
            if labels.any() and not labels.all():
                names = coded.dictionary.filter(pa.array(labels)).to_pylist()
                listed = ", ".join(map(excerpt, names[:3]))
                where = f"all {sizes[labels].sum()} records with {by.name} = {listed}"
                absences.setdefault(where, []).append(columns[at].name)
    return [
        Notice(
            f"Missing in {where}: {', '.join(map(repr, names[:5]))}"
            f"{f' and {len(names) - 5} other columns' if len(names) > 5 else ''}. Their statistics "
            "leave these records out.",
            names[0],
        )
        for where, names in absences.items()
    ]


def _arrow(cells: pa.Array | pa.ChunkedArray, kind: ColumnType) -> pa.Array:
    """Cast a column to the one type that its kind has."""
    column = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    if kind == "number":
        return _number(column)
    if kind == "date":
        return column.cast(pa.timestamp("us"))
    if kind == "boolean":
        return column.cast(pa.bool_())
    coded = column.cast(pa.string()).dictionary_encode()
    order = pc.sort_indices(coded.dictionary)
    ranks = pc.sort_indices(order).cast(pa.int32())
    return pa.DictionaryArray.from_arrays(
        ranks.take(coded.indices), coded.dictionary.take(order), ordered=False
    )


def _number(column: pa.Array) -> pa.Array:
    """Cast whole numbers to int64, if none is missing; others to float64."""
    whole = not column.null_count
    if whole and pa.types.is_floating(column.type):
        whole = pc.max(pc.abs(column)).as_py() <= EXACT
        whole = whole and pc.all(pc.equal(column, pc.floor(column))).as_py()
    return column.cast(pa.int64() if whole else pa.float64())


def frame_of(table: pa.Table, options: ReadOptions, notices: tuple[Notice, ...]) -> pd.DataFrame:
    """Return a table as a DataFrame that tells how it was read: ``attrs["distpriv"]`` is JSON."""
    frame = _frame(table)
    frame.attrs["distpriv"] = how_as_json(options, (*notices, *tell_row(frame)))
    return frame


def frame_of_arrow(data: Any) -> pd.DataFrame:
    """Return what Arrow's C stream offers, as a table of Polars does, typed as `read_table` does.

    Nested values stay as they are. ReadError if it is no table, or two columns have one name.
    """
    try:
        table = pa.table(data)
    except (pa.ArrowException, TypeError, ValueError):
        raise ReadError(f"The {type(data).__name__} has no columns; pass a table.") from None
    for name in table.column_names:
        if table.column_names.count(name) > 1:
            raise ReadError(f"Two columns are called {name!r}; give each a name of its own.")
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        plain = plain_cells(column)
        columns[name] = _arrow(*plain) if plain else column
    return _frame(pa.table(columns))


def _frame(table: pa.Table) -> pd.DataFrame:
    """Make text category, numbers int64 or float64, dates datetime64[us], booleans bool.

    Booleans of which some are missing are category.
    """
    import pandas as pd

    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            array = column.combine_chunks()
            codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            labels = pd.Index(array.dictionary.to_pylist(), dtype=object).astype("str")
            columns[name] = pd.Series(pd.Categorical.from_codes(codes, labels))
        else:
            columns[name] = column.to_pandas()
            if pa.types.is_boolean(column.type) and column.null_count:
                columns[name] = columns[name].astype("category")
    return pd.DataFrame(columns)


def read_table(
    file: File,
    options: ReadOptions | None = None,
    *,
    progress: Progress = None,
    **changes: Any,
) -> pd.DataFrame:
    r"""Read a CSV, Excel or Parquet file as a DataFrame.

    What is not chosen is guessed, with a notice where it may be otherwise.

    Parameters
    ----------
    file : path, bytes, open file or str
        A str that has a line break is the table's text, any other one a path.
    options : ReadOptions, optional
        All that decides how it is read; nothing is guessed then.
    progress : bool or callable, optional
        Whether to show how far it is, or a function of columns done and of all; by default a line
        on a terminal after a second.
    **changes
        Single options: ``read_table(path, decimal=",", types={"zip": "category"})``. Of another
        member or with another delimiter, all else is guessed anew. They are the fields of
        :class:`distpriv.tables.ReadOptions`: member, delimiter, quote, escape, decimal, thousands,
        header, first, last, drop, missing, types, split and day_first.

    Returns
    -------
    DataFrame
        One row a record; :func:`distpriv.how_read` returns how it was read.

    Raises
    ------
    ReadError
        Says what is wrong, where, and what to do.

    Examples
    --------
    >>> table = dp.read_table("name;pay\nAnn;1,5\nBob;2,5\nCid;4,0\n")
    >>> table["pay"].mean().round(2)
    np.float64(2.67)
    """
    return read(file, options, progress, **changes).to_frame()
