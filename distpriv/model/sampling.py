"""Drawing subsets of records, many at once, and estimates with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distpriv.arguments import Within

__all__ = ["Interval", "RandomState", "draw_subsets", "subset_sums"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]
RandomState = np.random.Generator | Annotated[int, Within(0)] | None


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
    confidence : float in (0, 1)
    """

    estimate: float
    low: float
    high: float
    confidence: float = 0.95


def draw_subsets(
    population: int,
    size: int,
    repetitions: int,
    rng: np.random.Generator,
    *,
    replacement: bool = False,
) -> IntArray:
    """Draw subsets of ``range(population)``, each uniformly and independently of the others.

    Without replacement a member occurs at most once *within* a subset. Members that occur
    twice are drawn again until none does; the rule knows nothing of a member but whether it
    equals another, so by symmetry every subset of that size is equally likely.

    Parameters
    ----------
    population, size, repetitions : int
        ``0 <= size <= population`` unless ``replacement``.
    rng : Generator
    replacement : bool

    Returns
    -------
    ndarray of int32, shape (repetitions, size)
        In no particular order within a row.
    """
    if replacement:
        return rng.integers(population, size=(repetitions, size), dtype=np.int32)
    if not 0 <= size <= population:
        raise ValueError(f"size must be in [0, {population}], got size={size}")
    if size > population / 2:
        kept = np.ones((repetitions, population), dtype=bool)
        left_out = draw_subsets(population, population - size, repetitions, rng)
        np.put_along_axis(kept, left_out.astype(np.intp), False, axis=1)
        return np.nonzero(kept)[1].reshape(repetitions, size).astype(np.int32)
    members = rng.integers(population, size=(repetitions, size), dtype=np.int32)
    rows, open_rows = members, np.arange(repetitions)  # at first all of them, where they are
    while open_rows.size:
        rows.sort(axis=1)
        repeated = np.zeros(rows.shape, dtype=bool)
        np.equal(rows[:, 1:], rows[:, :-1], out=repeated[:, 1:])
        rows[repeated] = rng.integers(population, size=np.count_nonzero(repeated), dtype=np.int32)
        if rows is not members:
            members[open_rows] = rows
        open_rows = open_rows[repeated.any(axis=1)]
        rows = members[open_rows]
    return members


def subset_sums(values: FloatArray, members: IntArray) -> FloatArray:
    """Sum the values of each subset's members.

    Parameters
    ----------
    values : ndarray, shape (N, m)
    members : ndarray of int, shape (repetitions, size)

    Returns
    -------
    ndarray, shape (repetitions, m)
    """
    repetitions, size = members.shape
    starts = np.arange(repetitions + 1, dtype=np.int32) * np.int32(size)
    weights = sparse.csr_array(
        (np.ones(members.size), members.ravel(), starts), shape=(repetitions, len(values))
    )
    return np.asarray(weights @ values)
