"""Releases of a table, and the records that they are thought of as drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

import pandas as pd

from distpriv.arguments import checked
from distpriv.composition.rules import Promise
from distpriv.errors import CalibrationError
from distpriv.model.moments import GroupMoments, RecordGroups
from distpriv.model.population import Population
from distpriv.model.record_access import HoldsRecords
from distpriv.model.source import Source, source_of
from distpriv.model.theta import ShareOf
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = ["Records", "TableRelease", "records_of"]

T = TypeVar("T")


@runtime_checkable
class Records(Protocol):
    """Records split by properties, and what has been computed from them, each once."""

    def computed(self, key: str, compute: Callable[[], T]) -> T:
        """Anything that is made once for what its key names."""

    def moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        """See :func:`distpriv.group_moments`."""

    def records(self, query: Query, secret: SensitiveProperty) -> RecordGroups:
        """See :func:`distpriv.record_groups`."""

    def population(self, query: Query, secret: SensitiveProperty, seed: int) -> Population:
        """The records, with what the coupling bound has computed from them."""


@dataclass(frozen=True, eq=False)
class _Table(HoldsRecords):
    """Records of a table."""

    source: Source
    _known: dict[str, Any] = field(default_factory=dict, repr=False)

    def computed(self, key: str, compute: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = compute()
        known: T = self._known[key]
        return known

    def moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        key = f"moments {query!r} {secret!r}"
        return self.computed(key, lambda: self.source.group_moments(query, secret))

    def records(self, query: Query, secret: SensitiveProperty) -> RecordGroups:
        key = f"records {query!r} {secret!r}"
        return self.computed(key, lambda: self.source.sample(query, secret))

    def population(self, query: Query, secret: SensitiveProperty, seed: int) -> Population:
        key = f"population {query!r} {secret!r} {seed}"
        return self.computed(
            key, lambda: Population.of(query, secret, lambda: self.records(query, secret), seed)
        )


@checked(CalibrationError)
@dataclass(frozen=True, eq=False)
class TableRelease:
    """A release computed from a table: from all of it, or from a sample of its records.

    Attributes
    ----------
    query : Query
        Of m statistics.
    noise : Noise
        Of as many.
    n : int, at least 2
        Records that it was computed from.
    whole : bool
        Whether these are all complete records of the table; else a sample drawn for it alone.
    replacement : bool
        Whether the records are drawn with replacement under a share.
    pairs : tuple of Pair
        What the noise promises its (ε, δ) about; none if it promises nothing.
    share_of : "release" or "table"
        Whose share is meant where it is a sample, see :func:`distpriv.fit_gaussian`: that of the
        sample, drawn stratified, or that of the table, of which the sample is a random one. Of
        the whole table both are the same.
    """

    query: Query
    noise: Noise
    n: int
    whole: bool = False
    replacement: bool = False
    pairs: tuple[Pair, ...] = ()
    share_of: ShareOf = "release"

    def __post_init__(self) -> None:
        if self.noise.dimension != len(self.query):
            raise CalibrationError(
                f"The noise is for {self.noise.dimension} statistics, but the query has "
                f"{len(self.query)}; give the noise of this release."
            )
        if self.n < 2 or self.n % 1:
            raise CalibrationError(
                f"A release rests on a whole number of records, at least 2, got n = {self.n}."
            )

    def promise(self, pairs: Iterable[Pair]) -> Promise | None:
        """What it promises about all of these pairs; None if that is nothing."""
        if not set(pairs) <= set(self.pairs):
            return None
        return Promise(self.noise.epsilon, self.noise.delta)

    @property
    def drawn_share(self) -> ShareOf:
        """Whose share decides how the records are drawn."""
        return "release" if self.whole else self.share_of

    @property
    def is_normal(self) -> bool:
        """Whether its noise is Gaussian, or none."""
        return self.noise.is_zero or self.noise.distribution == "gaussian"


def records_of(given: pd.DataFrame | Source | Records) -> Records:
    """Records of a table, or what already is some."""
    if isinstance(given, pd.DataFrame | Source):
        return _Table(source_of(given))
    if not isinstance(given, Records):
        raise CalibrationError(
            f"The records must be a table, got {type(given).__name__}; give a pandas DataFrame."
        )
    return given
