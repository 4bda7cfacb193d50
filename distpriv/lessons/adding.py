"""Steps 3 to 5: where noise goes, and how much of it there has to be.

Calibrated to the mean of the two shares' covariances, and grid-safe: noise in one direction stands
on a floor of half a step on each statistic, without which arithmetic would undo it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from distpriv.analysis.design import noiseless_epsilon
from distpriv.analysis.sweeps import expected_errors, sweep
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.attribute.gaussian import AttributeGaussian, attribute_private_gaussian
from distpriv.lessons.course import COUNTS, DELTA, EPSILON, MECHANISMS, PLAIN, Course
from distpriv.mechanisms import calibrate
from distpriv.mechanisms.curves import Curves
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.noise import Noise

__all__ = [
    "LeastNoise",
    "OwnVariation",
    "RotatedNoise",
    "least_noise",
    "own_variation",
    "rotated_noise",
]


@dataclass(frozen=True, eq=False)
class RotatedNoise:
    """Step 3: noise in one direction, turned away from the shift.

    Attributes
    ----------
    fit : PairModel
        Of the two counts.
    noise, everywhere : Noise
        The turned noise of DirM, and that of ExpM, as large in every direction.
    accuracy, along, across, undefended, around : float
        Accuracy of the best attacker: with the turned noise, with the same along the shift,
        across it, without noise, and with ExpM.
    """

    fit: PairModel
    noise: Noise
    everywhere: Noise
    accuracy: float
    along: float
    across: float
    undefended: float
    around: float


def rotated_noise(course: Course, degrees: float) -> RotatedNoise:
    """Noise of one size in the plane of two counts, at an angle to their shift.

    Parameters
    ----------
    course : Course
    degrees : float
        0 along the shift, which is DirM; 90 across it.
    """
    model = course.model().of_statistics(*COUNTS)
    noise, everywhere = (calibrate(name, model, EPSILON, DELTA, PLAIN) for name in ("DirM", "ExpM"))
    along = noise.directions[:, 0]
    across = np.array([-along[1], along[0]])

    def at(angle: float) -> Noise:
        towards = math.cos(math.radians(angle)) * along + math.sin(math.radians(angle)) * across
        return replace(noise, directions=towards[:, None])

    return RotatedNoise(
        fit=model.pairs[0],
        noise=at(degrees),
        everywhere=everywhere,
        accuracy=optimal_attack_accuracy(model, at(degrees)),
        along=optimal_attack_accuracy(model, noise),
        across=optimal_attack_accuracy(model, at(90)),
        undefended=optimal_attack_accuracy(model),
        around=optimal_attack_accuracy(model, everywhere),
    )


@dataclass(frozen=True, eq=False)
class OwnVariation:
    """Step 4: the part of the noise that the statistics bring themselves.

    Attributes
    ----------
    axes : dict of int to AttributeGaussian
        By the statistic that leads the axis of variation, the widest axis first: the variance
        that is there, and what noise has to add.
    ignoring, using : float
        Expected L2 error of ExpM, and of EigM, which needs noise for the rest alone.
    varied_more : float
        That of EigM if every variance were twice as large.
    noiseless : float
        ε from which on mechanisms that know the direction too need no noise at all.
    """

    axes: dict[int, AttributeGaussian]
    ignoring: float
    using: float
    varied_more: float
    noiseless: float


def own_variation(course: Course, epsilon: float) -> OwnVariation:
    """What each axis of variation brings of the variance that ε asks for (Theorem 4.5)."""
    model = course.model()
    fit = model.pairs[0]
    more = replace(model, pairs=(replace(fit, covariances=2 * fit.covariances),))
    using, ignoring, varied_more = (
        calibrate(name, fitted, epsilon, DELTA, PLAIN).expected_error()
        for name, fitted in (("EigM", model), ("ExpM", model), ("EigM", more))
    )
    return OwnVariation(
        axes=_axes(model, epsilon, DELTA),
        ignoring=ignoring,
        using=using,
        varied_more=varied_more,
        noiseless=noiseless_epsilon(model, DELTA, PLAIN),
    )


def _axes(model: GaussianModel, epsilon: float, delta: float) -> dict[int, AttributeGaussian]:
    """One-dimensional noise along each eigenvector, which is what EigM consists of."""
    variances, vectors = np.linalg.eigh(model.pairs[0].pooled)
    free = list(range(len(variances)))
    axes = {}
    for place in reversed(range(len(variances))):
        leader = max(free, key=lambda each: abs(vectors[each, place]))
        free.remove(leader)
        axes[leader] = attribute_private_gaussian(
            [model.sensitivity(2)], [variances[place]], epsilon, delta, PLAIN
        )
    return axes


@dataclass(frozen=True, eq=False)
class LeastNoise:
    """Step 5: five mechanisms with the same promise.

    Attributes
    ----------
    curves : Curves
        Expected L2 error against ε.
    errors, accuracies : dict of mechanism to float
        Expected L2 error, and accuracy of the best attacker, at ε = 1.
    tilt : float
        Angle between OptM's noise and the shift, in degrees.
    """

    curves: Curves
    errors: dict[str, float]
    accuracies: dict[str, float]
    tilt: float


@lru_cache(maxsize=8)
def least_noise(course: Course) -> LeastNoise:
    """What the same promise costs with each mechanism."""
    model = course.model()
    noises = {name: course.noise(name, calibration=PLAIN) for name in MECHANISMS}
    shift = model.pairs[0].difference / np.linalg.norm(model.pairs[0].difference)
    cosine = min(abs(float(shift @ noises["OptM"].directions[:, 0])), 1.0)
    grid = np.unique(np.append(np.geomspace(0.1, 10, 25), EPSILON))
    return LeastNoise(
        curves=sweep(
            expected_errors(), "epsilon", grid, model, MECHANISMS, delta=DELTA, calibration=PLAIN
        ),
        errors={name: noise.expected_error() for name, noise in noises.items()},
        accuracies={name: optimal_attack_accuracy(model, noise) for name, noise in noises.items()},
        tilt=math.degrees(math.acos(cosine)),
    )
