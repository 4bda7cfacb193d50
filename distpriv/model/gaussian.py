"""The Gaussian model of the released statistics, one normal distribution per proportion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import checked
from distpriv.distances.outcomes import Outcomes, count_outcomes
from distpriv.errors import ModelError
from distpriv.model.cosets import Cosets, cosets_of, grid_of, within_coset
from distpriv.model.jackknife import Jackknife
from distpriv.model.moments import GroupMoments, moments_of
from distpriv.model.population import Population
from distpriv.model.regularity import check_any, check_enough, check_regular
from distpriv.model.theta import ShareOf, Theta
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = [
    "GaussianModel",
    "Method",
    "PairModel",
    "check_any",
    "model_from_moments",
    "table_size",
    "thetas_of",
]

FloatArray = NDArray[np.float64]
Method = Literal["exact", "monte-carlo"]


def _kept(values: FloatArray) -> FloatArray:
    """Values that are remembered, so that nobody may change them."""
    values.setflags(write=False)
    return values


@dataclass(frozen=True, eq=False)
class PairModel:
    """The two fitted normal distributions of one pair.

    Attributes
    ----------
    pair : Pair
    thetas : tuple of two Theta
    means : ndarray, shape (2, m)
    covariances : ndarray, shape (2, m, m)
    jackknife : Jackknife, or None
        The moments from all simulated datasets but a group of them, which tell how sure a simulated
        fit is; None for an exact one.
    outcomes : Outcomes, or None
        The distributions that the normals are fitted to: simulated, or exact for a single count.
        Wasserstein mechanisms take their distances from them where they are known.
    steps : ndarray, shape (m,), or None
        In what steps each statistic moves while the others stay: 0 for one that is on no grid,
        NaN where it is not known. None: the distributions are densities.
    cosets : Cosets, or None
        Where the statistics lie in their grid; None where it is not known.
    population : Population, or None
        The records that the datasets are drawn from; None where only moments are known.
    """

    pair: Pair
    thetas: tuple[Theta, Theta]
    means: FloatArray
    covariances: FloatArray
    jackknife: Jackknife | None = field(default=None, repr=False)
    outcomes: Outcomes | None = None
    steps: FloatArray | None = None
    population: Population | None = field(default=None, repr=False)
    cosets: Cosets | None = field(default=None, repr=False)

    @property
    def grid(self) -> FloatArray:
        """The steps, shape (m,); 0 for densities."""
        return np.zeros(self.means.shape[1]) if self.steps is None else self.steps

    @property
    def offsets(self) -> FloatArray:
        """Return how far each statistic's two grids are from each other; see :class:`.Cosets`."""
        if self.steps is None or self.cosets is None:
            return np.zeros(self.means.shape[1])
        return np.where(self.steps != 0, self.cosets.offsets(self.thetas), 0.0)

    @cached_property
    def apart(self) -> bool:
        """Whether the coset of the joint grid may tell how many records have the property."""
        if self.steps is None or self.cosets is None:
            return False
        return self.cosets.of_columns(np.flatnonzero(self.steps).tolist()).apart(self.thetas)

    @property
    def coset_covariances(self) -> FloatArray:
        """Return the covariances on one coset of the grid, shape (2, m, m); see `within_coset`."""
        own = self.covariances
        return within_coset(self.thetas, self.difference, own) if self.apart else own

    def with_floor(self, floor: FloatArray) -> PairModel:
        """With independent normal noise of these deviations, shape (m,): densities then."""
        blurred = self.covariances + np.diag(floor**2)
        jackknife = None if self.jackknife is None else self.jackknife.plus(np.diag(floor**2))
        return replace(self, covariances=blurred, jackknife=jackknife, outcomes=None, steps=None)

    @property
    def mean_errors(self) -> FloatArray | None:
        """Standard errors of the means, shape (2, m); None for an exact fit."""
        return None if self.jackknife is None else self.jackknife.errors(self.jackknife.means)

    @property
    def covariance_errors(self) -> FloatArray | None:
        """Standard errors of the covariances, shape (2, m, m); None for an exact fit."""
        return None if self.jackknife is None else self.jackknife.errors(self.jackknife.covariances)

    @cached_property
    def pooled(self) -> FloatArray:
        """Mean of the two covariances, shape (m, m); what the mechanisms work with."""
        return _kept(self.covariances.mean(axis=0))

    @property
    def difference(self) -> FloatArray:
        """μ_i − μ_j, shape (m,)."""
        return self.means[0] - self.means[1]

    @property
    def mahalanobis(self) -> float:
        """Distance of the two means in units of the pooled covariance."""
        return self.distance(np.zeros_like(self.pooled))

    def distance(self, added: FloatArray) -> float:
        """Mahalanobis distance of the two means with noise of covariance `added`, shape (m, m)."""
        total = self.pooled + added
        units = np.sqrt(total.diagonal())  # statistics of any size are alike in these
        apart = self.difference / units
        squared = apart @ np.linalg.solve(total / np.outer(units, units), apart)
        return math.sqrt(max(float(squared), 0.0))

    def in_units(self, units: FloatArray) -> PairModel:
        """The same with each statistic divided by a unit, shape (m,), each > 0."""
        across = np.outer(units, units)
        return replace(
            self,
            means=self.means / units,
            covariances=self.covariances / across,
            jackknife=None if self.jackknife is None else self.jackknife.in_units(units),
            outcomes=None if self.outcomes is None else self.outcomes.in_units(units),
            steps=None if self.steps is None else self.steps / units,
            cosets=self.cosets and self.cosets.scaled(1 / units),
            population=None if self.population is None else self.population.in_units(units),
        )

    def of_statistics(self, indices: Sequence[int]) -> PairModel:
        """The same for some of the statistics, in that order."""
        block = np.ix_(range(2), indices, indices)
        jackknife = self.jackknife
        return replace(
            self,
            means=self.means[:, indices],
            covariances=self.covariances[block],
            jackknife=None if jackknife is None else jackknife.of_statistics(indices),
            outcomes=None if self.outcomes is None else self.outcomes.of_statistics(indices),
            steps=None if self.steps is None else self.steps[list(indices)],
            cosets=None if self.steps is None else self.cosets and self.cosets.of_columns(indices),
            population=None if self.population is None else self.population.of_statistics(indices),
        )


@dataclass(frozen=True, eq=False)
class GaussianModel:
    """Fitted distributions of a query for every pair of Ψ.

    Attributes
    ----------
    query : Query
    n : int
        Records in the released dataset.
    pairs : tuple of PairModel
    method : "exact" or "monte-carlo"
    replacement : bool
    record_sensitivities : ndarray, shape (m,)
        How far replacing one record can move each statistic; the baselines of differential
        privacy need them.
    public_bounds : frozenset of str
        Numeric columns whose bounds the user gave. The sensitivities of the others come from
        the data's own range, which leaks it.
    dropped : int
        Records left out because a column in use is missing.
    share_of : "release" or "table"
        Whose share is hidden, see :func:`distpriv.fit_gaussian`.
    record_ranges : mapping of column to (least, greatest)
        Of the records that it is fitted to, in the columns that take bounds; public bounds have to
        hold them. Empty where no records are known.
    """

    query: Query
    n: int
    pairs: tuple[PairModel, ...]
    method: Method
    replacement: bool
    record_sensitivities: FloatArray
    public_bounds: frozenset[str] = frozenset()
    dropped: int = 0
    share_of: ShareOf = "release"
    record_ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict, repr=False)

    @cached_property
    def differences(self) -> FloatArray:
        """μ_i − μ_j of every pair, shape (pairs, m)."""
        return _kept(np.array([fit.difference for fit in self.pairs]))

    def sensitivity(self, order: int) -> float:
        """Δ_{E,order}: the largest distance of two means in the L1 or L2 norm."""
        return float(np.linalg.norm(self.differences, ord=order, axis=1).max())

    @cached_property
    def standard_deviations(self) -> FloatArray:
        """How much each statistic varies, shape (m,): from the mean of the pairs' covariances."""
        return _kept(np.sqrt(np.mean([np.diag(fit.pooled) for fit in self.pairs], axis=0)))

    @cached_property
    def steps(self) -> FloatArray:
        """In what steps each statistic moves, shape (m,): the widest of the pairs' grids.

        0 for a statistic that is on no grid, NaN where it is not known.
        """
        return _kept(np.max([fit.grid for fit in self.pairs], axis=0))

    @cached_property
    def offsets(self) -> FloatArray:
        """Return the largest of the pairs' :attr:`PairModel.offsets`, shape (m,)."""
        return _kept(np.max([fit.offsets for fit in self.pairs], axis=0))

    @property
    def apart(self) -> bool:
        """Whether the cosets of the grid tell the shares of any pair (:attr:`PairModel.apart`)."""
        return any(fit.apart for fit in self.pairs)

    def with_floor(self, floor: FloatArray) -> GaussianModel:
        """The model of a release with independent normal noise of deviations of shape (m,)."""
        key = floor.tobytes()
        if key not in self._with_floors:
            pairs = tuple(fit.with_floor(floor) for fit in self.pairs)
            self._with_floors[key] = replace(self, pairs=pairs)
        return self._with_floors[key]

    @cached_property
    def _with_floors(self) -> dict[bytes, GaussianModel]:
        return {}

    def densities(self) -> GaussianModel:
        """The same as if the statistics were on no grid, as the papers' theorems take them."""
        return replace(self, pairs=tuple(replace(fit, steps=None) for fit in self.pairs))

    def in_units(self, units: FloatArray) -> GaussianModel:
        """The same with each statistic divided by a unit, shape (m,), each > 0."""
        return replace(
            self,
            pairs=tuple(fit.in_units(units) for fit in self.pairs),
            record_sensitivities=self.record_sensitivities / units,
        )

    def drawn_from(self, populations: Mapping[SensitiveProperty, Population]) -> GaussianModel:
        """The same with the records of each property that its datasets are drawn from."""
        return replace(
            self,
            pairs=tuple(
                replace(fit, population=populations[fit.pair.secret]) for fit in self.pairs
            ),
        )

    def only(self, *indices: int) -> GaussianModel:
        """The model of some of the pairs alone."""
        return replace(self, pairs=tuple(self.pairs[index] for index in indices))

    def of_statistics(self, *indices: int) -> GaussianModel:
        """The model of some of the statistics alone, in that order; raises QueryError for none."""
        chosen = list(indices)
        return replace(
            self,
            query=Query([self.query.statistics[index] for index in chosen]),
            pairs=tuple(fit.of_statistics(chosen) for fit in self.pairs),
            record_sensitivities=self.record_sensitivities[chosen],
        )


@checked(ModelError)
def model_from_moments(
    moments: Mapping[SensitiveProperty, GroupMoments],
    query: Query,
    pairs: Sequence[Pair],
    n: int,
    *,
    replacement: bool = False,
    share_of: ShareOf = "release",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    steps: ArrayLike | None = None,
    regular: bool = True,
) -> GaussianModel:
    """Exact model from moments computed once, without touching a record again.

    Parameters
    ----------
    moments : mapping of SensitiveProperty to GroupMoments
        Of the query's record-level values, for the property of every pair.
    steps : array-like, shape (m,), optional
        In what steps each statistic moves, 0 for none; by default those of the moments, and where
        these do not know either, no noise is known to be safe from arithmetic.
    regular : bool
        Whether statistics that determine each other, or do not vary, are refused.

    Other parameters, result and errors are those of :func:`distpriv.fit_gaussian`.
    """
    check_any(pairs)
    used = [moments_of(moments, pair.secret) for pair in pairs]
    extremes = (
        np.min([known.minima for known in used], axis=0),
        np.max([known.maxima for known in used], axis=0),
    )
    return GaussianModel(
        query=query,
        n=n,
        pairs=tuple(
            _fit_exact(known, query, pair, n, replacement, share_of, steps, regular)
            for known, pair in zip(used, pairs, strict=True)
        ),
        method="exact",
        replacement=replacement,
        share_of=share_of,
        record_sensitivities=query.record_sensitivities(n, *extremes, bounds),
        record_ranges=query.record_ranges(*extremes),
        public_bounds=frozenset(bounds or {}),
        dropped=max(known.dropped for known in used),
    )


def thetas_of(
    pair: Pair, n: int, replacement: bool, table: int | None = None
) -> tuple[Theta, Theta]:
    """Return the two distributions of a pair; `table` as :class:`Theta` has it."""
    return (
        Theta(pair.secret, pair.p_i, n, replacement, table),
        Theta(pair.secret, pair.p_j, n, replacement, table),
    )


def table_size(share_of: ShareOf, counts: tuple[int, int]) -> int | None:
    """Return the records of the table whose share is hidden, None for that of the release."""
    return sum(counts) if share_of == "table" else None


def _fit_exact(
    moments: GroupMoments,
    query: Query,
    pair: Pair,
    n: int,
    replacement: bool,
    share_of: ShareOf,
    steps: ArrayLike | None,
    regular: bool,
) -> PairModel:
    thetas = thetas_of(pair, n, replacement, table_size(share_of, moments.counts))
    scales = query.scales(n)
    means, covariances, within = [], [], []
    check_enough(moments.counts, *thetas)
    for theta in thetas:
        mean, total = theta.sum_moments(moments.counts, moments.means, moments.covariances)
        means.append(scales * mean)
        covariances.append(total * np.outer(scales, scales))
        within.append(
            theta.within_groups(moments.counts, moments.covariances) * np.outer(scales, scales)
        )
    if regular:
        # Where k is random too: a statistic that varies with k alone would tell it exactly.
        check_regular(np.mean(within, axis=0), np.abs(means).max(axis=0), query)
    outcomes = None
    if thetas[0].fixed and thetas[1].fixed:
        outcomes = count_outcomes(
            query,
            n,
            (thetas[0].having, thetas[1].having),
            moments.counts,
            (float(moments.means[0, 0]), float(moments.means[1, 0])),
            replacement=replacement,
        )
    return PairModel(
        pair,
        thetas,
        np.array(means),
        np.array(covariances),
        outcomes=outcomes,
        steps=grid_of(thetas, query, moments.steps, moments.counts)
        if steps is None
        else _checked(steps, query),
        cosets=None if moments.cosets is None else cosets_of(query, moments.cosets, n),
    )


def _checked(steps: ArrayLike, query: Query) -> FloatArray:
    known = np.asarray(steps, dtype=np.float64)
    if known.shape != (len(query),) or not (np.isfinite(known).all() and (known >= 0).all()):
        raise ModelError(
            f"The steps must be {len(query)} numbers that are not negative, one a statistic, got "
            f"{np.array2string(known, precision=3, threshold=8)}."
        )
    return known
