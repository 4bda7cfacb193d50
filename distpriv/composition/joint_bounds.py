"""The coupling bound of all releases together: at most this, whatever the laws of the statistics.

The bound of :mod:`distpriv.privacy.coupled` is one of whatever is released with Gaussian noise, so
of stacked releases too: x − y is that of all datasets, each coupled with its counterpart by itself,
and r² is the sum of the datasets' own. A statistic that is known given the share differs by what
the shares differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.optimize import brentq

from distpriv.composition.stacked import Stacked
from distpriv.errors import InapplicableError
from distpriv.model.population import Population
from distpriv.model.swaps import Differences, swap_differences
from distpriv.model.tails import Tails
from distpriv.model.theta import Theta
from distpriv.privacy.coupled import Radii, most_delivered, radii_of
from distpriv.privacy.coupling_bound import CHARGED, CouplingBound

__all__ = ["JointBound", "joint_bound"]

FloatArray = NDArray[np.float64]
Reseed = Callable[[Population, int], Population]

_FAILING = 1e-6
_HIGHEST = 700.0
_DRAWS, _PILOT = 200_000, 10_000


@dataclass(frozen=True, eq=False)
class _Boxes(Tails):
    """Where stacked differences lie, dataset by dataset."""

    laws: tuple[Differences, ...] = ()
    told: tuple[float, ...] = ()

    def box(self, chosen: list[int], units: FloatArray, outside: float) -> tuple[FloatArray, ...]:
        """As that of single differences, which hold but with a probability of `outside` in all."""
        axes, ends = [], []
        for law, sign in zip(self.laws, self.told, strict=True):
            part, reach = _box(law, outside / len(self.laws))
            axes.append(part)
            ends.append(reach)
            if sign:
                axes.append(np.eye(1))
                ends.append(np.full((2, 1), sign))
        return np.asarray(block_diag(*axes)), np.hstack(ends)


def _box(law: Differences, outside: float) -> tuple[FloatArray, ...]:
    if law.draws:
        return law.box(outside)
    return np.eye(law.values.shape[1]), np.array([law.values.min(axis=0), law.values.max(axis=0)])


@dataclass(frozen=True, eq=False)
class JointBound:
    """The coupling bound of all datasets together, for one pair.

    Attributes
    ----------
    law : Differences
        Of all that is released, statistic by statistic, dataset by dataset.
    covariance : ndarray, shape (s, s)
        Of the noise, block by block.
    """

    law: Differences
    covariance: FloatArray

    def radii(self, failing: float) -> tuple[Radii, Radii]:
        """Of all draws, and of those by which the bound is tuned; see :func:`radii_of`."""
        return (
            radii_of(self.law, self.covariance, failing),
            radii_of(self.law, self.covariance, failing, pilot=True),
        )


def joint_bound(datasets: Sequence[Stacked], reseed: Reseed) -> JointBound:
    """What stacked releases differ by under the two shares, and their noise.

    Parameters
    ----------
    datasets : sequence of Stacked
        Of one pair; at least one.
    reseed : callable
        Gives a population with another seed: draws for different datasets have to be independent.

    Raises
    ------
    InapplicableError
        If the records are not known, or a statistic is not a sum over them.
    """
    laws, told = _laws(datasets, reseed), []
    for part in datasets:
        rising = part.fit.thetas[0].having <= part.fit.thetas[1].having
        told.append((-1.0 if rising else 1.0) if part.told else 0.0)
    covariance = block_diag(*(part.released_noise.covariance for part in datasets))
    if len(laws) == 1 and not told[0]:
        return JointBound(laws[0], covariance)
    return JointBound(_stack(laws, told), covariance)


def _laws(datasets: Sequence[Stacked], reseed: Reseed) -> list[Differences]:
    """One a dataset, the same object for datasets that are drawn alike."""
    known: dict[object, Differences] = {}
    laws = []
    for part in datasets:
        population = part.fit.population
        if population is None:
            raise InapplicableError(
                "The coupling bound needs the records, and only their moments are known; give "
                "the table."
            )
        other = [statistic.label for statistic in population.query if not statistic.linear]
        if other:
            raise InapplicableError(
                f"The coupling bound is for sums over records, which {', '.join(other)} is not."
            )
        if not all(theta.fixed for theta in part.fit.thetas):
            raise InapplicableError(
                "The coupling bound of several releases is for the share of the released records, "
                "of which a fixed number has the property."
            )
        key = (population.query, part.fit.thetas)
        if not population.statistics:
            laws.append(_still(population, part.fit.thetas))
            continue
        if key not in known:
            seeded = reseed(population, len(known)) if known else population
            known[key] = swap_differences(seeded, part.fit.thetas)
        laws.append(known[key])
    return laws


def _still(population: Population, thetas: tuple[Theta, Theta]) -> Differences:
    """Of no statistic that varies given the share."""
    none: FloatArray = np.zeros((1, 0))
    return Differences(
        values=none,
        probabilities=np.ones(1),
        pilot=none,
        pilot_weights=np.ones(1),
        swapped=abs(thetas[0].having - thetas[1].having),
        matched="alike",
        seed=population.seed,
        tails=Tails(none[0], np.zeros((0, 0)), (), none[0]),
        statistics=(),
        units=none[0],
    )


def _stack(laws: Sequence[Differences], told: Sequence[float]) -> Differences:
    """Of all datasets, whose draws are put side by side, none of them twice."""
    masses = laws[0].probabilities if len(laws) == 1 else None
    if masses is not None:
        values = pilot = _side_by_side([laws[0].values], told)
        weights = masses
    else:
        values = _side_by_side(_shared_out(laws, _DRAWS, pilot=False), told)
        pilot = _side_by_side(_shared_out(laws, _PILOT, pilot=True), told)
        weights = np.full(len(pilot), 1 / len(pilot))
    size = values.shape[1]
    none: FloatArray = np.zeros(size)
    tails = _Boxes(none, np.diag(none), (), none, tuple(laws), tuple(told))
    return Differences(
        values,
        masses,
        pilot,
        weights,
        swapped=sum(law.swapped for law in laws),
        matched="alike" if all(law.matched == "alike" for law in laws) else "independent",
        seed=laws[0].seed,
        tails=tails,
        statistics=tuple(range(size)),
        units=np.ones(size),
        rounding=sum(law.rounding for law in laws),
    )


def _shared_out(laws: Sequence[Differences], most: int, *, pilot: bool) -> list[FloatArray]:
    """Draws for every dataset; those of one law are dealt out to the datasets that have it."""
    decks: dict[int, list[FloatArray]] = {}
    for place, law in enumerate(laws):
        if id(law) not in decks:
            sharing = sum(other is law for other in laws)
            values = law.pilot if pilot else law.values
            if law.probabilities is not None:
                rng = np.random.default_rng((law.seed, 0xB0D5, place, pilot))
                masses = law.probabilities / law.probabilities.sum()
                values = law.values[rng.choice(len(masses), most * sharing, p=masses)]
            decks[id(law)] = np.array_split(values, sharing)
    dealt = [decks[id(law)].pop() for law in laws]
    size = min(most, *(len(part) for part in dealt))
    return [part[:size] for part in dealt]


def _side_by_side(parts: Sequence[FloatArray], told: Sequence[float]) -> FloatArray:
    columns = []
    for part, sign in zip(parts, told, strict=True):
        columns.append(part)
        if sign:
            columns.append(np.full((len(part), 1), sign))
    return np.hstack(columns)


def bounded_delta(bounds: Sequence[JointBound], epsilon: float) -> CouplingBound:
    """The bound at one ε >= 0, for the worst pair; see :func:`distpriv.privacy.bounded_delta`."""
    each = _FAILING / len(bounds)
    worst: CouplingBound | None = None
    for index, part in enumerate(bounds):
        law = part.law
        bound = most_delivered(*part.radii(each), min(epsilon, _HIGHEST), each)
        value = min(bound.delta + (law.rounding if law.draws else 0.0), 1.0)
        if worst is None or value > worst.value:
            worst = CouplingBound(
                value=value,
                epsilon=epsilon,
                confidence=1 - _FAILING if law.draws else 1.0,
                charged=2 * each if law.draws else 0.0,
                estimate=bound.estimate,
                draws=law.draws,
                seed=law.seed,
                matched=law.matched,
                swapped=law.swapped,
                pair=index,
            )
    assert worst is not None
    return worst


def bounded_epsilon(bounds: Sequence[JointBound], delta: float) -> float:
    """Least ε >= 0 at which the bound is δ, for every pair; ∞ if it never is."""
    failing = CHARGED * delta / len(bounds)
    delta -= max((part.law.rounding for part in bounds if part.law.draws), default=0.0)
    measured = [part.radii(failing) for part in bounds]

    def excess(epsilon: float) -> float:
        return max(most_delivered(*radii, epsilon, failing).delta for radii in measured) - delta

    if excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2
        if high > _HIGHEST:
            return math.inf
    return float(brentq(excess, 0.0, high, xtol=1e-9, rtol=1e-9)) * (1 + 1e-8)
