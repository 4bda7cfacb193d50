"""The table of a session with all that is worked out once when it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

from distpriv.dashboard.shell import choices
from distpriv.errors import TableError
from distpriv.model.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query, Statistic
from distpriv.tables import ColumnType, column_types, digest, read_table, retype
from distpriv.tables.examples import Example
from distpriv.tables.reference import align
from distpriv.words import exact

__all__ = ["Dataset", "as_reference", "from_example", "from_upload", "retyped"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table, its types and digest, and what can be chosen from it.

    Attributes
    ----------
    origin : "example" or "upload"
        What came from an upload stays in its session and out of the address bar.
    title, description, attribution : str
    table : DataFrame
    types : mapping of column to ColumnType
    units : mapping of column to str
    digest : str
        Of the full content; what caches are keyed by.
    secrets, statistics : dict
        What can be chosen, by label.
    secret : SensitiveProperty
        The one to start with.
    query : tuple of Statistic
        Those to start with.
    center, width : float
        Of the two shares to start with.
    bounds : mapping of column to (lowest, highest)
        Of numeric columns, as far as they are public.
    start_n : int
        Records of a sample to start with: 100, or as many as leave an attacker records to train
        on. An upload starts with all of its records.
    corrected : mapping of column to ColumnType
        Types that the user set.
    first_digest : str
        Digest under the types it was read with, if the user set others.
    """

    origin: Literal["example", "upload"]
    title: str
    description: str
    attribution: str
    table: pd.DataFrame
    types: Mapping[str, ColumnType]
    units: Mapping[str, str]
    digest: str
    secrets: Mapping[str, SensitiveProperty] = field(repr=False)
    statistics: Mapping[str, Statistic] = field(repr=False)
    secret: SensitiveProperty
    query: tuple[Statistic, ...]
    start_n: int
    center: float = 0.5
    width: float = 0.1
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    corrected: Mapping[str, ColumnType] = field(default_factory=dict)
    first_digest: str = ""

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Under which the ledger and limits know the table, whatever types its columns have.

        The one to write under comes first.
        """
        return tuple(dict.fromkeys((self.first_digest or self.digest, self.digest)))

    def complete(self, query: Query, secret: SensitiveProperty) -> int:
        """Records that miss no value in a column in use, as many as the whole table releases."""
        columns = {column for statistic in query for column in statistic.columns}
        return int(self.table[[*{*columns, secret.column}]].notna().all(axis=1).sum())

    def moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        """Moments of the records with and without a property."""
        return group_moments(self.table, query, secret)

    def groups(self, query: Query, secret: SensitiveProperty) -> RecordGroups:
        """Record-level values split by a property, for simulations."""
        return record_groups(self.table, query, secret)


def _dataset(
    origin: Literal["example", "upload"],
    table: pd.DataFrame,
    title: str,
    description: str,
    attribution: str,
    units: Mapping[str, str],
    example: Example | None = None,
) -> Dataset:
    types = column_types(table)
    secret = choices.parse_secret(example.secret, table) if example is not None else None
    secret = secret or choices.default_secret(table, types)
    if secret is None:
        raise TableError(
            "The table has no column that could be a secret: every usable column holds one "
            "value only; choose a table in which records differ (identifiers, free text and "
            "dates do not count)."
        )
    labels = () if example is None else example.statistics
    parsed = (choices.parse_statistic(label, table) for label in labels)
    query = tuple(filter(None, parsed)) or choices.default_statistics(table, types, secret)
    if not query:
        raise TableError(
            f"The table has no column to release beside {secret.column!r}; choose a table with "
            "at least two usable columns (identifiers, free text and dates do not count)."
        )
    counts = group_moments(table, Query(query), secret).counts
    return Dataset(
        origin=origin,
        title=title,
        description=description,
        attribution=attribution,
        table=table,
        types=types,
        units=units,
        digest=digest(table),
        secrets=choices.secrets(table, types),
        statistics=choices.statistics(table, types),
        secret=secret,
        query=query,
        start_n=max(2, min(100, int(0.3 * min(counts) / 0.55))),
    )


def from_example(example: Example) -> Dataset:
    """Load an example; raises DatasetError."""
    made = _dataset(
        "example",
        example.load(),
        example.title,
        example.description,
        example.attribution,
        example.units,
        example,
    )
    return replace(made, center=example.center, width=example.width, bounds=example.bounds)


def from_upload(content: bytes, name: str) -> Dataset:
    """Read an uploaded file; raises TableError."""
    table = read_table(content, name=name)
    return _dataset("upload", table, name, f"{exact(len(table))} records you uploaded.", "", {})


def retyped(dataset: Dataset, types: Mapping[str, ColumnType]) -> Dataset:
    """The same data with the user's column types; raises TableError."""
    made = _dataset(
        dataset.origin,
        retype(dataset.table, types),
        dataset.title,
        dataset.description,
        dataset.attribution,
        dataset.units,
    )
    return replace(
        made,
        corrected={**dataset.corrected, **types},
        first_digest=dataset.fingerprints[0],
    )


def as_reference(dataset: Dataset, content: bytes, name: str) -> Dataset:
    """The dataset with uploaded reference data in the place of its records; raises TableError."""
    table = align(read_table(content, name=name), dataset.table)
    return replace(
        dataset,
        origin="upload",
        title=name,
        description=f"{exact(len(table))} records of reference data you uploaded.",
        attribution="",
        table=table,
        digest=digest(table),
    )
