"""Direction and adversarial uncertainty together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import FloatArray, GaussianMechanism, register
from distpriv.mechanisms.directional import shift_directions
from distpriv.model.gaussian import GaussianModel


@register
class DirectionalUncertainty(GaussianMechanism):
    """N(0, σ² v vᵀ) with the least σ² that brings the two normals close enough.

    Along a common direction v, with d = αv, the determinant condition of Algorithm 1
    (Chen & Ohrimenko 2023, Theorem A.1) solves to σ² = max(0, (α/distance)² − 1/(vᵀΣ⁻¹v)).
    With an orthonormal basis V of several directions and noise σ²VVᵀ, the condition
    dᵀ(Σ + σ²VVᵀ)⁻¹d ≤ distance² reads aᵀ(G⁻¹ + σ²I)⁻¹a ≤ distance² for d = Va and
    G = VᵀΣ⁻¹V, decreasing in σ².
    """

    name = "DauM"
    position = 40
    title = "Directional mechanism with adversarial uncertainty, Gaussian"
    summary = (
        "Gaussian noise along the secret's direction, just as much as the statistics' own "
        "variation leaves wanting."
    )
    source = "Chen & Ohrimenko (2023), Algorithm 1 and Theorem A.1"
    assumes = (Assumption.GAUSSIAN, Assumption.EQUAL_COVARIANCE)
    dispenses = (Assumption.PARALLEL,)

    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        return self.guard_covariances(model, distance)(distance)

    def guard_covariances(
        self, model: GaussianModel, largest: float
    ) -> Callable[[float], FloatArray]:
        """The directions, and how much varies along them, are the same at every distance."""
        basis = shift_directions(model)
        plane = basis @ basis.T
        inside = [_inside(basis, fit.pooled, fit.difference) for fit in model.pairs]
        return lambda distance: (
            plane * max((_least_variance(*ends, distance) for ends in inside), default=0.0)
        )


def _inside(
    basis: FloatArray, covariance: FloatArray, difference: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues λ of G⁻¹ and squares of a in their directions."""
    if not basis.shape[1]:
        return np.zeros(0), np.zeros(0)
    inner = np.linalg.inv(basis.T @ np.linalg.solve(covariance, basis))
    eigenvalues, vectors = np.linalg.eigh(inner)
    return eigenvalues, (vectors.T @ (basis.T @ difference)) ** 2


def _least_variance(eigenvalues: FloatArray, squares: FloatArray, distance: float) -> float:
    """Least σ² ≥ 0 with Σ_k b_k²/(λ_k + σ²) ≤ distance²."""
    if not len(squares):
        return 0.0
    target = distance**2
    if len(squares) == 1:
        return max(0.0, float(squares[0] / target - eigenvalues[0]))
    if float((squares / eigenvalues).sum()) <= target:
        return 0.0
    enough = float(squares.sum()) / target
    return float(
        brentq(
            lambda variance: float((squares / (eigenvalues + variance)).sum()) - target,
            0.0,
            enough,
            xtol=1e-12 * enough,
        )
    )
