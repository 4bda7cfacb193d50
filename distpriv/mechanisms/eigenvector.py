"""EigM: noise along the eigenvectors of the covariance, where the statistics vary too little."""

from __future__ import annotations

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.mechanisms.base import Mechanism, register

__all__ = ["normal_noise"]


def normal_noise(d: FloatArray, pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return Σ_k σ_k² v_k v_kᵀ, σ_k² = max(0, (Δ_{E,2}/μ)² − vᵀΣv) (Theorem 4.5).

    The v_k are the eigenvectors of the mean covariance of all pairs, the least vᵀΣv of them counts.
    What the paper calls squared eigenvalues are the eigenvalues of the covariance (erratum 3).
    """
    vectors = np.linalg.eigh(pooled.mean(axis=1))[1]
    variances = np.einsum("bin,bkij,bjn->bkn", vectors, pooled, vectors).min(axis=1)
    size = np.maximum(((np.linalg.norm(d, axis=1).max() / mu) ** 2)[:, None] - variances, 0)
    return np.asarray((vectors * size[:, None]) @ np.swapaxes(vectors, 1, 2))


register(Mechanism("EigM", "Theorem 4.5", shape=normal_noise, erratum=3))
