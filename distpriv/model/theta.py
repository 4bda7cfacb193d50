"""A possible distribution of the dataset: how many records, and what share has the property."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import ModelError
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = ["ShareOf", "Theta", "hypergeometric_law"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

ShareOf = Literal["release", "table"]
"""Whose share is secret: that of the n released records, or of the table they are drawn from."""

_NEVER = 1e-18  # of a number of records: far below what rounding leaves of any δ


@checked(ModelError)
@dataclass(frozen=True)
class Theta:
    """One possible distribution of the dataset: n records, and the share p with the property.

    Attributes
    ----------
    secret : SensitiveProperty
    proportion : float in [0, 1]
    n : int, at least 2
    replacement : bool
        Whether a subset may hold a record twice.
    table : int, at least n unless `replacement`, or None
        None: p is the share of the n records, of which k = round(n p) have the property. Else the
        records of a table of which round(p times as many) have it: the n are a random sample of
        them, and k is binomial with replacement, hypergeometric without.
    """

    secret: SensitiveProperty
    proportion: float
    n: int
    replacement: bool = False
    table: int | None = None

    def __post_init__(self) -> None:
        if not (self.n >= 2 and self.n % 1 == 0):
            raise ModelError(
                f"A subset needs a whole number of records, at least 2, got n = {self.n}."
            )
        if self.table is not None and not (self.replacement or self.n <= self.table):
            raise ModelError(
                f"A sample of n = {self.n} records cannot be drawn from a table of {self.table} "
                "without replacement; take a smaller n, or draw with replacement."
            )

    @property
    def share_of(self) -> ShareOf:
        """Whose share p is."""
        return "release" if self.table is None else "table"

    @property
    def having(self) -> int:
        """Return n·p rounded, halves upwards: k, or about its mean where k is random."""
        return _rounded(self.n * self.proportion)

    @property
    def table_having(self) -> int:
        """Return how many records of the table have the property; `having` where there is none."""
        return self.having if self.table is None else _rounded(self.table * self.proportion)

    @property
    def without(self) -> int:
        """Return n minus `having`."""
        return self.n - self.having

    @property
    def fixed(self) -> bool:
        """Whether k, how many of the n records have the property, is one number."""
        return len(self.count_law()[0]) == 1

    def count_law(self) -> tuple[IntArray, FloatArray]:
        """Return the values of k in rising order and their probabilities, which sum to 1.

        Values less likely than 1e-18 are left out.
        """
        if self.table is None:
            return np.array([self.having]), np.ones(1)
        if self.replacement:
            return _binomial_law(self.n, self.proportion)
        having = self.table_having
        return hypergeometric_law(having, self.table - having, self.n, _NEVER)

    @property
    def needs(self) -> tuple[int, int]:
        """Records without the property and with it that a dataset may hold, at most."""
        values = self.count_law()[0]
        return self.n - int(values[0]), int(values[-1])

    def sum_moments(
        self, counts: tuple[int, int], means: FloatArray, covariances: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return mean and covariance of the sum of the n records, shape (..., m) and (..., m, m).

        Parameters
        ----------
        counts : tuple of int
            Records without and with the property that they are drawn from.
        means : ndarray, shape (..., 2, m)
            Of the two groups' records.
        covariances : ndarray, shape (..., 2, m, m)
            With ddof 1.
        """
        draws, squares = self._draws()
        total = self.within_groups(counts, covariances)
        if not self.fixed:
            apart = means[..., 1, :] - means[..., 0, :]
            spread = squares[1] - draws[1] ** 2
            total = total + spread * apart[..., :, None] * apart[..., None, :]
        return draws @ means, total

    def within_groups(self, counts: tuple[int, int], covariances: FloatArray) -> FloatArray:
        """Return the part of :meth:`sum_moments`'s covariance that a random k adds nothing to.

        Parameters are those of :meth:`sum_moments`.
        """
        draws, squares = self._draws()
        # Draws with replacement have the covariance of the group itself, ddof 0.
        taken = draws if self.replacement else squares
        weights = draws - taken / np.maximum(counts, 1)
        return np.asarray(np.tensordot(covariances, weights, axes=(-3, 0)))

    def _draws(self) -> tuple[FloatArray, FloatArray]:
        """Return mean and mean square of the records drawn without and with the property."""
        values, masses = self.count_law()
        numbers = np.array([self.n - values, values], dtype=np.float64)
        return numbers @ masses, numbers**2 @ masses

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
        least, most = self.count_law()[0][[0, -1]]
        moving = [
            most_drawn > 0 and (self.replacement or least_drawn < count)
            for least_drawn, most_drawn, count in zip(
                (self.n - most, least), (self.n - least, most), counts, strict=True
            )
        ]
        return query.steps(self.n, record_steps[2 if all(moving) else int(moving[1])])


@lru_cache(maxsize=256)
def hypergeometric_law(
    having: int, without: int, draws: int, never: float = 0.0
) -> tuple[IntArray, FloatArray]:
    """Return how many of some draws without replacement have a property, and how likely.

    Parameters
    ----------
    having, without : int
        Records with the property and without, at least `draws` together.
    draws : int
    never : float
        Numbers that are less likely are left out.
    """
    low, high = max(0, draws - without), min(draws, having)
    if never:
        low, high = _window(draws, having / (having + without), low, high)
    hits = np.arange(low, high + 1)
    before, after = hits[:-1], hits[1:]
    rising = (having - before) / after * ((draws - before) / (without - draws + after))
    return _likely(hits, np.log(rising), never)


@lru_cache(maxsize=256)
def _binomial_law(n: int, p: float) -> tuple[IntArray, FloatArray]:
    if p in (0.0, 1.0):
        return np.array([int(n * p)]), np.ones(1)
    low, high = _window(n, p, 0, n)
    hits = np.arange(low, high + 1)
    before, after = hits[:-1], hits[1:]
    return _likely(hits, np.log((n - before) / after) + math.log(p) - math.log1p(-p), _NEVER)


def _window(draws: int, p: float, low: int, high: int) -> tuple[int, int]:
    """Return between what numbers all but far less than 1e-18 of a count lies (Bernstein)."""
    reach = 12 * math.sqrt(draws * p * (1 - p)) + 60
    return max(low, math.floor(draws * p - reach)), min(high, math.ceil(draws * p + reach))


def _likely(hits: IntArray, rises: FloatArray, never: float) -> tuple[IntArray, FloatArray]:
    """Return numbers and probabilities from the rises of the latter's logarithms."""
    logs = np.concatenate([[0.0], np.cumsum(rises)])
    masses = np.exp(logs - logs.max())
    masses /= masses.sum()
    kept = masses > never
    hits, masses = hits[kept], masses[kept] / masses[kept].sum()
    hits.setflags(write=False)
    masses.setflags(write=False)
    return hits, masses


def _rounded(number: float) -> int:
    return math.floor(round(number, 9) + 0.5)
