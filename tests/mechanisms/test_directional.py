"""DirM: noise along the shift only."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.mechanisms.directional import shift_directions


def test_one_pair_has_one_direction(model: dp.GaussianModel) -> None:
    model = model.densities()
    d = model.pairs[0].difference
    v = d / np.linalg.norm(d)
    laplace = dp.calibrate("DirM(L)", model, 0.8, calibration="exact")
    assert abs(laplace.directions[:, 0] @ v) == pytest.approx(1)
    np.testing.assert_allclose(laplace.scales, [np.linalg.norm(d) / 0.8])
    gaussian = dp.calibrate("DirM", model, 0.8, 0.01, "classical")
    sigma = math.sqrt(2 * math.log(125)) * np.linalg.norm(d) / 0.8
    np.testing.assert_allclose(gaussian.covariance, sigma**2 * np.outer(v, v), rtol=1e-9, atol=1e-9)


def test_directions_span_the_shifts(several: dp.GaussianModel) -> None:
    basis = shift_directions(several)
    # Two of the three pairs belong to the same property: their shifts are parallel.
    assert basis.shape == (4, 2)
    np.testing.assert_allclose(basis.T @ basis, np.eye(2), atol=1e-12)
    shifts = several.differences.T
    np.testing.assert_allclose(basis @ (basis.T @ shifts), shifts, atol=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_as_many_directions_as_independent_shifts(
    make_model, seed: int, statistics: int, pairs: int
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    assert shift_directions(model).shape == (statistics, min(statistics, pairs))


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4), st.floats(0.1, 10))
def test_never_more_gaussian_noise_than_on_every_statistic(
    make_model, seed: int, statistics: int, pairs: int, epsilon: float
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    errors = [
        dp.calibrate(name, model, epsilon, 1e-3, calibration="exact").expected_error()
        for name in ("DirM", "ExpM")
    ]
    assert errors[0] <= errors[1] * (1 + 1e-9)


@pytest.mark.adult
def test_adult_errors_of_the_theorem(adult_income: dp.GaussianModel) -> None:
    adult_income = adult_income.densities()  # as published
    for epsilon, error in ((0.2, 21.46), (1, 4.29), (5, 0.86)):
        found = dp.calibrate("DirM(L)", adult_income, epsilon, calibration="exact").expected_error()
        assert found == pytest.approx(4.2913 / epsilon, rel=2e-5)
        assert found == pytest.approx(error, abs=0.005)
