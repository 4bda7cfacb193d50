r"""The attacker who subtracts: noise along few directions, and statistics that live on a grid.

Noise along few directions leaves the others bare, and on a grid these say more than they seem to:
one statistic can only have a few values, each value determines the noise, and only the true one,
as a rule, puts all other statistics on their grids. The attacker tries all grid points x that a
release y leaves possible and weighs the two proportions by what is left:

.. math:: \log \sum_x N(x; μ_j, Σ_j)\, p(y - x) - \log \sum_x N(x; μ_i, Σ_i)\, p(y - x),

p the density of the noise and of the rounding. Where the noise covers the grid no point stands
out, and the sums are the normal densities of the release, which are taken instead. A point also
says on which coset of the joint grid it lies (:mod:`distpriv.model.cosets`), and with it how many
records have the property, where the two groups' records differ in their last digits. The points
that are possible lie in a thin ellipsoid about E[x | y], which is searched coordinate by
coordinate (Fincke & Pohst 1985), for all releases at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from distpriv.attacks.pair_normals import PairNormals, log_mixture
from distpriv.attacks.statistics_grid import Grid, last_places
from distpriv.privacy.noise import Noise
from distpriv.privacy.smoothness import smoothness

__all__ = ["ArithmeticAttacker", "Guesses"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int_]

_MISSED = 1e-6  # how probable it is that the true statistics are not tried
_COVERED = (
    0.01  # θ of :mod:`distpriv.privacy.smoothness` up to which the grid tells too little to search
)
_EXACT = 1e-4  # of a step: what floating-point numbers are trusted to
_LAPLACE = 30.0  # scales of Laplace noise that a normal stands in for where points are looked for
_MOST_POINTS = 6_000  # tried for each release
_PINNED = 0.1  # scales of Laplace noise: deviation up to which a point says how large it is
_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Guesses:
    """What the attacker makes of releases.

    Attributes
    ----------
    scores : ndarray, shape (rows,)
        Log-likelihood ratios of p_j against p_i.
    statistics : ndarray, shape (rows, m)
        The likeliest true statistics; NaN where nothing could be subtracted.
    """

    scores: FloatArray
    statistics: FloatArray


@dataclass(frozen=True, eq=False)
class ArithmeticAttacker:
    """Knows the grid, the noise and the normals of both proportions.

    Attributes
    ----------
    normals : PairNormals
    grid : Grid
    noise : Noise or None
        None: an undefended release.
    rounded : bool
        Whether releases are rounded as :func:`distpriv.draw_release` does.
    """

    normals: PairNormals
    grid: Grid
    noise: Noise | None
    rounded: bool = True

    def guess(self, releases: FloatArray) -> Guesses:
        """Decide about releases of shape (rows, m)."""
        if self.noise is None or self.noise.is_zero:
            scores = self.normals.log_ratios(releases)
            if self.grid.counts is not None:
                plain = np.array([np.zeros_like(scores), scores])
                first, second = self.grid.counts.weighed(plain, releases)
                scores = second - first
            return Guesses(scores, releases)
        plain = self.normals.log_ratios(releases, self.noise)
        if self._search is None:
            return Guesses(plain, np.full(releases.shape, np.nan))
        block = max(1, _AT_ONCE // self._search.most_points)
        parts = [
            self._search.guess(releases[start : start + block])
            for start in range(0, len(releases), block)
        ]
        scores = np.concatenate([part.scores for part in parts])
        return Guesses(
            np.where(np.isnan(scores), plain, scores),
            np.concatenate([part.statistics for part in parts]),
        )

    @property
    def subtracts(self) -> bool:
        """Whether there is noise, the grid shows through it, and few enough points are possible."""
        return self.noise is not None and not self.noise.is_zero and self._search is not None

    @cached_property
    def _search(self) -> _Search | None:
        places = self.grid.places
        if self.noise is None or not len(places) or self._is_covered:
            return None
        pooled = self.normals.pooled
        units = np.where(self.grid.steps > 0, self.grid.steps, np.sqrt(pooled.diagonal()))
        factors = self.noise.directions * self.noise.scales
        rest, tilt = np.diag(self.noise.floor_deviations**2), 0.0
        if self.noise.distribution == "laplace":
            wide = _LAPLACE**2 * factors @ factors.T + rest
            precision = factors.T @ np.linalg.solve(pooled, factors)
            tilt = math.sqrt(max(float(np.linalg.pinv(precision).sum()), 0.0))
        else:
            wide = rest = self.noise.covariance
            factors = factors[:, :0]
        largest = float(np.linalg.eigvalsh(wide / np.outer(units, units))[-1])
        left = max(_EXACT**2, 1e-14 * largest) * units**2 + self._left_by_rounding**2
        search = _Search.of(
            self.normals, self.grid, wide + np.diag(left), factors, rest + np.diag(left), tilt
        )
        if search.most_points > _MOST_POINTS or not search.is_pinned:
            return None
        return search

    @cached_property
    def _is_covered(self) -> bool:
        """Whether next to nothing of the grid shows in the density of a release."""
        assert self.noise is not None
        factors = self.noise.directions * self.noise.scales
        if self.noise.distribution == "laplace":
            factors = factors[:, :0]
        floor = np.hypot(self.noise.floor_deviations, self._left_by_rounding)
        theta = smoothness(self.normals.regular, self.grid.steps, factors, floor)
        return theta <= _COVERED

    @property
    def _left_by_rounding(self) -> FloatArray:
        """Standard deviations, shape (m,)."""
        if self.noise is None or not self.rounded:
            return np.zeros(len(self.grid.steps))
        return last_places(self.noise) / math.sqrt(12)


@dataclass(frozen=True, eq=False)
class _Search:
    """Grid points about E[x | y], for the statistics on a grid in an order that keeps them few.

    Attributes
    ----------
    order : places of the statistics, those with the fewest possible values given the others first.
    gain : of E[x | y], shape (m, m): what a release is above the mean counts that much less.
    spread : covariance of x given y in steps, in that order; `root` is its Cholesky factor.
    radius : of the ellipsoid.
    laplace : directions of Laplace noise times their scales, shape (m, d).
    rest : covariance of the other noise, and of what rounding moves.
    """

    normals: PairNormals
    grid: Grid
    order: IntArray
    gain: FloatArray
    spread: FloatArray
    root: FloatArray
    radius: float
    laplace: FloatArray
    rest: FloatArray

    @classmethod
    def of(
        cls,
        normals: PairNormals,
        grid: Grid,
        wide: FloatArray,
        laplace: FloatArray,
        rest: FloatArray,
        tilt: float,
    ) -> _Search:
        """For noise that a normal of covariance `wide` stands in for where points are looked for.

        Laplace noise moves E[x | y] by its tilt at most, in standard deviations.
        """
        gain = np.linalg.solve(normals.pooled + wide, wide).T
        # W − W(Σ + W)⁻¹W without the difference, which has no digits left where W is large.
        given = gain @ normals.pooled
        places, steps = grid.places, grid.steps[grid.places]
        spread = (given + given.T)[np.ix_(places, places)] / np.outer(steps, steps) / 2
        order = _fewest_first(spread)
        spread = spread[np.ix_(order, order)]
        apart = normals.means[1] - normals.means[0]
        distance = math.sqrt(max(float(apart @ np.linalg.solve(normals.pooled, apart)), 0.0))
        return cls(
            normals,
            grid,
            places[order],
            np.asarray(gain),
            spread,
            np.asarray(np.linalg.cholesky(spread)),
            math.sqrt(float(chi2.isf(_MISSED, len(places)))) + distance / 2 + tilt,
            laplace,
            rest,
        )

    @cached_property
    def _turns(self) -> list[int]:
        """How many steps to either side each statistic is tried, given those before it."""
        return [math.floor(min(self.radius * width, 1e9) + 0.5) for width in self.root.diagonal()]

    @property
    def most_points(self) -> int:
        """About how many points are tried for each release: the ellipsoid's share of its box."""
        wide = [2 * turns + 1 for turns in self._turns if turns]
        size = len(wide)
        share = math.pi ** (size / 2) / math.gamma(size / 2 + 1) / 2**size
        return math.ceil(share * math.prod(wide))

    @property
    def is_pinned(self) -> bool:
        """Whether a point says how large the Laplace noise is, up to a tenth of its scale."""
        if not self.laplace.shape[1]:
            return True
        inner = [
            self.laplace.T @ np.linalg.solve(self.rest + self._given(label)[1], self.laplace)
            for label in (0, 1)
        ]
        return all(
            np.linalg.cond(point) < 1e12
            and np.sqrt(np.linalg.inv(point).diagonal()).max() < _PINNED
            for point in inner
        )

    def guess(self, releases: FloatArray) -> Guesses:
        """Scores and statistics; NaN where no point is possible."""
        count = len(releases)
        guesses = Guesses(np.full(count, np.nan), np.full(releases.shape, np.nan))
        rows, points = self._possible(releases)
        if not len(rows):
            return guesses
        likelihoods = np.array(
            [self._log_likelihoods(releases[rows], points, label) for label in (0, 1)]
        )
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        if self.grid.counts is not None:
            tried = releases[rows]
            tried[:, self.order] = points
            likelihoods = self.grid.counts.weighed(likelihoods, tried)
        sums = [_log_sums(part, starts) for part in likelihoods]
        guesses.scores[rows[starts]] = sums[1] - sums[0]
        best = _largest(np.logaddexp(*likelihoods), starts)
        guesses.statistics[rows[starts]] = releases[rows[starts]]
        guesses.statistics[rows[starts, None], self.order] = points[best]
        return guesses

    def _possible(self, releases: FloatArray) -> tuple[IntArray, FloatArray]:
        """Points within the ellipsoid: rows of the releases, rising, and (points, places)."""
        middle = self.normals.means.mean(axis=0)
        centers = releases - (releases - middle) @ self.gain.T
        steps, origin = self.grid.steps[self.order], self.grid.origin[self.order]
        targets = (centers[:, self.order] - origin) / steps
        rows = np.arange(len(releases))
        standard, squares = np.empty((len(rows), 0)), np.zeros(len(rows))
        counts = np.empty((len(rows), 0))
        for place, turns in enumerate(self._turns):
            center = targets[rows, place] + standard @ self.root[place, :place]
            offsets = np.arange(-turns, turns + 1)
            tried = (np.rint(center)[:, None] + offsets).ravel()
            before = np.repeat(np.arange(len(rows)), len(offsets))
            moved = (tried - center[before]) / self.root[place, place]
            total = squares[before] + moved**2
            kept = np.flatnonzero(total <= self.radius**2)
            before, squares = before[kept], total[kept]
            rows = rows[before]
            counts = np.column_stack([counts[before], tried[kept]])
            standard = np.column_stack([standard[before], moved[kept]])
        return rows, origin + steps * counts

    def _given(self, label: int) -> tuple[FloatArray, FloatArray]:
        """What is on no grid given what is: coefficients, and what is left, shape (m, m)."""
        covariance = self.normals.regular[label]
        others = self._others
        own = covariance[np.ix_(self.order, self.order)]
        across = np.linalg.solve(own, covariance[np.ix_(self.order, others)])
        left = np.zeros_like(covariance)
        left[np.ix_(others, others)] = (
            covariance[np.ix_(others, others)] - covariance[np.ix_(others, self.order)] @ across
        )
        return across, left

    @property
    def _others(self) -> IntArray:
        return np.setdiff1d(np.arange(len(self.rest)), self.order)

    def _log_likelihoods(self, releases: FloatArray, points: FloatArray, label: int) -> FloatArray:
        """Log-density of grid points and releases together under one proportion, up to a constant.

        The statistics that are on no grid are normal given those that are.
        """
        mean, covariance = self.normals.means[label], self.normals.regular[label]
        across, left = self._given(label)
        moved = points - mean[self.order]
        noise = releases.copy()
        noise[:, self.order] -= points
        noise[:, self._others] -= mean[self._others] + moved @ across
        own = covariance[np.ix_(self.order, self.order)]
        return np.asarray(_log_normal(moved, own) + self._log_noise(noise, self.rest + left))

    def _log_noise(self, noise: FloatArray, rest: FloatArray) -> FloatArray:
        """Of noise with a normal rest; Laplace noise has the size that this rest says (Laplace)."""
        if not self.laplace.shape[1]:
            return _log_normal(noise, rest)
        weighted = np.linalg.solve(rest, self.laplace)
        inner = self.laplace.T @ weighted
        sizes = np.linalg.solve(inner, weighted.T @ noise.T).T
        logs = _log_normal(noise - sizes @ self.laplace.T, rest) - np.abs(sizes).sum(axis=1)
        return np.asarray(logs - np.linalg.slogdet(inner)[1] / 2)


def _log_normal(points: FloatArray, covariance: FloatArray) -> FloatArray:
    return log_mixture(points, covariance[None], np.ones(1))


def _fewest_first(spread: FloatArray) -> IntArray:
    """Order in which each variance given those before is the least."""
    left = spread.copy()
    order: list[int] = []
    while len(order) < len(spread):
        variances = left.diagonal().copy()
        variances[order] = np.inf
        place = int(np.argmin(variances))
        order.append(place)
        left = left - np.outer(left[:, place], left[place]) / max(left[place, place], 1e-300)
    return np.array(order)


def _largest(values: FloatArray, starts: IntArray) -> IntArray:
    """Places of the first of the largest values from each start to the next."""
    largest = np.maximum.reduceat(values, starts)
    places = np.flatnonzero(values == np.repeat(largest, np.diff(starts, append=len(values))))
    groups = np.searchsorted(starts, places, side="right")
    return np.asarray(places[np.unique(groups, return_index=True)[1]])


def _log_sums(values: FloatArray, starts: IntArray) -> FloatArray:
    """Logarithms of the sums of exponentials from each start to the next."""
    largest = np.maximum.reduceat(values, starts)
    above = values - np.repeat(largest, np.diff(starts, append=len(values)))
    return np.asarray(largest + np.log(np.add.reduceat(np.exp(above), starts)))
