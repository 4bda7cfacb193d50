"""Laplace noise along orthonormal directions, with a normal floor on the grid of the statistics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.optimize import brentq

from distpriv.arrays import FloatArray
from distpriv.errors import NotApplicable
from distpriv.mechanisms.base import Options, differences
from distpriv.mechanisms.floor import TOO_COARSE, allowance, floor_widths
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy.delivered import optimal_attack_accuracy, verdict

__all__ = ["laplace_release"]

_NEAR = 2e-3  # of ln ε: how near a search comes
_DELTA_ERROR = 0.2, 2e-5  # of the quadrature: share of δ, and besides
_ACCURACY_ERROR = 5e-4
_WIDEST = math.log(64.0)  # factor on the scale


def laplace_release(
    name: str, model: GaussianModel, directions: FloatArray, promise: Promise, options: Options
) -> Release:
    """Return Laplace noise of scale Δ/ε along directions, Δ the difference's L1 norm along them.

    That promises (ε, 0) where the two laws differ by a shift only (Theorems 4.1 and 4.3). Guarded
    noise promises what it delivers under the covariances as they are: for δ = 0 the returned
    promise has the δ of it, with the error of its quadrature, rounded up; for another δ the scale
    grows until that is kept.

    Raises
    ------
    NotApplicable
        If ε is 0, no scale keeps the promise, or no floor covers the grid.
    """
    size = float(np.abs(differences(model) @ directions).sum(axis=1).max())
    if size == 0:
        raise NotApplicable(
            f"{name} adds noise by how far apart the expected statistics are, and these agree at the "
            "two shares; take OptM."
        )

    def at(epsilon: float, factor: float = 1.0) -> Release:
        floor, ratio = _floor(model, epsilon)
        covariance = np.diag(floor**2) if floor.any() else None
        return Release(
            name,
            covariance,
            directions,
            size * factor / (epsilon - ratio),
            promise=promise,
            calibration=options.calibration,
            floor=floor,
        )

    if promise.guesses is not None:
        return _within_guesses(name, model, promise.guesses / 100, at)
    if promise.epsilon == 0:
        raise NotApplicable(
            f"{name} needs an ε above 0, for its scale is divided by ε; set a limit of right "
            "guesses instead, or take OptM."
        )
    release = at(promise.epsilon)
    if options.calibration != "guarded":
        return release
    if promise.delta == 0:
        delta = _rounded_up(_at_most(model, release, promise))
        return replace(release, promise=replace(promise, delta=delta))

    @cache
    def excess(x: float) -> float:
        delta = _at_most(model, at(promise.epsilon, math.exp(x)), promise)
        return math.log(delta / promise.delta)

    if excess(0.0) <= 0:
        return release
    high = 1.0
    while excess(high) > 0:
        high += 1.0
        if high > _WIDEST:
            raise NotApplicable(
                f"No amount of {name} noise keeps this promise, for the statistics vary "
                "differently at the two shares; take OptM or balanced figures."
            )
    return at(promise.epsilon, math.exp(_kept_side(excess, high - 1.0, high)))


def _at_most(model: GaussianModel, release: Release, promise: Promise) -> float:
    """Compute the δ that is delivered at most, with the error of its quadrature."""
    share, besides = _DELTA_ERROR
    return float(verdict(model, release, promise).delta.max()) * (1 + share) + besides


def _within_guesses(
    name: str, model: GaussianModel, accuracy: float, at: Callable[[float], Release]
) -> Release:
    """Search for the scale: no attacker passes e^ε/(1 + e^ε), so ε is half of what that leaves."""

    @cache
    def excess(x: float) -> float:  # x: minus ln ε
        return optimal_attack_accuracy(model, at(math.exp(-x))) + _ACCURACY_ERROR - accuracy

    high = -math.log(0.5 * math.log(accuracy / (1 - accuracy)))
    if excess(high) > 0:
        raise NotApplicable(
            f"No amount of {name} noise keeps this limit, for the statistics vary differently at "
            "the two shares; take OptM or balanced figures."
        )
    low = high - 1.0
    while excess(low) <= 0:
        if low < -math.log(100.0):
            return at(math.exp(-low))
        low, high = low - 1.0, low
    return at(math.exp(-_kept_side(excess, low, high)))


def _kept_side(excess: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling excess is 0, on the side where it is not above."""
    x = float(brentq(excess, low, high, xtol=_NEAR))
    while excess(x) > 0:
        x += _NEAR
    return x


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


def _rounded_up(delta: float) -> float:
    """With two significant digits, below 1."""
    unit = 10.0 ** (math.floor(math.log10(delta)) - 1)
    return min(math.ceil(delta / unit * (1 - 1e-12)) * unit, 1 - 1e-9)
