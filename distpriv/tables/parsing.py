"""Bytes to a table: which kind of file it is decides its content, never its name."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from distpriv.errors import TableError
from distpriv.tables.delimited import decode, parse_delimited, scan
from distpriv.tables.excel import as_values, name_of, read_workbook
from distpriv.tables.json_tables import as_text, parse_json, series_of, without_nested
from distpriv.tables.labels import shown
from distpriv.tables.members import archive_of, member_of
from distpriv.tables.repairs import Choices, Repair, RepairKind, loose, respaced
from distpriv.tables.types import check_shape

__all__ = ["MAX_BYTES", "RawTable", "parse", "too_large"]

MAX_BYTES = 2**29

_KINDS = {
    b"BZh91AY&SY": "packed with bzip2",
    b"\xfd7zXZ\0": "packed with xz",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
    b"7z\xbc\xaf\x27\x1c": "packed with 7-Zip",
    b"Rar!\x1a\x07": "packed with RAR",
    b"%PDF-": "a PDF document",
    b"ARROW1\0\0": "an Arrow or Feather file",
    b"SQLite format 3\0": "an SQLite database",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"\x89PNG\r\n\x1a\n": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
}
_ADVICE = "save the table as CSV, Parquet or .xlsx"
# "[id],name" is a header as some databases write it, so a bracket alone does not make JSON.
_JSON = re.compile(r'\s*(\{|\[\s*([\[{\]"\d-]|null|true|false))')
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns as a file holds them.

    Attributes
    ----------
    frame : DataFrame, shape (N, m)
        Columns of text hold their labels as they are written; names may be blank or stand twice.
    semicolons : bool
        Whether the values were separated by semicolons.
    headed : bool
        Whether the names stood in a row of their own.
    short : int
        Line of the first record that ended early; 0 if none did.
    repairs : tuple of Repair
    members : tuple of str
        Tables of the archive, or sheets of the workbook.
    member : str
        The one that this is.
    """

    frame: pd.DataFrame
    semicolons: bool = False
    headed: bool = False
    short: int = 0
    repairs: tuple[Repair, ...] = ()
    members: tuple[str, ...] = ()
    member: str = ""


def too_large(kind: str = "the file") -> TableError:
    """The error for content of more than ``MAX_BYTES``."""
    return TableError(
        f"{kind} holds more than {MAX_BYTES // 2**20} MB; choose a random part of the rows."
    )


def parse(
    data: bytes,
    choices: Choices | None = None,
    watch: Callable[[float], object] | None = None,
) -> RawTable:
    """Read the content of a file of any known kind.

    Parameters
    ----------
    data : bytes
        CSV, TSV, other delimited text, JSON, JSON Lines, Parquet, a workbook, or one of UCI's
        Adult files; any of them may be packed with gzip, or lie in a zip archive.
    choices : Choices, optional
    watch : callable, optional
        Is given the share of a delimited text that has been read, between 0 and 1.

    Returns
    -------
    RawTable

    Raises
    ------
    TableError
        If the content is no table; one sentence, without a capital letter at its start.
    """
    choices = Choices() if choices is None else choices
    if data.startswith(b"\x1f\x8b"):
        data = _unpack(data)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _parse_zip(data, choices, watch)
    if choices.member and not data.startswith(_OLD_OFFICE):
        raise TableError(f"there is no {shown(choices.member)} in the file, which holds one table.")
    return _parse_one(data, choices, watch)


def _parse_one(data: bytes, choices: Choices, watch: Callable[[float], object] | None) -> RawTable:
    if not data:
        raise TableError("the file is empty; choose one with column names and records.")
    if data.startswith(b"PAR1"):
        return _parse_parquet(data, choices.undo)
    if data.startswith(_OLD_OFFICE):
        return _parse_workbook(data, choices.member)
    for magic, kind in _KINDS.items():
        if data.startswith(magic):
            raise TableError(f"the file is {kind}, which cannot be read here; {_ADVICE}.")
    data, repairs = respaced(data, choices.undo)
    if not repairs and (quick := scan(data, _JSON, watch)):
        return RawTable(
            quick.frame, semicolons=quick.delimiter == ";", headed=True, short=quick.short
        )
    text = decode(data)
    if _JSON.match(text) and not repairs:
        frame, repairs = parse_json(text, choices.undo)
        return RawTable(frame, repairs=repairs)
    if repairs and repairs[0].undone:
        lines = [line for line in text.splitlines() if line.strip()]
        check_shape(rows=len(lines) - 1)
        column = pd.Series(lines[1:], dtype="str")
        return RawTable(loose(lines[:1], [column]), headed=True, repairs=repairs)
    table = parse_delimited(text, watch)
    return RawTable(
        table.frame,
        semicolons=table.delimiter == ";",
        headed=not table.adult,
        short=table.short,
        repairs=repairs,
    )


def _unpack(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise TableError("the gzip file is damaged; pack or download it again.") from None
    if len(content) > MAX_BYTES:
        raise too_large("the unpacked file")
    return content


def _parse_parquet(data: bytes, undo: Collection[RepairKind]) -> RawTable:
    try:
        file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
        schema = file.schema_arrow
        check_shape(rows=file.metadata.num_rows, columns=len(schema))
        nested = [field.name for field in schema if _arrow_target(field.type) is None]
        table = _bounded_table(file)
        table.validate(full=True)  # The reader takes labels that are no UTF-8 without a check.
        columns: list[pd.Series | None] = []
        for field, column in zip(schema, table.columns, strict=True):
            target = _arrow_target(field.type)
            if target is not None:
                columns.append(_from_arrow(column.cast(target, safe=False)))
            elif "nested" in undo:
                columns.append(series_of([as_text(value) for value in column.to_pylist()]))
            else:
                columns.append(None)
    except TableError:
        raise
    except Exception:  # noqa: BLE001 - a damaged file makes the reader raise anything
        raise TableError("the Parquet file is damaged; write or download it again.") from None
    # An index without a name is no column of the table it was saved from.
    kept = [
        (name, column)
        for name, column in zip(schema.names, columns, strict=True)
        if column is not None and not name.startswith("__index_level_")
    ]
    frame, repairs = without_nested(kept, nested, undo)
    return RawTable(frame, repairs=repairs)


def _bounded_table(file: Any) -> Any:
    batches, size = [], 0
    for batch in file.iter_batches():
        batches.append(batch)
        size += batch.nbytes
        if size > MAX_BYTES:
            raise too_large("the unpacked Parquet file")
    return pa.Table.from_batches(batches, file.schema_arrow)


def _arrow_target(kind: Any) -> Any:
    """The arrow type to read a Parquet column as; None for a nested or binary one."""
    types = pa.types
    if types.is_dictionary(kind):
        return kind if _arrow_target(kind.value_type) is not None else None
    if types.is_boolean(kind) or types.is_integer(kind):
        return kind
    if types.is_floating(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_date(kind) or types.is_timestamp(kind):
        return pa.timestamp("us", getattr(kind, "tz", None))
    if pa.string() == kind or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.large_string()
    if types.is_null(kind) or types.is_time(kind):
        return pa.large_string()
    return None


def _from_arrow(column: Any) -> pd.Series:
    values = column.to_pandas()
    return pd.Series(values, dtype="boolean") if pa.types.is_boolean(column.type) else values


def _parse_zip(data: bytes, choices: Choices, watch: Callable[[float], object] | None) -> RawTable:
    archive = archive_of(data)
    if archive.workbook:
        if archive.size > MAX_BYTES:
            raise too_large("the unpacked workbook")
        return _parse_workbook(data, choices.member)
    names = archive.names
    if not names:
        raise TableError(f"the zip archive holds no file that may be a table; {_ADVICE}.")
    name = choices.member or names[0]
    content = member_of(data, name, MAX_BYTES)
    if len(content) > MAX_BYTES:
        raise too_large(f"{shown(name)} in the zip archive")
    if content.startswith(b"\x1f\x8b"):
        content = _unpack(content)
    inner = replace(choices, member="")
    try:
        if not content.startswith(b"PK\x03\x04"):
            raw = _parse_one(content, inner, watch)
        elif archive_of(content).workbook:
            raw = _parse_zip(content, inner, watch)
        else:
            raise TableError("this is a zip archive again; unpack it.")
    except TableError as error:
        raise TableError(f"{shown(name)} in the zip archive: {error}") from None
    return replace(raw, members=names, member=name)


def _parse_workbook(data: bytes, wanted: str) -> RawTable:
    sheet = read_workbook(data, wanted)
    width = max(map(len, sheet.rows))
    check_shape(rows=len(sheet.rows) - 1, columns=width)
    first, *others = ([*row, *[None] * (width - len(row))] for row in sheet.rows)
    names = [name_of(cell) for cell in first]
    columns = [series_of(as_values(column)) for column in zip(*others, strict=True)]
    # A table often starts in the second column.
    start = next(i for i, name in enumerate(names) if name or columns[i].notna().any())
    return RawTable(
        loose(names[start:], columns[start:]),
        headed=True,
        members=sheet.sheets if len(sheet.sheets) > 1 else (),
        member=sheet.name,
    )
