"""Delimited text: bytes to characters, and characters to a table of labels."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from charset_normalizer import from_bytes

from distpriv.errors import TableError
from distpriv.tables.blocks import holds_lines, is_utf8, labels_in
from distpriv.tables.ragged import explain, filled, line_of
from distpriv.tables.repairs import loose
from distpriv.tables.types import check_shape

__all__ = ["ADULT_COLUMNS", "Delimited", "decode", "parse_delimited", "scan"]

ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status"),
    *("occupation", "relationship", "race", "sex", "capital-gain", "capital-loss"),
    *("hours-per-week", "native-country", "income"),
)
"""The columns of UCI's Adult files, which name none themselves."""

_ADULT_LABEL = re.compile(r"[<>]=?50K\.?")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CODE_PAGES = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp932", "gb18030", "big5"]
_CODE_PAGES += ["cp949", "latin_1"]
_SAMPLE = 65_536
_SAMPLE_ROWS = 100
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_DELIMITERS = "\t|;,"
_UNKNOWN_DELIMITERS = ":^~#/\\"
_NO_DELIMITER = "\x1f"  # Cannot stand in a text: `decode` refuses control characters.
_SCAN_BLOCK = 1 << 21
_CONTROL_BYTES = bytes(code for code in range(32) if not 9 <= code <= 13)
_PADDING = b" \r\n\x1a"


@dataclass(frozen=True)
class Delimited:
    """A table of labels, shape (N, m), and the character that separated them.

    Adult files name no columns. What records lack that end early is missing, and `short` the line
    of the first of them, 0 if there is none.
    """

    frame: pd.DataFrame
    delimiter: str
    adult: bool = False
    short: int = 0


def decode(data: bytes) -> str:
    """Turn the bytes of a text file into characters.

    Parameters
    ----------
    data : bytes
        UTF-8, UTF-16 or UTF-32, with or without a byte order mark, or an older code page, which
        is guessed; Western European is taken where the guess is open.

    Raises
    ------
    TableError
        If the bytes are no text; says on which line.
    """
    encoding, start = _encoding(data)
    data = data[start:]
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        raise TableError(
            f"line {line} holds the byte 0x{data[error.start]:02X}, which is not readable as "
            f"{encoding.upper()} text; save the file as CSV in UTF-8, as Parquet or as .xlsx."
        ) from None
    text = text.rstrip(" \r\n\x1a")
    if control := _CONTROL.search(text):
        raise _no_text(text.count("\n", 0, control.start()) + 1, control[0])
    return text


def _no_text(line: int, control: str) -> TableError:
    return TableError(
        "this is neither text nor a kind of file that is known: "
        f"line {line} holds the control character 0x{ord(control):02X}; "
        "choose a CSV, TSV, JSON, Parquet or .xlsx file."
    )


def _encoding(data: bytes) -> tuple[str, int]:
    """Encoding, and the length of the byte order mark."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding, len(mark)
    if b"\0" in data[:_SAMPLE]:
        return _wide_encoding(data), 0
    return "utf-8" if is_utf8(data) else _code_page(data), 0


def _wide_encoding(data: bytes) -> str:
    """UTF-16 without a mark: where the text is ASCII, every other byte is zero."""
    sample = data[:_SAMPLE]
    first, second = sample[::2].count(0), sample[1::2].count(0)
    if max(first, second) < len(sample) / 4 or min(first, second) > max(first, second) / 8:
        raise _no_text(data.count(b"\n", 0, data.index(0)) + 1, "\0")
    return "utf-16-le" if second > first else "utf-16-be"


def _code_page(data: bytes) -> str:
    high = np.count_nonzero(np.frombuffer(data, dtype=np.uint8) > 127)
    understood = data.decode("utf-8", "ignore")
    good = len(understood) - (len(data) - high)
    bad = high - (len(understood.encode()) - (len(data) - high))
    if good > bad:
        return "utf-8"  # A few damaged characters: said to be so rather than all misread.
    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
    guess = from_bytes(telling[:_SAMPLE], cp_isolation=_CODE_PAGES)
    best = guess.best()
    if best is None:
        return "utf-8"
    equal = [
        match for match in guess if (match.chaos, match.coherence) == (best.chaos, best.coherence)
    ]
    western = any("cp1252" in [match.encoding, *match.could_be_from_charset] for match in equal)
    return "cp1252" if western else str(best.encoding)


def parse_delimited(text: str, watch: Callable[[float], object] | None = None) -> Delimited:
    """Read delimited text whose first line names the columns, or one of UCI's Adult files.

    Parameters
    ----------
    text : str
        Values separated by commas, semicolons, tabs or ``|``.
    watch : callable, optional
        Is given the share of the text that has been read, between 0 and 1.

    Returns
    -------
    Delimited
        All columns hold text, as it is written in the file.

    Raises
    ------
    TableError
        If the text is no table; says on which line, counted from 1 with the header.
    """
    if not text.strip():
        raise TableError("the file is empty; choose one with column names and records.")
    if _is_adult(text):
        # Emptied and not removed, so that the lines keep their numbers.
        lines = re.sub(r"(?m)^\|.*$", "", text)
        columns, short = _read(lines, ",", len(ADULT_COLUMNS), watch)
        if short:
            explain(lines.encode(), ",", len(ADULT_COLUMNS))
        income = pc.replace_substring_regex(columns[-1].cast(pa.string()), r"\.\s*$", "")
        columns[-1] = income.dictionary_encode()
        return Delimited(_frame(ADULT_COLUMNS, columns), ",", adult=True)
    delimiter = _delimiter(text)
    names = next(_records(text, delimiter), [])
    check_shape(columns=len(names))
    columns, short = _read(text, delimiter, len(names), watch)
    below = [column.slice(1) for column in columns]
    return Delimited(_frame(names, below), delimiter, short=short)


def scan(
    data: bytes, other: re.Pattern[str], watch: Callable[[float], object] | None = None
) -> Delimited | None:
    """Read text without its characters beside it, if it is a table beyond doubt.

    What is read is what `parse_delimited` reads from the decoded text; whatever needs a closer
    look, or an explanation why it is no table, is left to that.

    Parameters
    ----------
    data : bytes
        As `decode` takes them; those that are no UTF-8 are turned into it in pieces.
    other : pattern
        How a text begins that is no delimited one.
    watch : callable, optional
        Is given the share of the text that has been read, between 0 and 1.

    Returns
    -------
    Delimited or None
        All columns are dictionaries of text, so that a label costs its bytes once.

    Raises
    ------
    TableError
        If the table is too large, or the bytes are plainly no text.
    """
    data, start = _as_utf8(data)
    end = len(data)
    while end > start and data[end - 1] in _PADDING:
        tail = data[max(start, end - _SAMPLE) : end]
        end -= len(tail) - len(tail.rstrip(_PADDING))
    head = data[start : min(end, start + 4 * _SAMPLE + 4)].decode("utf-8", "ignore")
    cut = end > start + 4 * _SAMPLE + 4
    if not head or head[0] in "\r\n|" or other.match(head) or _is_adult(head):
        return None
    # A value without an end, or a header longer than what is looked at.
    first = [record for record, _ in zip(_records(head, ","), range(2), strict=False)]
    if (cut and len(first) < 2) or _holds_control(data, start, end):
        return None
    delimiter = _delimiter(head)
    names = next(_records(head, delimiter), [])
    check_shape(rows=max(1, data.count(b"\n", start, end)), columns=len(names))
    content = memoryview(data)[start:end]
    found = labels_in(content, delimiter, len(names), below=True, watch=watch)
    if found is None or holds_lines(data, found.labels):
        return None
    if not found.short:
        return Delimited(_frame(names, found.labels), delimiter)
    line = line_of(data, delimiter, found.short[0][0], lines=False)
    columns = filled(found, delimiter, below=True)
    return None if columns is None else Delimited(_frame(names, columns), delimiter, short=line)


def _as_utf8(data: bytes) -> tuple[bytes, int]:
    """A text in UTF-8 and the length of the mark before it; as it is, where it cannot be read."""
    encoding, start = _encoding(data)
    if encoding == "utf-8":
        return data, start
    decoder, content = codecs.getincrementaldecoder(encoding)(), io.BytesIO()
    try:
        for place in range(start, len(data), _SCAN_BLOCK):
            content.write(decoder.decode(data[place : place + _SCAN_BLOCK]).encode())
        content.write(decoder.decode(b"", final=True).encode())
    except UnicodeError:
        return data, start
    return content.getvalue(), 0


def _holds_control(data: bytes, start: int, end: int) -> bool:
    for place in range(start, end, _SCAN_BLOCK):
        block = data[place : min(end, place + _SCAN_BLOCK)]
        if len(block.translate(None, _CONTROL_BYTES)) != len(block):
            return True
    return False


def _frame(names: Sequence[str], columns: Sequence[Any]) -> pd.DataFrame:
    return loose(names, [pd.Series(pd.arrays.ArrowExtensionArray(each)) for each in columns])


def _is_adult(text: str) -> bool:
    lines = (line for line in io.StringIO(text) if line.strip() and not line.startswith("|"))
    cells = [cell.strip() for cell in next(lines, "").split(",")]
    return len(cells) == len(ADULT_COLUMNS) and bool(_ADULT_LABEL.fullmatch(cells[-1]))


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    """Records of a text that may be cut off or damaged, up to the damage."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        yield from (record for record in reader if record)
    except csv.Error:
        return


def _delimiter(text: str) -> str:
    """The separator that gives most records as many values as the first one, and most values."""
    sample = text[:_SAMPLE]
    widths = {mark: _widths(sample, mark, len(sample) < len(text)) for mark in _DELIMITERS}
    scores = {
        mark: (counts.count(counts[0]) / len(counts), counts[0])
        for mark, counts in widths.items()
        if counts and counts[0] > 1
    }
    if scores:
        return max(scores, key=lambda mark: scores[mark])
    for mark, counts in widths.items():
        common, times = Counter(counts[1:]).most_common(1)[0] if counts[1:] else (1, 0)
        # A title above the table: read as ragged, which names the line.
        if common > 2 and times >= 0.9 * len(counts[1:]):
            return mark
    _refuse_unknown_delimiter(sample.splitlines()[:_SAMPLE_ROWS])
    return _NO_DELIMITER


def _widths(sample: str, delimiter: str, cut: bool) -> list[int]:
    records = _records(sample, delimiter)
    widths = [len(record) for record, _ in zip(records, range(_SAMPLE_ROWS), strict=False)]
    return widths[:-1] if cut and 1 < len(widths) < _SAMPLE_ROWS else widths


def _refuse_unknown_delimiter(lines: list[str]) -> None:
    lines = [line for line in lines if line.strip()]
    marks = [
        repr(mark)
        for mark in _UNKNOWN_DELIMITERS
        if len(counts := {line.count(mark) for line in lines}) == 1 and counts != {0}
    ]
    words = {len(line.split()) for line in lines}
    if len(lines) > 2 and len(words) == 1 and words.pop() > 2:
        marks.append("blanks")
    if len(lines) > 1 and marks:
        raise TableError(
            f"the values of line 1 seem to be separated by {marks[0]}; "
            "save the file with commas, semicolons, tabs or | between them."
        )


def _read(
    text: str, delimiter: str, width: int, watch: Callable[[float], object] | None
) -> tuple[list[Any], int]:
    """Columns, header included, as arrow dictionaries, and the first short record's line or 0."""
    check_shape(rows=max(1, text.count("\n")), columns=width)
    content = text.encode()
    if (found := labels_in(content, delimiter, width, watch=watch)) is not None:
        if lines := holds_lines(content, found.labels):
            explain(content, delimiter, width, short=not found.short)
        if not found.short:
            return found.labels, 0
        if (columns := filled(found, delimiter)) is not None:
            return columns, line_of(content, delimiter, found.short[0][0], lines=lines)
    explain(content, delimiter, width)
    raise TableError("the text cannot be read as a table; save the file as CSV in UTF-8 again.")
