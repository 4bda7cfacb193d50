"""A release every month for a year: the ε of each that keeps a limit on all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

from numpy.typing import ArrayLike
from scipy.special import ndtri

from distpriv import mechanisms
from distpriv.arguments import Within, checked
from distpriv.composition.joint_loss import JointLoss
from distpriv.composition.rules import Promise
from distpriv.composition.stacked import stacked
from distpriv.errors import CalibrationError, InapplicableError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import Calibration, check_delta, gaussian_distance
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons

__all__ = ["PlannedRelease", "ReleasePlan", "plan_releases"]

_LEAST, _MOST = 1e-3, 100.0
_WITHIN = 1e-3  # of an ε
_TRIES = 60
_STRIDE = 0.02


@dataclass(frozen=True, eq=False)
class PlannedRelease:
    """One of several equal releases, and what all of them tell together.

    Attributes
    ----------
    epsilon, delta : float
        What each is calibrated to.
    noise : Noise
    accuracy : float
        Of the best attacker who has all of them, at equal priors, for the worst pair.
    delivered : float or None
        ε that all deliver together at the δ of the limit; None where ε is not limited.
    """

    epsilon: float
    delta: float
    noise: Noise
    accuracy: float
    delivered: float | None


@dataclass(frozen=True, eq=False)
class ReleasePlan:
    """How several equal releases keep a limit.

    Attributes
    ----------
    count : int
    accounted : PlannedRelease
        At the largest ε that keeps the limit, by what all releases deliver together, to a
        thousandth; at ε = 100 the limit asks for less than that, perhaps for no noise at all.
    divided : PlannedRelease or None
        By sequential composition: the promise that keeps the limit, ε and δ divided by the number
        of releases. None where that is below ε = 0.001, or the mechanism has no noise for it.
    total : Promise
        The promise that is divided.
    """

    count: int
    accounted: PlannedRelease
    divided: PlannedRelease | None
    total: Promise


@checked(CalibrationError)
def plan_releases(
    model: GaussianModel,
    count: Annotated[int, Within(1, 10_000)],
    mechanism: str = "OptM",
    delta: float = 1e-3,
    calibration: Calibration = "guarded",
    units: ArrayLike | None = None,
    *,
    shared: bool,
    accuracy: float | None = None,
    budget: Promise | None = None,
    persons: Persons | None = None,
) -> ReleasePlan:
    """The ε of each of several equal releases, by what all deliver together and by division.

    *Of one dataset*, the whole table again and again with noise of covariance S drawn anew: all
    tell what one release with S/r tells. *Of samples*, each a dataset of its own: their privacy
    losses add up. Either is exact for the fitted normals, each with its own covariance, where a
    promise divided by r is what sequential composition allows (Chen & Ohrimenko 2023, full version,
    Proposition A.5) and lets go of much.

    Parameters
    ----------
    model : GaussianModel
        Of one release.
    count : int, from 1 to 10 000
        r.
    mechanism, delta, calibration, units, persons
        Of one release, as for :func:`distpriv.calibrate`; the noise is Gaussian.
    shared : bool
        Whether all are computed from one dataset.
    accuracy : float in (0.5, 1), optional
        The best attacker who has all releases may be right at most so often, at equal priors.
    budget : Promise, optional
        All together may deliver at most this ε at this δ, which is positive.

    Raises
    ------
    CalibrationError
        If there is no limit, one is outside its domain, or the mechanism cannot be calibrated.
    InapplicableError
        If the mechanism promises nothing about the secret or its noise is Laplace, or the limit is
        not kept by ε = 0.001 a release.
    """
    chosen = mechanisms.get(mechanism)
    if chosen.distribution != "gaussian" or not chosen.protects:
        raise InapplicableError(
            f"Releases by {mechanism} are not planned: what several deliver together is known for "
            "Gaussian noise that hides the secret; take another mechanism."
        )
    delta = check_delta(delta)
    _check_limit(accuracy, budget)

    def planned(epsilon: float, own: float) -> PlannedRelease:
        noise = mechanisms.calibrate(
            mechanism, model, epsilon, own, calibration, units, persons=persons
        )
        losses = _losses(model, noise.detached(), count, shared)
        return PlannedRelease(
            epsilon=epsilon,
            delta=own,
            noise=noise,
            accuracy=max(loss.accuracy for loss in losses),
            delivered=None
            if budget is None
            else max(loss.epsilon(budget.delta) for loss in losses),
        )

    def over(release: PlannedRelease) -> float:
        """How far the limit is exceeded, in logarithms of the attacker's advantage and of ε."""
        excess = -math.inf
        if accuracy is not None:
            told = max(release.accuracy - 0.5, 1e-12)
            excess = max(excess, math.log(told / (accuracy - 0.5)))
        if budget is not None and release.delivered is not None:
            excess = max(excess, math.log(max(release.delivered, 1e-12) / budget.epsilon))
        return excess

    start = _start(count, delta, accuracy, budget)
    accounted = _largest(lambda epsilon: planned(epsilon, delta), over, start)
    total = _total(delta, accuracy, budget)
    divided = None
    if total.epsilon / count >= _LEAST:
        with suppress(InapplicableError):
            divided = planned(min(total.epsilon / count, _MOST), total.delta / count)
    return ReleasePlan(count, accounted, divided, total)


def _check_limit(accuracy: float | None, budget: Promise | None) -> None:
    if accuracy is None and budget is None:
        raise CalibrationError("A plan needs a limit; give an accuracy, or an ε at a δ.")
    if accuracy is not None and not 0.5 < accuracy < 1:
        raise CalibrationError(
            f"The accuracy of the best attacker must be limited to a number between 0.5 and 1, got "
            f"{accuracy:g}."
        )
    if budget is not None:
        check_delta(budget.delta)


def _losses(model: GaussianModel, noise: Noise, count: int, shared: bool) -> list[JointLoss]:
    """Of all releases, one a pair."""
    every = tuple(range(len(model.query)))
    once = noise.after_releases(count) if shared else noise
    parts = [stacked(fit, [(every, once)]) for fit in model.pairs]
    return [JointLoss((part,) * (1 if shared else count)) for part in parts]


def _start(count: int, delta: float, accuracy: float | None, budget: Promise | None) -> float:
    """About the ε of one release: distances of normals with one covariance add up as squares."""
    distances = []
    if accuracy is not None:
        distances.append(2 * float(ndtri(accuracy)))
    if budget is not None:
        distances.append(gaussian_distance(budget.epsilon, budget.delta, "exact"))
    wanted = min(distances) / math.sqrt(count)
    low, high = _LEAST, _MOST
    while high / low > 1 + _STRIDE:
        middle = math.sqrt(low * high)
        near = gaussian_distance(middle, delta, "exact") < wanted
        low, high = (middle, high) if near else (low, middle)
    return low


def _total(delta: float, accuracy: float | None, budget: Promise | None) -> Promise:
    """The promise of all together that keeps the limit."""
    epsilon, kept = math.inf, delta if budget is None else budget.delta
    if budget is not None:
        epsilon = budget.epsilon
    if accuracy is not None:
        # The ceiling (e^ε + δ)/(1 + e^ε) solved for ε; a larger δ than it leaves room for is cut.
        kept = min(kept, (2 * accuracy - 1) / 2)
        epsilon = min(epsilon, math.log((accuracy - kept) / (1 - accuracy)))
        assert accuracy_ceiling(epsilon, kept) <= accuracy * (1 + 1e-9)
    return Promise(epsilon, kept)


def _largest(
    planned: Callable[[float], PlannedRelease],
    over: Callable[[PlannedRelease], float],
    start: float,
) -> PlannedRelease:
    """The release at the largest ε that keeps the limit: regula falsi on the logarithm of ε."""
    place = math.log(start)
    below: tuple[float, float, PlannedRelease] | None = None
    above: tuple[float, float] | None = None
    stride = _STRIDE
    for _ in range(_TRIES):
        release = planned(math.exp(place))
        excess = over(release)
        if excess <= 0:
            below = (place, excess, release)
        else:
            above = (place, excess)
        if below is not None and (
            below[0] >= math.log(_MOST) or (above is not None and above[0] - below[0] <= _WITHIN)
        ):
            break
        if above is not None and above[0] <= math.log(_LEAST):
            raise InapplicableError(
                f"Even ε = {_LEAST:g} a release exceeds the limit; make fewer releases, or agree "
                "on a wider limit."
            )
        place, stride = _next(below, above, excess, stride)
    if below is None:
        raise InapplicableError(
            "No ε was found that keeps the limit; agree on a wider one, or take another mechanism."
        )
    return below[2]


def _next(
    below: tuple[float, float, PlannedRelease] | None,
    above: tuple[float, float] | None,
    excess: float,
    stride: float,
) -> tuple[float, float]:
    """Where to look next, and how far to go at least if that is still on the same side."""
    if below is None or above is None:
        # Advantage and ε rise about as ε does.
        step = max(abs(excess) * 1.1 if math.isfinite(excess) else 3.0, stride)
        known = above[0] if below is None and above is not None else 0.0
        known = below[0] if below is not None else known
        to = known + step if above is None else known - step
        return min(max(to, math.log(_LEAST)), math.log(_MOST)), 3 * stride
    low, high = below[0], above[0]
    share = 0.5
    if math.isfinite(below[1]) and math.isfinite(above[1]):
        share = -below[1] / (above[1] - below[1])
    width = high - low
    # A little to either side of where the line crosses, so that both ends close in.
    near = low + share * width
    near += (0.45 if share < 0.5 else -0.45) * _WITHIN
    return min(max(near, low + 0.1 * min(width, _WITHIN)), high - 0.1 * min(width, _WITHIN)), stride
