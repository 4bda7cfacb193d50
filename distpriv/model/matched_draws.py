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
        sums = np.zeros((size, matching.groups[0].shape[1]))
        self.last: tuple[IntArray, FloatArray] = np.zeros(size, dtype=np.int64), sums

    def pairs(self, swap: int) -> NDArray[np.int32]:
        """The pairs of one swap, shape (R,): as many independent draws, in random order."""
        masses = self.matching.pairs[2]
        while len(self.drawn) <= swap:
            counts = self.random.multinomial(self.size, masses)
            drawn = np.repeat(np.arange(len(masses), dtype=np.int32), counts)
            self.random.shuffle(drawn)
            self.drawn.append(drawn)
        return self.drawn[swap]

    def records(self, swapped: int, side: int, chosen: slice) -> IntArray:
        """The records of one group in so many swaps of some of the draws, shape (r, d)."""
        rows = self.matching.pairs[side]
        return np.array([rows[self.pairs(swap)[chosen]] for swap in range(swapped)]).T

    def sums(self, swapped: IntArray) -> FloatArray:
        """Sums of the differences of so many pairs in each draw, shape (R, m).

        Nobody may change them: more swaps are added to those of the call before.
        """
        first, second, _ = self.matching.pairs
        done, total = self.last
        total = total.copy()
        if (done > swapped).any():
            done, total = np.zeros_like(done), np.zeros_like(total)
        for swap in range(int(done.min()), int(swapped.max())):
            rows = np.flatnonzero((done <= swap) & (swap < swapped))
            pairs = self.pairs(swap)[rows]
            total[rows] += self.matching.groups[0][first[pairs]]
            total[rows] -= self.matching.groups[1][second[pairs]]
        self.last = (swapped, total)
        return total


def taken_instead(
    drawn: IntArray,
    swapped: IntArray,
    count: int,
    common: IntArray,
    random: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """What is taken instead of records that are in the dataset already.

    Of the common records only those are known that have been drawn: by symmetry one that has not
    been looked at is common with the same probability as any other such, and each of them is as
    likely to be the one that is taken instead.

    Parameters
    ----------
    drawn : ndarray of int, shape (R, most)
    swapped : ndarray of int, shape (R,)
        How many of these are taken, from the first on.
    count : int
        Records of the group.
    common : ndarray of int, shape (R,)
        How many of them are in the dataset from the start.

    Returns
    -------
    rows : ndarray of int, shape (r,)
        Datasets in which some record is replaced.
    taken : ndarray of int, shape (r, most)
        As `drawn` beyond those that are taken.
    """
    size, most = drawn.shape
    swaps = np.arange(most)
    chances = random.random((size, most))  # nosec B311 # simulated, not released
    wanted = swaps < swapped[:, None]
    ordered = np.sort(np.where(wanted, drawn, -1 - swaps), axis=1)
    again = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    met = (wanted & (chances * (count - swaps) < common[:, None])).any(axis=1)
    rows = np.flatnonzero(again | met)
    taken, chances, wanted = drawn[rows].T.copy(), chances[rows].T, wanted[rows].T
    common = common[rows]
    # Twice as many looks as swaps at most: each finds a record, and another one for it.
    looked_at = np.full((2 * most, len(rows)), -1, dtype=drawn.dtype)
    met_before = np.zeros(len(rows), dtype=np.int64)
    for swap in range(most):
        new = ~(looked_at[: 2 * swap] == taken[swap]).any(axis=0)
        is_common = chances[swap] * (count - swap - met_before) < common - met_before
        looked_at[2 * swap, new] = taken[swap, new]
        met_before += wanted[swap] & new & is_common
        wanting = np.flatnonzero(wanted[swap] & (~new | is_common))
        while wanting.size:
            other = random.integers(count, size=wanting.size)
            taken[swap, wanting] = other
            seen = looked_at[: 2 * swap + 1, wanting]
            wanting = wanting[(seen == other).any(axis=0)]
        looked_at[2 * swap + 1] = taken[swap]
    return rows, np.ascontiguousarray(taken.T)
