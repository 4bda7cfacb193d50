"""A table that stays with its engine, as a source."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Double, case, func, literal, select

from distpriv.errors import PropertyError, QueryError, SourceError
from distpriv.model.moments import (
    GroupMoments,
    IntArray,
    RecordGroups,
    check_drawing,
    check_linear,
    check_split,
    strata,
)
from distpriv.model.record_access import HoldsRecords
from distpriv.model.source import SAMPLE, Profile, SampledGroups
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.sources.engine import Engine
from distpriv.sources.expressions import Expressions
from distpriv.sources.profiling import PREVIEW, Profiled, profiled
from distpriv.sources.scans import RecordMoments, record_moments

__all__ = ["EngineSource"]

FloatArray = NDArray[np.float64]
_MOST_KEPT = 64
_AGAIN = 20  # times that too few records are drawn before something is wrong


@dataclass(frozen=True)
class _Asked:
    """What moments are known by."""

    query: Query
    secret: SensitiveProperty
    # Python takes 1, 1.0 and True for the same value; as texts they are not.
    exactly: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "exactly", repr((self.query.statistics, self.secret)))


class EngineSource(HoldsRecords):
    """A table of an engine: nothing but numbers and a bounded sample leave it.

    Parameters
    ----------
    engine : Engine
    size : int
        Records of each group that a sample holds at most.
    preview : int
        Records of the profile's sample at most.
    least_group : int
        Groups with fewer records are not told of.
    """

    def __init__(
        self, engine: Engine, *, size: int = SAMPLE, preview: int = PREVIEW, least_group: int = 0
    ) -> None:
        self.engine = engine
        self.size = size
        self._preview = preview
        self.least_group = least_group
        self._lock = threading.RLock()
        self._profiled: Profiled | None = None
        self._fingerprint = ""
        self._moments: dict[_Asked, RecordMoments] = {}
        self._samples: dict[tuple[_Asked, int, int], RecordGroups] = {}

    @property
    def title(self) -> str:
        """What sentences call the table."""
        return self.engine.title

    def profile(self) -> Profile:
        """See :class:`distpriv.model.source.Source`; computed once."""
        return self._known().profile

    def _known(self) -> Profiled:
        if self._profiled is None:
            with self._lock:
                if self._profiled is None:
                    self._fingerprint = self.fingerprint()
                    self._profiled = profiled(self.engine, 0, self._preview)
                return self._profiled
        # What is known is told while a scan runs, which holds the lock.
        self.check()
        return self._profiled

    def fingerprint(self) -> str:
        """The catalogue fingerprint: it changes with the data, and is found without reading them.

        64 hexadecimal digits. Other data at the same place have another one, but for what the
        engine's catalogue does not notice; the same data at another place do too.
        """
        return blake2b(self.engine.fingerprint().encode(), digest_size=32).hexdigest()

    def check(self) -> None:
        """Raise SourceError if the table has changed since it was opened."""
        if self._fingerprint and self.fingerprint() != self._fingerprint:
            raise SourceError(
                f"{self.title} has changed since it was opened; open it again to go on with what "
                "it holds now."
            )

    def cancel(self) -> None:
        """Stop what is being computed, from another thread; it ends in a SourceError there."""
        self.engine.cancel()

    def group_moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        """See :func:`distpriv.group_moments`: two scans of the table, once for a query and secret.

        What is known of more statistics is taken for some of them.

        Raises
        ------
        SourceError
            If the engine cannot answer, the table has changed, or a group is too small to be told
            of.
        QueryError, PropertyError, ModelError
            As for a table in memory.
        """
        check_linear(query)
        known = self._told(query, secret)
        assert known.grid is not None
        return GroupMoments(
            counts=known.counts,
            means=known.means,
            covariances=known.covariances,
            minima=known.minima,
            maxima=known.maxima,
            dropped=known.dropped,
            steps=known.grid.steps,
            cosets=known.grid.cosets,
        )

    def _told(self, query: Query, secret: SensitiveProperty) -> RecordMoments:
        """Moments of two groups that both have records enough."""
        known = self._scanned(query, secret)
        check_split(known.counts[1], sum(known.counts), secret)
        if min(known.counts) < self.least_group:
            raise PropertyError(
                f"Fewer than {self.least_group} records have the property {secret.label!r}, or do "
                f"not, and {self.title} tells nothing of groups so small; choose a property of "
                "more records."
            )
        return known

    def _scanned(self, query: Query, secret: SensitiveProperty) -> RecordMoments:
        asked = _Asked(query, secret)
        with self._lock:
            self.check()
            if asked not in self._moments:
                self._moments[asked] = self._sliced(asked) or self._scan(asked)
                while len(self._moments) > _MOST_KEPT:
                    del self._moments[next(iter(self._moments))]
            return self._moments[asked]

    def _scan(self, asked: _Asked) -> RecordMoments:
        known = self._known()
        reading = Expressions(known.columns, known.profile.sample)
        reading.check(asked.query, asked.secret)
        labels, whole = [], []
        for statistic in asked.query:
            for name in statistic.columns:
                labels.append(statistic.label)
                whole.append(statistic.indicates or known.columns[name].whole)
        grouped = reading.grouped(self.engine.records, asked.query, asked.secret)
        return record_moments(self.engine, grouped, labels, whole)

    def _sliced(self, asked: _Asked) -> RecordMoments | None:
        """Taken from those of more statistics, where the same records are complete."""
        wanted, secret = {repr(each) for each in asked.query}, repr(asked.secret)
        for other, known in self._moments.items():
            if repr(other.secret) != secret or not wanted <= {repr(each) for each in other.query}:
                continue
            same = known.dropped == 0 or set(other.query.columns) == set(asked.query.columns)
            if not same or known.grid is None or known.grid.tied:
                continue
            return _slice(known, _places(other.query, asked.query))
        return None

    def sample(
        self, query: Query, secret: SensitiveProperty, size: int | None = None, seed: int = 0
    ) -> RecordGroups:
        """See :class:`distpriv.model.source.Source`: one more scan, once for everything it names.

        All records where both groups have no more than `size`, which is the source's own by
        default.
        """
        asked, most = _Asked(query, secret), self.size if size is None else size
        known = self._told(query, secret)
        with self._lock:
            key = (asked, most, seed)
            if key not in self._samples:
                if len(self._samples) >= _MOST_KEPT // 8:
                    del self._samples[next(iter(self._samples))]
                self._samples[key] = self._part_of_more(key) or self._sampled(
                    asked, known, most, seed
                )
            return self._samples[key]

    def _part_of_more(self, key: tuple[_Asked, int, int]) -> RecordGroups | None:
        """Taken from a sample with more statistics, where the same records are complete."""
        asked = key[0]
        for (other, *drawn), groups in self._samples.items():
            if drawn != list(key[1:]) or other.secret != asked.secret:
                continue
            if not set(asked.query) <= set(other.query):
                continue
            if groups.dropped == 0 or set(other.query.columns) == set(asked.query.columns):
                return groups.of_columns(_places(other.query, asked.query))
        return None

    def _sampled(self, asked: _Asked, known: RecordMoments, most: int, seed: int) -> RecordGroups:
        rates = [min(1.0, (most + 6 * most**0.5 + 10) / count) for count in known.counts]
        rows = self._drawn(asked, (rates[0], rates[1]), seed)
        parts = []
        for group in (0, 1):
            own = rows[rows[:, 0] == group]
            parts.append(np.asfortranarray(own[np.argsort(own[:, -1])][:most, 1:-1]))
        if (len(parts[0]), len(parts[1])) == known.counts:
            return RecordGroups(parts[0], parts[1], known.dropped)
        assert known.grid is not None
        return SampledGroups(
            parts[0],
            parts[1],
            known.dropped,
            known.counts,
            seed,
            known.means,
            known.covariances,
            known.grid.steps,
            known.grid.cosets,
            lambda columns: self._cells(asked, columns),
            tuple(range(parts[0].shape[1])),
        )

    def _drawn(self, asked: _Asked, rates: tuple[float, float], seed: int) -> FloatArray:
        """Complete records that a seed draws: group, values and their number, shape (k, w + 2)."""
        profiled = self._known()
        numbered, uniform = self.engine.numbered(seed)
        reading = Expressions(profiled.columns, profiled.profile.sample)
        reading.check(asked.query, asked.secret)
        grouped = reading.grouped(numbered, asked.query, asked.secret, uniform)
        records = grouped.subquery("grouped")
        rate = case(
            (records.c.grp == literal(1), literal(rates[1], Double)),
            else_=literal(rates[0], Double),
        )
        statement = select(records).where(records.c.grp < literal(2), records.c.u < rate)
        rows = self.engine.rows(statement)
        return np.array(rows, dtype=np.float64).reshape(len(rows), sum(asked.query.widths) + 2)

    def _cells(self, asked: _Asked, columns: tuple[int, ...]) -> tuple[IntArray, IntArray]:
        """How many records of the table have each combination of indicators."""
        profiled = self._known()
        reading = Expressions(profiled.columns, profiled.profile.sample)
        records = reading.grouped(self.engine.records, asked.query, asked.secret).subquery("g")
        chosen = [records.c[f"v{column}"] for column in columns]
        statement = (
            select(records.c.grp, *chosen, func.count())
            .where(records.c.grp < literal(2))
            .group_by(records.c.grp, *chosen)
        )
        counts = np.zeros((2, *(2,) * len(columns)), dtype=np.int64)
        for row in self.engine.rows(statement):
            counts[tuple(int(entry) for entry in row[:-1])] = int(row[-1])
        return counts[0], counts[1]

    def combinations(self, ends: Mapping[str, Sequence[float] | None]) -> list[tuple[Any, ...]]:
        """See :class:`distpriv.model.source.Source`: one query."""
        profiled = self._known()
        reading = Expressions(profiled.columns, profiled.profile.sample)
        records = self.engine.records
        valued = select(
            *(
                reading.state(records, name, tops).label(f"c{place}")
                for place, (name, tops) in enumerate(ends.items())
            )
        ).subquery("valued")
        return self.engine.rows(select(*valued.c, func.count()).group_by(*valued.c))

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
        """True statistics, shape (m,), and of how many complete records: all of them, or n.

        No error depends on which records have the property.

        Parameters
        ----------
        query : Query
        secret : SensitiveProperty
        n : int, optional
            Records to draw.
        replacement : bool
            Whether a record may be drawn twice.
        stratified : bool
            Whether to draw as many with the property as :func:`.moments.strata` says, instead of
            all records alike likely.
        entropy : random.Random
            What draws them.

        Raises
        ------
        QueryError
            If a statistic of all records is no sum over them.
        ModelError
            If there are fewer records than are to be drawn.
        """
        if n is not None:
            records = self._records(query, secret, n, replacement, stratified, entropy)
            return query.evaluate(records[None])[0], n
        for statistic in query:
            if not statistic.linear:
                raise QueryError(
                    f"The statistic {statistic.label!r} of all records is no sum, and is not "
                    "computed where the table is; release a sample of n records, or leave it out."
                )
        known = self._scanned(query, secret)
        count = sum(known.counts)
        return query.scales(max(count, 1)) * known.sums, count

    def _records(
        self,
        query: Query,
        secret: SensitiveProperty,
        n: int,
        replacement: bool,
        stratified: bool,
        entropy: random.Random,
    ) -> FloatArray:
        """Record-level values of n complete records, shape (n, w).

        The engine draws a few more by a number that nobody knows, and `entropy` cuts them.
        """
        asked, known = _Asked(query, secret), self._scanned(query, secret)
        check_drawing(sum(known.counts), n, replacement)
        counts = known.counts if stratified else (sum(known.counts),)
        sizes = strata(known.counts, n) if stratified else (n,)
        times = [
            list(Counter(entropy.randrange(count) for _ in range(size)).values())
            if replacement
            else [1] * size
            for count, size in zip(counts, sizes, strict=True)
        ]
        rates = [
            min(1.0, (len(some) + 12 * len(some) ** 0.5 + 50) / max(count, 1))
            for count, some in zip(counts, times, strict=True)
        ]
        for _ in range(_AGAIN):
            rows = self._drawn(asked, (rates[0], rates[-1]), entropy.getrandbits(62))
            groups = [rows[rows[:, 0] == group] for group in (0, 1)] if stratified else [rows]
            if all(len(group) >= len(some) for group, some in zip(groups, times, strict=True)):
                chosen = [
                    np.repeat(group[entropy.sample(range(len(group)), len(some))], some, axis=0)
                    for group, some in zip(groups, times, strict=True)
                ]
                records = np.concatenate(chosen)
                # Last digits of sums depend on the order, which is to be no group's.
                return records[np.argsort(records[:, -1], kind="stable"), 1:-1]
        raise SourceError(f"{self.title} gave too few records to draw from; open it again.")


def _places(query: Query, some: Query) -> list[int]:
    """Which record-level values of a query belong to some of its statistics, in their order."""
    starts = np.cumsum([0, *query.widths])
    known = {repr(statistic): place for place, statistic in enumerate(query)}
    return [
        place
        for statistic in some
        for place in range(starts[known[repr(statistic)]], starts[known[repr(statistic)] + 1])
    ]


def _slice(known: RecordMoments, places: list[int]) -> RecordMoments:
    grid = known.grid
    assert grid is not None
    return RecordMoments(
        counts=known.counts,
        dropped=known.dropped,
        means=known.means[:, places],
        covariances=known.covariances[:, places][:, :, places],
        sums=known.sums[places],
        minima=known.minima[places],
        maxima=known.maxima[places],
        grid=replace(
            grid,
            steps=grid.steps[:, places],
            units=grid.units[places],
            divisors=grid.divisors[:, places],
            origins=grid.origins[:, places],
            cosets=grid.cosets.of_columns(places),
        ),
    )
