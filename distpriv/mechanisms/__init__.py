"""Mechanisms for distribution privacy, one file a family.

A mechanism registers itself under its short name; every module of this package is imported
here, so that a new file is all a new mechanism takes.
"""

from __future__ import annotations

import importlib
import pkgutil

from numpy.typing import ArrayLike

from distpriv.calibration import Calibration
from distpriv.mechanisms.base import Mechanism, get, names, register
from distpriv.models import GaussianModel
from distpriv.noise import Noise, check_units

__all__ = ["Mechanism", "calibrate", "get", "names", "register"]

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")


def calibrate(
    mechanism: str,
    model: GaussianModel,
    epsilon: float,
    delta: float | None = None,
    calibration: Calibration = "exact",
    units: ArrayLike | None = None,
) -> Noise:
    """Calibrate a mechanism's noise to a fitted model.

    Parameters
    ----------
    mechanism : str
        Short name, one of :func:`distpriv.mechanisms.names`.
    model : GaussianModel
    epsilon : float > 0
    delta : float in (0, 1)
        Laplace mechanisms that promise δ = 0 ignore it.
    calibration : "exact", "classical" or "guarded"
        Gaussian mechanisms only, see :func:`distpriv.calibration.gaussian_distance`.
    units : array-like, shape (m,), optional
        Calibrate as if each statistic were divided by its unit: what counts as much of an
        error as one unit of another. A linear change of variables that can be undone keeps
        the promise (post-processing); the noise is in the statistics' own units again.

    Returns
    -------
    Noise

    Raises
    ------
    CalibrationError
        If there is no such mechanism, or ε, δ or a unit is outside its domain.
    """
    chosen = get(mechanism)
    if units is None:
        return chosen.calibrate(model, epsilon, delta, calibration)
    sizes = check_units(units, len(model.query))
    noise = chosen.calibrate(model.in_units(sizes), epsilon, delta, calibration)
    return noise.in_units(1 / sizes)
