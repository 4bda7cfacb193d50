"""Calibration: from a mechanism and a promise to a release that keeps it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
from scipy.special import logit

from distpriv.arrays import BoolArray, FloatArray, IntArray, number, numbers
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
from distpriv.mechanisms.laplace import NO_AMOUNT
from distpriv.model import AS_IT_IS, GaussianModel, PairModel, Promise, Release
from distpriv.privacy.delivered import verdicts
from distpriv.privacy.exact_law import compute_law, known_law
from distpriv.privacy.least_noise import least_along
from distpriv.privacy.persons import (
    Bounds,
    Persons,
    as_bounds,
    check_bounds,
    per_record,
    record_moves,
)
from distpriv.text import one_of

__all__ = ["calibrate", "calibrate_all", "check_model"]

_VERIFIED = ("guarded", "exact-law")
_LEAST_DELTA = 1e-30
_STRICTER = 0.3, 1e-2, 1e-6  # of δ: promises whose noise is scaled where the model asks for none
_LEAST_FACTOR, _LARGEST = 1e-9, 1e6  # on a mechanism's noise
_FLOOR_ONLY = 1e-3  # of noise above its floor: too little to scale
_ROUGH = 1e-3  # of ln δ: room that scaled noise may leave
_ROUNDING = 1e-7  # of ln δ
NO_PERSONS = (
    "No amount of {} noise keeps both promises: the shares or single records move the figures in "
    "directions without noise; take OptM."
)
NO_LAW = (
    "The exact law is known only for one sum, mean or count on a grid, or for two counts; take "
    "guarded."
)


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
    persons: Persons | None = None,
    bounds: Bounds | None = None,
) -> Release:
    """Return the release of a mechanism that keeps a promise, or a limit on the best attacker.

    Parameters
    ----------
    name : str
        ExpM, DirM, EigM, DauM or OptM (normal noise), ExpM(L) or DirM(L) (Laplace noise), BalM (no
        noise), the Wasserstein mechanisms, or one that protects records only, GroupDP, DP and
        their like: all are in ``distpriv.mechanisms.MECHANISMS``.
    model : GaussianModel
    epsilon : float, optional
        At least 0. Mechanisms without noise (BalM) need neither ε nor a limit.
    delta : float
        Below 1; above 0 for normal noise.
    guesses : float, optional
        Instead of ε and δ: how often of 100 the best attacker may be right at even odds, above 50
        and below 100. It is the promise (0, 2a − 1) for an accuracy of a.
    calibration : {"guarded", "exact", "classical", "exact-law"}
        *guarded* noise keeps its promise by the covariance of each share, in both orders, for every
        pair, or by the exact law of the statistics where that is known without delay, and is held
        against it before it is returned. *exact-law* is the same, but computes the law, in a second
        or two, and refuses where there is none. Only these are guarantees. *exact* (Balle
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
        For BalM: public share that the groups are weighted to, by default the range's middle. The
        figures are then those of a table of that share.
    persons : Persons, optional
        What the noise must keep for every single record, too: each vertex by which a replaced
        record moves the statistics (`record_moves`) is one more promise, about two points.
    bounds : mapping of column to (low, high), or iterable of Bound, optional
        Public bounds of the columns, for persons that have none of their own, and for differential
        privacy.

    Returns
    -------
    Release
        Its promise is that of the arguments; for Laplace noise with δ = 0 it has the δ that unequal
        covariances leave.

    Raises
    ------
    DistprivError
        If an argument is out of its domain, the mechanism is unknown, or bounds exclude records.
    NotApplicable
        If the mechanism cannot keep the promise under this model.

    Examples
    --------
    >>> late = dp.SensitiveProperty("late", "yes").pair(0.25, 0.2)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), [dp.Mean("income")], late, n=100)
    >>> noise = dp.calibrate("OptM", model, epsilon=1.0, delta=1e-3)
    >>> noise.expected_absolute_errors().round()
    array([406.])
    >>> dp.calibrate("OptM", model, guesses=60)
    Release('OptM', at most 60 right guesses of 100)
    >>> dp.calibrate("BalM", model, reference=0.25)
    Release('BalM', ε = 0, δ = 0, keeps 15 records with and 65 without, for a share of 25 %)
    """
    mechanism = mechanism_named(name)
    check_model(model)
    if reference is not None:
        reference = number("The reference share", reference)
        if "reference" not in mechanism.takes:
            raise DistprivError(f"{name} takes no reference share; only balanced releases do.")
    promise = _promise(mechanism, epsilon, delta, guesses)
    options = _options(model, calibration, grid_safe, units, persons, bounds, reference)
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
    persons: Persons | None = None,
    bounds: Bounds | None = None,
) -> list[Release | NotApplicable]:
    """Return the releases of many mechanisms and promises, computed side by side.

    Jobs are names of mechanisms and what they must keep; for the others see :func:`calibrate`.
    Where a mechanism cannot keep its promise, there is an error in its place, not raised.
    """
    named = [(mechanism_named(name), promise) for name, promise in jobs]
    options = _options(model, calibration, grid_safe, units, persons, bounds)
    return _calibrated(named, model, options)


# ---------------------------------------------------------------- arguments


def check_model(model: object) -> None:
    """Raise DistprivError where something else is passed for a model."""
    if not isinstance(model, GaussianModel):
        raise DistprivError(
            f"{type(model).__name__} is not a model; pass what fit_gaussian returns."
        )


def _promise(
    mechanism: Mechanism, epsilon: float | None, delta: float, guesses: float | None
) -> Promise:
    if guesses is not None:
        if epsilon is not None:
            raise DistprivError("Give either ε and δ or right guesses of 100, not both.")
        return Promise.of_guesses(guesses)
    if epsilon is not None:
        return Promise(epsilon, delta)
    if mechanism.takes & {"epsilon", "guesses"}:
        raise DistprivError(f"{mechanism.name} needs ε and δ, or a limit of right guesses of 100.")
    return Promise(0.0, 0.0)


def _options(
    model: GaussianModel,
    calibration: Calibration,
    grid_safe: bool,
    units: Sequence[float] | FloatArray | None,
    persons: Persons | None,
    bounds: Bounds | None,
    reference: float | None = None,
) -> Options:
    one_of("calibration", calibration, get_args(Calibration))
    m = len(model.query)
    scales = np.ones(m) if units is None else numbers("Each unit", units, 0, above=True)
    if scales.shape != (m,):
        raise DistprivError(f"Units must be {m} numbers above 0, one for each statistic.")
    if not isinstance(persons, Persons | None):
        raise DistprivError(f"persons must be Persons(epsilon, delta), not {persons!r}.")
    own = persons.bounds if persons is not None else ()
    ranges = own or as_bounds(() if bounds is None else bounds)
    check_bounds(model, ranges)
    moves = None if persons is None else record_moves(model.query, model.n, ranges)
    return Options(calibration, grid_safe, scales, reference, persons, ranges, moves)


# ---------------------------------------------------------------- calibration


def _calibrated(
    jobs: Sequence[tuple[Mechanism, Promise]], model: GaussianModel, options: Options
) -> list[Release | NotApplicable]:
    lawless = options.calibration == "exact-law" and any(
        compute_law(pair, model) is None for pair in model.pairs
    )
    basis = _basis(model, options)
    answers: dict[int, Release | NotApplicable] = {}
    normal = []
    for place, (mechanism, promise) in enumerate(jobs):
        why = mechanism.applies(model) or _unsuited(mechanism, promise, options)
        if lawless and mechanism.noise != "none":
            why = NO_LAW
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
    if options.calibration not in _VERIFIED:
        pooled = [np.array([pair.pooled, pair.pooled]) for pair in pairs]
        both = zip(pairs, pooled, strict=True)
        pairs = tuple(replace(one, covariances=same, alternatives=()) for one, same in both)
    if options.calibration not in _VERIFIED or not options.grid_safe:  # no exact law either
        pairs = tuple(replace(pair, groups=replace(pair.groups, records=None)) for pair in pairs)
    if not options.grid_safe:
        none = np.zeros((2, len(model.query)))
        pairs = tuple(replace(one, steps=none[0], joint_steps=none, apart=False) for one in pairs)
    return replace(model, pairs=pairs)


def _unsuited(mechanism: Mechanism, promise: Promise, options: Options) -> str:
    """Why noise cannot keep a promise whatever the model; "" if it may."""
    if options.persons is not None and mechanism.noise == "none":
        return (
            f"{mechanism.name} adds no noise, so it promises nothing to single persons; take OptM."
        )
    if mechanism.noise != "gaussian":
        return ""
    least = min(promise.delta, options.persons.delta if options.persons else 1.0)
    if least < _LEAST_DELTA:
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
    """Of a mechanism that is no normal noise by its shape, or takes no limit of guesses."""
    limited = promise.guesses is not None and "guesses" not in mechanism.takes
    limited &= bool(mechanism.takes & PROMISE)
    inner, asked, promised = options, promise, None
    if options.calibration in _VERIFIED:  # mechanisms know no exact law
        inner = replace(options, calibration="guarded")
    if limited:  # no attacker passes e^ε/(1 + e^ε)
        accuracy = (promise.guesses or 100.0) / 100
        inner, asked = replace(options, calibration="exact"), Promise(float(logit(accuracy)), 0.0)
        promised = promise
    try:
        release = make(model, asked, inner)
    except NotApplicable as error:
        return error
    if release.kind != "noise":
        return release
    release = replace(release, calibration=options.calibration)
    if limited:
        release = replace(release, promise=promise)
    elif mechanism.rests == "model" and inner.calibration == "guarded":
        promised = release.promise if options.persons is not None or _settles(model) else None
    if promised is None:
        return release  # it has been held against its promise, or is none that is guarded
    less = promise.delta > 0 and not mechanism.always
    down = limited or (less and len(model.query) == 1 and _lawful(model))
    return _settled([release], [promised], model, options, [down])[0]


def _normal_releases(
    jobs: Sequence[tuple[Mechanism, Promise]], model: GaussianModel, options: Options
) -> list[Release | NotApplicable]:
    """Compute normal noises, and hold them against their promises under the laws of the model."""
    limit = np.array([promise.guesses is not None for _, promise in jobs])
    pairs = [pair.in_units(options.units) for pair in model.pairs]
    cases = Cases(
        mechanisms=tuple(mechanism for mechanism, _ in jobs),
        differences=differences(model) / options.units,
        covariances=np.array([[pair.covariances for pair in pairs]] * len(jobs)),
        epsilon=np.array([promise.epsilon for _, promise in jobs]),
        delta=np.array([promise.delta for _, promise in jobs]),
        classical=~limit & (options.calibration == "classical"),
        scaled=options.calibration in _VERIFIED or options.moves is not None,
    )
    if options.persons is not None and options.moves is not None:
        cases = cases.with_persons(options.moves / options.units, options.persons)
    promised = cases.promises.delta[:, 0].tolist()
    promises = [Promise(one.epsilon, delta) for (_, one), delta in zip(jobs, promised, strict=True)]
    noise, widths = gaussian_noise(cases, pairs)
    settles = _settles(model)
    if settles:
        judged = verdicts(model, [AS_IT_IS] * len(jobs), promises)
        enough = np.array([one.kept for one in judged]) & (options.persons is None)
        _mend(noise, widths, cases, pairs, enough, _lawful(model))
    why = NO_AMOUNT if options.persons is None else NO_PERSONS
    releases: list[Release | NotApplicable] = [
        Release(
            mechanism.name,
            covariance * np.outer(options.units, options.units),
            promise=promise,
            calibration=options.calibration,
            floor=width * model.steps,
        )
        if np.isfinite(covariance).all()
        else NotApplicable(TOO_COARSE if np.isnan(width) else why.format(mechanism.name))
        for (mechanism, promise), covariance, width in zip(jobs, noise, widths, strict=True)
    ]
    down = [settles and not mechanism.always for mechanism, _ in jobs]
    return _settled(releases, promises, model, options, down)


def _lawful(model: GaussianModel) -> bool:
    return all(known_law(pair, model) is not None for pair in model.pairs)


def _settles(model: GaussianModel) -> bool:
    """Tell whether verdicts know more than the normal laws that noise is computed for."""
    return any(pair.alternatives for pair in model.pairs) or _lawful(model)


def _mend(
    noise: FloatArray,
    widths: FloatArray,
    cases: Cases,
    pairs: Sequence[PairModel],
    enough: BoolArray,
    lawful: bool,
) -> None:
    """Give no noise where the figures as they are are enough, and some where the model has none.

    Noise that a verdict scales needs not be what normal laws ask for: a law that is known needs no
    floor that makes them right, and noise for a stricter promise does for a start.
    """
    bare = enough & ~cases.always
    noise[bare], widths[bare] = 0.0, 0.0
    todo = np.flatnonzero(np.isnan(widths))
    if lawful and len(todo):
        narrow = [replace(pair, joint_steps=0 * pair.joint_steps) for pair in pairs]
        noise[todo], widths[todo] = gaussian_noise(cases.rows(todo), narrow)
    steps = np.max([pair.steps for pair in pairs], axis=0)
    for share in _STRICTER:
        size = np.trace(noise, axis1=1, axis2=2)
        above = size - widths**2 * (steps**2).sum()
        todo = np.flatnonzero(~enough & (above <= _FLOOR_ONLY * size))
        if len(todo):
            some = cases.rows(todo)
            stricter = replace(some, epsilon=some.epsilon * share**0.1, delta=some.delta * share)
            noise[todo], widths[todo] = gaussian_noise(stricter, pairs)


def _settled(
    releases: Sequence[Release | NotApplicable],
    promises: Sequence[Promise],
    model: GaussianModel,
    options: Options,
    down: Sequence[bool],
) -> list[Release | NotApplicable]:
    """Scale noise until the verdict keeps its promise, some of it down where less does, too."""
    places = [place for place, one in enumerate(releases) if isinstance(one, Release)]
    noises = [one for one in releases if isinstance(one, Release)]
    least = np.array([_LEAST_FACTOR if down[place] else 1.0 for place in places])
    person, moves = options.persons, options.moves
    why = NO_AMOUNT if person is None else NO_PERSONS

    def excess_of(rows: IntArray, factors: FloatArray) -> FloatArray:
        tried = [_times(noises[row], factor) for row, factor in zip(rows, factors, strict=True)]
        judged = verdicts(model, tried, [promises[places[row]] for row in rows])
        reached = np.array([[one.delivered.max(), one.promise.delta] for one in judged])
        if person is not None and moves is not None:
            each = [per_record(one, moves).delta(person.epsilon) for one in tried]
            reached = np.stack([reached, [[one, person.delta] for one in each]])
        first, second = np.log(np.maximum(reached, [1e-303, 1e-300])).T
        return np.asarray((first - second).T.reshape(-1, len(rows)).max(axis=0) - _ROUNDING)

    factors = least_along(excess_of, least, _ROUGH, _LARGEST)
    answers = list(releases)
    for place, one, factor in zip(places, noises, factors.tolist(), strict=True):
        refused = NotApplicable(why.format(one.mechanism))
        answers[place] = refused if math.isnan(factor) else _times(one, factor)
    return answers


def _times(release: Release, factor: float) -> Release:
    """Scale the variance of noise above its floor."""
    if factor == 1:
        return release
    covariance = release.covariance
    if covariance is not None:
        floor = np.zeros(len(covariance)) if release.floor is None else release.floor
        covariance = covariance * factor + (1 - factor) * np.diag(floor**2)
    return replace(release, covariance=covariance, scale=release.scale * math.sqrt(factor))
