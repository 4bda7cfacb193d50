"""Mechanisms for distribution privacy, one file a family.

A mechanism registers itself under its short name; every module of this package is imported
here, so that a new file is all a new mechanism takes.
"""

from __future__ import annotations

import importlib
import pkgutil

from distpriv.calibration import Calibration
from distpriv.mechanisms.base import Mechanism, get, names, register
from distpriv.models import GaussianModel
from distpriv.noise import Noise

__all__ = ["Mechanism", "calibrate", "get", "names", "register"]

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")


def calibrate(
    mechanism: str,
    model: GaussianModel,
    epsilon: float,
    delta: float | None = None,
    calibration: Calibration = "exact",
) -> Noise:
    """Calibrate a mechanism's noise to a fitted model.

    Parameters
    ----------
    mechanism : str
        Short name, one of :func:`distpriv.mechanisms.names`.
    model : GaussianModel
    epsilon : float > 0
    delta : float in (0, 1)
        Gaussian mechanisms only; Laplace mechanisms promise δ = 0 and ignore it.
    calibration : "exact", "classical" or "guarded"
        Gaussian mechanisms only, see :func:`distpriv.calibration.gaussian_distance`.

    Returns
    -------
    Noise

    Raises
    ------
    CalibrationError
        If there is no such mechanism, or ε or δ is outside its domain.
    """
    return get(mechanism).calibrate(model, epsilon, delta, calibration)
