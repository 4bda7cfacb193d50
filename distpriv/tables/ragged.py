"""Records that do not have as many values as there are columns: filled, or told by their line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from distpriv.errors import TableError
from distpriv.tables.blocks import Columns, joined
from distpriv.tables.labels import counted, shown

__all__ = ["explain", "filled", "line_of"]


def filled(found: Columns, delimiter: str, *, below: bool = False) -> list[Any] | None:
    """Put records that end early among the others; what they lack is null.

    Not if a quotation mark is not closed as it should be, or has taken more than a line into a
    short record; nor if more than half of the records are short, for then it is rather the first
    line or the separator that is wrong.

    Parameters
    ----------
    found : Columns
        Emptied on the way, so that no column is held twice.
    delimiter : str
    below : bool
        Whether the text's first line is left out of the columns.

    Returns
    -------
    list of DictionaryArray, or None
    """
    labels, short = found.labels, found.short
    count, width = len(labels[0]), len(labels)
    if 2 * len(short) > count + len(short) - int(not below):
        return None
    records = [_record(text, delimiter) for _, text in short]
    if any(record is None or len(record) >= width for record in records):
        return None
    numbers = np.arange(len(short))
    places = np.array([number for number, _ in short]) - 1 - int(below)
    order = pa.array(np.insert(np.arange(count), places - numbers, count + numbers))
    columns = []
    while labels:
        place = len(labels) - 1
        values = [record[place] if place < len(record) else None for record in records if record]
        column = labels.pop()
        added = pa.array(values, column.type.value_type).dictionary_encode()
        columns.append(joined([column, added]).take(order))
    return columns[::-1]


def _record(text: str, delimiter: str) -> list[str] | None:
    if "\n" in text or "\r" in text:
        return None
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error:
        return None


def line_of(content: bytes, delimiter: str, number: int, *, lines: bool) -> int:
    """Line on which a record begins, from 1.

    Parameters
    ----------
    content : bytes
        UTF-8.
    delimiter : str
    number : int
        Of the record, from 1; empty lines are none.
    lines : bool
        Whether a value may hold several lines.
    """
    text = _lines(content)
    if not lines:
        full = (line for line, record in enumerate(text, start=1) if record.strip("\r\n"))
        return next(islice(full, number - 1, None), number)
    reader = csv.reader(text, delimiter=delimiter)
    line = 1
    for record in reader:
        if record:
            number -= 1
        if not number:
            break
        line = reader.line_num + 1
    return line


def _lines(content: bytes) -> Iterator[str]:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")


def explain(content: bytes, delimiter: str, width: int, *, short: bool = True) -> None:
    """Raise TableError for the first record that is too long, or else too short, if there is one.

    Parameters
    ----------
    content : bytes
        UTF-8.
    delimiter : str
    width : int
        How many columns there are.
    short : bool
        Whether a record must not end early.

    Raises
    ------
    TableError
        Names its line, counted from 1.
    """
    reader = csv.reader(_lines(content), delimiter=delimiter, strict=True)
    line, first = 1, None
    try:
        for record in reader:
            if len(record) > width:
                raise _ragged(line, len(record), width, delimiter)
            if short and record and len(record) < width and first is None:
                first = _ragged(line, len(record), width, delimiter)
            line = reader.line_num + 1
    except csv.Error as error:
        if "field limit" in str(error):
            raise TableError(
                f"line {line} holds a value of more than {csv.field_size_limit()} characters; "
                "shorten it, or look for a quotation mark that is not closed."
            ) from None
        raise TableError(
            f"line {line} opens a quotation mark that is not closed as it should be; "
            'close it, and write a quotation mark inside a value as "".'
        ) from None
    if first is not None:
        raise first


def _ragged(line: int, found: int, width: int, delimiter: str) -> TableError:
    return TableError(
        f"line {line} has {counted(found, 'value')} where the first line names "
        f"{counted(width, 'column')}; add or remove values, or put a value that contains "
        f"{shown(delimiter)} in quotation marks."
    )
