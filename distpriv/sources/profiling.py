"""What a table that stays with its engine holds: types, labels and a sample, as a file's.

A bounded sample tells which columns have few labels; of those every text that occurs is fetched
once, cleaned as :func:`distpriv.read_table` cleans it, and pushed back as a list of raw texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Text,
    case,
    cast,
    func,
    literal,
    not_,
    or_,
    select,
)

from distpriv.errors import SourceError
from distpriv.model.source import ColumnProfile, Profile
from distpriv.sources.engine import Engine, RawColumn
from distpriv.sources.expressions import Column, Expressions
from distpriv.tables.labels import (
    DEFAULT_STYLES,
    MISSING_TOKENS,
    Labels,
    NumberStyle,
    labels_of,
    number_styles,
    style_of,
)
from distpriv.tables.reading import typed
from distpriv.tables.types import ColumnType, convert, infer_type, looks_like_a_key, type_of_labels

__all__ = ["MOST_LABELS", "PREVIEW", "Profiled", "profiled"]

PREVIEW = 20_000
"""Records of a profile's sample at most."""

MOST_LABELS = 10_000
"""Distinct texts of a column that are fetched; one with more is no category."""

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_ODD = 200  # texts of numbers that an engine would read otherwise


@dataclass(frozen=True, eq=False)
class _Counted(Labels):
    """Labels of records that are counted and not listed."""

    counts: tuple[int, ...] = ()
    records: int = 0

    @property
    def present(self) -> int:
        return sum(self.counts)

    @property
    def distinct(self) -> bool:
        return len(self.texts) == self.records


@dataclass(frozen=True, eq=False)
class Profiled:
    """A profile, and how each column is read."""

    profile: Profile
    columns: Mapping[str, Column]


@dataclass(frozen=True, eq=False)
class _Vocabulary:
    """Every text of a column: its label, or None where it is missing, and its records."""

    labels: Mapping[str, str | None]
    counts: Mapping[str, int]

    @property
    def by_label(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for text, label in self.labels.items():
            if label is not None:
                counts[label] = counts.get(label, 0) + self.counts[text]
        return counts


def profiled(engine: Engine, seed: int, size: int = PREVIEW) -> Profiled:
    """Ask an engine what its table holds: three scans, and one a column of text.

    Raises
    ------
    SourceError
        If there are no records or no columns, or the engine cannot answer.
    """
    if not engine.columns:
        raise SourceError(f"{engine.title} has no column that can be read; choose another table.")
    raw, records = _sample(engine, seed, size)
    if not records:
        raise SourceError(f"{engine.title} has no records; choose a table with at least one.")
    whole = len(raw) == records
    texts = {
        column.name: _vocabulary(engine, column, raw[column.name])
        for column in engine.columns
        if column.kind == "text"
    }
    labels = {
        name: labels_of(raw[name]) if known is None else _counted(known, records)
        for name, known in texts.items()
    }
    styles = number_styles([each.texts for each in labels.values()], semicolons=False)
    columns: dict[str, Column] = {}
    for column in engine.columns:
        name = column.name
        kind = _type(column, raw[name], labels.get(name), styles, records if not whole else None)
        columns[name] = _column(column, kind, texts.get(name), styles)
    ends = _ends(engine, columns)
    for name, known in columns.items():
        if ends[name].odd:  # texts that are no numbers among very many that are
            columns[name] = Column(known.raw, "text")
        elif known.type == "number" and _is_key(name, known, ends[name], raw[name], records):
            columns[name] = Column(known.raw, "identifier", known.labels, known.numbers)
    sample = _typed(raw, columns, labels, styles)
    profiles = {
        name: ColumnProfile(
            name,
            known.type,
            ends[name].missing,
            ends[name].low if known.type == "number" else None,
            ends[name].high if known.type == "number" else None,
            _label_counts(known, texts.get(name), sample[name]),
        )
        for name, known in columns.items()
    }
    return Profiled(Profile(records, profiles, sample), columns)


def _counted(known: _Vocabulary, records: int) -> _Counted:
    counts = known.by_label
    texts = pa.array(list(counts), pa.large_string())
    return _Counted(np.arange(len(counts)), texts, tuple(counts.values()), records)


def _sample(engine: Engine, seed: int, size: int) -> tuple[pd.DataFrame, int]:
    """Raw values of a random sample in random order, and how many records there are."""
    ((records,),) = engine.rows(select(func.count()).select_from(engine.records))
    records = int(records)
    numbered, uniform = engine.numbered(seed)
    rate = 1.0 if records <= size else (size + 6 * size**0.5) / records
    values = [_read(engine, column, numbered.c[column.name]) for column in engine.columns]
    valued = select(
        *(value.label(f"c{place}") for place, value in enumerate(values)), uniform.label("u")
    ).subquery("valued")
    statement = select(*valued.c)
    if rate < 1:
        statement = statement.where(valued.c.u < literal(rate, Double))
    rows = sorted(engine.rows(statement), key=lambda row: row[-1])[:size]
    parts = zip(*rows, strict=True) if rows else ((),) * (len(values) + 1)
    frame = {
        column.name: _series(column, part)
        for column, part in zip(engine.columns, parts, strict=False)
    }
    return pd.DataFrame(frame), records


def _read(engine: Engine, column: RawColumn, value: ColumnElement[Any]) -> ColumnElement[Any]:
    if column.kind == "real":
        return cast(value, Double)
    if column.kind == "moment":
        return engine.moment(value)
    if column.kind == "text":
        return cast(value, Text)
    return value


def _series(column: RawColumn, values: Sequence[Any]) -> pd.Series:
    """Raw values as a file's reader has them."""
    missing = any(value is None for value in values)
    if column.kind == "whole":
        if missing or any(abs(value) >= 2**63 for value in values):
            return pd.Series(
                [np.nan if each is None else float(each) for each in values], dtype="float64"
            )
        return pd.Series(values, dtype="int64")
    if column.kind == "real":
        return pd.Series([np.nan if each is None else each for each in values], dtype="float64")
    if column.kind == "boolean":
        return pd.Series(values, dtype="boolean" if missing else "bool")
    if column.kind == "moment":
        moments = [np.iinfo(np.int64).min if each is None else int(each) for each in values]
        return pd.Series(np.array(moments, dtype=np.int64).view("datetime64[us]"))
    return pd.Series(values, dtype="str")


def _vocabulary(engine: Engine, column: RawColumn, sample: pd.Series) -> _Vocabulary | None:
    """Every text of a column, or None if there are too many."""
    if sample.nunique() > MOST_LABELS:
        return None
    text = cast(engine.records.c[column.name], Text).label("text")
    inner = select(text).subquery("texts")
    statement = (
        select(inner.c.text, func.count())
        .where(inner.c.text.is_not(None))
        .group_by(inner.c.text)
        .limit(MOST_LABELS + 1)
    )
    rows = engine.rows(statement)
    if len(rows) > MOST_LABELS:
        return None
    counts = {text: int(count) for text, count in sorted(rows)}
    stripped = pc.utf8_trim_whitespace(pa.array(list(counts), pa.large_string())).to_pylist()
    labels = {
        text: None if label in MISSING_TOKENS else label
        for text, label in zip(counts, stripped, strict=True)
    }
    return _Vocabulary(labels, counts)


def _type(
    column: RawColumn,
    sample: pd.Series,
    labels: Labels | None,
    styles: Sequence[NumberStyle],
    more: int | None,
) -> ColumnType:
    """Type of a column; `more` is the number of records where the sample is not all of them."""
    if labels is None:
        if more is None or column.kind not in ("whole",):
            return infer_type(column.name, sample)
        return "number"
    return type_of_labels(column.name, labels, styles)


def _column(
    raw: RawColumn, kind: ColumnType, known: _Vocabulary | None, styles: Sequence[NumberStyle]
) -> Column:
    labels: dict[str, str | None] = {} if known is None else dict(known.labels)
    if kind == "boolean" and raw.kind == "text":
        labels = {text: label and label.lower() for text, label in labels.items()}
    if kind != "number" or raw.kind != "text":
        return Column(raw, kind, labels, whole=raw.kind == "whole")
    if known is None:
        return Column(raw, kind)
    texts = pa.array([label for label in labels.values() if label is not None], pa.large_string())
    style = style_of(texts, styles)
    assert style is not None
    plain = pc.cast(style.normalise(texts), pa.float64()).to_pylist()
    written = [text for text, label in labels.items() if label is not None]
    odd = {
        text: number
        for text, number in zip(written, plain, strict=True)
        if not _PLAIN.fullmatch(text) or float(text) != number
    }
    if len(odd) > _ODD:  # written in another way throughout
        return Column(raw, "category" if len(labels) <= 1000 else "text", labels)
    whole = all(_WHOLE.fullmatch(text) for text, label in labels.items() if label is not None)
    return Column(raw, kind, labels, odd, whole)


@dataclass(frozen=True)
class _Ends:
    """Missing values and extremes of a column; whether texts among its numbers are none."""

    missing: int
    low: float | None = None
    high: float | None = None
    odd: bool = False


def _ends(engine: Engine, columns: Mapping[str, Column]) -> dict[str, _Ends]:
    reading = Expressions(columns, pd.DataFrame())
    asked: list[ColumnElement[Any]] = []
    for name, known in columns.items():
        guarded = known.type == "number" and known.raw.kind == "text" and not known.labels
        gone = reading.missing(engine.records, name)
        asked.append(_sum(gone))
        if known.type == "number" and not guarded:
            number = reading.number(engine.records, name)
            asked += [func.min(number), func.max(number)]
        elif guarded:
            text = cast(engine.records.c[name], Text)
            plain = text.regexp_match(f"^({_PLAIN.pattern})$")
            number = case((plain, cast(case((plain, text)), Double)))
            asked += [func.min(number), func.max(number), _sum(not_(or_(gone, plain)))]
    (row,) = engine.rows(select(*asked).select_from(engine.records))
    values = iter(row)
    ends = {}
    for name, known in columns.items():
        missing = int(next(values) or 0)
        if known.type != "number":
            ends[name] = _Ends(missing)
            continue
        low, high = next(values), next(values)
        odd = bool(known.raw.kind == "text" and not known.labels and next(values))
        ends[name] = _Ends(
            missing, None if low is None else float(low), None if high is None else float(high), odd
        )
    return ends


def _sum(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(cast(case((condition, literal(1)), else_=literal(0)), BigInteger))


def _is_key(name: str, known: Column, ends: _Ends, sample: pd.Series, records: int) -> bool:
    """As for a table in memory, but by a sample where that is not all."""
    if known.raw.kind != "whole" or ends.missing or ends.low is None or ends.high is None:
        return False
    return sample.is_unique and looks_like_a_key(name, records, ends.low, ends.high)


def _typed(
    raw: pd.DataFrame,
    columns: Mapping[str, Column],
    labels: Mapping[str, Labels],
    styles: Sequence[NumberStyle],
) -> pd.DataFrame:
    """The sample as :func:`distpriv.read_table` has it, with the categories of all records."""
    made: dict[str, pd.Series] = {}
    for name, known in columns.items():
        if known.type == "number" and known.raw.kind == "text" and not known.labels:
            made[name] = pd.to_numeric(raw[name].where(~raw[name].isin(MISSING_TOKENS)))
            continue
        made[name] = convert(name, _finite(raw[name]), known.type, styles=styles or DEFAULT_STYLES)
        if known.type == "category" and isinstance(labels.get(name), _Counted):
            categories = pd.Index(sorted(labels[name].texts.to_pylist()), dtype="str")
            made[name] = made[name].cat.set_categories(categories)
    return typed(pd.DataFrame(made), {name: known.type for name, known in columns.items()})


def _finite(column: pd.Series) -> pd.Series:
    """Infinite values are missing in a preview; a statistic that meets them says so."""
    if column.dtype != np.float64:
        return column
    return column.where(np.isfinite(column))


def _label_counts(known: Column, texts: _Vocabulary | None, sample: pd.Series) -> dict[str, int]:
    if known.type in ("category", "boolean") and texts is not None:
        if known.type == "boolean":
            counts: dict[str, int] = {}
            for text, label in known.labels.items():
                if label is not None:
                    name = label.capitalize()
                    counts[name] = counts.get(name, 0) + texts.counts[text]
            return counts
        return texts.by_label
    if known.type == "boolean":
        return {str(label): int(count) for label, count in sample.value_counts().items()}
    return {}
