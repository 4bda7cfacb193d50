"""DauM: the least noise along the shift that the statistics' own spread leaves wanting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import distpriv as dp

EPSILONS = st.floats(math.log(0.05), math.log(20)).map(math.exp)


@given(st.integers(0, 10**6), st.integers(1, 5), EPSILONS)
def test_closed_form_against_bisection_on_the_determinant(
    make_model, seed: int, statistics: int, epsilon: float
) -> None:
    model = make_model(seed, statistics=statistics)
    fit = model.pairs[0]
    alpha = np.linalg.norm(fit.difference)
    v = fit.difference / alpha
    needed = (alpha / dp.privacy.gaussian_distance(epsilon, 1e-3)) ** 2

    def determinant(variance: float) -> float:
        """det(Σ + (σ² − (αc/ε)²) vvᵀ)/det Σ of Algorithm 1; ≥ 0 where σ² is enough."""
        moved = fit.pooled + (variance - needed) * np.outer(v, v)
        sign, size = np.linalg.slogdet(moved)
        return float(sign * np.exp(size - np.linalg.slogdet(fit.pooled)[1]))

    expected = (
        0.0 if determinant(0.0) >= 0 else brentq(determinant, 0.0, needed, xtol=1e-13 * needed)
    )
    found = dp.calibrate("DauM", model, epsilon, 1e-3, calibration="exact").covariance
    np.testing.assert_allclose(found, expected * np.outer(v, v), atol=1e-7 * needed)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4), EPSILONS)
def test_not_a_bit_more_noise_than_the_promise_asks(
    make_model, seed: int, statistics: int, pairs: int, epsilon: float
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    allowed = dp.privacy.gaussian_distance(epsilon, 1e-3)
    noise = dp.calibrate("DauM", model, epsilon, 1e-3, calibration="exact").covariance
    worst = max(
        math.sqrt(fit.difference @ np.linalg.solve(fit.pooled + noise, fit.difference))
        for fit in model.pairs
    )
    if noise.any():
        assert worst == pytest.approx(allowed, rel=1e-6)
    else:
        assert worst <= allowed


def test_several_directions_get_equal_noise(several: dp.GaussianModel) -> None:
    noise = dp.calibrate("DauM", several, 0.3, 1e-3, calibration="exact")
    assert len(noise.scales) == 2
    assert noise.scales[0] == pytest.approx(noise.scales[1])
    basis = np.linalg.svd(several.differences)[2][:2]
    np.testing.assert_allclose(
        noise.directions @ (noise.directions.T @ basis.T), basis.T, atol=1e-9
    )


def test_no_noise_where_the_spread_hides_the_shift(model: dp.GaussianModel) -> None:
    # Theorem 4.4: none is needed once the Mahalanobis distance is allowed as it is.
    enough = 1.01 * model.pairs[0].mahalanobis
    epsilon = brentq(lambda eps: dp.privacy.gaussian_distance(eps, 1e-3) - enough, 0.01, 100)
    assert dp.calibrate("DauM", model, epsilon, 1e-3, calibration="exact").is_zero
    assert not dp.calibrate("DauM", model, 0.95 * epsilon, 1e-3, calibration="exact").is_zero


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4), EPSILONS)
def test_never_more_noise_than_without_the_spread(
    make_model, seed: int, statistics: int, pairs: int, epsilon: float
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    errors = [
        dp.calibrate(name, model, epsilon, 1e-3, calibration="exact").expected_error()
        for name in ("DauM", "DirM")
    ]
    assert errors[0] <= errors[1] * (1 + 1e-9)


@pytest.mark.adult
def test_adult_errors(adult_income: dp.GaussianModel) -> None:
    adult_income = adult_income.densities()  # as published
    for epsilon, error in ((0.2, 64.65), (1, 12.71), (5, 0.946)):
        found = dp.calibrate("DauM", adult_income, epsilon, 1e-3, "classical").expected_error()
        # The check values were simulated, to about 0.1 %, and rounded.
        assert found == pytest.approx(error, rel=1.5e-3, abs=0.0005)


@pytest.mark.adult
def test_adult_error_from_the_known_figures(adult_income: dp.GaussianModel) -> None:
    adult_income = adult_income.densities()  # as published
    # One direction: E|Z| = σ√(2/π), σ² = (Δc/ε)² − 1/(vᵀΣ⁻¹v), vᵀΣ⁻¹v = (d_M/Δ)².
    for epsilon in (0.2, 1, 5):
        variance = (4.29134 * math.sqrt(2 * math.log(1250)) / epsilon) ** 2 - (
            4.29134 / 1.42249
        ) ** 2
        found = dp.calibrate("DauM", adult_income, epsilon, 1e-3, "classical").expected_error()
        assert found == pytest.approx(math.sqrt(2 * variance / math.pi), rel=1e-4)
