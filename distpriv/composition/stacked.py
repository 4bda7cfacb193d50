r"""What Gaussian releases of one dataset tell together: one release of one set of statistics.

A release of some of the statistics x of a dataset, y_k = B_k x + z_k with z_k ~ N(0, S_k), tells
N_kᵀB_k x exactly for a basis N_k of the directions without noise, and U_kᵀB_k x + N(0, I) for one
of those with noise, in the noise's own units. All of them together are therefore

.. math:: E x \quad\text{and}\quad A x + N(0, I),

and as A x is known up to what E x leaves open, W a basis of that, the least-squares estimate of x
tells all of it: x + W (WᵀAᵀA W)^{-1/2} N(0, I), a single release of x. No matrix is inverted but
the singular values of A W: with all S_k regular its noise is (Σ_k B_kᵀS_k⁻¹B_k)⁻¹, and in general
the parallel sum (Anderson & Duffin 1969).

Statistics may determine each other. Given the share, those of a basis vary freely and the others
follow: x = C x_W + const + h q, where q is 0 under the first share and 1 under the second. h = 0
for statistics that follow from others in every record (a sum and a mean); it is not where the
secret comes in (how many records have the property is known given the share). q is then one more
statistic, that does not vary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray
from scipy.linalg import eigvalsh
from scipy.sparse.csgraph import connected_components

from distpriv.composition.observed import Observed, noise_from
from distpriv.errors import ModelError
from distpriv.model.gaussian import PairModel
from distpriv.privacy.covered import shown, tells_coset
from distpriv.privacy.delivered import privacy_losses
from distpriv.privacy.noise import Noise
from distpriv.privacy.privacy_loss import PrivacyLoss

__all__ = ["Stacked", "stacked"]

FloatArray = NDArray[np.float64]
Indices = tuple[int, ...]
Refit = Callable[[Indices], PairModel]

_APART, _FOLLOWS = 1e-10, 1e-12  # of a statistic's variance that the others leave
_STILL = 1e-24  # of a mean squared, as where a model is checked
_NOTHING = 1e-9  # of a statistic's deviation
_OF_MEAN = 1e-12
_TOGETHER = 40  # statistics whose lattice is reduced at once


@dataclass(frozen=True, eq=False)
class Stacked:
    """Releases of one dataset as one, for one pair.

    Attributes
    ----------
    fit : PairModel
        Of the r statistics that vary freely given the share.
    columns : ndarray, shape (m, r)
        C: what the m statistics are of those.
    offset : ndarray, shape (m,)
        h: by how much more they are under the second share.
    observed : Observed
        Of all m statistics; noise that arithmetic undoes counts for nothing.
    released : Observed
        As they are, whatever arithmetic can do.
    theta : float
        By what factor 1 ± θ the grid of the statistics shows.
    like : Noise
        One of the noises.
    apart : bool
        Whether what is released without noise lies on cosets of its grid that tell the share.
    """

    fit: PairModel
    columns: FloatArray
    offset: FloatArray
    observed: Observed
    released: Observed
    theta: float
    like: Noise
    apart: bool = False

    @property
    def told(self) -> bool:
        """Whether a statistic that does not vary given the share tells it, but for the noise."""
        return bool(self.offset.any())

    def undefended(self) -> Stacked:
        """The same without noise."""
        return replace(
            self,
            observed=Observed.exactly(np.eye(len(self.offset))),
            theta=0.0,
            apart=self.apart or tells_coset(self.fit, None),
        )

    @cached_property
    def noise(self) -> Noise:
        """Of the release of the r statistics, and of q where there is one."""
        return self._noise(self.observed)

    @cached_property
    def released_noise(self) -> Noise:
        """The same, whatever arithmetic can do."""
        return self._noise(self.released)

    def _noise(self, observed: Observed) -> Noise:
        columns, units = self.columns, _units(self.fit)
        if self.told:
            columns = np.column_stack([columns, self.offset])
            units = np.append(units, 1.0)
        return noise_from(observed.of(columns).factors(units), self.like)

    @cached_property
    def density(self) -> PairModel:
        """What that noise is added to, as if it were on no grid."""
        fit = replace(self.fit, steps=None, outcomes=None, population=None)
        if not self.told:
            return fit
        size = len(self.fit.difference)
        covariances = np.zeros((2, size + 1, size + 1))
        covariances[:, :size, :size] = fit.covariances
        return replace(
            fit,
            means=np.column_stack([fit.means, [0.0, 1.0]]),
            covariances=covariances,
            jackknife=None,
        )

    @cached_property
    def losses(self) -> tuple[PrivacyLoss, PrivacyLoss]:
        """In both orders, by the two normals as they are; where the coset is told, of anything."""
        if self.apart:
            certain = PrivacyLoss(np.array([math.inf]), np.ones(1))
            return certain, certain
        first, second = privacy_losses(self.density, self.noise)
        assert isinstance(first, PrivacyLoss)
        assert isinstance(second, PrivacyLoss)
        return first, second


def stacked(
    fit: PairModel,
    releases: Sequence[tuple[Indices, Noise]],
    refit: Refit | None = None,
) -> Stacked:
    """Releases of one dataset as one.

    Parameters
    ----------
    fit : PairModel
        Of all m statistics; they may determine each other, or not vary.
    releases : sequence of (indices, Noise)
        Which of the statistics, in which order, and what is added; at least one, together all
        of them.
    refit : callable, optional
        Gives the model of some of the statistics alone, whose grid may be wider.

    Raises
    ------
    ModelError
        If statistics nearly determine each other, so that rounding decides what they tell.
    """
    fit = replace(fit, outcomes=None)
    every, refit = np.eye(len(fit.difference)), refit or fit.of_statistics
    seen = [Observed.through(noise, every[list(indices)]) for indices, noise in releases]
    free = [place for place, (_, noise) in enumerate(releases) if not _bare(noise)]
    found = _with(fit, releases, seen, free, refit)
    if math.isinf(found.theta):
        left = _covered(fit, releases, free, refit)
        found = _with(fit, releases, seen, left, refit)
    if math.isinf(found.theta):
        found = _with(fit, releases, seen, [], refit)
    return found


def _covered(
    fit: PairModel, releases: Sequence[tuple[Indices, Noise]], free: Sequence[int], refit: Refit
) -> list[int]:
    """Releases that arithmetic does not undo, from the fewest statistics to the most.

    What is undone of some statistics tells them, and leaves what hides others.
    """
    covered = list(free)
    for some in sorted({frozenset(releases[place][0]) for place in free}, key=len):
        inside = [place for place, (indices, _) in enumerate(releases) if some.issuperset(indices)]
        asked = [number for number, place in enumerate(inside) if place in covered]
        chosen = tuple(sorted(some))
        part = [
            (tuple(chosen.index(index) for index in releases[place][0]), releases[place][1])
            for place in inside
        ]
        seen = [
            Observed.through(noise, np.eye(len(chosen))[list(indices)]) for indices, noise in part
        ]

        def again(kept: Indices, chosen: Indices = chosen) -> PairModel:
            return refit(tuple(chosen[index] for index in kept))

        if math.isinf(_with(fit.of_statistics(chosen), part, seen, asked, again).theta):
            covered = [place for place in covered if place not in inside]
    return covered


def _bare(noise: Noise) -> bool:
    """Whether nothing normal is added."""
    return noise.is_zero or (noise.distribution == "laplace" and not noise.floor_deviations.any())


def _with(
    fit: PairModel,
    releases: Sequence[tuple[Indices, Noise]],
    seen: Sequence[Observed],
    covered: Sequence[int],
    refit: Refit,
) -> Stacked:
    """With the noise of some of the releases, as if the others had none."""
    every = np.eye(len(fit.difference))
    bare = [place for place in range(len(releases)) if place not in covered]
    first = tuple(dict.fromkeys(index for place in bare for index in releases[place][0]))
    chosen, columns, offset = _basis(fit, first)
    whole = chosen == tuple(range(len(fit.difference)))
    free = fit
    if not whole:
        free = refit(chosen) if chosen else fit.of_statistics(chosen)
    exact = [Observed.exactly(every[list(releases[place][0])]) for place in bare]
    noisy = [seen[place] for place in covered]
    known = sum(index in first for index in chosen)
    theta = 0.0
    if noisy:
        theta = _theta(free, known, Observed.together(noisy).of(columns), releases[covered[0]][1])
    observed = Observed.together([*exact, *noisy])
    released = Observed.together(seen)
    apart = bool(first) and tells_coset(fit.of_statistics(first), None)
    return Stacked(free, columns, offset, observed, released, theta, releases[0][1], apart)


def _theta(fit: PairModel, known: int, noisy: Observed, like: Noise) -> float:
    """θ of the statistics of a basis, the first of which are known: of the others given these."""
    size = len(fit.difference)
    if known == size:
        return 0.0
    rest = tuple(range(known, size))
    left = fit.of_statistics(rest) if known else fit
    if known:
        left = replace(
            left, covariances=np.array([_given(part, known) for part in fit.covariances])
        )
    noisy = noisy.of(np.eye(size)[:, known:])
    theta = _theta_at_once(left, noisy, like) if len(rest) <= _TOGETHER else math.inf
    if math.isinf(theta):
        blocks = _blocks(noisy)
        if len(blocks) > 1:
            return _theta_of_blocks(left, noisy, blocks, like)
        return theta if len(rest) <= _TOGETHER else _theta_at_once(left, noisy, like)
    return theta


def _theta_at_once(left: PairModel, noisy: Observed, like: Noise) -> float:
    factors = noisy.factors(_units(left))
    if not factors.shape[1]:
        return math.inf if (left.grid != 0).any() else 0.0
    return shown(left, noise_from(factors, like))


def _blocks(noisy: Observed) -> list[list[int]]:
    """Return statistics that share no noise, block by block."""
    rows = np.vstack([noisy.known, noisy.seen]) != 0
    count, labels = connected_components(rows.T.astype(int) @ rows.astype(int), directed=False)
    return [np.flatnonzero(labels == label).tolist() for label in range(count)]


def _theta_of_blocks(
    left: PairModel, noisy: Observed, blocks: Sequence[list[int]], like: Noise
) -> float:
    """θ at most, where the lattice of all statistics is too large to be reduced.

    θ falls as the covariance P grows, and P is at least γ times its blocks, γ the least eigenvalue
    of P in units of these. Independent blocks multiply their factors 1 ± θ.
    """
    least = 1.0
    for covariance in left.covariances:
        units = np.sqrt(np.diag(covariance))
        units = np.where(units > 0, units, 1.0)
        scaled = covariance / np.outer(units, units)
        alone = np.zeros_like(scaled)
        for block in blocks:
            alone[np.ix_(block, block)] = scaled[np.ix_(block, block)]
        try:
            values = eigvalsh(scaled, alone)
        except LinAlgError:
            return math.inf
        least = min(least, float(values[0]) - _APART)
    if least <= 0:
        return math.inf
    rising = 1.0
    every = np.eye(len(left.difference))
    for block in blocks:
        part = left.of_statistics(block)
        part = replace(part, covariances=part.covariances * least)
        rising *= 1 + _theta_at_once(part, noisy.of(every[:, block]), like)
    return rising - 1 if rising < 2 else math.inf


def _given(covariance: FloatArray, known: int) -> FloatArray:
    """Covariance of the other statistics given the first ones."""
    units = np.sqrt(np.diag(covariance))
    units = np.where(units > 0, units, 1.0)
    scaled = covariance / np.outer(units, units)
    across = scaled[known:, :known]
    told = across @ np.linalg.pinv(scaled[:known, :known], hermitian=True) @ across.T
    left: FloatArray = (scaled[known:, known:] - told) * np.outer(units[known:], units[known:])
    return left


def _units(fit: PairModel) -> FloatArray:
    units = np.sqrt(fit.covariances.diagonal(axis1=1, axis2=2).max(axis=0))
    return np.where(units > 0, units, 1.0)


def _basis(fit: PairModel, first: Sequence[int]) -> tuple[Indices, FloatArray, FloatArray]:
    """Statistics that vary freely given the share, those of `first` first, and C and h.

    By Cholesky's decomposition of the sum of the two covariances with pivots.
    """
    size, (mean_i, mean_j) = len(fit.difference), fit.means
    total = fit.covariances.sum(axis=0)
    magnitudes = np.abs(fit.means).max(axis=0)
    moving = total.diagonal() > _STILL * magnitudes**2
    units = np.where(moving, np.sqrt(total.diagonal().clip(0)), 1.0)
    scaled = np.where(np.outer(moving, moving), total / np.outer(units, units), 0.0)
    rest = [index for index in range(size) if index not in first]
    left, chosen = scaled.copy(), []
    for group in (list(first), rest):
        while group:
            pivot = max(group, key=lambda index: (round(float(left[index, index]), 9), -index))
            if left[pivot, pivot] <= _APART:
                break
            group.remove(pivot)
            chosen.append(pivot)
            left -= np.outer(left[:, pivot], left[pivot]) / left[pivot, pivot]
    follow = [index for index in range(size) if index not in chosen]
    near = [index for index in follow if left[index, index] > _FOLLOWS]
    if near:
        raise ModelError(
            "Some statistics nearly determine each other, so that rounding decides what they tell "
            "together."
        )
    kept = sorted(index for index in chosen if index in first)
    kept += sorted(index for index in chosen if index not in first)
    columns = np.zeros((size, len(kept)))
    columns[kept, range(len(kept))] = 1.0
    offset = np.zeros(size)
    if follow:
        across = scaled[np.ix_(follow, kept)]
        solved = np.linalg.solve(scaled[np.ix_(kept, kept)], across.T).T if kept else across
        columns[follow] = solved * units[follow][:, None] / units[kept]
        moved = mean_j - mean_i
        more = moved[follow] - columns[follow] @ moved[kept]
        rounding = np.abs(columns[follow]) @ magnitudes[kept] + magnitudes[follow]
        own = np.where(moving[follow], units[follow], 0.0)
        more[np.abs(more) <= _NOTHING * own + _OF_MEAN * rounding] = 0.0
        offset[follow] = more
    return tuple(kept), columns, offset
