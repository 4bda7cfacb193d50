"""What a noise promises about each record: differential privacy, of replacing one of the n."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from distpriv.privacy.calibration import check_delta, check_epsilon, gaussian_delta
from distpriv.privacy.record_moves import RecordMoves

__all__ = ["PerRecord", "gaussian_reach", "per_record"]

FloatArray = NDArray[np.float64]

_RANK = 1e-13  # of the largest variance, in units of what a record moves
_ASIDE = 1e-9  # of a record's move: what lies outside the noise is rounding
_PRECISION = 1e-12


@dataclass(frozen=True)
class PerRecord:
    """(ε, δ)-differential privacy per record of noise on the statistics of n records.

    The neighbours are datasets of n records that differ in one; what they move is
    :func:`.record_moves`, and public bounds have to hold for every record that could be there.

    Attributes
    ----------
    mu : float >= 0
        The largest Mahalanobis length of a record's move under the Gaussian noise: the release is
        μ-Gaussian-differentially private (Dong, Roth & Su 2022). ∞ where there is no such noise
        in some direction that a record moves.
    pure : float >= 0
        ε at δ = 0 of the Laplace noise; ∞ where there is none in some such direction.
    """

    mu: float
    pure: float = math.inf

    @property
    def protects(self) -> bool:
        """Whether there is any ε at all."""
        return math.isfinite(min(self.mu, self.pure))

    def epsilon(self, delta: float) -> float:
        """The least ε at a δ; ∞ where there is none.

        Of Gaussian noise exact (Balle & Wang 2018, Theorem 8), of Laplace noise a bound: δ of any
        pure promise is at most (e^ε₀ − e^ε)/(1 + e^ε₀) (Kairouz, Oh & Viswanath 2015).

        Parameters
        ----------
        delta : float in (0, 1)
        """
        delta = check_delta(delta)
        best = math.inf
        if math.isfinite(self.mu):
            best = _gaussian_epsilon(self.mu, delta)
        if math.isfinite(self.pure):
            # ln(e^ε₀ − δ(1 + e^ε₀)), which is negative where δ is enough by itself.
            left = 1 - delta * (1 + math.exp(-self.pure))
            least = self.pure + math.log(left) if left > 0 else 0.0
            best = min(best, max(least, 0.0))
        return best

    def delta(self, epsilon: float) -> float:
        """The least δ at an ε, by the same laws; 1 where there is none.

        Parameters
        ----------
        epsilon : float > 0
        """
        epsilon = check_epsilon(epsilon)
        best = gaussian_delta(self.mu, epsilon) if math.isfinite(self.mu) else 1.0
        if math.isfinite(self.pure):
            over = -math.expm1(epsilon - self.pure) / (1 + math.exp(-self.pure))
            best = min(best, max(over, 0.0))
        return best


def _gaussian_epsilon(mu: float, delta: float) -> float:
    if not mu or gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    # At ε = μ²/2 + μt it is at most Φ(−t).
    high = mu**2 / 2 + mu * math.sqrt(2 * math.log(1 / delta)) + 1.0
    root = brentq(
        lambda epsilon: gaussian_delta(mu, epsilon) - delta,
        0.0,
        high,
        xtol=_PRECISION,
        rtol=_PRECISION,
    )
    return float(root) * (1 + _PRECISION)


def per_record(
    moves: RecordMoves, floor: FloatArray, factors: FloatArray, *, laplace: bool
) -> PerRecord:
    """What noise of two independent parts promises about each record.

    Parameters
    ----------
    moves : RecordMoves
        Of m statistics.
    floor : ndarray, shape (m,), each >= 0
        Deviations of independent normal noise.
    factors : ndarray, shape (m, d)
        Independent normal or Laplace variables of size 1 times this are the rest.
    laplace : bool
        Of Laplace noise with a floor each part promises by itself, the other being
        post-processing.
    """
    covariance = np.diag(floor**2)
    if not laplace:
        return PerRecord(gaussian_reach(covariance + factors @ factors.T, moves))
    return PerRecord(gaussian_reach(covariance, moves), _laplace_reach(factors, moves))


def gaussian_reach(covariance: FloatArray, moves: RecordMoves) -> float:
    """The largest Mahalanobis length √(ΔᵀS⁺Δ) of a record's move; ∞ beyond the noise.

    Parameters
    ----------
    covariance : ndarray, shape (m, m)
        S, of Gaussian noise.
    moves : RecordMoves
        Of the m statistics.
    """
    reach = moves.reach
    moved = np.flatnonzero(reach > 0)
    if not len(moved):
        return 0.0
    units = np.where(reach > 0, reach, 1.0)
    scaled = moves.in_units(units)
    inside = covariance / np.outer(units, units)
    if len(moved) < len(reach):  # what stays tells nothing of the record, but ties the noise
        inside = _given_the_still(inside, moved)
    values, vectors = np.linalg.eigh(inside[np.ix_(moved, moved)])
    kept = values > _RANK * values[-1]
    full = np.zeros((len(reach), len(moved)))
    full[moved] = vectors
    if not kept.all() and scaled.longest(full[:, ~kept])[0] > _ASIDE:
        return math.inf
    return scaled.longest(full[:, kept] / np.sqrt(values[kept]))[0]


def _given_the_still(covariance: FloatArray, moved: NDArray[np.intp]) -> FloatArray:
    """Noise on the statistics that move, given that on those that do not, in their places."""
    still = np.setdiff1d(np.arange(len(covariance)), moved)
    across = covariance[np.ix_(moved, still)]
    told = across @ np.linalg.pinv(covariance[np.ix_(still, still)], hermitian=True) @ across.T
    left = covariance.copy()
    left[np.ix_(moved, moved)] -= told
    return left


def _laplace_reach(factors: FloatArray, moves: RecordMoves) -> float:
    """The largest Σ|U⁻¹Δ|ₖ/bₖ of a record's move; ∞ unless there is noise in every direction.

    Parameters
    ----------
    factors : ndarray, shape (m, d)
        U diag(b): independent Laplace variables of scale 1 times this are the noise.
    moves : RecordMoves
    """
    if not moves.blocks:
        return 0.0
    widths = np.linalg.norm(factors, axis=0)
    factors = factors[:, widths > 0]
    size = len(factors)
    units = np.linalg.norm(factors, axis=1)
    if factors.shape[1] != size or not units.all():
        return math.inf
    own = factors / units[:, None]
    if np.linalg.cond(own) > 1 / _RANK:
        return math.inf
    return moves.in_units(units).longest_sum(np.linalg.inv(own).T)
