"""The grid that statistics of real tables live on: how far they move at least.

A count moves in steps of 1, a mean of whole numbers over n records in steps of 1/n. Whoever knows
that can subtract noise that leaves directions bare; :mod:`distpriv.privacy.smoothness` says how
well a noise covers the grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distpriv.model.cosets import Basis, Cosets
from distpriv.model.lattice import Lattice

__all__ = ["ProbedGrid", "column_step", "probed_grid", "record_steps"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_DECIMALS = 12  # significant ones; a number with more is no decimal number
_EXACT = 2.0**53
_PROBE = 4096  # records looked at first; all of them only where these leave a question
_ROWS = 512
_SEEN = 8
_BLOCK, _MOST = 1 << 16, 1 << 19
_CONTINUOUS = 10_000  # records from which on a column without a step may count as a density
_SUMS = 200  # records, all different, from which on there are more sums than numbers of 64 bits


def column_step(values: FloatArray) -> float:
    """The step in which a column's values move: the greatest d of which all differences are n·d.

    Found among decimal numbers of at most 12 significant digits in whole numbers, exactly, so
    that 0.1 + 0.2 counts as 0.3; else, as for thirds, by Euclid's algorithm on the differences.

    Parameters
    ----------
    values : ndarray, shape (N,)
        Finite.

    Returns
    -------
    float
        0 if there is none, ∞ if all values are the same.
    """
    return float(record_steps(values[:, None], np.zeros(len(values), dtype=bool))[0, 0])


def record_steps(
    values: FloatArray, having: NDArray[np.bool_], whole: Sequence[bool] | None = None
) -> FloatArray:
    """Steps in which sums over records move while all the other sums stay, shape (3, w).

    The records of a dataset are drawn within the two groups of a property, so that the sums move
    by the lattice that differences of two records *of one group* make. The step of a column is
    the least multiple of its unit vector in that lattice. Usually it is the column's own step;
    it is larger where columns are tied to each other, as a number of points to whether it is even.

    A column without a step whose values recur, or that has fewer than 10 000, is taken to move in
    steps of its standard deviation: its sums are discrete, if on no grid.

    Parameters
    ----------
    values : ndarray, shape (N, w)
        Record-level values of complete records, finite.
    having : ndarray of bool, shape (N,)
        Marks one of the groups.
    whole : sequence of bool, length w, optional
        Columns known to hold whole numbers, which saves looking.

    Returns
    -------
    ndarray, shape (3, w)
        Where all records of a dataset come from those without the property, where all come from
        those with it, and where some come from each: 0 for no grid, ∞ for what does not move.
    """
    return probed_grid(values, having, whole).steps


@dataclass(frozen=True, eq=False)
class ProbedGrid:
    """The grid of some records, and what has to hold of all the others for it to be theirs.

    Attributes
    ----------
    steps : ndarray, shape (3, w)
        See :func:`record_steps`.
    units : ndarray, shape (w,)
        Of which a column's values are whole multiples apart; 0 for a column without one.
    divisors : ndarray of int, shape (2, w)
        Of the moves of each group's records, in units; 0 where it does not move.
    origins : ndarray, shape (2, w)
        A value of each group.
    tied : bool
        Whether a column's step is larger than its own moves, because others hold it, or the groups
        lie on different cosets as far as these records show.
    cosets : Cosets
        Where sums over records lie in the lattice that the moves of all columns make.
    """

    steps: FloatArray
    units: FloatArray
    divisors: IntArray
    origins: FloatArray
    tied: bool
    cosets: Cosets


def probed_grid(
    values: FloatArray, having: NDArray[np.bool_], whole: Sequence[bool] | None = None
) -> ProbedGrid:
    """The grid of records; parameters are those of :func:`record_steps`."""
    units = np.array(
        [
            1.0 if whole is not None and whole[place] else _unit(column)
            for place, column in enumerate(values.T)
        ]
    )
    gridded = np.flatnonzero(units)
    steps = np.empty((3, values.shape[1]))
    divisors = np.zeros((2, values.shape[1]), dtype=np.int64)
    for column in np.flatnonzero(units == 0):
        steps[:, column] = _stand_in(values[:, column], having)
    tied = False
    bases: tuple[Basis, ...] = ((), (), ())
    if gridded.size:
        counted = _Counted(values, having, gridded, units[gridded])
        steps[:, gridded] = counted.steps()
        divisors[:, gridded] = counted.divisors
        moves = np.vstack([counted.divisors, np.gcd(*counted.divisors)]) * units[gridded]
        free = np.where(moves > 0, moves, math.inf)
        tied = bool((steps[:, gridded] > free * (1 + 1e-9)).any())
        bases = tuple(_widened(basis, gridded, len(units)) for basis in counted.bases)
    origins = np.array([values[int(np.argmax(marks))] for marks in (~having, having)])
    whole_units = np.where(units > 0, units, 1.0)
    gap = np.where(units > 0, np.rint((origins[1] - origins[0]) / whole_units), 0.0)
    cosets = Cosets(
        counts=(int(np.count_nonzero(~having)), int(np.count_nonzero(having))),
        units=tuple(units.tolist()),
        origin=tuple(origins[0].tolist()),
        gap=tuple(map(int, gap)),
        bases=bases,
        unsure=tuple(
            bool(not unit and steps[2, place] > 0 and _unlike(values[:, place], having))
            for place, unit in enumerate(units)
        ),
    )
    tied = tied or not cosets.agree
    return ProbedGrid(steps, units, divisors, origins, tied, cosets)


def _widened(basis: Basis, columns: NDArray[np.intp], width: int) -> Basis:
    """Vectors of some columns as vectors of all."""
    rows = []
    for row in basis:
        wide = [0] * width
        for column, entry in zip(columns.tolist(), row, strict=True):
            wide[column] = entry
        rows.append(tuple(wide))
    return tuple(rows)


def _unlike(column: FloatArray, having: NDArray[np.bool_]) -> bool:
    """Whether sums of values on no grid may tell how many records have the property.

    Not where both groups have a value in common, nor where there are so many different values that
    next to every number is a sum of them.
    """
    first, second = (np.unique(column[marks]) for marks in (~having, having))
    if len(first) + len(second) > len(column) / 2 and len(column) >= _SUMS:
        return False
    return not len(np.intersect1d(first, second, assume_unique=True))


class _Counted:
    """Columns counted in their units, and how the records of each group move them."""

    def __init__(
        self,
        values: FloatArray,
        having: NDArray[np.bool_],
        columns: NDArray[np.intp],
        units: FloatArray,
    ) -> None:
        self._values, self._columns, self._units = values, columns, units
        self._groups = (~having, having)
        self._first = [values[int(np.argmax(marks)), columns] for marks in self._groups]
        self._probes = [self._moves(group, _probe(self._groups[group])) for group in range(2)]
        self._own = [
            [self._divisor(group, place) for place in range(len(columns))] for group in range(2)
        ]

    @property
    def divisors(self) -> IntArray:
        """Of each group's moves, in units, shape (2, columns)."""
        return np.array(self._own, dtype=np.int64)

    def steps(self) -> FloatArray:
        """Shape (3, columns), see :func:`record_steps`."""
        return np.array([self._axes(row) for row in range(3)]) * self._units

    @property
    def bases(self) -> tuple[Basis, Basis, Basis]:
        """Of the lattices of the moves of each group, and of both, in units."""
        without, having, both = (
            tuple(self._row(vector, moving) for vector in lattice.basis)
            for lattice, moving in self._lattices
        )
        return without, having, both

    def _row(self, vector: Sequence[int], moving: Sequence[int]) -> tuple[int, ...]:
        row = [0] * len(self._columns)
        for place, entry in zip(moving, vector, strict=True):
            row[place] = entry
        return tuple(row)

    @cached_property
    def _lattices(self) -> list[tuple[Lattice, list[int]]]:
        """Of each group and of both, with the columns that move there."""
        lattices = [self._spanned((0,), self._own[0]), self._spanned((1,), self._own[1])]
        # What one group alone moves freely needs no second look.
        both = [math.gcd(*pair) for pair in zip(*self._own, strict=True)]
        for (lattice, moving), own in zip(lattices, self._own, strict=True):
            if own == both and lattice.determinant == math.prod(own[place] for place in moving):
                return [*lattices, (lattice, moving)]
        return [*lattices, self._spanned((0, 1), both)]

    def _moves(self, group: int, places: NDArray[np.intp]) -> IntArray:
        moved = self._values[places[:, None], self._columns] - self._first[group]
        return np.rint(moved / self._units).astype(np.int64)

    def _divisor(self, group: int, place: int) -> int:
        """Greatest common divisor of a column's moves; of all records where a few do not tell."""
        divisor = int(np.gcd.reduce(self._probes[group][:, place]))
        marks = self._groups[group]
        if divisor == 1 or len(self._values) <= _PROBE:
            return divisor
        column, first = self._values[:, self._columns[place]], self._first[group][place]
        for start in range(0, len(column), _BLOCK):
            part = slice(start, start + _BLOCK)
            moving = np.flatnonzero((column[part] != first) & marks[part]) + start
            moves = np.rint((column[moving] - first) / self._units[place]).astype(np.int64)
            while (left := moves != 0 if divisor == 0 else moves % divisor != 0).any():
                seen = moving[left][:_SEEN]
                self._probes[group] = np.vstack([self._moves(group, seen), self._probes[group]])
                divisor = math.gcd(divisor, int(np.gcd.reduce(moves[left][:_ROWS])))
                if divisor == 1:
                    return divisor
        return divisor

    def _spanned(self, groups: tuple[int, ...], own: list[int]) -> tuple[Lattice, list[int]]:
        """The lattice of the moves of some groups, in the columns that move."""
        moving = [place for place, divisor in enumerate(own) if divisor]
        lattice = Lattice(len(moving))
        least = math.prod(own[place] for place in moving)
        if len(moving) < 2:
            lattice.add([[own[place]] for place in moving])
            return lattice, moving
        for group in groups:
            lattice.add(_varied(self._probes[group][:, moving]), until=least)
            if lattice.determinant == least:
                return lattice, moving
        for group in groups:
            self._add_all(lattice, group, moving)
        return lattice, moving

    def _axes(self, row: int) -> list[float]:
        """Steps of the columns, each with the others held; its own where that cannot be told."""
        lattice, moving = self._lattices[row]
        own = (
            self._own[row]
            if row < 2
            else [math.gcd(*pair) for pair in zip(*self._own, strict=True)]
        )
        steps = [float(divisor) if divisor else math.inf for divisor in own]
        if lattice.determinant == math.prod(own[place] for place in moving):
            return steps
        for place, step in zip(moving, lattice.axes(), strict=True):
            steps[place] = step if math.isfinite(step) else steps[place]
        return steps

    def _add_all(self, lattice: Lattice, group: int, moving: list[int]) -> None:
        """The moves of half a million records; without one it is too coarse, on the safe side."""
        places = np.flatnonzero(self._groups[group])
        places = places[:: -(-len(places) // _MOST)]
        for start in range(0, len(places), _BLOCK):
            moves = self._moves(group, places[start : start + _BLOCK])[:, moving]
            with suppress(OverflowError):
                while len(left := lattice.outside(moves)):
                    lattice.add(left[:_ROWS])


def _varied(moves: IntArray) -> IntArray:
    """Moves in an order in which each column moves early."""
    early = [np.flatnonzero(column)[:4] for column in moves.T]
    return moves[np.concatenate([*early, np.arange(min(_ROWS, len(moves)))])]


def _probe(marks: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Places of some of the marked records, spread over all."""
    places = np.linspace(0, len(marks) - 1, min(_PROBE, len(marks))).astype(np.intp)
    marked = places[marks[places]]
    if len(marked) < _ROWS and len(places) < len(marks):
        marked = np.flatnonzero(marks)
        marked = marked[np.linspace(0, len(marked) - 1, min(_PROBE, len(marked))).astype(np.intp)]
    return marked


def _unit(values: FloatArray) -> float:
    """A unit of which all values are whole multiples apart, 0 if there is none."""
    probe = values[:: max(1, len(values) // _PROBE)]
    largest = float(np.abs(values).max(initial=0.0))
    if largest < _EXACT and (probe == np.rint(probe)).all() and (values == np.rint(values)).all():
        return 1.0
    for decimals in range(-math.floor(math.log10(largest)), 18):
        power = 10.0**decimals
        if largest * power >= 10.0**_DECIMALS:
            break
        if _near_whole(probe * power) and _near_whole(values * power):
            return 1 / power
    return _fraction(values, probe)


def _near_whole(scaled: FloatArray) -> bool:
    return bool((np.abs(scaled - np.rint(scaled)) <= 1e-14 * np.abs(scaled)).all())


def _fraction(values: FloatArray, probe: FloatArray) -> float:
    """A unit that is no decimal number, such as a third; 0 if there is none."""
    different = np.unique(probe)[:64]
    moves = different[1:] - different[0]
    noise = 1e-10 * float(np.abs(values).max())
    if not moves.size:
        return 0.0
    unit = float(moves[0])
    for move in moves[1:].tolist():
        larger, smaller = max(unit, move), min(unit, move)
        while smaller > 0:
            left = math.fmod(larger, smaller)
            larger, smaller = smaller, 0.0 if min(left, smaller - left) < noise else left
        unit = larger
    if unit <= 100 * noise:
        return 0.0
    multiples = np.rint(moves / unit)
    unit = float(multiples @ moves / (multiples @ multiples))
    counts = (values - different[0]) / unit
    return unit if np.abs(counts - np.rint(counts)).max() < 1e-6 else 0.0


def _stand_in(column: FloatArray, having: NDArray[np.bool_]) -> FloatArray:
    """What a column without a step is taken to move by, shape (3,)."""
    if len(column) >= _CONTINUOUS:
        probe = column[:: len(column) // _PROBE]
        if len(np.unique(probe)) > len(probe) / 2:
            return np.zeros(3)
    own = [column[marks].std() if marks.any() else 0.0 for marks in (~having, having)]
    return np.array([step or math.inf for step in (*own, max(own))])
