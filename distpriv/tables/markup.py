"""Tables of web pages, and sheets of the XML that Excel wrote in 2003."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

from distpriv.errors import ReadError
from distpriv.tables.delimited import utf8
from distpriv.tables.grids import Grid, check_width, choose, grid_of_rows
from distpriv.tables.options import Notice, ReadOptions

__all__ = ["read_markup"]

SPANS = 1_000, 65_534  # columns and rows that a cell spans at most, as browsers have it
_TAGS = {"row": "tr", "cell": "td", "th": "td"}
_APART = frozenset({"script", "style", "comment"})


class _Cell(NamedTuple):
    """Hold what a cell says, the columns and rows that it spans, and the column it begins in."""

    words: list[str]
    across: int
    down: int
    place: int


class _Parser(HTMLParser):
    """Collect the cells of all tables by name; entities that a document defines stay unread."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[_Cell]]] = {}
        self.open: list[str] = []  # names of tables within each other
        self.sheet = self.apart = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        tag = _TAGS.get(tag.rpartition(":")[2], tag.rpartition(":")[2])
        values = {name.rpartition(":")[2]: value or "" for name, value in attrs}

        def count(name: str, most: int) -> int:
            return min(int(values[name]), most) if values.get(name, "").isdecimal() else 0

        if tag in _APART:
            self.apart = self.apart or tag
        elif tag == "worksheet":
            self.sheet = values.get("name", "")
        elif tag == "table":
            self.open.append(self.sheet or f"table {len(self.tables) + 1}")
            self.tables[self.open[-1]] = []
        elif self.open and tag == "tr":
            self.tables[self.open[-1]].append([])
        elif self.open and tag == "td":
            rows = self.tables[self.open[-1]]
            if not rows:
                rows.append([])
            across = max(count("colspan", SPANS[0]), count("mergeacross", SPANS[0]) + 1)
            down = max(count("rowspan", SPANS[1]), count("mergedown", SPANS[1]) + 1)
            rows[-1].append(_Cell([], across, down, count("index", 10**9) - 1))
        else:
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag == self.apart:
            self.apart = ""
        elif tag == "table" and self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        rows = self.tables[self.open[-1]] if self.open else []
        if rows and rows[-1] and not self.apart:
            rows[-1][-1].words.append(data)


def read_markup(data: bytes, options: ReadOptions) -> Grid:
    """Load the table or sheet that is named, or the largest.

    A value stands in the first of the columns and in all rows that its cell spans.
    """
    parser = _Parser()
    parser.feed(utf8(data)[0].decode())
    parser.close()
    size = {name: sum(map(len, rows)) for name, rows in parser.tables.items() if len(rows) > 1}
    if not size:
        raise ReadError("This is a web page (HTML) or XML without a table; choose one that has.")
    notices: list[Notice] = []
    name = choose(options.member or max(size, key=size.__getitem__), list(size), "file", notices)
    rows = _expanded(parser.tables[name])
    return grid_of_rows(rows, options.changed(member=name), notices)


def _expanded(rows: list[list[_Cell]]) -> list[list[str | None]]:
    """Put cells at their places."""
    expanded: list[list[str | None]] = []
    below: dict[int, tuple[int, str | None]] = {}  # rows to come, and the value there
    for row in rows:
        line = {place: value for place, (_, value) in below.items()}
        below = {place: (left - 1, value) for place, (left, value) in below.items() if left > 1}
        end = 0
        for words, across, down, place in row:
            end = max(end, place)
            while end in line:
                end += 1
            for at in range(end, end + across):
                line[at] = "".join(words) if at == end else None
                if down > 1:
                    below[at] = (down - 1, line[at])
            end += across
            check_width(end)
        expanded.append([line.get(place) for place in range(max(line, default=-1) + 1)])
    return expanded
