r"""What two datasets with different shares differ by, if they are alike as far as they can be.

With k_i and k_j records that have the property, d = |k_j − k_i| records of the one dataset are
swapped for others and the rest is common: x − y = D = B Σ_l (a_l − b_l), a_l from the one group
and b_l from the other. The two may be coupled in any way in which either dataset by itself is drawn
as it should be.

* With replacement the pairs (a_l, b_l) are independent, each from one coupling of the two groups:
  of records that are alike (:mod:`distpriv.model.cells`), or independent.
* Without, the common records C_0 and C_1 of the two groups come first, then pairs (a_l, b_l) as
  above; an a_l that is in C_0 or has come before is replaced by any record of its group that is
  not, and so is a b_l. Given C_0, C_1 and what came before, a_l is then one of the records that are
  left, each as likely as the other, whatever C_1 and the b_l are: either dataset by itself is drawn
  as it should be. (Drawing the swapped records first, coupled, and the common ones after them would
  not do: those of one group would tell something about the swapped records of the other.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from distpriv.model.cells import Matching, match
from distpriv.model.gaussian import PairModel
from distpriv.model.moments import RecordGroups
from distpriv.model.population import Population
from distpriv.model.sampling import draw_subsets, subset_sums

__all__ = ["Differences", "Matched", "swap_differences"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Matched = Literal["alike", "independent"]

DRAWS, PILOT = 100_000, 10_000
_PAIRS = 20_000_000  # records drawn
_CELLS = 96
_FEW = 60  # swapped records, up to which it pays to match them
_VECTORS = 2_000_000  # of a difference that is enumerated
_NOTHING = 1e-17  # below the round-off of a Fourier transform
_TILTS = (0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0, 1.25)  # of what a normal law would take


@dataclass(frozen=True, eq=False)
class Differences:
    """The law of D, in the statistics' own units: enumerated, or drawn.

    Attributes
    ----------
    values : ndarray, shape (R, m)
    probabilities : ndarray, shape (R,), or None
        None for R independent draws.
    pilot : ndarray, shape (P, m)
        As many draws, or values, as suffice to choose a shape of noise by.
    pilot_weights : ndarray, shape (P,)
        They sum to 1.
    swapped : int
        d.
    matched : "alike" or "independent"
    seed : int
    cumulant : Cumulant
        What is known of D's tails for certain.
    rounding : float
        What rounding may have taken off the probability of any event.
    """

    values: FloatArray = field(repr=False)
    probabilities: FloatArray | None = field(repr=False)
    pilot: FloatArray = field(repr=False)
    pilot_weights: FloatArray = field(repr=False)
    swapped: int
    matched: Matched
    seed: int
    cumulant: Cumulant = field(repr=False)
    rounding: float = 0.0

    @property
    def draws(self) -> int:
        """How many draws stand for the law; 0 where it is known."""
        return 0 if self.probabilities is not None else len(self.values)

    @property
    def mean(self) -> FloatArray:
        """E D, shape (m,)."""
        return self.cumulant.mean

    @property
    def second_moment(self) -> FloatArray:
        """E D Dᵀ, or more, shape (m, m)."""
        return self.cumulant.covariance + np.outer(self.mean, self.mean)

    def of(self, statistics: tuple[int, ...], units: FloatArray) -> Differences:
        """Of some of the statistics, each divided by a unit."""
        chosen = list(statistics)
        return Differences(
            self.values[:, chosen] / units,
            self.probabilities,
            self.pilot[:, chosen] / units,
            self.pilot_weights,
            self.swapped,
            self.matched,
            self.seed,
            self.cumulant.of(chosen, units),
            self.rounding,
        )


@dataclass(frozen=True, eq=False)
class Cumulant:
    r"""Bounds on ln E exp(λᵀ(D − E D)), and the tails that follow.

    The sum of d swapped records' differences, each with known values:

    * d ln E exp λᵀ(v − E v) for independent pairs v = a − b;
    * for draws without replacement that are independent of each other the same, with the cumulants
      of a and −b added, since the exponential of a sum is convex (Hoeffding 1963, Theorem 4);
    * else, by the inequality of Cauchy and Schwarz, ½ of what a and −b have at 2λ.

    Attributes
    ----------
    parts : tuple of (values, probabilities)
        Of v; or of a and of −b.
    stretch : float
        1, or 2 where the parts may depend on each other.
    swapped : int
    """

    parts: tuple[tuple[FloatArray, FloatArray], ...]
    stretch: float
    swapped: int
    _boxes: dict[float, tuple[FloatArray, FloatArray]] = field(default_factory=dict, repr=False)

    @cached_property
    def mean(self) -> FloatArray:
        """E D, shape (m,)."""
        return self.swapped * sum(
            (mass @ values for values, mass in self.parts), np.zeros(self.parts[0][0].shape[1])
        )

    @cached_property
    def covariance(self) -> FloatArray:
        """Sum of the parts' covariances, shape (m, m)."""
        total = np.zeros((self.parts[0][0].shape[1],) * 2)
        for values, mass in self.parts:
            centred = values - mass @ values
            total += (centred * mass[:, None]).T @ centred
        return self.swapped * self.stretch * total

    def of(self, chosen: list[int], units: FloatArray) -> Cumulant:
        parts = tuple((values[:, chosen] / units, mass) for values, mass in self.parts)
        return Cumulant(parts, self.stretch, self.swapped)

    def box(self, outside: float) -> tuple[FloatArray, FloatArray]:
        """Where D lies but with a probability of at most `outside`.

        By Chernoff's bound in either direction of each axis of its covariance.

        Returns
        -------
        axes : ndarray, shape (m, m)
            Columns, orthogonal in units of each statistic's deviation.
        ends : ndarray, shape (2, m)
            Lowest and highest coordinate of D along them.
        """
        if outside not in self._boxes:
            self._boxes[outside] = self._box(outside)
        return self._boxes[outside]

    def _box(self, outside: float) -> tuple[FloatArray, FloatArray]:
        spread = np.sqrt(np.diag(self.covariance))
        units = np.where(spread > 0, spread, 1.0)
        _, turned = np.linalg.eigh(self.covariance / np.outer(units, units))
        along = turned / units[:, None]  # coordinates are D @ along
        level = math.log(2 * len(spread) / outside)
        ends = np.empty((2, len(spread)))
        for axis, direction in enumerate(along.T):
            centre = float(self.mean @ direction)
            for side, sign in enumerate((-1.0, 1.0)):
                ends[side, axis] = centre + sign * self._reach(sign * direction, level)
        return turned * units[:, None], ends

    def _reach(self, direction: FloatArray, level: float) -> float:
        """What the coordinate exceeds its mean by with a probability of at most e^−level."""
        parts = [(values @ direction, mass) for values, mass in self.parts]
        centred = [(values - mass @ values, mass) for values, mass in parts]
        size = math.sqrt(sum(float(mass @ values**2) for values, mass in centred))
        most = sum(float(values.max()) for values, _ in centred)
        if size == 0 or most <= 0:
            return 0.0
        best = self.swapped * most
        normal = math.sqrt(2 * level / (self.swapped * self.stretch)) / size
        for tilt in normal * np.array(_TILTS):
            total = level
            for values, mass in centred:
                exponents = self.stretch * tilt * values
                top = float(exponents.max())
                total += (
                    self.swapped / self.stretch * (top + math.log(mass @ np.exp(exponents - top)))
                )
            best = min(best, total / tilt)
        return best


def swap_differences(
    population: Population, fit: PairModel, matched: Matched = "alike"
) -> Differences:
    """The law of D for a pair, from the population's records, made once for what it depends on.

    Parameters
    ----------
    population : Population
    fit : PairModel
        Whose thetas say how records are drawn.
    matched : "alike" or "independent"
        How swapped records are put side by side. Many swapped records make up for each other, so
        that beyond 60 "alike" is not tried.

    Returns
    -------
    Differences
        In the units of the population.
    """
    first, second = fit.thetas
    counts = sorted([first.having, second.having])
    swapped, n = counts[1] - counts[0], first.n
    way: Matched = matched if swapped <= _FEW else "independent"
    drawing = _Drawing(population, n, swapped, counts[0], n - counts[1], first.replacement, way)
    sizes = () if first.replacement or way == "independent" else (counts[0],)
    key = f"differences {n} {swapped} {sizes} {first.replacement} {way}"
    known = population.computed(key, drawing.differences)
    return population.computed(
        f"{key} {population.statistics} {population.units.tolist()}",
        lambda: known.of(population.statistics, population.units),
    )


@dataclass(frozen=True, eq=False)
class _Drawing:
    """One law of D, to be enumerated or drawn.

    Attributes
    ----------
    swapped : int
        d.
    having, without : int
        Common records with the property, and without.
    """

    population: Population
    n: int
    swapped: int
    having: int
    without: int
    replacement: bool
    matched: Matched

    @property
    def groups(self) -> RecordGroups:
        return self.population.groups

    @cached_property
    def indicators(self) -> NDArray[np.bool_]:
        return np.array([statistic.indicates for statistic in self.population.query])

    @property
    def matching(self) -> Matching:
        return self.population.computed(
            "matching", lambda: match(self.groups, self.indicators, _CELLS)
        )

    def differences(self) -> Differences:
        known = self.population.query.scales(self.n)
        law = self._enumerated()
        seed = self.population.seed
        if law is not None:
            values, masses = law[0] * known, law[1]
            return Differences(
                values, masses, values, masses, self.swapped, self.matched, seed,
                self._cumulant(), law[2],
            )  # fmt: skip
        random = np.random.default_rng((seed, 0x51A9, self.swapped))
        draws = int(min(DRAWS, max(_PAIRS / max(self.swapped, 1), 1000)))
        draw = self._alike if self.matched == "alike" else self._independent
        pilot = draw(max(PILOT * draws // DRAWS, 1000), random) * known
        weights = np.full(len(pilot), 1 / len(pilot))
        values = draw(draws, random) * known
        return Differences(
            values, None, pilot, weights, self.swapped, self.matched, seed, self._cumulant()
        )

    def _cumulant(self) -> Cumulant:
        scales = self.population.query.scales(self.n)
        if self.matched == "alike" and self.replacement:
            values, masses = self._pairs()
            return Cumulant(((values * scales, masses),), 1.0, self.swapped)
        parts = tuple(
            (sign * values * scales, np.full(len(values), 1 / len(values)))
            for sign, values in ((1, self.groups.without), (-1, self.groups.having))
        )
        return Cumulant(parts, 1.0 if self.matched == "independent" else 2.0, self.swapped)

    def _pairs(self) -> tuple[FloatArray, FloatArray]:
        """Differences of matched records and their probabilities."""
        matching = self.matching

        def differences() -> tuple[FloatArray, FloatArray]:
            first, second, masses = matching.pairs
            return matching.groups[0][first] - matching.groups[1][second], masses

        return self.population.computed("pairs", differences)

    def _enumerated(self) -> tuple[FloatArray, FloatArray, float] | None:
        """The law of a few counts' differences, by Fourier transform, and its rounding.

        None where it is not of counts, or too large.
        """
        size = len(self.indicators)
        vectors = (2 * self.swapped + 1) ** size
        if not self.indicators.all() or not self.replacement or vectors > _VECTORS:
            return None
        swap = np.zeros((2 * self.swapped + 1,) * size)
        if self.matched == "alike":
            values, masses = self._pairs()
            np.add.at(swap, tuple(values.astype(np.int64).T), masses)
        else:
            shares = [
                {cell: float(mass) for cell, mass in zip(cells, masses, strict=True)}
                for cells, masses in map(_cell_shares, (self.groups.without, self.groups.having))
            ]
            for (a, p), (b, q) in product(shares[0].items(), shares[1].items()):
                swap[tuple(x - y for x, y in zip(a, b, strict=True))] += p * q
        law = np.fft.irfftn(np.fft.rfftn(swap) ** self.swapped, swap.shape, range(size))
        index = np.indices(law.shape).reshape(size, -1).T
        values = np.where(index > self.swapped, index - len(swap), index).astype(np.float64)
        kept = law.ravel() > _NOTHING
        return values[kept], law.ravel()[kept], 10 * _NOTHING * law.size

    def _alike(self, size: int, random: np.random.Generator) -> FloatArray:
        """Sums of differences of matched records, shape (size, m)."""
        values = self.matching.groups
        first, second, masses = self.matching.pairs
        total = np.zeros((size, values[0].shape[1]))
        taken = [
            None if self.replacement else _Taken(len(group), common, size, random)
            for group, common in zip(values, (self.without, self.having), strict=True)
        ]
        for _ in range(self.swapped):
            # As many independent draws, in random order.
            pairs = np.repeat(np.arange(len(masses)), random.multinomial(size, masses))
            random.shuffle(pairs)
            for sign, group, rows, known in zip(
                (1, -1), values, (first, second), taken, strict=True
            ):
                records = rows[pairs]
                total += sign * group[records if known is None else known.taking(records)]
        return total

    def _independent(self, size: int, random: np.random.Generator) -> FloatArray:
        sums = []
        for values in (self.groups.without, self.groups.having):
            some = max(1, 4_000_000 // max(self.swapped, 1))
            parts = [
                subset_sums(
                    values,
                    draw_subsets(
                        len(values),
                        self.swapped,
                        min(some, size - start),
                        random,
                        replacement=self.replacement,
                    ),
                )
                for start in range(0, size, some)
            ]
            sums.append(np.vstack(parts))
        return sums[0] - sums[1]


def _cell_shares(values: FloatArray) -> tuple[list[tuple[int, ...]], FloatArray]:
    cells, counts = np.unique(values.astype(np.int64), axis=0, return_counts=True)
    return [tuple(cell) for cell in cells.tolist()], counts / counts.sum()


class _Taken:
    """Which records of a group are in a dataset already, in many datasets at once.

    Of the common records only those are known that have been looked at, one by one: by symmetry a
    record that has not is common with the same probability as any other such.

    Parameters
    ----------
    count : int
        Records of the group.
    common : int
        How many of them every dataset holds already.
    size : int
        Datasets.
    random : Generator
    """

    def __init__(self, count: int, common: int, size: int, random: np.random.Generator) -> None:
        self.count, self.common, self.random = count, common, random
        self.looked_at = np.full((size, 8), -1, dtype=np.int64)
        self.looks = np.zeros(size, dtype=np.int64)
        self.met = np.zeros(size, dtype=np.int64)

    def taking(self, records: IntArray) -> IntArray:
        """Take a record into each dataset, another one where it is there already."""
        taken = records.copy()
        rows = np.flatnonzero(~self._free(np.arange(len(records)), records))
        while rows.size:
            taken[rows] = self.random.integers(self.count, size=rows.size)
            rows = rows[~self._free(rows, taken[rows])]
        return taken

    def _free(self, rows: IntArray, records: IntArray) -> NDArray[np.bool_]:
        new = ~(self.looked_at[rows] == records[:, None]).any(axis=1)
        common = self.random.random(len(rows)) * (self.count - self.looks[rows]) < (
            self.common - self.met[rows]
        )
        inside = rows[new]
        if inside.size and int(self.looks[inside].max()) >= self.looked_at.shape[1]:
            self.looked_at = np.hstack([self.looked_at, np.full_like(self.looked_at, -1)])
        self.looked_at[inside, self.looks[inside]] = records[new]
        self.looks[inside] += 1
        self.met[inside] += common[new]
        return new & ~common
