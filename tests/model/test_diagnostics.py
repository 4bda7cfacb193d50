"""Diagnostics of the normal model: tests that heed grids, covariances, bootstrap intervals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from distpriv.errors import DistprivError
from distpriv.model.diagnostics import (
    bootstrap_intervals,
    covariance_difference,
    mardia,
    misfit,
    normality,
)
from distpriv.privacy import delivered_delta
from tests.adult import INCOME, QUERY, model

MODEL = model(INCOME.pair(0.5, 0.1))
PAIR = MODEL.pairs[0]
LABELS, SHARES = QUERY.labels, ("45 %", "55 %")


def normal_draws(count, seed=0, on_grid=True):
    """Tables of the fitted laws, rounded to the statistics' grid or not: (2, count, 5)."""
    rng = np.random.default_rng(seed)
    laws = zip(PAIR.means, PAIR.covariances, strict=True)
    draws = np.array([rng.multivariate_normal(*law, count) for law in laws])
    return np.rint(draws / PAIR.steps) * PAIR.steps if on_grid else draws


def test_normality_rejects_as_often_as_it_should():
    """Counts on a grid by simulation; without one, by cells of equal chance and χ² in scipy."""
    parts = [normality(normal_draws(400, seed), PAIR, LABELS, SHARES) for seed in range(40)]
    p = np.concatenate([part["p"] for part in parts])
    assert 0.02 < (p < 0.05).mean() < 0.09  # of 400 tests
    assert stats.kstest(p, "uniform").pvalue > 1e-3
    draws = normal_draws(400, on_grid=False)
    row = normality(draws, replace(PAIR, steps=np.zeros(5)), LABELS, SHARES).iloc[0]
    places = stats.norm(PAIR.means[0, 0], np.sqrt(PAIR.covariances[0, 0, 0])).cdf(draws[0, :, 0])
    statistic, p = stats.chisquare(np.bincount((21 * places).astype(int), minlength=21))
    assert (row["cells"], row["chi2"], row["p"]) == pytest.approx((21, statistic, p))


def test_normality_leaves_out_what_does_not_vary():
    draws, covariances = normal_draws(1000), PAIR.covariances.copy()
    draws[:, :, 3], covariances[:, 3], covariances[:, :, 3] = 25.0, 0.0, 0.0
    frame = normality(draws, replace(PAIR, covariances=covariances), LABELS, SHARES)
    constant = frame["statistic"] == LABELS[3]
    assert frame.loc[constant, "p"].isna().all()
    assert (frame.loc[~constant, "p"] > 1e-3).all()


def test_misfit_is_the_largest_distance_of_shares_below_a_value():
    """Kolmogorov's; on a grid at all whole numbers, half a step above them."""
    mean, deviation = PAIR.means[0, 2], np.sqrt(PAIR.covariances[0, 2, 2])
    law, smooth = stats.norm(mean, deviation), normal_draws(300, on_grid=False)[0, :, 2]
    assert misfit(smooth, mean, deviation, 0.0) == pytest.approx(
        100 * stats.kstest(smooth, law.cdf).statistic
    )
    counts, values = np.rint(smooth), np.arange(100)
    below = (counts[:, None] <= values).mean(axis=0)
    expected = 100 * np.abs(below - law.cdf(values + 0.5)).max()
    assert misfit(counts, mean, deviation, 1.0) == pytest.approx(expected)


def test_mardia_is_that_of_all_pairs_of_tables():
    """Skewness by its definition, the mean cube of all Mahalanobis products (Mardia 1970)."""
    draws = normal_draws(300)
    draws[1, :, 0] = np.exp(draws[1, :, 0] / 3)
    frame = mardia(draws, SHARES)
    for row, values in zip(frame.itertuples(), draws, strict=True):
        away = values - values.mean(axis=0)
        products = away @ np.linalg.inv(np.cov(values.T, bias=True)) @ away.T
        assert row.skewness == pytest.approx((products**3).mean())
        assert row.kurtosis == pytest.approx((np.diagonal(products) ** 2).mean())
        assert row.skewness_p == pytest.approx(stats.chi2.sf(50 * row.skewness, 35))
        score = (row.kurtosis - 35) / np.sqrt(8 * 35 / 300)
        assert row.kurtosis_p == pytest.approx(2 * stats.norm.sf(abs(score)))
    assert (frame[["skewness_p", "kurtosis_p"]].iloc[0] > 0.01).all()
    assert frame["skewness_p"].iloc[1] < 1e-6
    doubled = np.concatenate([draws, 2 * draws[:, :, :2], np.ones((2, 300, 1))], axis=2)
    assert mardia(doubled)["dimensions"].tolist() == [5, 5]
    assert mardia(doubled)["skewness"].to_numpy() == pytest.approx(frame["skewness"].to_numpy())


def test_covariances_differ_by_as_much_as_delta_says():
    own = covariance_difference(PAIR)
    assert own.delta == pytest.approx(delivered_delta(MODEL, None, 1.0))
    ratios = np.linalg.eigvals(np.linalg.solve(*PAIR.covariances)).real
    assert own.extremes == pytest.approx((ratios.min(), ratios.max()))
    turned = replace(PAIR, means=PAIR.means[::-1], covariances=PAIR.covariances[::-1])
    other = covariance_difference(turned)
    assert other.delta == pytest.approx(own.delta)
    assert other.extremes == pytest.approx((1 / own.extremes[1], 1 / own.extremes[0]))
    same = covariance_difference(replace(PAIR, covariances=np.array([PAIR.pooled] * 2)))
    assert same.delta == same.pooled == pytest.approx(own.pooled)
    assert same.extremes == pytest.approx((1, 1))


def test_bootstrap_intervals_hold_the_model_as_often_as_they_say():
    """Of weak differences, too, where squared distances of means are mostly scatter."""
    near = (normal_draws(150, seed, on_grid=False) for seed in range(30))
    shift = 0.8 * (PAIR.means - PAIR.means.mean(axis=0))[:, None]
    truth = 0.2 * np.array([np.linalg.norm(PAIR.difference), PAIR.distance()])
    frames = [bootstrap_intervals(draws - shift, 200) for draws in near]
    inside = np.mean([(one["low"] <= truth) & (truth <= one["high"]) for one in frames], axis=0)
    assert (inside >= 0.85).all()
    squares = np.mean([one["estimate"] ** 2 for one in frames], axis=0)
    assert squares == pytest.approx(truth**2, rel=0.4)  # uncorrected they are 1.8 times as much
    frame = bootstrap_intervals(normal_draws(1000))
    assert frame["estimate"].to_numpy() == pytest.approx([4.2913, 1.4225], rel=0.1)
    assert (frame["low"] < frame["estimate"]).all()
    assert (frame["estimate"] < frame["high"]).all()
    assert frame.equals(bootstrap_intervals(normal_draws(1000)))


@pytest.mark.parametrize(
    "draws", [np.zeros((2, 9, 5)), np.zeros((1, 50, 5)), np.full((2, 50, 5), np.nan)]
)
def test_draws_of_no_use_end_in_a_sentence(draws):
    for call in (mardia, bootstrap_intervals, lambda d: normality(d, PAIR, LABELS, SHARES)):
        with pytest.raises(DistprivError, match="10 or more simulated tables"):
            call(draws)
