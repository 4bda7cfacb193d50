"""What several releases of the same statistics add up to, whatever noise each of them had."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from distpriv.arguments import checked
from distpriv.attacks.best_attack import optimal_attack_estimate
from distpriv.composition import laplace_sums
from distpriv.composition.joint_loss import JointLoss, worst_epsilon
from distpriv.composition.observed import Observed, noise_from
from distpriv.composition.rules import Promise, compose
from distpriv.composition.stacked import stacked
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import check_delta
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise
from distpriv.words import exact

__all__ = ["Part", "Standing", "accumulate", "joint_noise", "promised_of_one"]

_SILENT = "One of them promises nothing, so they promise nothing together."


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
    count, exact_ = len(parts), all(map(_is_normal, parts))
    if count == 1 and not exact_:
        model = parts[0].model if pair is None else parts[0].model.only(pair)
        estimate = optimal_attack_estimate(model, parts[0].noise, rng=0, tolerance=1.5e-3)
        return Standing(1, estimate.estimate, True, None, promise, remark)
    asked = range(len(parts[0].model.pairs)) if pair is None else (pair,)
    joint = [_joint_loss(parts, index, shared) for index in range(len(parts[0].model.pairs))]
    accuracy = max(joint[index].accuracy for index in asked)
    if exact_:
        epsilon = None if delta is None else worst_epsilon([(loss,) for loss in joint], delta)
        return Standing(count, accuracy, True, epsilon, promise, remark)
    if promise is not None and promise.delta < 1:
        accuracy = min(accuracy, accuracy_ceiling(promise.epsilon, promise.delta))
    return Standing(count, accuracy, False, None, promise, remark)


def _is_normal(part: Part) -> bool:
    return part.noise.is_zero or part.noise.distribution == "gaussian"


def _joint_loss(parts: Sequence[Part], pair: int, shared: bool) -> JointLoss:
    """What is told of one pair, of Laplace noise the normal floor alone being counted."""
    fits = [part.model.pairs[pair] for part in parts]
    all_ = tuple(range(len(parts[0].model.query)))
    if shared:
        return JointLoss((stacked(fits[0], [(all_, part.noise) for part in parts]),))
    return JointLoss(
        tuple(stacked(fit, [(all_, part.noise)]) for fit, part in zip(fits, parts, strict=True))
    )


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
    first, size = noises[0], noises[0].dimension
    if len(noises) == 1:
        return first
    whole = np.eye(size)
    units = np.sqrt(np.max([np.diag(noise.covariance) for noise in noises], axis=0))
    seen = Observed.together([Observed.through(noise, whole) for noise in noises])
    left = noise_from(seen.factors(np.where(units > 0, units, 1.0)), first)
    promise = (
        f"ε = {first.epsilon:g} and δ = {exact(first.delta)} are promised for one release only."
    )
    return replace(left, caveats=(*first.caveats, promise))


def _check_alike(parts: Sequence[Part]) -> None:
    first = parts[0].model
    pairs = [fit.pair for fit in first.pairs]
    for part in parts:
        if part.model.query != first.query or [fit.pair for fit in part.model.pairs] != pairs:
            raise CalibrationError(
                "Releases add up if they are of the same statistics and about the same pairs of "
                "shares; leave the others out."
            )


def promised_of_one(
    promises: Sequence[Promise | None],
    noises: Sequence[Noise],
    model: Callable[[], GaussianModel],
) -> tuple[Promise | None, str]:
    """What releases of the same statistics of one dataset promise together, and a remark.

    Parameters
    ----------
    promises : sequence of Promise or None
    noises : sequence of Noise
        One a promise.
    model : callable
        Gives the model of the statistics, if it is needed.
    """
    known = [promise for promise in promises if promise is not None]
    if len(known) < len(promises):
        return None, _SILENT
    if len(known) == 1:
        return known[0], ""
    if any(
        noise.distribution != "laplace" or promise.delta or noise.delta
        for noise, promise in zip(noises, known, strict=True)
    ):
        return None, "Promises about one dataset add up for Laplace noise with δ = 0 only."
    total, remark = laplace_sums.laplace_sum(
        model(), noises, [promise.epsilon for promise in known]
    )
    return (Promise(total) if total < math.inf else None), remark


def _together(parts: Sequence[Part], shared: bool) -> tuple[Promise | None, str]:
    """What is promised together, and a remark."""
    promises = [part.promise for part in parts]
    if shared:
        return promised_of_one(promises, [part.noise for part in parts], lambda: parts[0].model)
    known = [promise for promise in promises if promise is not None]
    return (compose(known, "independent"), "") if len(known) == len(parts) else (None, _SILENT)
