"""How many records two coupled datasets swap, and how many they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distpriv.model.theta import Theta, hypergeometric_law

__all__ = ["SwapCounts"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_NEVER = 1e-18  # as Theta.count_law has it


@dataclass(frozen=True)
class SwapCounts:
    """Numbers of swapped and of common records of two datasets.

    Of the positions of the release, or of the table whose share is hidden, some hold records with
    the property under either share, d under the higher one alone, and the others under neither.
    Where the share is that of the release all of its positions count. Where it is that of a table,
    n positions are a random sample: each is swapped with a probability of Δp with replacement, and
    the three numbers are multivariate hypergeometric without.

    Attributes
    ----------
    lower, higher : Theta
        Of the pair, by their shares.
    """

    lower: Theta
    higher: Theta

    @classmethod
    def of(cls, thetas: tuple[Theta, Theta]) -> SwapCounts:
        """Of a pair in either order."""
        return cls(*sorted(thetas, key=lambda theta: theta.proportion))

    @property
    def replacement(self) -> bool:
        """Whether a dataset may hold a record twice."""
        return self.lower.replacement

    @property
    def most_common(self) -> tuple[int, int]:
        """Records without the property and with it that both datasets hold, at most."""
        return self.higher.needs[0], self.lower.needs[1]

    @cached_property
    def swapped(self) -> tuple[IntArray, FloatArray]:
        """Values of d in rising order and their probabilities."""
        return self.swapping.count_law()

    @property
    def most(self) -> int:
        """The largest value of d."""
        return int(self.swapped[0][-1])

    @property
    def varying(self) -> bool:
        """Whether d is random."""
        return len(self.swapped[0]) > 1

    @property
    def mean(self) -> float:
        """E d."""
        values, masses = self.swapped
        return float(values @ masses)

    @property
    def variance(self) -> float:
        """Var d."""
        values, masses = self.swapped
        return float((values - self.mean) ** 2 @ masses)

    @cached_property
    def swapping(self) -> Theta:
        """Whose share is the difference of the two, so that d has the law of its k."""
        low, high = self.lower, self.higher
        share = high.proportion - low.proportion
        if high.table is None or not high.replacement:  # of positions, a whole number of which swap
            share = (high.table_having - low.table_having) / (high.table or high.n)
        return Theta(high.secret, share, high.n, high.replacement, high.table)

    def transform(self, swap: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Fourier transform of D from that of one swap, of draws with replacement."""
        if self.higher.table is None:
            return swap**self.most
        return (1 + self.swapping.proportion * (swap - 1)) ** self.higher.n

    def draw(self, size: int, random: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        """Draw d, and the common records without the property and with it, each of shape (size,).

        With replacement the latter make no difference, and are 0.
        """
        values, masses = self.swapped
        swapped = _chosen(values, masses, size, random)
        having = np.zeros(size, dtype=np.int64)
        if self.replacement:
            return swapped, having, having
        n, table = self.higher.n, self.higher.table or self.higher.n
        both = self.lower.table_having
        neither = table - self.higher.table_having
        for number in values.tolist() if both else ():
            rows = np.flatnonzero(swapped == number)
            hits, chances = hypergeometric_law(both, neither, n - number, _NEVER)
            having[rows] = _chosen(hits, chances, rows.size, random)
        return swapped, n - swapped - having, having


def _chosen(
    values: IntArray, masses: FloatArray, size: int, random: np.random.Generator
) -> IntArray:
    """Draw numbers; one that is certain takes no randomness."""
    if len(values) == 1:
        return np.full(size, values[0], dtype=np.int64)
    return random.choice(values, size, p=masses)  # nosec B311 # simulated, not released
