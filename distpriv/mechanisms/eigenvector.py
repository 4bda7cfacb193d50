"""The eigenvector mechanism: less noise where the statistics vary anyway."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dgejsv
from scipy.optimize import brentq

from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import FloatArray, GaussianMechanism, register
from distpriv.model.gaussian import GaussianModel

_ALIKE = 100.0  # times a deviation: no digits to speak of are lost


@register
class EigenvectorGaussian(GaussianMechanism):
    """N(0, Σ_k σ_k² v_k v_kᵀ), σ_k² = max_θ max(0, (cΔ_{E,2}/ε)² − v_kᵀΣ_θ v_k).

    (ε, δ)-distribution private if the covariances are equal within each pair and share the
    eigenvectors v_k (Chen & Ohrimenko 2023, Theorem 4.5). Here v_k are the eigenvectors of the
    mean of the pairs' pooled covariances. Pairs whose covariances do not share them can be left
    further apart than (ε, δ) allows; the least multiple of the identity that mends it is
    added then, which is none for a single pair.

    Erratum: what Theorem 4.5 calls λ² "squared eigenvalues" are the eigenvalues of Σ_θ.
    """

    name = "EigM"
    position = 30
    title = "Eigenvector mechanism, Gaussian"
    summary = (
        "Gaussian noise along the statistics' own axes of variation, less on the axes where "
        "they vary most."
    )
    source = "Chen & Ohrimenko (2023), Theorem 4.5"
    assumes = (Assumption.GAUSSIAN, Assumption.EQUAL_COVARIANCE)
    dispenses = (Assumption.SAME_EIGENVECTORS,)
    full_rank = True

    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        return self.guard_covariances(model, distance)(distance)

    def guard_covariances(
        self, model: GaussianModel, largest: float
    ) -> Callable[[float], FloatArray]:
        """The axes and the variances along them are the same at every distance."""
        pooled = np.array([fit.pooled for fit in model.pairs])
        vectors = _eigenvectors(pooled.mean(axis=0))
        present = np.einsum("ak,pab,bk->pk", vectors, pooled, vectors).min(axis=0)
        sensitivity = model.sensitivity(2)

        def along_axes(distance: float) -> FloatArray:
            wanted = (sensitivity / distance) ** 2
            return np.asarray((vectors * np.maximum(0.0, wanted - present)) @ vectors.T)

        if len(model.pairs) == 1:
            return along_axes
        return lambda distance: _mended(model, along_axes(distance), distance)


def _mended(model: GaussianModel, noise: FloatArray, distance: float) -> FloatArray:
    """With the least multiple of the identity that pairs with other eigenvectors ask for."""
    enough = (model.sensitivity(2) / distance) ** 2
    identity = np.eye(len(noise))

    def excess(extra: float) -> float:
        added = noise + extra * identity
        return max(fit.distance(added) for fit in model.pairs) ** 2 - distance**2

    if excess(0.0) <= 0:
        return noise
    return noise + identity * float(brentq(excess, 0.0, enough, xtol=1e-12 * enough))


def _eigenvectors(covariance: FloatArray) -> FloatArray:
    """Those of a positive definite matrix, shape (m, m), to the precision of each component.

    Where statistics differ much in size from the singular vectors of the Cholesky factor by
    one-sided rotations (Drmač & Veselić 2008): what there is little of is not lost to rounding.
    """
    units = np.sqrt(np.diag(covariance))
    if units.max() <= _ALIKE * units.min():
        return np.asarray(np.linalg.eigh(covariance)[1])
    root = units[:, None] * np.linalg.cholesky(covariance / np.outer(units, units))
    _, vectors, _, _, _, failed = dgejsv(root, joba=2, jobu=0, jobv=3)
    return np.asarray(np.linalg.eigh(covariance)[1] if failed else vectors)
