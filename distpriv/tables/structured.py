"""JSON: the records within it, whichever way they are written."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain
from typing import Any

import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.delimited import utf8
from distpriv.tables.grids import Grid, check_width, grid_of_rows, grid_of_table, text_of
from distpriv.tables.options import Notice, ReadOptions, excerpt

__all__ = ["read_json"]

LONG = 18  # digits of a whole number; those with more name something
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
        check_width(len(table))
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
    if isinstance(value, dict):
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
        raise ReadError("The JSON has no records; choose a file that has a list of them.")
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
