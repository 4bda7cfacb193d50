"""What a table offers to choose from, and the scenario that it begins with."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from distpriv.analysis.scenario import Scenario
from distpriv.errors import DistprivError, SourceError
from distpriv.queries import Pair, SensitiveProperty, Statistic
from distpriv.site import DATA
from distpriv.sources import FrameSource, Source
from distpriv.text import near, percent

__all__ = [
    "EXAMPLE_TITLES",
    "cell",
    "example_source",
    "grid_pair",
    "secrets",
    "source_by_key",
    "start",
    "statistics",
    "story",
]

_MOST = 5  # figures that a table begins with

_EXAMPLES: dict[str, Any] = {  # until tables.EXAMPLES is there
    "census-income": (
        "Census income",
        ("income", ">50K"),
        (20, 30),
        [
            ("mean", "age"),
            ("mean", "education-num"),
            ("count", "marital-status", "Never-married"),
            ("count", "sex", "Female"),
            ("mean", "hours-per-week"),
        ],
        {"age": "years", "education-num": "years", "hours-per-week": "hours"},
    ),
    "bank": ("Loans of a bank", ("late", "yes"), None, None, {}),
    "hospital": ("Patients of a hospital", ("readmitted", "yes"), None, None, {}),
    "school": ("Pupils of a district", ("free-meals", "yes"), None, None, {}),
    "staff": ("Staff of a company", ("leaving", "yes"), None, None, {}),
}
EXAMPLE_TITLES = {key: one[0] for key, one in _EXAMPLES.items()}

_EDGES = (0.01, 0.02, 0.05, *(tens / 10 for tens in range(1, 10)), 0.95, 0.98, 0.99)


def cell(share: float) -> tuple[float, float]:
    """Return the cell of a fixed grid that holds a share, both fractions.

    1–2, 2–5, 5–10, 10–20, …, 80–90, 90–95, 95–98 and 98–99 per cent; an edge belongs to the cell above
    it. Every table of a cell gets the same range, so the range tells the cell and nothing inside it.

    Raises
    ------
    DistprivError
        If the share is below 1 or not below 99 per cent.
    """
    place = int(np.searchsorted(_EDGES, round(share, 9), side="right"))
    if not 0 < place < len(_EDGES):
        where = "less than 1" if place == 0 else "99 or more"
        raise DistprivError(
            f"The share is {where}\u00a0%, too near the end to hide in a range; choose another secret."
        )
    return _EDGES[place - 1], _EDGES[place]


def grid_pair(source: Source, secret: SensitiveProperty) -> Pair:
    """Return the shares of a secret that a table begins with: its cell of the fixed grid, see `cell`.

    Raises
    ------
    DistprivError
        If the share is in no cell, or cannot be computed of the table.
    """
    return Pair(secret, *cell(_share(source, secret)))


def secrets(source: Source) -> dict[SensitiveProperty, str]:
    """Return properties that a table's labels offer as secrets, with their titles."""
    every = [
        SensitiveProperty(column, (label,))
        for column, labels in source.labels.items()
        if len(labels) > 1
        for label in labels
    ]
    return {one: one.label for one in every}


def statistics(source: Source) -> dict[Statistic, str]:
    """Return statistics that a table offers, with their titles: averages, counts, then totals."""
    numbers = [column for column in source.numbers if column not in source.labels]
    every = [Statistic("mean", column) for column in numbers]
    every += [
        Statistic("count", column, label)
        for column, labels in source.labels.items()
        for label in labels
    ]
    every += [Statistic("sum", column) for column in numbers]
    return {one: one.title for one in every}


def start(source: Source) -> Scenario:
    """Return the scenario that a table begins with: an example's own, or a plain question.

    An upload is asked about its plainest secret, in the cell of the fixed grid that holds its share,
    from up to five figures of other columns, all of its records.

    Raises
    ------
    DistprivError
        If the table has no property to hide, or no figure besides to release.
    """
    if source.key in _EXAMPLES:
        _, (column, value), shares, chosen, _ = _EXAMPLES[source.key]
        secret = SensitiveProperty(column, (value,))
        if shares is None:
            low, high = cell(_share(source, secret))
        else:
            low, high = shares[0] / 100, shares[1] / 100
        if chosen is None:
            figures = [s for s in statistics(source) if s.kind == "mean"][:_MOST]
        else:
            figures = [Statistic(*one) for one in chosen]
        return Scenario(source.key, secrets=(Pair(secret, low, high),), statistics=tuple(figures))
    secret = _plainest(source)
    figures = [one for one in statistics(source) if one.column != secret.column]
    if not figures:
        raise DistprivError(
            f"Besides {secret.column!r} no column can be averaged or counted; bring a table with more "
            "columns."
        )
    return Scenario(
        source.key, secrets=(pair(source, secret),), statistics=_first(figures), records=None
    )


def pair(source: Source, secret: SensitiveProperty) -> Pair:
    """Return a secret with the range that it begins with: the cell that holds the table's share.

    Raises
    ------
    DistprivError
        If the table cannot tell who has the property, or its share lies in no cell, see `cell`.
    """
    return Pair(secret, *cell(_share(source, secret)))


def story(key: str) -> str:
    """Return what an example is about; "" for any other table."""
    return ""


def _first(figures: list[Statistic]) -> tuple[Statistic, ...]:
    """Up to five: averages first, then the most frequent label of each column."""
    averages = [one for one in figures if one.kind == "mean"]
    counts = {one.column: one for one in reversed(figures) if one.kind == "count"}
    return tuple([*averages, *reversed(counts.values())][:_MOST])


def _share(source: Source, secret: SensitiveProperty) -> float:
    return float(np.nanmean(secret.mask(source.columns([secret.column]))))


def _plainest(source: Source) -> SensitiveProperty:
    """The rarer of two labels in the last column that has two; else a label of the column with fewest."""
    columns = [column for column, labels in source.labels.items() if len(labels) > 1]
    columns.sort(key=lambda column: len(source.labels[column]))
    two = [column for column in columns if len(source.labels[column]) == 2]
    for column in [*reversed(two), *columns]:
        for label in reversed(source.labels[column]):
            secret = SensitiveProperty(column, (label,))
            share = _share(source, secret)
            if _EDGES[0] <= share < _EDGES[-1]:
                return secret
    for column in source.numbers:
        values = source.columns([column])[column]
        secret = SensitiveProperty(column, above=float(values.median()))
        if _EDGES[0] <= _share(source, secret) < _EDGES[-1]:
            return secret
    raise DistprivError(
        "No column has two values that each at least 1\u00a0% of the records have, so there is no share to "
        "hide; bring another table."
    )


@lru_cache
def example_source(key: str) -> FrameSource:
    """Return an example table as a source, read once."""
    import pandas as pd

    if key not in _EXAMPLES:
        raise SourceError(f"There is no example {key!r}.{near(key, _EXAMPLES)}")
    frame = pd.read_parquet(DATA / f"{key.replace('-', '_')}.parquet")
    return FrameSource(key, _EXAMPLES[key][0], frame, _EXAMPLES[key][4], "example")


def source_by_key(key: str) -> FrameSource:
    """Return an example by its key; the first one where there is none, as when an upload is gone."""
    return example_source(key if key in _EXAMPLES else next(iter(_EXAMPLES)))
