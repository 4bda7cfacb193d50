"""Laplace noise along orthonormal directions, with a normal floor on the grid of the statistics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from distpriv.arrays import FloatArray, IntArray
from distpriv.errors import NotApplicable
from distpriv.mechanisms.base import Options, differences
from distpriv.mechanisms.floor import TOO_COARSE, allowance, floor_widths
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy.delivered import verdict
from distpriv.privacy.least_noise import least_along

__all__ = ["NO_AMOUNT", "NO_EPSILON", "laplace_release", "rounded_up"]

NO_AMOUNT = (
    "No amount of {} noise keeps this promise: the two shares differ in more than it covers; take "
    "OptM or balanced figures."
)
NO_EPSILON = (
    "{} needs an ε above 0, because its scale is divided by ε; set a limit of right guesses, or "
    "take OptM."
)
_UNSEEN = 1e-6  # of δ, which nodes may miss
_ROUGH = 2e-3  # of ln δ: room that noise may leave
_LARGEST = 64.0  # factor on the scale


def laplace_release(
    name: str,
    model: GaussianModel,
    directions: FloatArray,
    promise: Promise,
    options: Options,
    size: float | None = None,
) -> Release:
    """Return Laplace noise of scale Δ/ε along directions, Δ the difference's L1 norm along them.

    Or Δ is the size that is passed. That promises (ε, 0) where the two laws differ by a shift only
    (Theorems 4.1 and 4.3). Guarded noise promises what it delivers under the covariances as they
    are: for δ = 0 the returned promise has the δ of it, rounded up, with what quadrature may err by
    and 1e-6 that it may not see; for another δ the scale grows until that is kept. NotApplicable if
    ε is 0, the expected statistics agree, no scale keeps the promise, or no floor covers the grid.
    """
    if promise.epsilon == 0:
        raise NotApplicable(NO_EPSILON.format(name))
    if size is None:
        size = float(np.abs(differences(model) @ directions).sum(axis=1).max())
    if size == 0:
        raise NotApplicable(
            f"{name} adds noise by how far apart the expected statistics are, and these agree at "
            "the two shares; take OptM."
        )
    floor, ratio = _floor(model, promise.epsilon)

    def times(factor: float) -> Release:
        return Release(
            name,
            np.diag(floor**2) if floor.any() else None,
            directions,
            size * factor / (promise.epsilon - ratio),
            promise=promise,
            calibration=options.calibration,
            floor=floor,
        )

    release = times(1.0)
    if options.calibration != "guarded":
        return release
    if promise.delta == 0:
        delta = rounded_up(_at_most(model, release, promise))
        return replace(release, promise=replace(promise, delta=delta))

    def excess_of(_: IntArray, factors: FloatArray) -> FloatArray:
        reached = [_at_most(model, times(factor), promise) for factor in factors]
        return np.log(np.array(reached) / promise.delta)

    steep = max(1.0, promise.epsilon)  # the largest loss falls like 1/factor
    rough = _ROUGH * min(steep, 5.0)  # where noise is less than that
    factor = float(least_along(excess_of, np.ones(1), rough, _LARGEST, steep)[0])
    if math.isnan(factor):
        raise NotApplicable(NO_AMOUNT.format(name))
    return times(factor)


def _at_most(model: GaussianModel, release: Release, promise: Promise) -> float:
    """Compute the δ that is delivered at most."""
    return float(verdict(model, release, promise).delivered.max()) + _UNSEEN


def _floor(model: GaussianModel, epsilon: float) -> tuple[FloatArray, float]:
    """Compute deviations of the floor, (m,), and what ε is charged.

    Laplace noise is normal noise of random size (Andrews & Mallows 1974), so that with it the grid
    is covered at least as well as by the floor alone.
    """
    m = len(model.query)
    if not model.steps.any():
        return np.zeros(m), 0.0
    allowed = allowance(np.array([epsilon]), np.zeros(1))
    width, ratio = floor_widths(model.pairs, np.zeros((1, m, m)), model.steps, allowed)
    if np.isnan(width[0]):
        raise NotApplicable(TOO_COARSE)
    return width[0] * model.steps, float(ratio[0])


def rounded_up(delta: float) -> float:
    """Return a δ with two significant digits, below 1."""
    unit = 10.0 ** (math.floor(math.log10(delta)) - 1)
    return min(math.ceil(delta / unit * (1 - 1e-12)) * unit, 1 - 1e-9)
