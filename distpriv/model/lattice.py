"""Lattices of whole-number vectors: which points differences can add up to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lattice"]

IntArray = NDArray[np.int64]


class Lattice:
    """All sums of whole multiples of some vectors, kept as a triangular basis.

    The basis is a Hermite normal form but for the entries above the diagonal, which stay below
    their pivots (Cohen 1993, *A Course in Computational Algebraic Number Theory*, Section 2.4).

    Parameters
    ----------
    size : int
        Entries of a vector.
    """

    def __init__(self, size: int) -> None:
        self._rows: list[list[int] | None] = [None] * size

    @property
    def determinant(self) -> int:
        """Volume of a cell; 0 if the vectors do not span the space."""
        return math.prod(0 if row is None else row[i] for i, row in enumerate(self._rows))

    @property
    def basis(self) -> list[list[int]]:
        """Its vectors, a triangular basis."""
        return [row for row in self._rows if row is not None]

    def add(self, vectors: IntArray | Iterable[Sequence[int]], until: int = -1) -> None:
        """Take in vectors, as long as the determinant is not `until`."""
        for vector in vectors.tolist() if isinstance(vectors, np.ndarray) else vectors:
            if self._insert(list(vector)) and self.determinant == until:
                return

    def _insert(self, vector: list[int]) -> bool:
        """Whether the vector was new."""
        new = False
        for place in range(len(vector)):
            entry, row = vector[place], self._rows[place]
            if not entry:
                continue
            if row is None:
                self._rows[place] = self._reduced(vector if entry > 0 else [-v for v in vector])
                return True
            pivot = row[place]
            if entry % pivot:
                # A combination of the two has their greatest common divisor for its pivot.
                new = True
                divisor = math.gcd(pivot, entry)
                one = pow(pivot // divisor, -1, abs(entry) // divisor)
                other = (divisor - one * pivot) // entry
                combined = [one * a + other * b for a, b in zip(row, vector, strict=True)]
                vector = [
                    (pivot // divisor) * b - (entry // divisor) * a
                    for a, b in zip(row, vector, strict=True)
                ]
                self._rows[place] = self._reduced(combined)
                vector = self._reduced(vector)
            else:
                times = entry // pivot
                vector = [b - times * a for a, b in zip(row, vector, strict=True)]
        return new

    def _reduced(self, vector: list[int]) -> list[int]:
        """The same but for lattice vectors, with entries below the later pivots."""
        start = next((place for place, entry in enumerate(vector) if entry), len(vector))
        for place in range(start + 1, len(vector)):
            row = self._rows[place]
            if row is not None and (times := vector[place] // row[place]):
                vector = [b - times * a for a, b in zip(row, vector, strict=True)]
        return vector

    @property
    def pivots(self) -> tuple[int, ...]:
        """Diagonal of the basis, 0 where it has no row: a lattice within another one that has the
        same is the other one."""
        return tuple(0 if row is None else row[i] for i, row in enumerate(self._rows))

    def outside(self, vectors: IntArray) -> IntArray:
        """Those of the vectors, shape (N, m), that are not in the lattice.

        Raises
        ------
        OverflowError
            If the basis has entries beyond 2³¹.
        """
        return vectors[self.residues(vectors).any(axis=1)]

    def residues(self, vectors: IntArray) -> IntArray:
        """Return vectors, shape (N, m), less one of the lattice each: the same for the same coset.

        Raises
        ------
        OverflowError
            If the basis has entries beyond 2³¹.
        """
        if max((max(map(abs, row)) for row in self.basis), default=0) >= 1 << 31:
            raise OverflowError("the lattice's basis is too large for whole numbers of 64 bits")
        left = vectors.copy()
        for place, row in enumerate(self._rows):
            if row is not None:
                left -= (left[:, place] // row[place])[:, None] * np.array(row)
        return left

    def order(self, vector: Sequence[int]) -> int:
        """Return the least number r ≥ 1 of which r times a vector is in the lattice, 0 for none."""
        rest = [Fraction(entry) for entry in vector]
        multiple = 1
        for place, row in enumerate(self._rows):
            if not rest[place]:
                continue
            if row is None:
                return 0
            times = rest[place] / row[place]
            multiple = math.lcm(multiple, times.denominator)
            rest = [a - times * b for a, b in zip(rest, row, strict=True)]
        return multiple

    def axes(self) -> list[float]:
        """Least multiple of each unit vector that is in it, ∞ where none is."""
        size = len(self._rows)
        units = [[int(place == axis) for place in range(size)] for axis in range(size)]
        return [float(self.order(unit) or math.inf) for unit in units]
