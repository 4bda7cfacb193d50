"""SQL, in DuckDB's dialect, of groups and their moments where a table lives.

Labels are never part of the text: it names them $1, $2 and so on.
"""
# ruff: noqa: S608 - names are quoted, labels are bound, all else are numbers

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from distpriv.arrays import EXACT, FloatArray
from distpriv.errors import DistprivError, SourceError
from distpriv.queries import Label, Query, SensitiveProperty
from distpriv.queries.columns import label_of_text
from distpriv.text import near

__all__ = ["Cell", "Kind", "Labels", "cell_of", "double", "finite", "grouped"]
__all__ += ["away", "off_grid", "property_of", "scan", "values_of"]

Kind = Literal["number", "boolean", "date", "text"]
_SPACE = "[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"  # of str.strip
_SEPARATOR = "[;|,]"  # of answers
_PUNCTUATION = re.compile(r"[!-/:-@\[-^`{-~]")


class Cell(NamedTuple):
    """Hold what kind of values a column has, and SQL of them: NULL where one is missing."""

    kind: Kind
    sql: str


class Labels(list[object]):
    """Labels that a text of SQL names."""

    def bind(self, label: object) -> str:
        """Return the name of one more label."""
        self.append(label)
        return f"${len(self)}"


def double(number: float | None) -> str:
    """Return a number of double precision."""
    return f"CAST({float(number or 0)!r} AS DOUBLE)"


def finite(sql: str) -> str:
    """Return a column as numbers of double precision, NULL where one is infinite or NaN."""
    number = f"CAST({sql} AS DOUBLE)"
    return f"CASE WHEN {number} - {number} = 0 THEN {number} END"


def single(sql: str) -> str:
    """Return the decimals of seven digits that numbers of single precision stand for.

    See `distpriv.arrays.decimals`.
    """
    number = f"CAST({sql} AS DOUBLE)"
    shift = f"power({double(10)}, 6 - floor(ln(abs(nullif({number}, 0))) / ln({double(10)})))"
    rounded = f"round({number} * {shift}) / {shift}"
    same = f"CAST({rounded} AS FLOAT) = CAST({sql} AS FLOAT)"
    return f"CASE WHEN {same} THEN {rounded} ELSE {number} END"


def cell_of(name: str, cells: Mapping[str, Cell]) -> Cell:
    """Return a column; DistprivError if the table has no such column."""
    if name not in cells:
        raise DistprivError(f"The table has no column {name!r}.{near(name, cells)}")
    return cells[name]


def _number(name: str, cells: Mapping[str, Cell]) -> str:
    kind, sql = cell_of(name, cells)
    if kind == "number":
        return f"CAST({sql} AS DOUBLE)"
    if kind == "boolean":
        return _flag(sql, sql)
    raise SourceError(
        f"Column {name!r} holds {'dates' if kind == 'date' else 'labels'}, which is not a number; "
        "choose a column of numbers, or count one of its values."
    )


def _flag(sql: str, having: str) -> str:
    zero, one = double(0), double(1)
    return f"CASE WHEN {sql} IS NULL THEN NULL WHEN {having} THEN {one} ELSE {zero} END"


def _equals(cell: Cell, value: Label, labels: Labels) -> str:
    """Compare as pandas does: 1 equals True and 1.0; dates are ISO text, other texts may name 1."""
    kind, sql = cell
    if kind in ("number", "boolean"):
        value = label_of_text(value)
    if isinstance(value, str):
        if kind == "text":
            return f"{sql} = {labels.bind(value)}"
        if kind == "date" and (moment := _moment(value)):
            return f"{sql} = CAST({labels.bind(moment)} AS TIMESTAMP)"
    elif kind == "number":
        if abs(value) > EXACT:
            raise SourceError(f"{value!r} has too many digits for a number; take another value.")
        return f"{sql} = {double(value)}"
    elif kind == "boolean" and value in (0, 1):
        return sql if value else f"NOT {sql}"
    return "1 = 0"


def _moment(text: str) -> str:
    """Return a date as ISO text; "" for none, and for one with an offset from UTC."""
    moment = pd.to_datetime(text, errors="coerce")
    return "" if pd.isna(moment) or moment.tzinfo else moment.isoformat(" ", "microseconds")


def _one_of(name: str, values: Sequence[Label], cells: Mapping[str, Cell], labels: Labels) -> str:
    cell = cell_of(name, cells)
    return _flag(cell.sql, " OR ".join(_equals(cell, value, labels) for value in values))


def values_of(query: Query, cells: Mapping[str, Cell], labels: Labels) -> list[str]:
    """Return what the statistics need of each record, see `Query.values`."""
    columns: list[str] = []
    for one in query.statistics:
        if one.value is None:
            columns += [_number(name, cells) for name in one.columns]
        else:
            columns.append(_one_of(one.column, [one.value], cells, labels))
    return columns


def property_of(secret: SensitiveProperty, cells: Mapping[str, Cell], labels: Labels) -> str:
    """Return 1 for records with a property, 0 without, NULL where it is missing."""
    if secret.values:  # noqa: PD011
        return _one_of(secret.column, secret.values, cells, labels)
    if secret.contains:
        return _contains(secret.column, secret.contains, cells, labels)
    if secret.dated:
        kind, value = cell_of(secret.column, cells)
        if kind != "date":
            raise SourceError(f"Column {secret.column!r} holds no dates; compare it with a number.")
    else:
        value = _number(secret.column, cells)

    def end(threshold: float | str) -> str:
        if isinstance(threshold, str):
            return f"CAST({labels.bind(_moment(threshold))} AS TIMESTAMP)"
        return double(threshold)

    if secret.between is not None:
        low, high = map(end, secret.between)
        return _flag(value, f"{value} >= {low} AND {value} <= {high}")
    if secret.above is not None:
        return _flag(value, f"{value} > {end(secret.above)}")
    return _flag(value, f"{value} < {end(secret.below or 0.0)}")


def _contains(name: str, answer: str, cells: Mapping[str, Cell], labels: Labels) -> str:
    """Look for one of the answers that signs separate, by an expression that all engines know."""
    kind, sql = cell_of(name, cells)
    if kind != "text":
        raise SourceError(f"Column {name!r} holds no texts, so no answers; take one of its values.")
    if re.search(_SEPARATOR, answer):  # two answers, which are none
        return _flag(sql, "1 = 0")
    plain = _PUNCTUATION.sub(r"\\\g<0>", answer)
    pattern = f"(^|{_SEPARATOR}){_SPACE}*{plain}{_SPACE}*($|{_SEPARATOR})"
    return _flag(sql, f"regexp_matches({sql}, {labels.bind(pattern)})")


def grouped(table: str, values: Sequence[str], having: str) -> str:
    """Return the values v0, v1, … of all records and their group: 2 where something is missing.

    `having` is 1, 0 or NULL, and stays beside the group as `flag`.
    """
    columns = ", ".join(f"{sql} AS v{at}" for at, sql in enumerate(values))
    gaps = " OR ".join(f"v{at} IS NULL" for at in range(len(values)))
    return (
        f"SELECT *, CASE WHEN flag IS NULL OR {gaps} THEN 2 WHEN flag = 1 THEN 1 ELSE 0 END "
        f"AS grp FROM (SELECT {columns}, {having} AS flag FROM {table}) AS t"
    )


def scan(records: str, centres: FloatArray, off: str) -> str:
    """Return a row for each group: counts, ends, and sums and products of deviations.

    Counts are of records, of known properties, of the property and of records off the grid; ends
    and deviations of v0, v1, …, these from the centres, shape (2, width), of the groups 0 and 1.
    """
    places = range(centres.shape[1])
    ends = [
        double(low)
        if low == high
        else f"CASE grp WHEN 1 THEN {double(high)} ELSE {double(low)} END"
        for low, high in centres.T
    ]
    moved = ", ".join(f"v{at} - {centre} AS m{at}" for at, centre in enumerate(ends))
    parts = ["grp, count(*), count(flag), sum(flag)", f"sum(CASE WHEN {off} THEN 1 ELSE 0 END)"]
    parts += [f"min(v{at}), max(v{at})" for at in places]
    parts += [f"sum(m{at})" for at in places]
    parts += [f"sum(m{at} * m{to})" for at in places for to in range(at + 1)]
    moved = f"SELECT *, {moved} FROM ({records}) AS r"
    return f"SELECT {', '.join(parts)} FROM ({moved}) AS m GROUP BY grp"


def away(group: int, first: FloatArray, along: FloatArray) -> str:
    """Return what is true of a group's records that differ from the first one along a vector."""
    parts = [
        f"{double(part)} * (v{at} - {double(start)})"
        for at, (part, start) in enumerate(zip(along, first, strict=True))
    ]
    return f"grp = {group} AND abs({' + '.join(parts)}) > {double(1e-6)}"


def off_grid(samples: Sequence[FloatArray], steps: Sequence[FloatArray]) -> str:
    """Return what is true of records off the grids of samples of both groups, (N, width) each.

    `steps`, (width,) each, are 0 for columns without a grid, of which nothing is asked, and for
    those that do not vary. Where both groups lie on one grid, all records are held against it.
    """
    off = ["1 = 0"]
    for at, pair in enumerate(zip(*steps, strict=True)):
        first = samples[0][0, at]
        away = abs(samples[1][0, at] - first) / pair[0] if pair[0] else np.nan
        if pair[0] == pair[1] and abs(away - np.rint(away)) <= min(1e-9 * away, 1e-5):
            every = np.concatenate([sample[:, at] for sample in samples])
            off.append(_off(at, every, pair[0]))
        else:
            rest = [_off(at, one[:, at], step) for one, step in zip(samples, pair, strict=True)]
            off += [f"(grp = {group} AND {one})" for group, one in enumerate(rest)]
    return " OR ".join(off)


def _off(at: int, values: FloatArray, step: float) -> str:
    """Return what is true of values of a column that lie off the grid of some, shape (N,)."""
    first = double(values[0])
    if not step:
        return f"v{at} <> {first}" if np.ptp(values) == 0 else "1 = 0"
    rest = f"(v{at} - {first}) / {double(step)}" if step != 1 else f"v{at}"
    if step % 1 == 0 and not (values % 1).any():
        return f"{rest} <> round({rest})"
    size = f"(abs(v{at}) + {double(abs(values[0]))}) / {double(step)}"
    most = f"LEAST({double(1e-9)} * {size}, {double(1e-5)}) + {double(1e-15)} * {size}"
    return f"abs({rest} - round({rest})) > {most}"
