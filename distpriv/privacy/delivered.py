"""What a release delivers under a model, and the one answer to whether its promise is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.model import AS_IT_IS, GaussianModel, PairModel, Promise, Release, joint_law
from distpriv.privacy.laplace import line_loss, spread_loss
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
]

Law = Literal["model", "exact", "any data", "none"]

_NOTHING = FiniteLoss(np.ones(1), np.ones(1))  # P = Q: nothing to tell
_EVERYTHING = FiniteLoss(np.array([1.0, 0.0]), np.array([0.0, 1.0]))  # no value in common
_SLACK = 1e-6  # of δ, for rounding


def pair_loss(model: GaussianModel, release: Release | None = None, pair: int = 0) -> PrivacyLoss:
    """Return the privacy loss of one pair: P under the lower share against Q under the higher one.

    Noise that leaves some combination of the statistics on their grid counts as none, for arithmetic
    removes it; figures whose grids are apart tell the shares for certain.
    """
    release = AS_IT_IS if release is None else release
    fitted = model.pairs[pair]
    if not release.additive:
        return _kept_loss(model, release, pair)
    bare = _bare(fitted, release)
    if bare and fitted.apart:
        return _EVERYTHING
    if release.directions is not None and not bare:
        floor = 0.0 if release.covariance is None else release.covariance
        loss = line_loss if release.directions.shape[1] == 1 else spread_loss
        basis = release.directions[:, 0] if loss is line_loss else release.directions
        return loss(fitted.difference, fitted.covariances + floor, basis, release.scale)
    noise = np.zeros_like(fitted.pooled) if bare else release.total(len(model.query))
    one, other = fitted.covariances + noise
    return NormalLoss.between(fitted.difference, one, other)


def _bare(fitted: PairModel, release: Release) -> bool:
    """Whether arithmetic undoes the noise."""
    if release.kind != "noise":
        return True
    return bool(np.isinf(fitted.smoothness(release.total(len(fitted.steps)))))


def _kept_loss(model: GaussianModel, release: Release, pair: int) -> PrivacyLoss:
    """Of a release that keeps the same number of records whatever the share."""
    (p, q), (one, other) = joint_law(model, [release], pair)
    unit = np.sqrt(np.diag(one + other)).clip(1e-300)
    if np.allclose(p / unit, q / unit, atol=1e-9) and np.allclose(one, other, rtol=1e-9):
        return _NOTHING
    return NormalLoss.between(p - q, one, other)


@dataclass(frozen=True, eq=False)
class WorstLoss:
    """The worst of several privacy losses at each question: of all pairs, in both orders."""

    losses: tuple[PrivacyLoss, ...]

    def delta(self, epsilon: FloatArray | float) -> FloatArray:
        """Return δ(ε), shape of ε."""
        return np.max([loss.delta(np.asarray(epsilon, float)) for loss in self.losses], axis=0)

    def epsilon(self, delta: float) -> float:
        """Return the least ε >= 0 with δ(ε) <= delta; ∞ if there is none."""
        return max(loss.epsilon(delta) for loss in self.losses)

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
    return privacy_loss(model, release).epsilon(delta)


def optimal_attack_accuracy(model: GaussianModel, release: Release | None = None) -> float:
    """Return the accuracy of the best attacker at even odds on the most exposed pair, ½ + ½ TV."""
    return max(pair_loss(model, release, k).accuracy() for k in range(len(model.pairs)))


def accuracies(model: GaussianModel, releases: Sequence[Release]) -> FloatArray:
    """Return the best attacker's accuracy on each of many releases of normal noise, shape (R,)."""
    noise = np.array([one.total(len(model.query)) for one in releases])
    worst = np.full(len(releases), 0.5)
    for fitted in model.pairs:
        difference = np.broadcast_to(fitted.difference, (len(noise), noise.shape[-1]))
        bare = np.isinf(fitted.smoothness(noise))
        one, other = (
            covariance + noise * ~bare[:, None, None] for covariance in fitted.covariances
        )
        loss = NormalLoss.between(difference, one, other)
        found = np.where(bare & fitted.apart, 1.0, 0.5 + 0.5 * loss.delta(np.zeros(len(noise))))
        worst = np.maximum(worst, found)
    return worst


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a release keeps a promise, and what it delivers.

    Attributes
    ----------
    kept : bool
    law : str
        What that rests on: "model" for the fitted normals, "exact" for a law that is known, "any
        data", or "none".
    promise : Promise
    delta : ndarray, shape (K, 2)
        Delivered at the promise's ε [pair; lower share first, higher share first].
    accuracy : ndarray, shape (K,)
        Of the best attacker at even odds.
    exact : ndarray, shape (K, 2), or None
        δ by the exact law, which decides where it is known.
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


def verdict(model: GaussianModel, release: Release, promise: Promise) -> Verdict:
    """Hold a release against a promise.

    The only place where "kept" is decided: calibration, comparison, pages and reports read it.
    """
    losses = [pair_loss(model, release, place) for place in range(len(model.pairs))]
    at = np.array(promise.epsilon)
    delta = np.array([[float(each.delta(at)) for each in (loss, loss.reversed)] for loss in losses])
    kept = bool((delta <= promise.delta * (1 + _SLACK)).all())  # NaN is not kept
    accuracy = np.array([loss.accuracy() for loss in losses])
    why = (
        "" if kept else f"It delivers δ = {delta.max():.3g} where {promise.delta:.3g} is promised."
    )
    return Verdict(
        kept, "model" if release.additive else "any data", promise, delta, accuracy, why=why
    )
