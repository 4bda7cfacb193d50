"""APGM: the same noise on every statistic, less what the statistics vary by themselves."""

from __future__ import annotations

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.mechanisms.base import Mechanism, register

__all__ = ["normal_noise"]


def normal_noise(d: FloatArray, pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return σ² I, σ² the largest (‖d‖/μ)² − λ of a pair, λ the least eigenvalue of its Σ.

    Algorithm 1 of Zhang et al. (2022); never negative. EigM takes off each direction's own
    variance, so it errs at most as much.
    """
    needed = np.square(np.linalg.norm(d, axis=1) / mu[:, None])
    size = (needed - np.linalg.eigvalsh(pooled)[..., 0]).max(axis=1).clip(min=0)
    return np.asarray(size[:, None, None] * np.eye(d.shape[1]))


register(Mechanism("APGM", "Zhang et al. 2022, Theorem 1", shape=normal_noise, compared=False))
