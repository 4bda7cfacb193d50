"""A possible distribution of the dataset: how many records, and what share has the property."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import ModelError
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = ["Theta"]

FloatArray = NDArray[np.float64]


@checked(ModelError)
@dataclass(frozen=True)
class Theta:
    """One possible distribution of the dataset: n records, a share p of which has the property.

    Attributes
    ----------
    secret : SensitiveProperty
    proportion : float in [0, 1]
    n : int, at least 2
    replacement : bool
        Whether a subset may hold a record twice.
    """

    secret: SensitiveProperty
    proportion: float
    n: int
    replacement: bool = False

    def __post_init__(self) -> None:
        if not (self.n >= 2 and self.n % 1 == 0):
            raise ModelError(
                f"A subset needs a whole number of records, at least 2, got n = {self.n}."
            )

    @property
    def having(self) -> int:
        """k, how many of the n records have the property: n·p rounded, halves upwards."""
        return math.floor(round(self.n * self.proportion, 9) + 0.5)

    @property
    def without(self) -> int:
        """n − k, how many of the n records do not have the property."""
        return self.n - self.having

    def steps(
        self, query: Query, record_steps: FloatArray | None, counts: tuple[int, int]
    ) -> FloatArray:
        """In what steps the statistics move, shape (m,).

        Parameters
        ----------
        query : Query of m statistics
        record_steps : ndarray, shape (3, w), or None
            See :func:`distpriv.model.grid.record_steps`; NaN comes out where they are not known.
        counts : tuple of int
            Records without and with the property: a group that is taken whole moves nothing.
        """
        if record_steps is None:
            return np.full(len(query), np.nan)
        draws = (self.without, self.having)
        moving = [
            drawn > 0 and (self.replacement or drawn < count)
            for drawn, count in zip(draws, counts, strict=True)
        ]
        return query.steps(self.n, record_steps[2 if all(moving) else int(moving[1])])
