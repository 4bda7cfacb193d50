"""μ: two unit normals that are as hard to tell apart as a release."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.errors import CalibrationError
from distpriv.privacy.calibration import gaussian_delta
from distpriv.privacy.gaussian_dp import GaussianDP, gaussian_dp


def test_equal_covariances_need_no_delta(alike: dp.GaussianModel) -> None:
    (fit,) = alike.pairs
    free = replace(alike, pairs=(replace(fit, steps=None),))
    noise = dp.calibrate("OptM", free, 1.0, 1e-3)
    found, difference = gaussian_dp(free, noise, 1e-3), fit.difference
    inverse = np.linalg.inv(fit.pooled + noise.covariance)
    assert found.whole
    assert found.mu == pytest.approx(np.sqrt(difference @ inverse @ difference))
    assert found.mu == pytest.approx(dp.privacy.gaussian_distance(1.0, 1e-3), rel=1e-6)
    # The best attacker's advantage is 2Φ(μ/2) − 1.
    assert dp.optimal_attack_accuracy(free, noise) == pytest.approx(stats.norm.cdf(found.mu / 2))


@pytest.mark.parametrize("mechanism", ["OptM", "DauM", "ExpM", None])
def test_down_to_its_delta_the_release_is_never_easier(
    model: dp.GaussianModel, mechanism: str | None
) -> None:
    noise = None if mechanism is None else dp.calibrate(mechanism, model, 1.0, 1e-3)
    delta = 1e-3
    found = gaussian_dp(model, noise, delta)
    assert not found.whole
    epsilons = np.linspace(0, dp.delivered_epsilon(model, noise, delta), 501)
    profile = dp.privacy_profile(model.pairs[0], noise, epsilons).max(axis=0)
    curve = np.array([gaussian_delta(found.mu, epsilon) for epsilon in epsilons])
    assert (profile <= curve * (1 + 1e-9)).all()
    smaller = np.array([gaussian_delta(found.mu * 0.995, epsilon) for epsilon in epsilons])
    assert (profile > smaller).any()


def test_no_mu_holds_altogether_where_covariances_differ(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    found = [gaussian_dp(model, noise, delta).mu for delta in (1e-2, 1e-4, 1e-8, 1e-11)]
    assert found == sorted(found)
    assert found[-1] > 1.05 * found[0]


def test_by_the_exact_law(people: pd.DataFrame, rich: dp.SensitiveProperty) -> None:
    query = dp.Query([dp.Count("status", "married")])
    model = dp.fit_gaussian(people, query, rich.pair(0.4, 0.2), n=60, replacement=True)
    laws = dp.privacy.model_laws(model)
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    found = gaussian_dp(model, noise, 1e-3, law=laws)
    for epsilon in np.linspace(0, 0.9, 7):
        delta = dp.delivered_delta(model, noise, epsilon, law=laws)
        assert delta < 1e-3 or delta <= gaussian_delta(found.mu, epsilon) * (1 + 1e-6)


def test_laplace_noise_is_not_compared(model: dp.GaussianModel) -> None:
    with pytest.raises(CalibrationError, match="Laplace"):
        gaussian_dp(model, dp.calibrate("DirM(L)", model, 1.0), 1e-3)


def test_what_hides_nothing_has_no_mu() -> None:
    assert GaussianDP(math.inf, 1e-3).mu == math.inf
