"""Where records come from: a table in memory, or one that stays where it is.

These methods are all that the package asks of a table. Whatever can answer them feeds the closed
forms with its moments, and simulations, attacks and diagnostics with a bounded random sample.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.errors import ModelError
from distpriv.model.cosets import Cosets
from distpriv.model.moments import (
    GroupMoments,
    IntArray,
    RecordGroups,
    check_drawing,
    complete_records,
    group_moments,
    record_groups,
    strata,
)
from distpriv.model.record_access import HoldsRecords, MissingRecords
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.tables import ColumnType, column_types, digest
from distpriv.words import exact

__all__ = [
    "SAMPLE",
    "ColumnProfile",
    "MemorySource",
    "Profile",
    "SampledGroups",
    "Source",
    "source_of",
]

FloatArray = NDArray[np.float64]

SAMPLE = 50_000
"""Records of each group that a sample holds at most, unless it is told otherwise."""


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of a column without its records.

    Attributes
    ----------
    name : str
    type : ColumnType
    missing : int
        Records without a value.
    low, high : float or None
        Least and greatest value of a column of numbers.
    labels : mapping of str to int
        How many records have each label, of columns with a bounded number of them.
    """

    name: str
    type: ColumnType
    missing: int
    low: float | None = field(default=None, repr=False)
    high: float | None = field(default=None, repr=False)
    labels: Mapping[str, int] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Profile(HoldsRecords):
    """What is known of a table without going through it again.

    Attributes
    ----------
    records : int
    columns : mapping of column to ColumnProfile
        In the table's order.
    sample : DataFrame
        Some of its records at random, all of them if they are few, typed as
        :func:`distpriv.read_table` types them; categories are those of the whole table.
    """

    records: int
    columns: Mapping[str, ColumnProfile]
    sample: pd.DataFrame = field(repr=False)

    @property
    def types(self) -> dict[str, ColumnType]:
        """Type of every column."""
        return {name: column.type for name, column in self.columns.items()}

    @property
    def whole(self) -> bool:
        """Whether the sample holds every record."""
        return len(self.sample) == self.records


@dataclass(frozen=True, eq=False)
class SampledGroups(RecordGroups):
    """Record-level values of a bounded sample of each group, and what is known of all records.

    Attributes
    ----------
    population : tuple of int
        N_0 and N_1 of the table.
    seed : int
        Of the sample.
    means, covariances : ndarray, shape (2, w) and (2, w, w)
        Of all records of each group.
    grid : ndarray, shape (3, w)
        In what steps sums of the values of all records move.
    lattice : Cosets
        Where the sums of all records lie in the lattice of their moves.
    count : callable
        Gives the cells of some columns, see :meth:`RecordGroups.cells`, of all records.
    columns : tuple of int
        Which of the values that `count` knows these are.
    """

    population: tuple[int, int]
    seed: int
    means: FloatArray = field(repr=False)
    covariances: FloatArray = field(repr=False)
    grid: FloatArray = field(repr=False)
    lattice: Cosets = field(repr=False)
    count: Callable[[tuple[int, ...]], tuple[IntArray, IntArray]] = field(repr=False)
    columns: tuple[int, ...]

    @property
    def totals(self) -> tuple[int, int]:
        return self.population

    @property
    def steps(self) -> FloatArray:
        return self.grid

    @property
    def cosets(self) -> Cosets:
        return self.lattice

    def cells(self) -> tuple[IntArray, IntArray]:
        return self.count(self.columns)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        return self.means, self.covariances

    def of_columns(self, columns: Sequence[int]) -> RecordGroups:
        chosen = list(columns)
        return SampledGroups(
            self.without[:, chosen],
            self.having[:, chosen],
            self.dropped,
            self.population,
            self.seed,
            self.means[:, chosen],
            self.covariances[:, chosen][:, :, chosen],
            # The others no longer hold a column, so that it may move further: not known, but not
            # finer than all records' own.
            self.grid[:, chosen],
            self.lattice.of_columns(chosen),
            self.count,
            tuple(self.columns[place] for place in chosen),
        )

    @property
    def digest(self) -> str:
        """Of the values that were drawn, 64 hexadecimal digits."""
        state = hashlib.blake2b(digest_size=32)
        for values in (self.without, self.having):
            state.update(repr(values.shape).encode())
            state.update(np.ascontiguousarray(values).tobytes())
        return state.hexdigest()

    @property
    def in_words(self) -> str:
        """What is not computed from all records, as a sentence."""
        return (
            "Simulations, and bounds that are computed from records, rest on a random sample of "
            f"{exact(sum(self.counts))} of the {exact(sum(self.totals))} complete records (seed "
            f"{self.seed})."
        )


@runtime_checkable
class Source(Protocol):
    """A table that can be asked."""

    def profile(self) -> Profile:
        """Records, columns, their types and labels, and a sample of the records."""

    def group_moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        """See :func:`distpriv.group_moments`."""

    def sample(
        self, query: Query, secret: SensitiveProperty, size: int | None = None, seed: int = 0
    ) -> RecordGroups:
        """Record-level values of at most `size` random records of each group.

        The same for the same seed while the table is the same. A :class:`SampledGroups` where
        they are not all of them.
        """

    def answer(
        self,
        query: Query,
        secret: SensitiveProperty,
        n: int | None = None,
        *,
        replacement: bool = False,
        stratified: bool = False,
        entropy: random.Random,
    ) -> tuple[FloatArray, int]:
        """True statistics of all complete records or of n, and how many these are.

        What a release adds noise to: not to be shown. The n records are drawn at random, or
        stratified: as many of those with the property as :func:`.moments.strata` says.
        """

    def combinations(self, ends: Mapping[str, Sequence[float] | None]) -> list[tuple[Any, ...]]:
        """How many records have each combination of values of some columns: values, then a number.

        A column of numbers with upper ends counts as the range each value is in, from 0 for those
        up to the first end; others as they are, None where they are missing.
        """

    def fingerprint(self) -> str:
        """What changes when the table does."""

    def cancel(self) -> None:
        """Stop what is being computed, from another thread; it ends in an error there."""


@dataclass(frozen=True, eq=False)
class MemorySource(HoldsRecords):
    """A table in memory.

    Parameters
    ----------
    table : DataFrame
    """

    table: pd.DataFrame = field(repr=False)

    def profile(self) -> Profile:
        """See :class:`Source`; the sample is the table."""
        columns = {
            name: _profiled(name, self.table[name], kind)
            for name, kind in column_types(self.table).items()
        }
        return Profile(len(self.table), columns, self.table)

    def group_moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        """See :class:`Source`."""
        return group_moments(self.table, query, secret)

    def sample(
        self, query: Query, secret: SensitiveProperty, size: int | None = None, seed: int = 0
    ) -> RecordGroups:
        """See :class:`Source`; without a size all records."""
        groups = record_groups(self.table, query, secret)
        if size is None or max(groups.counts) <= size:
            return groups
        parts = [
            values[np.sort(np.random.default_rng((seed, place)).permutation(len(values))[:size])]
            for place, values in enumerate((groups.without, groups.having))
        ]
        return SampledGroups(
            parts[0],
            parts[1],
            groups.dropped,
            groups.counts,
            seed,
            np.array([part.mean(axis=0) for part in (groups.without, groups.having)]),
            np.array([np.atleast_2d(np.cov(part.T)) for part in (groups.without, groups.having)]),
            groups.steps,
            groups.cosets,
            lambda columns: groups.of_columns(columns).cells(),
            tuple(range(parts[0].shape[1])),
        )

    def answer(
        self,
        query: Query,
        secret: SensitiveProperty,
        n: int | None = None,
        *,
        replacement: bool = False,
        stratified: bool = False,
        entropy: random.Random,
    ) -> tuple[FloatArray, int]:
        """See :class:`Source`."""
        records, having = complete_records(self.table, query, secret)
        if n is not None:
            check_drawing(len(records), n, replacement)
            places = [np.flatnonzero(~having), np.flatnonzero(having)]
            if not stratified:
                places = [np.arange(len(records))]
            sizes = strata((len(places[0]), len(places[-1])), n) if stratified else (n,)
            chosen = [
                group[
                    [entropy.randrange(len(group)) for _ in range(size)]
                    if replacement
                    else entropy.sample(range(len(group)), size)
                ]
                for group, size in zip(places, sizes, strict=True)
            ]
            # Last digits of sums depend on the order, which is to be the table's.
            records = records[np.sort(np.concatenate(chosen))]
        return query.evaluate(records[None])[0] if len(records) else np.zeros(len(query)), len(
            records
        )

    def combinations(self, ends: Mapping[str, Sequence[float] | None]) -> list[tuple[Any, ...]]:
        """See :class:`Source`."""
        valued = {}
        for name, tops in ends.items():
            column = self.table[name]
            if tops is not None:
                numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
                ranges = pd.Series(np.searchsorted(tops, numbers, side="left"), dtype="Int64")
                column = ranges.mask(np.isnan(numbers))
            valued[name] = column.reset_index(drop=True)
        frame = pd.DataFrame(valued)
        counted = frame.groupby(list(ends), dropna=False, observed=True, sort=False).size()
        rows = counted.reset_index().astype(object)
        return list(rows.where(rows.notna(), None).itertuples(index=False, name=None))

    def fingerprint(self) -> str:
        """The digest of the full content."""
        return digest(self.table)

    def cancel(self) -> None:
        """Nothing: what is computed in memory is not interrupted."""


def source_of(table: pd.DataFrame | Source) -> Source:
    """The source that a table is, or that it is wrapped in."""
    if isinstance(table, pd.DataFrame):
        return MemorySource(table)
    if isinstance(table, MissingRecords):
        table()
    if isinstance(table, Source):
        return table
    raise ModelError(
        f"Records come from a DataFrame or a source such as distpriv.scan(...), got "
        f"{type(table).__name__}."
    )


def _profiled(name: str, column: pd.Series, kind: ColumnType) -> ColumnProfile:
    missing = int(column.isna().sum())
    if kind == "number":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        known = values[np.isfinite(values)]
        ends = (float(known.min()), float(known.max())) if len(known) else (None, None)
        return ColumnProfile(name, kind, missing, *ends)
    if kind in ("category", "boolean"):
        counts = column.value_counts()
        labels = {str(label): int(count) for label, count in counts.items() if count}
        return ColumnProfile(name, kind, missing, labels=labels)
    return ColumnProfile(name, kind, missing)
