"""Privacy that a release delivers under a model, and the one answer to whether it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from distpriv.arrays import BoolArray, FloatArray
from distpriv.model import AS_IT_IS, GaussianModel, PairModel, Promise, Release, joint_law
from distpriv.model.grid import log_ratio
from distpriv.privacy.laplace import APART, line_loss, spread_loss
from distpriv.privacy.loss import FiniteLoss, NormalLoss, PrivacyLoss

__all__ = [
    "Verdict",
    "WorstLoss",
    "accuracies",
    "delivered_delta",
    "delivered_epsilon",
    "optimal_attack_accuracy",
    "pair_loss",
    "privacy_loss",
    "verdict",
    "verdicts",
]

Law = Literal["model", "exact", "any data", "none"]

_NOTHING = FiniteLoss(np.ones(1), np.ones(1))  # P = Q: nothing to tell
_SLACK = 1e-6  # of δ, for rounding
_COVERED = 0.01  # what the grid may move log-likelihood ratios by; noise that leaves more is none


def pair_loss(model: GaussianModel, release: Release | None = None, pair: int = 0) -> PrivacyLoss:
    """Return the privacy loss of one pair: P under the lower share against Q under the higher one.

    Noise that leaves some combination of the statistics on their grid, or covers it too thinly,
    counts as none, for arithmetic removes it; figures whose grids are apart tell the shares for
    certain.

    Parameters
    ----------
    model : GaussianModel
    release : Release, optional
        None: the figures as they are.
    pair : int
    """
    release = AS_IT_IS if release is None else release
    fitted = model.pairs[pair]
    if not release.additive:
        return _kept_loss(model, release, pair)
    covered = bool(_grid_ratio(fitted, [release])[0] <= _COVERED)
    if not covered and fitted.apart:
        return APART
    if release.directions is not None and covered:
        floor = 0.0 if release.covariance is None else release.covariance
        law = fitted.difference, fitted.covariances + floor
        if release.directions.shape[1] == 1:
            return line_loss(*law, release.directions[:, 0], release.scale)
        return spread_loss(*law, release.directions, release.scale)
    noise = release.total(len(model.query)) * covered
    one, other = fitted.covariances + noise
    return NormalLoss.between(fitted.difference, one, other)


def _grid_ratio(fitted: PairModel, releases: Sequence[Release]) -> FloatArray:
    """Return what the grid moves log-likelihood ratios by, (R,); ∞ for releases without noise.

    Laplace noise is normal noise of random size, which covers the grid as well as the normal noise
    beside it does; where there is none, it counts by its variance.
    """
    if not releases:
        return np.zeros(0)
    m = len(fitted.steps)
    noise = [one.covariance if one.covariance is not None else one.total(m) for one in releases]
    ratio = log_ratio(fitted.smoothness(np.array(noise)))
    plain = np.array([one.kind != "noise" for one in releases])
    return np.where(plain, np.inf, ratio)


def _kept_loss(model: GaussianModel, release: Release, pair: int) -> PrivacyLoss:
    """Of a release that does not use all records."""
    (p, q), (one, other) = joint_law(model, [release], pair)
    unit = np.sqrt(np.diagonal(one + other)).clip(1e-300)
    if (np.abs(p - q) <= 1e-12 * unit).all() and np.allclose(one, other, rtol=1e-12, atol=0):
        return _NOTHING
    return NormalLoss.between(p - q, one, other)


@dataclass(frozen=True, eq=False)
class WorstLoss:
    """The worst of several privacy losses at each question: of all pairs, in both orders.

    Attributes
    ----------
    losses : tuple of PrivacyLoss
    """

    losses: tuple[PrivacyLoss, ...]

    def __repr__(self) -> str:
        return f"WorstLoss(of {len(self.losses)}, best attack {self.accuracy():.4g})"

    @cached_property
    def _normal(self) -> NormalLoss | None:
        """All of them side by side, if all are normal."""
        normal = [loss for loss in self.losses if isinstance(loss, NormalLoss)]
        return NormalLoss.together(normal) if len(normal) == len(self.losses) else None

    def delta(self, epsilon: FloatArray | float) -> FloatArray:
        """Return δ(ε), shape of ε."""
        return self.profile(epsilon)

    def profile(self, level: FloatArray | float) -> FloatArray:
        """Return sup_S P(S) − e^l Q(S) for levels l of any sign, shape of l."""
        if self._normal is not None:
            return self._normal.profile(np.asarray(level, float)[..., None]).max(axis=-1)
        return np.max([loss.profile(level) for loss in self.losses], axis=0)

    def epsilon(self, delta: FloatArray | float) -> FloatArray:
        """Return the least ε >= 0 with δ(ε) <= delta, shape of delta; ∞ if there is none."""
        if self._normal is not None:
            return self._normal.epsilon(np.asarray(delta, float)[..., None]).max(axis=-1)
        return np.max([loss.epsilon(delta) for loss in self.losses], axis=0)

    def accuracy(self) -> float:
        """Return the best attacker's accuracy at even odds."""
        return max(loss.accuracy() for loss in self.losses)

    def f_score(self, beta: float = 1.0) -> float:
        """Return the largest F_β of any attacker at even odds."""
        return max(loss.f_score(beta) for loss in self.losses)

    def roc(self, points: int = 201) -> tuple[FloatArray, FloatArray]:
        """Return false and true positive rates of the attackers on the most exposed pair."""
        return max(self.losses, key=lambda loss: loss.accuracy()).roc(points)


def privacy_loss(
    model: GaussianModel, release: Release | None = None, pair: int | None = None
) -> WorstLoss:
    """Return the privacy loss of a release, of one pair or the worst of all, in both orders.

    Parameters
    ----------
    model : GaussianModel
    release : Release, optional
        None: the figures as they are.
    pair : int, optional
    """
    places = range(len(model.pairs)) if pair is None else [pair]
    losses = [pair_loss(model, release, place) for place in places]
    return WorstLoss(tuple(one for loss in losses for one in (loss, loss.reversed)))


def delivered_delta(model: GaussianModel, release: Release | None, epsilon: float) -> float:
    """Return the δ that a release delivers at an ε: worst pair, worst order."""
    return float(privacy_loss(model, release).delta(epsilon))


def delivered_epsilon(model: GaussianModel, release: Release | None, delta: float) -> float:
    """Return the ε that a release delivers at a δ: worst pair, worst order; ∞ if there is none."""
    return float(privacy_loss(model, release).epsilon(delta))


def optimal_attack_accuracy(model: GaussianModel, release: Release | None = None) -> float:
    """Return the accuracy of the best attacker at even odds on the most exposed pair, ½ + ½ TV."""
    return max(pair_loss(model, release, place).accuracy() for place in range(len(model.pairs)))


def accuracies(model: GaussianModel, releases: Sequence[Release]) -> FloatArray:
    """Return the best attacker's accuracy on each of many releases, shape (R,)."""
    judged = verdicts(model, releases, [Promise(0.0, 0.0)] * len(releases))
    return np.array([one.accuracy.max() for one in judged])


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a release keeps a promise, and what it delivers.

    Attributes
    ----------
    kept : bool
    law : str
        What that rests on: "model" for the fitted normals, "exact" for a law that is computed
        without them, "any data", or "none".
    promise : Promise
    delta : ndarray, shape (K, 2)
        Delivered at the promise's ε [pair; lower share first, higher share first], with what the
        grid adds at most.
    accuracy : ndarray, shape (K,)
        Of the best attacker at even odds.
    exact : ndarray, shape (K, 2), or None
        δ by the exact law, which decides where there is one.
    persons : Promise or None
        What each record gets besides.
    persons_kept : bool or None
    why : str
        Why it is not kept; "" if it is.
    """

    kept: bool
    law: Law
    promise: Promise
    delta: FloatArray
    accuracy: FloatArray
    exact: FloatArray | None = None
    persons: Promise | None = None
    persons_kept: bool | None = None
    why: str = ""

    def __repr__(self) -> str:
        word, worst = "kept" if self.kept else "broken", self.delta.max()
        return (
            f"Verdict({word} by the {self.law!r} law, δ = {worst:.4g} of {self.promise.delta:.4g})"
        )


def verdict(model: GaussianModel, release: Release, promise: Promise | None = None) -> Verdict:
    """Hold a release against a promise, by default the one that it was calibrated for.

    The only place where "kept" is decided: calibration, comparison, pages and reports read it.
    """
    promise = release.promise if promise is None else promise
    if promise is None:
        raise ValueError(f"{release!r} comes with no promise; pass one.")
    return verdicts(model, [release], [promise])[0]


def verdicts(
    model: GaussianModel, releases: Sequence[Release], promises: Sequence[Promise]
) -> list[Verdict]:
    """Hold releases against a promise each, see :func:`verdict`; normal noises side by side."""
    epsilon = np.array([promise.epsilon for promise in promises])
    delta = np.empty((len(releases), len(model.pairs), 2))
    accuracy = np.empty(delta.shape[:2])
    laws: list[Law] = ["model"] * len(releases)
    additive = [row for row, one in enumerate(releases) if one.additive]
    normal = [row for row in additive if releases[row].directions is None]
    for place, fitted in enumerate(model.pairs):
        ratio = np.zeros(len(releases))
        ratio[additive] = _grid_ratio(fitted, [releases[row] for row in additive])
        covered = ratio <= _COVERED
        charge = np.where(covered, ratio, 0.0)
        level = epsilon - charge
        if normal:
            noise = np.array([releases[row].total(len(model.query)) for row in normal])
            values = _normal_values(fitted, noise, covered[normal], level[normal])
            delta[normal, place], accuracy[normal, place] = values
        for row in sorted({*range(len(releases))} - {*normal}):
            loss = pair_loss(model, releases[row], place)
            if loss is _NOTHING:
                laws[row] = "any data"
            delta[row, place] = [float(one.profile(level[row])) for one in (loss, loss.reversed)]
            accuracy[row, place] = loss.accuracy()
        delta[:, place] *= 1 + np.tanh(charge / 2)[:, None]
    delta = np.minimum(delta, 1.0)
    return [_judged(*one) for one in zip(laws, promises, delta, accuracy, strict=True)]


def _normal_values(
    fitted: PairModel, noise: FloatArray, covered: BoolArray, level: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return δ in both orders, (R, 2), and accuracies, (R,), under normal noise (R, m, m)."""
    difference = np.broadcast_to(fitted.difference, (len(noise), noise.shape[-1]))
    one, other = (covariance + noise * covered[:, None, None] for covariance in fitted.covariances)
    loss = NormalLoss.between(difference, one, other)
    several = NormalLoss.together([loss, loss.reversed, loss])
    levels = np.concatenate([level, level, np.zeros(len(noise))])
    first, second, even = several.profile(levels).reshape(3, -1)
    delta = np.stack([first, second], axis=1)
    if fitted.apart:
        delta[~covered], even[~covered] = 1.0, 1.0
    return delta, 0.5 + 0.5 * even


def _judged(law: Law, promise: Promise, delta: FloatArray, accuracy: FloatArray) -> Verdict:
    kept = bool((delta <= promise.delta * (1 + _SLACK)).all())  # NaN is not kept
    why = ""
    if not kept:
        why = f"It delivers δ = {delta.max():.3g} where {promise.delta:.3g} is promised."
    return Verdict(kept, law, promise, delta, accuracy, why=why)
