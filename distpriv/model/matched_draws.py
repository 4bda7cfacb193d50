"""Draws of matched records, once for any number of swaps, and what is taken without replacement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distpriv.model.cells import Matching

__all__ = ["Pool", "taken_instead"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Pool:
    """Matched pairs of records, drawn once for any number of swaps.

    Parameters
    ----------
    matching : Matching
    seed : int
    size : int
        R, draws of each.
    """

    def __init__(self, matching: Matching, seed: int, size: int) -> None:
        self.matching, self.size = matching, size
        self.random = np.random.default_rng((seed, 0x51A9))
        self.drawn: list[NDArray[np.int32]] = []
        self.last: tuple[int, FloatArray] | None = None

    def pairs(self, swap: int) -> NDArray[np.int32]:
        """The pairs of one swap, shape (R,): as many independent draws, in random order."""
        masses = self.matching.pairs[2]
        while len(self.drawn) <= swap:
            counts = self.random.multinomial(self.size, masses)
            drawn = np.repeat(np.arange(len(masses), dtype=np.int32), counts)
            self.random.shuffle(drawn)
            self.drawn.append(drawn)
        return self.drawn[swap]

    def records(self, swapped: int, side: int) -> IntArray:
        """The records of one group in all swaps, shape (R, d)."""
        rows = self.matching.pairs[side]
        return np.array([rows[self.pairs(swap)] for swap in range(swapped)]).T

    def sums(self, swapped: int) -> FloatArray:
        """Sums of the differences of so many pairs, shape (R, m); nobody may change them."""
        first, second, _ = self.matching.pairs
        start, total = 0, np.zeros((self.size, self.matching.groups[0].shape[1]))
        if self.last is not None and self.last[0] <= swapped:
            start, total = self.last[0], self.last[1].copy()
        for swap in range(start, swapped):
            pairs = self.pairs(swap)
            total += self.matching.groups[0][first[pairs]]
            total -= self.matching.groups[1][second[pairs]]
        self.last = (swapped, total)
        return total


def taken_instead(
    drawn: IntArray, count: int, common: int, random: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """What is taken instead of records that are in the dataset already.

    Of the common records only those are known that have been drawn: by symmetry one that has not
    been looked at is common with the same probability as any other such, and each of them is as
    likely to be the one that is taken instead.

    Parameters
    ----------
    drawn : ndarray of int, shape (R, d)
    count : int
        Records of the group.
    common : int
        How many of them are in the dataset from the start.

    Returns
    -------
    rows : ndarray of int, shape (r,)
        Datasets in which some record is replaced.
    taken : ndarray of int, shape (r, d)
    """
    size, swapped = drawn.shape
    chances = random.random((size, swapped))  # nosec B311 # simulated, not released
    ordered = np.sort(drawn, axis=1)
    again = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    met = (chances * (count - np.arange(swapped)) < common).any(axis=1)
    rows = np.flatnonzero(again | met)
    taken, chances = drawn[rows].T.copy(), chances[rows].T
    # Twice as many looks as swaps at most: each finds a record, and another one for it.
    looked_at = np.full((2 * swapped, len(rows)), -1, dtype=drawn.dtype)
    found = np.zeros(len(rows), dtype=np.int64)
    for swap in range(swapped):
        before = looked_at[: 2 * swap]
        new = ~(before == taken[swap]).any(axis=0)
        is_common = chances[swap] * (count - swap - found) < common - found
        looked_at[2 * swap, new] = taken[swap, new]
        found += new & is_common
        wanting = np.flatnonzero(~new | is_common)
        while wanting.size:
            other = random.integers(count, size=wanting.size)
            taken[swap, wanting] = other
            known = looked_at[: 2 * swap + 1, wanting]
            wanting = wanting[(known == other).any(axis=0)]
        looked_at[2 * swap + 1] = taken[swap]
    return rows, np.ascontiguousarray(taken.T)
