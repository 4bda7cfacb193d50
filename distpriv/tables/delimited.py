"""Delimited text: its encoding, its dialect, and its cells."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import duckdb
import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.options import ReadOptions

__all__ = ["NO_DELIMITER", "guess_dialect", "load_columns", "load_text", "utf8"]

SAMPLE, LINES = 65_536, 200  # bytes and lines from which the dialect is guessed
NO_DELIMITER = "\x1f"
_CODE_PAGES = "cp1252 cp1250 cp1251 cp1253 cp1254 cp932 gb18030 big5 cp949"
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def utf8(data: bytes) -> tuple[bytes, str]:
    r"""Return text as UTF-8 with ``\n`` between its lines, and the encoding that it had.

    Raises
    ------
    ReadError
        If it holds control characters: then it is no text.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = _guess_encoding(data)
        text = data.decode(encoding, "replace")
    if encoding != "utf-8":
        data = text.encode()
    del text
    data = data.rstrip(b"\x1a")  # how DOS ended a file
    if b"\r" in data:  # DuckDB refuses mixed line ends
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if control := _CONTROL.search(data):
        line = data.count(b"\n", 0, control.start()) + 1
        raise ReadError(
            f"This is no text and no kind of file that is read (line {line} has the control "
            f"character 0x{control[0][0]:02X}); choose a CSV, Excel or Parquet file."
        )
    return data, "utf-8" if encoding.startswith("utf") else encoding


def _guess_encoding(data: bytes) -> str:
    from charset_normalizer import from_bytes

    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:SAMPLE]
    best = from_bytes(telling, cp_isolation=_CODE_PAGES.split()).best()
    usual = telling.decode("cp1252", "replace")
    return best.encoding if best and telling.decode(best.encoding) != usual else "cp1252"


def _rows(data: bytes, delimiter: str, quote: str, escape: str) -> Iterator[list[str]]:
    doubled = escape in ("", quote)
    return csv.reader(
        io.StringIO(data.decode("utf-8", "ignore"), newline=""),
        delimiter=delimiter,
        quotechar=quote,
        escapechar=None if doubled else escape,
        doublequote=doubled,
    )


def _widths(data: bytes, *dialect: str) -> Counter[int]:
    """Count the first lines by their number of cells."""
    rows = zip(_rows(data, *dialect), range(LINES), strict=False)
    return Counter(len(row) for row, _ in rows if row)


def guess_dialect(data: bytes, options: ReadOptions, fixed: frozenset[str]) -> ReadOptions:
    """Return options with the delimiter, quotation mark and escape that fit best.

    They are those with which most lines have the same number of cells. A delimiter that is rare
    within values goes first; colons and blanks are tried where no other fits.

    Raises
    ------
    ReadError
        If the lines are running text, or values at fixed places.
    """
    if "delimiter" in fixed:
        return options
    sample, start = data[:SAMPLE], 1
    if len(data) > SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    hint = re.match(rb'"?sep=([ -~\t])"?\n', sample)
    if hint:  # a line that Excel understands
        sample, start = sample[hint.end() :], 2
    escape = "\\" if b'\\"' in sample else ""
    best: tuple[float, str, str] = (0.0, NO_DELIMITER, '"')
    for delimiters in (hint[1].decode(),) if hint else ("\t;|,", ": "):
        for delimiter in delimiters if best[0] < 0.6 else "":
            mark = re.escape(delimiter.encode())
            single = re.search(
                b"(^|" + mark + b")'[^'\n]*" + mark + b"[^'\n]*'", sample, re.MULTILINE
            )
            for quote in "\"'" if single else '"':
                widths = _widths(sample, delimiter, quote, escape)
                width, times = widths.most_common(1)[0]
                share = times / widths.total() if width > 1 else 0.0
                best = max(best, (share, delimiter, quote), key=lambda one: one[0])
    if best[0] < 0.6:
        _refuse_prose(sample.decode("utf-8", "ignore").splitlines()[:LINES])
        best = (0.0, NO_DELIMITER, '"')
    changes = {"delimiter": best[1], "quote": best[2], "escape": escape or best[2]}
    options = options.changed(**{key: one for key, one in changes.items() if key not in fixed})
    if start == 2 and not {"header", "first"} & fixed:
        return options.changed(header=(2,), first=3)
    return options


def _refuse_prose(lines: list[str]) -> None:
    if len({len(line) for line in lines[:-1]}) == 1 and len(lines) > 3 and len(lines[0]) > 6:
        raise ReadError(
            f"Every line has {len(lines[0])} characters and no separator, so the values stand at "
            "fixed places; save the table with commas between the values."
        )
    filled = [line for line in lines[1:] if line.strip()] or lines
    wordy = [line for line in filled if len(line.split()) >= 4]
    if 2 * len(wordy) > len(filled) and 2 * len(set(wordy)) > len(wordy):
        raise ReadError(
            "This is running text and no table; choose a file with the same number of values in "
            "every line."
        )


def load_columns(
    db: duckdb.DuckDBPyConnection, columns: Sequence[pa.Array] | Sequence[pa.ChunkedArray]
) -> None:
    """Make Arrow's columns the relation ``grid``; DuckDB reads them where they are."""
    db.register("cells", pa.table({f"c{i}": column for i, column in enumerate(columns)}))
    db.execute("CREATE TEMP VIEW grid AS SELECT row_number() OVER () AS rn, * FROM cells")


def load_text(db: duckdb.DuckDBPyConnection, data: bytes, options: ReadOptions, most: int) -> int:
    """Load delimited text into the relation ``grid`` and return its number of columns.

    Short lines are filled with missing values; one that is longer than the others is refused.
    Nothing is loaded of more columns than `most`.

    Raises
    ------
    ReadError
        Names the line and what is wrong with it.
    """
    dialect = (options.delimiter, options.quote, options.escape)
    widths = _widths(data[:SAMPLE], *dialect)
    width = widths.most_common(1)[0][0] if widths else 1
    if width > most:
        return width
    if not hasattr(os, "memfd_create"):  # not on Linux: slower, and as right
        _load_rows(db, list(_rows(data, *dialect)), width)
        return width
    handle = os.memfd_create("table")  # memory with a path: nothing is written to disk
    try:
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(data)
        try:
            _load_csv(db, handle, width, dialect, parallel=True)
        except duckdb.Error as error:  # line breaks within quotes and short lines need one thread
            if "parallel" not in str(error):
                raise
            _load_csv(db, handle, width, dialect, parallel=False)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise ReadError(_explain(str(error), width)) from None
    finally:
        os.close(handle)
    return width


def _load_csv(
    db: duckdb.DuckDBPyConnection,
    handle: int,
    width: int,
    dialect: tuple[str, str, str],
    *,
    parallel: bool,
) -> None:
    raw = db.read_csv(
        f"/proc/self/fd/{handle}",
        header=False,
        auto_detect=False,
        sep=dialect[0],
        quotechar=dialect[1],
        escapechar=dialect[2],
        null_padding=True,
        all_varchar=True,
        parallel=parallel,
        columns={f"c{place}": "VARCHAR" for place in range(width)},
        max_line_size=8_000_000,
    )
    cells = "SELECT row_number() OVER () AS rn, * FROM raw"
    raw.query("raw", f"CREATE TEMP TABLE grid AS {cells}")


def _load_rows(db: duckdb.DuckDBPyConnection, rows: list[list[str]], width: int) -> None:
    for number, row in enumerate(rows, start=1):
        if len(row) > width:
            text = f"on Line: {number} Found: {len(row)} Original Line: {row}"
            raise ReadError(_explain(text, width))
    cells = ([row[i] or None if i < len(row) else None for row in rows] for i in range(width))
    load_columns(db, [pa.array(column, pa.string()) for column in cells])


def _explain(message: str, width: int) -> str:
    """Say why DuckDB refuses a line."""
    line = re.search(r"on Line: (\d+)", message)
    cells = re.search(r"Found: (\d+)", message)
    text = re.search(r"Original Line: ?(.*)", message)
    where = f"Line {line[1]}" if line else "A line"
    if cells and text:
        return (
            f"{where} has {cells[1]} values where the others have {width} ({text[1][:60]!r}); "
            "remove values, or put quotation marks around one that holds the separator."
        )
    return (
        f"{where} cannot be read; close its quotation mark, or shorten it to less than 8 million "
        "characters."
    )
