"""Parquet and CSV files that stay on disk, read as `read_table` reads them."""
# ruff: noqa: S608 - names are quoted, and paths are literals

from __future__ import annotations

import glob
import gzip
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from distpriv.arrays import EXACT, number
from distpriv.display import Progress, showing
from distpriv.errors import ReadError
from distpriv.sources.engine import Engine, EngineSource, typed_as
from distpriv.sources.sql import Cell, Kind, single
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
from distpriv.tables.formats import INDEX, format_of, open_grid
from distpriv.tables.layout import column_names, guess_layout, tell_layout, unique
from distpriv.tables.options import Notice, ReadOptions
from distpriv.tables.read import MOST_NOTICES, in_memory, tell_odd
from distpriv.tables.rows import tell_row
from distpriv.text import listed

__all__ = ["scan"]

_HEAD, _TAIL = 1 << 20, 1 << 14  # bytes at both ends of a text, which show its layout
_ENDINGS = re.compile(r"\.(parquet|pq|csv|tsv|txt)(\.gz)?", re.IGNORECASE)
_HIDDEN = re.compile(r"(^|/)[._]")
_BLANK = r"[\pZ\s\v\x1c-\x1f\x85]+"
_TRIMMED = f"nullif(regexp_replace(CAST({{0}} AS VARCHAR), '^{_BLANK}|{_BLANK}$', '', 'g'), '')"
_OTHERS = b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\xff\xfe", b"\xfe\xff"
_COUNTED = "row_number() OVER () - 1"
_PLACE = '"number of the row"'
_KINDS: dict[str, Kind] = {"number": "number", "boolean": "boolean", "date": "date"}
# SQL that makes a type of DuckDB one that `read_table` knows, and its kind there.
_TYPES = {
    r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?": ("CAST({0} AS BIGINT)", "number"),
    r"FLOAT": (single("{0}"), "number"),
    r"DOUBLE|DECIMAL.*": ("CAST({0} AS DOUBLE)", "number"),
    r"DATE|TIMESTAMP(_\w+)?": ("CAST({0} AS TIMESTAMP)", "date"),
    r"TIMESTAMP.* WITH TIME ZONE": ("make_timestamp(epoch_us({0}))", "date"),
    r"BOOLEAN": ("{0}", "boolean"),
    r'VARCHAR|ENUM.*|"NULL"': (_TRIMMED, "text"),
}
# Of times, as Arrow writes them.
_TIMES = {"ms": "%g", "us": "%f", "ns": "%f000"}
_TIME = "strftime(DATE '2000-01-01' + CAST({{0}} AS TIME), '%H:%M:%S.{}')"

_Db = duckdb.DuckDBPyConnection
_Fixed = frozenset[str]


class _Rows(NamedTuple):
    """SQL of rows and of their numbers; of columns: name, its SQL, cells, kind as `Grid` has it."""

    table: str
    place: str
    records: int
    columns: list[tuple[str, str, str, str]]
    options: ReadOptions
    notices: list[Notice]
    typed: bool  # by the files


def scan(
    path: str | os.PathLike[str],
    *,
    timeout: float = math.inf,
    progress: Progress = None,
    **changes: Any,
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
    progress : bool or callable, optional
        Whether to show how far it is, or a function of steps done and of all.
    **changes
        Options of reading, see :class:`distpriv.tables.ReadOptions`.

    Returns
    -------
    EngineSource
        It goes wherever a table goes; `to_frame()` lists its columns, `notices` how they were read.

    Raises
    ------
    ReadError
        If there is no such file, or one holds more than a row of names and plain rows below it.

    Examples
    --------
    >>> dp.load_example("bank").to_parquet("bank.parquet")
    >>> bank = dp.scan("bank.parquet")
    >>> bank
    bank.parquet: 15 000 records, 8 columns
    >>> dp.fit_gaussian(bank, dp.Mean("income"), dp.SensitiveProperty("late", "yes").pair(0.2, 0.2))
    GaussianModel(mean income of 15 000 records; 10 % and 30 % with late = yes)
    """
    if not isinstance(path, str | os.PathLike):
        raise ReadError(f"scan takes a path, not a {type(path).__name__}; pass that to read_table.")
    timeout = number("The time limit", timeout, 0, above=True) if timeout != math.inf else timeout
    options, fixed = ReadOptions().changed(**changes), frozenset(changes)
    db = in_memory()
    try:
        with showing("Scan", 3, progress) as report:
            root, files = _files(Path(path))
            load = _parquet if all(map(_is_parquet, files)) else _text
            report(1)
            rows = load(db, root, files, options, fixed)
            report(2)
            source = _source(db, os.fspath(path), files, rows, fixed)
            report(3)
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        if "sniffing" in reason:
            reason = "lines have more or fewer values than names, or quotation marks within them"
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
    # Of one file alone, names may recur.
    how = f"union_by_name = {len(files) > 1}, hive_partitioning = {hive}"
    return f"{reader}([{paths}], {how}{options})"


def _parquet(db: _Db, root: Path, files: list[str], options: ReadOptions, _: _Fixed) -> _Rows:
    table = _call("read_parquet", root, files)
    schemas = [pq.read_schema(file) for file in files]
    _check_twins(schema.names for schema in schemas)
    described = db.execute(f"DESCRIBE FROM {table}").fetchall()
    types = {name: kind for name, kind, *_ in described}
    # DuckDB lists the first file's columns first, and changes some names.
    fields = {field.name: field for schema in schemas[1:] for field in schema}
    fields |= dict(zip(types, schemas[0], strict=False))
    large = [name for name, kind in types.items() if re.fullmatch("UINTEGER|U?(BIG|HUGE)INT", kind)]
    sizes = "".join(f", max(abs(CAST({quoted(name)} AS DOUBLE)))" for name in large)
    ((count, *found),) = db.execute(f"SELECT count(*){sizes} FROM {table}").fetchall()
    for name, size in zip(large, found, strict=True):
        if (size or 0) > EXACT:
            types[name] = "VARCHAR"  # so many digits name something
    columns, notices = [], []
    for name, kind in types.items():
        field = fields.get(name, pa.field(name, pa.string()))  # folders make columns, too
        shown = field.name
        form = _cell(kind, field.type)
        if form is None:
            text = f"Column {shown!r} holds {field.type} and was left out."
            notices.append(Notice(text, shown))
        elif not INDEX.fullmatch(shown):
            raw = quoted(name)
            columns.append((" ".join(shown.split()), raw, form[0].format(raw), form[1]))
    place = _COUNTED if "file_row_number" in types else "file_row_number"
    return _Rows(table, place, count, columns, options, notices, True)


def _cell(kind: str, stored: pa.DataType) -> tuple[str, str] | None:
    """Return SQL that reads a column of a type, and what it is then; None for nested and binary."""
    if pa.types.is_duration(stored):
        return None
    if pa.types.is_time(stored):
        return _TIME.format(_TIMES[stored.unit]), "text"
    kind = "DOUBLE" if pa.types.is_float16(stored) else kind
    return next((cell for form, cell in _TYPES.items() if re.fullmatch(form, kind)), None)


def _check_twins(files: Iterable[Sequence[str]]) -> None:
    """Refuse names that are alike but for capitals, where several files are matched by them."""
    several = list(files)
    names = list(dict.fromkeys(chain(*several)))
    folded = Counter(name.casefold() for name in names)
    again = {name for one in several for name, count in Counter(one).items() if count > 1}
    twins = [name for name in names if folded[name.casefold()] > 1 or name in again]
    if twins and len(several) > 1:
        raise ReadError(
            f"Columns differ in capitals alone ({listed(map(repr, twins[:4]))}), so several files "
            "cannot be matched by their names; rename them, or use read_table."
        )


def _text(db: _Db, root: Path, files: list[str], options: ReadOptions, fixed: _Fixed) -> _Rows:
    layouts = [_layout(Path(file), options, fixed) for file in files]
    options, first = layouts[0]
    for file, (other, names) in zip(files, layouts, strict=True):
        if other != options or not set(first) & set(names) or not (other.header or len(files) < 2):
            raise ReadError(
                f"{Path(file).name} is written differently from {Path(files[0]).name}, or has none "
                "of its columns; scan files of one table."
            )
    how = (
        f", delim = {literal(options.delimiter)}, quote = {literal(options.quote)}, "
        f"escape = {literal(options.escape)}, header = {bool(options.header)}, "
        f"skip = {max(options.header, default=1) - 1}, comment = '', nullstr = '', "
        "hive_types_autocast = false, all_varchar = true, strict_mode = true, null_padding = false"
    )
    table = _call("read_csv", root, files, how)
    _check_twins(names for _, names in layouts)
    raw = [name for name, *_ in db.execute(f"DESCRIBE FROM {table}").fetchall()]
    names = [" ".join(name.split()) for name in raw]
    if len(files) == 1 and len(names) == len(first):
        names = first
    if not {name for _, more in layouts for name in more} <= set(names):
        raise ReadError("The columns of these files have no clear names; use read_table.")
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
        (name, quoted(plain), cell if trim else quoted(plain), "text")
        for name, cell, trim, plain in zip(names, cells, odd, raw, strict=True)
    ]
    return _Rows(table, _COUNTED, count, columns, options, [], False)


def _layout(path: Path, options: ReadOptions, fixed: _Fixed) -> tuple[ReadOptions, list[str]]:
    """Return how a text is written, and its columns; ReadError if it is not a plain table."""
    data = _ends(path)
    if data.startswith(_OTHERS) or format_of(data):
        raise ReadError(f"{path.name} is not text in UTF-8 as the others are; use read_table.")
    grid = open_grid(data, options, fixed)
    options = guess_layout(grid.cells, grid.options, fixed)
    names, odd = column_names(grid.cells, options)
    odd += grid.notices
    above = data.removeprefix(b"\xef\xbb\xbf").splitlines()[: max(options.header, default=1)]
    if not all(map(bytes.strip, above)):  # DuckDB would take the row of names for a record
        odd.append(Notice("It begins with blank lines."))
    if options.header and grid.cells.column(-1)[options.header[-1] - 1].as_py() is None:
        odd.append(Notice("Its rows have more values than its row of names."))
    more = options.last or options.drop or len(options.header) > 1
    if more or options.first != max(options.header, default=0) + 1:
        odd += tell_layout(grid.cells, options) or [Notice("Not all rows are records.")]
    if odd:
        raise ReadError(f"{path.name} is not a plain table: {odd[0].text} Use read_table.")
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
    names, notices = unique([name for name, *_ in rows.columns])
    if not rows.records or not names:
        raise ReadError(f"{path} has no records in columns that can be read; choose another table.")
    step = stride(rows.records, len(names))
    cells = [f"{cell} AS c{at}" for at, (_, _, cell, _) in enumerate(rows.columns)]

    def records(where: str = "") -> str:
        placed = f"SELECT *, {rows.place} AS {_PLACE} FROM {rows.table}"
        return f"(SELECT {', '.join(cells)}, {_PLACE} AS rn FROM ({placed}) {where})"

    sample = db.sql(f"FROM {records(f'WHERE {_PLACE} % {step} = 0')}").to_arrow_table()
    columns = profile(sample, [kind for *_, kind in rows.columns], names, step)
    if not rows.typed:
        columns = [one for one in columns if one.present or not one.name.startswith("column ")]
    db.execute(decide(columns, guess_writing(columns, rows.options, fixed)))
    _check_values(db, columns, records(), 0 if rows.typed or len(files) > 1 else rows.records)
    for one in columns:
        if one.place < len(cells) and _is_clean(db, one, rows):
            cells[one.place] = f"CAST({rows.columns[one.place][1]} AS VARCHAR) AS c{one.place}"
            one.text, one.sql = f"c{one.place}", one.source
    values = {f"v{one.place}": one for one in columns}
    typed = selected(records(), values)

    def draw(share: float, seed: int) -> str:
        where = f"WHERE hash({_PLACE}, {int(seed)}) % 1000000007 < {1000000007 * share:.0f}"
        return f"({selected(records(where), values)})"

    def stamp() -> object:
        every = [(Path(file).name, Path(file).stat()) for file in files]
        return [(name, one.st_size, one.st_mtime_ns) for name, one in every], typed

    kinds = {name: _KINDS.get(one.type, "text") for name, one in values.items()}
    some = db.sql(selected("sample", values)).df()
    shown = {one.name: typed_as(some[name], kinds[name]) for name, one in values.items()}
    notices += [*rows.notices, *(notice for one in columns for notice in one.notices)]
    notices += tell_row(pd.DataFrame(shown))
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
        cells={one.name: Cell(kinds[name], name) for name, one in values.items()},
        rows=rows.records,
        place="rn" if len(files) == 1 or rows.place == _COUNTED else "",
        draw=draw,
        stamp=stamp,
        notices=tuple(notices[:MOST_NOTICES]),
    )


def _check_values(db: _Db, columns: list[Column], records: str, last: int) -> None:
    """Tell of values that numbers and dates do not take, and refuse a last record of sums.

    `last` is its number; 0 where there may be none.
    """
    texts = ", ".join(f"{one.text} AS {one.source}" for one in columns)
    table = f"(SELECT rn + 1 AS rn, {texts} FROM {records})"
    gaps = [one for one in columns if one.plural]
    sums = [one for one in columns if one.type == "number" and last > 6]
    terms = [f"count({one.source}), count({one.sql})" for one in gaps]
    terms += [
        f"sum({one.sql}), max(abs({one.sql})) FILTER (WHERE rn < {last}), "
        f"max({one.sql}) FILTER (WHERE rn = {last})"
        for one in sums
    ]
    if not terms:
        return
    ((*row,),) = db.execute(f"SELECT {', '.join(terms)} FROM {table}").fetchall()
    counts, ends = row[: 2 * len(gaps)], row[2 * len(gaps) :]
    for column, total, count in zip(gaps, counts[::2], counts[1::2], strict=True):
        if count < total:
            tell_odd(db, column, table, count)
    for column, added, most, end in zip(sums, ends[::3], ends[1::3], ends[2::3], strict=True):
        if end is not None and end > (most or 0) > 0 and abs(added - 2 * end) <= 1e-9 * end:
            raise ReadError(
                f"The last row has the sum of {column.name!r}, so it is not a record; use "
                "read_table."
            )


def _is_clean(db: _Db, column: Column, rows: _Rows) -> bool:
    """Tell whether a Parquet file's labels, if few, are all read as they are, which is quicker."""
    labels = column.kind == "text" and column.type in ("category", "identifier", "text")
    if not labels or not column.complete or not rows.typed:
        return False
    _, name, cell, _ = rows.columns[column.place]
    raw = f"SELECT DISTINCT {name} FROM {rows.table}"
    cells = f"SELECT {cell} AS c{column.place}, {name} AS raw FROM ({raw})"
    read = (
        f"SELECT bool_and({column.sql} IS NOT DISTINCT FROM raw) "
        f"FROM (SELECT {column.text} AS {column.source}, raw FROM ({cells}))"
    )
    return bool(db.execute(read).fetchall()[0][0])
