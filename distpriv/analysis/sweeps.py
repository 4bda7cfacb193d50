"""What a release costs: its error as privacy, or what is hidden, varies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from distpriv.attacks.best_attack import optimal_attack_accuracies
from distpriv.errors import (
    CalibrationError,
    InapplicableError,
    ModelError,
    PropertyError,
    QueryError,
)
from distpriv.mechanisms import searching
from distpriv.mechanisms.curves import Curves
from distpriv.mechanisms.guarded import side_by_side
from distpriv.model.gaussian import GaussianModel, model_from_moments
from distpriv.model.moments import GroupMoments
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.delivered import delivered_delta, delivered_epsilon, privacy_profile
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = [
    "UNDEFENDED",
    "accuracy_against_epsilon",
    "accuracy_against_releases",
    "accuracy_against_width",
    "delta_against_releases",
    "epsilon_against_releases",
    "error_against_epsilon",
    "error_against_width",
    "expected_error",
    "models_against_width",
    "profiles",
]

FloatArray = NDArray[np.float64]


UNDEFENDED = "none"


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


def error_against_epsilon(
    model: GaussianModel,
    mechanisms: Sequence[str],
    epsilons: FloatArray,
    delta: float,
    calibration: Calibration = "guarded",
    statistic: int | None = None,
    *,
    units: FloatArray | None = None,
    report: FloatArray | None = None,
) -> Curves:
    """Expected error of each mechanism for each ε (Figure 2 of Chen & Ohrimenko 2023).

    Parameters
    ----------
    model : GaussianModel
    mechanisms : sequence of str
    epsilons : ndarray, shape (points,), each > 0
    delta : float in (0, 1)
    calibration : "exact", "classical" or "guarded"
    statistic : int, optional
        See :func:`expected_error`.
    units : ndarray, shape (m,), optional
        What the noise is calibrated in, see :func:`distpriv.calibrate`.
    report : ndarray, shape (m,), optional
        Units of the L2 error; raw by default.
    """
    settings = [(model, float(epsilon)) for epsilon in epsilons]
    measure = _error_measure(statistic, report)
    return _curves(epsilons, mechanisms, settings, delta, calibration, measure, units)


def accuracy_against_epsilon(
    model: GaussianModel,
    mechanisms: Sequence[str],
    epsilons: FloatArray,
    delta: float,
    calibration: Calibration = "guarded",
    *,
    units: FloatArray | None = None,
    pair: int | None = None,
) -> Curves:
    """Accuracy of the optimal attack on each mechanism for each ε.

    NaN for Laplace noise in several directions, whose simulation takes tens of milliseconds.

    Parameters
    ----------
    pair : int, optional
        Index of the pair that is attacked; by default the one hardest to hide.

    Other parameters are those of :func:`error_against_epsilon`.
    """
    settings = [(model, float(epsilon)) for epsilon in epsilons]
    return _accuracies(epsilons, mechanisms, settings, delta, calibration, units, pair)


def models_against_width(
    moments: Mapping[SensitiveProperty, GroupMoments],
    query: Query,
    pairs_at: Callable[[float], Sequence[Pair]],
    widths: FloatArray,
    n: int,
    *,
    replacement: bool = False,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> list[GaussianModel | None]:
    """Exact models for several Δp; None where the data or the range of p do not allow it.

    Parameters
    ----------
    moments : mapping of SensitiveProperty to GroupMoments
    query : Query
    pairs_at : callable
        The pairs to hide at a given Δp.
    widths : ndarray, shape (points,)
    n : int
    replacement, bounds
        See :func:`distpriv.fit_gaussian`.
    """
    models: list[GaussianModel | None] = []
    for width in widths:
        try:
            pairs = pairs_at(float(width))
            models.append(
                model_from_moments(moments, query, pairs, n, replacement=replacement, bounds=bounds)
            )
        except (ModelError, PropertyError):
            models.append(None)
    return models


def error_against_width(
    models: Sequence[GaussianModel | None],
    widths: FloatArray,
    mechanisms: Sequence[str],
    epsilon: float,
    delta: float,
    calibration: Calibration = "guarded",
    statistic: int | None = None,
    *,
    units: FloatArray | None = None,
    report: FloatArray | None = None,
) -> Curves:
    """Expected error of each mechanism for each Δp (Figure 3 of Chen & Ohrimenko 2023).

    Parameters
    ----------
    models : sequence of GaussianModel or None
        From :func:`models_against_width`; the error is NaN where there is none.
    widths : ndarray, shape (points,)

    Other parameters are those of :func:`error_against_epsilon`.
    """
    settings = [(model, epsilon) for model in models]
    measure = _error_measure(statistic, report)
    return _curves(widths, mechanisms, settings, delta, calibration, measure, units)


def accuracy_against_width(
    models: Sequence[GaussianModel | None],
    widths: FloatArray,
    mechanisms: Sequence[str],
    epsilon: float,
    delta: float,
    calibration: Calibration = "guarded",
    *,
    units: FloatArray | None = None,
) -> Curves:
    """Accuracy of the optimal attack for each Δp, every mechanism calibrated to that Δp.

    The curve ``UNDEFENDED`` is that of a release without noise. NaN where there is no model, and
    for Laplace noise in several directions. Parameters are those of :func:`error_against_width`.
    """
    settings = [(model, epsilon) for model in models]
    curves = _accuracies(widths, mechanisms, settings, delta, calibration, units)
    curves.y[UNDEFENDED] = np.full(len(models), math.nan)
    fitted = [place for place, model in enumerate(models) if model is not None]
    known = [(model, None) for model in models if model is not None]
    curves.y[UNDEFENDED][fitted] = optimal_attack_accuracies(known)
    return curves


def accuracy_against_releases(
    model: GaussianModel, noises: Mapping[str, Noise], counts: Sequence[int]
) -> Curves:
    """Accuracy of the optimal attack when the same statistics are released several times.

    Parameters
    ----------
    model : GaussianModel
    noises : mapping of name to Gaussian Noise
        Drawn anew for each release.
    counts : sequence of int, each at least 1
        See :meth:`distpriv.Noise.after_releases`.
    """
    left = [(model, noise.after_releases(count)) for noise in noises.values() for count in counts]
    found = optimal_attack_accuracies(left).reshape(len(noises), len(counts))
    return Curves(np.asarray(counts, dtype=np.float64), dict(zip(noises, found, strict=True)))


def delta_against_releases(
    model: GaussianModel, noises: Mapping[str, Noise], counts: Sequence[int], epsilon: float
) -> Curves:
    """δ that is delivered at ε when the same statistics are released several times.

    Parameters are those of :func:`accuracy_against_releases`.
    """
    return _by_releases(noises, counts, lambda left: delivered_delta(model, left, epsilon))


def epsilon_against_releases(
    model: GaussianModel, noises: Mapping[str, Noise], counts: Sequence[int], delta: float
) -> Curves:
    """ε that is delivered at δ when the same statistics are released several times.

    Parameters are those of :func:`accuracy_against_releases`.
    """
    return _by_releases(noises, counts, lambda left: delivered_epsilon(model, left, delta))


def _by_releases(
    noises: Mapping[str, Noise], counts: Sequence[int], measure: Callable[[Noise], float]
) -> Curves:
    return Curves(
        np.asarray(counts, dtype=np.float64),
        {
            name: np.array([measure(noise.after_releases(count)) for count in counts])
            for name, noise in noises.items()
        },
    )


def profiles(model: GaussianModel, noises: Mapping[str, Noise], epsilons: FloatArray) -> Curves:
    """Privacy profile δ(ε) of each noise, for the worst pair and order at every ε.

    The curve ``UNDEFENDED`` is that of a release without noise.

    Parameters
    ----------
    model : GaussianModel
    noises : mapping of name to Gaussian Noise
    epsilons : ndarray, shape (points,), each >= 0
    """
    return Curves(
        np.asarray(epsilons, dtype=np.float64),
        {
            name: np.max(
                [privacy_profile(fit, noise, epsilons).max(axis=0) for fit in model.pairs], axis=0
            )
            for name, noise in {**noises, UNDEFENDED: None}.items()
        },
    )


def _curves(
    x: FloatArray,
    mechanisms: Sequence[str],
    settings: Sequence[tuple[GaussianModel | None, float]],
    delta: float,
    calibration: Calibration,
    measure: Callable[[GaussianModel, Noise], float],
    units: FloatArray | None,
) -> Curves:
    """One figure per mechanism and setting (model, ε)."""
    points = [(name, place) for name in mechanisms for place in range(len(settings))]
    searches = [
        searching(name, model, epsilon, delta, calibration, units)
        for name in mechanisms
        for model, epsilon in settings
        if model is not None
    ]
    noises = iter(side_by_side(searches))
    y = {name: np.full(len(settings), math.nan) for name in mechanisms}
    for name, place in points:
        model = settings[place][0]
        if model is not None:
            y[name][place] = _measured(model, next(noises), measure)
    return Curves(np.asarray(x, dtype=np.float64), y)


def _measured(
    model: GaussianModel,
    noise: Noise | CalibrationError,
    measure: Callable[[GaussianModel, Noise], float],
) -> float:
    """One figure; NaN where a mechanism cannot keep its promise."""
    if isinstance(noise, InapplicableError):
        return math.nan
    if isinstance(noise, CalibrationError):
        raise noise
    return measure(model, noise)


def _error_measure(
    statistic: int | None, report: FloatArray | None
) -> Callable[[GaussianModel, Noise], float]:
    return lambda _, noise: expected_error(noise, statistic, report)


def _accuracies(
    x: FloatArray,
    mechanisms: Sequence[str],
    settings: Sequence[tuple[GaussianModel | None, float]],
    delta: float,
    calibration: Calibration,
    units: FloatArray | None,
    pair: int | None = None,
) -> Curves:
    """Accuracies of the optimal attack, all at once: the curves are first of places among cases."""
    cases: list[tuple[GaussianModel, Noise | None]] = []

    def placed(model: GaussianModel, noise: Noise) -> float:
        cases.append((model if pair is None else model.only(pair), noise))
        return float(len(cases) - 1)

    places = _curves(x, mechanisms, settings, delta, calibration, placed, units)
    found = np.append(optimal_attack_accuracies(cases, directions=1), math.nan)
    return Curves(
        places.x,
        {name: found[np.nan_to_num(each, nan=-1).astype(int)] for name, each in places.y.items()},
    )
