"""The 2 × 2 example of the eigenvector mechanism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.lessons.course import DELTA, EPSILON, MECHANISMS
from distpriv.mechanisms import calibrate
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.theta import Theta
from distpriv.privacy.calibration import gaussian_distance
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Mean, Query

__all__ = ["EigenvectorExample", "eigenvector_example"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EigenvectorExample:
    """The example after Theorem 4.5 of Chen & Ohrimenko (2023), with its classical calibration.

    Attributes
    ----------
    model : GaussianModel
    noises : dict of mechanism to Noise
    axes : ndarray, shape (2, 2)
        Unit eigenvectors v₁ and v₂ of the covariance in its columns.
    own : ndarray, shape (2,)
        Variances of the statistics along them: 10 and 25.
    """

    model: GaussianModel
    noises: dict[str, Noise]
    axes: FloatArray
    own: FloatArray

    @property
    def needed(self) -> float:
        """(cΔ/ε)², the variance that every direction needs: 28.52."""
        distance = gaussian_distance(EPSILON, DELTA, "classical")
        return (self.model.sensitivity(2) / distance) ** 2

    def along(self, mechanism: str) -> FloatArray:
        """Variance of a mechanism's noise along v₁ and v₂, shape (2,): 18.52 and 3.52 for EigM."""
        covariance = self.noises[mechanism].covariance
        return np.einsum("ak,ab,bk->k", self.axes, covariance, self.axes)


def eigenvector_example() -> EigenvectorExample:
    """Two statistics with means (100, 101) and (99, 102) and one covariance."""
    covariance = np.array([[22.0, -6.0], [-6.0, 13.0]])
    secret = SensitiveProperty("θ")
    pair = secret.pair(center=0.5, width=0.2)
    thetas = (Theta(secret, pair.p_i, 10), Theta(secret, pair.p_j, 10))
    means = np.array([[100.0, 101.0], [99.0, 102.0]])
    fit = PairModel(pair, thetas, means, np.array([covariance, covariance]))
    query = Query([Mean("first"), Mean("second")])
    model = GaussianModel(query, 10, (fit,), "exact", False, np.ones(2))
    own, axes = np.linalg.eigh(covariance)
    return EigenvectorExample(
        model=model,
        noises={name: calibrate(name, model, EPSILON, DELTA, "classical") for name in MECHANISMS},
        axes=axes,
        own=own,
    )
