"""The best possible attacker, and any fixed linear one, in closed form."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from distpriv.errors import AttackError
from distpriv.models import GaussianModel, PairModel
from distpriv.noise import Noise

__all__ = ["equivalent_separation", "linear_attack_accuracy", "optimal_attack_accuracy"]

FloatArray = NDArray[np.float64]


def optimal_attack_accuracy(model: GaussianModel, noise: Noise | None = None) -> float:
    """Accuracy of the best possible attacker at equal priors, for the worst pair.

    With Gaussian noise S and the pooled covariance Σ of a pair the Neyman–Pearson test is
    linear and right with probability Φ(d_M/2), d_M the Mahalanobis distance of the two means
    under Σ + S. With Laplace noise along the difference of the means the test is a threshold
    on one coordinate, a normal plus a Laplace variable.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.

    Returns
    -------
    float in [0.5, 1]

    Raises
    ------
    AttackError
        For Laplace noise in several directions, which has no closed form.
    """
    return max(_optimal_accuracy(fit, noise) for fit in model.pairs)


def equivalent_separation(accuracy: float) -> float:
    """Distance of two unit normals that the best attacker tells apart this accurately.

    2Φ⁻¹(accuracy), the inverse of Φ(d/2).

    Parameters
    ----------
    accuracy : float in [0.5, 1)
    """
    return 2 * float(ndtri(accuracy))


def _optimal_accuracy(fit: PairModel, noise: Noise | None) -> float:
    difference = fit.difference
    if noise is None or noise.is_zero or noise.distribution == "gaussian":
        covariance = fit.pooled if noise is None else fit.pooled + noise.covariance
        squared = float(difference @ np.linalg.solve(covariance, difference))
        return float(ndtr(math.sqrt(max(squared, 0.0)) / 2))
    shift = float(np.linalg.norm(difference))
    direction = noise.directions[:, 0]
    if noise.directions.shape[1] > 1 or abs(direction @ difference) < (1 - 1e-9) * shift:
        raise AttackError(
            f"The best attack on {noise.mechanism} has no closed form: its Laplace noise is not "
            "along the difference of the means."
        )
    spread = 1 / math.sqrt(float(direction @ np.linalg.solve(fit.pooled, direction)))
    return _normal_laplace_cdf(shift / 2, spread, float(noise.scales[0]))


def _normal_laplace_cdf(x: float, sigma: float, b: float) -> float:
    """Distribution function of N(0, σ²) + Lap(b) (Reed 2006, Equation 3)."""
    ratio, z = sigma / b, x / sigma
    upper = math.exp(ratio**2 / 2 - x / b + log_ndtr(z - ratio))
    lower = math.exp(ratio**2 / 2 + x / b + log_ndtr(-z - ratio))
    return float(ndtr(z) - (upper - lower) / 2)


def linear_attack_accuracy(
    model: GaussianModel, noise: Noise | None = None, weights: FloatArray | None = None
) -> float:
    """Accuracy of the attacker who thresholds a fixed linear score, at equal priors.

    Φ(wᵀd / (2√(wᵀ(Σ+S)w))), for the worst pair. The default w = Σ⁻¹d is what logistic
    regression on clean statistics tends to: the paper's attacker.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise or None
    weights : ndarray, shape (m,), optional

    Raises
    ------
    AttackError
        For Laplace noise.
    """
    if noise is not None and noise.distribution != "gaussian" and not noise.is_zero:
        raise AttackError(
            f"The linear attack on {noise.mechanism} has no closed form: its noise is Laplace."
        )
    added = np.zeros((len(model.query),) * 2) if noise is None else noise.covariance
    worst = 0.5
    for fit in model.pairs:
        score = np.linalg.solve(fit.pooled, fit.difference) if weights is None else weights
        spread = math.sqrt(float(score @ (fit.pooled + added) @ score))
        if spread > 0:
            worst = max(worst, float(ndtr(float(score @ fit.difference) / (2 * spread))))
    return worst
