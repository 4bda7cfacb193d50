"""The best possible attacker on any noise: exactly where that can be had, else simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import Within, checked
from distpriv.attacks.error_curves import (
    PrecisionRecallCurve,
    RocCurve,
    precision_recall_of,
    thinned,
)
from distpriv.attacks.laplace_optimum import laplace_optimum, laplace_roc
from distpriv.attacks.optimal import exact_accuracies, optimal_precision_recall, optimal_roc
from distpriv.errors import AttackError, CalibrationError, ModelError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.partial_knowledge import conditional_model
from distpriv.model.sampling import Interval, RandomState
from distpriv.privacy.delivered import delivered_delta
from distpriv.privacy.known_laws import Laws
from distpriv.privacy.noise import Noise

__all__ = [
    "best_precision_recall",
    "best_roc",
    "optimal_attack_accuracies",
    "optimal_attack_accuracy",
    "optimal_attack_estimate",
    "pooled_attack_accuracy",
]

_TOLERANCE = 5e-4
_ON_CURVES = 1.5e-3
_QUICK = 6  # directions for which the simulated ROC curve is as good as that


@checked(AttackError)
def optimal_attack_accuracy(
    model: GaussianModel,
    noise: Noise | None = None,
    *,
    law: Laws = None,
    known_records: Annotated[int, Within(0)] = 0,
) -> float:
    """Accuracy of the best possible attacker at equal priors, for the worst pair.

    (1 + TV)/2, TV the total variation of the two normals as they are, each with its own covariance
    and the noise: Φ(d_M/2) where the covariances agree, else an integral
    (:func:`distpriv.attacks.optimal.exact_accuracy`). On Laplace noise numerically, to 1e-3 and the
    same at every call (:func:`optimal_attack_estimate`). The attacker knows the grid of the
    statistics: noise that arithmetic undoes counts for nothing, and what the grid shows through
    noise that covers it (θ/2 at most) is added.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    law : ExactLaw, or sequence of ExactLaw, optional
        Take the exact law of each pair's statistics, in the model's units
        (:func:`distpriv.privacy.model_laws`), in place of the normals.
    known_records : int
        How many of the n records the attacker already knows
        (:func:`distpriv.model.conditional_model`); by the normals, whatever law is given.

    Returns
    -------
    float in [0.5, 1]

    Raises
    ------
    AttackError
        If the exact law is not that of the model, or not known for such noise.
    ModelError
        If the attacker cannot know so many records, or what they leave is not known.
    """
    if known_records:
        return optimal_attack_accuracy(conditional_model(model, known_records), noise)
    if law is not None:
        try:
            return 0.5 + 0.5 * min(delivered_delta(model, noise, 0.0, law=law), 1.0)
        except (CalibrationError, ModelError) as error:
            raise AttackError(str(error)) from None
    return optimal_attack_estimate(model, noise, rng=0).estimate


@checked(AttackError)
def optimal_attack_accuracies(
    cases: Sequence[tuple[GaussianModel, Noise | None]], *, directions: int | None = None
) -> NDArray[np.float64]:
    """:func:`optimal_attack_accuracy` of many releases at once, for curves.

    What has to be simulated is, to 1.5e-3.

    Parameters
    ----------
    cases : sequence of (GaussianModel, Noise or None)
    directions : int, optional
        Laplace noise in more directions is left out; by default none is.

    Returns
    -------
    ndarray, shape (cases,)
        NaN for what is left out.
    """
    accuracies = exact_accuracies(cases)
    for place, (model, noise) in enumerate(cases):
        if not np.isnan(accuracies[place]):
            continue
        assert noise is not None
        count = noise.directions.shape[1]
        if directions is None or count <= directions:
            if count <= _QUICK:
                accuracies[place] = _quickly(model, noise)
            else:
                estimate = optimal_attack_estimate(model, noise, rng=0, tolerance=_ON_CURVES)
                accuracies[place] = estimate.estimate
    return accuracies


@checked(AttackError)
def optimal_attack_estimate(
    model: GaussianModel,
    noise: Noise | None = None,
    rng: RandomState = None,
    *,
    tolerance: Annotated[float, Within(1e-5, 1)] = _TOLERANCE,
) -> Interval:
    """Accuracy of the best possible attacker at equal priors, with its interval.

    An interval of no width where it is exact (:func:`distpriv.attacks.optimal.exact_accuracy`);
    else simulated (:func:`distpriv.attacks.laplace_optimum.laplace_optimum`).

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    rng : Generator, int or None
        For the simulation.
    tolerance : float > 0
        Wanted half-width of the interval.
    """
    known = exact_accuracies([(replace(model, pairs=(fit,)), noise) for fit in model.pairs])
    simulated = [
        fit for fit, accuracy in zip(model.pairs, known, strict=True) if np.isnan(accuracy)
    ]
    largest = float(np.nanmax(known)) if len(simulated) < len(known) else 0.5
    if not simulated:
        return Interval(largest, largest, largest)
    assert noise is not None
    left = replace(model, pairs=tuple(simulated))
    interval = laplace_optimum(left, noise, rng, tolerance=tolerance).interval
    return Interval(
        *(max(end, largest) for end in (interval.estimate, interval.low, interval.high))
    )


def _quickly(model: GaussianModel, noise: Noise) -> float:
    """From the simulated ROC curve of every pair, in some milliseconds."""
    curves = [laplace_roc(replace(model, pairs=(fit,)), noise) for fit in model.pairs]
    return max(
        float(1 + (curve.true_positive_rate - curve.false_positive_rate).max()) / 2
        for curve in curves
    )


@checked(AttackError)
def pooled_attack_accuracy(model: GaussianModel, noise: Noise | None = None) -> float:
    """Accuracy of the best attacker if both normals of a pair had their mean covariance.

    The assumption of Chen & Ohrimenko (2023), Section 5, under which the best test is linear and
    right with probability Φ(d_M/2), d_M the Mahalanobis distance of the two means: for comparison
    with their figures. Where the covariances differ an attacker may be right more often
    (:func:`optimal_attack_accuracy`).

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.

    Returns
    -------
    float in [0.5, 1]
    """
    pairs = tuple(
        replace(fit, covariances=np.array([fit.pooled, fit.pooled])) for fit in model.pairs
    )
    return optimal_attack_accuracy(replace(model, pairs=pairs), noise)


def best_roc(model: GaussianModel, noise: Noise | None = None, points: int = 101) -> RocCurve:
    """ROC curve of the best possible attacker on any noise, for the pair told apart most often.

    :func:`distpriv.attacks.optimal.optimal_roc`, or simulated where that is not known.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    points : int, at least 2
    """
    try:
        return optimal_roc(model, noise, points)
    except AttackError:
        assert noise is not None
        return thinned(laplace_roc(model, noise), points)


def best_precision_recall(
    model: GaussianModel, noise: Noise | None = None, points: int = 101, *, base_rate: float = 0.5
) -> PrecisionRecallCurve:
    """Precision–recall curve of the best possible attacker on any noise; see :func:`best_roc`.

    Parameters
    ----------
    base_rate : float in (0, 1)
        How often the share is p_j.
    """
    try:
        return optimal_precision_recall(model, noise, points, base_rate=base_rate)
    except AttackError:
        assert noise is not None
        curve = laplace_roc(model, noise)
        rates = curve.false_positive_rate, curve.true_positive_rate
        return precision_recall_of(*rates, points, base_rate)
