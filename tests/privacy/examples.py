"""Random fits for the search for the least noise."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

import distpriv as dp


def random_model(
    seed: int, size: int, pairs: int, units: float = 1.0, unlike: float = 0.3
) -> dp.GaussianModel:
    rng = np.random.default_rng(seed)
    secret = dp.SensitiveProperty("s", "x").pair(0.5, 0.1)
    thetas = (dp.model.Theta(secret.secret, 0.45, 100), dp.model.Theta(secret.secret, 0.55, 100))
    scale = np.exp(math.log(units) * rng.uniform(-1, 1, size))
    fits = []
    for _ in range(pairs):
        factors = rng.normal(size=(size, 2 * size + 1))
        other = factors + unlike * rng.normal(size=factors.shape)
        covariances = np.array([each @ each.T for each in (factors, other)]) / (2 * size)
        means = np.exp(rng.normal()) * rng.normal(size=(2, size))
        fits.append(
            dp.PairModel(secret, thetas, means * scale, covariances * np.outer(scale, scale))
        )
    query = dp.Query([dp.Mean(f"c{index}") for index in range(size)])
    return dp.GaussianModel(query, 100, tuple(fits), "exact", False, np.ones(size))


SHAPES = {"size": st.integers(1, 5), "pairs": st.integers(1, 3), "seed": st.integers(0, 10**6)}
