"""The records that datasets are drawn from, beside the normals that are fitted to them.

What rests on no curve (the coupling bound, exact laws) needs the records, or what is computed from
them once; the closed forms do without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from distpriv.model.moments import RecordGroups
from distpriv.model.record_access import ReachesRecords
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = ["Population"]

FloatArray = NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Population(ReachesRecords, through=("load", "_known")):
    """Records with and without a property, and what has been computed from them.

    Pickled and copied without either.

    Attributes
    ----------
    query : Query
        All statistics of the records, as they were loaded.
    secret : SensitiveProperty
    load : callable
        Gives the record-level values; called when they are first asked for.
    seed : int
        Of what is simulated from them.
    statistics : tuple of int
        Which of the query's statistics are meant, in order.
    units : ndarray, shape (m,)
        What each of these is divided by.
    """

    query: Query
    secret: SensitiveProperty
    load: Callable[[], RecordGroups] = field(repr=False)
    seed: int
    statistics: tuple[int, ...]
    units: FloatArray
    _known: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        query: Query,
        secret: SensitiveProperty,
        load: Callable[[], RecordGroups],
        seed: int = 0,
    ) -> Population:
        """All statistics of a query, in their own units."""
        return cls(query, secret, load, seed, tuple(range(len(query))), np.ones(len(query)))

    @property
    def groups(self) -> RecordGroups:
        """Record-level values of the whole query, in their own units."""
        return self.computed("groups", self.load)

    def computed(self, key: str, compute: Callable[[], T]) -> T:
        """Anything that is made once for what its key names; units and a choice share it."""
        if key not in self._known:
            self._known[key] = compute()
        known: T = self._known[key]
        return known

    def in_units(self, units: FloatArray) -> Population:
        """The same with each statistic divided by a unit, shape (m,), each > 0."""
        return replace(self, units=self.units * units)

    def of_statistics(self, indices: Sequence[int]) -> Population:
        """The same for some of the statistics, in that order."""
        chosen = list(indices)
        return replace(
            self,
            statistics=tuple(self.statistics[index] for index in chosen),
            units=self.units[chosen],
        )
