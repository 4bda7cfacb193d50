"""What several releases of the same statistics add up to, whatever noise each of them had."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.attacks.best_attack import optimal_attack_accuracy, optimal_attack_estimate
from distpriv.attacks.optimal import likelihood_ratio
from distpriv.composition import laplace_sums
from distpriv.composition.rules import Promise, compose
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import check_delta
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.covered import CoveredLoss, holding
from distpriv.privacy.delivered import Loss, privacy_losses
from distpriv.privacy.noise import Noise, gaussian_noise
from distpriv.privacy.privacy_loss import PrivacyLoss
from distpriv.words import exact

__all__ = ["Part", "Standing", "accumulate", "joint_noise"]

FloatArray = NDArray[np.float64]
_NOTHING = 1e-7  # of the lesser noise's variance


@checked(CalibrationError)
@dataclass(frozen=True, eq=False)
class Part:
    """A release, as far as it tells about the secret.

    Attributes
    ----------
    model : GaussianModel
        Of the statistics of the dataset that it was computed from.
    noise : Noise
    promise : Promise or None
        What it promises about every pair of the model; None if that is nothing.
    """

    model: GaussianModel
    noise: Noise
    promise: Promise | None = None


@dataclass(frozen=True)
class Standing:
    """What is known of several releases together.

    Attributes
    ----------
    count : int
    accuracy : float
        Of the best attacker who has all of them, at equal priors.
    exact : bool
        Whether that is the accuracy itself, not a bound from above.
    epsilon : float or None
        Least ε that they deliver together at the δ asked for; None if none was, and for Laplace
        noise, where it is not computed.
    promise : Promise or None
        What they promise together, where adding up is proven.
    remark : str
        Why promises do not add up, or come to more than their sum; empty if they do.
    """

    count: int
    accuracy: float
    exact: bool
    epsilon: float | None
    promise: Promise | None
    remark: str = ""


@checked(CalibrationError)
def accumulate(
    parts: Sequence[Part], *, shared: bool, delta: float | None, pair: int | None = None
) -> Standing:
    """What releases of the same statistics tell together.

    *From one dataset*, a whole table released again and again, the statistics are the same every
    time and only the noises differ: Gaussian ones are one release with :func:`joint_noise`.
    *From datasets of their own*, samples drawn independently, all of one share or all of the
    other, nothing is shared: privacy losses add up, the log-likelihood ratio of the best attacker
    among them. Promises add up for such samples (Chen & Ohrimenko 2023, full version, Proposition
    A.5). For one dataset they do as far as one coupling proves all of them, see
    :func:`distpriv.composition.laplace_sums.laplace_sum`.

    Where nothing is computed the accuracy is bounded by the promise together and by what the
    true statistics without noise would tell.

    Parameters
    ----------
    parts : sequence of Part
        Models of the same pairs in the same order, and of the same query; of the same dataset
        if `shared`.
    shared : bool
        Whether all are computed from one dataset.
    delta : float in (0, 1), or None
        At which ε is asked for; None if it is not.
    pair : int, optional
        Index of the pair that the attacker is about; by default the worst one.

    Raises
    ------
    CalibrationError
        If δ is outside its domain, or the models are not about the same.
    """
    if delta is not None:
        check_delta(delta)
    if not parts:
        return Standing(0, 0.5, True, 0.0, None)
    _check_alike(parts)
    promise, remark = _together(parts, shared)
    asked = range(len(parts[0].model.pairs)) if pair is None else (pair,)
    if all(part.noise.distribution == "gaussian" or part.noise.is_zero for part in parts):
        count = len(parts)
        if shared:
            parts = [Part(parts[0].model, joint_noise([part.noise for part in parts]))]
        accuracy = max(_accuracy(parts, index) for index in asked)
        epsilon = None if delta is None else _delivered(parts, delta)
        return Standing(count, accuracy, True, epsilon, promise, remark)
    if len(parts) == 1:
        model = parts[0].model if pair is None else parts[0].model.only(pair)
        estimate = optimal_attack_estimate(model, parts[0].noise, rng=0, tolerance=1.5e-3)
        return Standing(1, estimate.estimate, True, None, promise, remark)
    open_ = [Part(part.model, _no_noise(part.noise)) for part in (parts[:1] if shared else parts)]
    bound = max(_accuracy(open_, index) for index in asked)
    if promise is not None and promise.delta < 1:
        bound = min(bound, accuracy_ceiling(promise.epsilon, promise.delta))
    return Standing(len(parts), bound, False, None, promise, remark)


@checked(CalibrationError)
def joint_noise(noises: Sequence[Noise]) -> Noise:
    """What is left of several Gaussian noises on the same true statistics.

    All releases together tell what one tells whose noise has the parallel sum of the
    covariances, S₁:S₂ = S₁(S₁ + S₂)⁺S₂, that is (S₁⁻¹ + S₂⁻¹)⁻¹ where they can be inverted
    (Anderson & Duffin 1969): y₁ − S₁(S₁ + S₂)⁺(y₁ − y₂) has that covariance about the true
    statistics and is independent of y₁ − y₂, which tells nothing about them. For r equal ones it
    is S/r, as :meth:`distpriv.Noise.after_releases` has it.

    Parameters
    ----------
    noises : sequence of Gaussian Noise
        At least one, of the same number of statistics.

    Raises
    ------
    CalibrationError
        If there is none, one is Laplace, or they differ in the number of statistics.
    """
    if not noises or len({noise.dimension for noise in noises}) > 1:
        raise CalibrationError("Noises add up over the same statistics; give at least one.")
    if any(noise.distribution != "gaussian" and not noise.is_zero for noise in noises):
        raise CalibrationError(
            "What is left of several Laplace noises is no Laplace noise; take Gaussian ones."
        )
    first = noises[0]
    if len(noises) == 1:
        return first
    covariance = first.covariance
    for noise in noises[1:]:
        covariance = _parallel_sum(covariance, noise.covariance)
    promise = (
        f"ε = {first.epsilon:g} and δ = {exact(first.delta)} are promised for one release only."
    )
    return gaussian_noise(
        first.mechanism,
        covariance,
        epsilon=first.epsilon,
        delta=first.delta,
        calibration=first.calibration or "exact",
        caveats=(*first.caveats, promise),
    )


def _parallel_sum(one: FloatArray, other: FloatArray) -> FloatArray:
    # In units in which the lesser noise on each statistic is 1; no more than that is left.
    lesser, greater = np.sort([np.diag(one), np.diag(other)], axis=0)
    sizes = np.sqrt(np.where(lesser > 0, lesser, np.where(greater > 0, greater, 1.0)))
    across = np.outer(sizes, sizes)
    one, other = one / across, other / across
    covariance = one @ np.linalg.pinv(one + other, rcond=1e-14, hermitian=True) @ other
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    # Where no noise is common to both, rounding would leave a little; none is the safe answer.
    values[values < _NOTHING] = 0.0
    return (vectors * values) @ vectors.T * across


def _no_noise(noise: Noise) -> Noise:
    size = noise.dimension
    return gaussian_noise(
        noise.mechanism, np.zeros((size, size)), epsilon=1.0, delta=0.0, calibration="exact"
    )


def _check_alike(parts: Sequence[Part]) -> None:
    first = parts[0].model
    pairs = [fit.pair for fit in first.pairs]
    for part in parts:
        if part.model.query != first.query or [fit.pair for fit in part.model.pairs] != pairs:
            raise CalibrationError(
                "Releases add up if they are of the same statistics and about the same pairs of "
                "shares; leave the others out."
            )


def _together(parts: Sequence[Part], shared: bool) -> tuple[Promise | None, str]:
    """What is promised together, and a remark."""
    promises = [part.promise for part in parts if part.promise is not None]
    if len(promises) < len(parts):
        return None, "One of them promises nothing, so they promise nothing together."
    if not shared or len(parts) == 1:
        return compose(promises, "independent"), ""
    noises = [part.noise for part in parts]
    if any(
        noise.distribution != "laplace" or promise.delta or noise.delta
        for noise, promise in zip(noises, promises, strict=True)
    ):
        return None, "Promises about one dataset add up for Laplace noise with δ = 0 only."
    total, remark = laplace_sums.laplace_sum(
        parts[0].model, noises, [promise.epsilon for promise in promises]
    )
    return (Promise(total) if total < math.inf else None), remark


def _accuracy(parts: Sequence[Part], pair: int) -> float:
    """Of the best attacker on all Gaussian releases; their log-likelihood ratios add up."""
    if len(parts) == 1:
        return optimal_attack_accuracy(parts[0].model.only(pair), parts[0].noise)
    fits = [part.model.pairs[pair] for part in parts]
    held = [holding(fit, part.noise) for fit, part in zip(fits, parts, strict=True)]
    together = likelihood_ratio(list(zip(fits, held, strict=True))).together()
    return float(1 + together.total_variation()) / 2


def _delivered(parts: Sequence[Part], delta: float) -> float:
    """ε at δ, for the worst pair and order, each normal with its own covariance."""
    largest = 0.0
    for pair in range(len(parts[0].model.pairs)):
        both = [privacy_losses(part.model.pairs[pair], part.noise) for part in parts]
        for order in range(2):
            loss = _together_loss([losses[order] for losses in both])
            if largest < math.inf and loss.delta(largest) > delta:
                largest = loss.epsilon(delta)
    return largest


def _together_loss(losses: Sequence[Loss]) -> PrivacyLoss | CoveredLoss:
    """Of independent Gaussian releases: losses add up, and the factors of their grids multiply."""
    theta, plain = 1.0, []
    for term in losses:
        if isinstance(term, CoveredLoss):
            theta *= 1 + term.theta
            plain.append(term.loss)
        elif isinstance(term, PrivacyLoss):
            plain.append(term)
    loss = PrivacyLoss(
        np.concatenate([loss.shift for loss in plain]),
        np.concatenate([loss.spread for loss in plain]),
    )
    return CoveredLoss(loss, theta - 1) if theta > 1 else loss
