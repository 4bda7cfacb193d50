"""The guarded calibration: the promise holds with the two covariances as they are."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv import mechanisms
from distpriv.privacy.noise import gaussian_noise

QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)
PAIR = dp.SensitiveProperty("income", ">50K").pair(0.5, 0.1)
PROTECTING = [
    name for name in mechanisms.names(distribution="gaussian") if mechanisms.get(name).protects
]


@pytest.fixture(scope="module")
def model(adult):
    return dp.fit_gaussian(adult, QUERY, PAIR, 100)


@pytest.mark.adult
@pytest.mark.parametrize("name", PROTECTING)
@pytest.mark.parametrize("epsilon", [1.0, 5.0])
def test_it_keeps_the_promise_on_adult_with_no_more_noise_than_it_takes(model, name, epsilon):
    safe = dp.calibrate(name, model, epsilon, 1e-3)
    assert (
        0.99e-3 <= dp.delivered_delta(model, safe, epsilon) <= 1e-3
        or safe.is_zero
        or (
            safe.rms_error()
            == pytest.approx(dp.calibrate(name, model, epsilon, 1e-3, "exact").rms_error())
        )
    )
    model = model.densities()
    guarded = dp.calibrate(name, model, epsilon, 1e-3, "guarded")
    exact = dp.calibrate(name, model, epsilon, 1e-3, "exact")
    assert dp.delivered_delta(model, guarded, epsilon) <= 1e-3
    assert guarded.rms_error() >= exact.rms_error() * (1 - 1e-12)
    if dp.delivered_delta(model, exact, epsilon) > 1e-3:
        assert dp.delivered_delta(model, guarded, epsilon) == pytest.approx(1e-3, rel=1e-3)
    else:
        assert guarded.rms_error() == exact.rms_error()


@pytest.mark.adult
def test_several_pairs_are_all_kept(adult):
    other = dp.SensitiveProperty("workclass", "Private").pair(0.5, 0.1)
    model = dp.fit_gaussian(adult, QUERY, [PAIR, other], 100)
    noise = dp.calibrate("DauM", model, 1.0, 1e-3, "guarded")
    assert dp.delivered_delta(model, noise, 1.0) <= 1e-3


@pytest.mark.adult
@pytest.mark.parametrize("name", ["DirM", "DauM"])
def test_noise_in_one_direction_cannot_hide_covariances_that_differ_in_others(model, name):
    with pytest.raises(dp.errors.CalibrationError, match="take OptM"):
        dp.calibrate(name, model, 0.1, 1e-3, "guarded")


@pytest.mark.adult
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_least_guarded_noise_is_below_every_other_guarded_noise(model, epsilon):
    least = dp.calibrate("OptM", model, epsilon, 1e-3, "guarded")
    assert dp.delivered_delta(model, least, epsilon) <= 1e-3
    for name in PROTECTING:
        with contextlib.suppress(dp.errors.CalibrationError):
            other = dp.calibrate(name, model, epsilon, 1e-3, "guarded")
            assert least.rms_error() <= other.rms_error() * (1 + 1e-9)
    if epsilon == 0.1:
        assert least.rms_error() < 0.5 * dp.calibrate("ExpM", model, 0.1, 1e-3).rms_error()


@given(st.integers(0, 10**6), st.floats(0.1, 5.0), st.integers(1, 3))
@settings(max_examples=12)
def test_the_least_guarded_noise_on_random_models(make_model, seed, epsilon, pairs):
    model = make_model(seed, pairs=pairs)
    least = dp.calibrate("OptM", model, epsilon, 1e-3, "guarded")
    assert dp.delivered_delta(model, least, epsilon) <= 1e-3 * (1 + 1e-9)
    for name in PROTECTING:
        with contextlib.suppress(dp.errors.CalibrationError):
            other = dp.calibrate(name, model, epsilon, 1e-3, "guarded")
            assert least.rms_error() <= other.rms_error() * (1 + 1e-9)


@pytest.mark.adult
def test_no_small_change_of_the_least_guarded_noise_is_smaller_and_keeps_the_promise(model):
    least = dp.calibrate("OptM", model, 1.0, 1e-3, "guarded").covariance
    rng = np.random.default_rng(2)
    for _ in range(200):
        root = np.linalg.cholesky(least + 1e-9 * np.eye(5))
        moved = root + 0.02 * rng.normal(size=(5, 5))
        smaller = moved @ moved.T
        smaller *= 0.995 * np.trace(least) / np.trace(smaller)
        noise = gaussian_noise("x", smaller, epsilon=1.0, delta=1e-3, calibration="guarded")
        assert dp.delivered_delta(model, noise, 1.0) > 1e-3


def test_equal_covariances_need_no_guard():
    thetas = (dp.model.Theta(PAIR.secret, 0.45, 100), dp.model.Theta(PAIR.secret, 0.55, 100))
    fit = dp.PairModel(PAIR, thetas, np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([np.eye(2)] * 2))
    query = dp.Query([dp.Mean("a"), dp.Mean("b")])
    model = dp.GaussianModel(query, 100, (fit,), "exact", False, np.ones(2))
    for name in PROTECTING:
        if mechanisms.get(name).from_records:
            continue
        guarded = dp.calibrate(name, model, 1.0, 1e-3, "guarded")
        exact = dp.calibrate(name, model, 1.0, 1e-3)
        assert guarded.covariance == pytest.approx(exact.covariance, rel=1e-4)


@pytest.mark.parametrize("name", PROTECTING)
def test_a_grid_of_pairs_is_all_kept(people, query, rich, name):
    pairs = [rich.pair(0.4, 0.1), *rich.grid(0.2, 0.6, 0.1, 0.2)]
    model = dp.fit_gaussian(people, query, pairs, 60)
    noise = dp.calibrate(name, model, 1.5, 1e-3, "guarded")
    assert dp.delivered_delta(model, noise, 1.5) <= 1e-3 * (1 + 1e-9)
    for index in range(len(pairs)):
        assert dp.delivered_delta(model.only(index), noise, 1.5) <= 1e-3 * (1 + 1e-9)
    least = dp.calibrate("OptM", model, 1.5, 1e-3, "guarded")
    assert least.rms_error() <= noise.rms_error() * (1 + 1e-9)
