"""What a table offers to choose from, and the scenario that it begins with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from distpriv.analysis.scenario import Scenario
from distpriv.errors import DistprivError
from distpriv.model import Groups
from distpriv.queries import Label, Pair, Query, SensitiveProperty, Statistic
from distpriv.sources import FrameSource, Source
from distpriv.tables.examples import EXAMPLES, load_example

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXAMPLE_TITLES", "cell", "example_source", "grid_pair", "secrets", "source_by_key"]
__all__ += ["start", "statistics", "story", "tells_secret"]

_EDGES = (0.01, 0.02, 0.05, *(tens / 10 for tens in range(1, 10)), 0.95, 0.98, 0.99)
_FIGURES = 5  # figures that a table begins with
_GAPS = 0.1  # of a column's values may be missing for it to be among them

EXAMPLE_TITLES = {key: one.title for key, one in EXAMPLES.items()}


def cell(share: float) -> tuple[float, float]:
    """Return the cell of a fixed grid that holds a share, both fractions.

    1–2, 2–5, 5–10, 10–20, …, 80–90, 90–95, 95–98 and 98–99 per cent; an edge belongs to the cell
    above it. Every table of a cell gets the same range, so the range tells the cell and nothing
    inside it. A share below 1 or not below 99 per cent is a DistprivError.
    """
    place = int(np.searchsorted(_EDGES, round(share, 9), side="right"))
    if not 0 < place < len(_EDGES):
        where = "less than 1" if place == 0 else "99 or more"
        raise DistprivError(
            f"A share of {where}\u00a0% is too near an end to hide in a range; take another secret."
        )
    return _EDGES[place - 1], _EDGES[place]


def grid_pair(source: Source, secret: SensitiveProperty) -> Pair:
    """Return a secret with the range that it begins with: the `cell` of the table's share."""
    having = secret.mask(source.columns([secret.column], most=source.rows))
    return Pair(secret, *cell(float(np.nanmean(having))))


def secrets(source: Source) -> dict[SensitiveProperty, str]:
    """Return properties that a table's labels offer as secrets, with their titles."""
    every = [SensitiveProperty(column, (label,)) for column, label in _labels(source)]
    return {one: one.label for one in every}


def statistics(source: Source) -> dict[Statistic, str]:
    """Return statistics that a table offers, with their titles.

    Averages, medians and deviations, counts, then totals.
    """
    numbers = [column for column in source.numbers if column not in source.labels]
    every = [Statistic(kind, name) for kind in ("mean", "median", "deviation") for name in numbers]
    every += [Statistic("count", *pair) for pair in _labels(source)]
    every += [Statistic("sum", column) for column in numbers]
    return {one: one.title for one in every}


def _labels(source: Source) -> Iterator[tuple[str, Label]]:
    return ((column, label) for column, labels in source.labels.items() for label in labels)


def start(source: Source, secret: SensitiveProperty | None = None) -> Scenario:
    """Return the scenario that a table begins with: an example's own, or a plain question.

    Other tables are asked about a secret, their plainest unless one is chosen, in the cell of the
    fixed grid that holds its share, from up to five figures of other columns, of all of their
    records. A table without a property to hide, or without a figure besides to release, is a
    DistprivError.
    """
    if source.key in EXAMPLES:
        one = EXAMPLES[source.key]
        column, label = one.secret
        return Scenario(
            source.key,
            secrets=(Pair(SensitiveProperty(column, (label,)), *one.shares),),
            statistics=tuple(
                Statistic(kind, name, value[0] if value else None)
                for kind, name, *value in one.statistics
            ),
            records=one.records,
            bounds=tuple((name, *ends) for name, ends in one.bounds.items()),
        )
    first = _plainest(source) if secret is None else grid_pair(source, secret)
    chosen = _first(source, first.secret)
    if not chosen:
        raise DistprivError(
            f"Besides {first.secret.column!r} no column can be averaged or counted; bring a table "
            "with more columns."
        )
    return Scenario(source.key, secrets=(first,), statistics=tuple(chosen), records=None)


def _first(source: Source, secret: SensitiveProperty) -> list[Statistic]:
    """List up to five figures that are not the secret: averages, then one label of each column."""
    names = dict.fromkeys((*source.numbers, *source.labels))
    frame = source.columns([name for name in names if name != secret.column])
    numbers = [name for name in source.numbers if name in frame and name not in source.labels]
    figures = [Statistic("mean", name) for name in numbers]
    for name, labels in source.labels.items():
        if name in frame:
            figures.append(Statistic("count", name, labels[1 if len(labels) == 2 else 0]))
    chosen = [one for one in figures if not _unlikely(frame[one.column])] or figures
    chosen = chosen[: 2 * _FIGURES]
    telling: list[int] = []
    with suppress(DistprivError):  # none at all, or too few records: the page has a sentence for it
        query = Query(tuple(chosen))
        telling = tells_secret(source.groups(query, secret), query)
    return [one for place, one in enumerate(chosen) if place not in telling][:_FIGURES] or chosen


def _unlikely(column: pd.Series) -> bool:
    """Whether a column has many gaps, or different whole numbers only, as keys have."""
    values = column.dropna()
    keys = len(values) > _FIGURES and values.is_unique and bool((values % 1 == 0).all())
    return len(values) < (1 - _GAPS) * len(column) or keys


def tells_secret(groups: Groups, query: Query) -> list[int]:
    """List statistics whose column is the same for all records of either group, but not of both."""
    spread = np.sqrt(np.diagonal(groups.covariances, axis1=1, axis2=2).max(axis=0))
    apart = np.abs(groups.means[1] - groups.means[0])
    differ = apart > 1e-9 * np.abs(groups.means).max(axis=0)  # by more than rounding
    telling = differ & (spread <= 1e-9 * apart)
    return [at for at, place in enumerate(query.places) if telling[place].any()]


def _plainest(source: Source) -> Pair:
    """Take the rarer of two labels of the last column with two; else any label, or a median."""
    labels = source.labels
    order = sorted(labels, key=lambda column: len(labels[column]))
    two = [column for column in order if len(labels[column]) == 2]
    secrets = [
        SensitiveProperty(column, (label,))
        for column in [*reversed(two), *order]
        for label in reversed(labels[column])
    ]
    for column in source.numbers:
        median = float(source.columns([column])[column].median())
        secrets += [SensitiveProperty(column, above=median)] if np.isfinite(median) else []
    for secret in secrets:
        try:
            return grid_pair(source, secret)
        except DistprivError:  # too rare
            continue
    raise DistprivError(
        "No column has two values that are each in at least 1\u00a0% of the records, so there is "
        "no share to hide; bring another table."
    )


@lru_cache
def example_source(key: str) -> FrameSource:
    """Return an example table as a source, read once; raises ReadError if there is none."""
    frame = load_example(key)
    return FrameSource(key, EXAMPLES[key].title, frame, EXAMPLES[key].units, "example")


def source_by_key(key: str) -> FrameSource:
    """Return an example by its key; the first one for any other key."""
    return example_source(key if key in EXAMPLES else next(iter(EXAMPLES)))


def story(key: str) -> str:
    """Return what an example is about; nothing for any other table."""
    return EXAMPLES[key].story if key in EXAMPLES else ""
