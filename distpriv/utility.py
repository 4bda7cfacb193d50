"""What a release costs: its error as privacy, or what is hidden, varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.calibration import Calibration
from distpriv.errors import ModelError, PropertyError, QueryError
from distpriv.mechanisms import calibrate
from distpriv.models import GaussianModel, model_from_moments
from distpriv.moments import GroupMoments
from distpriv.noise import Noise
from distpriv.properties import SensitiveProperty
from distpriv.queries import Query

__all__ = [
    "Curves",
    "error_against_epsilon",
    "error_against_width",
    "expected_error",
    "models_against_width",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curves:
    """One curve per mechanism over a common axis.

    Attributes
    ----------
    x : ndarray, shape (points,)
    y : dict of mechanism to ndarray, shape (points,)
    """

    x: FloatArray
    y: dict[str, FloatArray]


def expected_error(noise: Noise, statistic: int | None = None) -> float:
    """Expected error of a release without simulation.

    Parameters
    ----------
    noise : Noise
    statistic : int, optional
        Expected absolute error of this statistic, in its own unit; by default the expected L2
        error of all of them.

    Raises
    ------
    QueryError
        If there is no such statistic.
    """
    if statistic is None:
        return noise.expected_error()
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
    calibration: Calibration = "exact",
    statistic: int | None = None,
) -> Curves:
    """Expected error of each mechanism for each ε (Figure 2 of Chen & Ohrimenko 2023).

    Parameters
    ----------
    model : GaussianModel
    mechanisms : sequence of str
    epsilons : ndarray, shape (points,), each > 0
    delta : float in (0, 1)
    calibration : "exact" or "classical"
    statistic : int, optional
        See :func:`expected_error`.
    """
    return Curves(
        np.asarray(epsilons, dtype=np.float64),
        {
            name: np.array(
                [
                    expected_error(
                        calibrate(name, model, float(epsilon), delta, calibration), statistic
                    )
                    for epsilon in epsilons
                ]
            )
            for name in mechanisms
        },
    )


def models_against_width(
    moments: GroupMoments,
    query: Query,
    secret: SensitiveProperty,
    center: float,
    widths: FloatArray,
    n: int,
    *,
    replacement: bool = False,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> list[GaussianModel | None]:
    """Exact models for several Δp; None where the data or the range of p do not allow it."""
    models: list[GaussianModel | None] = []
    for width in widths:
        try:
            pair = secret.pair(center, float(width))
            models.append(
                model_from_moments(
                    {secret: moments}, query, [pair], n, replacement=replacement, bounds=bounds
                )
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
    calibration: Calibration = "exact",
    statistic: int | None = None,
) -> Curves:
    """Expected error of each mechanism for each Δp (Figure 3 of Chen & Ohrimenko 2023).

    Parameters
    ----------
    models : sequence of GaussianModel or None
        From :func:`models_against_width`; the error is NaN where there is none.
    widths : ndarray, shape (points,)

    Other parameters are those of :func:`error_against_epsilon`.
    """
    return Curves(
        np.asarray(widths, dtype=np.float64),
        {
            name: np.array(
                [
                    np.nan
                    if model is None
                    else expected_error(
                        calibrate(name, model, epsilon, delta, calibration), statistic
                    )
                    for model in models
                ]
            )
            for name in mechanisms
        },
    )
