"""The grid on which statistics lie, and how well noise covers it.

Records of one group differ by whole vectors, in units of each column. Sums over n records, k of them
with the property, lie on one coset of the lattice that those differences span; one record more with
the property moves them by the gap between the groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distpriv.arrays import FloatArray, IntArray

__all__ = ["Grid", "GroupGrids", "Lattice", "denominator", "log_ratio", "smoothness", "theta_sum"]

_DIGITS = 12  # significant; a number with more lies on no grid
_DENOMINATOR = 1000
_POINTS = 200_000  # of the dual grid, at a time
_FEW = 200  # records, which often span the lattice of all
_SMALLEST = 1e-3  # of a squared step: less noise than this in some direction is none


@dataclass(frozen=True, eq=False)
class Grid:
    """Grid of sums over records while the number with the property stays.

    Attributes
    ----------
    steps : ndarray, shape (m,)
        Step of each column by itself, 0 for none.
    joint_steps : ndarray, shape (m,)
        Step of each column while all others stay, for as many columns as the lattice has dimensions;
        0 for the others, which follow from these. The lattice of these steps is part of the whole.
    basis : tuple of tuple of int
        Hermite normal form of the lattice in units of the columns: equal lattices have equal ones.
    """

    steps: FloatArray
    joint_steps: FloatArray
    basis: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class GroupGrids:
    """Grids of sums over records of two groups, and whether two shares' sums can meet.

    Attributes
    ----------
    both : Grid
        Where records of both groups vary.
    alone : (Grid, Grid)
        Where only records without, or with, the property vary: the other group gives none of its
        records, or all of them.
    order : int
        Least number of records by which k has to differ for sums to lie on the same coset; 0 for none.
    """

    both: Grid
    alone: tuple[Grid, Grid]
    order: int

    @classmethod
    def of(cls, without: FloatArray, having: FloatArray) -> GroupGrids:
        """Compute the grids of two groups' records, shape (N, m) each, looking at every record."""
        parts = np.array([denominator(column) for column in np.concatenate([without, having]).T])
        groups = [
            _integers(np.rint(part * np.where(parts > 0, parts, 0))) for part in (without, having)
        ]
        lattices = [Lattice(len(parts)) for _ in groups]
        for lattice, records in zip(lattices, groups, strict=True):
            if len(records):
                lattice.fill(records - records[0])
        both = Lattice(len(parts), lattices[0].rows)
        both.add(lattices[1].rows)
        order = both.order(groups[1][0] - groups[0][0]) if all(map(len, groups)) else 1
        units = np.where(parts > 0, parts, 1)
        return cls(both.grid(units), (lattices[0].grid(units), lattices[1].grid(units)), order)

    def at(self, numbers: FloatArray, counts: FloatArray) -> Grid:
        """Return the grid of sums over some records of each group, (2,), of groups of some size, (2,)."""
        fixed = (numbers == 0) | (numbers == counts)
        if fixed.all():  # nothing varies
            none = np.zeros_like(self.both.steps)
            return Grid(none, none, ())
        if not fixed.any():
            return self.both
        return self.alone[int(fixed[0])]

    def apart(self, numbers: FloatArray, counts: FloatArray) -> bool:
        """Tell whether sums at two shares may have no value in common.

        Parameters
        ----------
        numbers : ndarray, shape (2, 2)
            Records [share, group].
        counts : ndarray, shape (2,)
            Sizes of the groups; ∞ for draws with replacement.
        """
        low, high = (self.at(row, counts) for row in numbers)
        if low.basis != high.basis:
            return True
        away = abs(int(numbers[1, 1] - numbers[0, 1]))
        return away % self.order != 0 if self.order else away != 0


def denominator(values: FloatArray) -> int:
    """Return the whole number by which all values become whole, a power of ten if one does; 0 for none."""
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    probe = values[:: max(1, len(values) // 1000)]

    def is_whole(scaled: FloatArray) -> bool:
        slack = 1e-9 * (1 + np.abs(scaled)).clip(max=1e4)
        return bool((np.abs(scaled - np.rint(scaled)) <= slack).all())

    def fits(q: int) -> bool:
        return largest * q < 10.0**_DIGITS and is_whole(probe * q) and is_whole(values * q)

    tens = (10**power for power in range(_DIGITS + 6))
    for q in tens:
        if largest * q >= 10.0**_DIGITS:
            break
        if fits(q):
            return q
    parts = [Fraction(x).limit_denominator(_DENOMINATOR).denominator for x in probe[:64].tolist()]
    common = math.lcm(*parts)
    return common if fits(common) else 0


def _integers(scaled: FloatArray) -> NDArray[Any]:
    """As machine integers, or as Python's where products would not fit."""
    if np.abs(scaled).max(initial=0) < 2**24:
        return scaled.astype(np.int64)
    return np.vectorize(int, otypes=[object])(scaled)


class Lattice:
    """Whole combinations of whole vectors, as a row basis in Hermite normal form.

    Attributes
    ----------
    width : int
        Length of the vectors.
    rows : list of list of int
        The basis; each row begins further right than the one before.
    """

    def __init__(self, width: int, vectors: Iterable[Sequence[int]] = ()) -> None:
        self.width = width
        self.rows: list[list[int]] = []
        self.add(vectors)

    @property
    def leads(self) -> list[int]:
        """Place of the first entry of each row that is not 0."""
        return [next(place for place, entry in enumerate(row) if entry) for row in self.rows]

    def add(self, vectors: Iterable[Sequence[int]]) -> None:
        """Take in vectors, one after another, by Euclid's algorithm on their leading entries."""
        for vector in vectors:
            self._insert([int(entry) for entry in vector])
            self._reduce()

    def _insert(self, rest: list[int]) -> None:
        while any(rest):
            lead = next(place for place, entry in enumerate(rest) if entry)
            leads = self.leads
            if lead not in leads:
                at = sum(place < lead for place in leads)
                self.rows.insert(at, rest)
                return
            row = self.rows[leads.index(lead)]
            while rest[lead]:
                times = row[lead] // rest[lead]
                row[:], rest = rest, [a - times * b for a, b in zip(row, rest, strict=True)]

    def _reduce(self) -> None:
        for place, (row, lead) in enumerate(zip(self.rows, self.leads, strict=True)):
            if row[lead] < 0:
                row[:] = [-entry for entry in row]
            for above in self.rows[:place]:
                times = above[lead] // row[lead]
                above[:] = [a - times * b for a, b in zip(above, row, strict=True)]

    def fill(self, vectors: NDArray[Any]) -> None:
        """Take in as many of the vectors, shape (N, width), as it needs to contain all of them."""
        for part in (vectors[:_FEW], vectors):
            while self.rows != np.eye(self.width, dtype=int).tolist():  # that contains them all
                rest = part.copy()
                for row, lead in zip(self.rows, self.leads, strict=True):
                    rest -= (rest[:, lead] // row[lead])[:, None] * np.array(row, rest.dtype)
                missing = np.flatnonzero(rest.any(axis=1))
                if not len(missing):
                    break
                self.add(rest[missing[:8]])

    def order(self, vector: Sequence[int] | IntArray) -> int:
        """Return the least multiple of a vector that is in the lattice; 0 for none."""
        rest, multiple = [int(entry) for entry in vector], 1
        for row, lead in zip(self.rows, self.leads, strict=True):
            more = row[lead] // math.gcd(row[lead], rest[lead])
            times = more * rest[lead] // row[lead]
            rest = [more * a - times * b for a, b in zip(rest, row, strict=True)]
            multiple *= more
        return 0 if any(rest) else multiple

    def grid(self, units: FloatArray) -> Grid:
        """Return the grid that the lattice is in columns of units 1/units, shape (width,)."""
        steps, joint = np.zeros(self.width), np.zeros(self.width)
        if self.rows:
            steps[:] = [math.gcd(*(row[place] for row in self.rows)) for place in range(self.width)]
            leads = self.leads
            within = Lattice(len(leads), [[row[place] for place in leads] for row in self.rows])
            joint[leads] = [within.order(row) for row in np.eye(len(leads), dtype=int)]
        return Grid(steps / units, joint / units, tuple(map(tuple, self.rows)))


# ---------------------------------------------------------------- how well noise covers the grid


def smoothness(
    covariances: FloatArray, joint_steps: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    """Compute θ: densities of a release are within a factor 1 ± θ of those of its normal model.

    By Poisson summation over the dual of the grid (the smoothing parameter of Micciancio & Regev
    2007): θ = Σ exp(−2π² wᵀ(Σ⁻¹ + S⁻¹)⁻¹w) over the dual grid's points w but 0, the larger one of the
    two shares.

    Parameters
    ----------
    covariances : ndarray, shape (2, m, m)
        Of the statistics at each share.
    joint_steps : ndarray, shape (2, m)
        At each share, see `Grid`.
    steps : ndarray, shape (m,)
        Of each statistic by itself.
    noise : ndarray, shape (..., m, m)
        Covariances of normal noise.

    Returns
    -------
    ndarray, shape (...)
        ∞ where the noise leaves some combination of statistics on its grid, so that arithmetic
        undoes it; 0 where no statistic has a grid.
    """
    own = np.flatnonzero(steps > 0)
    if not len(own):
        return np.zeros(noise.shape[:-2])
    spread = np.sqrt(np.diagonal(covariances.mean(0)))
    unit = np.where(steps > 0, steps, np.where(spread > 0, spread, 1.0))
    across = np.outer(unit, unit)
    scaled = noise / across + 1e-10 * np.diag(steps == 0)  # what has no grid needs no noise
    values = np.linalg.eigvalsh(scaled[..., own[:, None], own])
    bare = values[..., 0] <= np.maximum(_SMALLEST, 1e-15 * values[..., -1])
    scaled = scaled + bare[..., None, None] * np.eye(len(unit))
    worst = np.zeros(noise.shape[:-2])
    for covariance, joint in zip(covariances / across, joint_steps / unit, strict=True):
        dual = np.flatnonzero(joint > 0)
        remaining = covariance - covariance @ np.linalg.solve(covariance + scaled, covariance)
        form = remaining[..., dual[:, None], dual] / np.outer(joint[dual], joint[dual])
        if len(dual):
            worst = np.maximum(worst, theta_sum(form))
    return np.where(bare, np.inf, worst)


def theta_sum(form: FloatArray, reach: int = 2) -> FloatArray:
    """Bound Σ exp(−2π² kᵀ form k) over whole vectors k but 0, for forms of shape (..., m, m).

    All |k| <= reach are summed and the others bounded by the least eigenvalue; for more than seven
    dimensions a product of one-dimensional sums bounds all of them.
    """
    m = form.shape[-1]
    rate = 2 * math.pi**2 * np.maximum(np.linalg.eigvalsh(form)[..., 0], 1e-300)

    def tail(start: int) -> FloatArray:
        total: FloatArray = np.exp(-rate[..., None] * np.arange(start, 60) ** 2).sum(-1)
        return total

    one = 1 + 2 * tail(1)
    if m > 7:
        return np.asarray(one**m - 1)
    points = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * m, indexing="ij"), -1)
    half = points.reshape(-1, m)[(2 * reach + 1) ** m // 2 + 1 :].astype(float)
    forms, inside = form.reshape(-1, m, m), np.empty(one.size)
    many = max(1, _POINTS // len(half))
    for start in range(0, len(forms), many):
        size = ((half @ forms[start : start + many]) * half).sum(-1)
        inside[start : start + many] = 2 * np.exp(-2 * math.pi**2 * size).sum(-1)
    return np.asarray(inside.reshape(one.shape) + 2 * m * tail(reach + 1) * one ** (m - 1))


def log_ratio(theta: FloatArray) -> FloatArray:
    """Return by how much θ moves a log-likelihood ratio at most, ln((1 + θ)/(1 − θ))."""
    theta = np.minimum(theta, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(theta) - np.log1p(-theta))
