"""What a user can choose from a table, and how a choice is written in a link."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype

from distpriv import queries
from distpriv.errors import DistprivError
from distpriv.model.fit import fit_gaussian
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Query, Statistic
from distpriv.tables.keys import few_values, names_records

__all__ = [
    "default_secret",
    "default_statistics",
    "is_the_secret",
    "levels",
    "offered_values",
    "parse_pair",
    "parse_secret",
    "parse_statistic",
    "secrets",
    "statistics",
]

Labels = Mapping[str, Mapping[str, int]]
"""How many records have each label, by column: of the whole table, where only some are here."""

NO_LABELS: Labels = {}
MOST_LEVELS = 20
_CENSUS = (
    Mean("age"),
    Mean("education-num"),
    Count("marital-status", "Never-married"),
    Count("sex", "Female"),
    Mean("hours-per-week"),
)
_CENSUS_SECRET = SensitiveProperty("income", ">50K")


def levels(table: pd.DataFrame, column: str, labels: Labels = NO_LABELS) -> tuple[str, ...]:
    """Labels of a categorical or boolean column, the most frequent first, at most 20."""
    return tuple(map(_name, _counts(table, column, labels).index[:MOST_LEVELS]))


def _counts(table: pd.DataFrame, column: str, labels: Labels) -> pd.Series:
    """How many records have each value, the most frequent first."""
    if column in labels:
        counts = pd.Series(labels[column], dtype="int64").sort_values(
            ascending=False, kind="stable"
        )
        return counts.rename(str.lower) if is_bool_dtype(table[column]) else counts
    counts = table[column].value_counts()
    return counts[counts > 0]


def _name(label: object) -> str:
    """A value as files write it: ``true`` and not Python's ``True``."""
    return str(label).lower() if isinstance(label, bool | np.bool_) else str(label)


def offered_values(
    table: pd.DataFrame, column: str, types: Mapping[str, str], labels: Labels = NO_LABELS
) -> tuple[str | float, ...]:
    """Values that a secret can be made of: the labels of a column, or its few numbers."""
    if types[column] == "number":
        return few_values(table[column])
    return levels(table, column, labels) if types[column] in ("category", "boolean") else ()


def _columns(types: Mapping[str, str], *kinds: str) -> list[str]:
    return [column for column, kind in types.items() if kind in kinds]


def _measures_first(table: pd.DataFrame, columns: list[str]) -> list[str]:
    """The same columns, those last that name records, places or times."""
    last = [column for column in columns if names_records(table[column])]
    return [*(column for column in columns if column not in last), *last]


def secrets(
    table: pd.DataFrame, types: Mapping[str, str], labels: Labels = NO_LABELS
) -> dict[str, SensitiveProperty]:
    """Properties to choose from, by label: each value of each column that has few.

    Columns of labels come before those of numbers, and keys, codes and dates last.
    """
    columns = [*_columns(types, "category", "boolean"), *_columns(types, "number")]
    secrets = [
        SensitiveProperty(column, value)
        for column in _measures_first(table, columns)
        if (values := offered_values(table, column, types, labels))
        and len(_counts(table, column, labels)) > 1
        for value in values
    ]
    return {secret.label: secret for secret in secrets}


def statistics(
    table: pd.DataFrame, types: Mapping[str, str], labels: Labels = NO_LABELS
) -> dict[str, Statistic]:
    """Statistics to choose from, by label: all in closed form that ask for no more than a value."""
    kinds = [kind for kind in map(queries.get, queries.names()) if kind.linear]
    offered: list[Statistic] = []
    # Numbers before labels, else in the order of the table; keys, codes and dates last.
    ordered = sorted(types, key=lambda column: types[column] != "number")
    for column in _measures_first(table, ordered):
        fitting = [kind for kind in kinds if types[column] in kind.takes]
        offered += [kind(column) for kind in fitting if not kind.parameters]
        of_values = [
            kind
            for kind in fitting
            if [parameter.domain for parameter in kind.parameters] == ["value"]
        ]
        for label in levels(table, column, labels) if of_values else ():
            offered += [kind(column, label) for kind in of_values]  # type: ignore[call-arg]
    return {statistic.label: statistic for statistic in offered}


def default_secret(
    table: pd.DataFrame, types: Mapping[str, str], labels: Labels = NO_LABELS
) -> SensitiveProperty | None:
    """The paper's secret if the table has it; else a value of the plainest column.

    That is the column with the fewest values, of those the one whose value is nearest to half the
    records; numbers count among them if there are two, such as 0 and 1. Failing that it is a
    number above its median. Keys, codes and dates are none of these, unless there is nothing else.
    """
    if _has(table, _CENSUS_SECRET.column, ">50K"):
        return _CENSUS_SECRET
    measured, every = _measured(table, types), list(types)
    return _plainest(table, types, measured, labels) or _plainest(table, types, every, labels)


def _measured(table: pd.DataFrame, types: Mapping[str, str]) -> list[str]:
    """The columns that name no records, places or times."""
    return [column for column in types if not names_records(table[column])]


def _plainest(
    table: pd.DataFrame, types: Mapping[str, str], columns: Sequence[str], labels: Labels
) -> SensitiveProperty | None:
    """The default secret among some columns."""
    best: tuple[int, float, SensitiveProperty] | None = None
    numbers = [column for column in columns if types[column] == "number"]
    pairs = {column: found for column in numbers if len(found := few_values(table[column])) == 2}
    for column in _columns(types, "category", "boolean", "number"):
        if column not in columns or (types[column] == "number" and column not in pairs):
            continue
        counts = _counts(table, column, labels)
        if len(counts) < 2:
            continue
        # Few values first; among those the value nearest to half the records.
        distances = (counts / counts.sum() - 0.5).abs()
        rank = (len(counts), round(float(distances.min()), 12))
        if best is None or rank < best[:2]:
            best = (*rank, SensitiveProperty(column, _plain(distances, pairs.get(column, ()))))
    if best is not None:
        return best[2]
    for column in numbers:
        values = table[column].dropna().astype(float)
        middle = float(values.median())
        if (values > middle).any():
            return SensitiveProperty(column, above=middle)
    return None


def _plain(distances: pd.Series, numbers: tuple[float, ...]) -> str | float:
    """The value nearest to half the records; of two numbers the larger, as 1 is of 0 and 1."""
    return numbers[-1] if numbers else _name(distances.idxmin())


def default_statistics(
    table: pd.DataFrame,
    types: Mapping[str, str],
    secret: SensitiveProperty,
    labels: Labels = NO_LABELS,
) -> tuple[Statistic, ...]:
    """The paper's five statistics if the table has them; else up to five that can be modelled.

    Means of what is measured and counts of the main values of columns with few of them; of keys,
    codes and dates only where there is nothing else. A statistic is passed over if it is constant,
    follows from the others, or would drop more than four fifths of the records.
    """
    if all(_has(table, s.column, getattr(s, "value", None)) for s in _CENSUS):
        return _CENSUS
    measured, every = _measured(table, types), list(types)
    found = _modelled(table, types, secret, measured, labels)
    return found or _modelled(table, types, secret, every, labels)


def _modelled(
    table: pd.DataFrame,
    types: Mapping[str, str],
    secret: SensitiveProperty,
    columns: Sequence[str],
    known: Labels,
) -> tuple[Statistic, ...]:
    """The default statistics of some columns."""
    others = [
        column
        for column in columns
        if types[column] in ("number", "category", "boolean") and column != secret.column
    ]
    numbers = [column for column in others if types[column] == "number"]
    pairs = [column for column in numbers if len(few_values(table[column])) == 2]
    numbers = [*(column for column in numbers if column not in pairs), *pairs]
    labels = [column for column in others if types[column] != "number"]
    labels.sort(key=lambda column: len(_counts(table, column, known)) > MOST_LEVELS)
    candidates: list[Statistic] = list(map(Mean, numbers[:10]))
    candidates[3:3] = [
        Count(column, found[0]) for column in labels[:10] if (found := levels(table, column, known))
    ]
    chosen: tuple[Statistic, ...] = ()
    for candidate in candidates:
        try:
            query = Query([*chosen, candidate])
            model = fit_gaussian(table, query, secret.pair(0.5, 0.1), 100, replacement=True)
        except DistprivError:
            continue
        if model.dropped <= 0.8 * len(table):
            chosen = query.statistics
        if len(chosen) == 5:
            break
    return chosen


def is_the_secret(statistic: Statistic, secret: SensitiveProperty, table: pd.DataFrame) -> bool:
    """Whether a statistic is the secret's share itself, so that no noise on it could hide that.

    Parameters
    ----------
    statistic : Statistic
    secret : SensitiveProperty
    table : DataFrame
    """
    if set(statistic.columns) != {secret.column}:
        return False
    if not statistic.linear:
        return table[secret.column].nunique() <= 2
    values, having = Query([statistic]).values(table), secret.mask(table)
    complete = np.isfinite(values).all(axis=1)
    return all(len(np.unique(values[group & complete], axis=0)) <= 1 for group in (having, ~having))


def _has(table: pd.DataFrame, column: str, value: object = None) -> bool:
    if column not in table.columns:
        return False
    return value is None or value in set(map(str, table[column].unique()))


def parse_statistic(label: str, table: pd.DataFrame) -> Statistic | None:
    """Read a statistic from its label, or None if it names none of this table."""
    return queries.read_statistic(label, table.columns)


def parse_secret(label: str, table: pd.DataFrame) -> SensitiveProperty | None:
    """Read a property from its label, or None if it names none of this table."""
    number = r"(-?[\d.]+(?:e[-+]?\d+)?)"
    try:
        if (match := re.fullmatch(rf"(.+?) ([<>]) {number}", label)) and match[1] in table.columns:
            side = "above" if match[2] == ">" else "below"
            return SensitiveProperty(match[1], **{side: float(match[3])})  # type: ignore[arg-type]
        match = re.fullmatch(rf"(.+?) from {number} to {number}", label)
        if match and match[1] in table.columns:
            return SensitiveProperty(match[1], between=(float(match[2]), float(match[3])))
        if (match := re.fullmatch(r"(.+?) in (.+)", label)) and match[1] in table.columns:
            return SensitiveProperty(match[1], values=match[2].split(", "))
        if (match := re.fullmatch(r"(.+?) = (.+)", label)) and match[1] in table.columns:
            return SensitiveProperty(match[1], match[2])
    except DistprivError:
        return None
    return None


def parse_pair(
    label: str, table: pd.DataFrame, secrets: Mapping[str, SensitiveProperty]
) -> Pair | None:
    """Read a pair of shares from its label, or None if it names none of this table."""
    match = re.fullmatch(r"(.+): ([\d.]+) % or ([\d.]+) %", label)
    if not match:
        return None
    secret = secrets.get(match[1]) or parse_secret(match[1], table)
    if secret is None:
        return None
    try:
        low, high = (round(float(share) / 100, 12) for share in match.groups()[1:])
        return Pair(secret, low, high)
    except (DistprivError, ValueError):
        return None
