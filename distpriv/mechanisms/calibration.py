"""Calibration: from a mechanism and a promise to a release that keeps it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms.base import (
    PROMISE,
    Calibration,
    Make,
    Mechanism,
    Options,
    differences,
    mechanism_named,
)
from distpriv.mechanisms.floor import TOO_COARSE
from distpriv.mechanisms.gaussian import Cases, gaussian_noise
from distpriv.mechanisms.laplace import NO_AMOUNT, kept_side
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy.delivered import optimal_attack_accuracy, verdicts
from distpriv.text import near

__all__ = ["calibrate", "calibrate_all"]

_CALIBRATIONS: tuple[Calibration, ...] = ("guarded", "exact", "classical")
_ACCURACY_ERROR = 5e-4  # of quadratures
_LEAST_DELTA = 1e-30


def calibrate(
    name: str,
    model: GaussianModel,
    epsilon: float | None = None,
    delta: float = 0.0,
    guesses: float | None = None,
    *,
    calibration: Calibration = "guarded",
    grid_safe: bool = True,
    units: Sequence[float] | FloatArray | None = None,
    reference: float | None = None,
) -> Release:
    """Return the release of a mechanism that keeps a promise, or a limit on the best attacker.

    Parameters
    ----------
    name : str
        One of ``distpriv.mechanisms.MECHANISMS``.
    model : GaussianModel
    epsilon : float, optional
        At least 0. Mechanisms without noise (BalM) need neither ε nor a limit.
    delta : float
        Below 1; above 0 for normal noise.
    guesses : float, optional
        Instead of ε and δ: how often of 100 the best attacker may be right at even odds, above 50
        and below 100. It is the promise (0, 2a − 1) for an accuracy of a.
    calibration : {"guarded", "exact", "classical"}
        *guarded* noise keeps its promise by the covariance of each share, in both orders, for every
        pair, and is held against it before it is returned; only this is a guarantee. *exact* (Balle
        & Wang 2018) and *classical* noise, the papers', is that for the mean of both covariances,
        which may deliver more than it promises: :func:`distpriv.privacy.verdict` says whether it
        does. Classical noise is proven for ε <= 1 and √(2 ln(1.25/δ)) >= 3/2 only. A limit of
        guesses needs the same noise under both.
    grid_safe : bool
        Whether normal noise of about half a step is added to all statistics that lie on a grid, so
        that arithmetic cannot undo the noise. Without it, which is the papers' way, verdicts count
        noise that leaves some combination of the statistics on their grid as none.
    units : array_like, shape (m,), optional
        Normal noise is made least, or equal, in statistics divided by these; 1 each by default.
        Noise comes back in the units of the statistics.
    reference : float, optional
        For BalM: public share that the groups are weighted to.

    Returns
    -------
    Release
        Its promise is that of the arguments; for Laplace noise with δ = 0 it has the δ that unequal
        covariances leave.

    Raises
    ------
    DistprivError
        If an argument is out of its domain, or the mechanism is unknown.
    NotApplicable
        If the mechanism cannot keep the promise under this model.
    """
    mechanism = mechanism_named(name)
    if reference is not None:
        reference = _number(reference, "The reference share")
        if "reference" not in mechanism.takes:
            raise DistprivError(f"{name} takes no reference share; only balanced releases do.")
    promise = _promise(mechanism, epsilon, delta, guesses)
    options = _options(model, calibration, grid_safe, units, reference)
    result = _calibrated([(mechanism, promise)], model, options)[0]
    if isinstance(result, NotApplicable):
        raise result
    return result


def calibrate_all(
    jobs: Sequence[tuple[str, Promise]],
    model: GaussianModel,
    *,
    calibration: Calibration = "guarded",
    grid_safe: bool = True,
    units: Sequence[float] | FloatArray | None = None,
) -> list[Release | NotApplicable]:
    """Return the releases of many mechanisms and promises, computed side by side.

    Parameters
    ----------
    jobs : sequence of (str, Promise)
        Names of mechanisms and what they shall keep.
    model : GaussianModel
    calibration, grid_safe, units
        See :func:`calibrate`.

    Returns
    -------
    list
        In the order of the jobs; an error, not raised, where a mechanism cannot keep its promise.

    Raises
    ------
    DistprivError
        If an argument is out of its domain, or a mechanism is unknown.
    """
    named = [(mechanism_named(name), promise) for name, promise in jobs]
    return _calibrated(named, model, _options(model, calibration, grid_safe, units))


# ---------------------------------------------------------------- arguments


def _number(value: Any, what: str) -> float:
    """As a finite float, or an error that says what is none."""
    try:
        number = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DistprivError(f"{what} must be a number, it is {value!r}.")
    return number


def _promise(
    mechanism: Mechanism, epsilon: float | None, delta: float, guesses: float | None
) -> Promise:
    if guesses is not None:
        if epsilon is not None:
            raise DistprivError("Give either ε and δ or right guesses of 100, not both.")
        return Promise.of_guesses(_number(guesses, "The limit of right guesses"))
    if epsilon is not None:
        return Promise(_number(epsilon, "ε"), _number(delta, "δ"))
    if mechanism.takes & {"epsilon", "guesses"}:
        raise DistprivError(f"{mechanism.name} needs ε and δ, or a limit of right guesses of 100.")
    return Promise(0.0, 0.0)


def _options(
    model: GaussianModel,
    calibration: Calibration,
    grid_safe: bool,
    units: Sequence[float] | FloatArray | None,
    reference: float | None = None,
) -> Options:
    if calibration not in _CALIBRATIONS:
        raise DistprivError(
            f"There is no calibration {calibration!r}; take guarded, exact or classical."
            f"{near(calibration, _CALIBRATIONS)}"
        )
    m = len(model.query)
    scales = np.ones(m) if units is None else np.asarray(units, dtype=np.float64)
    if scales.shape != (m,) or not (np.isfinite(scales) & (scales > 0)).all():
        raise DistprivError(f"Units must be {m} numbers above 0, one for each statistic.")
    return Options(calibration, grid_safe, scales, reference)


# ---------------------------------------------------------------- calibration


def _calibrated(
    jobs: Sequence[tuple[Mechanism, Promise]], model: GaussianModel, options: Options
) -> list[Release | NotApplicable]:
    basis = _basis(model, options)
    answers: dict[int, Release | NotApplicable] = {}
    normal = []
    for place, (mechanism, promise) in enumerate(jobs):
        why = mechanism.applies(model) or _unsuited(mechanism, promise, options)
        if why:
            answers[place] = NotApplicable(why)
        elif mechanism.make is None:
            normal.append(place)
        else:
            answers[place] = _single(mechanism.make, mechanism, promise, basis, options)
    if normal:
        releases = _normal_releases([jobs[place] for place in normal], basis, options)
        answers |= zip(normal, releases, strict=True)
    return [answers[place] for place in range(len(jobs))]


def _basis(model: GaussianModel, options: Options) -> GaussianModel:
    """Return the laws that a calibration takes for granted: mean covariances, or no grid."""
    pairs = model.pairs
    if options.calibration != "guarded":
        pairs = tuple(
            replace(pair, covariances=np.array([pair.pooled, pair.pooled]), alternatives=())
            for pair in pairs
        )
    if options.calibration != "guarded" or not options.grid_safe:  # no exact law either
        pairs = tuple(replace(pair, groups=replace(pair.groups, records=None)) for pair in pairs)
    if not options.grid_safe:
        none = np.zeros(len(model.query))
        pairs = tuple(
            replace(pair, steps=none, joint_steps=np.array([none, none]), apart=False)
            for pair in pairs
        )
    return replace(model, pairs=pairs)


def _unsuited(mechanism: Mechanism, promise: Promise, options: Options) -> str:
    """Why normal noise cannot keep a promise whatever the model; "" if it may."""
    if mechanism.noise != "gaussian":
        return ""
    if promise.delta < _LEAST_DELTA:
        return (
            f"{mechanism.name} adds normal noise, which needs a δ above 0 (at least 1e-30); choose "
            "one such as 0.001, or a Laplace mechanism."
        )
    if options.calibration == "classical" and promise.guesses is None and promise.epsilon == 0:
        return f"The classical calibration of {mechanism.name} needs an ε above 0; take guarded."
    return ""


def _single(
    make: Make, mechanism: Mechanism, promise: Promise, model: GaussianModel, options: Options
) -> Release | NotApplicable:
    try:
        if promise.guesses is None or not mechanism.takes & PROMISE:
            return make(model, promise, options)
        return _within_guesses(make, mechanism.name, promise, model, options)
    except NotApplicable as error:
        return error


def _within_guesses(
    make: Make, name: str, promise: Promise, model: GaussianModel, options: Options
) -> Release:
    """Search for ε: no attacker passes e^ε/(1 + e^ε), so it is at least half of what is left."""
    accuracy = (promise.guesses or 100.0) / 100
    plain = replace(options, calibration="exact")  # the search itself holds it against the limit

    @cache
    def release(x: float) -> Release:  # x: minus ln ε
        return make(model, Promise(math.exp(-x), 0.0), plain)

    def excess(x: float) -> float:
        return optimal_attack_accuracy(model, release(x)) + _ACCURACY_ERROR - accuracy

    high = -math.log(0.5 * math.log(accuracy / (1 - accuracy)))
    if excess(high) > 0:
        raise NotApplicable(NO_AMOUNT.format(name))
    low = high - 1.0
    while excess(low) <= 0 and low > -math.log(100.0):
        low, high = low - 1.0, low
    x = low if excess(low) <= 0 else kept_side(excess, low, high)
    return replace(release(x), promise=promise, calibration=options.calibration)


def _normal_releases(
    jobs: Sequence[tuple[Mechanism, Promise]], model: GaussianModel, options: Options
) -> list[Release | NotApplicable]:
    """Compute normal noises, and hold them against their promises under the laws of the model."""
    limit = np.array([promise.guesses is not None for _, promise in jobs])
    pairs = [pair.in_units(options.units) for pair in model.pairs]
    covariances = np.array([pair.covariances for pair in pairs])
    cases = Cases(
        mechanisms=tuple(mechanism for mechanism, _ in jobs),
        differences=differences(model) / options.units,
        covariances=np.broadcast_to(covariances, (len(jobs), *covariances.shape)),
        epsilon=np.array([promise.epsilon for _, promise in jobs]),
        delta=np.array([promise.delta for _, promise in jobs]),
        classical=~limit & (options.calibration == "classical"),
        scaled=options.calibration == "guarded",
    )
    noise, widths = gaussian_noise(cases, pairs)
    releases = [
        Release(
            mechanism.name,
            covariance * np.outer(options.units, options.units),
            promise=promise,
            calibration=options.calibration,
            floor=width * model.steps,
        )
        for (mechanism, promise), covariance, width in zip(jobs, noise, widths, strict=True)
    ]
    finite = np.isfinite(noise).all(axis=(1, 2))
    promised = cases.promises(cases.distance).delta[:, 0]
    some = np.flatnonzero(finite).tolist()
    promises = [Promise(jobs[place][1].epsilon, float(promised[place])) for place in some]
    judged = verdicts(model, [releases[place] for place in some], promises)
    kept = {place for place, one in zip(some, judged, strict=True) if one.kept}
    return [
        releases[place]
        if place in kept
        else NotApplicable(TOO_COARSE if np.isnan(widths[place]) else NO_AMOUNT.format(one.name))
        for place, (one, _) in enumerate(jobs)
    ]
