"""Several releases together: which promises add up, which do not, and what is delivered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv import mechanisms
from distpriv.arguments import MODERATE, checked
from distpriv.errors import CalibrationError
from distpriv.mechanisms.curves import Curves
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.covered import is_undone, tells_coset
from distpriv.privacy.delivered import delivered_delta, delivered_epsilon, privacy_losses
from distpriv.privacy.noise import Noise, check_units, gaussian_noise

__all__ = [
    "AGAIN",
    "SUM_RULE",
    "JointRelease",
    "Premise",
    "Promise",
    "compose",
    "delivered_after",
    "joint_release",
    "mixture",
    "repeated_release",
]

FloatArray = NDArray[np.float64]

Premise = Literal["independent", "point-mass"]

SUM_RULE, AGAIN = "sum rule", "the same again"


@checked(CalibrationError)
@dataclass(frozen=True)
class Promise:
    """What one release promises: (ε, δ)-distribution privacy.

    Attributes
    ----------
    epsilon : float > 0
    delta : float in [0, 1]
        1 promises nothing, which several promises together may come to.
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < math.inf:
            raise CalibrationError(f"ε must be a positive number, got ε = {self.epsilon:g}.")
        if not 0 <= self.delta <= 1:
            raise CalibrationError(f"δ must be in [0, 1), got δ = {self.delta:g}.")


@checked(CalibrationError)
def compose(promises: Sequence[Promise], premise: Premise) -> Promise:
    """What several releases promise together where promises add up: (Σ ε_k, min(1, Σ δ_k)).

    Parameters
    ----------
    promises : sequence of Promise
        At least one.
    premise : "independent" or "point-mass"
        Why they add up. *independent*: each release is computed from a dataset of its own, drawn
        independently of the others; the sum then holds for whoever tells the tuples of
        distributions apart, one pair of Ψ for each dataset (Chen & Ohrimenko 2023, full
        version, Proposition A.5). *point-mass*: every θ of Θ is a single dataset, so that
        nothing but the noise is random, as in differential privacy (Proposition A.4). For
        releases from one dataset that the attacker is uncertain about no rule holds; see
        :class:`distpriv.composition.CompositionExample`, and :func:`joint_release` for what they
        deliver.

    Raises
    ------
    CalibrationError
        If there is no promise, or another premise.
    """
    if premise not in get_args(Premise):
        raise CalibrationError(
            f"Promises add up under the premise {' or '.join(get_args(Premise))} only, got "
            f"{premise!r}; compute what the releases deliver together instead."
        )
    _check_any(promises)
    return Promise(
        math.fsum(promise.epsilon for promise in promises),
        min(1.0, math.fsum(promise.delta for promise in promises)),
    )


@checked(CalibrationError)
def mixture(promises: Sequence[Promise], weights: ArrayLike) -> Promise:
    """What is promised if chance decides which one of several releases is made.

    (max ε_k, Σ w_k δ_k): Σ_k w_k P_k(S) ≤ Σ_k w_k (e^{ε_k} Q_k(S) + δ_k)
    ≤ e^{max ε} Σ_k w_k Q_k(S) + Σ_k w_k δ_k, whether or not the choice shows (Chen & Ohrimenko
    2023, full version, Proposition A.3, is the case of equal promises).

    Parameters
    ----------
    promises : sequence of Promise
    weights : array-like, one a promise
        Probabilities; they sum to 1.

    Raises
    ------
    CalibrationError
        If there is no promise, or the weights are not their probabilities.
    """
    _check_any(promises)
    chances = np.asarray(weights, dtype=np.float64)
    if chances.shape != (len(promises),) or not (np.isfinite(chances) & (chances >= 0)).all():
        raise CalibrationError(
            f"There must be {len(promises)} probabilities, one a release and none of them "
            f"negative, got {np.array2string(chances, precision=3, threshold=8)}."
        )
    if abs(chances.sum() - 1) > 1e-9:
        raise CalibrationError(
            f"The probabilities of the releases must sum to 1, got {chances.sum():.6g}; change one "
            "of them."
        )
    possible = [promise for promise, chance in zip(promises, chances, strict=True) if chance > 0]
    return Promise(
        max(promise.epsilon for promise in possible),
        min(1.0, float(chances @ [promise.delta for promise in promises])),
    )


@checked(CalibrationError)
def delivered_after(
    model: GaussianModel,
    noise: Noise | None,
    matrix: ArrayLike,
    epsilon: float,
) -> float:
    """δ that A·(F + Z) delivers at ε: what is computed from a release costs nothing more.

    Never above what the whole release delivers (post-processing: Chen & Ohrimenko 2023, full
    version, Proposition A.2), and the same if A can be undone.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise or None
    matrix : array-like, shape (q, m)
        A, e.g. rows of the identity to publish some of the statistics only.
    epsilon : float >= 0

    Raises
    ------
    CalibrationError
        If A does not have m finite numbers a row, the noise is Laplace, or ε is negative.
    """
    if not epsilon >= 0:
        raise CalibrationError(f"ε must not be negative, got ε = {epsilon:g}.")
    linear = np.asarray(matrix, dtype=np.float64)
    size = len(model.query)
    if linear.ndim != 2 or linear.shape[1] != size or not np.isfinite(linear).all():
        raise CalibrationError(
            f"The matrix must have {size} finite numbers a row, one a statistic, got shape "
            f"{linear.shape}."
        )
    # An orthonormal basis of the rows, in standard deviations, tells what they tell.
    deviations = model.standard_deviations
    _, singular, rows = np.linalg.svd(linear * deviations, full_matrices=False)
    kept = rows[singular > 1e-10 * max(float(singular.max(initial=0.0)), 1e-300)] / deviations
    if not len(kept):
        return 0.0
    added = np.zeros((size, size))
    if noise is not None and not noise.is_zero:
        if noise.distribution != "gaussian":
            raise CalibrationError(
                f"What a computation on a release of {noise.mechanism} delivers has no closed "
                "form: its noise is Laplace; take a Gaussian mechanism."
            )
        added = added if is_undone(model, noise) else noise.covariance
    used = np.flatnonzero(linear.any(axis=0)).tolist()
    if not added.any() and any(tells_coset(fit.of_statistics(used), None) for fit in model.pairs):
        # The safe side: what is computed of the statistics may keep their last digits.
        return delivered_delta(model.of_statistics(*used), None, epsilon)
    return max(
        loss.delta(min(epsilon, MODERATE.high))  # δ falls as ε grows
        for fit in model.pairs
        for loss in privacy_losses(_mapped(fit, kept, added), None)
    )


def _mapped(fit: PairModel, matrix: FloatArray, added: FloatArray) -> PairModel:
    return replace(
        fit,
        means=fit.means @ matrix.T,
        covariances=matrix @ (fit.covariances + added) @ matrix.T,
        steps=None,
        jackknife=None,
    )


@dataclass(frozen=True, eq=False)
class JointRelease:
    """The statistics of a model in two releases from the same dataset.

    Attributes
    ----------
    parts : tuple of two Noise
        Each calibrated to its own statistics, as if there were no others.
    noise : Noise
        Of both together, in the order of the query.
    alone : tuple of two floats
        ε that each delivers by itself at its own δ.
    rule : Promise
        What the sum rule would say, though nothing proves it here.
    delta : float
        δ that both deliver together at the rule's ε.
    epsilon : float
        ε that both deliver together at the rule's δ.
    """

    parts: tuple[Noise, Noise]
    noise: Noise
    alone: tuple[float, float]
    rule: Promise
    delta: float
    epsilon: float


@checked(CalibrationError)
def joint_release(
    model: GaussianModel,
    first: Sequence[int],
    epsilon: float,
    delta: float,
    mechanism: str = "OptM",
    calibration: Calibration = "guarded",
    units: ArrayLike | None = None,
) -> JointRelease:
    """Release some statistics and then the others, each with noise of its own.

    Parameters
    ----------
    model : GaussianModel
    first : sequence of int
        Which statistics the first release holds; the second holds the others.
    epsilon, delta : float
        What each of the two promises.
    mechanism, calibration, units
        As for :func:`distpriv.calibrate`; the mechanism adds Gaussian noise.

    Raises
    ------
    CalibrationError
        If one of the two would be empty, the mechanism adds Laplace noise, or it cannot be
        calibrated to the statistics of one of them.
    """
    size = len(model.query)
    chosen = sorted(set(first))
    others = [index for index in range(size) if index not in chosen]
    if not chosen or not others or not set(chosen) <= set(range(size)):
        raise CalibrationError(
            f"Each of the two releases needs at least one of the {size} statistics; move one to "
            "the empty release."
        )
    if mechanisms.get(mechanism).distribution != "gaussian":
        raise CalibrationError(
            f"What two releases deliver together is computed for Gaussian noise only, and "
            f"{mechanism} adds Laplace noise; choose another mechanism."
        )
    rule = Promise(2 * epsilon, min(1.0, 2 * delta))
    all_units = None if units is None else check_units(units, size)
    covariance = np.zeros((size, size))
    parts, alone = [], []
    for indices in (chosen, others):
        part = model.of_statistics(*indices)
        sizes = None if all_units is None else all_units[indices]
        noise = mechanisms.calibrate(mechanism, part, epsilon, delta, calibration, sizes)
        covariance[np.ix_(indices, indices)] = noise.covariance
        parts.append(noise)
        alone.append(delivered_epsilon(part, noise, delta))
    joint = gaussian_noise(
        mechanism,
        covariance,
        epsilon=rule.epsilon,
        delta=rule.delta,
        calibration=calibration,
        caveats=("No rule promises anything about two releases from the same dataset.",),
    )
    return JointRelease(
        parts=(parts[0], parts[1]),
        noise=joint,
        alone=(alone[0], alone[1]),
        rule=rule,
        delta=delivered_delta(model, joint, rule.epsilon),
        epsilon=delivered_epsilon(model, joint, rule.delta) if rule.delta < 1 else 0.0,
    )


@checked(CalibrationError)
def repeated_release(
    model: GaussianModel, noise: Noise, counts: Sequence[int], delta: float
) -> Curves:
    """ε of r releases of the same statistics at r·δ: what the sum rule says, what is delivered.

    With equal covariances Σ the sum rule holds, though no premise of :func:`compose` does:
    Σ + S/r ⪰ (Σ + S)/r, so the Mahalanobis distance grows by √r at most, as that of r releases
    from independent datasets does, and they may add up (Proposition A.5). With unequal
    covariances this proves nothing, and no exception is known either.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise
    counts : sequence of int, each at least 1
        Those with r·δ ≥ 1 are left out.
    delta : float in (0, 1)
        Of one release.

    Returns
    -------
    Curves
        ``SUM_RULE``, r times the ε that one release delivers, and ``AGAIN``.
    """
    kept = [count for count in counts if count * delta < 1]
    once = delivered_epsilon(model, noise, delta)
    delivered = [
        delivered_epsilon(model, noise.after_releases(count), count * delta) for count in kept
    ]
    x = np.array(kept, dtype=np.float64)
    return Curves(x, {SUM_RULE: once * x, AGAIN: np.array(delivered)})


def _check_any(promises: Sequence[Promise]) -> None:
    if not promises:
        raise CalibrationError("There is no release whose promise could be counted; add one.")
