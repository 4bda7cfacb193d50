"""Normal noise of the published shapes, and Laplace noise along the same directions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.mechanisms.base import PROMISE, Make, Mechanism, Options, differences, register
from distpriv.mechanisms.laplace import laplace_release
from distpriv.model import GaussianModel, Promise, Release
from distpriv.model.grid import solve_in_units
from distpriv.privacy.least_noise import positive_part

__all__ = ["directional_noise", "eigenvector_noise", "equal_noise", "one_dimensional_noise"]
__all__ += ["optimal_noise", "span"]


def equal_noise(d: FloatArray, _pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return σ² I, σ = Δ_{E,2}/μ (Theorem 4.2; the classical calibration has ε/c for μ)."""
    size = (np.linalg.norm(d, axis=1).max() / mu) ** 2
    return np.asarray(size[:, None, None] * np.eye(d.shape[1]))


def directional_noise(d: FloatArray, _pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return σ² V Vᵀ, σ = Δ_{E,2}/μ, V an orthonormal basis of the differences (Section 4.2)."""
    basis = span(d)
    size = (np.linalg.norm(d, axis=1).max() / mu) ** 2
    return np.asarray(size[:, None, None] * (basis @ basis.T))


def one_dimensional_noise(d: FloatArray, pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return σ² v vᵀ with the least σ² that hides differences along v.

    The determinant condition of Algorithm 1 (Theorem A.1) solves to
    σ² = max(0, (α/μ)² − 1/(vᵀΣ⁻¹v)), α the length of the difference.
    """
    v = span(d)[:, 0]
    free = 1 / (solve_in_units(pooled, v) @ v)
    size = np.maximum((d @ v) ** 2 / mu[:, None] ** 2 - free, 0).max(axis=1)
    return np.asarray(size[:, None, None] * np.outer(v, v))


def eigenvector_noise(d: FloatArray, pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return Σ_k σ_k² v_k v_kᵀ, σ_k² = max(0, (Δ_{E,2}/μ)² − vᵀΣv) (Theorem 4.5).

    The v_k are the eigenvectors of the mean covariance of all pairs, the least vᵀΣv of them counts.
    What the paper calls squared eigenvalues are the eigenvalues of the covariance (erratum 3).
    """
    vectors = np.linalg.eigh(pooled.mean(axis=1))[1]
    variances = np.einsum("bin,bkij,bjn->bkn", vectors, pooled, vectors).min(axis=1)
    size = np.maximum(((np.linalg.norm(d, axis=1).max() / mu) ** 2)[:, None] - variances, 0)
    return np.asarray((vectors * size[:, None]) @ np.swapaxes(vectors, 1, 2))


def optimal_noise(d: FloatArray, pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return the positive part of ddᵀ/μ² − Σ, added up over the pairs.

    Corollary A.1 asks dᵀ(Σ + S)⁻¹d <= μ², by the Schur complement S ⪰ ddᵀ/μ² − Σ. For one pair the
    positive part is the S of least trace; for several pairs
    :func:`distpriv.privacy.least_noise.least_noise` finds less than the sum.
    """
    scaled = d[None] / mu[:, None, None]
    return positive_part(scaled[..., :, None] * scaled[..., None, :] - pooled).sum(axis=1)


def span(d: FloatArray) -> FloatArray:
    """Return an orthonormal basis of the span of differences (K, m), shape (m, r)."""
    vectors, sizes, _ = np.linalg.svd(d.T, full_matrices=False)
    some = sizes > 1e-9 * sizes[0]
    some[0] = True  # where the secrets move nothing, any direction
    return np.asarray(vectors[:, some])


def _laplace(name: str, directions_of: Callable[[FloatArray], FloatArray]) -> Make:
    """Return how Laplace noise is made along directions that follow from the differences."""

    def make(model: GaussianModel, promise: Promise, options: Options) -> Release:
        return laplace_release(name, model, directions_of(differences(model)), promise, options)

    return make


def _one_direction(model: GaussianModel) -> str:
    if span(differences(model)).shape[1] == 1:
        return ""
    return (
        "DauM adds noise along one direction, and these secrets move the statistics along several; "
        "take OptM."
    )


_EVERY, _ALONG = _laplace("ExpM(L)", lambda d: np.eye(d.shape[1])), _laplace("DirM(L)", span)
register(Mechanism("ExpM(L)", "Theorem 4.1", "ExpM, Laplace", "laplace", PROMISE, make=_EVERY))
register(Mechanism("ExpM", "Theorem 4.2", shape=equal_noise, always=True))
register(
    Mechanism("DirM(L)", "Theorem 4.3", "DirM, Laplace", "laplace", PROMISE, make=_ALONG, erratum=1)
)
register(Mechanism("DirM", "Section 4.2", shape=directional_noise, always=True, erratum=12))
register(
    Mechanism(
        "DauM", "Algorithm 1", shape=one_dimensional_noise, applies=_one_direction, erratum=12
    )
)
register(Mechanism("EigM", "Theorem 4.5", shape=eigenvector_noise, erratum=3))
register(Mechanism("OptM", "Corollary A.1", shape=optimal_noise, least=True))
