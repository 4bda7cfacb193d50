"""Statistics and secrets as expressions of SQL, the same for every engine.

Every value is a bound parameter and every name is quoted; no text of a table, a scenario or a
visitor becomes part of a statement.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Double,
    FromClause,
    Integer,
    Select,
    Text,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    not_,
    null,
    or_,
    select,
    true,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from distpriv.errors import QueryError
from distpriv.queries.base import Statistic
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.sources.engine import RawColumn
from distpriv.tables import ColumnType
from distpriv.tables.labels import MISSING_TOKENS
from distpriv.tables.predicates import Scalar, as_number, as_text

__all__ = ["Column", "Expressions"]

_OUTSIDE = 2  # the group of incomplete records


@dataclass(frozen=True)
class Column:
    """A column as it is read.

    Attributes
    ----------
    raw : RawColumn
    type : ColumnType
    labels : mapping of str to str or None
        Label of every text that occurs, None for one that stands for a missing value; of a column
        with too many texts it is empty, and a text is its own label.
    numbers : mapping of str to float
        Of a column of text that holds numbers: the value of each text that an engine would not
        read as that number.
    whole : bool
        Whether its values are whole numbers by what they are, not by looking.
    """

    raw: RawColumn
    type: ColumnType
    labels: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    numbers: Mapping[str, float] = field(default_factory=dict, repr=False)
    whole: bool = False

    @property
    def missing(self) -> list[str]:
        """Texts that stand for a missing value."""
        if self.labels:
            return [text for text, label in self.labels.items() if label is None]
        return list(MISSING_TOKENS)


class is_nan(FunctionElement[bool]):  # noqa: N801 - a function of SQL
    """Whether a double is NaN."""

    type = Boolean()
    inherit_cache = True


@compiles(is_nan)
def _called(element: is_nan, compiler: Any, **options: Any) -> str:
    return f"isnan({compiler.process(element.clauses, **options)})"


@compiles(is_nan, "duckdb")
def _taken_from_a_list(element: is_nan, compiler: Any, **options: Any) -> str:
    # Parquet files state the extremes of their row groups without NaN. DuckDB 2.0 believes them: it
    # takes isnan(x), its hash and every comparison with NaN for false, and skips row groups for it.
    # Of what is taken from a list it has no extremes, so that this is computed for every record.
    return f"isnan(list_extract([{compiler.process(element.clauses, **options)}], 1))"


@compiles(is_nan, "postgresql")
def _compared(element: is_nan, compiler: Any, **options: Any) -> str:
    return f"({compiler.process(element.clauses, **options)} = CAST('NaN' AS double precision))"


def _among(expression: ColumnElement[Any], values: Iterable[object]) -> ColumnElement[bool]:
    """Whether it is one of some values, each a parameter of its own."""
    bound = [literal(value) for value in values]
    return expression.in_(bound) if bound else false()


class Expressions:
    """Record-level values of statistics, and groups, over the columns of a table.

    Parameters
    ----------
    columns : mapping of str to Column
    sample : DataFrame
        A few typed records, which know the errors of what does not fit.
    """

    def __init__(self, columns: Mapping[str, Column], sample: pd.DataFrame) -> None:
        self._columns = columns
        self._sample = sample.head(1)

    def check(self, query: Query, secret: SensitiveProperty) -> None:
        """Raise QueryError or PropertyError where the columns do not fit, as on a DataFrame."""
        secret.mask(self._sample)
        for statistic in query:
            statistic.values(self._sample)
            _parts(statistic)
        counted = [
            name for each in query for name, wanted in _parts(each) if wanted is not None
        ] + [secret.column] * bool(secret.values)
        for name in counted:
            known = self._columns[name]
            if known.type == "date" or known.raw.kind == "moment":
                raise QueryError(
                    f"Column {name!r} holds dates, which cannot be told apart by value where they "
                    "are; choose another column."
                )

    def grouped(
        self,
        records: FromClause,
        query: Query,
        secret: SensitiveProperty,
        also: ColumnElement[float] | None = None,
    ) -> Select[tuple[object, ...]]:
        """One row a record: ``grp`` (0, 1, or 2 if incomplete), ``v0``, ``v1``, … and ``also``."""
        values = [
            self._value(records, name, wanted)
            for statistic in query
            for name, wanted in _parts(statistic)
        ]
        inner = select(
            *(value.label(f"v{place}") for place, value in enumerate(values)),
            self.missing(records, secret.column).label("gone"),
            self._having(records, secret).label("own"),
            *(() if also is None else (also.label("u"),)),
        ).subquery("valued")
        columns = [inner.c[f"v{place}"] for place in range(len(values))]
        group = case(
            (or_(inner.c.gone, *(column.is_(None) for column in columns)), literal(_OUTSIDE)),
            (inner.c.own, literal(1)),
            else_=literal(0),
        )
        return select(
            cast(group, Integer).label("grp"),
            *columns,
            *(() if also is None else (inner.c.u,)),
        )

    def _value(self, records: FromClause, name: str, wanted: Scalar | None) -> ColumnElement[float]:
        if wanted is None:
            return self.number(records, name)
        return case(
            (self.missing(records, name), null()),
            (self._matches(records, name, (wanted,)), literal(1.0, Double)),
            else_=literal(0.0, Double),
        )

    def number(self, records: FromClause, name: str) -> ColumnElement[float]:
        """Value of a column of numbers as a double; NULL where it is missing."""
        column, known = records.c[name], self._columns[name]
        if known.raw.kind == "whole":
            return cast(column, Double)
        if known.raw.kind == "real":
            value = cast(column, Double)
            return case((is_nan(value), null()), else_=value)
        text = cast(column, Text)
        special = [
            (text == literal(written), literal(number, Double))
            for written, number in known.numbers.items()
        ]
        return case((_among(text, known.missing), null()), *special, else_=cast(text, Double))

    def missing(self, records: FromClause, name: str) -> ColumnElement[bool]:
        """Whether a record has no value in a column."""
        column, known = records.c[name], self._columns[name]
        if known.raw.kind == "text":
            return or_(column.is_(None), _among(cast(column, Text), known.missing))
        if known.raw.kind == "real":
            return self.number(records, name).is_(None)
        return column.is_(None)

    def state(
        self, records: FromClause, name: str, ends: Sequence[float] | None
    ) -> ColumnElement[Any]:
        """Range of a number by upper ends, the number, or the label; NULL where it is missing."""
        column, known = records.c[name], self._columns[name]
        if ends is not None:
            number = self.number(records, name)
            ranges = [
                (number <= literal(end, Double), literal(place)) for place, end in enumerate(ends)
            ]
            return case((number.is_(None), null()), *ranges, else_=literal(len(ends)))
        if known.type == "number":
            return self.number(records, name)
        if known.type == "boolean":
            truth = self._is_true(column, known, {1.0})
            told = case((truth, literal("True")), else_=literal("False"))
            return case((self.missing(records, name), null()), else_=told)
        text = cast(column, Text)
        renamed = [
            (text == literal(written), literal(label))
            for written, label in known.labels.items()
            if label is not None and label != written
        ]
        return case((_among(text, known.missing), null()), *renamed, else_=text)

    def _having(self, records: FromClause, secret: SensitiveProperty) -> ColumnElement[bool]:
        if secret.values:
            return self._matches(records, secret.column, secret.values)
        value = self.number(records, secret.column)
        low, high = literal(secret.low, Double), literal(secret.high, Double)
        if secret.closed:
            return and_(value >= low, value <= high)
        return and_(value > low, value < high)

    def _matches(
        self, records: FromClause, name: str, wanted: Iterable[Scalar]
    ) -> ColumnElement[bool]:
        """As :func:`distpriv.tables.predicates.matches`."""
        column, known = records.c[name], self._columns[name]
        wanted = tuple(wanted)
        numbers = {number for value in wanted if not math.isnan(number := as_number(value))}
        if known.type == "boolean":
            return self._is_true(column, known, numbers)
        if known.type == "number" or known.raw.kind in ("whole", "real"):
            value = self.number(records, name)
            return or_(false(), *(value == literal(number, Double) for number in sorted(numbers)))
        texts = {as_text(value) for value in wanted}
        if not known.labels:
            return _among(func.trim(cast(column, Text)), sorted(texts))
        written = sorted(text for text, label in known.labels.items() if label in texts)
        return _among(cast(column, Text), written)

    @staticmethod
    def _is_true(
        column: ColumnElement[Any], known: Column, numbers: set[float]
    ) -> ColumnElement[bool]:
        if known.raw.kind == "boolean":
            truth: ColumnElement[bool] = cast(column, Integer) == literal(1)
        else:
            yes = [text for text, label in known.labels.items() if label == "true"]
            truth = _among(cast(column, Text), yes)
        return or_(
            and_(true() if 1.0 in numbers else false(), truth),
            and_(true() if 0.0 in numbers else false(), not_(truth)),
        )


def _parts(statistic: Statistic) -> list[tuple[str, Scalar | None]]:
    """Columns of a statistic, and the value that is counted in it, None for its numbers."""
    if statistic.indicates and hasattr(statistic, "value"):
        return [(statistic.column, statistic.value)]
    if not statistic.linear or type(statistic).values is Statistic.values:
        return [(name, None) for name in statistic.columns]
    raise QueryError(
        f"The statistic {statistic.label!r} can be computed from a table in memory only; leave it "
        "out, or read a part of the table."
    )
