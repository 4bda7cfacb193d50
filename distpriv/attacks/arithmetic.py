"""Attackers who know in what steps the statistics move."""

from __future__ import annotations

import numpy as np

from distpriv.arrays import FloatArray

__all__ = ["log_normal"]


def log_normal(away: FloatArray, covariance: FloatArray) -> FloatArray:
    """Compute the log-density of N(0, covariance) at points (rows, m), up to a constant of m."""
    root = np.linalg.cholesky(covariance)
    squares = (np.linalg.solve(root, away.T) ** 2).sum(axis=0)
    return np.asarray(-squares / 2 - np.log(root.diagonal()).sum())
