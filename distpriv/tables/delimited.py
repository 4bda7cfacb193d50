"""Delimited text: its encoding, its dialect, and its cells."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.grids import check_width
from distpriv.tables.options import ReadOptions, excerpt

__all__ = ["FIXED_PLACES", "NO_DELIMITER", "guess_dialect", "load_text", "utf8"]

SAMPLE, LINES = 65_536, 200  # bytes and lines from which the dialect is guessed
FEW = 4  # letters that tell no code page
LONGEST = 8 << 20  # bytes of a line that is read without a detour
NO_DELIMITER, FIXED_PLACES = "\x1f", "\x1e"
WIDEST = 10_000  # characters of a line with values at fixed places
_CODE_PAGES = "cp1252 cp1250 cp1251 cp1253 cp1254 cp932 gb18030 big5 cp949"
_MARKS = (
    (rb"\xef\xbb\xbf", "utf-8-sig"),
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "utf-32"),
    (rb"\xff\xfe|\xfe\xff", "utf-16"),
    (rb"([^\0]\0\0\0){2}", "utf-32-le"),
    (rb"([^\0]\0){4}", "utf-16-le"),
    (rb"(\0[^\0]){4}", "utf-16-be"),
)
_WESTERN = "àáâãäåæçèéêëìíîïñòóôöøùúüßÄÖÜÀÉ°€’“”–"
_ODD = re.compile("[a-z][^\x00-\x7fß-ÿœ’\\s][a-z]")  # among small letters of western languages
_MARKED = bytes(code not in b" \xa0" for code in range(256))
_TEXT = bytes([*range(9, 14), *range(32, 256)])


def utf8(data: bytes) -> tuple[bytes, str]:
    r"""Return text as UTF-8 with ``\n`` between its lines, and the encoding that it had."""
    encoding = next((name for mark, name in _MARKS if re.match(mark, data)), "utf-8")
    if encoding == "utf-8" and not _is_utf8(data):
        encoding = _guess_encoding(data)
    if encoding != "utf-8":
        errors = "ignore" if encoding.startswith("utf") else "replace"  # of a text that is cut off
        data = data.decode(encoding, errors).encode()
    data = data.rstrip(b"\x1a")  # how DOS ended a file
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    blocks = (data[at : at + LONGEST].translate(None, _TEXT) for at in range(0, len(data), LONGEST))
    if control := next(filter(None, blocks), b""):
        line = data.count(b"\n", 0, data.index(control[:1])) + 1
        raise ReadError(
            f"This is not text, nor a known kind of file (line {line} has the control character "
            f"0x{control[0]:02X}); choose a CSV, Excel or Parquet file."
        )
    return data, "utf-8" if encoding.startswith("utf") else encoding


def _is_utf8(data: bytes) -> bool:
    """Check text where it is, for a copy may take four times its size."""
    ends = pa.py_buffer(np.array([0, len(data)]))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(data)]).validate(
            full=True
        )
    except pa.ArrowInvalid:
        return False
    return True


def _guess_encoding(data: bytes) -> str:
    from charset_normalizer import from_bytes

    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
    telling = telling[: telling.find(b"\n", SAMPLE)] if len(telling) > SAMPLE else telling
    usual, mac = (telling.decode(name, "replace") for name in ("cp1252", "mac_roman"))
    letters = [sign for sign in usual if sign > "\x7f"]
    western = sum(map(_WESTERN.__contains__, letters)) >= 0.95 * len(letters)
    if 5 * len(re.findall(rb"[\x80-\xff]{2}", telling)) < len(letters):  # they stand alone
        if len(_ODD.findall(mac)) < len(_ODD.findall(usual)):
            return "mac_roman"
        if western or len(letters) < FEW:
            return "cp1252"
    best = from_bytes(telling, cp_isolation=_CODE_PAGES.split()).best()
    return best.encoding if best and telling.decode(best.encoding) != usual else "cp1252"


def _rows(data: bytes, delimiter: str, quote: str, escape: str, *, strict: bool = False) -> Any:
    return csv.reader(
        io.StringIO(data.decode("utf-8", "ignore"), newline=""),
        delimiter=delimiter,
        quotechar=quote,
        escapechar=None if escape == quote else escape,
        doublequote=escape == quote,
        strict=strict,
    )


def _widths(data: bytes, *dialect: str) -> Counter[int]:
    """Count the first lines by their number of cells."""
    rows = zip(_rows(data, *dialect), range(LINES), strict=False)
    try:
        return Counter(len(row) for row, _ in rows if row)
    except csv.Error:
        raise ReadError(
            f"A value in the first lines has more than {csv.field_size_limit()} characters; "
            "shorten it, or close its quotation mark."
        ) from None


def _sample(data: bytes) -> bytes:
    """Return whole lines at the top."""
    end = SAMPLE
    while end < len(data) and data.count(b"\n", 0, end) < 2:
        end *= 4
    return data if end >= len(data) else data[: data.rfind(b"\n", 0, end) + 1]


def guess_dialect(data: bytes, options: ReadOptions, fixed: frozenset[str]) -> ReadOptions:
    """Return options with the delimiter, quotation mark and escape that fit best.

    They are those with which most lines have the same number of cells. A delimiter that is rare
    within values goes first; colons and blanks are tried where no other fits.
    """
    if "delimiter" in fixed:
        return options
    sample = re.sub(rb"\A(#[^\n]*\n)+", b"", _sample(data))
    hint = re.match(rb'"?sep=([ -~\t])"?\n', sample)
    if hint:  # a line that Excel understands
        sample = sample[hint.end() :]
        if not {"header", "first"} & fixed:
            options = options.changed(header=(2,))
    escape = "\\" if b'\\"' in sample else ""
    best: tuple[float, str, str] = (0.0, NO_DELIMITER, '"')
    problem: ReadError | None = None
    for delimiters in (hint[1].decode(),) if hint else ("\t;|,", FIXED_PLACES, ": "):
        for delimiter in delimiters if best[0] < 0.6 else "":
            if delimiter == FIXED_PLACES:
                best = (1.0, delimiter, '"') if _is_placed(_lines(sample)[:LINES]) else best
                continue
            mark = re.escape(delimiter.encode())
            single = re.search(b"(?m)(^|" + mark + b")'[^'\n]*" + mark + b"[^'\n]*'", sample)
            cells = len(re.findall(b"(?m)(?:^|" + mark + b")'[^'\n]*'(?=$|" + mark + b")", sample))
            most = 10 * cells > 9 * sample.count(b"\n") and b'"' not in sample
            for quote in "'" if most else "\"'" if single else '"':
                try:
                    _, share = _width(_widths(sample, delimiter, quote, escape or quote))
                except ReadError as error:
                    problem = error
                    continue
                best = max(best, (share, delimiter, quote), key=lambda one: one[0])
    if problem and best[0] < 0.6:
        raise problem
    if best[0] < 0.6:
        _refuse_prose(sample.decode("utf-8", "ignore").splitlines()[:LINES])
        best = (0.0, NO_DELIMITER, '"')
    changes = {"delimiter": best[1], "quote": best[2], "escape": escape or best[2]}
    return options.changed(**{key: one for key, one in changes.items() if key not in fixed})


def _width(widths: Counter[int]) -> tuple[int, float]:
    """Return how many cells most lines have, and their share, also if notes stand around them."""
    several = Counter({width: times for width, times in widths.items() if width > 1})
    width, times = several.most_common(1)[0] if several else (1, 0)
    share = times / max(1, widths.total())
    apart = times > 4 and share >= 0.4 and times >= 0.9 * several.total()
    return width, max(0.6, share) if apart else share


def _lines(data: bytes) -> list[str]:
    return [line for line in data.decode("utf-8", "ignore").split("\n") if line.strip()]


def _places(lines: list[str]) -> list[tuple[int, int]]:
    """Find the places that are filled in some line, between those that are blank in all."""
    if max(map(len, lines)) > WIDEST:
        return []
    filled = 0  # a byte for each place
    for line in lines:
        filled |= int.from_bytes(line.encode("latin-1", "replace").translate(_MARKED), "little")
    return [found.span() for found in re.finditer(b"\x01+", filled.to_bytes(WIDEST, "little"))]


def _is_placed(lines: list[str]) -> bool:
    """Tell whether blanks divide the values of lines at the same places, and nowhere else."""
    apart = sum("  " in line.strip() for line in lines)
    enough = apart == len(lines) > 2 or 2 * apart > len(lines) > 4
    spans = _places(lines) if enough else []
    within = (sum("  " in line[a:b].strip() for line in lines) for a, b in spans)
    return len(spans) > 1 and max(within) <= 0.1 * len(lines)


def _at_places(data: bytes) -> pa.Table:
    """Return the cells of lines in which blanks divide the values at the same places."""
    lines = _lines(data)
    some, every = _places(lines[:LINES]), _places(lines)
    if len(some) != len(every):
        gaps = [slice(end, start) for (_, end), (start, _) in pairwise(some)]
        crossed = (line for line in lines if any(line[gap].strip() for gap in gaps))
        odd = next(crossed, max(lines, key=len))
        raise ReadError(
            f"Blanks do not divide all lines at the same places ({excerpt(odd)}); save the table "
            "with commas between the values."
        )
    columns = [pa.array([line[a:b] for line in lines], pa.string()) for a, b in every]
    return pa.table(columns, names=[f"c{place}" for place in range(len(columns))])


def _refuse_prose(lines: list[str]) -> None:
    """Refuse running text, and values at fixed places without blanks between them."""
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


def load_text(data: bytes, options: ReadOptions) -> pa.Table:
    """Return the cells of delimited text, empty ones as null.

    Short lines are filled up; one that is longer than most is refused by its number.
    """
    if options.delimiter == FIXED_PLACES:
        return _at_places(data)
    dialect = (options.delimiter, options.quote, options.escape)
    widths = _widths(_sample(data), *dialect)
    width, share = _width(widths)
    if share < 0.4:
        width = max(widths, key=widths.__getitem__, default=1)
    check_width(width)
    try:
        cells = _parse(data, width, dialect, LONGEST)
    except ValueError:  # of Arrow, also for a separator that is no ASCII, and with what it quotes
        data = _filled_up(data, width, dialect)
        return _parse(data, width, (",", '"', '"'), min(len(data) + 1, 2**31 - 1))
    last = [str(column[-1]) for column in cells.columns if len(column)]
    if data.count(options.quote.encode()) % 2 and any("\n" in cell for cell in last):
        odd = next(cell for cell in last if "\n" in cell).partition("\n")[0]
        raise ReadError(f"The quotation mark before {excerpt(odd)} is not closed; close it.")
    return cells


def _parse(data: bytes, width: int, dialect: tuple[str, str, str], block: int) -> pa.Table:
    from pyarrow import csv as arrow

    names = [f"c{place}" for place in range(width)]
    few = _repeating(data, width, dialect) if len(data) > LONGEST else ()
    kinds = [
        pa.dictionary(pa.int32(), pa.string()) if k in few else pa.string() for k in range(width)
    ]
    delimiter, quote, escape = dialect
    return arrow.read_csv(
        pa.BufferReader(data),
        arrow.ReadOptions(column_names=names, block_size=block),
        arrow.ParseOptions(
            delimiter=delimiter,
            quote_char=quote,
            double_quote=escape == quote,
            escape_char=False if escape == quote else escape,
            newlines_in_values=True,
        ),
        arrow.ConvertOptions(
            column_types=dict(zip(names, kinds, strict=True)),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _repeating(data: bytes, width: int, dialect: tuple[str, str, str]) -> set[int]:
    """Find the columns in which most cells repeat: as codes, they take a fraction of the memory."""
    rows = [row for row in _rows(_sample(data), *dialect) if len(row) == width]
    columns = enumerate(zip(*rows, strict=True))
    return {place for place, cells in columns if 2 * len(set(cells)) < len(cells)}


def _filled_up(data: bytes, width: int, dialect: tuple[str, str, str]) -> bytes:
    """Write text anew, with commas and as many cells in every line."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\n")
    rows, line = _rows(data, *dialect, strict=True), 1
    try:
        for row in rows:
            if len(row) > width:
                text = excerpt(dialect[0].join(row))
                raise ReadError(
                    f"Line {line} has {len(row)} values where the others have {width} ({text}); "
                    "remove values, or put quotation marks around one that holds the separator."
                )
            if row:
                writer.writerow(row + [""] * (width - len(row)))
            line = rows.line_num + 1
    except csv.Error:
        raise ReadError(
            f"Line {line} cannot be read; close its quotation mark, or shorten its values to less "
            f"than {csv.field_size_limit()} characters."
        ) from None
    return target.getvalue().encode()
