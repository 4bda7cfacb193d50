"""What a table offers to choose from, and the scenario that it begins with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from distpriv.analysis.scenario import Scenario
from distpriv.errors import DistprivError
from distpriv.model import Groups
from distpriv.queries import Label, Pair, Query, SensitiveProperty, Statistic
from distpriv.queries.columns import dates_of, numbers_of
from distpriv.sources import FrameSource, Source
from distpriv.sources.frame import EngineError
from distpriv.tables.examples import EXAMPLES, load_example

__all__ = ["EXAMPLE_TITLES", "cell", "example_source", "fits", "grid_pair", "identifiers"]
__all__ += ["medians", "sample"]
__all__ += ["secrets", "source_by_key", "start", "statistics", "story", "tells_secret"]

_EDGES = (0.01, 0.02, 0.05, *(tens / 10 for tens in range(1, 10)), 0.95, 0.98, 0.99)
_FIGURES = 5  # figures that a table begins with
_LABELS, _SECRETS = 20, 2000  # offered of a column, and of a table
_LOOKED_AT = 100  # columns, and secrets, that a table may begin with
_CELLS = 8_000_000  # of a sample
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
    return Pair(secret, *cell(source.share(secret)))


def fits(source: Source, item: SensitiveProperty | Statistic) -> bool:
    """Whether a property or statistic can be computed of a table, which is not loaded for it.

    Where an engine does not answer, its error is raised, for that tells nothing of the table.
    """
    try:
        if isinstance(item, SensitiveProperty):
            labelled = item.values or item.contains  # noqa: PD011  # a threshold may have no record
            return source.share(item) > 0 or not labelled
        if item.value is not None:
            return bool(source.answer(Query((item,))).all())
        item.values(source.columns(item.columns, most=1000))
    except EngineError:
        raise
    except DistprivError:
        return False
    return True


def sample(source: Source, names: Iterable[str]) -> pd.DataFrame:
    """Return columns of up to 200 000 records, fewer where there are many columns."""
    columns = list(dict.fromkeys(names))
    return source.columns(columns, most=min(200_000, max(_CELLS // max(len(columns), 1), 1000)))


def secrets(source: Source) -> dict[SensitiveProperty, str]:
    """Return properties that a table offers as secrets, with their titles.

    That are labels, up to 200 of a column, or 20 where these are too many to choose from, and
    numbers and dates above their median.
    """
    many = sum(map(len, source.labels.values())) > _SECRETS
    labels = _labels(source, _LABELS if many else None)
    every = [SensitiveProperty(name, (label,)) for name, label in labels]
    return {one: one.label for one in (*every, *medians(source))}


def medians(source: Source) -> Iterator[SensitiveProperty]:
    """Yield the secrets that numbers or dates are above their lower median, by 50 000 records."""
    for name in (*source.numbers, *source.dates):
        if name in source.labels and name in source.numbers:
            continue  # two numbers, which are labels
        frame = source.columns([name], most=50_000)
        values: Any = (dates_of if name in source.dates else numbers_of)(frame, name)
        known = np.sort(values[~np.isnan(values)])
        below = int(np.searchsorted(known, known[-1])) if len(known) else 0
        if below:  # else no threshold has numbers above it
            yield SensitiveProperty(name, above=known[min((len(known) - 1) // 2, below - 1)])


def statistics(source: Source) -> dict[Statistic, str]:
    """Return statistics that a table offers, with their titles.

    Averages, medians and deviations, counts of up to 20 labels of a column but not of dates, then
    totals.
    """
    numbers = [column for column in source.numbers if column not in source.labels]
    every = [Statistic(kind, name) for kind in ("mean", "median", "deviation") for name in numbers]
    every += [Statistic("count", *pair) for pair in _labels(source) if pair[0] not in source.dates]
    every += [Statistic("sum", column) for column in numbers]
    return {one: one.title for one in every}


def _labels(source: Source, most: int | None = _LABELS) -> Iterator[tuple[str, Label]]:
    return ((name, label) for name, labels in source.labels.items() for label in labels[:most])


def identifiers(source: Source) -> tuple[str, ...]:
    """Return columns that may name the records: whole numbers or texts, different in 10 000."""
    names = [name for name in source.kinds if name not in {*source.labels, *source.dates}]
    frame = source.columns(names, most=10_000)
    return tuple(name for name in names if _may_name(frame[name], name in source.numbers))


def _may_name(column: pd.Series, number: bool) -> bool:
    if column.isna().any() or (number and (column % 1).any()):
        return False
    return bool(column.astype(str).is_unique)


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
    names = [*dict.fromkeys((*source.numbers, *source.labels))]
    frame = sample(source, [name for name in names if name != secret.column][:_LOOKED_AT])
    numbers = [name for name in source.numbers if name in frame and name not in source.labels]
    figures = [Statistic("mean", name) for name in numbers]
    for name, labels in source.labels.items():
        if name in frame and name not in source.dates:
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
        for label in reversed(labels[column][:_LABELS])
    ]
    for secret in chain(secrets[:_LOOKED_AT], islice(medians(source), _LOOKED_AT)):
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
