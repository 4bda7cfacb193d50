"""The exact law of released statistics, and what noise delivers by it, without any bell curve.

Where a query has up to three counts or proportions, or is a single sum or mean of a column whose
values lie on a grid, the probability of every possible outcome is known for each proportion of the
secret, and so is the density of the release: one bell for each outcome, weighted with its
probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import checked
from distpriv.errors import CalibrationError, ModelError
from distpriv.model.gaussian import table_size, thetas_of
from distpriv.model.grid import probed_grid
from distpriv.model.moments import RecordGroups
from distpriv.model.regularity import check_enough
from distpriv.model.source import Source, source_of
from distpriv.model.theta import ShareOf, Theta
from distpriv.privacy.bell_mixtures import REACH, BellMixture, positive_sums
from distpriv.privacy.count_laws import count_laws
from distpriv.privacy.laplace_lattice import Directed, deltas_of_one
from distpriv.privacy.lattice_mixtures import LatticeLaws, lattice_deltas
from distpriv.privacy.sum_laws import GridValues, sum_laws
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query

__all__ = ["ExactLaw", "check_statistics", "exact_law", "law_of_groups", "outcome_laws"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LARGEST = {1: 5000, 2: 600, 3: 150}  # records, by the number of statistics
_LARGEST_RANDOM = {1: 5000, 2: 200, 3: 40}  # where k is random and nothing drawn twice
_DROPPED = 1e-10  # probability of the vectors of counts that noise is not put on
_HIGHEST = 700.0  # ε from which on nothing changes and e^ε would overflow
_TINY = 1e-300
_NEVER = 1e-18  # of a vector of counts: all of them together do not matter
_EPSILON = 1e-6
_AROUND = np.array([-0.1, -0.03, -0.01, -1e-3, 1e-3, 0.01, 0.03, 0.1])
_ROUNDS = 9
_SAME = 1e-9  # steps between two values that count as one


class _Added(Directed, Protocol):
    """Noise, as far as it has to be known here."""

    @property
    def covariance(self) -> FloatArray: ...
    @property
    def is_zero(self) -> bool: ...
    @property
    def distribution(self) -> str: ...


@dataclass(frozen=True, eq=False)
class ExactLaw:
    """The probability of every outcome of the statistics under a pair's two proportions.

    Attributes
    ----------
    query : Query
        Of m ≤ 3 counts or proportions, or of one sum or mean.
    pair : Pair
    n : int
        Records in the released dataset.
    replacement : bool
    probabilities : ndarray, shape (2, points_1, ..., points_m)
        Under p_i and p_j; of count k_1, ..., k_m of the n records, or of a sum's points on its
        grid.
    units : ndarray, shape (m,), or None
        What each statistic, and the noise on it, is counted in; None for their own.
    share_of : "release" or "table"
        Whose share p is.
    step : float > 0
        What neighbouring points differ by, as a sum over the records; 1 for counts.
    origin : float
        The sum over the records at the first point; 0 for counts.
    """

    query: Query
    pair: Pair
    n: int
    replacement: bool
    probabilities: FloatArray
    units: FloatArray | None = None
    share_of: ShareOf = "release"
    step: float = 1.0
    origin: float = 0.0
    _known: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def steps(self) -> FloatArray:
        """What neighbouring outcomes differ by, shape (m,): 1 for a count, 1/n for a proportion."""
        return self.step * self._scales

    @property
    def means(self) -> FloatArray:
        """Of the statistics under p_i and p_j, shape (2, m)."""
        return self._lattice.moments[0] * self.steps + self.origin * self._scales

    @property
    def _scales(self) -> FloatArray:
        scales = self.query.scales(self.n)
        return scales if self.units is None else scales / self.units

    def in_units(self, units: FloatArray) -> ExactLaw:
        """The same for noise on statistics that are divided by a unit each, shape (m,)."""
        return replace(self, units=units if self.units is None else self.units * units)

    def delivered_deltas(self, noise: _Added | None, epsilons: ArrayLike) -> FloatArray:
        r"""δ(ε) of releasing the statistics with noise, in both orders.

        :math:`\delta(\varepsilon) = \int (p(y) - e^\varepsilon q(y))_+\,dy`, a sum without noise
        or with noise that leaves every vector of counts apart. Noise of deficient rank leaves
        some linear combinations of the statistics as they are; the vectors of counts that agree
        on them are the only ones that it mixes.

        Parameters
        ----------
        noise : Noise, or anything that tells as much of it; or None
            Gaussian, or Laplace on a single statistic, in the units of the statistics; None for no
            noise.
        epsilons : array-like, shape (k,), each ≥ 0

        Returns
        -------
        ndarray, shape (2, k)
            Of p_i against p_j and of p_j against p_i; to 1e-3 of the value or 1e-9.

        Raises
        ------
        CalibrationError
            If an ε is negative or no number, or the noise is Laplace or of other statistics.
        ModelError
            If the noise is too small, beside the steps, to be integrated over in three
            dimensions.
        """
        factors = self._factors(epsilons)
        if noise is None or noise.is_zero:
            return self._bare(factors)
        if noise.distribution == "laplace" and noise.scales.any():  # else its floor alone
            self._covariance(noise)
            law = deltas_of_one(self.probabilities, noise, self.steps, factors)
        else:
            covariance = self._covariance(noise)
            lattice = lattice_deltas(self._lattice, covariance, factors)
            law = self._of_bells(covariance, factors) if lattice is None else lattice
        # Noise never tells more; what exceeds it is the integral's error.
        return np.minimum(law, self._bare(factors))

    def delivered_delta(self, noise: _Added | None, epsilon: float) -> float:
        """The worse of the two orders of :meth:`delivered_deltas` at one ε."""
        return float(self.delivered_deltas(noise, [epsilon]).max())

    def delivered_epsilon(self, noise: _Added | None, delta: float) -> float:
        """Least ε ≥ 0 at which both orders of :meth:`delivered_deltas` are at most δ; it may be ∞.

        By the root of δ(ε), which falls as ε grows; to about 1e-6, from above.

        Parameters
        ----------
        noise : see :meth:`delivered_deltas`
        delta : float in (0, 1)
        """
        if self.delivered_delta(noise, 0.0) <= delta:
            return 0.0
        low, high = 0.0, 1.0
        while self.delivered_delta(noise, high) > delta:
            low, high = high, 2 * high
            if low >= _HIGHEST:
                return math.inf
        # Many ε at once cost little more than one.
        points = np.linspace(low, high, len(_AROUND) + 1)
        for _ in range(_ROUNDS):
            logs = np.log(np.maximum(self.delivered_deltas(noise, points).max(axis=0), _TINY))
            place = int(np.argmax(logs <= math.log(delta)))
            if place == 0:  # by a rounding; the first point is one of too little ε
                break
            (low, high), ends = points[place - 1 : place + 1], logs[place - 1 : place + 1]
            if high - low < _EPSILON:
                break
            root = low + (high - low) * (ends[0] - math.log(delta)) / (ends[0] - ends[1])
            points = np.unique([low, *np.clip(root + (high - low) * _AROUND, low, high), high])
        return float(high)

    def optimal_attack_accuracy(self, noise: _Added | None = None) -> float:
        """Accuracy of the best possible attacker at equal priors, ½ + ½ TV, in [0.5, 1].

        Parameters and errors are those of :meth:`delivered_deltas`.
        """
        return 0.5 + 0.5 * min(self.delivered_delta(noise, 0.0), 1.0)

    @property
    def _lattice(self) -> LatticeLaws:
        if "lattice" not in self._known:
            self._known["lattice"] = LatticeLaws(self.probabilities)
        lattice: LatticeLaws = self._known["lattice"]
        return lattice

    def _bare(self, factors: FloatArray) -> FloatArray:
        """Without noise; what was asked for last is asked for again by whoever tries noises."""
        if "bare" not in self._known or not np.array_equal(self._known["bare"][0], factors):
            p, q = (law[self.probabilities.max(axis=0) > _NEVER] for law in self.probabilities)
            self._known["bare"] = factors, positive_sums(p, q, factors)
        return np.array(self._known["bare"][1])

    def _of_bells(self, covariance: FloatArray, factors: FloatArray) -> FloatArray:
        """Those of Gaussian noise, covariance in steps, that may leave the counts apart."""
        variances, directions = np.linalg.eigh(covariance)
        deviations = np.sqrt(np.maximum(variances, 0))
        if deviations[-1] * 2 * REACH < 1:
            return self._bare(factors)
        points, masses = self._likely()
        coordinates = points @ directions
        apart = np.array(
            [
                _apart(values, float(deviation))
                for values, deviation in zip(coordinates.T, deviations, strict=True)
            ]
        )
        # Less noise than that is what rounding leaves of none.
        apart |= deviations <= max(_SAME, 1e-6 * float(deviations[-1]))
        kept = _agreeing(coordinates[:, apart])
        mixed = np.bincount(kept)[kept] > 1
        law = positive_sums(masses[0, ~mixed], masses[1, ~mixed], factors)
        if mixed.any():
            bells = BellMixture(
                kept[mixed], coordinates[mixed][:, ~apart], deviations[~apart], masses[:, mixed]
            )
            rise = self._rise(covariance) @ directions[:, ~apart]
            law += bells.followed_along(rise).deltas(factors)
        return law

    def _factors(self, epsilons: ArrayLike) -> FloatArray:
        values = np.asarray(epsilons, dtype=np.float64)
        if values.ndim != 1 or not (np.isfinite(values).all() and (values >= 0).all()):
            raise CalibrationError(
                f"ε must be finite numbers, at least 0, got {np.array2string(values)}."
            )
        return np.exp(np.minimum(values, _HIGHEST))

    def _covariance(self, noise: _Added) -> FloatArray:
        """Of the noise, in steps."""
        m = len(self.query)
        if noise.covariance.shape != (m, m):
            raise CalibrationError(
                f"The noise is of {len(noise.covariance)} statistics, the law of {m}; calibrate "
                "the noise for the statistics of this query."
            )
        return noise.covariance / np.outer(self.steps, self.steps)

    def _likely(self) -> tuple[IntArray, FloatArray]:
        """Vectors of counts, shape (K, m), that have all but 1e-10 of either probability."""
        laws = self.probabilities.reshape(2, -1)
        larger = laws.max(axis=0)
        order = np.argsort(larger)
        index = np.sort(order[np.searchsorted(np.cumsum(larger[order]), _DROPPED) :])
        points = np.array(np.unravel_index(index, self.probabilities.shape[1:])).T
        return points.astype(np.int64), laws[:, index]

    def _rise(self, covariance: FloatArray) -> FloatArray:
        """Where the log-likelihood ratio rises fastest, about, shape (m,), in steps."""
        means, spreads = self._lattice.moments
        total = spreads.mean(axis=0) + covariance
        return np.asarray(np.linalg.pinv(total) @ (means[0] - means[1]))


@checked(ModelError)
def exact_law(
    table: pd.DataFrame | Source,
    query: Query,
    pair: Pair,
    n: int,
    *,
    replacement: bool = False,
    share_of: ShareOf = "release",
) -> ExactLaw:
    """Return the exact law of a few counts or proportions, or of one sum or mean, of n records.

    With replacement the records are drawn one after another, and the law of the counts is carried
    on. Without, the counts of the records that have a first value and of those that have not are
    independent given how many there are, a hypergeometric number, and so on for the next value.
    Everything is a sum of products of positive numbers, but for three counts without replacement
    beyond some 45 records (two beyond 235), which are convolved by Fourier transform: to 1e-17.
    A sum or mean of a column on a grid follows from the characteristic function of its values
    (:mod:`distpriv.privacy.sum_laws`): to 1e-14 of its largest probability.

    Parameters
    ----------
    table : DataFrame or Source
    query : Query
        One to three `Count` or `Proportion` statistics, of any columns, or one `Sum` or `Mean`.
    pair : Pair
    n : int
        Records in a dataset: at most 5000 for one count, 600 for two, 150 for three; 200 and 40
        for two and three of a random sample without replacement.
    replacement : bool
        Whether a dataset may hold a record twice.
    share_of : "release" or "table"
        See :func:`distpriv.fit_gaussian`.

    Raises
    ------
    ModelError
        If there are other or more statistics, a column is on no grid, n is too large, or a group
        has fewer records than a dataset needs.
    QueryError, PropertyError
        If a column does not fit.
    """
    check_statistics(query, n)
    groups = source_of(table).sample(query, pair.secret)
    thetas = thetas_of(pair, n, replacement, table_size(share_of, groups.totals))
    return law_of_groups(groups, query, pair, thetas)


def law_of_groups(
    groups: RecordGroups, query: Query, pair: Pair, thetas: tuple[Theta, Theta]
) -> ExactLaw:
    """Return :func:`exact_law` from records that are split already."""
    first = thetas[0]
    probabilities, step, origin = outcome_laws(groups, query, thetas)
    return ExactLaw(
        query,
        pair,
        first.n,
        first.replacement,
        probabilities,
        share_of=first.share_of,
        step=step,
        origin=origin,
    )


def outcome_laws(
    groups: RecordGroups, query: Query, thetas: Sequence[Theta]
) -> tuple[FloatArray, float, float]:
    """Return `probabilities`, `step` and `origin` of :class:`ExactLaw` for T distributions.

    Parameters
    ----------
    groups : RecordGroups
    query : Query
    thetas : sequence of T Theta
        Of the same n, drawn in the same way.

    Returns
    -------
    tuple of ndarray, shape (T, points_1, ..., points_m), float and float
    """
    first = thetas[0]
    check_enough(groups.totals, *thetas)
    if not query.statistics[0].indicates:
        values, step, least = _on_grid(groups, query)
        law = sum_laws(values, thetas)
        return law.probabilities, step, first.n * least + law.first * step
    fixed = all(theta.fixed for theta in thetas)
    largest = _LARGEST if fixed or first.replacement else _LARGEST_RANDOM
    check_statistics(query, first.n, largest)
    return count_laws(groups, thetas, first.replacement), 1.0, 0.0


def _on_grid(
    groups: RecordGroups, query: Query
) -> tuple[tuple[GridValues, GridValues], float, float]:
    """Return both groups' values in steps of their grid, the step, and the least value."""
    (label,) = query.labels
    if groups.totals != groups.counts:
        raise ModelError(
            f"The exact law of {label!r} needs all records of the table, of which there is a "
            "sample here."
        )
    columns = [values[:, 0] for values in (groups.without, groups.having)]
    together = np.concatenate(columns)
    grid = probed_grid(together[:, None], np.zeros(len(together), dtype=bool))
    step, least = float(grid.steps[0, 0]), float(together.min())
    # Values without a common unit have the step of a stand-in.
    if not (grid.units[0] and step < math.inf):
        raise ModelError(
            f"The exact law of {label!r} is not known: its column is on no grid, or does not vary."
        )
    values = []
    for column in columns:
        places, counts = np.unique(np.rint((column - least) / step), return_counts=True)
        values.append(GridValues(places.astype(np.int64), counts))
    return (values[0], values[1]), step, least


def check_statistics(query: Query, n: int, largest: Mapping[int, int] = _LARGEST) -> None:
    """Raise `ModelError` unless the exact law of such statistics of n records may be computed."""
    other = [statistic for statistic in query if not statistic.indicates]
    if other:
        if len(query) > 1 or not other[0].linear:
            raise ModelError(
                "The exact law is known for counts and proportions, or one sum or mean alone; "
                f"{other[0].label!r} is none of these, leave it out."
            )
        return
    if len(query) not in largest:
        raise ModelError(
            f"The exact law is computed for at most {max(largest)} counts or proportions, got "
            f"{len(query)}; leave some out."
        )
    if n > largest[len(query)]:
        raise ModelError(
            f"The exact law of {len(query)} statistics is computed for at most "
            f"{largest[len(query)]} records, got n = {n}; take fewer records or statistics."
        )


def _apart(values: FloatArray, deviation: float) -> bool:
    """Whether noise of that size leaves any two values, of shape (K,), the same or apart."""
    gaps = np.diff(np.sort(values))
    return bool(((gaps <= _SAME) | (gaps > 2 * REACH * deviation)).all())


def _agreeing(values: FloatArray) -> IntArray:
    """Number the rows, of shape (K, c), so that the same ones have the same number."""
    if not values.shape[1]:
        return np.zeros(len(values), dtype=np.int64)
    numbers = np.empty(values.shape, dtype=np.int64)
    for column, counts in zip(values.T, numbers.T, strict=True):
        order = np.argsort(column)
        counts[order] = np.concatenate([[0], np.cumsum(np.diff(column[order]) > _SAME)])
    return np.unique(numbers, axis=0, return_inverse=True)[1]
