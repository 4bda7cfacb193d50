"""A pair that was fitted, with covariances that differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import distpriv as dp

Array = NDArray[np.float64]
RICH = dp.SensitiveProperty("income", "high")
MEANS = np.array([[0.0, 5.0], [1.0, 4.0]])
COVARIANCES = np.array([[[1.0, 0.3], [0.3, 2.0]], [[1.0, -0.4], [-0.4, 4.0]]])


def fitted(means: Array = MEANS, covariances: Array = COVARIANCES, n: int = 50) -> dp.PairModel:
    pair = RICH.pair(0.4, 0.2)
    thetas = (dp.model.Theta(RICH, pair.p_i, n), dp.model.Theta(RICH, pair.p_j, n))
    return dp.PairModel(pair, thetas, means, covariances)
