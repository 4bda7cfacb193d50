"""Datasets drawn under a distribution, their statistics, and the model fitted to those."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import Within, checked
from distpriv.distances.outcomes import Outcomes
from distpriv.errors import ModelError
from distpriv.model.cosets import cosets_of, grid_of
from distpriv.model.gaussian import (
    GaussianModel,
    PairModel,
    check_any,
    table_size,
    thetas_of,
)
from distpriv.model.jackknife import Jackknife, estimated_moments
from distpriv.model.moments import RecordGroups
from distpriv.model.regularity import check_drawable, check_regular
from distpriv.model.run import Progress, completed, repeated
from distpriv.model.sampling import draw_subsets, subset_sums
from distpriv.model.theta import ShareOf, Theta
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.words import exact

__all__ = [
    "OUTCOMES",
    "SimulatedFit",
    "default_subsets",
    "simulate",
    "simulated_outcomes",
    "simulated_statistics",
]

FloatArray = NDArray[np.float64]

OUTCOMES = 1000
"""Datasets that are simulated for each share as outcomes of the statistics."""

_AS_IN_THE_PAPER = 1000
_FOR_A_PROMISE = 20_000
_AT_ONCE = 1 << 22  # numbers held at once
_LARGEST = 1 << 30  # of a group that is thought of


def default_subsets(query: Query) -> int:
    """Return how many datasets a fit simulates for each share.

    1000 as in the paper where the closed form is at hand. A promise rests on those of other
    statistics, and is charged for their error (:func:`distpriv.mechanisms.simulation_charge`):
    20 000 leave a third more δ to be hidden, and some 4 % of the noise, where 1000 leave five times
    the δ and 30 % of the noise.
    """
    return _AS_IN_THE_PAPER if query.is_linear else _FOR_A_PROMISE


@checked(ModelError)
def simulate(
    groups: RecordGroups,
    query: Query,
    theta: Theta,
    subsets: Annotated[int, Within(0, 10**7)],
    rng: np.random.Generator,
) -> FloatArray:
    """Draw datasets under θ and return their statistics, shape (subsets, m).

    Many datasets at once, as many as fit into some 30 MB.

    Raises
    ------
    ModelError
        If a group has fewer records than a subset needs.
    """
    check_drawable(groups, theta)
    values, masses = theta.count_law()
    if len(values) == 1:
        return _with_count(groups, query, theta, int(values[0]), subsets, rng)
    numbers = rng.multinomial(subsets, masses)
    parts = [
        _with_count(groups, query, theta, having, number, rng)
        for having, number in zip(values.tolist(), numbers.tolist(), strict=True)
        if number
    ]
    return rng.permutation(np.vstack([np.zeros((0, len(query))), *parts]))


def _with_count(
    groups: RecordGroups,
    query: Query,
    theta: Theta,
    having: int,
    subsets: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw datasets of which so many records have the property."""
    draw = _sums if query.is_linear else _records
    block = block_size(query, theta.n)
    sizes = [min(block, subsets - start) for start in range(0, subsets, block)] or [0]
    drawn = [draw(groups, query, theta, having, size, rng) for size in sizes]
    return drawn[0] if len(drawn) == 1 else np.vstack(drawn)


def block_size(query: Query, n: int) -> int:
    """How many datasets of n records are drawn at once."""
    return max(1, _AT_ONCE // (n * (1 if query.is_linear else sum(query.widths))))


def _sums(
    groups: RecordGroups,
    query: Query,
    theta: Theta,
    having: int,
    subsets: int,
    rng: np.random.Generator,
) -> FloatArray:
    sums = np.zeros((subsets, len(query)))
    for values, total, size in _parts(groups, theta, having):
        sums += subset_sums(values, _members(values, total, size, subsets, rng, theta.replacement))
    return sums * query.scales(theta.n)


def _records(
    groups: RecordGroups,
    query: Query,
    theta: Theta,
    having: int,
    subsets: int,
    rng: np.random.Generator,
) -> FloatArray:
    drawn = []
    for values, total, size in _parts(groups, theta, having):
        drawn.append(values[_members(values, total, size, subsets, rng, theta.replacement)])
    return query.evaluate(np.concatenate(drawn, axis=1))


def _parts(
    groups: RecordGroups, theta: Theta, having: int
) -> tuple[tuple[FloatArray, int, int], ...]:
    """Return values, records of the table and of a dataset, with the property and without."""
    totals = groups.totals
    return (groups.having, totals[1], having), (groups.without, totals[0], theta.n - having)


def _members(
    values: FloatArray,
    total: int,
    size: int,
    subsets: int,
    rng: np.random.Generator,
    replacement: bool,
) -> NDArray[np.int32]:
    """Which of the values each dataset holds, shape (subsets, size).

    Where the values are a sample of a group, datasets are drawn from a group as large as the
    table's in which each of them occurs as often as any other: their spread is then that of
    datasets of the table (Gross 1980; Davison & Hinkley 1997, Section 3.7).
    """
    count = len(values)
    if total <= count:
        return draw_subsets(count, size, subsets, rng, replacement=replacement)
    copies = min(-(-total // count), _LARGEST // count)
    return draw_subsets(copies * count, size, subsets, rng, replacement=replacement) % count


def simulated_statistics(
    groups: RecordGroups, query: Query, thetas: Sequence[Theta], subsets: int, seed: int
) -> FloatArray:
    """Statistics of datasets drawn under each θ, shape (len(thetas), subsets, m)."""
    streams = np.random.SeedSequence(seed).spawn(len(thetas))
    return np.array(
        [
            simulate(groups, query, theta, subsets, np.random.default_rng(stream))
            for theta, stream in zip(thetas, streams, strict=True)
        ]
    )


def simulated_outcomes(
    groups: RecordGroups, query: Query, thetas: tuple[Theta, Theta], subsets: int, seed: int
) -> Outcomes:
    """Outcomes of a pair's two θ, from streams of their own."""
    first, second = (
        simulate(groups, query, theta, subsets, np.random.default_rng((seed, subsets, place)))
        for place, theta in enumerate(thetas)
    )
    return Outcomes((first, second))


@checked(ModelError)
@dataclass
class SimulatedFit:
    """A Gaussian model fitted to simulated statistics, a few datasets at a time.

    Statistics that are sums over the records stay exact beside others that are not, and serve as
    their control variates (:func:`.jackknife.estimated_moments`).

    Every pair and proportion has random streams of its own, so that the model does not depend on
    how the work is cut up.

    Attributes
    ----------
    groups : mapping of SensitiveProperty to RecordGroups
    query : Query of m statistics
    pairs : sequence of Pair
    n : int
    replacement : bool
    share_of : "release" or "table"
        See :func:`distpriv.fit_gaussian`.
    subsets : int, optional
        Datasets under each proportion, more than there are statistics; :func:`default_subsets`.
    seed : int
    bounds : mapping of column to (lowest, highest)
    regular : bool
        Whether statistics that determine each other, or do not vary, are refused.

    Raises
    ------
    ModelError
        If the datasets are too few, or a group has fewer records than a subset needs.
    """

    groups: Mapping[SensitiveProperty, RecordGroups]
    query: Query
    pairs: Sequence[Pair]
    n: int
    replacement: bool = False
    share_of: ShareOf = "release"
    subsets: int | None = None
    seed: int = 0
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    regular: bool = True

    def __post_init__(self) -> None:
        check_any(self.pairs)
        self._subsets = default_subsets(self.query) if self.subsets is None else self.subsets
        if self._subsets <= len(self.query):
            raise ModelError(
                f"A simulation of {len(self.query)} statistics needs at least "
                f"{len(self.query) + 1} subsets, got {self._subsets}."
            )
        for pair in self.pairs:
            thetas = self._thetas(pair)
            check_drawable(self.groups[pair.secret], *thetas)
        self._block = min(self._subsets, block_size(self.query, self.n))
        self._blocks = -(-self._subsets // self._block)

    def _thetas(self, pair: Pair) -> tuple[Theta, Theta]:
        table = table_size(self.share_of, self.groups[pair.secret].totals)
        return thetas_of(pair, self.n, self.replacement, table)

    def steps(self) -> Iterator[Progress[GaussianModel]]:
        """Simulate block by block, for a :class:`.Run`; the model comes with the last of them."""
        doing = (
            f"Simulating {exact(self._subsets)} datasets of {exact(self.n)} records for each share"
        )
        wanted = 2 * len(self.pairs) * self._blocks
        return repeated(self._simulated, wanted, self._model, doing)

    def run(self, progress: Callable[[float], None] | None = None) -> GaussianModel:
        """Simulate everything; `progress` is told the share done after each block.

        Raises
        ------
        ModelError
            If the covariance is singular.
        """

        def told() -> Iterator[Progress[GaussianModel]]:
            for step in self.steps():
                if progress is not None:
                    progress(step.done / step.wanted)
                yield step

        return completed(told())

    def _simulated(self, index: int) -> FloatArray:
        """Statistics of a block of datasets, shape (datasets, m)."""
        theta_index, block = divmod(index, self._blocks)
        pair = self.pairs[theta_index // 2]
        theta = self._thetas(pair)[theta_index % 2]
        stream = np.random.SeedSequence(self.seed, spawn_key=(index, 1))
        size = min(self._block, self._subsets - block * self._block)
        groups, rng = self.groups[pair.secret], np.random.default_rng(stream)
        return simulate(groups, self.query, theta, size, rng)

    def _model(self, blocks: list[FloatArray]) -> GaussianModel | None:
        """The fitted model, None before the last block."""
        if len(blocks) < 2 * len(self.pairs) * self._blocks:
            return None
        drawn = np.vstack(blocks).reshape(len(self.pairs), 2, self._subsets, len(self.query))
        used = [self.groups[pair.secret] for pair in self.pairs]
        lows, highs = zip(*(part.extremes() for part in used), strict=True)
        extremes = np.min(lows, axis=0), np.max(highs, axis=0)
        return GaussianModel(
            query=self.query,
            n=self.n,
            pairs=tuple(map(self._fit, self.pairs, drawn)),
            method="monte-carlo",
            replacement=self.replacement,
            share_of=self.share_of,
            record_sensitivities=self.query.record_sensitivities(self.n, *extremes, self.bounds),
            record_ranges=self.query.record_ranges(*extremes),
            public_bounds=frozenset(self.bounds),
            dropped=max(part.dropped for part in used),
        )

    def _fit(self, pair: Pair, drawn: FloatArray) -> PairModel:
        """Of statistics simulated under the pair's two proportions, shape (2, subsets, m)."""
        groups, thetas = self.groups[pair.secret], self._thetas(pair)
        shown = OUTCOMES if self.subsets is None else self.subsets
        linear = _exact_beside(self.query)
        estimates = [
            estimated_moments(values, linear, *_linear_moments(groups, self.query, theta, linear))
            for theta, values in zip(thetas, drawn, strict=True)
        ]
        means = np.stack([mean for mean, _ in estimates], axis=1)
        covariances = np.stack([covariance for _, covariance in estimates], axis=1)
        if self.regular:
            largest = np.abs(means[0]).max(axis=0)
            check_regular(covariances[0].mean(axis=0), largest, self.query)
        return PairModel(
            pair,
            thetas,
            means[0],
            covariances[0],
            Jackknife(means[1:], covariances[1:]),
            Outcomes((drawn[0, :shown], drawn[1, :shown])),
            grid_of(thetas, self.query, groups.steps, groups.counts),
            cosets=cosets_of(self.query, groups.cosets, self.n),
        )


def _exact_beside(query: Query) -> list[int]:
    """Which statistics have a closed form beside others that have none."""
    if query.is_linear:  # what is simulated then is to be compared with the closed form
        return []
    return [index for index, statistic in enumerate(query) if statistic.linear]


def _linear_moments(
    groups: RecordGroups, query: Query, theta: Theta, linear: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    """Return mean and covariance of some linear statistics, shape (q,) and (q, q)."""
    columns = np.cumsum([0, *query.widths])[list(linear)]
    means, covariances = groups.moments()
    mean, total = theta.sum_moments(
        groups.totals, means[:, columns], covariances[:, columns[:, None], columns]
    )
    scales = np.array([query.statistics[index].scale(theta.n) for index in linear])
    return scales * mean, total * np.outer(scales, scales)
