"""Random Gaussian models for the mechanisms to prove themselves on."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp


def random_model(
    seed: int, *, statistics: int = 3, pairs: int = 1, unit: float = 1.0
) -> dp.GaussianModel:
    """A model from random group moments, the same for the same seed.

    ``unit`` scales every statistic.
    """
    rng = np.random.default_rng(seed)
    query = dp.Query([dp.Mean(f"x{index}") for index in range(statistics)])
    spread = np.exp(rng.normal(scale=1.0, size=statistics))
    moments, chosen = {}, []
    for index in range(pairs):
        secret = dp.SensitiveProperty(f"secret {index}")
        factors = rng.normal(size=(2, statistics, statistics + 2)) * spread[:, None] * unit
        means = rng.normal(size=(2, statistics)) * spread * unit
        moments[secret] = dp.model.GroupMoments(
            counts=(1000, 800),
            means=means,
            covariances=factors @ factors.transpose(0, 2, 1),
            minima=means.min(axis=0) - 5 * spread * unit,
            maxima=means.max(axis=0) + 5 * spread * unit,
        )
        chosen.append(secret.pair(center=0.5, width=float(rng.uniform(0.1, 0.9))))
    # The theorems take statistics for densities; grids have tests of their own.
    return dp.model.model_from_moments(moments, query, chosen, n=50, steps=np.zeros(statistics))


@pytest.fixture(scope="session")
def make_model():
    """`random_model`, for tests that draw its arguments."""
    return random_model
