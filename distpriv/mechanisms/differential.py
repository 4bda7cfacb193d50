"""Baselines from differential privacy, for single records and for groups of records."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import (
    FloatArray,
    GaussianMechanism,
    LaplaceMechanism,
    Mechanism,
    held,
    register,
)
from distpriv.mechanisms.for_persons import leaking
from distpriv.model.gaussian import GaussianModel


class _RecordLevel(Mechanism):
    """Noise calibrated to replacing `group` of the n records."""

    baseline = True
    assumes = (Assumption.KNOWN_BOUNDS,)

    @abstractmethod
    def group(self, model: GaussianModel) -> int:
        """How many records the promise covers."""

    def moved(self, model: GaussianModel) -> FloatArray:
        """How far each statistic moves at most with those records, shape (m,)."""
        most = model.record_sensitivities
        held(self.name, self.group(model) * float(most.max()))
        return self.group(model) * most

    def caveats(self, model: GaussianModel) -> tuple[str, ...]:
        """Name the columns whose sensitivity comes from the data's own range."""
        return leaking(model)


class _LaplaceRecordLevel(_RecordLevel, LaplaceMechanism):
    def directions(self, model: GaussianModel) -> FloatArray:
        return np.eye(len(model.query))

    def sensitivity(self, model: GaussianModel, directions: FloatArray) -> float:
        return float(self.moved(model).sum())


class _GaussianRecordLevel(_RecordLevel, GaussianMechanism):
    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        deviation = held(self.name, float(np.linalg.norm(self.moved(model))) / distance)
        return np.eye(len(model.query)) * deviation**2


class _WholeDataset(_RecordLevel):
    source = "Dwork & Roth (2014), Theorem 2.2 and Appendix A, group of all n records"

    def group(self, model: GaussianModel) -> int:
        return model.n


class _SingleRecord(_RecordLevel):
    source = "Dwork & Roth (2014), Definition 3.3 and Appendix A"
    protects = False

    def group(self, model: GaussianModel) -> int:
        return 1

    def caveats(self, model: GaussianModel) -> tuple[str, ...]:
        """Say that single records are protected and the property is not."""
        return (
            "Differential privacy hides single records; it promises nothing about the property.",
            *super().caveats(model),
        )


@register
class LaplaceGroupDP(_WholeDataset, _LaplaceRecordLevel):
    """Independent Lap(nΔ_1/ε): group differential privacy for all n records."""

    name = "GroupDP(L)"
    position = 10
    title = "Group differential privacy, Laplace"
    summary = "Hides everything about all n records at once; far more noise than needed."


@register
class GaussianGroupDP(_WholeDataset, _GaussianRecordLevel):
    """N(0, (c n Δ_2/ε)² I): group differential privacy for all n records."""

    name = "GroupDP"
    position = 11
    title = "Group differential privacy, Gaussian"
    summary = "Hides everything about all n records at once; far more noise than needed."


@register
class LaplaceDP(_SingleRecord, _LaplaceRecordLevel):
    """Independent Lap(Δ_1/ε): differential privacy for one record."""

    name = "DP(L)"
    position = 20
    title = "Differential privacy, Laplace"
    summary = "Hides single records only; a yardstick, no promise about the property."


@register
class GaussianDP(_SingleRecord, _GaussianRecordLevel):
    """N(0, (cΔ_2/ε)² I): differential privacy for one record."""

    name = "DP"
    position = 21
    title = "Differential privacy, Gaussian"
    summary = "Hides single records only; a yardstick, no promise about the property."
