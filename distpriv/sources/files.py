"""Parquet and CSV files that stay on disk, read as `read_table` reads them."""
# ruff: noqa: S608 - names are quoted, and paths are literals

from __future__ import annotations

import glob
import gzip
import math
import os
import re
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from distpriv.errors import ReadError
from distpriv.sources.engine import Engine, EngineSource
from distpriv.sources.sql import EXACT, Cell, Kind
from distpriv.tables.columns import (
    Column,
    decide,
    guess_writing,
    literal,
    profile,
    quoted,
    selected,
    stride,
)
from distpriv.tables.formats import open_grid
from distpriv.tables.layout import column_names, guess_layout, tell_layout, unique
from distpriv.tables.options import Notice, ReadOptions
from distpriv.tables.read import in_memory

__all__ = ["scan"]

_HEAD, _TAIL = 1 << 20, 1 << 14  # bytes at both ends of a text, which show its layout
_FEW = 200  # labels
_ENDINGS = re.compile(r"\.(parquet|pq|csv|tsv|txt)(\.gz)?", re.IGNORECASE)
_HIDDEN = re.compile(r"(^|/)[._]")
_INDEX = re.compile(r"__index_level_\d+__")  # row labels that pandas adds to Parquet files
_BLANK = r"[\pZ\s\v\x1c-\x1f\x85]+"
_TRIMMED = f"nullif(regexp_replace(CAST({{0}} AS VARCHAR), '^{_BLANK}|{_BLANK}$', '', 'g'), '')"
_OTHERS = b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\xff\xfe", b"\xfe\xff"
_COUNTED = "row_number() OVER () - 1"
_PLACE = '"number of the row"'
_KINDS: dict[str, Kind] = {"number": "number", "boolean": "boolean", "date": "date"}
# SQL that makes a type of DuckDB one that `read_table` knows, and its kind there.
_TYPES = {
    r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?": ("CAST({0} AS BIGINT)", "number"),
    r"FLOAT\w*|DOUBLE|DECIMAL.*": ("CAST({0} AS DOUBLE)", "number"),
    r"DATE|TIMESTAMP(_\w+)?": ("CAST({0} AS TIMESTAMP)", "date"),
    r"TIMESTAMP.* WITH TIME ZONE": ("make_timestamp(epoch_us({0}))", "date"),
    r"BOOLEAN": ("{0}", "boolean"),
    r"VARCHAR|ENUM.*": (_TRIMMED, "text"),
}

_Db = duckdb.DuckDBPyConnection
_Fixed = frozenset[str]


class _Rows(NamedTuple):
    """SQL of rows and of their numbers; of columns: name, cells, kind as `Grid` has it."""

    table: str
    place: str
    records: int
    columns: list[tuple[str, str, str]]
    options: ReadOptions


def scan(
    path: str | os.PathLike[str], *, timeout: float = math.inf, **changes: Any
) -> EngineSource:
    """Return a table that stays in its Parquet or CSV files, however large.

    Types, labels and missing values are those of :func:`distpriv.read_table`; what that would read
    otherwise is refused. Columns of several files are matched by name.

    Parameters
    ----------
    path : path
        A file, a folder, or a pattern such as ``people/*.parquet``; folders in it such as
        ``year=2024`` become a column.
    timeout : float
        Seconds that one query may take.
    **changes
        Options of reading, see :class:`distpriv.tables.ReadOptions`.

    Raises
    ------
    ReadError
        If there is no such file, or one holds more than a row of names and plain rows below it.
    """
    root, files = _files(Path(path))
    options, fixed = ReadOptions().changed(**changes), frozenset(changes)
    db = in_memory()
    try:
        load = _parquet if all(map(_is_parquet, files)) else _text
        rows = load(db, root, files, options, fixed)
        source = _source(db, os.fspath(path), files, rows, fixed)
    except (duckdb.Error, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise ReadError(
            f"{path} cannot be scanned ({reason}); try read_table, which reads more."
        ) from None
    return replace(source, engine=replace(source.engine, timeout=timeout))


def _files(path: Path) -> tuple[Path, list[str]]:
    """Return the folder where a path or pattern starts, and all files that it means."""
    if path.is_file():
        return path.parent, [str(path)]
    root = Path(*takewhile(lambda part: not glob.has_magic(part), path.parts))
    found = root.rglob("*") if root == path else root.glob(str(path.relative_to(root)))
    files = [
        str(file)
        for file in sorted(found)
        if file.is_file() and not _HIDDEN.search(file.relative_to(root).as_posix())
    ]
    if root == path:
        files = [file for file in files if _ENDINGS.search(Path(file).name)]
    if not files:
        raise ReadError(f"{path} has no Parquet or CSV file; check its name.")
    return root, files


def _is_parquet(file: str) -> bool:
    with Path(file).open("rb") as content:
        return content.read(4) == b"PAR1"


def _call(reader: str, root: Path, files: list[str], options: str = "") -> str:
    paths = ", ".join(literal(glob.escape(file)) for file in files)
    hive = any("=" in part for file in files for part in Path(file).relative_to(root).parts[:-1])
    union = f"union_by_name = true, hive_partitioning = {hive}"
    return f"{reader}([{paths}], {union}{options})"


def _parquet(db: _Db, root: Path, files: list[str], options: ReadOptions, _: _Fixed) -> _Rows:
    table = _call("read_parquet", root, files)
    schema = pq.read_schema(files[0])
    if len({name.casefold() for name in schema.names}) < len(schema.names):
        raise ReadError(f"{root.name} has names that differ in capitals alone; use read_table.")
    described = db.execute(f"DESCRIBE FROM {table}").fetchall()
    spans = {field.name for field in schema if pa.types.is_duration(field.type)}
    types = {name: kind for name, kind, *_ in described if name not in spans}
    large = [name for name, kind in types.items() if re.fullmatch("UINTEGER|U?(BIG|HUGE)INT", kind)]
    sizes = "".join(f", max(abs(CAST({quoted(name)} AS DOUBLE)))" for name in large)
    ((count, *found),) = db.execute(f"SELECT count(*){sizes} FROM {table}").fetchall()
    for name, size in zip(large, found, strict=True):
        if (size or 0) > EXACT:
            types[name] = "VARCHAR"  # so many digits name something
    columns = [
        (name, cell.format(quoted(name)), kind)
        for name, type_ in types.items()
        for form, (cell, kind) in _TYPES.items()
        if re.fullmatch(form, type_) and not _INDEX.fullmatch(name)
    ]
    place = _COUNTED if "file_row_number" in types else "file_row_number"
    return _Rows(table, place, count, columns, options)


def _text(db: _Db, root: Path, files: list[str], options: ReadOptions, fixed: _Fixed) -> _Rows:
    layouts = [_layout(Path(file), options, fixed) for file in files]
    options, first = layouts[0]
    for file, (other, names) in zip(files, layouts, strict=True):
        if other != options or not set(first) & set(names) or not (other.header or len(files) < 2):
            raise ReadError(
                f"{Path(file).name} is written otherwise than {Path(files[0]).name}, or has none "
                "of its columns; scan files of one table."
            )
    how = (
        f", delim = {literal(options.delimiter)}, quote = {literal(options.quote)}, "
        f"escape = {literal(options.escape)}, header = {bool(options.header)}, "
        f"skip = {max(options.header, default=1) - 1}, comment = '', nullstr = '', "
        "hive_types_autocast = false, all_varchar = true, strict_mode = true, null_padding = false"
    )
    table = _call("read_csv", root, files, how)
    raw = [name for name, *_ in db.execute(f"DESCRIBE FROM {table}").fetchall()]
    names = [" ".join(name.split()) for name in raw]
    if len(files) == 1 and len(names) == len(first):
        pairs = zip(first, names, strict=True)
        names = [own if own.startswith("column ") else name for own, name in pairs]
    if not {name for _, more in layouts for name in more} <= set(names):
        raise ReadError(f"The columns of {root.name} have no clear names; use read_table.")
    cells = [_TRIMMED.format(quoted(name)) for name in raw]
    filled = f"coalesce({', '.join(cells)})"
    changed = ", ".join(
        f"bool_or({quoted(name)} IS DISTINCT FROM {cell})"
        for name, cell in zip(raw, cells, strict=True)
    )
    checks = db.execute(f"SELECT count(*), count({filled}), {changed} FROM {table}").fetchall()
    every, count, *odd = checks[0]
    if count < every:  # blank rows are no records
        table = f"(FROM {table} WHERE {filled} IS NOT NULL)"
    columns = [
        (name, cell if trim else quoted(plain), "text")
        for name, cell, trim, plain in zip(names, cells, odd, raw, strict=True)
    ]
    return _Rows(table, _COUNTED, count, columns, options)


def _layout(path: Path, options: ReadOptions, fixed: _Fixed) -> tuple[ReadOptions, list[str]]:
    """Return how a text is written, and its columns; ReadError if it is no plain table."""
    data = _ends(path)
    if data.startswith(_OTHERS):
        raise ReadError(f"{path.name} is no text in UTF-8 as others here; use read_table.")
    grid = open_grid(data, options, fixed)
    options = guess_layout(grid.cells, grid.options, fixed)
    names, odd = column_names(grid.cells, options)
    odd += grid.notices
    above = data.removeprefix(b"\xef\xbb\xbf").splitlines()[: max(options.header, default=1)]
    if not all(map(bytes.strip, above)):  # DuckDB would take the row of names for a record
        odd.append(Notice("It begins with blank lines."))
    more = options.last or options.drop or len(options.header) > 1
    if more or options.first != max(options.header, default=0) + 1:
        odd += tell_layout(grid.cells, options) or [Notice("Not all rows are records.")]
    if odd:
        raise ReadError(f"{path.name} is no plain table: {odd[0].text} Use read_table.")
    return options, names


def _ends(path: Path) -> bytes:
    """Return the whole lines at both ends of a text."""
    packed = path.suffix == ".gz"
    with gzip.open(path) if packed else path.open("rb") as file:
        head, tail = file.read(_HEAD), b""
        if not packed:
            file.seek(max(len(head), path.stat().st_size - _TAIL))
        while chunk := file.read(_HEAD):
            tail = (tail + chunk)[-_TAIL:]
    if tail:
        head, tail = head[: head.rfind(b"\n") + 1], tail[tail.find(b"\n") + 1 :]
    return head + tail


def _source(db: _Db, path: str, files: list[str], rows: _Rows, fixed: _Fixed) -> EngineSource:
    """Decide what columns are as `read_table` does, of as many records, and return the source."""
    names, _ = unique([name for name, *_ in rows.columns])
    if not rows.records or not names:
        raise ReadError(f"{path} has no records in columns that can be read; choose another table.")
    step = stride(rows.records, len(names))
    cells = [f"{cell} AS c{at}" for at, (_, cell, _) in enumerate(rows.columns)]

    def records(where: str = "") -> str:
        placed = f"SELECT *, {rows.place} AS {_PLACE} FROM {rows.table}"
        return f"(SELECT {', '.join(cells)}, {_PLACE} AS rn FROM ({placed}) {where})"

    sample = db.sql(f"FROM {records(f'WHERE {_PLACE} % {step} = 0')}")
    kinds = [kind for *_, kind in rows.columns]
    every = profile(sample.to_arrow_table(), kinds, names, step)
    columns = [one for one in every if one.present or not one.name.startswith("column ")]
    db.execute(decide(columns, guess_writing(columns, rows.options, fixed)))
    for one in columns:
        if _is_clean(db, one, rows):
            cells[one.place] = f"CAST({quoted(one.name)} AS VARCHAR) AS c{one.place}"
            one.text, one.sql = f"c{one.place}", one.source
    values = {f"v{one.place}": one for one in columns}
    typed = selected(records(), values)

    def draw(share: float, seed: int) -> str:
        where = f"WHERE hash({_PLACE}, {int(seed)}) % 1000000007 < {1000000007 * share:.0f}"
        return f"({selected(records(where), values)})"

    def stamp() -> object:
        every = [(Path(file).name, Path(file).stat()) for file in files]
        return [(name, one.st_size, one.st_mtime_ns) for name, one in every], typed

    first = stamp()

    def current() -> bool:
        with suppress(OSError):
            return stamp() == first
        return False

    return EngineSource(
        key=path,
        title=Path(path).name,
        engine=Engine(db, "duckdb", current),
        table=f"({typed})",
        cells={one.name: Cell(_KINDS.get(one.type, "text"), name) for name, one in values.items()},
        rows=rows.records,
        place="rn" if len(files) == 1 or rows.place == _COUNTED else "",
        draw=draw,
        stamp=stamp,
        notices=tuple(notice for one in columns for notice in one.notices),
    )


def _is_clean(db: _Db, column: Column, rows: _Rows) -> bool:
    """Tell whether a Parquet file's labels, if few, are all read as they are, which is quicker."""
    labels = column.kind == "text" and column.type in ("category", "identifier", "text")
    if not labels or len(column.labels) > _FEW or rows.place == _COUNTED:
        return False
    name, cell, _ = rows.columns[column.place]
    raw = f"SELECT DISTINCT {quoted(name)} FROM {rows.table}"
    cells = f"SELECT {cell} AS c{column.place}, {quoted(name)} AS raw FROM ({raw})"
    read = (
        f"SELECT bool_and({column.sql} IS NOT DISTINCT FROM raw) "
        f"FROM (SELECT {column.text} AS {column.source}, raw FROM ({cells}))"
    )
    return bool(db.execute(read).fetchall()[0][0])
