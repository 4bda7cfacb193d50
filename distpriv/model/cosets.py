"""Where sums over records lie in their grid: on a coset that tells how many have a property.

All sums over k records of one group and n − k of another differ by vectors of the lattice L that
differences of two records of one group make. With one record of the first group more and one of the
second less they move by c, a record of the one minus a record of the other. The sums of k and of k'
such records lie on the same coset of L, or have no value in common, as (k' − k) c is in L or not:
of prices in whole dollars, where those on sale cost one cent less, the cents count the sales.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distpriv.model.lattice import Lattice
from distpriv.model.theta import Theta
from distpriv.queries.statistics import Query

__all__ = ["Basis", "Cosets", "cosets_of", "grid_of", "within_coset"]

FloatArray = NDArray[np.float64]
Basis = tuple[tuple[int, ...], ...]
_EXACT = 2.0**53


@dataclass(frozen=True, eq=False)
class Cosets:
    """The lattice of sums over records, and how far the two groups are apart in it.

    A lattice that is known from some of the records only is within that of all, so that cosets
    may be taken for different ones that are not: the safe side.

    Attributes
    ----------
    counts : tuple of int
        Records without and with the property.
    units : tuple of float, length w
        What a column's values, or the statistics made of it, are counted in; 0 for no grid.
    origin : tuple of float, length w
        A record without the property.
    gap : tuple of int, length w
        c: a record with the property minus one without, in units.
    bases : three tuples of vectors
        Bases of L, in units: where records without the property move, those with it, or both.
    unsure : tuple of bool, length w
        Columns on no grid whose sums may differ all the same.
    """

    counts: tuple[int, int]
    units: tuple[float, ...]
    origin: tuple[float, ...]
    gap: tuple[int, ...]
    bases: tuple[Basis, ...]
    unsure: tuple[bool, ...]

    def of_columns(self, columns: Sequence[int]) -> Cosets:
        """Return the same for some of the columns, in that order."""
        chosen = list(columns)
        return Cosets(
            self.counts,
            tuple(self.units[place] for place in chosen),
            tuple(self.origin[place] for place in chosen),
            tuple(self.gap[place] for place in chosen),
            tuple(
                tuple(tuple(row[place] for place in chosen) for row in basis)
                for basis in self.bases
            ),
            tuple(self.unsure[place] for place in chosen),
        )

    def scaled(self, factors: FloatArray) -> Cosets:
        """Return the same for columns that are multiplied by a factor, shape (w,), each > 0."""
        return replace(
            self,
            units=tuple((np.array(self.units) * factors).tolist()),
            origin=tuple((np.array(self.origin) * factors).tolist()),
        )

    def only(self, marked: NDArray[np.bool_]) -> Cosets:
        """Return the same as if the other columns did not move."""
        kept = marked.tolist()

        def held(row: Sequence[int]) -> tuple[int, ...]:
            return tuple(x if keeps else 0 for x, keeps in zip(row, kept, strict=True))

        return replace(
            self,
            units=tuple(x if keeps else 0.0 for x, keeps in zip(self.units, kept, strict=True)),
            gap=held(self.gap),
            bases=tuple(tuple(map(held, basis)) for basis in self.bases),
            unsure=tuple(x and keeps for x, keeps in zip(self.unsure, kept, strict=True)),
        )

    @property
    def agree(self) -> bool:
        """Whether sums lie on one coset whatever number of records has the property."""
        return not any(self.unsure) and self.order(2) == 1

    def order(self, row: int) -> int:
        """Return the least r ≥ 1 for which r c is in L, 0 for none; `row` as in `bases`."""
        return self._lattices[row].order(self.gap)

    def apart(self, thetas: Sequence[Theta]) -> bool:
        """Return whether two distributions may have no value in common.

        Where k is random: whether the statistics tell something of k by their coset. Distributions
        on lattices that differ, as where one of them takes a group whole, count as apart.
        """
        numbers = np.unique(np.concatenate([theta.count_law()[0] for theta in thetas]))
        if len(numbers) == 1:
            return False
        rows = [self._row(theta) for theta in thetas]
        used = [self._lattices[row].pivots for row in rows]
        order = self.order(max(rows) if rows[0] == rows[1] else 2)
        if any(self.unsure) or used[0] != used[1] or not order:
            return True
        return bool(((numbers - numbers[0]) % order).any())

    def offsets(self, thetas: Sequence[Theta]) -> FloatArray:
        """Return how far the grids of two distributions are from each other, shape (w,).

        Of each column alone, between 0 and half its step; NaN where it is not known. Where k is
        random, of datasets with one record more that has the property.
        """
        moved = 1
        if all(theta.fixed for theta in thetas):
            moved = int(thetas[1].count_law()[0][0] - thetas[0].count_law()[0][0])
        rows = [self._row(theta) for theta in thetas]
        basis = (*self.bases, ())[max(rows) if rows[0] == rows[1] else 2]
        found = []
        for place, (gap, unit) in enumerate(zip(self.gap, self.units, strict=True)):
            step = math.gcd(*(row[place] for row in basis))
            off = abs(moved * gap) % step if step else abs(moved * gap)
            off = min(off, step - off) if step else off
            found.append(math.nan if self.unsure[place] else off * unit)
        return np.array(found)

    def holding(self, sums: FloatArray, n: int, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which numbers of records with the property sums can have, by their coset.

        Parameters
        ----------
        sums : ndarray, shape (rows, w)
            Of n records each, or the statistics made of them.
        n : int
        numbers : ndarray, shape (K,)

        Returns
        -------
        ndarray, shape (rows, K)
            All of them where the lattice is too large to compute with.
        """
        places = [place for place, unit in enumerate(self.units) if unit]
        chosen = self.of_columns(places)
        lattice = chosen._lattices[2]
        units, origin = np.array(chosen.units), np.array(chosen.origin)
        with np.errstate(invalid="ignore", over="ignore"):
            counts = np.rint((sums[:, places] - n * origin) / units)
        if not places or not np.abs(counts).max(initial=0.0) < _EXACT:
            return np.ones((len(sums), len(numbers)), dtype=bool)
        try:
            found = lattice.residues(counts.astype(np.int64))
            moves = [[int(number) * entry for entry in chosen.gap] for number in numbers]
            expected = lattice.residues(np.array(moves, dtype=np.int64))
        except OverflowError:
            return np.ones((len(sums), len(numbers)), dtype=bool)
        return np.asarray((found[:, None] == expected).all(axis=2))

    @cached_property
    def _lattices(self) -> tuple[Lattice, ...]:
        lattices = []
        for basis in (*self.bases, ()):
            lattice = Lattice(len(self.gap))
            lattice.add(basis)
            lattices.append(lattice)
        return tuple(lattices)

    def _row(self, theta: Theta) -> int:
        """Which groups' records move: 0, 1, 2 for both, and 3 for neither."""
        values = theta.count_law()[0]
        least, most = int(values[0]), int(values[-1])
        moving = [
            drawn > 0 and (theta.replacement or fewest < count)
            for fewest, drawn, count in zip(
                (theta.n - most, least), (theta.n - least, most), self.counts, strict=True
            )
        ]
        return {(1, 0): 0, (0, 1): 1, (1, 1): 2, (0, 0): 3}[int(moving[0]), int(moving[1])]


def grid_of(
    thetas: tuple[Theta, Theta],
    query: Query,
    record_steps: FloatArray | None,
    counts: tuple[int, int],
) -> FloatArray:
    """In what steps the statistics move under both distributions: the wider of the two grids.

    One that does not move under one of them moves in the steps of the other; ∞ if under neither.
    """
    both = np.array([theta.steps(query, record_steps, counts) for theta in thetas])
    still = np.isinf(both)
    return np.asarray(np.where(still.all(axis=0), both, np.where(still, 0.0, both)).max(axis=0))


def cosets_of(query: Query, cosets: Cosets, n: int) -> Cosets:
    """Return where the statistics lie in their grid, from where sums over records do.

    A statistic that is no sum over the records tells nothing of how many have the property by its
    last digits.
    """
    starts = np.cumsum([0, *query.widths])[:-1]
    chosen = cosets.of_columns(starts.tolist())
    linear = np.array([statistic.linear for statistic in query])
    scales = np.array([statistic.scale(n) if statistic.linear else 1.0 for statistic in query])
    return chosen.scaled(scales).only(linear)


def within_coset(
    thetas: Sequence[Theta], difference: FloatArray, covariances: FloatArray
) -> FloatArray:
    """Return covariances of statistics given k, shape (2, m, m), from those with k random.

    What the spread of k adds is that of one move, the same for every record, which is taken off.

    Parameters
    ----------
    thetas : sequence of two Theta
    difference : ndarray, shape (m,)
        μ_i − μ_j.
    covariances : ndarray, shape (2, m, m)
    """
    laws = [theta.count_law() for theta in thetas]
    centres = [float(values @ masses) for values, masses in laws]
    if centres[0] == centres[1]:
        return covariances
    move = difference / (centres[0] - centres[1])
    spreads = [
        float((values - centre) ** 2 @ masses)
        for (values, masses), centre in zip(laws, centres, strict=True)
    ]
    return np.asarray(covariances - np.multiply.outer(spreads, np.outer(move, move)))
