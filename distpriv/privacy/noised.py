"""The two normals of a pair with Gaussian noise, in coordinates in which every number is about one.

Added up as matrices, statistics beside which the noise is 10⁸ times as large are lost to rounding,
and with them what the noise leaves bare.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.linalg.lapack import dgejsv

from distpriv.model.gaussian import PairModel
from distpriv.privacy.noise import Noise

__all__ = ["Noised", "noised"]

FloatArray = NDArray[np.float64]

_EVEN = 1e4  # times a length: no digits to speak of are lost
_DIGITS = 1e-8  # of a standard deviation, that rounding may take


@dataclass(frozen=True, eq=False)
class Noised:
    """Two normals, the noise included.

    Attributes
    ----------
    difference : ndarray, shape (m,)
        Of the means.
    covariances : ndarray, shape (2, m, m)
    """

    difference: FloatArray
    covariances: FloatArray

    @property
    def distance(self) -> float:
        """Mahalanobis distance of the means under the mean of the two covariances."""
        squared = self.difference @ np.linalg.solve(self.covariances.mean(axis=0), self.difference)
        return math.sqrt(max(float(squared), 0.0))


def noised(fit: PairModel, noise: Noise) -> Noised | None:
    """The pair with a Gaussian noise; None where rounding tells nothing of what it leaves bare.

    With the pooled covariance LLᵀ, floor included, and L⁻¹ times the noise's factors decomposed as
    U diag(s) Vᵀ, the coordinates are those of UᵀL⁻¹, each divided by √(1 + s²).
    """
    floor = np.diag(noise.floor_deviations**2)
    covariances, pooled = fit.covariances + floor, fit.pooled + floor
    units = np.sqrt(pooled.diagonal())
    units = np.where(units > 0, units, 1.0)
    try:
        root = np.linalg.cholesky(pooled / np.outer(units, units))
    except np.linalg.LinAlgError:  # statistics that do not vary: nothing is small beside the noise
        return Noised(fit.difference, covariances + noise.covariance - floor)
    whitening = np.linalg.inv(root) / units
    factors = noise.directions * noise.scales
    frame = _decomposed(whitening @ factors) or _decomposed(whitening @ _graded(factors, units))
    if frame is None:
        return None
    vectors, lengths = frame
    change = (vectors.T @ whitening) / np.sqrt(1 + lengths**2)[:, None]
    share = np.diag(lengths**2 / (1 + lengths**2))
    return Noised(change @ fit.difference, change @ covariances @ change.T + share)


def _graded(factors: FloatArray, units: FloatArray) -> FloatArray:
    """Other factors of the same covariance, none longer than the statistics it is on ask for.

    Noise of very different sizes on two statistics may come as the sum and the difference of the
    two, so that the less noisy one has only the last digits of both. A triangle has it by itself.
    """
    order = np.argsort(-np.linalg.norm(factors, axis=1) / units)
    triangle = np.asarray(np.linalg.qr(factors[order].T, mode="r")).T
    return np.asarray(triangle[np.argsort(order)])


def _decomposed(factors: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """All left singular vectors of factors, shape (m, d), and their singular values, shape (m,)."""
    lengths = np.zeros(len(factors))
    columns = np.linalg.norm(factors, axis=0)
    if not columns.size or columns.max() <= min(_EVEN * columns.min(), _DIGITS / 1e-16):
        vectors, singular, _ = np.linalg.svd(factors)
        lengths[: len(singular)] = singular
        return vectors, lengths
    even = np.linalg.svd(factors / columns, compute_uv=False)
    if even[-1] < 1e-15 / _DIGITS:
        return None
    # One-sided rotations keep the digits of short columns beside long ones (Drmač & Veselić 2008).
    singular, vectors, _, _, _, failed = dgejsv(factors, joba=2, jobu=0, jobv=3)
    if failed:
        return None
    lengths[: len(singular)] = singular
    return np.hstack([vectors, null_space(vectors.T)]), lengths
