"""Noise scaled until what it delivers by the exact law of the statistics is what is promised.

Of a few counts or proportions the law of a release is known (:mod:`distpriv.privacy.exact_laws`),
so that no normal curve has to stand in for it. A mechanism gives the form of its noise, and the
floor under it; how much of it there has to be follows from the law alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from distpriv.errors import InapplicableError, ModelError
from distpriv.mechanisms.base import GaussianMechanism, Mechanism
from distpriv.mechanisms.guarded import Search
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import Calibration, check_delta, check_epsilon
from distpriv.privacy.exact_laws import ExactLaw
from distpriv.privacy.known_laws import known_laws, model_laws
from distpriv.privacy.noise import Noise, gaussian_noise
from distpriv.words import exact

__all__ = ["by_exact_law", "raised_to_law"]

_LEAST_DELTA = 1e-7
_INTEGRAL = 2e-3  # twice what the exact δ is computed to, relative, ...
_ABSOLUTE = 2e-9  # ... and absolute
_NEAR = 1e-3  # of δ, below the one aimed at
_MOST = 100.0  # times the mechanism's own noise
_LITTLE = 1e-3  # of the mechanism's own noise: perhaps the floor alone does
_STEPS = 60
_SECANTS = 12
_SLOPE = -4.0  # of ln δ over ln c, to begin with
_LEAP = math.log(_MOST)
_NEXT = 1e-9  # places that count as one
_HALVINGS = 12  # of ε, until the mechanism adds noise
_RANK = 1e-9


def by_exact_law(
    mechanism: Mechanism,
    model: GaussianModel,
    epsilon: float,
    delta: float | None,
    calibrated: Callable[[float, Calibration], Search],
) -> Search:
    """Search for a mechanism's noise that delivers (ε, δ) by the exact law of the statistics.

    The mechanism's *guarded* noise is F + S with F its floor; where no amount of it keeps the
    promise of normals none is looked for. The result is F + cS with the least c ≥ 0 for which the
    exact δ, of the worst pair and order, is the promised one; F + c'S with c' > c is that noise and
    more, independent of it, so that δ falls as c grows (post-processing), and c is found by its
    root. The integral's error is on the safe side: δ·(1 − 0.002) is aimed at, and never exceeded.
    c = 0 leaves the floor alone, and no noise is added where the statistics keep the promise by
    themselves. Nothing is assumed of the statistics but that the records are drawn as the model
    says (Chen & Ohrimenko 2023, Section 2.2, where this is Definition 1 itself, computed).

    Laplace noise and the baselines, whose promises rest on other grounds, stay what they are.

    Parameters
    ----------
    mechanism : Mechanism
    model : GaussianModel
        Of one to three counts or proportions, or one sum or mean on a grid; fitted to records.
    epsilon, delta : float
    calibrated : callable
        From ε and a calibration to the search for the mechanism's noise at the same δ, in the
        units of the model.

    Raises
    ------
    CalibrationError
        As the mechanism does.
    InapplicableError
        If the exact law of the model is not known, δ is less than it is computed to, or no amount
        of this noise keeps the promise.
    """
    if not isinstance(mechanism, GaussianMechanism) or not mechanism.replaced_by_law:
        laplace = mechanism.distribution == "laplace"
        return (yield from calibrated(epsilon, "exact" if laplace else "guarded"))
    check_epsilon(epsilon)
    promise = _Promise.of(model, epsilon, check_delta(delta))
    bare = gaussian_noise(
        mechanism.name,
        np.zeros((len(model.query),) * 2),
        epsilon=epsilon,
        delta=promise.delta,
        calibration="exact-law",
    )
    if promise.delivered(None) <= promise.delta:
        return bare
    shape = bare
    for halving in range(_HALVINGS):
        shape = yield from calibrated(epsilon / 2**halving, "guarded")
        if not shape.is_zero:
            break
    shape = replace(
        shape, epsilon=epsilon, delta=promise.delta, calibration="exact-law", caveats=()
    )
    if shape.is_zero or (shape.floor is None and not _covers(shape)):
        raise InapplicableError(
            f"The noise of {mechanism.name} leaves some of the counts as they are, and arithmetic "
            "finds the others from them; take grid_safe=True, or OptM."
        )
    return _scaled(shape, promise)


def raised_to_law(noise: Noise, shape: Noise, model: GaussianModel) -> Noise:
    """Return a Gaussian noise, or as much of a shape as keeps its promise by the exact law.

    Where the law is not known, or the noise keeps its promise by it, that is the noise itself.

    Parameters
    ----------
    noise : Noise
    shape : Noise
        In every direction; with the promise of the noise.
    model : GaussianModel

    Raises
    ------
    InapplicableError
        If no amount of the shape keeps the promise.
    """
    laws = known_laws(model)
    if laws is None or noise.delta < _LEAST_DELTA:
        return noise
    promise = _Promise(laws, noise.epsilon, noise.delta)
    return noise if _suffices(noise, promise) else _scaled(shape, promise)


@dataclass(frozen=True, eq=False)
class _Promise:
    """(ε, δ), to be kept for every law."""

    laws: tuple[ExactLaw, ...]
    epsilon: float
    delta: float

    @classmethod
    def of(cls, model: GaussianModel, epsilon: float, delta: float) -> _Promise:
        if delta < _LEAST_DELTA:
            raise InapplicableError(
                f"The exact law gives δ to {exact(_ABSOLUTE / 2)}, which is too coarse for "
                f"δ = {exact(delta)}; take a δ of {exact(_LEAST_DELTA)} or more, or another "
                "calibration."
            )
        try:
            return cls(model_laws(model), epsilon, delta)
        except ModelError as error:
            reason = str(error).rstrip(".")
            raise InapplicableError(f"{reason}, or take another calibration.") from None

    @property
    def aim(self) -> float:
        """What δ may be computed to be."""
        return self.delta * (1 - _INTEGRAL) - _ABSOLUTE

    def excess(self, noise: Noise) -> float:
        """ln of what is delivered over what is aimed at."""
        return math.log(max(self.delivered(noise), 1e-300) / self.aim)

    def delivered(self, noise: Noise | None) -> float:
        """δ of the worst pair and order."""
        return max(law.delivered_delta(noise, self.epsilon) for law in self.laws)


def _covers(noise: Noise) -> bool:
    """Whether there is noise in every direction."""
    covariance = noise.covariance
    units = np.sqrt(np.diag(covariance))
    if not units.all():
        return False
    return bool(np.linalg.eigvalsh(covariance / np.outer(units, units))[0] > _RANK)


def _scaled(shape: Noise, promise: _Promise) -> Noise:
    """The floor, and as much of the rest as it takes."""

    def at(factor: float) -> Noise:
        return replace(shape, scales=shape.scales * math.sqrt(factor))

    def excess(place: float) -> float:
        try:
            return promise.excess(at(math.exp(place)))
        except ModelError:
            return math.inf  # so little noise that nobody can tell; more can be told of

    floor = None
    if shape.floor is not None:
        floor = replace(shape, directions=shape.directions[:, :0], scales=shape.scales[:0])
    # Places are ln c; too little noise below, enough above.
    low, high, place = -math.inf, math.inf, 0.0
    known: list[tuple[float, float]] = []
    for _ in range(_STEPS):
        over = excess(place)
        known.append((place, over))
        if over > 0:
            low = max(low, place)
        else:
            high = min(high, place)
            if over > -_NEAR or high - low < _NEXT:
                break
        if floor is not None and high < math.log(_LITTLE) and math.isinf(low):
            if _suffices(floor, promise):
                return floor
            floor = None
        if low >= _LEAP:
            raise InapplicableError(
                f"Even {_MOST:g} times the noise of {shape.mechanism} leaves more of the "
                f"statistics' exact law than ε = {promise.epsilon:g} and δ = "
                f"{exact(promise.delta)} allow; take OptM, a larger ε or δ, or a smaller Δp."
            )
        place = min(_next(known, low, high), _LEAP)
    return at(math.exp(high))


def _suffices(noise: Noise, promise: _Promise) -> bool:
    """Whether a noise keeps the promise; not if nobody can tell."""
    try:
        return promise.excess(noise) <= 0
    except ModelError:
        return False


def _next(known: list[tuple[float, float]], low: float, high: float) -> float:
    """By the secant of the last two places, within what is known of the root."""
    place, over = known[-1]
    open_ended = math.isinf(low) or math.isinf(high)
    if math.isinf(over):
        return place + 1.0 if open_ended else (low + high) / 2
    slope = _SLOPE
    if len(known) > 1 and math.isfinite(known[-2][1]) and known[-2][1] != over:
        slope = min((over - known[-2][1]) / (place - known[-2][0]), -0.05)
    moved = place - (over + _NEAR / 2) / slope
    if open_ended:
        return min(max(moved, place - _LEAP), place + _LEAP)
    margin = 0.01 * (high - low)
    if not low + margin < moved < high - margin or len(known) > _SECANTS:
        return (low + high) / 2
    return moved
