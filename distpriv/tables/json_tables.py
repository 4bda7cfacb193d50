"""JSON and other values of Python: records, columns or lines to a table, nested values apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from distpriv.errors import TableError
from distpriv.tables.labels import counted, shown, text_of
from distpriv.tables.repairs import Repair, RepairKind, columns_shown, loose
from distpriv.tables.types import check_shape

__all__ = ["as_text", "parse_json", "series_of", "without_nested"]


def parse_json(text: str, undo: Collection[RepairKind]) -> tuple[pd.DataFrame, tuple[Repair, ...]]:
    """Read JSON: a list of records, an object of columns, a split table, or a record a line.

    Parameters
    ----------
    text : str
    undo : collection of RepairKind

    Returns
    -------
    DataFrame, shape (N, m)
    tuple of Repair
        What was done with nested values.

    Raises
    ------
    TableError
        If the text is no such JSON; says where.
    """
    document = _load_json(text)
    if isinstance(document, dict) and _is_split(document):
        names, columns = _columns_of_split(document)
    elif isinstance(document, dict) and all(isinstance(v, list) for v in document.values()):
        names, columns = list(document), list(document.values())
    else:
        by_name = _columns_of_records(document if isinstance(document, list) else [document])
        names, columns = list(by_name), list(by_name.values())
    _check_lengths(names, columns)
    kept, nested = [], []
    for name, values in zip(names, columns, strict=True):
        if any(isinstance(value, dict | list) for value in values):
            nested.append(name)
            if "nested" not in undo:
                continue
            values = [as_text(value) for value in values]
        _check_characters(name, values)
        kept.append((name, series_of(values)))
    return without_nested(kept, nested, undo)


def _check_lengths(names: Sequence[str], columns: Sequence[list[Any]]) -> None:
    check_shape(columns=len(columns))
    check_shape(rows=len(columns[0]), columns=len(columns))
    for name, values in zip(names, columns, strict=True):
        if len(values) != len(columns[0]):
            raise TableError(
                f"column {shown(name)} has {counted(len(values), 'value')} where column "
                f"{shown(names[0])} has {len(columns[0])}; write null where a value is missing."
            )


def _load_json(text: str) -> Any:
    first, _, rest = text.strip().partition("\n")
    if rest and _is_object(first):
        lines = enumerate(text.split("\n"), start=1)
        return [_loads(line, number) for number, line in lines if line.strip()]
    return _loads(text, 1)


def _loads(source: str, line: int) -> Any:
    try:
        return json.loads(source, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise TableError(
            f"the JSON is damaged at line {line + error.lineno - 1}, character {error.colno}; "
            "correct it there."
        ) from None
    except TableError:
        raise
    except (RecursionError, ValueError):
        raise TableError(
            f"the JSON from line {line} on is nested too deeply or holds a number that is too "
            "long; write it as a list of flat records."
        ) from None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(name for name, times in Counter(n for n, _ in pairs).items() if times > 1)
        raise TableError(f"the name {shown(twice)} stands twice in one JSON object; rename one.")
    return members


def _is_split(document: dict[str, Any]) -> bool:
    return (
        {"columns", "data"} <= document.keys() <= {"columns", "data", "index"}
        and isinstance(document["columns"], list)
        and isinstance(document["data"], list)
        and all(isinstance(row, list) for row in document["data"])
    )


def _columns_of_split(document: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    names = [text_of(name) for name in document["columns"]]
    for position, row in enumerate(document["data"]):
        if len(row) != len(names):
            raise TableError(
                f"record {position + 1} has {counted(len(row), 'value')} where there are "
                f"{counted(len(names), 'column')}; add or remove values."
            )
    return names, [[row[i] for row in document["data"]] for i in range(len(names))]


def _columns_of_records(records: list[Any]) -> dict[str, list[Any]]:
    names: dict[str, None] = {}
    for position, record in enumerate(records):
        if not isinstance(record, dict):
            raise TableError(
                f"record {position + 1} is no JSON object with column names; "
                "write the table as a list of such objects."
            )
        names.update(dict.fromkeys(record))
        check_shape(columns=len(names) or 1)
    if not records:
        raise TableError("the JSON holds no records; add at least one.")
    check_shape(rows=len(records), columns=len(names))
    return {name: [record.get(name) for record in records] for name in names}


def _check_characters(name: str, values: list[Any]) -> None:
    for position, value in enumerate([name, *values]):
        if isinstance(value, str) and not value.isascii() and _is_half(value):
            where = f"in record {position}" if position else "in its name"
            raise TableError(
                f"column {shown(name)} holds half a character (an escape such as \\ud83d) "
                f"{where}; write the whole character."
            )


def _is_half(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def without_nested(
    kept: Sequence[tuple[str, pd.Series]], nested: Sequence[str], undo: Collection[RepairKind]
) -> tuple[pd.DataFrame, tuple[Repair, ...]]:
    """Put the other columns together, and tell of nested and binary ones.

    Parameters
    ----------
    kept : sequence of (name, Series)
    nested : sequence of str
        Names of columns of lists, records or bytes.
    undo : collection of RepairKind
    """
    repairs: tuple[Repair, ...] = ()
    if nested:
        undone = "nested" in undo
        many = len(nested) > 1
        what = f"{counted(len(nested), 'column')} ({columns_shown(nested)}) "
        what += "hold lists, records or bytes" if many else "holds lists, records or bytes"
        done = "kept as text" if undone else "left out"
        repairs = (Repair("nested", f"{what} and {'were' if many else 'was'} {done}.", undone),)
    if nested and not kept:
        raise TableError(
            f"all columns hold lists or records ({columns_shown(nested)}); unfold them first."
        )
    return loose([name for name, _ in kept], [each for _, each in kept]), repairs


def as_text(value: object) -> str | None:
    """A nested value as JSON."""
    if value is None or isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        raise TableError("a value is nested too deeply; unfold or remove its column.") from None


def series_of(values: list[Any]) -> pd.Series:
    """Turn Python values into numbers, booleans, dates or, where they are mixed, text."""
    kind = pd.api.types.infer_dtype(values, skipna=True)
    raw = pd.Series(values, dtype=object)
    try:
        if kind == "boolean":
            return raw.astype("boolean")
        if kind == "decimal":
            return raw.astype("float64")
        if kind in {"integer", "floating", "mixed-integer-float"}:
            numbers = pd.to_numeric(raw)
            if numbers.dtype != object:
                return numbers
        if kind in {"datetime", "datetime64", "date"}:
            return pd.to_datetime(raw, utc=True)
    except (ValueError, TypeError, OverflowError):
        pass  # Out of the type's range, so kept as it is written.
    texts = [None if pd.isna(value) else text_of(value) for value in values]
    return pd.Series(np.array(texts, dtype=object), dtype="str")
