"""The grid on which statistics lie, and how well noise covers it.

Records of one group differ by whole vectors, in units of each column's step. Sums over n records, k
of them with the property, lie on one coset of the lattice that those differences span; one record
more with the property moves them by the gap between the groups.
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

__all__ = ["COVERED", "Grid", "GroupGrids", "Lattice", "deviations", "inverse", "log_ratio"]
__all__ += ["smoothness", "solve_in_units", "spacing", "theta_sum"]

COVERED = 0.01
"""What the grid may move log-likelihood ratios by at most; noise that leaves more is none."""

_LARGEST = 10.0**12  # steps; a number with more significant digits lies on no grid
_DENOMINATOR = 1000
_MOST_STEPS = 1e6  # of a column whose step is neither decimal nor a fraction
_PROBE = 1000  # values that are looked at before all are
_FEW = 200  # records, which often span the lattice of all
_POINTS = 200_000  # of the dual grid, at a time
_SMALLEST = 1e-3  # of a squared step: less noise than this in some direction is none
_TRACE = 1e-13  # of each variance
_MANY = 100.0  # squared steps: more leave nothing of a factor exp(−2π² …)


@dataclass(frozen=True, eq=False)
class Grid:
    """Grid of sums over records while the number with the property stays.

    Joint steps are steps while all other columns stay, of as many columns as the lattice has
    dimensions; 0 for the others, which follow from these. The lattice of these steps is part of the
    whole.
    """

    steps: FloatArray  # (m,), of each column by itself, 0 for none
    joint_steps: FloatArray  # (m,)
    basis: tuple[tuple[int, ...], ...]  # Hermite normal form of the lattice in steps of the columns


@dataclass(frozen=True, eq=False)
class GroupGrids:
    """Grids of sums over records of two groups, and whether two shares' sums can meet.

    Where only one group's records vary, the other one gives none of its records, or all of them.
    """

    both: Grid  # where records of both groups vary
    alone: tuple[Grid, Grid]  # where only records without, or with, the property vary
    # Least number of records by which k has to differ for sums to lie on the same coset of the
    # lattice of both; 0 for none.
    order: int
    # Whether the sum of all of the other group's records and that of as many records without, or
    # with, the property lie on different cosets of the lattice alone.
    replaced: tuple[bool, bool] = (True, True)
    totals: bool = True  # whether the sums of all records of either group differ

    @classmethod
    def of(cls, without: FloatArray, having: FloatArray) -> GroupGrids:
        """Compute the grids of two groups' records, shape (N, m) each, looking at every record."""
        columns = np.concatenate([without.T, having.T], axis=1)
        units, origins = np.array([spacing(column) for column in columns]).T
        # In place: at 45 000 records, memory takes longer than arithmetic.
        columns -= origins[:, None]
        columns *= units[:, None]
        steps = np.rint(columns, out=columns).astype(np.int64)
        groups = [steps[:, : len(without)], steps[:, len(without) :]]
        firsts = [group[:, 0].tolist() for group in groups]
        totals = []
        for group in groups:  # in blocks that cannot overflow
            starts = np.arange(0, group.shape[1], 2**20)
            parts = np.add.reduceat(group, starts, axis=1)
            totals.append([sum(row) for row in parts.tolist()])
        lattices = [Lattice(len(units)), Lattice(len(units))]
        for lattice, group in zip(lattices, groups, strict=True):
            lattice.fill((group - group[:, :1]).T)
        both = Lattice(len(units), lattices[0].rows + lattices[1].rows)
        divisors = np.where(units > 0, units, 1.0)
        return cls(
            both.grid(divisors),
            (lattices[0].grid(divisors), lattices[1].grid(divisors)),
            both.order(_minus(firsts[1], firsts[0])),
            (
                lattices[0].order(_minus(totals[1], firsts[0], len(having))) != 1,
                lattices[1].order(_minus(totals[0], firsts[1], len(without))) != 1,
            ),
            totals[0] != totals[1],
        )

    def at(self, numbers: FloatArray, counts: FloatArray) -> Grid:
        """Return the grid of sums over numbers of records, (2,), of groups of counts, (2,)."""
        fixed = (numbers == 0) | (numbers == counts)
        if fixed.all():  # nothing varies
            none = np.zeros_like(self.both.steps)
            return Grid(none, none, ())
        if not fixed.any():
            return self.both
        return self.alone[int(fixed[0])]

    def apart(self, numbers: FloatArray, counts: FloatArray) -> bool:
        """Tell whether sums at two shares lie on different lattices, or on different cosets of one.

        If so, arithmetic tells the shares at least sometimes, whatever the normal laws say. Sums on
        one coset may still be too far apart to meet; that the normal laws say themselves. Numbers
        are records [share, group], (2, 2), counts the sizes of the groups, ∞ for draws with
        replacement.
        """
        low, high = (self.at(row, counts) for row in numbers)
        if low.basis != high.basis:
            return True
        # A group that varies at neither share gives no records at one and all at the other.
        never = ((numbers == 0) | (numbers == counts)).all(axis=0)
        if never.all():
            return self.totals
        if never.any():
            return self.replaced[int(never[0])]
        away = abs(int(numbers[1, 1] - numbers[0, 1]))
        return away % self.order != 0 if self.order else away != 0


def _minus(one: Sequence[int], other: Sequence[int], times: int = 1) -> list[int]:
    return [a - times * b for a, b in zip(one, other, strict=True)]


def spacing(values: FloatArray) -> tuple[float, float]:
    """Return steps per unit and origin of a grid that holds all values; 0 steps for none.

    Whole numbers and decimals are tried first, then fractions with small denominators, then any
    common step, as standardised columns of whole numbers have.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not 0 < largest < math.inf:
        return (1.0, 0.0) if largest == 0 else (0.0, 0.0)
    probe = values[:: max(1, len(values) // _PROBE)]
    for power in range(-math.ceil(math.log10(largest)) + 13):
        per_unit = 10.0**power
        if largest * per_unit >= _LARGEST:
            break
        if _fits(probe, per_unit) and _fits(values, per_unit):
            return per_unit, 0.0
    common = _denominator(values, largest)
    return (float(common), 0.0) if common else _common_step(values, probe)


def _fits(values: FloatArray, per_unit: float, origin: float = 0.0, slack: float = 0.0) -> bool:
    """Tell whether values are whole numbers of steps, but for rounding."""
    scaled = (values - origin) * per_unit if origin else values * per_unit
    away = np.abs(scaled - np.rint(scaled))
    size = np.abs(scaled, out=scaled)
    slack += 1e-15 * float(size.max(initial=0.0))
    return bool((away <= np.minimum(1e-9 * size, 1e-5) + slack).all())


def _denominator(values: FloatArray, largest: float) -> int:
    """Return the least common denominator of fractions; 0 if some values are none."""
    common = 1
    while largest * common < _LARGEST:
        scaled = values * common
        rest = values[np.abs(scaled - np.rint(scaled)) > 1e-9 * np.abs(scaled).clip(max=1e4)]
        if not len(rest):
            return common if _fits(values, common) else 0
        parts = [Fraction(x).limit_denominator(_DENOMINATOR) for x in rest[:16].tolist()]
        grown = math.lcm(common, *(part.denominator for part in parts))
        if grown == common:
            return 0
        common = grown
    return 0


def _common_step(values: FloatArray, probe: FloatArray) -> tuple[float, float]:
    """Return steps per unit and origin if all gaps have a common measure (Euclid's algorithm)."""
    least = float(values.min())
    reach = float(values.max()) - least
    step = reach
    for gap in (np.unique(probe) - least).tolist():
        rest = gap
        while rest > reach / _MOST_STEPS / 2:
            step, rest = rest, math.fmod(step, rest)
            rest = min(rest, step - rest)
        if step * _MOST_STEPS < reach:
            return 0.0, 0.0
    count = round(reach / step) if step else 0
    if not 0 < count <= _MOST_STEPS or not _fits(values, count / reach, least, 1e-5):
        return 0.0, 0.0
    return count / reach, least


class Lattice:
    """Whole combinations of whole vectors of a width, as rows in Hermite normal form.

    Each of its rows begins further right than the one before.
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
            rest = [int(entry) for entry in vector]
            while any(rest):
                lead = next(place for place, entry in enumerate(rest) if entry)
                leads = self.leads
                if lead not in leads:
                    self.rows.insert(sum(place < lead for place in leads), rest)
                    break
                row = self.rows[leads.index(lead)]
                while rest[lead]:
                    row[:], rest = rest, _minus(row, rest, row[lead] // rest[lead])
            for place, (row, lead) in enumerate(zip(self.rows, self.leads, strict=True)):
                if row[lead] < 0:
                    row[:] = [-entry for entry in row]
                for above in self.rows[:place]:
                    above[:] = _minus(above, row, above[lead] // row[lead])

    def fill(self, vectors: IntArray) -> None:
        """Take in as many of the vectors, shape (N, width), as it needs to contain all of them."""
        varying = set(np.flatnonzero(vectors.any(axis=0)).tolist())
        for part in (vectors[:: len(vectors) // _FEW + 1], vectors):
            # Until it has every whole vector that is 0 where nothing varies, or all of these.
            while not varying <= set(self.leads) or any(sum(map(abs, r)) > 1 for r in self.rows):
                missing = self._outside(part)
                if not len(missing):
                    break
                self.add(part[missing[:3]].tolist())

    def _outside(self, vectors: IntArray) -> IntArray:
        """Places of the vectors that it lacks."""
        rest: list[NDArray[Any]] = [column.copy() for column in vectors.T]
        reach = max((int(np.abs(column).max(initial=0)) for column in rest), default=0)
        for row, lead in zip(self.rows, self.leads, strict=True):
            times = rest[lead] // row[lead]
            reach += int(abs(times).max(initial=0)) * max(map(abs, row))
            if reach >= 2**62 and times.dtype != object:
                rest, times = [column.astype(object) for column in rest], times.astype(object)
            for place in range(lead, self.width):
                if row[place]:
                    rest[place] -= times * row[place]
        return np.flatnonzero(np.logical_or.reduce([column != 0 for column in rest]))

    def order(self, vector: Sequence[int] | IntArray) -> int:
        """Return the least multiple of a vector that is in the lattice; 0 for none."""
        rest, multiple = [int(entry) for entry in vector], 1
        for row, lead in zip(self.rows, self.leads, strict=True):
            more = row[lead] // math.gcd(row[lead], rest[lead])
            times = more * rest[lead] // row[lead]
            rest = _minus([more * entry for entry in rest], row, times)
            multiple *= more
        return 0 if any(rest) else multiple

    def grid(self, units: FloatArray) -> Grid:
        """Return the grid of columns that have so many steps per unit, shape (width,)."""
        steps, joint = np.zeros(self.width), np.zeros(self.width)
        if self.rows:
            steps[:] = [math.gcd(*column) for column in zip(*self.rows, strict=True)]
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
    2007): θ = Σ exp(−2π² wᵀ(Σ⁻¹ + S⁻¹)⁻¹w) over the dual grid's points w but 0, the larger one of
    the two shares. Covariances, (2, m, m), and steps, (2, m) and (m,), are of the statistics, see
    `Grid`; noise S is normal, of covariances (..., m, m). Its θ, (...), is ∞ where it leaves some
    combination of statistics on its grid, so that arithmetic undoes it; 0 where there is no grid.
    """
    gridded = np.flatnonzero(steps > 0)
    if not len(gridded):
        return np.zeros(noise.shape[:-2])
    free = steps == 0
    unit = np.where(free, deviations(covariances.mean(0)), steps)
    finite = np.asarray(np.isfinite(noise).all(axis=(-2, -1)))[..., None, None]  # NaN is no noise
    scaled = np.where(finite, noise, 0.0) / np.outer(unit, unit)
    scaled = scaled + 1e-10 * np.diag(free)  # what has no grid needs no noise
    bare = _is_bare(scaled[..., gridded[:, None], gridded])
    noise_precision = inverse(scaled + bare[..., None, None] * np.eye(len(unit)))
    worst = np.zeros(noise.shape[:-2])
    shares = zip(covariances / np.outer(unit, unit), joint_steps / unit, strict=True)
    for covariance, joint in shares:
        varies = np.diagonal(covariance) > 0  # a point has no dual
        state = np.flatnonzero(((joint > 0) & varies) | free)
        dual = np.flatnonzero(joint[state] > 0)
        if not len(dual):
            continue
        # Statistics follow from these few, and each tells of them as much as its noise lets it.
        precision = inverse(covariance[np.ix_(state, state)] + 1e-13 * np.diag(free[state]))
        loading = covariance[:, state] @ precision
        loading[state] = np.eye(len(state))
        both = precision + loading.T @ noise_precision @ loading
        sizes = joint[state][dual]
        form = inverse(both)[..., dual[:, None], dual] / np.outer(sizes, sizes)
        # A column that alone varies by so many steps adds nothing, and would drown the others.
        alone = 1 / (np.diagonal(both, axis1=-2, axis2=-1)[..., dual] * sizes**2)
        near = alone < _MANY
        form = np.where(near[..., :, None] & near[..., None, :], form, _MANY * np.eye(len(dual)))
        worst = np.maximum(worst, theta_sum(form))
    return np.where(bare, np.inf, worst)


def _is_bare(noise: FloatArray) -> FloatArray:
    """Tell whether noise in steps, shape (..., m, m), leaves some direction next to none."""
    unit, m = deviations(noise), noise.shape[-1]
    values, vectors = np.linalg.eigh(noise / (unit[..., :, None] * unit[..., None, :]))
    lost = values[..., 0] <= 4 * m * np.finfo(float).eps
    inverse = 1 / np.where(lost[..., None], 1.0, values)
    # Variance of each column's noise once that of all others is known.
    alone = unit**2 / ((vectors**2) @ inverse[..., None])[..., 0]
    return lost | (alone.min(axis=-1) <= _SMALLEST)


def deviations(covariances: FloatArray) -> FloatArray:
    """Return standard deviations, shape (..., m), of covariances; 1 where nothing varies."""
    variances = np.diagonal(covariances, axis1=-2, axis2=-1)
    return np.sqrt(np.where(variances > 0, variances, 1.0))


def solve_in_units(total: FloatArray, d: FloatArray) -> FloatArray:
    """Return (Σ + S)⁻¹ d for covariances (..., m, m) and differences (..., m).

    In units of the deviations, and what does not vary varies a trace.
    """
    unit = deviations(total)
    scaled = total / (unit[..., :, None] * unit[..., None, :]) + _TRACE * np.eye(unit.shape[-1])
    return np.asarray(np.linalg.solve(scaled, (d / unit)[..., None])[..., 0] / unit)


def inverse(matrices: FloatArray) -> FloatArray:
    """Invert positive definite matrices whose rows may differ in size by many powers of ten."""
    unit = np.sqrt(np.diagonal(matrices, axis1=-2, axis2=-1))
    across = unit[..., :, None] * unit[..., None, :]
    values, vectors = np.linalg.eigh(matrices / across)  # keeps large entries of the inverse apart
    values = np.maximum(values, np.finfo(float).eps * values[..., -1:])
    return np.asarray((vectors / values[..., None, :]) @ vectors.swapaxes(-1, -2) / across)


def theta_sum(form: FloatArray) -> FloatArray:
    """Bound Σ exp(−2π² kᵀ form k) over whole vectors k but 0, for forms of shape (..., m, m).

    All |k| <= 2 are summed and the others bounded by the least eigenvalue; for more than seven
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
    points = np.stack(np.meshgrid(*[np.arange(-2, 3)] * m, indexing="ij"), -1)
    half = points.reshape(-1, m)[5**m // 2 + 1 :].astype(float)
    forms, inside = form.reshape(-1, m, m), np.empty(one.size)
    many = max(1, _POINTS // len(half))
    for start in range(0, len(forms), many):
        size = ((half @ forms[start : start + many]) * half).sum(-1)
        inside[start : start + many] = 2 * np.exp(-2 * math.pi**2 * size).sum(-1)
    return np.asarray(inside.reshape(one.shape) + 2 * m * tail(3) * one ** (m - 1))


def log_ratio(theta: FloatArray) -> FloatArray:
    """Return by how much θ moves a log-likelihood ratio at most, ln((1 + θ)/(1 − θ))."""
    theta = np.minimum(theta, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(theta) - np.log1p(-theta))
