"""Any mechanism's noise, made so that arithmetic cannot undo it.

The theorems of Chen & Ohrimenko (2023), Section 4, take the statistics for densities. Real ones
live on a grid, and noise that leaves directions bare is subtracted by whoever knows it (see
:mod:`distpriv.privacy.smoothness`). Here a mechanism is calibrated for Σ + F instead of Σ, F a
floor of independent normal noise of about half a step on every statistic, and releases with F and
its own noise: the theorems hold as before, for statistics that are all but densities, and OptM
stays the least noise above the floor. What the grid still shows is taken off ε and δ beforehand.
Where the two shares' statistics lie on different cosets of the grid (:mod:`distpriv.model.cosets`)
the floor is needed whatever the normals say, as without it the last digits tell the share.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from distpriv.mechanisms.base import GaussianMechanism, LaplaceMechanism, Mechanism
from distpriv.mechanisms.guarded import Search, Shown
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import (
    Calibration,
    check_delta,
    check_epsilon,
    classical_caveat,
    gaussian_distance,
)
from distpriv.privacy.noise import Noise, gaussian_noise
from distpriv.privacy.smoothness import log_ratio

__all__ = ["grid_safe"]

FloatArray = NDArray[np.float64]

_UNKNOWN = (
    "Not grid-safe: in what steps {} moves is not known, so whoever knows it may be able to "
    "subtract the noise; give the model its steps, or the calibration a floor."
)
_NARROW = (
    "The floor is too narrow for the steps in which the statistics move, so that they show through "
    "the noise; take a wider one, or leave it out."
)
_COARSE = (
    "The statistics vary by so few of their steps that normal curves do not describe them, "
    "whatever the noise; take more records, or do not rely on the promise."
)
_LEAST, _MOST = 0.5, 2.0  # of a step
_NEAR = 0.05  # of the logarithm of what the grid may show
_HIDDEN = 1e-12  # what the grid shows that is no more than rounding


def grid_safe(
    mechanism: Mechanism,
    model: GaussianModel,
    epsilon: float,
    delta: float | None,
    calibration: Calibration,
    floor: FloatArray | None = None,
) -> Search:
    """Search for a mechanism's noise that no arithmetic undoes.

    The floor is the least multiple c of the steps, c ≥ ½, for which the grid moves no
    log-likelihood ratio by more than min(ε/1000, 1/1000); that much is taken off ε, and the factor
    1 + θ off δ. Below Laplace noise along few directions the floor does that alone, so that the
    promise keeps its δ = 0. No noise stays none, and noise that covers the grid stays as it is.

    Parameters
    ----------
    mechanism : Mechanism
    model : GaussianModel
    epsilon, delta, calibration
        See :func:`distpriv.mechanisms.calibrate`.
    floor : ndarray, shape (m,), optional
        Standard deviations of the floor, instead of those that follow from the model's steps.

    Raises
    ------
    CalibrationError
        As the mechanism does.
    """
    steps = model.steps
    noise_for = _Calibrated(mechanism, model, check_epsilon(epsilon), delta, calibration)
    unknown = [
        repr(label)
        for label, step in zip(model.query.labels, steps, strict=True)
        if math.isnan(step)
    ]
    if mechanism.baseline or mechanism.from_records or not mechanism.protects:
        return (yield from noise_for())
    if unknown and floor is None:
        published = yield from noise_for()
        if mechanism.full_rank or published.is_zero:
            return published
        caveat = _UNKNOWN.format(" and ".join(unknown))
        return replace(published, caveats=(*published.caveats, caveat))
    if floor is not None:
        noise = yield from noise_for(floor, noise_for.most)
        if unknown or (yield from noise_for.shows(noise)) <= noise_for.most:
            return noise
        return replace(noise, caveats=(*noise.caveats, _NARROW))
    if not (steps > 0).any():
        return (yield from noise_for())
    if mechanism.full_rank:
        noise = yield from noise_for()
        shows = yield from noise_for.shows(noise)
        fits = noise.distribution == "laplace" and shows < math.inf and not model.apart
        if (shows <= _HIDDEN and not (noise.is_zero and model.apart)) or fits:
            return noise
        if shows <= noise_for.most and not (noise.is_zero and model.apart):
            return (yield from noise_for(spent=noise_for.most))
    if noise_for.none_needed and not model.apart:
        noise = yield from noise_for()
        if noise.is_zero:
            return noise
    return (yield from _above(noise_for, steps))


@dataclass(frozen=True)
class _Calibrated:
    """A mechanism's noise for a model, with a floor and with something taken off ε and δ."""

    mechanism: Mechanism
    model: GaussianModel
    epsilon: float
    delta: float | None
    calibration: Calibration

    @property
    def most(self) -> float:
        """What the grid may move a log-likelihood ratio by."""
        return min(self.epsilon / 1000, 1e-3)

    @property
    def none_needed(self) -> bool:
        """Whether the promise may hold without noise, if both covariances were their mean."""
        if self.mechanism.distribution == "laplace" and not self.guards_laplace:
            return not self.model.differences.any()
        distance = gaussian_distance(self.epsilon, check_delta(self.delta), self.calibration)
        return max(fit.mahalanobis for fit in self.model.pairs) <= distance

    @property
    def guards_laplace(self) -> bool:
        """Whether Laplace noise promises (ε, δ), so that its size is searched for."""
        mechanism = self.mechanism
        return isinstance(mechanism, LaplaceMechanism) and mechanism.is_guarded(
            self.delta, self.calibration
        )

    def shows(self, noise: Noise) -> Generator[Shown, float, float]:
        """What the grid moves a log-likelihood ratio by, through a noise."""
        return log_ratio((yield Shown(noise, self.model)))

    def sketch(self, floor: FloatArray) -> Noise | None:
        """About what it will be where that takes long, to see what floor it needs."""
        mechanism = self.mechanism
        if self.guards_laplace and not mechanism.full_rank:  # the floor alone covers the grid
            published = mechanism.plan(self.model.with_floor(floor), self.epsilon, None, "exact")
            return replace(published, floor=floor) if isinstance(published, Noise) else None
        if self.calibration != "guarded" or not isinstance(mechanism, GaussianMechanism):
            return None
        if len(self.model.pairs) > 1:
            return None
        model, delta = self.model.with_floor(floor), check_delta(self.delta)
        distance = gaussian_distance(self.epsilon, delta, "exact")
        covariance = mechanism.guard_covariances(model, distance)(distance)
        noise = gaussian_noise(
            mechanism.name, covariance, epsilon=self.epsilon, delta=delta, calibration="exact"
        )
        return replace(noise, floor=floor)

    def __call__(self, floor: FloatArray | None = None, spent: float = 0.0) -> Search:
        """Search for noise with (ε, δ) if the grid moves no log-likelihood ratio by more."""
        model = self.model.densities() if floor is None else self.model.with_floor(floor)
        left = None if self.delta is None else self.delta / (1 + math.tanh(spent / 2))
        noise = yield from self.mechanism.search(
            model, self.epsilon - spent, left, self.calibration
        )
        if not spent:
            return replace(noise, floor=floor)
        delta = check_delta(self.delta) if noise.delta else 0.0
        caveats = noise.caveats
        if self.calibration == "classical" and left is not None:  # it is about the ε asked for
            inner = classical_caveat(self.epsilon - spent, left)
            outer = classical_caveat(self.epsilon, check_delta(self.delta))
            caveats = tuple(outer if outer and caveat == inner else caveat for caveat in caveats)
        return replace(noise, epsilon=self.epsilon, delta=delta, floor=floor, caveats=caveats)


def _above(noise_for: _Calibrated, steps: FloatArray) -> Search:
    """Noise above the least floor that suffices."""
    least, most = 1e-6 * noise_for.epsilon, noise_for.most
    sketch = noise_for.sketch(_LEAST * steps)
    if sketch is None or (yield from noise_for.shows(sketch)) <= least:
        sketch = yield from noise_for(_LEAST * steps, least)
        if (yield from noise_for.shows(sketch)) <= least:
            return sketch
    factor = yield from _enough(sketch, noise_for, steps)
    if factor > _MOST:
        noise = yield from noise_for(2 * _LEAST * steps, most)
        return replace(noise, caveats=(*noise.caveats, _COARSE))
    while True:
        noise = yield from noise_for(factor * steps, most)
        if (yield from noise_for.shows(noise)) <= most:
            return noise
        factor *= 1.02  # the noise above a wider floor is a little less


def _enough(
    sketch: Noise, noise_for: _Calibrated, steps: FloatArray
) -> Generator[Shown, float, float]:
    """The least multiple of the steps, to a thousandth, above which the grid shows little enough.

    What the grid shows falls about like the exponential of the multiple's square, so that a few
    steps of the secant method in the square do; beyond the most there is none.
    """

    def excess(square: float) -> Generator[Shown, float, float]:
        wider = replace(sketch, floor=math.sqrt(square) * steps)
        theta = yield Shown(wider, noise_for.model)
        return math.log(max(log_ratio(min(theta, 1 - 1e-9)), 1e-300) / noise_for.most)

    low, high = _LEAST**2, (1.5 * _LEAST) ** 2
    above = yield from excess(low)
    if above <= 0:
        return _LEAST
    while (below := (yield from excess(high))) > 0:
        if high > _MOST**2:
            return math.sqrt(high)
        low, above = high, below
        high *= 1.5
    for _ in range(20):
        middle = low + (high - low) * above / (above - below)
        # A little beyond the secant's root, so that the upper end closes in.
        middle = min(middle + 5e-4, high)
        growth = yield from excess(middle)
        if growth <= 0:
            high, below = middle, growth
            if growth > -_NEAR:
                break
        else:
            low, above = middle, growth
    return math.sqrt(high)
