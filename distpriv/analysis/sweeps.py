"""What a release costs and what it hides along an axis: ε, δ, Δp, n, or repeated releases."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from distpriv.analysis.basis import figure_laws
from distpriv.attacks.best_attack import optimal_attack_accuracies, optimal_attack_accuracy
from distpriv.errors import (
    AttackError,
    CalibrationError,
    InapplicableError,
    ModelError,
    PropertyError,
    QueryError,
)
from distpriv.mechanisms import searching
from distpriv.mechanisms.curves import Curves
from distpriv.mechanisms.guarded import Search, side_by_side
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.delivered import delivered_delta, delivered_epsilon, privacy_profile
from distpriv.privacy.exact_laws import ExactLaw
from distpriv.privacy.known_laws import Laws, laws_for
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons

__all__ = [
    "UNDEFENDED",
    "Axis",
    "Measure",
    "attack_accuracies",
    "curve_laws",
    "delivered_deltas",
    "delivered_epsilons",
    "expected_error",
    "expected_errors",
    "models_along",
    "profiles",
    "sweep",
]

FloatArray = NDArray[np.float64]
UNDEFENDED = "none"
_OUTCOMES = 40_000  # of both laws
Axis = Literal["epsilon", "delta", "width", "n", "releases"]


def expected_error(
    noise: Noise, statistic: int | None = None, units: FloatArray | None = None
) -> float:
    """Expected error of a release without simulation.

    Parameters
    ----------
    noise : Noise
    statistic : int, optional
        Expected absolute error of this statistic, in its own unit; by default the expected L2
        error of all of them.
    units : ndarray, shape (m,), optional
        Units of the L2 error; raw by default.

    Raises
    ------
    QueryError
        If there is no such statistic.
    """
    if statistic is None:
        return (noise if units is None else noise.in_units(units)).expected_error()
    if not 0 <= statistic < noise.dimension:
        raise QueryError(
            f"There is no statistic number {statistic}; the query has {noise.dimension}."
        )
    return float(noise.expected_absolute_errors()[statistic])


class Measure(Protocol):
    """Figures of many releases at once, so that those which can be are computed together."""

    def __call__(self, cases: Sequence[tuple[GaussianModel, Noise | None]]) -> FloatArray:
        """A figure of each case (model, noise or None for none), shape (cases,); NaN for none."""


def expected_errors(statistic: int | None = None, units: FloatArray | None = None) -> Measure:
    """Measure: expected error of a release; parameters are those of :func:`expected_error`."""
    return _each(lambda _, noise: 0.0 if noise is None else expected_error(noise, statistic, units))


def attack_accuracies(pair: int | None = None, *, by_law: bool = True) -> Measure:
    """Measure: accuracy of the optimal attack on the pair, by default the one hardest to hide.

    By the exact law where :func:`curve_laws` has it, unless that is not wanted; else by the
    normals. NaN for Laplace noise in several directions, whose simulation takes tens of
    milliseconds.
    """

    def measure(cases: Sequence[tuple[GaussianModel, Noise | None]]) -> FloatArray:
        about = [(model if pair is None else model.only(pair), noise) for model, noise in cases]
        figures = optimal_attack_accuracies(about, directions=1)
        for place, (model, noise) in enumerate(about):
            laws = curve_laws(model, noise) if by_law else None
            if laws is not None:
                figures[place] = _by_law(model, noise, laws)
        return figures

    return measure


def curve_laws(model: GaussianModel, noise: Noise | None) -> tuple[ExactLaw, ...] | None:
    """Return the exact laws that every point of a curve follows; None where it is by the normals.

    Those of a single statistic with few outcomes, which take milliseconds, and of noise that was
    calibrated by the law. A mean of many records has many outcomes, and is all but normal.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    """
    if noise is not None and noise.calibration == "exact-law":
        return figure_laws(model, noise)
    laws = figure_laws(model, noise) if len(model.query) == 1 else None
    quick = laws is not None and max(law.probabilities.size for law in laws) <= _OUTCOMES
    return laws if quick else None


def _by_law(model: GaussianModel, noise: Noise | None, laws: tuple[ExactLaw, ...]) -> float:
    try:
        return optimal_attack_accuracy(model, noise, law=laws)
    except AttackError:  # noise averaged over so many releases that nobody can tell
        return math.nan


def delivered_deltas(epsilon: float) -> Measure:
    """Measure: δ that is delivered at ε."""
    return _each(lambda model, noise: delivered_delta(model, noise, epsilon))


def delivered_epsilons(delta: float) -> Measure:
    """Measure: ε that is delivered at δ."""
    return _each(lambda model, noise: delivered_epsilon(model, noise, delta))


def _each(figure: Callable[[GaussianModel, Noise | None], float]) -> Measure:
    return lambda cases: np.array([figure(model, noise) for model, noise in cases], np.float64)


def sweep(
    measure: Measure,
    over: Axis,
    at: FloatArray | Sequence[float],
    model: GaussianModel | Sequence[GaussianModel | None],
    mechanisms: Sequence[str] | Mapping[str, Noise],
    epsilon: float | None = None,
    delta: float | None = None,
    calibration: Calibration = "guarded",
    *,
    units: FloatArray | None = None,
    persons: Persons | None = None,
    undefended: bool = False,
) -> Curves:
    """A figure of several mechanisms along an axis; the noises are searched for side by side.

    Parameters
    ----------
    measure : Measure
        What is drawn: :func:`expected_errors`, :func:`attack_accuracies`,
        :func:`delivered_deltas`, :func:`delivered_epsilons`, or one of your own.
    over : "epsilon", "delta", "width", "n" or "releases"
        What varies: what is promised; the model; or how often the same noise is drawn anew for
        the same statistics, see :meth:`distpriv.Noise.after_releases`.
    at : array-like, shape (points,)
        Its values.
    model : GaussianModel, or sequence of (points,) GaussianModel or None
        One for each value, see :func:`models_along`, if it is the model that varies; NaN where
        there is none.
    mechanisms : sequence of str, or mapping of name to Noise
        Calibrated to each point; noises are taken as they are. NaN where a mechanism cannot keep
        its promise.
    epsilon : float > 0
    delta : float in (0, 1)
        What is promised, as far as it does not vary.
    calibration : "exact-law", "guarded", "exact" or "classical"
    units : ndarray, shape (m,), optional
        What the noise is calibrated in, see :func:`distpriv.calibrate`.
    persons : Persons, optional
        What each record is promised besides.
    undefended : bool
        With the curve ``UNDEFENDED`` of a release without noise.

    Raises
    ------
    CalibrationError
        If ε is missing, or as :func:`distpriv.calibrate`.
    """
    x = np.asarray(at, dtype=np.float64)
    models = [model] * len(x) if isinstance(model, GaussianModel) else model
    promises = [
        (value if over == "epsilon" else epsilon, value if over == "delta" else delta)
        for value in x.tolist()
    ]
    noises: dict[str, list[Noise | CalibrationError | None]]
    if isinstance(mechanisms, Mapping):
        noises = {
            name: [noise.after_releases(int(count)) for count in x]
            if over == "releases"
            else [noise] * len(x)
            for name, noise in mechanisms.items()
        }
    else:
        noises = _calibrated(mechanisms, models, promises, calibration, units, persons)
    if undefended:
        noises[UNDEFENDED] = [None] * len(x)
    cases: list[tuple[GaussianModel, Noise | None]] = []
    places = []
    for name, along in noises.items():
        for place, (fitted, noise) in enumerate(zip(models, along, strict=True)):
            if fitted is None or isinstance(noise, InapplicableError):
                continue
            if isinstance(noise, CalibrationError):
                raise noise
            cases.append((fitted, noise))
            places.append((name, place))
    curves = Curves(x, {name: np.full(len(x), math.nan) for name in noises})
    for (name, place), figure in zip(places, measure(cases), strict=True):
        curves.y[name][place] = figure
    return curves


def _calibrated(
    mechanisms: Sequence[str],
    models: Sequence[GaussianModel | None],
    promises: Sequence[tuple[float | None, float | None]],
    calibration: Calibration,
    units: FloatArray | None,
    persons: Persons | None,
) -> dict[str, list[Noise | CalibrationError | None]]:
    """Noise of each mechanism at each point; None where there is no model."""
    searches: list[Search] = []
    for name in mechanisms:
        for model, (epsilon, delta) in zip(models, promises, strict=True):
            if epsilon is None:
                raise CalibrationError("A sweep along another axis than ε needs an ε; give one.")
            if model is not None:
                searches.append(
                    searching(name, model, epsilon, delta, calibration, units, persons=persons)
                )
    noises = iter(side_by_side(searches))
    return {
        name: [None if model is None else next(noises) for model in models] for name in mechanisms
    }


def models_along(
    at: FloatArray | Sequence[float], fit: Callable[[float], GaussianModel]
) -> list[GaussianModel | None]:
    """A model for each value of an axis; None where the data or the range of p do not allow it.

    Parameters
    ----------
    at : array-like, shape (points,)
    fit : callable
        Makes the model for a value, for instance of Δp or n; see :func:`distpriv.fit_gaussian`
        and :func:`distpriv.model.gaussian.model_from_moments`.
    """
    models: list[GaussianModel | None] = []
    for value in np.asarray(at, dtype=np.float64).tolist():
        try:
            models.append(fit(value))
        except (ModelError, PropertyError):
            models.append(None)
    return models


def profiles(
    model: GaussianModel,
    noises: Mapping[str, Noise],
    epsilons: FloatArray,
    *,
    law: Laws = None,
) -> Curves:
    """Privacy profile δ(ε) of each noise, for the worst pair and order at every ε.

    The curve ``UNDEFENDED`` is that of a release without noise.

    Parameters
    ----------
    model : GaussianModel
    noises : mapping of name to Gaussian Noise
    epsilons : ndarray, shape (points,), each >= 0
    law : ExactLaw, or sequence of ExactLaw, optional
        What stands in place of the normals for Gaussian noise, for Laplace noise on a single
        statistic, and for none.
    """
    laws = None if law is None else laws_for(model, law)

    def deltas(noise: Noise | None) -> list[FloatArray]:
        gaussian = noise is None or noise.is_zero or noise.distribution == "gaussian"
        if laws is not None and (gaussian or len(model.query) == 1):
            return [exact.delivered_deltas(noise, epsilons).max(axis=0) for exact in laws]
        return [privacy_profile(fit, noise, epsilons).max(axis=0) for fit in model.pairs]

    return Curves(
        np.asarray(epsilons, dtype=np.float64),
        {
            name: np.max(deltas(noise), axis=0)
            for name, noise in {**noises, UNDEFENDED: None}.items()
        },
    )
