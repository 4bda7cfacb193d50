"""ExpM: the same noise on every statistic."""

from __future__ import annotations

import math

import numpy as np
import pytest

import distpriv as dp


def test_laplace_scale_is_the_largest_l1_shift(several: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM(L)", several, 0.8, calibration="exact")
    largest = max(np.abs(fit.difference).sum() for fit in several.pairs)
    np.testing.assert_allclose(noise.scales, np.full(4, largest / 0.8))
    np.testing.assert_array_equal(noise.directions, np.eye(4))


def test_gaussian_deviation_is_the_largest_l2_shift(several: dp.GaussianModel) -> None:
    largest = max(np.linalg.norm(fit.difference) for fit in several.pairs)
    classical = dp.calibrate("ExpM", several, 0.8, 0.01, "classical")
    sigma = math.sqrt(2 * math.log(125)) * largest / 0.8
    np.testing.assert_allclose(classical.covariance, sigma**2 * np.eye(4))
    exact = dp.calibrate("ExpM", several, 0.8, 0.01, "exact")
    sigma = largest / dp.privacy.gaussian_distance(0.8, 0.01)
    np.testing.assert_allclose(exact.covariance, sigma**2 * np.eye(4))


@pytest.mark.adult
@pytest.mark.parametrize(
    ("name", "errors"),
    [("ExpM(L)", (105.4, 21.08, 4.22)), ("ExpM", (172.4, 34.47, 6.90))],
)
def test_adult_errors(
    adult_income: dp.GaussianModel, name: str, errors: tuple[float, float, float]
) -> None:
    for epsilon, error in zip((0.2, 1, 5), errors, strict=True):
        found = dp.calibrate(name, adult_income, epsilon, 1e-3, "classical").expected_error()
        # The check values were simulated, to about 0.1 %, and rounded.
        assert found == pytest.approx(error, abs=1.5e-3 * error + 0.005)


@pytest.mark.adult
def test_adult_error_in_closed_form(adult_income: dp.GaussianModel) -> None:
    found = dp.calibrate("ExpM", adult_income, 1, 1e-3, "classical").expected_error()
    sigma = 4.29134 * math.sqrt(2 * math.log(1250))
    chi = math.sqrt(2) * math.gamma(3) / math.gamma(2.5)
    assert found == pytest.approx(sigma * chi, rel=1e-5)
