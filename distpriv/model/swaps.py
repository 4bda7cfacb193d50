r"""What two datasets with different shares differ by, if they are alike as far as they can be.

d records of the one dataset are swapped for others and the rest is common: x − y = D =
B Σ_l (a_l − b_l), a_l from the one group and b_l from the other. With k_i and k_j records that have
the property d = |k_j − k_i|; where the share is that of a table d is random
(:mod:`distpriv.model.swap_counts`), and what follows is given d and the numbers of common records.
The two may be coupled in any way in which either dataset by itself is drawn as it should be.

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
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from distpriv.model.cells import Matching, match
from distpriv.model.matched_draws import Pool, taken_instead
from distpriv.model.moments import RecordGroups
from distpriv.model.population import Population
from distpriv.model.sampling import draw_subsets, subset_sums
from distpriv.model.swap_counts import SwapCounts
from distpriv.model.tails import ApartSums, MatchedSums, Tails
from distpriv.model.theta import Theta

__all__ = ["Differences", "Matched", "swap_differences"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Matched = Literal["alike", "independent"]

_ALL, _PILOT = 210_000, 10_000  # draws, and those to choose a shape of noise by
_RECORDS = 20_000_000  # drawn
_KEPT = 8_000_000  # numbers of a population's laws
_CELLS = 96
_FEW = 60  # swapped records on average, up to which it pays to match them
_AT_ONCE = 4_000_000  # records
_VECTORS = 2_000_000  # of a difference that is enumerated
_NOTHING = 1e-17  # below the round-off of a Fourier transform
_ROUNDED = 1e-15  # numbers of swaps that are left out, each less likely than 1e-18


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
        d, or about its mean.
    matched : "alike" or "independent"
    seed : int
    tails : Tails
        What is known of D for certain.
    statistics, units
        Which of the tails' statistics, and what they are divided by.
    rounding : float
        What rounding may have taken off the probability of any event.
    varying : bool
        Whether d is random.
    """

    values: FloatArray = field(repr=False)
    probabilities: FloatArray | None = field(repr=False)
    pilot: FloatArray = field(repr=False)
    pilot_weights: FloatArray = field(repr=False)
    swapped: int
    matched: Matched
    seed: int
    tails: Tails = field(repr=False)
    statistics: tuple[int, ...]
    units: FloatArray
    rounding: float = 0.0
    varying: bool = False
    _boxes: dict[float, tuple[FloatArray, ...]] = field(default_factory=dict, repr=False)

    @property
    def draws(self) -> int:
        """How many draws stand for the law; 0 where it is known."""
        return 0 if self.probabilities is not None else len(self.values)

    @property
    def is_zero(self) -> bool:
        """Whether D is 0 for certain, as far as its law or all draws tell."""
        return not (self.values.any() or self.pilot.any() or self.second_moment.any())

    @cached_property
    def second_moment(self) -> FloatArray:
        """E D Dᵀ, or about, shape (m, m)."""
        chosen = np.ix_(self.statistics, self.statistics)
        return self.tails.second_moment[chosen] / np.outer(self.units, self.units)

    def box(self, outside: float) -> tuple[FloatArray, ...]:
        """Where D lies but with a probability of at most `outside`; see :meth:`Tails.box`."""
        if outside not in self._boxes:
            self._boxes[outside] = self.tails.box([*self.statistics], self.units, outside)
        return self._boxes[outside]

    def of(self, statistics: tuple[int, ...], units: FloatArray) -> Differences:
        """Of some of the statistics, each divided by a unit."""
        chosen = list(statistics)
        if statistics == self.statistics and (units == self.units).all():
            return self
        return replace(
            self,
            values=self.values[:, chosen] / units,
            pilot=self.pilot[:, chosen] / units,
            statistics=statistics,
            units=units,
            _boxes={},
        )


def swap_differences(
    population: Population, thetas: tuple[Theta, Theta], matched: Matched = "alike"
) -> Differences:
    """The law of D for a pair, from the population's records, made once for what it depends on.

    Parameters
    ----------
    population : Population
    thetas : tuple of two Theta
        How the records of either dataset are drawn.
    matched : "alike" or "independent"
        How swapped records are put side by side. Many swapped records make up for each other, so
        that beyond 60 "alike" is not tried.

    Returns
    -------
    Differences
        In the units of the population.
    """
    counts = SwapCounts.of(thetas)
    way: Matched = matched if counts.mean <= _FEW else "independent"
    # With replacement, or put side by side at random, common records make no difference.
    common = "" if counts.replacement or way == "independent" else counts.lower.table_having
    kind = counts.swapping
    key = f"differences {kind.n} {kind.proportion} {kind.replacement} {kind.table} {common} {way}"
    laws: dict[str, Differences] = population.computed("differences", dict)
    chosen = f"{key} {population.statistics} {population.units.tolist()}"
    if chosen not in laws:
        law = laws.get(key) or _Drawing(population, counts, way).differences()
        laws |= {key: law, chosen: law.of(population.statistics, population.units)}
        while len(laws) > 2 and sum(known.values.size for known in laws.values()) > _KEPT:
            del laws[next(iter(laws))]
    return laws[chosen]


@dataclass(frozen=True, eq=False)
class _Drawing:
    """One law of D, to be enumerated or drawn."""

    population: Population
    counts: SwapCounts
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
        size = len(self.indicators)
        scales = self.population.query.scales(self.counts.lower.n)
        tails = self._tails(scales)
        law_of = partial(
            Differences,
            swapped=round(self.counts.mean),
            matched=self.matched,
            seed=self.population.seed,
            tails=tails,
            statistics=tuple(range(size)),
            units=np.ones(size),
            varying=self.counts.varying,
        )
        law = self._enumerated() if self.counts.most else (np.zeros((1, size)), np.ones(1), 0.0)
        if law is not None:
            values, masses, rounding = law
            values = values * scales
            return law_of(values, masses, values, masses, rounding=rounding)
        # Trailing zeros make no other seed: a random d must not follow the pool's own stream.
        kind = (self.counts.most, 0xD) if self.counts.varying else (self.counts.most,)
        random = np.random.default_rng((self.population.seed, 0x51A9, *kind))
        drawn = self._alike(random) if self.matched == "alike" else self._independent(random)
        # Those by which the shape of the noise is chosen are not those that vouch for it.
        pilot, values = np.split(drawn * scales, [_PILOT * len(drawn) // _ALL])
        rounding = _ROUNDED if self.counts.varying else 0.0
        weights = np.full(len(pilot), 1 / len(pilot))
        return law_of(values, None, pilot, weights, rounding=rounding)

    def _tails(self, scales: FloatArray) -> Tails:
        values = (self.groups.without, self.groups.having)
        mean = values[0].mean(axis=0) - values[1].mean(axis=0)
        sums: list[ApartSums | MatchedSums] = []
        spread = np.sum([np.atleast_2d(np.cov(part.T, ddof=0)) for part in values], axis=0)
        if self.matched == "alike":
            matching = self.matching
            sums.append(MatchedSums(matching.groups, matching.pairs, self.counts))
            differences, masses = self._pairs()
            mean = masses @ differences  # 0 where they are, whatever is rounded
            centred = differences - mean
            within = (centred * masses[:, None]).T @ centred
            # A record that is taken instead of a matched one is any of its group.
            spread = self._replaced * spread + within
        if not (self.matched == "alike" and self.counts.replacement):
            sums.append(ApartSums(values, self.counts, self.matched == "alike"))
        covariance = self.counts.mean * spread + self.counts.variance * np.outer(mean, mean)
        return Tails(
            self.counts.mean * scales * mean, np.outer(scales, scales) * covariance, sums, scales
        )

    @property
    def _replaced(self) -> float:
        """About the chance that a record of a pair is replaced, as it is in the dataset already."""
        if self.counts.replacement:
            return 0.0
        chances = [
            (common + self.counts.most) / max(count, 1)
            for common, count in zip(self.counts.most_common, self.groups.counts, strict=True)
        ]
        return min(sum(chances), 1.0)

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
        size, most = len(self.indicators), self.counts.most
        vectors = (2 * most + 1) ** size
        if not self.indicators.all() or not self.counts.replacement or vectors > _VECTORS:
            return None
        swap = np.zeros((2 * most + 1,) * size)
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
        # More than `most` swaps, which are less likely than rounding, come around to the other end.
        transform = self.counts.transform(np.fft.rfftn(swap))
        law = np.fft.irfftn(transform, swap.shape, range(size))
        index = np.indices(law.shape).reshape(size, -1).T
        values = np.where(index > most, index - len(swap), index).astype(np.float64)
        kept = law.ravel() > _NOTHING
        rounding = 10 * _NOTHING * law.size
        if self.counts.varying:  # a power of n takes more of the digits
            rounding += 10 * _NOTHING * self.counts.lower.n * math.sqrt(law.size) + _ROUNDED
        return values[kept], law.ravel()[kept], rounding

    def _alike(self, random: np.random.Generator) -> FloatArray:
        """Sums of differences of matched records, shape (R, m)."""
        pool = self.population.computed(
            "pool", lambda: Pool(self.matching, self.population.seed, _ALL)
        )
        swapped, *common = self.counts.draw(_ALL, random)
        total = pool.sums(swapped)
        if self.counts.replacement:
            return total
        total = total.copy()
        some = _AT_ONCE // max(int(swapped.max()), 1)
        for part in (slice(start, start + some) for start in range(0, _ALL, some)):
            if not swapped[part].any():
                continue
            for side, sign in enumerate((1, -1)):
                values = self.matching.groups[side]
                drawn = pool.records(int(swapped[part].max()), side, part)
                rows, taken = taken_instead(
                    drawn, swapped[part], len(values), common[side][part], random
                )
                moved = values[taken].sum(axis=1) - values[drawn[rows]].sum(axis=1)
                total[part][rows] += sign * moved
        return total

    def _independent(self, random: np.random.Generator) -> FloatArray:
        """Sums of differences of records put side by side at random, shape (R, m)."""
        size = min(_ALL, max(int(_RECORDS / max(self.counts.mean, 1)), 2000))
        swapped = self.counts.draw(size, random)[0]
        total = np.zeros((size, len(self.indicators)))
        for number in np.unique(swapped[swapped > 0]).tolist():
            rows = np.flatnonzero(swapped == number)
            for part in np.array_split(rows, 1 + rows.size * number // _AT_ONCE):
                for sign, values in ((1, self.groups.without), (-1, self.groups.having)):
                    subsets = draw_subsets(
                        len(values),
                        number,
                        part.size,
                        random,
                        replacement=self.counts.replacement,
                    )
                    total[part] += sign * subset_sums(values, subsets)
        return total


def _cell_shares(values: FloatArray) -> tuple[list[tuple[int, ...]], FloatArray]:
    cells, counts = np.unique(values.astype(np.int64), axis=0, return_counts=True)
    return [tuple(cell) for cell in cells.tolist()], counts / counts.sum()
