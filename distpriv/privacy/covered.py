"""What a release gives away to whoever knows the grid of its statistics.

Noise that covers the grid leaves what the normal model says, within a factor 1 ± θ
(:mod:`distpriv.privacy.smoothness`); noise that does not is subtracted, and what is left is a
release without noise. Every figure about an attacker or a promise goes through here.

Without noise the normals say nothing of the *cosets* of the grid (:mod:`distpriv.model.cosets`):
where the two shares' statistics lie on different ones, whoever looks at the last digits knows the
share, however close the normals are, and what holds is the loss of
:mod:`distpriv.privacy.coset_loss`. Noise that covers the grid covers each coset by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.coset_loss import CosetLoss
from distpriv.privacy.noise import Noise, smoothnesses
from distpriv.privacy.smoothness import COVERED, log_ratio, smoothness

__all__ = [
    "CoveredLoss",
    "coset_loss",
    "covered_releases",
    "holding",
    "is_undone",
    "normal_part",
    "shown",
    "shown_each",
    "tells_coset",
]

FloatArray = NDArray[np.float64]

_KINKS = 0.5  # an upper bound at the kinks themselves, far above what the grid tells on average


def shown(model: GaussianModel | PairModel, noise: Noise | None) -> float:
    """θ of a release that counts: 0 without noise, ∞ where the grid undoes the noise.

    Statistics that vary by so few of their steps that they are on few points, with no normal law to
    describe them, get a spread of a few steps here: θ is to tell whether the noise covers the grid.

    Laplace noise on every statistic hides the grid but for the kinks of its density. On one grid
    they tell next to nothing on average, as they are at the same places under both shares: 0,
    unless they are as high as the density itself. On two cosets they are not, and count.
    """
    return shown_each([(model, noise)])[0]


def shown_each(cases: Sequence[tuple[GaussianModel | PairModel, Noise | None]]) -> list[float]:
    """:func:`shown` of many releases, faster than one by one."""
    asked = [
        (index, noise, model)
        for index, (model, noise) in enumerate(cases)
        if noise is not None and not noise.is_zero
    ]
    thetas = smoothnesses([(noise, model) for _, noise, model in asked])
    values = [0.0] * len(cases)
    for (index, noise, model), theta in zip(asked, thetas, strict=True):
        if noise.distribution == "laplace" and noise.floor is None:
            values[index] = _by_kinks(model, theta)
            continue
        if theta > COVERED:
            theta = noise.smoothness(_spread(model))
        values[index] = theta if theta <= COVERED else math.inf
    return values


def _by_kinks(model: GaussianModel | PairModel, theta: float) -> float:
    if model.apart:
        return theta if theta <= COVERED else math.inf
    return 0.0 if theta <= _KINKS else math.inf


def tells_coset(fit: PairModel, noise: Noise | None) -> bool:
    """Return whether a release shows on which coset of the grid the statistics lie.

    Parameters
    ----------
    fit : PairModel
    noise : Noise or None
        What is left of it, see :func:`holding`: noise that covers the grid covers every coset.
    """
    return (noise is None or noise.is_zero) and fit.apart


def coset_loss(fit: PairModel, noise: Noise | None) -> CosetLoss | None:
    """Return the loss of p_i against p_j by the coset, None where :func:`tells_coset` is not."""
    return CosetLoss.between(fit.thetas) if tells_coset(fit, noise) else None


def _spread(model: GaussianModel | PairModel) -> GaussianModel | PairModel:
    """With half a step squared more variance where a normal law is none on the grid."""
    if isinstance(model, GaussianModel):
        return replace(model, pairs=tuple(map(_spread_pair, model.pairs)))
    return _spread_pair(model)


def _spread_pair(fit: PairModel) -> PairModel:
    grid = np.where(np.isfinite(fit.grid), fit.grid, 0.0)
    wide = 1e6 * np.sqrt(fit.pooled.diagonal()) + grid
    if smoothness(fit.covariances, fit.grid, np.zeros((len(grid), 0)), wide) <= COVERED:
        return fit
    return replace(fit, covariances=fit.covariances + np.diag(grid**2) / 2)


def is_undone(model: GaussianModel | PairModel, noise: Noise | None) -> bool:
    """Whether arithmetic on the grid of the statistics undoes the noise."""
    return math.isinf(shown(model, noise))


def holding(model: GaussianModel | PairModel, noise: Noise | None) -> Noise | None:
    """The noise that is left to whoever knows the grid: itself, or None where it is undone."""
    return None if is_undone(model, noise) else noise


def normal_part(fit: PairModel, noise: Noise) -> tuple[PairModel, Noise]:
    """The floor of Laplace noise taken to the statistics: the same release, without a floor."""
    if noise.floor is None or noise.distribution != "laplace":
        return fit, noise
    return fit.with_floor(noise.floor), replace(noise, floor=None)


def covered_releases(model: GaussianModel | PairModel, noise: Noise, most: int = 10_000) -> int:
    """How many releases of the same statistics the noise covers the grid for, at most `most`.

    The mean of r releases has the noise S/r, whose smoothness falls with r: from the next one on
    the grid shows, and in the end gives the statistics themselves.

    Parameters
    ----------
    model : GaussianModel or PairModel
    noise : Gaussian Noise
    most : int, at least 1

    Returns
    -------
    int
        0 where arithmetic undoes a single release.
    """
    low, high = 0, 1
    while high <= most and not is_undone(model, noise.after_releases(high)):
        low, high = high, 2 * high
    while high - low > 1 and low < most:
        middle = (low + high) // 2
        if middle > most or is_undone(model, noise.after_releases(middle)):
            high = middle
        else:
            low = middle
    return min(low, most)


class _Loss(Protocol):
    """What tells δ at every ε, and ε at every δ."""

    def deltas(self, epsilons: FloatArray, /) -> FloatArray: ...
    def epsilon(self, delta: float, /) -> float: ...


@dataclass(frozen=True, eq=False)
class CoveredLoss:
    """Privacy loss of a release whose density is the normal model's within a factor 1 ± θ.

    (1 + θ)P(S) − e^ε(1 − θ)Q(S) is (1 + θ) times P(S) − e^{ε'}Q(S) with
    ε' = ε − ln((1 + θ)/(1 − θ)), so that δ(ε) is at most (1 + θ) times the model's δ(ε').

    Attributes
    ----------
    loss : PrivacyLoss, or another one with its methods
        Of the normal model.
    theta : float in [0, 1)
    """

    loss: _Loss
    theta: float

    def delta(self, epsilon: float) -> float:
        """δ(ε) at one ε >= 0, at most."""
        return float(self.deltas(np.array([epsilon]))[0])

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        """δ(ε) at every ε >= 0, at most, same shape."""
        left = np.asarray(epsilons) - log_ratio(self.theta)
        # Below 0: P(S) − e^{−s}Q(S) is at most P(S) − Q(S) and (1 − e^{−s}) more.
        beyond = -np.expm1(np.minimum(left, 0.0))
        deltas = self.loss.deltas(left.clip(0.0)) + beyond
        return np.minimum((1 + self.theta) * deltas, 1.0)

    def epsilon(self, delta: float) -> float:
        """Least ε >= 0 with δ(ε) <= delta, at most; ∞ if there is none."""
        if self.delta(0.0) <= delta:
            return 0.0
        return self.loss.epsilon(delta / (1 + self.theta)) + log_ratio(self.theta)
