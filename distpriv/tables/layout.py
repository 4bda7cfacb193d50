"""Which rows name the columns, and which are no records."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from distpriv.errors import ReadError
from distpriv.tables.columns import is_blank
from distpriv.tables.options import Notice, ReadOptions, excerpt

__all__ = ["column_names", "guess_layout", "tell_layout"]

HEAD, TOP, TAIL = 200, 60, 40
CELLS = 100_000  # of the first rows
DOUBT = 2.0  # that rows must outweigh to be left out
_NUMBER = re.compile(r"'?[(+\-−]?\s*[$€£¥]?\d[\d.,'’ \xa0\u202f]*([eE][+-]?\d+)?\s*[%€$£¥)]?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]\d.*)?")
_MIXED = re.compile(r"[^\w\s]?\s*\d.*", re.DOTALL)
_MARK = re.compile(  # what programs write below the names
    r"(?i)\{\"ImportId\".*|(open-ended )?response|int(eger|64)?|float(64)?|double|num(eric|ber)?|"
    r"str(ing)?|char(acter)?|text|bool(ean)?|logical|date(time)?|timestamp|factor|object|"
    r"cat(egor(y|ical))?|varchar.*"
)
_TOTAL = re.compile(
    r"(?i)((grand )?total|sums?|means?|averages?|overall|summe|(ins)?gesamt|mittelwert|moyenne)\W*"
)
_SIGNS = ("", "."), (",", "."), (".", ",")  # of thousands, and the decimal sign
_UNSEEN = re.compile("[\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")  # in names
# How often a cell is of each kind in rows that are no records.
_ELSEWHERE = {"word": 0.85, "number": 0.05, "date": 0.05, "mixed": 0.05}

Row = Sequence[str | None]


def _kind(cell: str | None) -> str:
    if cell is None or is_blank(cell) or not re.search(r"[^\W_]", cell):
        return "blank"
    if _DATE.fullmatch(cell):
        return "date"
    if _NUMBER.fullmatch(cell):
        return "number"
    return "mixed" if _MIXED.fullmatch(cell) else "word"


def _measured(cell: str | None) -> bool:
    return _kind(cell) in ("number", "date")


def _filled(row: Row) -> int:
    return sum(cell is not None for cell in row)


def _rows(cells: pa.Table, first: int, count: int) -> list[tuple[int, Row]]:
    """List rows with their numbers, which are counted from 1."""
    columns = (column.to_pylist() for column in cells.slice(first - 1, max(count, 0)).columns)
    return list(enumerate(zip(*columns, strict=True), first))


class _Column:
    """Weigh cells: how much likelier they are in records than in other rows, as logarithms."""

    def __init__(
        self,
        body: Sequence[str | None],
        every: Iterable[str | None],
        kind: Callable[[str | None], str],
    ) -> None:
        kinds = Counter(map(kind, body))
        blank, records = kinds.pop("blank", 0), kinds.total()
        self.used, self.full = records > 0, records > 4 and not blank
        shares = {one: (kinds[one] + 0.1) / (records + 0.4) for one in _ELSEWHERE}
        self.kinds = {k: math.log(max(shares[k], 0.02) / p) for k, p in _ELSEWHERE.items()}
        self.numeric = 2 * (kinds["number"] + kinds["date"]) > records
        self.tick = bool(blank) and len({*body, None}) < 3  # its name may be its only answer
        self.times = Counter(cell for cell in every if cell is not None)
        new = (sum(n == 1 for n in self.times.values()) + 0.5) / (self.times.total() + 1)
        self.new = math.log(max(new, 0.1) / 0.95)
        self.again = math.log(max(1 - new, 0.05) / 0.05)

    def weigh(self, cell: str | None, kind: str, counted: bool) -> float:
        """Weigh a cell of a row that is counted itself or not."""
        if kind == "blank":
            return 0.0
        if self.times[cell or ""] > counted:
            return 0.0 if self.tick else self.kinds[kind] + self.again
        fresh = self.numeric and kind in ("number", "date")  # as most numbers are
        return self.kinds[kind] + (0.0 if fresh else self.new)


class _Sample:
    """Hold the first and the last rows of a grid, and what its records look like."""

    def __init__(self, head: list[tuple[int, Row]], tail: list[tuple[int, Row]]) -> None:
        self.head, self.tail, self.kind = head, tail, cache(_kind)
        low = [row for _, row in head[min(10, len(head) // 3 + (len(head) > 1)) :]]
        sizes = sorted(filter(None, map(_filled, low)))
        least = sizes[6 * len(sizes) // 7] / 2 if sizes else 0
        while len(low) > 1 and _filled(low[-1]) <= least:  # notes
            low.pop()
        body = [row for row in low if _filled(row) >= least]
        few = (sum(_filled(row) == 1 for row in low) + 0.1) / (len(low) + 0.4)
        self.few = math.log(max(few, 0.02) / 0.6)
        columns = [_Column(cells, (), self.kind) for cells in zip(*body, strict=True)]
        self.width = sum(column.used for column in columns)
        self.numeric = [place for place, column in enumerate(columns) if column.numeric]
        self.rows = {rn: row for rn, row in (*head, *tail) if not self.words(row)}
        cells = zip(zip(*body, strict=True), zip(*self.rows.values(), strict=True), strict=True)
        self.columns = [_Column(part, every, self.kind) for part, every in cells]
        self.up = sum(bool(self._counted(row, True)) for row in body) > 0.1 * len(body)

    def words(self, row: Row) -> list[str]:
        """List words where there are numbers else; none if fewer than numbers."""
        cells = [row[place] for place in self.numeric]
        kinds = list(map(self.kind, cells))
        if 2 * kinds.count("word") <= len(kinds) - kinds.count("blank"):
            return []
        return [cell or "" for cell, kind in zip(cells, kinds, strict=True) if kind == "word"]

    def _counted(self, row: Row, steps: bool) -> Sequence[int]:
        """List the places of numbers that may be names: years in order, or equal steps."""
        places = [place for place, cell in enumerate(row) if self.kind(cell) == "number"]
        cells = [row[place] or "" for place in places]
        if len(row) < 2 or not all(re.fullmatch(r"-?\d{1,9}", cell) for cell in cells):
            return ()
        apart = {int(b) - int(a) for a, b in pairwise(cells)}
        years = all(re.fullmatch("(19|20)[0-9]{2}", cell) for cell in cells)
        ordered = min(apart, default=1) > 0 or max(apart) < 0
        equal = steps and len(cells) > 2 and len(apart) == 1 and apart != {0}
        return places if equal or (years and ordered) else ()

    def weigh(self, rn: int, row: Row, prior: float) -> float:
        """Weigh whether a row is a record; a prior below 0 is of a row that may name columns."""
        if not _filled(row):
            return 0.0
        counted = rn in self.rows
        ups = () if self.up else self._counted(row, prior < 0)
        if len(ups) == 1 and self.columns[ups[0]].times[row[ups[0]] or ""] > counted:
            ups = ()
        weight = -8.0 * all(cell is None or _MARK.fullmatch(cell) for cell in row)
        for place, (column, cell) in enumerate(zip(self.columns, row, strict=True)):
            weight += -1.5 if place in ups else column.weigh(cell, self.kind(cell), counted)
        if weight < 1.0:  # else its cells show a record, whatever it lacks
            gap = any(c.full and cell is None for c, cell in zip(self.columns, row, strict=True))
            weight += (self.few if _filled(row) == 1 < self.width else 0.0) - 2.0 * gap
        return max(weight + prior, -20.0)


def _odd(weights: Iterable[float], doubt: float) -> int:
    """Count the rows at the beginning that are no records: those that weigh least together."""
    sums = [0.0, *accumulate(weights)]
    least = min(sums) + doubt if min(sums) < -DOUBT else 0.0
    return next(k for k, total in enumerate(sums) if total <= least)


def guess_layout(cells: pa.Table, options: ReadOptions, fixed: frozenset[str]) -> ReadOptions:
    """Return options with the rows of names, the first record, and rows that are none.

    Each row is weighed: by the kinds of its cells, by texts that recur in their columns, and by
    blanks. Rows at the top that are no records are titles, names, units, types or questions, those
    at the bottom sources, notes or totals, and those between repeat the names.
    """
    start = options.header[0] if options.header and not {"header", "first"} & fixed else 1
    count = len(cells)
    most = max(20, min(HEAD, CELLS // max(1, cells.num_columns)))
    sample = _Sample(_rows(cells, start, most), _rows(cells, max(count - TAIL, start) + 1, TAIL))
    if not {"header", "first"} & fixed:
        top = _top(sample)
        above = [(rn, row) for rn, row in sample.head[:top] if _filled(row)]
        first = sample.head[top][0] if top < len(sample.head) else count + 1
        options = options.changed(header=_header(sample, above) if above else (), first=first)
    if "last" not in fixed:
        options = options.changed(last=_bottom(cells, sample, options.first))
    if "drop" not in fixed:
        options = options.changed(drop=_repeated(cells, sample, options))
    return options


def _top(sample: _Sample) -> int:
    """Count the rows above the first record."""
    if len(sample.head) == 1:
        return 1
    head, width = sample.head[:TOP], sample.width
    named = next((rn for rn, row in head if 2 * _filled(row) + (width > 3) > width), 0)
    weights = [sample.weigh(rn, row, -4.0 if rn == named else 1.0) for rn, row in head]
    odd = _odd(weights, DOUBT)
    for k, (_, row) in enumerate(head):  # rows of numbers and a word may stand above names
        words = sample.words(row)
        if words and (not k or len(set(words)) > 1):
            odd = max(odd, k + 1)
        elif weights[k] > 0 and "word" not in {sample.kind(row[i]) for i in sample.numeric}:
            break
    return max(0, min(odd, len(sample.head) - 1))


def _header(sample: _Sample, above: Sequence[tuple[int, Row]]) -> tuple[int, ...]:
    """Take the row that names most columns apart, with those beside it that help."""
    rows = dict(above)

    def named(numbers: Sequence[int]) -> int:
        names = _joined([rows[rn] for rn in numbers])
        used = {name for name, column in zip(names, sample.columns, strict=True) if column.used}
        return len(used - {""})

    most = max(named([rn]) for rn in rows)
    order = {rn: (any(map(_measured, rows[rn])), rn if most > 1 else -rn) for rn in rows}
    main = min((rn for rn in rows if named([rn]) >= 0.9 * most), key=order.__getitem__)
    spans = [range(a, b) for a in range(main - 3, main + 1) for b in range(main + 1, main + 5)]
    spans = [span for span in spans if all(_filled(rows.get(rn, ())) > 1 for rn in span)]
    best = max(spans or [range(main, main + 1)], key=lambda span: (named(span), -len(span)))
    return tuple(best)


def _bottom(cells: pa.Table, sample: _Sample, first: int) -> int:
    """Count the rows below the last record."""
    tail = [(rn, row) for rn, row in reversed(sample.tail) if rn > first]
    priors = [3.0 if 2 * _filled(row) > sample.width > 1 else 0.0 for _, row in tail]
    odd = _odd([sample.weigh(*one, prior) for one, prior in zip(tail, priors, strict=True)], 0.0)
    odd += next((k for k, (_, row) in enumerate(tail[odd:]) if _filled(row)), 0)
    rn, row = tail[odd] if odd < len(tail) else (first, ())
    return odd + (rn >= first + 5 and _is_total(row, cells.slice(first - 1, rn - first), sample))


def _is_total(row: Row, above: pa.Table, sample: _Sample) -> bool:
    """Tell whether a last row is labelled as a total, or has the sum of a column.

    Where a column that is full else is blank in it, more than the sum of those shown will do.
    """
    place = next((place for place, cell in enumerate(row) if sample.kind(cell) == "word"), 0)
    if _TOTAL.fullmatch(row[place] or ""):
        return not pc.any(pc.equal(above.column(place), row[place])).as_py()
    bare = any(c.full and cell is None for c, cell in zip(sample.columns, row, strict=True))
    for place in sample.numeric[:20]:
        for signs in _SIGNS:
            total = _numbers(pa.chunked_array([[row[place]]], pa.string()), *signs)
            some = _numbers(above.column(place).slice(0, HEAD), *signs)
            if not len(total) or not len(some) or abs(some).max() >= total[0]:
                continue
            numbers = _numbers(above.column(place), *signs)
            over = total[0] - numbers.sum()
            more = bare and over > 0 and numbers.min() >= 0
            if np.count_nonzero(numbers) > 2 and (more or abs(over) <= 1e-9 * total[0]):
                return True
    return False


def _numbers(column: pa.ChunkedArray, thousands: str, decimal: str) -> npt.NDArray[np.float64]:
    """Read the plain numbers of a column."""
    pattern = rf"^[+-]?\d+({re.escape(thousands)}\d{{3}})*({re.escape(decimal)}\d*)?$"
    column = column.cast(pa.string())  # large texts come in codes
    column = column.filter(pc.match_substring_regex(column, pattern))
    if thousands:
        column = pc.replace_substring(column, thousands, "")
    return pc.replace_substring(column, decimal, ".").cast(pa.float64()).to_numpy()


def _repeated(cells: pa.Table, sample: _Sample, options: ReadOptions) -> tuple[int, ...]:
    """List the records that repeat the row of names: in columns of numbers, or in all."""
    count = len(cells) - options.last - options.first + 1
    rows, result = cells.slice(options.first - 1, max(count, 0)), list[int]()
    if not len(rows):  # Arrow's indices_nonzero ends the process where there is no chunk
        return ()
    for _, names in [one for rn in options.header for one in _rows(cells, rn, 1)]:
        words = [place for place, cell in enumerate(names) if _kind(cell) == "word"]
        numeric = set(words) & set(sample.numeric)
        equal = [pc.equal(rows.column(i), names[i]) for i in (numeric or words)]
        if len(words) < 2 or not equal:
            continue
        same = pc.indices_nonzero(reduce(pc.or_kleene if numeric else pc.and_kleene, equal))
        if not numeric and all((pc.sum(one).as_py() or 0) > len(same) for one in equal):
            continue  # the names are answers, too
        for place in same.to_pylist():
            ((rn, row),) = _rows(cells, options.first + place, 1)
            if sum(row[i] == names[i] for i in words) > 1:
                result.append(rn)
    return tuple(sorted(result)) if 2 * len(result) <= len(rows) else ()


def tell_layout(cells: pa.Table, options: ReadOptions) -> list[Notice]:
    """Return notices on the rows that are read as names, and on those that are left out."""
    header, first, last = options.header, options.first, len(cells) - options.last
    names, notices = max(header, default=0), list[Notice]()
    above = [(rn, row) for rn, row in _rows(cells, 1, min(first - 1, HEAD)) if rn not in header]
    below = _rows(cells, max(first, last + 1), min(options.last, HEAD))
    for rn, row in above + below:
        if not _filled(row) or re.match("sep=.?$", row[0] or ""):
            continue
        what, change = "is not a record", dict[str, object](last=len(cells) - rn)
        if rn < first:
            change = {"first": rn} if rn > names else {"header": (rn,)}
        elif any(map(_measured, row)):
            what = "looks like a total"
        text = f"Row {rn} ({_words(row)}) {what} and was left out."
        notices.append(Notice(text, changes=tuple(change.items())))
    return notices + _tell_names(cells, options)


def _tell_names(cells: pa.Table, options: ReadOptions) -> list[Notice]:
    """Return notices on the rows of names, and on one that may be it instead."""
    header, first = options.header, options.first
    if not header:
        text = "The first row looks like a record, so the columns are numbered."
        return [Notice(text, changes=(("header", (first,)), ("first", first + 1)))]
    if len(header) > 1:
        text = f"Rows {header[0]} to {header[-1]} name the columns together."
        return [Notice(text, changes=(("header", header[-1:]),))]
    (_, row), *below = _rows(cells, header[0], min(first - header[0], HEAD))
    notices = []
    if any(map(_measured, row)):
        text = f"Row {header[0]} ({_words(row)}) names the columns, though it holds numbers."
        notices.append(Notice(text, changes=(("header", ()), ("first", header[0]))))
    for rn, other in below:
        texts = set(filter(None, other))
        if len(texts) >= _filled(row) and not any(map(_MARK.fullmatch, texts)):
            text = f"Row {rn} ({_words(other)}) may name the columns instead of row {header[0]}."
            return [*notices, Notice(text, changes=(("header", (rn,)),))]
    return notices


def _words(row: Row) -> str:
    return excerpt(", ".join(" ".join(cell.split()) for cell in row if cell))


def column_names(cells: pa.Table, options: ReadOptions) -> tuple[list[str], list[Notice]]:
    """Return one name a column, joined of the rows that name them, and numbered where blank."""
    rows, notices = [], list[Notice]()
    for number in options.header:
        if number > len(cells):
            raise ReadError(
                f"Row {number} cannot name the columns, because the table has fewer rows; choose "
                "another row."
            )
        rows += [row for _, row in _rows(cells, number, 1)]
    if len(rows) == 1 and _shifted(rows[0], cells, options):
        rows = [("row", *rows[0][:-1])]
        text = "There is one name less than columns: the first column was read as names of rows."
        notices.append(Notice(text, changes=(("header", ()), ("first", options.header[0]))))
    names, more = unique(_joined(rows) if rows else [""] * cells.num_columns)
    return names, notices + more


def _joined(rows: Sequence[Row]) -> list[str]:
    """Join the rows that name columns; a name holds for the blanks beside it, but in the last."""
    parts: list[list[str]] = [[] for _ in rows[0]]
    for number, row in enumerate(rows, start=1):
        carried = ""
        for part, cell in zip(parts, row, strict=True):
            name = " ".join(_UNSEEN.sub("", cell or "").split())
            carried = name or (carried if number < len(rows) else "")
            if carried:
                part.append(carried)
    return [" ".join(dict.fromkeys(part)) for part in parts]


def _shifted(names: Row, cells: pa.Table, options: ReadOptions) -> bool:
    """Tell whether the one column without a name is the last, and the first names the rows."""
    if None not in names or names.index(None) < len(names) - 1:
        return False  # R's write.table names no column for the row names
    rows = [row for _, row in _rows(cells, options.first, HEAD)]
    full = sum(row[-1] is not None for row in rows)
    keys = {row[0] for row in rows if _kind(row[0]) == "word" or (row[0] or "").isdigit()}
    return 2 * full > len(rows) == len(keys) > 2


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
            text = f"Column {place} is called {raw!r} as one before it; it is now called {name!r}."
            notices.append(Notice(text, name))
        result.append(name)
    return result, notices
