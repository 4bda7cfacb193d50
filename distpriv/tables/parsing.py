"""Bytes to a table: which kind of file it is decides its content, never its name."""

from __future__ import annotations

import gzip
import io
import json
import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from distpriv.errors import TableError
from distpriv.tables.delimited import decode, parse_delimited
from distpriv.tables.labels import counted, shown, text_of
from distpriv.tables.types import check_shape, frame_of

__all__ = ["MAX_BYTES", "RawTable", "parse", "too_large"]

MAX_BYTES = 2**29

_KINDS = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Excel workbook (.xls)",
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
_EXCEL_ERRORS = {"#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"}
_EXCEL_CELLS = 20_000_000


@dataclass(frozen=True)
class RawTable:
    """Columns as a file holds them.

    Attributes
    ----------
    frame : DataFrame, shape (N, m)
        Columns of text hold their labels as they are written.
    semicolons : bool
        Whether the values were separated by semicolons.
    """

    frame: pd.DataFrame
    semicolons: bool = False


def too_large(kind: str = "the file") -> TableError:
    """The error for content of more than ``MAX_BYTES``."""
    return TableError(
        f"{kind} holds more than {MAX_BYTES // 2**20} MB; choose a random part of the rows."
    )


def parse(data: bytes) -> RawTable:
    """Read the content of a file of any known kind.

    Parameters
    ----------
    data : bytes
        CSV, TSV, other delimited text, JSON, JSON Lines, Parquet, .xlsx, or one of UCI's Adult
        files; any of them may be packed with gzip.

    Returns
    -------
    RawTable

    Raises
    ------
    TableError
        If the content is no table; one sentence, without a capital letter at its start.
    """
    if data.startswith(b"\x1f\x8b"):
        data = _unpack(data)
    if not data:
        raise TableError("the file is empty; choose one with column names and records.")
    if data.startswith(b"PAR1"):
        return RawTable(_parse_parquet(data))
    if data.startswith(b"PK\x03\x04"):
        return RawTable(_parse_zip(data))
    for magic, kind in _KINDS.items():
        if data.startswith(magic):
            raise TableError(f"the file is {kind}, which cannot be read here; {_ADVICE}.")
    text = decode(data)
    if _JSON.match(text):
        return RawTable(_parse_json(text))
    table = parse_delimited(text)
    return RawTable(table.frame, semicolons=table.delimiter == ";")


def _unpack(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise TableError("the gzip file is damaged; pack or download it again.") from None
    if len(content) > MAX_BYTES:
        raise too_large("the unpacked file")
    return content


def _parse_parquet(data: bytes) -> pd.DataFrame:
    try:
        file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
        schema = file.schema_arrow
        check_shape(rows=file.metadata.num_rows, columns=len(schema))
        targets = [_arrow_target(field.name, field.type) for field in schema]
        table = _bounded_table(file)
        table.validate(full=True)  # The reader takes labels that are no UTF-8 without a check.
        columns = [
            _from_arrow(column.cast(target, safe=False))
            for column, target in zip(table.columns, targets, strict=True)
        ]
    except TableError:
        raise
    except Exception:  # noqa: BLE001 - a damaged file makes the reader raise anything
        raise TableError("the Parquet file is damaged; write or download it again.") from None
    # An index without a name is no column of the table it was saved from.
    kept = [i for i, name in enumerate(schema.names) if not name.startswith("__index_level_")]
    return frame_of([schema.names[i] for i in kept], [columns[i] for i in kept])


def _bounded_table(file: Any) -> Any:
    batches, size = [], 0
    for batch in file.iter_batches():
        batches.append(batch)
        size += batch.nbytes
        if size > MAX_BYTES:
            raise too_large("the unpacked Parquet file")
    return pa.Table.from_batches(batches, file.schema_arrow)


def _arrow_target(name: str, kind: Any) -> Any:
    """The arrow type to read a Parquet column as."""
    types = pa.types
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_dictionary(kind):
        return kind
    if types.is_floating(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_date(kind) or types.is_timestamp(kind):
        return pa.timestamp("us", getattr(kind, "tz", None))
    if pa.string() == kind or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.large_string()
    if types.is_null(kind) or types.is_time(kind):
        return pa.large_string()
    raise TableError(
        f"column {shown(name)} holds values of the kind {shown(kind)}, which are neither numbers "
        "nor labels nor dates; unfold or remove the column."
    )


def _from_arrow(column: Any) -> pd.Series:
    values = column.to_pandas()
    return pd.Series(values, dtype="boolean") if pa.types.is_boolean(column.type) else values


def _parse_zip(data: bytes) -> pd.DataFrame:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise TableError("the .xlsx or zip file is damaged; save it again.") from None
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise TableError(f"the file is a zip archive and no .xlsx; unpack it, or {_ADVICE}.")
    if size > MAX_BYTES:
        raise too_large("the unpacked .xlsx file")
    rows = _excel_rows(data)
    if not rows:
        raise TableError("the workbook has no sheet with data; fill one in and save it.")
    return _frame_of_rows(rows)


def _excel_rows(data: bytes) -> list[tuple[object, ...]]:
    """Rows of the first sheet that has any, without the blank ones."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            for sheet in book.worksheets:
                # The size a sheet states is often wrong, and a wrong one hides or invents cells.
                sheet.reset_dimensions()
                if rows := _filled_rows(sheet.iter_rows(values_only=True)):
                    return rows
    except TableError:
        raise
    except Exception:  # noqa: BLE001 - a damaged file makes the reader raise anything
        raise TableError("the .xlsx file is damaged; open it in Excel and save it again.") from None
    return []


def _filled_rows(sheet: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    rows, cells = [], 0
    for row in sheet:
        filled = [i for i, value in enumerate(row) if not _is_blank(value)]
        if filled:
            rows.append(row[: filled[-1] + 1])
            cells += len(rows[-1])
            check_shape(columns=len(rows[-1]))
        if cells > _EXCEL_CELLS:
            raise too_large("the sheet")
    return rows


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _frame_of_rows(rows: list[tuple[object, ...]]) -> pd.DataFrame:
    width = max(len(row) for row in rows)
    padded = [row + (None,) * (width - len(row)) for row in rows]
    names = ["" if _is_blank(name) else text_of(name) for name in padded[0]]
    check_shape(rows=len(padded) - 1, columns=width)
    columns = [
        series_of([None if value in _EXCEL_ERRORS else value for value in column[1:]])
        for column in zip(*padded, strict=True)
    ]
    # A table often starts in the second column.
    start = next(i for i, name in enumerate(names) if name or columns[i].notna().any())
    return frame_of(names[start:], columns[start:])


def _parse_json(text: str) -> pd.DataFrame:
    document = _load_json(text)
    if isinstance(document, dict) and _is_split(document):
        columns = _columns_of_split(document)
    elif isinstance(document, dict) and all(isinstance(v, list) for v in document.values()):
        columns = document
    else:
        columns = _columns_of_records(document if isinstance(document, list) else [document])
    _check_lengths(columns)
    for name, values in columns.items():
        _check_cells(name, values)
    return frame_of(list(columns), [series_of(values) for values in columns.values()])


def _check_lengths(columns: dict[str, list[Any]]) -> None:
    check_shape(columns=len(columns))
    (first, values), *others = columns.items()
    check_shape(rows=len(values), columns=len(columns))
    for name, position in others:
        if len(position) != len(values):
            raise TableError(
                f"column {shown(name)} has {counted(len(position), 'value')} where column "
                f"{shown(first)} has {len(values)}; write null where a value is missing."
            )


def _load_json(text: str) -> Any:
    first, _, rest = text.strip().partition("\n")
    if rest and _is_object(first):
        lines = enumerate(text.split("\n"), start=1)
        return [_loads(line, number) for number, line in lines if line.strip()]
    return _loads(text, 1)


def _loads(source: str, line: int) -> Any:
    try:
        return json.loads(source, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise TableError(
            f"the JSON is damaged at line {line + error.lineno - 1}, character {error.colno}; "
            "correct it there."
        ) from None
    except TableError:
        raise
    except (RecursionError, ValueError):
        raise TableError(
            f"the JSON from line {line} on is nested too deeply or holds a number that is too "
            "long; write it as a list of flat records."
        ) from None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(name for name, times in Counter(n for n, _ in pairs).items() if times > 1)
        raise TableError(f"the name {shown(twice)} stands twice in one JSON object; rename one.")
    return members


def _is_split(document: dict[str, Any]) -> bool:
    return (
        {"columns", "data"} <= document.keys() <= {"columns", "data", "index"}
        and isinstance(document["columns"], list)
        and isinstance(document["data"], list)
        and all(isinstance(row, list) for row in document["data"])
    )


def _columns_of_split(document: dict[str, Any]) -> dict[str, list[Any]]:
    names = [text_of(name) for name in document["columns"]]
    if len(set(names)) < len(names):
        raise TableError("two columns have the same name; give every column a name of its own.")
    for position, row in enumerate(document["data"]):
        if len(row) != len(names):
            raise TableError(
                f"record {position + 1} has {counted(len(row), 'value')} where there are "
                f"{counted(len(names), 'column')}; add or remove values."
            )
    return {name: [row[i] for row in document["data"]] for i, name in enumerate(names)}


def _columns_of_records(records: list[Any]) -> dict[str, list[Any]]:
    names: dict[str, None] = {}
    for position, record in enumerate(records):
        if not isinstance(record, dict):
            raise TableError(
                f"record {position + 1} is no JSON object with column names; "
                "write the table as a list of such objects."
            )
        names.update(dict.fromkeys(record))
        check_shape(columns=len(names) or 1)
    if not records:
        raise TableError("the JSON holds no records; add at least one.")
    check_shape(rows=len(records), columns=len(names))
    return {name: [record.get(name) for record in records] for name in names}


def _check_cells(name: str, values: list[object]) -> None:
    for position, value in enumerate([name, *values]):
        if isinstance(value, dict | list):
            raise TableError(
                f"column {shown(name)} holds a nested value in record {position}; "
                "write one value in each cell."
            )
        if isinstance(value, str) and not value.isascii() and _is_half(value):
            where = f"in record {position}" if position else "in its name"
            raise TableError(
                f"column {shown(name)} holds half a character (an escape such as \\ud83d) "
                f"{where}; write the whole character."
            )


def _is_half(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def series_of(values: list[Any]) -> pd.Series:
    """Turn Python values into numbers, booleans, dates or, where they are mixed, text."""
    kind = pd.api.types.infer_dtype(values, skipna=True)
    raw = pd.Series(values, dtype=object)
    try:
        if kind == "boolean":
            return raw.astype("boolean")
        if kind == "decimal":
            return raw.astype("float64")
        if kind in {"integer", "floating", "mixed-integer-float"}:
            numbers = pd.to_numeric(raw)
            if numbers.dtype != object:
                return numbers
        if kind in {"datetime", "datetime64", "date"}:
            return pd.to_datetime(raw, utc=True)
    except (ValueError, TypeError, OverflowError):
        pass  # Out of the type's range, so kept as it is written.
    texts = [None if pd.isna(value) else text_of(value) for value in values]
    return pd.Series(np.array(texts, dtype=object), dtype="str")
