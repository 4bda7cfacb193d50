"""The expected value mechanism: the same noise on every statistic."""

from __future__ import annotations

import numpy as np

from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import FloatArray, GaussianMechanism, LaplaceMechanism, register
from distpriv.model.gaussian import GaussianModel


@register
class LaplaceExpectedValue(LaplaceMechanism):
    """Independent Lap(Δ_{E,1}/ε) on every statistic.

    (ε, 0)-distribution private if the two distributions of each pair are translations of each
    other (Chen & Ohrimenko 2023, Theorem 4.1).
    """

    name = "ExpM(L)"
    position = 10
    title = "Expected value mechanism, Laplace"
    summary = "The same Laplace noise on every statistic, as large as the largest total shift."
    source = "Chen & Ohrimenko (2023), Theorem 4.1"
    assumes = (Assumption.TRANSLATION,)
    full_rank = True

    def directions(self, model: GaussianModel) -> FloatArray:
        return np.eye(len(model.query))

    def sensitivity(self, model: GaussianModel, directions: FloatArray) -> float:
        return model.sensitivity(1)


@register
class GaussianExpectedValue(GaussianMechanism):
    """N(0, σ²I) with σ = cΔ_{E,2}/ε, or Δ_{E,2}/μ*(ε, δ) under the exact calibration.

    (ε, δ)-distribution private if the two distributions of each pair are translations of each
    other (Chen & Ohrimenko 2023, Theorem 4.2).
    """

    name = "ExpM"
    position = 11
    title = "Expected value mechanism, Gaussian"
    summary = "The same Gaussian noise on every statistic."
    source = "Chen & Ohrimenko (2023), Theorem 4.2"
    assumes = (Assumption.TRANSLATION,)
    full_rank = True

    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        return np.eye(len(model.query)) * (model.sensitivity(2) / distance) ** 2
