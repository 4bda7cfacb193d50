"""A file as a typed table: read, shown, and changed by the person who brought it."""
# ruff: noqa: S608 - identifiers are quoted or c0, t0, v0, …; texts are literals

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from distpriv.errors import ReadError
from distpriv.tables.columns import Column, decide, guess_writing, literal, profile, quoted
from distpriv.tables.formats import EXACT, open_grid
from distpriv.tables.layout import column_names, guess_layout, tell_layout, unique
from distpriv.tables.options import ColumnType, Notice, ReadOptions
from distpriv.tables.rows import tell_row

if TYPE_CHECKING:
    import os

    import pandas as pd

__all__ = ["Reading", "frame_of", "how_read", "read", "read_table"]

MOST_NOTICES = 200
MOST_DROPPED = 100  # rows that one notice offers to leave out
TOO_LARGE = "The file unpacks to more than fits into memory; choose the part that is needed."


@dataclass(frozen=True, eq=False)
class Reading:
    """Hold a table as it was read.

    Attributes
    ----------
    options : ReadOptions
        What it was read with, guessed where nothing was chosen.
    types : dict of column to ColumnType
    notices : tuple of Notice
    rows : int
        Number of records.
    select : str
        SQL in DuckDB's dialect that reads the records of the file's cells: the same for a table in
        memory and for one that stays where it is.
    """

    options: ReadOptions
    types: dict[str, ColumnType]
    notices: tuple[Notice, ...]
    rows: int
    select: str
    _db: duckdb.DuckDBPyConnection = field(repr=False)

    def __repr__(self) -> str:
        return f"Reading({self.rows} rows, {len(self.types)} columns, {len(self.notices)} notices)"

    def to_arrow(self) -> pa.Table:
        """Return the table as Arrow: int64, float64, bool, timestamps, and sorted dictionaries."""
        values = ", ".join(f"v{place}" for place in range(len(self.types)))
        table = self._db.sql(f"SELECT {values} FROM typed ORDER BY rn").to_arrow_table()
        columns = [
            _arrow(column.combine_chunks(), kind)
            for column, kind in zip(table.columns, self.types.values(), strict=True)
        ]
        return pa.table(columns, names=list(self.types))

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame; :func:`how_read` tells of it."""
        return frame_of(self.to_arrow(), self.options, self.notices)


def read(
    source: bytes | str | os.PathLike[str], options: ReadOptions | None = None, **changes: Any
) -> Reading:
    """Read a file; what is not chosen is guessed, with a notice where it may be otherwise.

    Parameters
    ----------
    source : bytes or path
    options : ReadOptions, optional
        All that decides how it is read; nothing is guessed then.
    **changes
        Single options, as of :class:`ReadOptions`. Of another member or with another delimiter, all
        else is guessed anew.

    Raises
    ------
    ReadError
        Says what is wrong, where, and what to do.
    """
    if options is None or {"member", "delimiter"} & changes.keys():
        start, fixed = ReadOptions(), frozenset(changes)
    else:
        start, fixed = options, frozenset(ReadOptions.__dataclass_fields__)
    try:
        return _read(_bytes(source), start.changed(**changes), fixed)
    except (MemoryError, duckdb.OutOfMemoryException):
        raise ReadError(TOO_LARGE) from None


def _bytes(source: bytes | str | os.PathLike[str]) -> bytes:
    if isinstance(source, bytes):
        return source
    path = Path(source)
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "it is no file").lower()
        raise ReadError(f"{path.name} cannot be opened ({reason}); check its name.") from None


def _connect() -> duckdb.DuckDBPyConnection:
    """Open a database in memory that writes nothing to disk and loads nothing from the net."""
    off = "autoinstall_known_extensions", "autoload_known_extensions"
    return duckdb.connect(config={"threads": 2, "temp_directory": "", **dict.fromkeys(off, False)})


def _read(data: bytes, options: ReadOptions, fixed: frozenset[str]) -> Reading:
    db = _connect()
    grid = open_grid(db, data, options, fixed)
    options, notices, where = grid.options, list(grid.notices), "true"
    if grid.names:
        names, more = unique([" ".join(name.split()) for name in grid.names])
    else:
        width = len(grid.kinds)
        options = guess_layout(db, width, options, fixed)
        names, more = column_names(db, width, options)
        notices += tell_layout(db, width, options)
        where = _where(db, width, options)
    notices += more
    blanks = f", {literal(grid.blanks)}" if grid.blanks != " " else ""
    cells = ", ".join(
        f"nullif(trim(c{i}{blanks}), '') AS c{i}" if kind == "text" else f"c{i}"
        for i, kind in enumerate(grid.kinds)
    )
    db.execute(f"CREATE TEMP VIEW records AS SELECT rn, {cells} FROM grid WHERE {where}")
    ((rows,),) = db.execute("SELECT count(*) FROM records").fetchall()
    if not rows:
        raise ReadError("The table has no records below its names; choose one that has.")
    columns = profile(db, grid.kinds, names)
    columns = [c for c in columns if grid.names or c.present or not c.name.startswith("column ")]
    for name, _ in (*options.missing, *options.types):
        if name not in names:
            raise ReadError(f"The table has no column {name!r}; read it without options for that.")
    options = guess_writing(columns, options, fixed)
    decide(db, columns, options)
    texts = ", ".join(f"{column.text} AS {column.source}" for column in columns)
    db.execute(f"CREATE TEMP VIEW texts AS SELECT rn, {texts} FROM records")
    values = ", ".join(f"{column.sql} AS v{i}" for i, column in enumerate(columns))
    db.execute(f"CREATE TEMP TABLE typed AS SELECT rn, {values} FROM texts")
    _tell_odd(db, columns)
    notices += [notice for column in columns for notice in column.notices]
    types = {column.name: column.type for column in columns}
    notices += _tell_absent(db, types)
    values = ", ".join(f"{column.sql} AS {quoted(column.name)}" for column in columns)
    select = f"SELECT rn, {values} FROM (SELECT rn, {texts} FROM records)"
    return Reading(options, types, tuple(notices[:MOST_NOTICES]), rows, select, db)


def _where(db: duckdb.DuckDBPyConnection, width: int, options: ReadOptions) -> str:
    """Write the condition of rows that are records: those in range that are not blank."""
    ((count,),) = db.execute("SELECT count(*) FROM grid").fetchall()
    where = f"rn BETWEEN {options.first} AND {count - options.last}"
    if options.drop:
        where += f" AND rn NOT IN ({', '.join(map(str, options.drop))})"
    return f"{where} AND ({' OR '.join(f'c{place} IS NOT NULL' for place in range(width))})"


def _tell_odd(db: duckdb.DuckDBPyConnection, columns: list[Column]) -> None:
    """Tell of values that a column of numbers or dates does not take: they are missing."""
    measured = [(f"v{i}", column) for i, column in enumerate(columns) if column.plural]
    counts = ", ".join(["count(*)", *(column.check.format(name) for name, column in measured)])
    ((rows, *read),) = db.execute(f"SELECT {counts} FROM typed").fetchall()
    gaps = [(c, count) for (_, c), count in zip(measured, read, strict=True) if count < rows]
    if not gaps:
        return
    texts = ", ".join(f"count({column.source})" for column, _ in gaps)
    (totals,) = db.execute(f"SELECT {texts} FROM texts").fetchall()
    for (column, count), total in zip(gaps, totals, strict=True):
        if total == count:
            continue
        odd = db.execute(
            f"SELECT rn, {column.source} FROM texts WHERE {column.source} IS NOT NULL "
            f"AND ({column.sql}) IS NULL LIMIT {MOST_DROPPED + 1}"
        ).fetchall()
        some = "; ".join(f"row {rn} is {text[:40]!r}" for rn, text in odd[:3])
        some += " …" if len(odd) > 3 else ""
        column.tell(
            f"{count} of {total} values of {column.name!r} are {column.plural}, but {some}: they "
            "were read as missing.",
            **({"drop": [rn for rn, _ in odd]} if len(odd) <= MOST_DROPPED else {}),
        )


def _tell_absent(db: duckdb.DuckDBPyConnection, types: dict[str, ColumnType]) -> list[Notice]:
    """Tell of columns that are missing for all records of a label, as if one sex was asked."""
    notices = []
    names = list(types)
    places = [i for i, kind in enumerate(types.values()) if kind in ("category", "boolean")][:20]
    counts = ", ".join(f"count(v{i})" for i in range(len(names)))
    for place in places:
        by = f"v{place}"
        rows = db.execute(
            f"SELECT {by}, count(*), {counts} FROM typed WHERE {by} IS NOT NULL GROUP BY 1 LIMIT 21"
        ).fetchall()
        if not 1 < len(rows) <= 20:
            continue
        for other, name in enumerate(names):
            absent = sorted(str(r[0]) for r in rows if r[1] > 4 and r[2 + other] == 0)
            if absent and len(absent) < len(rows) and other != place:
                listed = ", ".join(map(repr, absent[:3]))
                text = (
                    f"{name!r} is missing in every record with {names[place]} = {listed}: its "
                    "statistics leave them all out."
                )
                notices.append(Notice(text, name))
    return notices


def _arrow(column: pa.Array, kind: ColumnType) -> pa.Array:
    """Cast a column to the one type that its kind has."""
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
    if column.null_count:
        return column.cast(pa.float64())
    if pa.types.is_floating(column.type):
        ends = pc.min_max(pc.abs(column)).as_py()
        if (ends["max"] or 0) > EXACT or not pc.all(pc.equal(column, pc.floor(column))).as_py():
            return column.cast(pa.float64())
    return column.cast(pa.int64())


def frame_of(table: pa.Table, options: ReadOptions, notices: tuple[Notice, ...]) -> pd.DataFrame:
    """Return Arrow's table as a DataFrame that tells how it was read.

    Text is category, booleans bool (category where some are missing), numbers int64 or float64,
    dates datetime64[us]; ``attrs["distpriv"]`` is plain JSON.
    """
    import pandas as pd

    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if pa.types.is_dictionary(kind):
            array = column.combine_chunks()
            codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            labels = pd.Index(array.dictionary.to_pylist(), dtype=object).astype("str")
            columns[name] = pd.Series(pd.Categorical.from_codes(codes, labels))
        elif pa.types.is_boolean(kind):
            values = column.to_pandas()
            columns[name] = values.astype("category" if column.null_count else "bool")
        elif pa.types.is_timestamp(kind):
            columns[name] = column.to_pandas().astype("datetime64[us]")
        else:
            columns[name] = column.to_pandas()
    frame = pd.DataFrame(columns)
    frame.attrs["distpriv"] = how_as_json(options, (*notices, *tell_row(frame)))
    return frame


def how_as_json(options: ReadOptions, notices: tuple[Notice, ...]) -> dict[str, Any]:
    """Return options and notices as plain JSON: ``{"options": …, "notices": […]}``."""
    listed = [{"text": n.text, "column": n.column, "changes": n.changes} for n in notices]
    return json.loads(json.dumps({"options": options.arguments(), "notices": listed}))


def how_from_json(value: dict[str, Any]) -> tuple[ReadOptions, tuple[Notice, ...]]:
    """Return options and notices from what :func:`how_as_json` writes."""
    notices = tuple(Notice(**notice) for notice in value["notices"])
    return ReadOptions().changed(**value["options"]), notices


def how_read(frame: pd.DataFrame) -> tuple[ReadOptions, tuple[Notice, ...]]:
    """Return the options that a table of :func:`read_table` was read with, and the notices.

    Raises
    ------
    ReadError
        If the table was not read by it.
    """
    if "distpriv" not in frame.attrs:
        raise ReadError("This table was not read by read_table, so nothing is noted of it.")
    return how_from_json(frame.attrs["distpriv"])


def read_table(
    source: bytes | str | os.PathLike[str] | IO[str] | IO[bytes],
    options: ReadOptions | None = None,
    **changes: Any,
) -> pd.DataFrame:
    """Read a CSV, Excel or Parquet file as a DataFrame.

    Parameters
    ----------
    source : bytes, path or open file
        A path in text, never a table's text.
    options : ReadOptions, optional
        As of :func:`read`.
    **changes
        As of :func:`read`: ``read_table(path, decimal=",", types={"zip": "category"})``.

    Returns
    -------
    DataFrame
        One row a row of the file; :func:`how_read` returns how it was read.

    Raises
    ------
    ReadError
        Says what is wrong, where, and what to do.
    """
    if isinstance(source, io.IOBase) or hasattr(source, "read"):
        content = source.read()
        source = content.encode() if isinstance(content, str) else bytes(content)
    return read(source, options, **changes).to_frame()
