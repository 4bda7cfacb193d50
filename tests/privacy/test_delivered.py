"""What a release delivers, Gaussian and Laplace, worst pair and worst order."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.privacy.delivered import SimulatedLoss, delivered_interval, privacy_losses, worst_case
from distpriv.privacy.privacy_loss import PrivacyLoss


def simulated_delta(model: dp.GaussianModel, noise: dp.Noise, epsilon: float) -> float:
    """By drawing releases of one statistic and estimating both densities in cells."""
    fit, rng, draws = model.pairs[0], np.random.default_rng(3), 1_000_000
    drawn = [
        rng.normal(mean[0], np.sqrt(covariance[0, 0]), draws) + noise.sample(draws, rng)[:, 0]
        for mean, covariance in zip(fit.means, fit.covariances, strict=True)
    ]
    edges = np.quantile(np.concatenate(drawn), np.linspace(0, 1, 201))
    first, second = (np.histogram(each, edges)[0] / draws for each in drawn)
    return max(
        float(np.maximum(one - np.exp(epsilon) * other, 0).sum())
        for one, other in ((first, second), (second, first))
    )


@pytest.fixture(scope="module")
def unequal() -> dp.GaussianModel:
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.1)
    thetas = (dp.model.Theta(pair.secret, 0.45, 100), dp.model.Theta(pair.secret, 0.55, 100))
    fit = dp.PairModel(pair, thetas, np.array([[0.0], [1.0]]), np.array([[[1.0]], [[2.5]]]))
    return dp.GaussianModel(dp.Query([dp.Mean("age")]), 100, (fit,), "exact", False, np.ones(1))


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0])
def test_laplace_noise_against_simulation(unequal: dp.GaussianModel, epsilon: float) -> None:
    noise = dp.calibrate("ExpM(L)", unequal, epsilon)
    found = dp.delivered_delta(unequal, noise, epsilon)
    assert found == pytest.approx(simulated_delta(unequal, noise, epsilon), abs=3e-3)
    assert dp.delivered_delta(unequal, noise, dp.delivered_epsilon(unequal, noise, 1e-3)) <= 1.01e-3


def test_laplace_noise_keeps_its_promise_to_translations(model: dp.GaussianModel) -> None:
    fit = model.pairs[0]
    shifted = dp.GaussianModel(
        model.query,
        model.n,
        (dp.PairModel(fit.pair, fit.thetas, fit.means, np.array([fit.pooled] * 2)),),
        "exact",
        False,
        model.record_sensitivities,
    )
    for name in ("ExpM(L)", "DirM(L)"):
        noise = dp.calibrate(name, shifted, 1.0)
        assert dp.delivered_delta(shifted, noise, 1.0) < 1e-9
        assert dp.delivered_delta(shifted, noise, 0.9) > 1e-4
        assert delivered_interval(shifted, noise, 1.0).estimate < 1e-9


def test_laplace_noise_delivers_less_than_no_noise(several: dp.GaussianModel) -> None:
    for name in ("ExpM(L)", "DirM(L)", "GroupDP(L)"):
        noise = dp.calibrate(name, several, 1.0)
        found = delivered_interval(several, noise, 1.0)
        assert found.low <= found.estimate <= found.high
        assert found.estimate <= dp.delivered_delta(several, None, 1.0)
        worst = dp.privacy.worst_case(several, noise, 1.0)
        assert worst.delta == dp.delivered_delta(several, noise, 1.0)
        every = [loss.delta(1.0) for fit in several.pairs for loss in privacy_losses(fit, noise)]
        assert worst.delta == max(every)


def test_profiles_of_laplace_noise_fall(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM(L)", model, 0.5)
    profile = dp.privacy_profile(model.pairs[0], noise, np.linspace(0, 2, 9))
    assert profile.shape == (2, 9)
    assert (np.diff(profile, axis=1) <= 1e-12).all()
    assert all(isinstance(each, SimulatedLoss) for each in privacy_losses(model.pairs[0], noise))


def test_published_laplace_noise_along_one_direction_delivers_nothing(
    model: dp.GaussianModel,
) -> None:
    bare = dp.calibrate("DirM(L)", model, 1.0, grid_safe=False)
    assert dp.delivered_delta(model, bare, 1.0) == dp.delivered_delta(model, None, 1.0)
    safe = dp.calibrate("DirM(L)", model, 1.0)
    assert dp.delivered_delta(model, safe, 1.0) < dp.delivered_delta(model, None, 1.0)


def test_epsilon_must_not_be_negative(model: dp.GaussianModel) -> None:
    with pytest.raises(dp.errors.CalibrationError, match="not negative"):
        dp.delivered_delta(model, None, -0.1)
    with pytest.raises(dp.errors.CalibrationError, match="not negative"):
        dp.privacy_profile(model.pairs[0], None, [0.1, -0.1])


def test_what_cannot_be_computed_is_the_worst_case(
    unequal: dp.GaussianModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PrivacyLoss, "delta", lambda *_: np.nan)
    assert worst_case(unequal, None, 1.0).delta == 1.0
