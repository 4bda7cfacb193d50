"""The exact law of released counts, and what noise on them delivers, with no bell curve assumed.

Counts live on the whole numbers. Where a query has up to three counts or proportions, the
probability of every vector of counts is known for each proportion of the secret, and so is the
density of the release: one bell for each vector, weighted with its probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import signal

from distpriv.arguments import checked
from distpriv.errors import CalibrationError, ModelError
from distpriv.model.gaussian import thetas_of
from distpriv.model.moments import RecordGroups, record_groups
from distpriv.model.regularity import check_enough
from distpriv.privacy.bell_mixtures import REACH, BellMixture, positive_sums
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query

__all__ = ["ExactLaw", "exact_law", "known_law"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LARGEST = {1: 5000, 2: 600, 3: 120}  # records, by the number of statistics
_QUICK = 40  # records of three statistics
_DIRECT = 200_000_000  # products in a convolution that is summed term by term
_NOTHING = 1e-17  # below the round-off of a convolution by Fourier transform
_DROPPED = 1e-10  # probability of the vectors of counts that noise is not put on
_HIGHEST = 700.0  # ε from which on nothing changes and e^ε would overflow
_SAME = 1e-9  # steps between two values that count as one


class _Added(Protocol):
    """Noise, as far as it has to be known here."""

    @property
    def covariance(self) -> FloatArray: ...
    @property
    def is_zero(self) -> bool: ...
    @property
    def distribution(self) -> str: ...


@dataclass(frozen=True, eq=False)
class ExactLaw:
    """The probability of every vector of counts under a pair's two proportions.

    Attributes
    ----------
    query : Query of m counts or proportions, m ≤ 3
    pair : Pair
    n : int
        Records in the released dataset.
    replacement : bool
    probabilities : ndarray, shape (2, n + 1, ..., n + 1)
        Under p_i and p_j, of count k_1, ..., k_m of the n records.
    """

    query: Query
    pair: Pair
    n: int
    replacement: bool
    probabilities: FloatArray

    @property
    def steps(self) -> FloatArray:
        """What one record moves each statistic by, shape (m,): 1, or 1/n for a proportion."""
        return self.query.scales(self.n)

    def delivered_deltas(self, noise: _Added | None, epsilons: ArrayLike) -> FloatArray:
        r"""δ(ε) of releasing the statistics with noise, in both orders.

        :math:`\delta(\varepsilon) = \int (p(y) - e^\varepsilon q(y))_+\,dy`, a sum without noise
        or with noise that leaves every vector of counts apart. Noise of deficient rank leaves
        some linear combinations of the statistics as they are; the vectors of counts that agree
        on them are the only ones that it mixes.

        Parameters
        ----------
        noise : Noise, or anything with its `covariance`, `is_zero` and `distribution`; or None
            Gaussian, in the units of the statistics; None for no noise.
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
        bare = positive_sums(self.probabilities[0], self.probabilities[1], factors)
        if noise is None or noise.is_zero:
            return bare
        variances, directions = np.linalg.eigh(self._covariance(noise))
        deviations = np.sqrt(np.maximum(variances, 0))
        if deviations[-1] * 2 * REACH < 1:
            return bare
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
            rise = self._rise(noise) @ directions[:, ~apart]
            law += bells.followed_along(rise).deltas(factors)
        # Noise never tells more; what exceeds it is the integral's error.
        return np.minimum(law, bare)

    def delivered_delta(self, noise: _Added | None, epsilon: float) -> float:
        """The worse of the two orders of :meth:`delivered_deltas` at one ε."""
        return float(self.delivered_deltas(noise, [epsilon]).max())

    def optimal_attack_accuracy(self, noise: _Added | None = None) -> float:
        """Accuracy of the best possible attacker at equal priors, ½ + ½ TV, in [0.5, 1].

        Parameters and errors are those of :meth:`delivered_deltas`.
        """
        return 0.5 + 0.5 * min(self.delivered_delta(noise, 0.0), 1.0)

    def _factors(self, epsilons: ArrayLike) -> FloatArray:
        values = np.asarray(epsilons, dtype=np.float64)
        if values.ndim != 1 or not (np.isfinite(values).all() and (values >= 0).all()):
            raise CalibrationError(
                f"ε must be finite numbers, at least 0, got {np.array2string(values)}."
            )
        return np.exp(np.minimum(values, _HIGHEST))

    def _covariance(self, noise: _Added) -> FloatArray:
        """Of the noise, in steps."""
        if noise.distribution != "gaussian":
            raise CalibrationError(
                "The exact law is computed for Gaussian noise, this is "
                f"{noise.distribution.capitalize()} noise; take a Gaussian mechanism."
            )
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

    def _rise(self, noise: _Added) -> FloatArray:
        """Where the log-likelihood ratio rises fastest, about, shape (m,), in steps."""
        axes = range(1, self.probabilities.ndim)
        grids = np.indices(self.probabilities.shape[1:]).reshape(len(axes), -1)
        laws = self.probabilities.reshape(2, -1)
        means = laws @ grids.T
        spread = np.cov(grids, aweights=laws.mean(axis=0), ddof=0).reshape(len(axes), -1)
        total = spread + self._covariance(noise)
        return np.linalg.pinv(total) @ (means[0] - means[1])


@checked(ModelError)
def exact_law(
    table: pd.DataFrame, query: Query, pair: Pair, n: int, *, replacement: bool = False
) -> ExactLaw:
    """The exact law of up to three counts or proportions of n records.

    With replacement the records are drawn one after another, and the law of the counts is carried
    on. Without, the counts of the records that have a first value and of those that have not are
    independent given how many there are, a hypergeometric number, and so on for the next value.
    Everything is a sum of products of positive numbers, but for three counts without replacement
    beyond some 45 records (two beyond 235), which are convolved by Fourier transform: to 1e-17.

    Parameters
    ----------
    table : DataFrame
    query : Query
        One to three `Count` or `Proportion` statistics, of any columns.
    pair : Pair
    n : int
        Records in a dataset: at most 5000 for one statistic, 600 for two, 120 for three.
    replacement : bool
        Whether a dataset may hold a record twice.

    Raises
    ------
    ModelError
        If there are other or more statistics, n is too large, or a group has fewer records than a
        dataset needs.
    QueryError, PropertyError
        If a column does not fit.
    """
    _check(query, n)
    return _law(record_groups(table, query, pair.secret), query, pair, n, replacement)


def _law(groups: RecordGroups, query: Query, pair: Pair, n: int, replacement: bool) -> ExactLaw:
    thetas = thetas_of(pair, n, replacement)
    check_enough(groups.counts, *thetas)
    having, without = _cells(groups.having), _cells(groups.without)
    if replacement:
        shares = [cells / cells.sum() for cells in (having, without)]
        both = [min(theta.having for theta in thetas), min(theta.without for theta in thetas)]
        common = np.ones((1,) * len(query))
        for share, draws in zip(shares, both, strict=True):
            common = _drawn(common, share, draws)
        laws = [
            _drawn(
                _drawn(common, shares[0], theta.having - both[0]),
                shares[1],
                theta.without - both[1],
            )
            for theta in thetas
        ]
    else:
        laws = [
            _convolve(
                _hypergeometric(having, theta.having), _hypergeometric(without, theta.without)
            )
            for theta in thetas
        ]
    probabilities = np.array([law / law.sum() for law in laws])
    return ExactLaw(query, pair, n, replacement, probabilities)


@checked(ModelError)
def known_law(
    groups: RecordGroups, query: Query, pair: Pair, n: int, *, replacement: bool = False
) -> ExactLaw | None:
    """The exact law from records split already; None where its figures cannot be had at once.

    Other parameters are those of :func:`exact_law`.
    """
    if len(query) > 2 and n > _QUICK:
        return None
    try:
        _check(query, n)
        return _law(groups, query, pair, n, replacement)
    except ModelError:
        return None


def _check(query: Query, n: int) -> None:
    for statistic in query:
        if not statistic.indicates:
            raise ModelError(
                f"The exact law is known for counts and proportions, {statistic.label!r} is "
                "neither; leave it out."
            )
    if len(query) not in _LARGEST:
        raise ModelError(
            f"The exact law is computed for at most {max(_LARGEST)} counts or proportions, got "
            f"{len(query)}; leave some out."
        )
    if n > _LARGEST[len(query)]:
        raise ModelError(
            f"The exact law of {len(query)} statistics is computed for at most "
            f"{_LARGEST[len(query)]} records, got n = {n}; take fewer records or statistics."
        )


def _cells(values: FloatArray) -> IntArray:
    """How many records have each combination of the counted values, shape (2, ..., 2)."""
    shape = (2,) * values.shape[1]
    index = np.ravel_multi_index(tuple(values.T.astype(np.int64)), shape)
    return np.bincount(index, minlength=prod(shape)).reshape(shape)


def _drawn(law: FloatArray, shares: FloatArray, draws: int) -> FloatArray:
    """Law of the counts after some more independent draws, larger by one along each axis each."""
    for draw in range(draws):
        grown = np.zeros([size + 1 for size in law.shape])
        for cell in np.argwhere(shares > 0):
            part = tuple(slice(hit, hit + size) for hit, size in zip(cell, law.shape, strict=True))
            grown[part] += shares[tuple(cell)] * law
        law = grown
        if draw % 8 == 7:
            # Arithmetic on denormal numbers is slow.
            law[law < 1e-200] = 0.0
    return law


def _hypergeometric(cells: IntArray, draws: int) -> FloatArray:
    """Law of the counts of draws without replacement, shape (draws + 1, ..., draws + 1)."""
    law = np.zeros((draws + 1,) * cells.ndim)
    if cells.ndim == 0:
        return law + 1.0
    missed, hit = int(cells[0].sum()), int(cells[1].sum())
    hits = np.arange(max(0, draws - missed), min(draws, hit) + 1)
    ratios = (hit - hits[:-1]) * (draws - hits[:-1]) / (hits[1:] * (missed - draws + hits[1:]))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    masses = np.exp(logs - logs.max())
    for number, mass in zip(hits.tolist(), masses / masses.sum(), strict=True):
        first, rest = _hypergeometric(cells[1], number), _hypergeometric(cells[0], draws - number)
        law[number] = mass * _convolve(first, rest)
    return law


def _convolve(first: FloatArray, second: FloatArray) -> FloatArray:
    if first.ndim <= 1:
        return np.convolve(first, second) if first.ndim else first * second
    if first.size * second.size > _DIRECT:
        law = signal.fftconvolve(first, second)
        return np.where(law > _NOTHING, law, 0.0)
    if first.size > second.size:
        first, second = second, first
    law = np.zeros([one + other - 1 for one, other in zip(first.shape, second.shape, strict=True)])
    for index in np.argwhere(first > 0).tolist():
        part = [slice(at, at + size) for at, size in zip(index, second.shape, strict=True)]
        law[tuple(part)] += first[tuple(index)] * second
    return law


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
