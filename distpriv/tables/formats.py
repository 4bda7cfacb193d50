"""Bytes to a grid of cells: the content decides which kind of file it is, never its name.

One more format is one function and one row of ``FORMATS``.
"""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import IO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from distpriv.errors import ReadError
from distpriv.tables.delimited import NO_DELIMITER, guess_dialect, load_text, utf8
from distpriv.tables.options import Notice, ReadOptions
from distpriv.text import listed

__all__ = ["ENDINGS", "EXACT", "Grid", "open_grid", "sequence"]

# How files that are read usually end, for those who choose one; the content decides.
ENDINGS = tuple(
    "csv tsv tab txt dat gz zip bz2 xz xlsx xlsm xlsb xls ods parquet pq arrow feather orc "
    "json jsonl ndjson geojson html htm xml dta sas7bdat xpt sav zsav por arff".split()
)

MOST_BYTES = 2_000_000_000  # that an archive may unpack to
MOST_COLUMNS = 2_000
EXACT = 2**53  # whole numbers up to here are exact as floating-point numbers
_NO_TABLES = re.compile(r"(?i)readme|licen[cs]e|codebook|dictionary|variables|index")
_INDEX = re.compile(r"__index_level_\d+__")  # row labels that pandas adds to Parquet files
_LOCKED = "EncryptedPackage".encode("utf-16-le")


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


class Format(NamedTuple):
    """Hold how a kind of file begins (a pattern), and what reads it; None refuses it by name."""

    title: str
    begins: bytes
    reader: Callable[[bytes, ReadOptions], Grid] | None = None
    advice: str = "save the table as CSV, Excel (.xlsx) or Parquet and choose that file"


def open_grid(data: bytes, options: ReadOptions, fixed: frozenset[str]) -> Grid:
    """Return the cells of a file; `fixed` names options that are not to be guessed."""
    try:
        grid = _open(data, options, fixed)
    except (MemoryError, pa.ArrowCapacityError):  # both may be an ArrowException
        raise MemoryError from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, pa.ArrowException):
        raise ReadError(
            "The file is damaged or cut off; save or download it again and choose the new one."
        ) from None
    if len(grid.kinds) > MOST_COLUMNS:
        raise ReadError(
            f"The table has {len(grid.kinds)} columns and at most {MOST_COLUMNS} are read; leave "
            "out those that are not needed."
        )
    return grid


def _open(data: bytes, options: ReadOptions, fixed: frozenset[str]) -> Grid:
    data, options, notices = _unpack(data, options)
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise ReadError("The file is empty; choose one with column names and records.")
    for form in FORMATS:
        if re.match(form.begins, data[:4096], re.IGNORECASE | re.DOTALL):
            if form.reader is None:
                raise ReadError(f"This is {form.title}; {form.advice}.")
            grid = form.reader(data, options)
            return grid._replace(notices=(*notices, *grid.notices))
    data, encoding = utf8(data)
    if encoding != "utf-8":
        notices.append(Notice(f"The text is not in UTF-8; it was read as {encoding}."))
    options = guess_dialect(data, options, fixed)
    if options.delimiter == NO_DELIMITER:
        text = "No comma, semicolon, tab or | divides all lines alike: each line is one value."
        notices.append(Notice(text))
    return _texts(load_text(data, options).columns, options, notices)


def _texts(
    columns: Iterable[pa.Array | pa.ChunkedArray], options: ReadOptions, notices: list[Notice]
) -> Grid:
    """Return a grid of texts."""
    trimmed = [_trimmed(column) for column in columns]
    cells = pa.table({f"c{place}": column for place, column in enumerate(trimmed)})
    return Grid(cells, ("text",) * len(trimmed), (), options, tuple(notices))


def _trimmed(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Trim texts, and make null of empty ones."""
    texts = pc.utf8_trim_whitespace(texts)
    filled = pc.binary_length(texts).cast(pa.bool_())
    return pc.if_else(filled, texts, pa.nulls(1, pa.string())[0])


def sequence(start: int, stop: int, step: int = 1) -> pa.Array:
    """Return whole numbers; pa.array would import pandas, which takes a second, and so a scalar."""
    numbers = np.arange(start, stop, step)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def _unpack(data: bytes, options: ReadOptions) -> tuple[bytes, ReadOptions, list[Notice]]:
    """Unpack gzip and ZIP, down to two layers."""
    notices: list[Notice] = []
    for _ in range(2):
        if data[:2] == b"\x1f\x8b":
            with gzip.open(io.BytesIO(data)) as file:
                data = _bounded(file)
        elif data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                if {"[Content_Types].xml", "content.xml"} & set(archive.namelist()):
                    break  # a workbook
                name = _member(archive, options, notices)
                data, options = _bounded(archive.open(name)), options.changed(member=name)
    return data, options, notices


def _bounded(file: IO[bytes] | gzip.GzipFile) -> bytes:
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ReadError("The file unpacks to more than 2 GB; choose the part that is needed.")
    return data


def _member(archive: zipfile.ZipFile, options: ReadOptions, notices: list[Notice]) -> str:
    """Choose the file of an archive: by name, or the largest that is not called a codebook."""
    files = [e for e in archive.infolist() if not e.is_dir() and "__MACOSX" not in e.filename]
    if not files:
        raise ReadError("The archive is empty; choose one that holds a table.")
    if any(e.flag_bits & 1 for e in files):
        raise ReadError("The archive is locked by a password; unpack it and choose the table.")
    aside = {e.filename: _NO_TABLES.search(PurePosixPath(e.filename).name) for e in files}
    files.sort(key=lambda e: (bool(aside[e.filename]), -e.file_size))
    names = [e.filename for e in files]
    return _choose(options.member or names[0], names, "archive", notices)


def _choose(name: str, names: Sequence[str], container: str, notices: list[Notice]) -> str:
    """Check the name of a part, and tell of the others."""
    if name not in names:
        raise ReadError(f"The {container} has no {name!r}; choose {listed(names[:10], 'or')}.")
    others = [other for other in names if other != name]
    if others:
        text = f"{name!r} was read; the {container} also has {listed(map(repr, others[:5]))}."
        notices.append(Notice(text, changes=(("member", others[0]),)))
    return name


def _text(value: object) -> str | None:
    """Write a value of Python so that it reads back as the same."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return None if value is None else str(value)


def _workbook(data: bytes, options: ReadOptions) -> Grid:
    """Load Excel and what else python-calamine reads: the sheet that is named, or the largest."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    if _LOCKED in data:
        raise ReadError("The workbook is locked by a password; save it without one.")
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = [s.name for s in book.sheets_metadata if s.visible == SheetVisibleEnum.Visible]
        names = names or book.sheet_names
        also = {options.member} & set(book.sheet_names)
        sheets = {name: book.get_sheet_by_name(name) for name in (*names, *also)}
        size = {name: sheet.total_height * sheet.total_width for name, sheet in sheets.items()}
        name = options.member or max(names, key=size.__getitem__)
        notices: list[Notice] = []
        sheet = sheets[_choose(name, list(sheets), "workbook", notices)]
        rows, merged = sheet.to_python(skip_empty_area=False), sheet.merged_cell_ranges or []
    except (CalamineError, KeyError) as error:
        raise ReadError("The workbook is damaged; save it again as .xlsx.") from error
    down = [span for span in merged if span[1][0] - 2 >= span[0][0] > 0]  # over records
    for (top, left), (bottom, _) in down:
        for row in rows[top : bottom + 1]:
            row[left] = rows[top][left]
    if down:
        text = f"{len(down)} merged cells were read as the value of every row that they span."
        notices.append(Notice(text))
    if not any(rows):
        raise ReadError("The table is empty; choose one with column names and records.")
    columns = (pa.array(map(_text, column), pa.string()) for column in zip(*rows, strict=True))
    return _texts(columns, options.changed(member=name), notices)


def _parquet(data: bytes, options: ReadOptions) -> Grid:
    """Load columns that their file types; nested and binary ones are left out, with a notice."""
    import pyarrow.parquet as pq

    table = pq.ParquetFile(pa.BufferReader(data)).read()
    columns: dict[str, tuple[pa.ChunkedArray, str]] = {}
    notices = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if (plain := _plain(column)) is None:
            text = f"Column {name!r} holds {column.type} and was left out."
            notices.append(Notice(text, name))
        elif not _INDEX.fullmatch(name):
            columns[name] = plain
    if not columns or not table.num_rows:
        raise ReadError("The table has no records in columns that can be read; choose another.")
    cells = {f"c{place}": column for place, (column, _) in enumerate(columns.values())}
    kinds = tuple(kind for _, kind in columns.values())
    return Grid(pa.table(cells), kinds, tuple(columns), options, tuple(notices))


def _plain(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, str] | None:
    """Cast a column to a type that DuckDB reads, and say its kind; None for nested and binary."""
    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type))
    if types.is_integer(kind):
        ends = pc.min_max(column).as_py()
        if max(abs(ends["min"] or 0), abs(ends["max"] or 0)) <= EXACT:
            return column.cast(pa.int64()), "number"
        return column.cast(pa.string()), "text"  # so many digits name something
    if types.is_floating(kind) or types.is_decimal(kind):
        return column.cast(pa.float64()), "number"
    if types.is_date(kind) or types.is_timestamp(kind):
        return column.cast(pa.timestamp("us"), safe=False), "date"
    if types.is_boolean(kind):
        return column, "boolean"
    texts = ("null", "time", "string", "large_string", "string_view")
    if any(getattr(types, f"is_{text}")(kind) for text in texts):
        return _trimmed(column.cast(pa.string())), "text"
    return None


FORMATS: tuple[Format, ...] = (
    Format("a Parquet file", rb"PAR1", _parquet),
    Format("a workbook", rb"PK\x03\x04|\xd0\xcf\x11\xe0", _workbook),
    Format("a picture", rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP|II\*\x00|MM\x00\*|<svg"),
    Format("a PDF", rb"%PDF"),
    Format("a web page (HTML)", rb"\s*<(!doctype html|html|table|meta|head)"),
    Format("an XML file", rb"(\xef\xbb\xbf)?\s*<\?xml"),
    Format("a JSON file", rb"(\xef\xbb\xbf)?\s*(\[\s*[\[{]|\{\s*[\"}])"),
    Format("an SPSS file", rb"\$FL[23]"),
    Format("a Stata file", rb"<stata_dta>|[\x6e-\x73][\x01\x02]"),
    Format("a SAS file", rb"HEADER RECORD\*{7}|\x00{12}\xc2\xea\x81\x60"),
    Format("an R file", rb"RD[AX][23]\n|X\n\x00\x00\x00"),
    Format("an ARFF file of Weka", rb"(\s|%[^\n]*\n)*@relation"),
    Format("an Arrow or Feather file", rb"ARROW1|FEA1"),
    Format("a Bayesian network (BIF)", rb"\s*network\s", None, "choose a table of records"),
    Format("an SQLite database", rb"SQLite format 3"),
    Format(
        "an archive of a kind that is not read",
        rb"PK|\x1f\x8b|7z\xbc\xaf|Rar!|BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd",
        None,
        "unpack it and choose the table in it",
    ),
)
