"""DirM and DauM: noise along the directions in which the secrets move the statistics."""

from __future__ import annotations

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.mechanisms.base import PROMISE, Mechanism, Options, differences, register, span
from distpriv.mechanisms.laplace import laplace_release
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy.least_noise import solve_in_units

__all__ = ["normal_noise", "one_dimensional_noise"]


def normal_noise(d: FloatArray, _pooled: FloatArray, mu: FloatArray) -> FloatArray:
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


def _laplace_noise(model: GaussianModel, promise: Promise, options: Options) -> Release:
    return laplace_release("DirM(L)", model, span(differences(model)), promise, options)


def _one_direction(model: GaussianModel) -> str:
    if span(differences(model)).shape[1] == 1:
        return ""
    return (
        "DauM adds noise along one direction, and these secrets move the statistics along several; "
        "take OptM."
    )


register(
    Mechanism(
        "DirM(L)",
        "Theorem 4.3",
        "DirM, Laplace",
        "laplace",
        PROMISE,
        make=_laplace_noise,
        erratum=1,
    )
)
register(Mechanism("DirM", "Section 4.2", shape=normal_noise, always=True, erratum=12))
register(
    Mechanism(
        "DauM", "Algorithm 1", shape=one_dimensional_noise, applies=_one_direction, erratum=12
    )
)
