"""JSON, web pages and XML of Excel: the records within them, whichever way they are written."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.delimited import utf8
from distpriv.tables.grids import Grid, check_width, choose, grid_of_rows, grid_of_table, text_of
from distpriv.tables.options import Notice, ReadOptions, excerpt

__all__ = ["read_json", "read_markup"]

LONG = 18  # digits of a whole number; those with more name something
SPANS = 1_000, 65_534  # columns and rows that a cell spans at most, as browsers have it
_TAGS = {"row": "tr", "cell": "td", "th": "td"}
_APART = frozenset({"script", "style", "comment"})
_BLANK = re.compile(r"[\s\x1e]*")  # U+001E begins a value of a JSON sequence

Columns = dict[str, list[Any]]


def read_json(data: bytes, options: ReadOptions) -> Grid:
    """Load a list of objects or of lists, one object a line, or an object of columns.

    Values keep their type; nested ones are left out, with a notice.
    """
    notices: list[Notice] = []
    try:
        table = _table(_parsed(utf8(data)[0].decode()), notices)
        if isinstance(table, list):
            return grid_of_rows(table, options, notices)
        arrays = {name: _array(name, cells, notices) for name, cells in table.items()}
        plain = {name: array for name, array in arrays.items() if array is not None}
        return grid_of_table(pa.table(plain), options, notices)
    except json.JSONDecodeError as error:
        raise ReadError(
            f"The JSON is damaged in line {error.lineno} at character {error.colno} "
            f"({error.msg}); correct it, or save it again."
        ) from None
    except RecursionError:
        raise ReadError("The JSON is nested too deep to be read; save the table alone.") from None
    except UnicodeEncodeError:
        raise ReadError("A text in the JSON has half a character (\\ud800); correct it.") from None


def _parsed(text: str) -> Any:
    """Parse one value, or list those that stand one after the other."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_int=lambda digits: int(digits) if len(digits) <= LONG else digits,
        parse_constant=str,
    )
    values, place = [], 0
    while (place := _BLANK.match(text, place).end()) < len(text):  # type: ignore[union-attr]
        value, place = decoder.raw_decode(text, place)
        values.append(value)
    return values[0] if len(values) == 1 else values


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ReadError(f"An object of the JSON has two values of {excerpt(twice)}; remove one.")
    return values


def _table(value: Any, notices: list[Notice]) -> Columns | list[list[Any]]:
    """Find columns by name, or rows of which the first may name them."""
    if single := isinstance(value, dict):
        parts = list(value.values())
        names = value.get("columns")
        if isinstance(names, list) and _all(list, value.get("data")):  # pandas' "split"
            return [names, *value["data"]]
        if not any(_is_nested(one) for part in parts for one in _values(part)):
            if _all(dict, parts) and (crossed := _crossed(value, notices)):
                return crossed
            if _all(list, parts) and len({len(part) for part in parts}) == 1:
                return value
        value = _longest(value, notices)
    if _all(list, value) and not all(_is_nested(one) for row in value for one in row):
        return value
    if not _all(dict, value):
        within = "has lists beside or within others" if _all(list, value) else "has no records"
        what = "is a single object" if single else within
        raise ReadError(f"The JSON {what}; choose a file that has a list of records.")
    if all(isinstance(one.get("properties"), dict) and "geometry" in one for one in value):
        value = [one["properties"] for one in value]
        notices.append(Notice("The features' properties were read, and their geometry left out."))
    return _of_records(value)


def _all(kind: type, values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(v, kind) for v in values)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _values(part: Any) -> Any:
    return part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()


def _of_records(records: list[dict[str, Any]]) -> Columns:
    names = dict.fromkeys(chain.from_iterable(records))
    check_width(len(names))
    return {name: [record.get(name) for record in records] for name in names}


def _crossed(value: dict[str, dict[str, Any]], notices: list[Notice]) -> Columns | None:
    """Read an object of objects as columns, as pandas writes them, or as records."""
    inner = dict.fromkeys(chain.from_iterable(value.values()))
    if len(inner) == sum(map(len, value.values())) and len(value) > 1:
        return None  # objects without a name in common
    columns = {name: [part.get(key) for key in inner] for name, part in value.items()}
    if all(map(str.isdigit, inner)):
        return columns
    records = _of_records(list(value.values()))
    rather = (_mixed(columns), len(value)) > (_mixed(records), len(inner))
    rather = rather or all(map(str.isdigit, value))
    what = "a record, and each name in it as a column" if rather else "a column"
    notices.append(Notice(f"Each of {len(value)} objects was read as {what}."))
    return records if rather else columns


def _mixed(columns: Columns) -> int:
    """Count the columns with values of several types."""
    return sum(len(set(map(type, cells)) - {type(None)}) > 1 for cells in columns.values())


def _longest(value: dict[str, Any], notices: list[Notice]) -> Any:
    """Find the longest list of objects or of lists, at any depth."""
    path, longest = "", list[Any]()
    beside, stack = list[str](), [("", value)]
    while stack:
        above, part = stack.pop()
        for name, one in part.items():
            if isinstance(one, dict) and name != "schema":
                stack.append((f"{above}{name}.", one))
            elif (_all(dict, one) or _all(list, one)) and len(one) > len(longest):
                path, longest = f"{above}{name}", one
            elif not isinstance(one, list) and len(beside) < 3:
                beside.append(f"{name} = {text_of(one)}"[:40])
    if longest:
        rest = f" ({', '.join(beside)})" if beside else ""
        text = f"The list {excerpt(path)} was read, and what stands beside it{rest} left out."
        notices.append(Notice(text))
    return longest


def _array(name: str, cells: list[Any], notices: list[Notice]) -> pa.Array | None:
    """Return a column of one type, else of texts; None where values are nested."""
    kinds = set(map(type, cells)) - {type(None)}
    if kinds & {dict, list}:
        notices.append(Notice(f"Column {name!r} holds nested values and was left out.", name))
        return None
    try:
        if kinds == {bool}:
            return pa.array(cells, pa.bool_())
        if kinds and kinds <= {int, float}:
            return pa.array(cells, pa.float64() if float in kinds else pa.int64())
    except pa.ArrowInvalid:
        pass  # whole numbers too large to be among floating-point ones
    return pa.array(map(text_of, cells), pa.string())


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
