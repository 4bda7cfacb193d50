"""Records that do not have as many values as there are columns: filled, or told by their line."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from distpriv.errors import TableError
from distpriv.tables.labels import counted, shown

__all__ = ["Padded", "explain", "filled", "unfilled"]

_LACKING = "\x1e"  # cannot stand in a text: control characters are refused where it is decoded


@dataclass(frozen=True)
class Padded:
    """A text in which short records have as many values as the others.

    Attributes
    ----------
    text : str
    line : int
        Of the first record that was short, from 1.
    """

    text: str
    line: int


def filled(text: str, delimiter: str, width: int) -> Padded | None:
    """Fill up records that end early; None unless that is all that is wrong.

    Not if a record is too long, or a quotation mark is not closed as it should be, or has taken
    more than a line into a short record; nor if more than half of the records are short, for then
    it is rather the first line or the separator that is wrong.

    Parameters
    ----------
    text, delimiter : str
    width : int
        How many columns there are.
    """
    out = io.StringIO(newline="")
    write = csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line, first, short, count, broken = 1, 0, 0, 0, False
    try:
        for record in reader:
            lacking = width - len(record)
            if lacking < 0:
                return None
            if record:
                count += 1
                if lacking:
                    first, short = first or line, short + 1
                    broken = broken or reader.line_num > line
                write(record + [_LACKING] * lacking)
            line = reader.line_num + 1
    except csv.Error:
        return None
    if not short or broken or 2 * short > count - 1:
        return None
    return Padded(out.getvalue(), first)


def unfilled(column: Any) -> Any:
    """An arrow column of text, with null for what `filled` has put in."""
    return pc.if_else(pc.equal(column, _LACKING), pa.scalar(None, column.type), column)


def explain(text: str, delimiter: str, width: int) -> None:
    """Raise TableError for the first record that is too long, or else too short, if there is one.

    Parameters
    ----------
    text, delimiter : str
    width : int
        How many columns there are.

    Raises
    ------
    TableError
        Names its line, counted from 1.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line, short = 1, None
    try:
        for record in reader:
            if len(record) > width:
                raise _ragged(line, len(record), width, delimiter)
            if record and len(record) < width and short is None:
                short = _ragged(line, len(record), width, delimiter)
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
    if short is not None:
        raise short


def _ragged(line: int, found: int, width: int, delimiter: str) -> TableError:
    return TableError(
        f"line {line} has {counted(found, 'value')} where the first line names "
        f"{counted(width, 'column')}; add or remove values, or put a value that contains "
        f"{shown(delimiter)} in quotation marks."
    )
