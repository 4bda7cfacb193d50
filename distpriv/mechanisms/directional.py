"""The directional mechanism: noise only where the secret moves the statistics."""

from __future__ import annotations

import numpy as np

from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import FloatArray, GaussianMechanism, LaplaceMechanism, register
from distpriv.model.gaussian import GaussianModel

__all__ = ["shift_directions"]


def shift_directions(model: GaussianModel) -> FloatArray:
    """Orthonormal basis of the span of the mean differences, shape (m, d).

    One column when all differences are parallel, as with a single pair; none when every
    difference vanishes (Chen & Ohrimenko 2023, Section 4.2).
    """
    if len(model.pairs) == 1 and model.differences.any():
        return np.asarray(model.differences.T / np.linalg.norm(model.differences))
    # Which differences are parallel is told in standard deviations, in which all statistics count.
    units, differences = model.standard_deviations, model.differences
    units = np.where(units > 0, units, 1.0)
    _, singular, rows = np.linalg.svd(differences / units, full_matrices=False)
    rank = int((singular > 1e-10 * max(float(singular[0]), 1e-300)).sum())
    if rank == 1:
        longest = differences[np.argmax(np.abs(differences / units).max(axis=1))]
        return np.asarray(longest[:, None] / np.linalg.norm(longest))
    if rank == len(units):
        return np.eye(rank)
    return np.asarray(np.linalg.qr((rows[:rank] * units).T)[0])


@register
class LaplaceDirectional(LaplaceMechanism):
    """Y v with Y ~ Lap(Δ_{E,2}/ε) along the common direction v of the mean differences.

    (ε, 0)-distribution private if the two distributions of each pair are translations of each
    other along v (Chen & Ohrimenko 2023, Theorem 4.3). With differences that are not parallel
    the noise is independent Laplace along an orthonormal basis V of their span, scaled to the
    largest ‖Vᵀ(μ_i − μ_j)‖_1, which for one direction is Δ_{E,2}.

    Erratum: row DirM (L) of the full version's Table 3 matches the scale Δ_{E,1}/ε, not the
    Δ_{E,2}/ε of the theorem; this is the theorem.
    """

    name = "DirM(L)"
    position = 20
    title = "Directional mechanism, Laplace"
    summary = "Laplace noise only along the direction in which the secret moves the statistics."
    source = "Chen & Ohrimenko (2023), Theorem 4.3"
    assumes = (Assumption.TRANSLATION,)
    dispenses = (Assumption.PARALLEL,)

    def directions(self, model: GaussianModel) -> FloatArray:
        return shift_directions(model)

    def sensitivity(self, model: GaussianModel, directions: FloatArray) -> float:
        return float(np.abs(model.differences @ directions).sum(axis=1).max())


@register
class GaussianDirectional(GaussianMechanism):
    """N(0, σ² v vᵀ) with the σ of ExpM, along the common direction v of the mean differences.

    Along an orthonormal basis of their span when they are not parallel
    (Chen & Ohrimenko 2023, Section 4.2).
    """

    name = "DirM"
    position = 21
    title = "Directional mechanism, Gaussian"
    summary = "Gaussian noise only along the direction in which the secret moves the statistics."
    source = "Chen & Ohrimenko (2023), Section 4.2"
    assumes = (Assumption.TRANSLATION,)
    dispenses = (Assumption.PARALLEL,)

    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        basis = shift_directions(model)
        return basis @ basis.T * (model.sensitivity(2) / distance) ** 2
