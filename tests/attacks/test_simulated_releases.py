"""Releases to update a belief on: simulated ones, impossible ones, and those that say nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.attacks.posterior import (
    ReleaseModel,
    beta_prior,
    pair_prior,
    posterior,
    share_grid,
    simulate_release,
    uniform_prior,
)

N = 60


def test_shares_that_need_more_records_than_there_are(
    clear: ReleaseModel, moments: dp.model.GroupMoments, query: dp.Query
) -> None:
    large = replace(clear, n=1500)
    low, high = large.limits
    without, having = moments.counts
    assert (low, high) == pytest.approx((1 - without / 1500, having / 1500))
    shares = share_grid(1500)
    released, _ = simulate_release(large, low, 1)
    logs = large.log_likelihood(shares, released)
    outside = (shares < low) | (shares > high)
    assert np.isneginf(logs[outside]).all()
    assert np.isfinite(logs[~outside]).all()
    after = posterior(large, uniform_prior(shares), released)
    assert not after.weights[outside].any()
    assert after.weights.sum() == pytest.approx(1)
    anything = replace(large, replacement=True)
    assert anything.limits == (0.0, 1.0)
    assert np.isfinite(anything.log_likelihood(shares, released)).all()
    with pytest.raises(dp.errors.ModelError, match="take a smaller n, or draw with replacement"):
        posterior(large, uniform_prior([0.0, 0.01]), released)
    with pytest.raises(
        dp.errors.ModelError, match="No 1\u202f500 records can have a share of 99\u00a0%"
    ):
        simulate_release(large, 0.99, 1)
    none = ReleaseModel(moments, query, 10**6)
    assert not none.possible(shares).any()


def test_releases_far_beyond_anything(clear: ReleaseModel, model: dp.GaussianModel) -> None:
    prior = uniform_prior(share_grid(N))
    for mechanism in (None, "OptM", "ExpM(L)"):
        noise = (
            dp.calibrate(mechanism, model, 1.0, 1e-3, calibration="exact") if mechanism else None
        )
        for size in (1e20, 1e300, -1e300):
            after = posterior(replace(clear, noise=noise), prior, np.full(4, size))
            assert after.weights.sum() == pytest.approx(1)


def test_a_statistic_that_one_group_holds_constant() -> None:
    table = pd.DataFrame({"x": [0.0] * 50 + [1.0, 2.0] * 25, "s": ["a"] * 50 + ["b"] * 50})
    query = dp.Query([dp.Mean("x")])
    moments = dp.group_moments(table, query, dp.SensitiveProperty("s", "b"))
    model = ReleaseModel(moments, query, 20)
    prior = uniform_prior(share_grid(20))
    assert posterior(model, prior, [0.0]).weights[0] == pytest.approx(1)
    assert posterior(model, prior, [0.01]).weights[0] == 0


def test_the_same_seed_scales_the_same_draws(clear: ReleaseModel, model: dp.GaussianModel) -> None:
    for name in ("ExpM", "OptM", "EigM", "ExpM(L)", "DirM(L)"):
        noises = [
            dp.calibrate(name, model, epsilon, 1e-3, calibration="exact")
            for epsilon in (1.0, 1.0001, 2.0)
        ]
        drawn = [simulate_release(replace(clear, noise=noise), 0.4, 6) for noise in noises]
        for statistics, _ in drawn:
            assert statistics.tolist() == drawn[0][0].tolist()
        moved = [np.linalg.norm(released - statistics) for statistics, released in drawn]
        assert np.linalg.norm(drawn[0][1] - drawn[1][1]) < 2e-3 * moved[0]
        assert moved[2] < moved[0]
    near, _ = simulate_release(clear, 0.4001, 6)
    here, released = simulate_release(clear, 0.4, 6)
    assert released is here
    assert near == pytest.approx(here, rel=1e-3)


@pytest.mark.parametrize("name", ["EigM", "ExpM(L)", "DirM(L)"])
def test_simulated_releases_have_the_model_s_mean_and_covariance(
    clear: ReleaseModel, model: dp.GaussianModel, name: str
) -> None:
    noise = dp.calibrate(name, model, 3.0, 1e-3, calibration="exact")
    noisy = replace(clear, noise=noise)
    generator = np.random.default_rng(12)
    drawn = np.array([simulate_release(noisy, 0.4, generator)[1] for _ in range(6000)])
    (mean,), (covariance,) = clear.statistics([0.4])
    total = covariance + noise.covariance
    units = np.sqrt(np.diag(total))
    assert np.abs((drawn.mean(axis=0) - mean) / units).max() < 4 / math.sqrt(6000)
    found = np.cov(drawn.T) / np.outer(units, units)
    assert np.abs(found - total / np.outer(units, units)).max() < 0.12


def test_errors_of_releases(clear: ReleaseModel) -> None:
    prior = uniform_prior(share_grid(N))
    with pytest.raises(dp.errors.ModelError, match="4 finite numbers"):
        posterior(clear, prior, [1.0, 2.0])
    with pytest.raises(dp.errors.ModelError, match="nan"):
        posterior(clear, prior, [1.0, 2.0, math.nan, 4.0])
    with pytest.raises(dp.errors.ModelError, match="whole number of records, at least 2"):
        replace(clear, n=1)
    with pytest.raises(dp.errors.ModelError, match=r"n must be a whole number, got 2\.5"):
        replace(clear, n=2.5)
    frozen = replace(clear.moments, covariances=np.zeros((2, 4, 4)))
    with pytest.raises(dp.errors.ModelError, match="mean age"):
        posterior(replace(clear, moments=frozen), prior, np.ones(4))


def test_noise_that_arithmetic_undoes_is_no_noise_to_believe_in(
    people: pd.DataFrame, query: dp.Query, model: dp.GaussianModel
) -> None:
    pair = model.pairs[0].pair
    moments = dp.group_moments(people, query, pair.secret)
    prior, released = pair_prior(pair, model.n), model.pairs[0].means[0]
    for name in ("DirM(L)", "DauM"):
        safe = dp.calibrate(name, model, 1.0, 1e-3)
        known = ReleaseModel(moments, query, model.n, safe)
        assert not known.undone
        assert posterior(known, prior, released).weights.sum() == pytest.approx(1)
        bare = dp.calibrate(name, model, 1.0, 1e-3, "exact", grid_safe=False)
        undone = ReleaseModel(moments, query, model.n, bare)
        assert undone.undone
        with pytest.raises(dp.errors.ModelError, match="subtracts it"):
            posterior(undone, prior, released)
    assert not ReleaseModel(moments, query, model.n).undone


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [None, "OptM", "ExpM", "ExpM(L)", "DirM(L)"])
def test_the_posterior_is_calibrated(
    clear: ReleaseModel, model: dp.GaussianModel, mechanism: str | None
) -> None:
    """Over truths from the prior, the posterior's distribution function at the truth is uniform."""
    noise = dp.calibrate(mechanism, model, 3.0, 1e-3, calibration="exact") if mechanism else None
    noisy = replace(clear, noise=noise)
    prior = beta_prior(share_grid(N), 3.0, 4.0)
    generator = np.random.default_rng(11)
    ranks, covered = [], []
    for truth in generator.choice(prior.shares, 400, p=prior.weights):
        _, released = simulate_release(noisy, truth, generator)
        after = posterior(noisy, prior, released)
        here = int(np.argmin(np.abs(after.shares - truth)))
        below = after.weights[:here].sum()
        ranks.append(below + generator.random() * after.weights[here])
        interval = after.credible_interval(0.8)
        covered.append(interval.low <= truth <= interval.high)
    assert stats.kstest(ranks, "uniform").pvalue > 1e-3
    # A grid's ends can only hold more than they say.
    assert np.mean(covered) > 0.8 - 3 * math.sqrt(0.16 / 400)
