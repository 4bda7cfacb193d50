"""Which rows name the columns, and which are no records."""
# ruff: noqa: S608 - numbers of rows and columns alone are written into SQL

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import duckdb

from distpriv.errors import ReadError
from distpriv.tables.columns import is_blank
from distpriv.tables.options import Notice, ReadOptions

__all__ = ["column_names", "guess_layout", "tell_layout"]

HEAD, TAIL = 200, 12
_NUMBER = re.compile(r"'?[(+\-−]?\s*[$€£¥]?\d[\d.,'’ \xa0\u202f]*([eE][+-]?\d+)?\s*[%€$£¥)]?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]\d.*)?")
_TOTAL = re.compile(
    r"(?i)((grand )?total|sums?|means?|averages?|overall|summe|gesamt|mittelwert|moyenne)\W*"
)

Row = Sequence[str | None]


def _measured(cell: str | None) -> bool:
    text = (cell or "").strip()
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def _filled(row: Row) -> int:
    return sum(1 for cell in row if cell and cell.strip())


def _show(row: Row) -> str:
    text = ", ".join(" ".join(cell.split()) for cell in row if cell and cell.strip())
    return repr(text if len(text) <= 60 else text[:59] + "…")


def _rows(
    db: duckdb.DuckDBPyConnection, width: int, condition: str, limit: int
) -> list[tuple[int, Row]]:
    cells = ", ".join(f"c{i}" for i in range(width))
    query = f"SELECT rn, {cells} FROM grid WHERE {condition} ORDER BY rn LIMIT {limit}"
    return [(row[0], row[1:]) for row in db.execute(query).fetchall()]


@dataclass(frozen=True)
class _Sample:
    """Hold the first and the last rows of a grid, with their numbers."""

    head: list[tuple[int, Row]]
    tail: list[tuple[int, Row]]
    width: int

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
            note = filled == 1 and self.width > 1 and " " in (row[0] or "").strip()
            return filled > 0 and not (note and not self.times[0][row[0]] and self._dense)
        return any(
            not is_blank(cell) and (times[cell] > 1 or filled > 1)
            for cell, times in zip(row, self.times, strict=True)
        )

    @cached_property
    def _dense(self) -> bool:
        return sum(_filled(row) > 1 for row in self.body) >= 0.9 * len(self.body)


def guess_layout(
    db: duckdb.DuckDBPyConnection, width: int, options: ReadOptions, fixed: frozenset[str]
) -> ReadOptions:
    """Return options with the rows of names, the first record, and the rows at the bottom.

    Where columns hold numbers or dates, a row without any of them there is no record: at the top
    it is a title, names, units or types, at the bottom a source or a note. A last row whose number
    is the sum of all above is a total.
    """
    start = options.header[0] if options.header and not {"header", "first"} & fixed else 1
    ((count,),) = db.execute("SELECT count(*) FROM grid").fetchall()
    sample = _Sample(
        _rows(db, width, f"rn >= {start}", HEAD),
        _rows(db, width, f"rn > {max(count - TAIL, start)}", TAIL),
        width,
    )
    if not {"header", "first"} & fixed:
        top = _top(sample)
        above = [(rn, row) for rn, row in sample.head[:top] if _filled(row)]
        first = sample.head[top][0] if top < len(sample.head) else count + 1
        options = options.changed(header=_header(above, width) if above else (), first=first)
    if "last" not in fixed:
        options = options.changed(last=_bottom(db, sample, options.first, count))
    return options


def _top(sample: _Sample) -> int:
    """Count the rows above the first record."""
    head, numeric = sample.head, sample.numeric
    if len(head) == 1:
        return 1
    if not numeric:  # nothing but words: the first row that is at least half full names them
        top = next((k for k, (_, r) in enumerate(head) if 2 * _filled(r) >= sample.width), 0) + 1
        return 0 if top == 1 and _recurs(head[0][1], sample.body) else top
    top = 0
    while top < len(head) and (
        not sample.is_record(head[top][1]) or _completes(head[top][1], head[:top])
    ):
        top += 1
    for k, (_, row) in enumerate(head[1:10], start=1):  # a title may hold a year
        words = [row[i] for i in numeric if not is_blank(row[i]) and not _measured(row[i])]
        names = not sample.is_record(row) and 2 * len(words) >= len(numeric)
        if k > top and names and all(_is_odd(sample, above) for _, above in head[:k]):
            top = k + 1
    row = head[0][1]
    if top == 0 and _counts_up([row[i] for i in numeric]) and _filled(row) == sample.width:
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
    if len(cells) < 2 or not all(cell and re.fullmatch(r"\d+", cell.strip()) for cell in cells):
        return False
    numbers = [int(cell or 0) for cell in cells]
    steps = {b - a for a, b in pairwise(numbers)}
    return len(steps) == 1 and steps != {0}


def _recurs(row: Row, body: Sequence[Row]) -> bool:
    """Tell whether the cells of a row stand below it as well, in most columns."""
    below = [set(cells) for cells in zip(*body, strict=True)]
    again = sum(cell in cells for cell, cells in zip(row, below, strict=True))
    return len(row) > 1 and again > len(row) / 2


def _header(above: Sequence[tuple[int, Row]], width: int) -> tuple[int, ...]:
    """Take the first full row, rather without numbers; else those half full or completing one."""
    full = [(any(map(_measured, row)), rn) for rn, row in above if _filled(row) == width]
    if full:
        return (min(full)[1],)
    half = tuple(
        rn
        for k, (rn, row) in enumerate(above)
        if 2 * _filled(row) >= width or _completes(row, above[:k])
    )
    return half or (above[-1][0],)


def _bottom(db: duckdb.DuckDBPyConnection, sample: _Sample, first: int, count: int) -> int:
    """Count the rows below the last record."""
    tail = [(rn, row) for rn, row in sample.tail if rn > first]
    last = count
    while tail and not sample.is_record(tail[-1][1]):
        last = tail.pop()[0] - 1
    if tail and tail[-1][0] - first >= 5 and _is_total(db, sample.numeric, first, *tail[-1]):
        last = tail[-1][0] - 1
    return max(count - last, 0)


def _is_total(
    db: duckdb.DuckDBPyConnection, numeric: Sequence[int], first: int, rn: int, row: Row
) -> bool:
    """Tell whether a last row is labelled as a total, or has the sum of a column."""
    if any(cell and _TOTAL.fullmatch(cell.strip()) for cell in row):
        return True
    for place in numeric[:20]:
        try:
            total = float(row[place] or "")
        except ValueError:
            continue
        cell = f"TRY_CAST(c{place} AS DOUBLE)"
        ((added, most, some),) = db.execute(
            f"SELECT sum({cell}), max(abs({cell})), count(*) FILTER (WHERE {cell} <> 0) "
            "FROM grid WHERE rn >= ? AND rn < ?",
            [first, rn],
        ).fetchall()
        if some and some > 2 and total > most and abs(added - total) <= 1e-9 * abs(total):
            return True
    return False


def tell_layout(db: duckdb.DuckDBPyConnection, width: int, options: ReadOptions) -> list[Notice]:
    """Return notices on the rows that are read as names, and on those that are left out."""
    ((count,),) = db.execute("SELECT count(*) FROM grid").fetchall()
    header, notices = options.header, []
    if not header:
        text = "The first row looks like a record, so the columns are numbered."
        notices.append(Notice(text, changes=(("header", (1,)), ("first", 2))))
    if len(header) > 1:
        notices.append(Notice(f"Rows {header[0]} to {header[-1]} name the columns together."))
    for rn, row in _rows(db, width, f"rn < {options.first}", TAIL):
        if rn in header or not _filled(row) or re.match(r"sep=.?$", row[0] or ""):
            continue
        below = rn > max(header, default=0)
        changes: dict[str, object] = {"first": rn} if below else {"header": (rn,)}
        notices.append(_left_out(rn, row, "is no record", **changes))
    for rn, row in _rows(db, width, f"rn > {count - options.last}", TAIL):
        if _filled(row):
            what = "looks like a total" if any(map(_measured, row)) else "is no record"
            notices.append(_left_out(rn, row, what, last=count - rn))
    return notices


def _left_out(rn: int, row: Row, what: str, **changes: object) -> Notice:
    text = f"Row {rn} ({_show(row)}) {what} and was left out."
    return Notice(text, changes=tuple(changes.items()))


def column_names(
    db: duckdb.DuckDBPyConnection, width: int, options: ReadOptions
) -> tuple[list[str], list[Notice]]:
    """Return one name a column: joined rows, numbered where blank.

    Raises
    ------
    ReadError
        If a row that names the columns is not there.
    """
    parts: list[list[str]] = [[] for _ in range(width)]
    for k, number in enumerate(options.header):
        rows = _rows(db, width, f"rn = {number}", 1)
        if not rows:
            raise ReadError(
                f"Row {number} cannot name the columns, for the table has fewer rows; choose "
                "another row."
            )
        cells = [" ".join((cell or "").split()) for cell in rows[0][1]]
        if (
            options.header == (number,)
            and width > 1
            and not cells[-1]
            and _shifted(db, width, options)
        ):
            cells = ["row", *cells[:-1]]  # R's write.table names no column for the row names
        carried = ""
        for place, cell in enumerate(cells):
            carried = cell or (carried if k < len(options.header) - 1 else "")
            if carried:
                parts[place].append(carried)
    return unique([" ".join(dict.fromkeys(part)) for part in parts])


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


def _shifted(db: duckdb.DuckDBPyConnection, width: int, options: ReadOptions) -> bool:
    """Tell whether the nameless last column is full and the first numbers the records."""
    number = f"CAST(rn - {options.first - 1} AS VARCHAR)"
    ((full, numbered, count),) = db.execute(
        f"SELECT count(c{width - 1}), count(*) FILTER (WHERE c0 = {number}), count(*) "
        f"FROM grid WHERE rn >= {options.first}"
    ).fetchall()
    return full > 0.5 * count and numbered > 0.9 * count
