"""The two normals that an attacker takes the statistics for, and their likelihood-ratio test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import qmc

from distpriv.model.moments import RecordGroups
from distpriv.model.theta import Theta
from distpriv.privacy.noise import Noise
from distpriv.queries.statistics import Query

__all__ = ["PairNormals", "log_mixture", "mixed"]

FloatArray = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_FARTHEST = 5.0  # e^{-25} of an exponential variable lies beyond its square
_POINTS = 8  # 2⁸, where Laplace noise has several directions
_RIDGE = 1e-9
_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class PairNormals:
    """N(μ_i, Σ_i) and N(μ_j, Σ_j), each with its own covariance.

    Attributes
    ----------
    means : ndarray, shape (2, m)
    covariances : ndarray, shape (2, m, m)
        Positive semidefinite; a statistic that does not vary is taken for known to nine digits.
    """

    means: FloatArray
    covariances: FloatArray

    @classmethod
    def of_records(
        cls, groups: RecordGroups, query: Query, thetas: tuple[Theta, Theta]
    ) -> PairNormals:
        """From the moments of the records, for statistics that are sums over them.

        Parameters
        ----------
        groups : RecordGroups
            With records in every group that a dataset draws from.
        query : linear Query of m statistics
        thetas : tuple of two Theta
        """
        parts = (groups.without, groups.having)
        centers = np.array(
            [part.mean(axis=0) if len(part) else np.zeros(len(query)) for part in parts]
        )
        spreads = np.array(
            [
                np.atleast_2d(np.cov(part, rowvar=False))
                if len(part) > 1
                else np.zeros((len(query), len(query)))
                for part in parts
            ]
        )
        scales = query.scales(thetas[0].n)
        means, covariances = [], []
        for theta in thetas:
            mean, total = theta.sum_moments(groups.counts, centers, spreads)
            means.append(scales * mean)
            covariances.append(total * np.outer(scales, scales))
        return cls(np.array(means), np.array(covariances))

    @classmethod
    def of_datasets(cls, statistics: FloatArray, labels: NDArray[np.int_]) -> PairNormals:
        """From statistics of simulated datasets, shape (rows, m), labels 0 and 1 of shape (rows,).

        At least one dataset of each label.
        """
        parts = [statistics[labels == label] for label in (0, 1)]
        size = statistics.shape[1]
        covariances = [
            np.cov(part, rowvar=False).reshape(size, size)
            if len(part) > 1
            else np.zeros((size, size))
            for part in parts
        ]
        return cls(np.array([part.mean(axis=0) for part in parts]), np.array(covariances))

    @property
    def pooled(self) -> FloatArray:
        """Mean of the two covariances, positive definite, shape (m, m)."""
        return self.regular.mean(axis=0)

    @property
    def regular(self) -> FloatArray:
        """The covariances with as much more as makes them positive definite, shape (2, m, m)."""
        pooled = self.covariances.mean(axis=0).diagonal()
        least = np.maximum(pooled, _RIDGE * (self.means**2).max(axis=0))
        return self.covariances + _RIDGE * np.diag(np.where(least > 0, least, 1.0))

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Log-densities of points of shape (rows, m) under both, up to a constant, (2, rows)."""
        return np.array(
            [
                log_mixture(points - mean, covariance[None], np.ones(1))
                for mean, covariance in zip(self.means, self.regular, strict=True)
            ]
        )

    def log_ratios(self, points: FloatArray, noise: Noise | None = None) -> FloatArray:
        """Log-likelihood ratio of p_j against p_i of releases of shape (rows, m), shape (rows,)."""
        size = points.shape[1]
        added, weights = (np.zeros((1, size, size)), np.ones(1)) if noise is None else mixed(noise)
        logs = [
            log_mixture(points - mean, covariance + added, weights)
            for mean, covariance in zip(self.means, self.regular, strict=True)
        ]
        return np.asarray(logs[1] - logs[0])


def mixed(noise: Noise) -> tuple[FloatArray, FloatArray]:
    """Noise as a mixture of normals: covariances, shape (k, m, m), and weights, shape (k,).

    Laplace noise is one over its variance (Andrews & Mallows 1974), taken at the nodes of a Gauss
    rule along one direction and at 256 Sobol' points along several.
    """
    if noise.distribution == "gaussian" or not noise.scales.any():
        return noise.covariance[None], np.ones(1)
    factors = noise.directions * noise.scales
    mixing, weights = _mixing(factors.shape[1])
    covariances = 2 * np.einsum("ak,nk,bk->nab", factors, mixing, factors)
    return covariances + np.diag(noise.floor_deviations**2), weights


def log_mixture(points: FloatArray, covariances: FloatArray, weights: FloatArray) -> FloatArray:
    """Log-density, up to a constant, of a mixture of centred normals.

    Parameters
    ----------
    points : ndarray, shape (rows, m)
    covariances : ndarray, shape (k, m, m)
        Positive definite.
    weights : ndarray, shape (k,)

    Returns
    -------
    ndarray, shape (rows,)
    """
    roots = np.linalg.cholesky(covariances)
    determinants = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    shares = (np.log(weights) - determinants)[:, None]
    inverses = np.linalg.inv(roots)
    if len(inverses) == 1:
        return np.asarray(shares[0] - ((points @ inverses[0].T) ** 2).sum(axis=1) / 2)
    block = max(1, _AT_ONCE // inverses[:, 0].size)
    parts = [points[start : start + block].T for start in range(0, len(points), block)]
    densities = [
        logsumexp(shares - ((inverses @ part) ** 2).sum(axis=1) / 2, axis=0) for part in parts
    ]
    return np.concatenate(densities) if densities else np.zeros(0)


def _mixing(directions: int) -> tuple[FloatArray, FloatArray]:
    """Points, shape (k, directions), and weights, shape (k,), of independent Exp(1) variables."""
    if directions == 1:
        roots = _FARTHEST / 2 * (_NODES + 1)
        weights = _FARTHEST / 2 * _WEIGHTS * 2 * roots * np.exp(-(roots**2))
        return (roots**2)[:, None], weights
    uniform = qmc.Sobol(directions, scramble=True, rng=0).random_base2(_POINTS)
    return -np.log(uniform.clip(2.0**-60)), np.full(2**_POINTS, 2.0**-_POINTS)
