"""Direction and adversarial uncertainty together."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from distpriv.mechanisms.base import FloatArray, GaussianMechanism, register
from distpriv.mechanisms.directional import shift_directions
from distpriv.models import GaussianModel
from distpriv.premises import Assumption


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
        basis = shift_directions(model)
        variance = max(
            (_least_variance(basis, fit.pooled, fit.difference, distance) for fit in model.pairs),
            default=0.0,
        )
        return basis @ basis.T * variance


def _least_variance(
    basis: FloatArray, covariance: FloatArray, difference: FloatArray, distance: float
) -> float:
    """Least σ² ≥ 0 with Σ_k b_k²/(λ_k + σ²) ≤ distance², λ_k the eigenvalues of G⁻¹."""
    if not basis.shape[1]:
        return 0.0
    inside = np.linalg.inv(basis.T @ np.linalg.solve(covariance, basis))
    eigenvalues, vectors = np.linalg.eigh(inside)
    squares = (vectors.T @ (basis.T @ difference)) ** 2
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
