"""Beliefs in one of two shares, before and after a release."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import distpriv as dp
from distpriv.attacks.pair_normals import PairNormals
from distpriv.attacks.two_shares import share_belief
from distpriv.errors import AttackError

PRIORS = (0.05, 0.3, 0.5, 0.9)


@pytest.mark.parametrize("prior", PRIORS)
def test_equal_covariances_against_the_closed_form(alike: dp.GaussianModel, prior: float) -> None:
    noise = dp.calibrate("OptM", alike, 1.0, 1e-3)
    fit = alike.pairs[0]
    difference = fit.difference
    mu = math.sqrt(difference @ np.linalg.solve(fit.pooled + noise.covariance, difference))
    found = share_belief(fit, noise, prior)
    reach = mu**2 / 2 + mu * stats.norm.ppf(0.975)
    assert found.low == pytest.approx(expit(logit(prior) - reach), rel=1e-4)
    assert found.high == pytest.approx(expit(logit(prior) + reach), rel=1e-4)
    at = -logit(prior)
    right = prior * stats.norm.sf((at - mu**2 / 2) / mu) + (1 - prior) * stats.norm.cdf(
        (at + mu**2 / 2) / mu
    )
    assert found.right == pytest.approx(right, rel=1e-5)


@pytest.mark.parametrize("mechanism", ["OptM", "DirM(L)", "ExpM(L)"])
@pytest.mark.parametrize("prior", PRIORS)
def test_against_drawn_releases(model: dp.GaussianModel, mechanism: str, prior: float) -> None:
    noise, fit = dp.calibrate(mechanism, model, 1.0, 1e-3), model.pairs[0]
    found = share_belief(fit, noise, prior)
    rng, size = np.random.default_rng(5), 4000
    normals, right = PairNormals(fit.means, fit.covariances), 0.0
    for second, weight in ((False, 1 - prior), (True, prior)):
        clear = rng.multivariate_normal(fit.means[int(second)], fit.covariances[int(second)], size)
        ratios = normals.log_ratios(clear + noise.sample(size, rng), noise)
        after = expit(logit(prior) + ratios)
        inside = ((found.low <= after) & (after <= found.high)).mean()
        assert inside >= 0.95 - 0.013
        right += weight * ((after > 0.5) == second).mean()
    assert found.right == pytest.approx(max(right, prior, 1 - prior), abs=0.03)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("mechanism", ["OptM", "ExpM", None])
def test_the_factor_bounds_every_prior(
    model: dp.GaussianModel, mechanism: str | None, prior: float
) -> None:
    noise = None if mechanism is None else dp.calibrate(mechanism, model, 1.0, 1e-3)
    accuracy = dp.optimal_attack_accuracy(model, noise)
    found = share_belief(model.pairs[0], noise, prior)
    assert found.right_before <= found.right <= 2 * accuracy * found.right_before + 1e-9
    if prior == 0.5:
        assert found.right == pytest.approx(accuracy, abs=1e-6)


def test_noise_that_arithmetic_undoes_counts_for_nothing(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("DirM", model, 1.0, 1e-3, grid_safe=False)
    bare, fit = share_belief(model.pairs[0], None, 0.3), model.pairs[0]
    assert share_belief(fit, noise, 0.3) == bare


def test_a_statistic_that_tells_all(model: dp.GaussianModel) -> None:
    fit = model.pairs[0]
    apart = replace(fit, means=np.array([fit.means[0], fit.means[0] + 1e6]))
    found = share_belief(apart, None, 0.3)
    assert found.right == pytest.approx(1)
    assert found.high == pytest.approx(1)


@pytest.mark.parametrize("wrong", [{"prior": 0.0}, {"prior": 1.0}, {"confidence": 1.0}])
def test_what_is_no_belief(model: dp.GaussianModel, wrong: dict[str, float]) -> None:
    with pytest.raises(AttackError, match="must lie between 0 and 1"):
        share_belief(model.pairs[0], None, **{"prior": 0.3, **wrong})
