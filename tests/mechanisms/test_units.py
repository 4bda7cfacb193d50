"""Calibrating in other units: the promise is kept, and the noise is least in those units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp

UNITS = st.lists(st.floats(0.05, 20.0), min_size=3, max_size=3).map(np.array)


@given(st.integers(0, 10**6), UNITS, st.sampled_from(["ExpM", "EigM", "DirM", "DauM", "OptM"]))
def test_units_keep_the_promise_of_every_gaussian_mechanism(make_model, seed, units, name):
    model = make_model(seed, pairs=2)
    noise = dp.calibrate(name, model, 1.0, 1e-3, units=units, calibration="exact")
    allowed = dp.privacy.gaussian_distance(1.0, 1e-3)
    for fit in model.pairs:
        total = fit.pooled + noise.covariance
        assert fit.difference @ np.linalg.solve(total, fit.difference) <= allowed**2 * (1 + 1e-6)
    in_units = dp.calibrate(name, model.in_units(units), 1.0, 1e-3, calibration="exact")
    assert noise.covariance == pytest.approx(
        in_units.covariance * np.outer(units, units), rel=1e-6, abs=1e-9
    )
    assert noise.in_units(units).expected_error() == pytest.approx(
        in_units.expected_error(), rel=1e-6
    )


@given(st.integers(0, 10**6), UNITS)
def test_the_least_noise_is_least_in_the_units_it_was_calibrated_in(make_model, seed, units):
    model = make_model(seed, pairs=2)
    here = (
        dp.calibrate("OptM", model, 1.0, 1e-3, units=units, calibration="exact")
        .in_units(units)
        .rms_error()
    )
    raw = dp.calibrate("OptM", model, 1.0, 1e-3, calibration="exact").in_units(units).rms_error()
    assert here <= raw * (1 + 1e-6)


@given(st.integers(0, 10**6), UNITS, st.sampled_from(["ExpM(L)", "DirM(L)", "DP(L)"]))
def test_units_keep_the_promise_of_laplace_noise(make_model, seed, units, name):
    model = make_model(seed, pairs=2)
    noise = dp.calibrate(name, model, 2.0, units=units, calibration="exact")
    differences = model.differences
    if name == "DP(L)":
        differences = np.diag(model.record_sensitivities)
    coordinates = np.linalg.pinv(noise.directions) @ differences.T / noise.scales[:, None]
    moved = np.abs(coordinates).sum(axis=0)
    assert (moved.sum() if name == "DP(L)" else moved.max()) <= 2.0 * (1 + 1e-9)


def test_laplace_noise_along_directions_that_are_not_orthogonal(make_model):
    model = make_model(5, pairs=2)
    noise = dp.calibrate("DirM(L)", model, 1.0, units=[0.1, 1.0, 30.0], calibration="exact")
    drawn = np.linalg.norm(noise.sample(400_000, 1), axis=1)
    assert noise.expected_error() == pytest.approx(drawn.mean(), rel=4e-3)
    assert noise.rms_error() == pytest.approx(np.sqrt((drawn**2).mean()), rel=1e-2)


@pytest.mark.parametrize("units", [[1.0], [1.0, 0.0, 1.0], [1.0, -1.0, 1.0], [1.0, np.nan, 1.0]])
def test_units_are_positive_numbers_one_a_statistic(make_model, units):
    with pytest.raises(dp.errors.CalibrationError, match="units must be 3 positive numbers"):
        dp.calibrate("OptM", make_model(1), 1.0, 1e-3, units=units, calibration="exact")
