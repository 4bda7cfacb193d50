"""OptM: the least normal noise that keeps a promise."""

from __future__ import annotations

from distpriv.arrays import FloatArray
from distpriv.mechanisms.base import Mechanism, register
from distpriv.privacy.least_noise import positive_part

__all__ = ["normal_noise"]


def normal_noise(d: FloatArray, pooled: FloatArray, mu: FloatArray) -> FloatArray:
    """Return the positive part of ddᵀ/μ² − Σ, added up over the pairs.

    Corollary A.1 asks dᵀ(Σ + S)⁻¹d <= μ², by the Schur complement S ⪰ ddᵀ/μ² − Σ. For one pair the
    positive part is the S of least trace; for several pairs
    :func:`distpriv.privacy.least_noise.least_noise` finds less than the sum.
    """
    scaled = d[None] / mu[:, None, None]
    return positive_part(scaled[..., :, None] * scaled[..., None, :] - pooled).sum(axis=1)


register(Mechanism("OptM", "Corollary A.1", shape=normal_noise, least=True))
