"""Bytes to a grid of cells: the content decides which kind of file it is, never its name.

One more format is one function and one row of ``FORMATS``.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from functools import reduce
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.delimited import FIXED_PLACES, NO_DELIMITER, guess_dialect, load_text, utf8
from distpriv.tables.grids import (
    Grid,
    check_width,
    choose,
    grid_of_columns,
    grid_of_rows,
    grid_of_table,
)
from distpriv.tables.options import Notice, ReadOptions
from distpriv.tables.programs import read_arff, read_sas, read_spss, read_stata
from distpriv.tables.structured import read_json, read_markup

__all__ = ["FORMATS", "INDEX", "Format", "format_of", "open_grid", "sequence"]

HEAD = 65_536  # bytes in which a kind of file shows itself
MOST_BYTES = 2_000_000_000  # that an archive may unpack to
MOST_CELLS = 100_000_000  # of a sheet, blank ones too
_PACKED: dict[bytes, Callable[[IO[bytes]], Any]] = {
    rb"\x1f\x8b": gzip.open,
    rb"BZh\d1AY": bz2.open,
    rb"\xfd7zXZ": lzma.open,
}
_NO_TABLES = re.compile(r"(?i)readme|licen[cs]e|codebook|dictionary|variables|index")
INDEX = re.compile(r"__index_level_\d+__")  # row labels that pandas adds to Parquet files
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, pa.ArrowException)
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # marks of UTF-16
# Addresses of a sheet's rows and cells, and those that have none and are just the next ones.
# Patterns begin with a letter, for that is found fastest.
_COLUMN = re.compile(rb"""r(?<=[\s"']r)\s*=\s*["']([A-Za-z]+)\d""")
_ROW = re.compile(rb"""r(?<=[\s"']r)\s*=\s*["'][A-Za-z]*0*(\d{1,9})""")
_WIDER = re.compile(rb"""r(?<=[\s"']r)\s*=\s*["'](?:[A-Za-z]{2,}\d|[A-Za-z]*\d{7})""")
_FAR = re.compile(rb"""r(?<=[\s"']r)\s*=\s*["'](?:[A-Za-z]{3,}\d|[A-Za-z]*\d{6})""")
_LINE = re.compile(rb"row(?<=[<:]row)(?=[\s/>])")
_NEXT_LINE = re.compile(rb"""(?![^>]*[\s"']r\s*=)""")
_NEXT_CELL = re.compile(rb"""c(?<=[<:]c)(?!\s+r\s*=)(?=[\s/>])(?![^>]*[\s"']r\s*=)""")
_ARCHIVE = "an archive of a kind that is not read"
_UNPACK = "unpack it and choose the table in it"
_START = rb"(\xef\xbb\xbf)?[\s\x1e]*+"  # nothing is given back, which could take for ever
_HTML = rb"<(?i:!doctype html|html|table|meta|head|body|div)"


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
    except NotImplementedError:  # of zipfile
        raise ReadError(f"This is {_ARCHIVE}; {_UNPACK}.") from None
    except _DAMAGES:
        raise ReadError(
            "The file is damaged or cut off; save or download it again and choose the new one."
        ) from None
    check_width(len(grid.kinds))
    return grid


def format_of(data: bytes) -> Format | None:
    """Return the kind of a file, None for delimited text."""
    return next((form for form in FORMATS if re.match(form.begins, data[:HEAD], re.DOTALL)), None)


def _open(data: bytes, options: ReadOptions, fixed: frozenset[str]) -> Grid:
    data, options, notices = _unpack(data, options)
    if data.startswith(_WIDE):
        data, _ = utf8(data)
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise ReadError("The file is empty; choose one with column names and records.")
    if form := format_of(data):
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
    elif options.delimiter == FIXED_PLACES:
        notices.append(Notice("Blanks at the same places of all lines divide the values."))
    columns = load_text(data, options).columns
    released = (columns.pop(0) for _ in range(len(columns)))  # one after the other
    return grid_of_columns(released, options, notices)


def sequence(start: int, stop: int, step: int = 1) -> pa.Array:
    """Return whole numbers; pa.array would import pandas, which takes a second, and so a scalar."""
    numbers = np.arange(start, stop, step)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def _unpack(data: bytes, options: ReadOptions) -> tuple[bytes, ReadOptions, list[Notice]]:
    """Unpack what one program packed, down to two layers."""
    notices, inside = list[Notice](), False
    for _ in range(2):
        unpack = next((one for mark, one in _PACKED.items() if re.match(mark, data)), None)
        if unpack:
            with unpack(io.BytesIO(data)) as file:
                data = _bounded(file)
        elif data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                if {"[Content_Types].xml", "content.xml"} & set(archive.namelist()):
                    break  # a workbook
                name = _member(archive, "" if inside else options.member, notices)
                data = _bounded(archive.open(name))
                options, inside = options if inside else options.changed(member=name), True
    return data, options, notices


def _bounded(file: IO[bytes]) -> bytes:
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ReadError("The file unpacks to more than 2 GB; choose the part that is needed.")
    return data


def _member(archive: zipfile.ZipFile, name: str, notices: list[Notice]) -> str:
    """Choose the file of an archive: by name, or the largest that is not called a codebook."""
    files = [e for e in archive.infolist() if not e.is_dir() and "__MACOSX" not in e.filename]
    if not files:
        raise ReadError("The archive is empty; choose one that holds a table.")
    if len({e.filename for e in files}) < len(files):
        raise ReadError("The archive has two files of one name; unpack it and choose the table.")
    if any(e.flag_bits & 1 for e in files):
        raise ReadError("The archive is locked by a password; unpack it and choose the table.")
    aside = {e.filename: _NO_TABLES.search(PurePosixPath(e.filename).name) for e in files}
    files.sort(key=lambda e: (bool(aside[e.filename]), -e.file_size))
    names = [e.filename for e in files]
    return choose(name or names[0], names, "archive", notices)


def _workbook(data: bytes, options: ReadOptions) -> Grid:
    """Load Excel and what else python-calamine reads: the sheet that is named, or the largest."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    if _LOCKED in data:
        raise ReadError("The workbook is locked by a password; save it without one.")
    errors = _survey(data)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = [s.name for s in book.sheets_metadata if s.visible == SheetVisibleEnum.Visible]
        names = names or book.sheet_names
        also = {options.member} & set(book.sheet_names)
        sheets = {name: book.get_sheet_by_name(name) for name in (*names, *also)}
        size = {name: sheet.total_height * sheet.total_width for name, sheet in sheets.items()}
        name = options.member or max(names, key=size.__getitem__)
        notices: list[Notice] = []
        sheet = sheets[choose(name, list(sheets), "workbook", notices)]
        check_width(sheet.total_width)
        if size[name] > MOST_CELLS:  # calamine aborts for want of memory
            raise MemoryError
        rows, merged = sheet.to_python(skip_empty_area=False), sheet.merged_cell_ranges or []
    except (CalamineError, KeyError) as error:
        raise ReadError(
            "The workbook is damaged, or a document without sheets; save the table as .xlsx."
        ) from error
    if errors:
        text = f"Cells of the workbook with an error, such as #DIV/0!, count as missing: {errors}."
        notices.append(Notice(text))
    down = [span for span in merged if span[1][0] - 2 >= span[0][0] > 0]  # over records
    for (top, left), (bottom, _) in down:
        for row in rows[top : bottom + 1]:
            row[left : left + 1] = rows[top][left : left + 1]
    if down:
        text = f"Merged cells count for every row that they span: {len(down)}."
        notices.append(Notice(text))
    return grid_of_rows(rows, options.changed(member=name), notices)


def _survey(data: bytes) -> int:
    """Count the cells of an .xlsx with errors, which are read as blank; refuse cells far apart.

    python-calamine makes room for all that could be between, and aborts the process without it.
    """
    errors = 0
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():  # a sheet can have any name
                part = b"" if entry.flag_bits & 1 else _bounded(archive.open(entry))
                if _LINE.search(part):
                    errors += part.count(b't="e"')
                    if _room(part) > MOST_CELLS:
                        raise MemoryError
    return errors


def _room(sheet: bytes) -> int:
    """Return how many cells have room between the outermost ones of a sheet; 0 if not too many."""
    following = _NEXT_CELL.search(sheet)
    if not following and not (_WIDER.search(sheet) and _FAR.search(sheet)):
        return 0
    lines = _LINE.split(sheet)[1:]
    columns = [
        reduce(lambda number, letter: 26 * number + letter - 64, letters.upper(), 0)
        for letters in set(_COLUMN.findall(sheet))
    ] or [0]
    rows = [*map(int, set(_ROW.findall(sheet)))] or [0]
    wide = 1 + max(columns) - min(columns)
    if following:
        wide += max(len(_NEXT_CELL.findall(line)) for line in lines)
    return wide * (1 + max(rows) - min(rows) + sum(map(bool, map(_NEXT_LINE.match, lines))))


def _parquet(data: bytes, options: ReadOptions) -> Grid:
    import pyarrow.parquet as pq

    table = pq.ParquetFile(
        pa.BufferReader(data), coerce_int96_timestamp_unit="us", page_checksum_verification=True
    ).read()
    places = [at for at, name in enumerate(table.column_names) if not INDEX.fullmatch(name)]
    return grid_of_table(table.select(places), options, [])


def _arrow(data: bytes, options: ReadOptions) -> Grid:
    with pa.ipc.open_file(pa.BufferReader(data)) as file:
        table = file.read_all()
    table.validate(full=True)
    return grid_of_table(table, options, [])


def _orc(data: bytes, options: ReadOptions) -> Grid:
    from pyarrow import orc

    return grid_of_table(orc.ORCFile(pa.BufferReader(data)).read(), options, [])


FORMATS: tuple[Format, ...] = (
    Format("a Parquet file", rb"PAR1", _parquet),
    Format("a workbook", rb"PK\x03\x04|\xd0\xcf\x11\xe0", _workbook),
    Format("an Arrow file", rb"ARROW1\x00", _arrow),
    Format("an ORC file", rb"ORC[\x00-\x1f\x80-\xff]", _orc),
    Format("a JSON file", _START + rb"(\[\s*[\[{\]]|\{\s*[\"}])", read_json),
    Format(
        "a web page (HTML)", _START + rb"(<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+" + _HTML, read_markup
    ),
    Format("a sheet in XML", _START + rb"<\?xml.*urn:schemas-microsoft-com:office", read_markup),
    Format("a file of Stata", rb"<stata_dta>|[\x66-\x73][\x01\x02]", read_stata),
    Format("a file of SAS", rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}LIBRARY", read_sas),
    Format("a file of SPSS", rb"\$FL[23]|.{40,200}SPSS PORT FILE", read_spss),
    Format("an ARFF file of Weka", _START + rb"(\s|%[^\n]*\n)*(?i:@relation)", read_arff),
    Format("a transport file of SAS, version 8", rb"HEADER RECORD\*{7}LIBV8"),
    Format("a picture", rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF.{4}WEBP|II\*\x00|MM\x00\*|<svg"),
    Format("a PDF", rb"%PDF-"),
    Format("an XML file", _START + rb"<(\?xml|!DOCTYPE|[\w:]+ xmlns)"),
    Format("an R file", rb"RD[AX][23]\n|X\n\x00\x00\x00"),
    Format("a file of an old Feather", rb"FEA1[\x00-\x1f]"),
    Format("a stream of Arrow", rb"\xff{4}.{3}\x00"),
    Format("an Avro file", rb"Obj\x01"),
    Format("a file of NumPy", rb"\x93NUMPY"),
    Format("a pickle of Python, which may run code", rb"\x80[\x02-\x05]"),
    Format("a file of MATLAB", rb"MATLAB \d\.\d MAT-file"),
    Format("an HDF5 file", rb"\x89HDF\r\n"),
    Format(
        "a Bayesian network (BIF)", rb"\s*network\s[^\n,;]*\{", None, "choose a table of records"
    ),
    Format("an SQLite database", rb"SQLite format 3\x00"),
    Format("a DuckDB database", rb".{8}DUCK.\x00"),
    Format("a database of Access", rb"\x00\x01\x00\x00Standard (Jet|ACE) DB"),
    Format("a dBase file", rb"[\x03\x30\x83\x8b\xf5].[\x01-\x0c][\x01-\x1f].{8}\x00"),
    Format("a text with formats (RTF)", rb"\{\\rtf"),
    Format(
        _ARCHIVE,
        rb"PK[\x03\x05\x06]|\x1f\x8b|BZh\d1AY|\xfd7zXZ|7z\xbc\xaf|Rar!\x1a|\x28\xb5\x2f\xfd|.{257}ustar",
        None,
        _UNPACK,
    ),
)
