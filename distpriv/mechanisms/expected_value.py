"""ExpM: the same noise on every statistic, by how far apart the expected values are."""

from __future__ import annotations

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.mechanisms.base import PROMISE, Mechanism, Options, register
from distpriv.mechanisms.laplace import laplace_release
from distpriv.model import GaussianModel, Promise, Release

__all__ = ["normal_noise"]


def normal_noise(d: FloatArray, _pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return σ² I, σ = Δ_{E,2}/μ (Theorem 4.2; the classical calibration has ε/c for μ)."""
    size = (np.linalg.norm(d, axis=1).max() / mu) ** 2
    return np.asarray(size[:, None, None] * np.eye(d.shape[1]))


def _laplace_noise(model: GaussianModel, promise: Promise, options: Options) -> Release:
    identity = np.eye(len(model.query))
    return laplace_release("ExpM(L)", model, identity, promise, options)


register(
    Mechanism("ExpM(L)", "Theorem 4.1", "ExpM, Laplace", "laplace", PROMISE, make=_laplace_noise)
)
register(Mechanism("ExpM", "Theorem 4.2", shape=normal_noise, always=True))
