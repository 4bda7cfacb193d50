"""How long a noise vector is on average, without simulation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtri
from scipy.stats import qmc

__all__ = ["absolute_sum", "laplace_length", "mixed_length", "normal_length", "skewed_length"]

FloatArray = NDArray[np.float64]

# E‖Z‖ is an integral over u = ln t whose integrand falls like e^{-|u|/2} at both ends and is
# analytic, so that the trapezoidal rule converges exponentially.
_U = np.linspace(-64.0, 64.0, 1025)
_HALF = np.exp(-_U / 2) * (_U[1] - _U[0]) / (2 * math.sqrt(math.pi))
_T = np.exp(_U)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_FEW = 12


def normal_length(variances: FloatArray) -> float:
    """E‖Z‖ of a normal with these variances along its axes, shape (m,)."""
    return float(_normal_lengths(variances[None])[0])


def _normal_lengths(variances: FloatArray) -> FloatArray:
    """Of many, shape (k, m) to (k,)."""
    if variances.shape[1] == 1:
        return np.sqrt(variances[:, 0]) * math.sqrt(2 / math.pi)
    largest = variances.max(axis=1, initial=0.0)
    relative = variances / np.where(largest > 0, largest, 1.0)[:, None]
    # Of few variables it is analytic and flat as far as ±iπ: a wider grid is as good.
    wide = 4 if variances.shape[1] <= _FEW else 1
    times, weights = _T[::wide], wide * _HALF[::wide]
    log_transform = -0.5 * np.log1p(2 * relative[:, :, None] * times).sum(axis=1)
    return np.asarray(np.sqrt(largest) * (-np.expm1(log_transform) @ weights))


def laplace_length(scales: FloatArray) -> float:
    """E‖Z‖ of independent Laplace variables of these scales, shape (d,), d at least 1."""
    if scales.size == 1:
        return float(scales[0])
    largest = float(scales.max())
    unique, multiplicity = np.unique(scales / largest, return_counts=True)
    log_transform = multiplicity @ _log_laplace_transform(unique)
    return float(largest * (_HALF @ -np.expm1(log_transform)))


def skewed_length(factors: FloatArray) -> float:
    """E‖factors ξ‖ for independent standard Laplace ξ, shape (m, d) with independent columns."""
    root = np.linalg.qr(factors, mode="r")
    size = len(root)
    points = qmc.Sobol(size, scramble=True, rng=0).random_base2(9)
    normal = ndtri(points)
    sphere = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    mean = float(np.mean([absolute_sum(row) for row in sphere @ root]))
    ratio = math.exp(math.lgamma((size + 1) / 2) - math.lgamma(size / 2))
    return math.sqrt(math.pi) * ratio * mean


def mixed_length(factors: FloatArray, floor: FloatArray) -> float:
    """E‖Z‖ of Laplace noise along directions, factors of shape (m, d), above a normal floor."""
    count = factors.shape[1]
    if count == 1:
        # W = s² is Exp(1): 2s e^{−s²} ds, in which the length is smooth.
        roots = 3.5 * (_NODES + 1)
        mixing, weights = (roots**2)[:, None], 7 * _WEIGHTS * roots * np.exp(-(roots**2))
    else:
        mixing = -np.log(qmc.Sobol(count, scramble=True, rng=0).random_base2(9).clip(2**-60))
        weights = np.full(len(mixing), 1 / len(mixing))
    covariances = 2 * np.einsum("ak,nk,bk->nab", factors, mixing, factors) + np.diag(floor**2)
    return float(weights @ _normal_lengths(np.linalg.eigvalsh(covariances).clip(0)))


def _log_laplace_transform(scales: FloatArray) -> FloatArray:
    """log E exp(−t Y²) on the quadrature grid for Y ~ Lap(b), shape (len(scales), grid).

    E exp(−tY²) = √π x erfcx(x) with x = 1/(2b√t); where x is large the difference from 1 would
    cancel, and the asymptotic series of erfcx takes over.
    """
    x = 1 / (2 * np.outer(scales, np.sqrt(_T)))
    large = x > 30
    squared = np.where(large, x, 30.0) ** -2
    series = squared * (-1 / 2 + squared * (3 / 4 + squared * (-15 / 8 + squared * 105 / 16)))
    direct = math.sqrt(math.pi) * np.where(large, 1.0, x) * erfcx(np.where(large, 1.0, x))
    return np.where(large, np.log1p(series), np.log(direct))


def absolute_sum(scales: FloatArray, deviation: float = 0.0) -> float:
    r"""E|Σ_k a_k ξ_k + s η| for independent standard Laplace ξ_k and a standard normal η.

    :math:`E|X| = \frac{2}{\pi}\int_0^\infty (1 - \varphi_X(t))\,t^{-2}\,dt` with
    :math:`\varphi_X(t) = e^{-s^2t^2/2} \prod_k (1 + a_k^2 t^2)^{-1}`.
    """
    present = np.abs(scales[scales != 0])
    if present.size <= 1 and not deviation:
        return float(present.sum())
    largest = max(float(present.max(initial=0.0)), deviation)
    log_transform = -np.log1p(np.outer((present / largest) ** 2, _T**2)).sum(axis=0)
    log_transform -= (deviation / largest * _T) ** 2 / 2
    # The integrand falls like e^{-|u|} here, so the grid is wider than it needs to be.
    step = _U[1] - _U[0]
    return float(largest * 2 / math.pi * step * (np.exp(-_U) @ -np.expm1(log_transform)))
