"""Attribute-private Gaussian noise that holds with the covariance that each share has."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import GaussianMechanism
from distpriv.mechanisms.by_exact_law import raised_to_law
from distpriv.mechanisms.grid_safe import grid_safe
from distpriv.mechanisms.guarded import settled
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.noise import Noise

__all__ = ["guarded_variance"]

FloatArray = NDArray[np.float64]


class _Isotropic(GaussianMechanism):
    """N(0, σ²I), from Algorithm 1 of Zhang et al. (2022) on until the promise holds."""

    name: ClassVar[str] = "Attribute-private Gaussian"
    title: ClassVar[str] = "Attribute-private Gaussian mechanism"
    summary: ClassVar[str] = "The same Gaussian noise on every statistic, as much as a share needs."
    source: ClassVar[str] = "Zhang et al. (2022), Algorithm 1"
    assumes: ClassVar[tuple[Assumption, ...]] = (Assumption.GAUSSIAN,)
    full_rank: ClassVar[bool] = True

    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        least = min(float(np.linalg.eigvalsh(fit.covariances).min()) for fit in model.pairs)
        variance = (model.sensitivity(2) / distance) ** 2 - max(least, 0.0)
        return np.eye(len(model.query)) * max(variance, 0.0)

    def guard_covariances(
        self, model: GaussianModel, largest: float
    ) -> Callable[[float], FloatArray]:
        """From that of Algorithm 1 on, also where the means do not differ."""
        first = self.covariance(model, largest)
        widest = max(float(np.linalg.eigvalsh(fit.covariances).max()) for fit in model.pairs)
        step = np.eye(len(first)) * max(float(first[0, 0]), widest)
        return lambda distance: first + ((largest / distance) ** 2 - 1) * step


def guarded_variance(
    model: GaussianModel, epsilon: float, delta: float
) -> tuple[float, tuple[str, ...]]:
    """σ² with which N(0, σ²I) delivers (ε, δ) for every pair, with both covariances.

    That of Algorithm 1, or as much more as it takes. More noise of this form never tells more
    (post-processing), so that the largest σ² of several models serves all of them. Where the
    statistics move in steps so wide that σ² has to cover them, it is more by the largest floor of
    :mod:`distpriv.mechanisms.grid_safe`; and where their law is known, it is raised until it
    delivers (ε, δ) by that too.

    Parameters
    ----------
    model : GaussianModel
    epsilon : float in (0, 10⁶]
    delta : float in (0, 1)

    Returns
    -------
    float
        σ².
    tuple of str
        Caveats.

    Raises
    ------
    CalibrationError
        If ε or δ is outside its domain.
    """
    noise = settled(grid_safe(_Isotropic(), model, epsilon, delta, "guarded"))
    deviation = math.hypot(
        float(noise.scales.max(initial=0.0)), float(noise.floor_deviations.max(initial=0.0))
    )
    guarded = _isotropic(noise, deviation)
    any_noise = _isotropic(noise, deviation or float(model.standard_deviations.max()))
    raised = raised_to_law(guarded, any_noise, model)
    return float(raised.scales.max(initial=0.0)) ** 2, noise.caveats


def _isotropic(noise: Noise, deviation: float) -> Noise:
    """Return the same promise with one deviation on every statistic, and no floor."""
    size = noise.dimension
    return replace(noise, directions=np.eye(size), scales=np.full(size, deviation), floor=None)
