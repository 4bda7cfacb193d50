"""Which rows name the columns, and which are no records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from distpriv.errors import ReadError
from distpriv.tables.columns import is_blank
from distpriv.tables.options import Notice, ReadOptions, excerpt

__all__ = ["column_names", "guess_layout", "tell_layout"]

HEAD, TAIL = 200, 12
_NUMBER = re.compile(r"'?[(+\-−]?\s*[$€£¥]?\d[\d.,'’ \xa0\u202f]*([eE][+-]?\d+)?\s*[%€$£¥)]?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]\d.*)?")
_TOTAL = re.compile(
    r"(?i)((grand )?total|sums?|means?|averages?|overall|summe|gesamt|mittelwert|moyenne)\W*"
)
_PLAIN = r"^[+-]?\d+(\.\d*)?$"

Row = Sequence[str | None]


def _measured(cell: str | None) -> bool:
    return bool(cell and (_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell)))


def _filled(row: Row) -> int:
    return sum(cell is not None for cell in row)


def _rows(cells: pa.Table, first: int, count: int) -> list[tuple[int, Row]]:
    """List rows with their numbers, which are counted from 1."""
    columns = (column.to_pylist() for column in cells.slice(first - 1, max(count, 0)).columns)
    return list(enumerate(zip(*columns, strict=True), first))


@dataclass(frozen=True)
class _Sample:
    """Hold the first and the last rows of a grid, with their numbers."""

    head: list[tuple[int, Row]]
    tail: list[tuple[int, Row]]

    @cached_property
    def body(self) -> list[Row]:
        """Take the rows that are most likely records: without the top, and notes at the end."""
        rows = [row for _, row in self.head[min(10, len(self.head) // 2) :]]
        end = len(rows)
        while end > max(1, len(rows) // 2, len(rows) - 5) and not any(
            map(_measured, rows[end - 1])
        ):
            end -= 1
        return rows[:end]

    @cached_property
    def numeric(self) -> list[int]:
        """List the columns that hold numbers or dates."""
        shares = []
        for cells in zip(*self.body, strict=True):
            values = [cell for cell in cells if not is_blank(cell)]
            shares.append(sum(map(_measured, values)) / len(values) if values else 0.0)
        return [place for place, share in enumerate(shares) if share >= 0.9]

    @cached_property
    def times(self) -> list[Counter[str | None]]:
        """Count each cell in its column."""
        return [Counter(cells) for cells in zip(*self.body, strict=True)]

    def is_record(self, row: Row) -> bool:
        """Find a number where others have one, or blanks there and more than a note."""
        cells = [row[i] for i in self.numeric if not is_blank(row[i])]
        if cells:
            return any(map(_measured, cells))
        filled = _filled(row)
        if not self.numeric:
            note = filled == 1 and len(row) > 1 and " " in (row[0] or "")
            return filled > 0 and not (note and not self.times[0][row[0]] and self._dense)
        return any(
            not is_blank(cell) and (times[cell] > 1 or filled > 1)
            for cell, times in zip(row, self.times, strict=True)
        )

    @cached_property
    def _dense(self) -> bool:
        return sum(_filled(row) > 1 for row in self.body) >= 0.9 * len(self.body)


def guess_layout(cells: pa.Table, options: ReadOptions, fixed: frozenset[str]) -> ReadOptions:
    """Return options with the rows of names, the first record, and the rows at the bottom.

    Where columns hold numbers or dates, a row without any of them there is no record: at the top
    it is a title, names, units or types, at the bottom a source or a note. A last row whose number
    is the sum of all above is a total.
    """
    start = options.header[0] if options.header and not {"header", "first"} & fixed else 1
    count = len(cells)
    end = max(count - TAIL, start) + 1
    sample = _Sample(_rows(cells, start, HEAD), _rows(cells, end, TAIL))
    if not {"header", "first"} & fixed:
        top = _top(sample)
        above = [(rn, row) for rn, row in sample.head[:top] if _filled(row)]
        first = sample.head[top][0] if top < len(sample.head) else count + 1
        options = options.changed(header=_header(above) if above else (), first=first)
    if "last" not in fixed:
        options = options.changed(last=_bottom(cells, sample, options.first))
    return options


def _top(sample: _Sample) -> int:
    """Count the rows above the first record."""
    head, numeric = sample.head, sample.numeric
    if len(head) == 1:
        return 1
    if not numeric:  # nothing but words: the first row that is at least half full names them
        top = next((k for k, (_, r) in enumerate(head) if 2 * _filled(r) >= len(r)), 0) + 1
        return 0 if top == 1 and _recurs(head[0][1], sample.body) else top
    records = (
        k for k, (_, r) in enumerate(head) if sample.is_record(r) and not _completes(r, head[:k])
    )
    top = next(records, len(head))
    for k, (_, row) in enumerate(head[1:10], start=1):  # a title may hold a year
        words = [row[i] for i in numeric if not is_blank(row[i]) and not _measured(row[i])]
        names = not sample.is_record(row) and 2 * len(words) >= len(numeric)
        if k > top and names and all(_is_odd(sample, above) for _, above in head[:k]):
            top = k + 1
    row = head[0][1]
    if top == 0 and _counts_up([row[i] for i in numeric]) and None not in row:
        return 1  # years name columns
    return top


def _is_odd(sample: _Sample, row: Row) -> bool:
    """Tell whether a row with a number could be no record all the same."""
    words = any(row[i] and not _measured(row[i]) for i in sample.numeric)
    return words or not sample.is_record(row)


def _completes(row: Row, above: Sequence[tuple[int, Row]]) -> bool:
    """Tell whether a row names columns that the row above leaves without a name."""
    if not above or row[0] or any(map(_measured, row)) or _filled(above[-1][1]) < 2:
        return False
    return any(not name and cell for name, cell in zip(above[-1][1][1:], row[1:], strict=True))


def _counts_up(cells: Sequence[str | None]) -> bool:
    """Tell whole numbers in equal steps, as 2019, 2020, 2021."""
    if not all(cell and re.fullmatch(r"\d+", cell) for cell in cells):
        return False
    steps = {int(b or 0) - int(a or 0) for a, b in pairwise(cells)}
    return len(steps) == 1 and steps != {0}


def _recurs(row: Row, body: Sequence[Row]) -> bool:
    """Tell whether the cells of a row stand below it as well, in most columns."""
    below = [set(cells) for cells in zip(*body, strict=True)]
    again = sum(cell in cells for cell, cells in zip(row, below, strict=True))
    return len(row) > 1 and again > len(row) / 2


def _header(above: Sequence[tuple[int, Row]]) -> tuple[int, ...]:
    """Take the first full row, rather without numbers; else those half full or completing one."""
    full = [(any(map(_measured, row)), rn) for rn, row in above if None not in row]
    if full:
        return (min(full)[1],)
    half = tuple(
        rn
        for k, (rn, row) in enumerate(above)
        if 2 * _filled(row) >= len(row) or _completes(row, above[:k])
    )
    return half or (above[-1][0],)


def _bottom(cells: pa.Table, sample: _Sample, first: int) -> int:
    """Count the rows below the last record."""
    tail = [(rn, row) for rn, row in sample.tail if rn > first]
    last = len(cells)
    while tail and not sample.is_record(tail[-1][1]):
        last = tail.pop()[0] - 1
    if tail and tail[-1][0] - first >= 5:
        rn, row = tail[-1]
        if _is_total(row, cells.slice(first - 1, rn - first), sample.numeric):
            last = rn - 1
    return max(len(cells) - last, 0)


def _is_total(row: Row, above: pa.Table, numeric: Sequence[int]) -> bool:
    """Tell whether a last row is labelled as a total, or has the sum of a column."""
    if any(cell and _TOTAL.fullmatch(cell) for cell in row):
        return True
    for place in numeric[:20]:
        try:
            total = float(row[place] or "")
        except ValueError:
            continue
        column = above.column(place)
        numbers = column.filter(pc.match_substring_regex(column, _PLAIN)).cast(pa.float64())
        if (pc.sum(numbers.cast(pa.bool_())).as_py() or 0) > 2:
            most, added = pc.max(pc.abs(numbers)).as_py(), pc.sum(numbers).as_py()
            if total > most and abs(added - total) <= 1e-9 * abs(total):
                return True
    return False


def tell_layout(cells: pa.Table, options: ReadOptions) -> list[Notice]:
    """Return notices on the rows that are read as names, and on those that are left out."""
    header, notices = options.header, []
    if not header:
        text = "The first row looks like a record, so the columns are numbered."
        notices.append(Notice(text, changes=(("header", (1,)), ("first", 2))))
    if len(header) > 1:
        notices.append(Notice(f"Rows {header[0]} to {header[-1]} name the columns together."))
    above = _rows(cells, 1, min(options.first - 1, TAIL))
    below = _rows(cells, max(1, len(cells) - options.last + 1), TAIL)
    for rn, row in above + below:
        if rn in header or not _filled(row) or re.match(r"sep=.?$", row[0] or ""):
            continue
        what = "is no record"
        change: tuple[str, object] = ("last", len(cells) - rn)
        if rn < options.first:
            change = ("first", rn) if rn > max(header, default=0) else ("header", (rn,))
        elif any(map(_measured, row)):
            what = "looks like a total"
        words = excerpt(", ".join(" ".join(cell.split()) for cell in row if cell))
        text = f"Row {rn} ({words}) {what} and was left out."
        notices.append(Notice(text, changes=(change,)))
    return notices


def column_names(cells: pa.Table, options: ReadOptions) -> tuple[list[str], list[Notice]]:
    """Return one name a column, joined of the rows that name them, and numbered where blank."""
    parts: list[list[str]] = [[] for _ in cells.columns]
    for number in options.header:
        if number > len(cells):
            raise ReadError(
                f"Row {number} cannot name the columns, for the table has fewer rows; choose "
                "another row."
            )
        ((_, row),) = _rows(cells, number, 1)
        names = [" ".join((cell or "").split()) for cell in row]
        if len(options.header) == 1 < len(names) and not names[-1] and _shifted(cells, options):
            names = ["row", *names[:-1]]  # R's write.table names no column for the row names
        carried = ""
        for part, name in zip(parts, names, strict=True):
            carried = name or (carried if number != options.header[-1] else "")
            if carried:
                part.append(carried)
    return unique([" ".join(dict.fromkeys(part)) for part in parts])


def _shifted(cells: pa.Table, options: ReadOptions) -> bool:
    """Tell whether the nameless last column is full and the first numbers the records."""
    rows = [row for _, row in _rows(cells, options.first, HEAD)]
    full = sum(row[-1] is not None for row in rows)
    numbered = sum(row[0] == str(k) for k, row in enumerate(rows, start=1))
    return full > 0.5 * len(rows) and numbered > 0.9 * len(rows)


def unique(names: Sequence[str]) -> tuple[list[str], list[Notice]]:
    """Return names without blanks and repetitions, and notices on those that repeat."""
    result: list[str] = []
    notices = []
    for place, raw in enumerate(names, start=1):
        name, times = raw or f"column {place}", 1
        while name in result or (times > 1 and name in names):
            times += 1
            name = f"{raw} ({times})"
        if times > 1:
            text = f"Two columns are called {raw!r}; the second is now called {name!r}."
            notices.append(Notice(text, name))
        result.append(name)
    return result, notices
