"""The baselines: differential privacy for one record, and for all n of them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import distpriv as dp


@pytest.mark.parametrize("suffix", ["", "(L)"])
def test_a_group_of_n_records_takes_n_times_the_noise(model: dp.GaussianModel, suffix: str) -> None:
    one = dp.calibrate(f"DP{suffix}", model, 1.5, 1e-3, calibration="exact")
    group = dp.calibrate(f"GroupDP{suffix}", model, 1.5, 1e-3, calibration="exact")
    np.testing.assert_allclose(group.scales, 60 * one.scales)


def test_scales_come_from_the_record_sensitivities(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    bounds = {"age": (0.0, 120.0), "hours": (0.0, 100.0)}
    model = dp.fit_gaussian(people, query, pair, 60, bounds=bounds)
    sensitivities = np.array([120 / 60, 100, 1, 1 / 60])
    laplace = dp.calibrate("DP(L)", model, 0.5, calibration="exact")
    np.testing.assert_allclose(laplace.scales, np.full(4, sensitivities.sum() / 0.5))
    gaussian = dp.calibrate("DP", model, 0.5, 0.01, "classical")
    sigma = np.linalg.norm(sensitivities) * math.sqrt(2 * math.log(125)) / 0.5
    np.testing.assert_allclose(gaussian.covariance, sigma**2 * np.eye(4))


def test_caveats_name_the_columns_whose_range_leaks(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    (caveat,) = dp.calibrate("GroupDP", model, 1.0, 1e-3, calibration="exact").caveats
    assert "the data's own range of age, hours, which leaks it; set public bounds" in caveat
    halfway = dp.fit_gaussian(people, query, pair, 60, bounds={"age": (0, 120)})
    (caveat,) = dp.calibrate("GroupDP(L)", halfway, 1.0, calibration="exact").caveats
    assert "range of hours, which" in caveat
    bounds = {"age": (0.0, 120.0), "hours": (0.0, 100.0)}
    public = dp.fit_gaussian(people, query, pair, 60, bounds=bounds)
    assert dp.calibrate("GroupDP", public, 1.0, 1e-3, calibration="exact").caveats == ()


@pytest.mark.parametrize("name", ["DP", "DP(L)"])
def test_protecting_single_records_says_that_it_does_not_hide_the_property(
    model: dp.GaussianModel, name: str
) -> None:
    caveats = dp.calibrate(name, model, 1.0, 1e-3, calibration="exact").caveats
    assert "promises nothing about the property" in caveats[0]
    assert "leaks" in caveats[1]


@pytest.mark.adult
@pytest.mark.parametrize(
    ("name", "errors"),
    [("GroupDP(L)", (5531, 1106, 221.2)), ("GroupDP", (7531, 1506, 301.3))],
)
def test_adult_errors(
    adult_income: dp.GaussianModel, name: str, errors: tuple[float, float, float]
) -> None:
    for epsilon, error in zip((0.2, 1, 5), errors, strict=True):
        found = dp.calibrate(name, adult_income, epsilon, 1e-3, "classical").expected_error()
        # The check values were simulated, to about 0.1 %, and rounded.
        assert found == pytest.approx(error, rel=1.5e-3)
