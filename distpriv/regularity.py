"""Whether a fitted covariance can be worked with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distpriv.errors import ModelError
from distpriv.queries import Query

__all__ = ["check_regular"]

FloatArray = NDArray[np.float64]


def check_regular(pooled: FloatArray, magnitudes: FloatArray, query: Query) -> None:
    """Name the statistics that make a covariance singular, or too large to compute with.

    Parameters
    ----------
    pooled : ndarray, shape (m, m)
        Mean of a pair's two covariances.
    magnitudes : ndarray, shape (m,)
        How large the statistics are, to tell a variance of zero from rounding.
    query : Query of m statistics

    Raises
    ------
    ModelError
        If a statistic is constant, determined by others, or overflows.
    """
    labels = query.labels
    overflowing = np.flatnonzero(~np.isfinite(pooled).all(axis=1))
    if overflowing.size:
        raise ModelError(
            f"The values of the statistic {labels[overflowing[0]]!r} are too large to compute "
            "with; express its column in a larger unit, or leave it out."
        )
    variances = np.diag(pooled)
    constant = np.flatnonzero(variances <= 1e-24 * magnitudes**2)
    if constant.size:
        raise ModelError(
            f"The statistic {labels[constant[0]]!r} does not vary between subsets with the same "
            "share, so the model's covariance is singular; leave it out."
        )
    deviations = np.sqrt(variances)
    eigenvalues, eigenvectors = np.linalg.eigh(pooled / np.outer(deviations, deviations))
    if eigenvalues[0] > 1e-10:
        return
    involved = np.flatnonzero(np.abs(eigenvectors[:, 0]) > 0.1)
    names = " and ".join(repr(labels[index]) for index in involved)
    raise ModelError(
        f"The statistics {names} determine each other, so the model's covariance is singular; "
        "leave one of them out."
    )
