"""EigM: less noise where the statistics vary anyway."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp


@given(st.integers(0, 10**6), st.integers(1, 5), st.floats(0.1, 10))
def test_noise_fills_up_every_axis(make_model, seed: int, statistics: int, epsilon: float) -> None:
    model = make_model(seed, statistics=statistics)
    wanted = (model.sensitivity(2) / dp.privacy.gaussian_distance(epsilon, 1e-3)) ** 2
    values, vectors = np.linalg.eigh(model.pairs[0].pooled)
    noise = dp.calibrate("EigM", model, epsilon, 1e-3, calibration="exact").covariance
    filled = vectors.T @ (model.pairs[0].pooled + noise) @ vectors
    np.testing.assert_allclose(filled, np.diag(np.maximum(values, wanted)), atol=1e-8 * wanted)


def test_no_noise_where_the_spread_is_enough(model: dp.GaussianModel) -> None:
    assert dp.calibrate("EigM", model, 1e6, 0.1, calibration="exact").is_zero


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4), st.floats(0.1, 10))
def test_never_more_noise_than_on_every_statistic(
    make_model, seed: int, statistics: int, pairs: int, epsilon: float
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    errors = [
        dp.calibrate(name, model, epsilon, 1e-3, calibration="exact").expected_error()
        for name in ("EigM", "ExpM")
    ]
    assert errors[0] <= errors[1] * (1 + 1e-9)


def test_pairs_that_do_not_share_their_axes_keep_the_promise() -> None:
    # Variances 2.5 on both axes of the mean covariance, yet each pair is nearly flat in one
    # diagonal direction: the formula alone would see enough spread and add nothing.
    query = dp.Query([dp.Mean("x"), dp.Mean("y")])
    pairs = []
    for name, correlation in (("one", 0.99), ("other", -0.99)):
        secret = dp.SensitiveProperty(name)
        covariance = 2.5 * np.array([[1, correlation], [correlation, 1]]) + np.diag([1e-6, 0])
        shift = np.array([1.0, -np.sign(correlation)])
        thetas = (dp.model.Theta(secret, 0.4, 10), dp.model.Theta(secret, 0.6, 10))
        pairs.append(
            dp.PairModel(
                secret.pair(0.5, 0.2),
                thetas,
                np.array([shift, -shift]) / 2,
                np.array([covariance, covariance]),
            )
        )
    model = dp.GaussianModel(query, 10, tuple(pairs), "exact", False, np.ones(2))
    epsilon = 5.0
    allowed = dp.privacy.gaussian_distance(epsilon, 1e-3)
    assert (model.sensitivity(2) / allowed) ** 2 < 2.5
    noise = dp.calibrate("EigM", model, epsilon, 1e-3, calibration="exact").covariance
    distances = [
        np.sqrt(fit.difference @ np.linalg.solve(fit.pooled + noise, fit.difference))
        for fit in model.pairs
    ]
    assert max(distances) == pytest.approx(allowed, rel=1e-9)


@pytest.mark.adult
def test_adult_errors(adult_income: dp.GaussianModel) -> None:
    adult_income = adult_income.densities()  # as published
    for epsilon, error in ((0.2, 172.3), (1, 34.00), (5, 4.96)):
        found = dp.calibrate("EigM", adult_income, epsilon, 1e-3, "classical").expected_error()
        # The check values were simulated, to about 0.1 %, and rounded.
        assert found == pytest.approx(error, abs=1.5e-3 * error + 0.005)
