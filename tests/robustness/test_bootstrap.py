"""Resampled records: standard errors, intervals, and what they cover."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.robustness.bootstrap import (
    ModelReplicates,
    bootstrap_model,
    bootstrap_moments,
    delivered_intervals,
)
from tests.robustness.examples import Array, fitted


def groups(rng: np.random.Generator, without: int, having: int) -> dp.model.RecordGroups:
    """Two correlated columns whose means differ by 1 and −2."""
    shape = np.array([[1.0, 0.5], [0.0, 2.0]])
    return dp.model.RecordGroups(
        rng.normal(size=(without, 2)) @ shape,
        rng.normal(size=(having, 2)) @ shape + [1.0, -2.0],
        0,
    )


def test_the_bootstrap_against_a_plain_loop_over_the_same_records() -> None:
    # More records than are weighed at once, and more than one block of them.
    records = groups(np.random.default_rng(1), 45_000, 40)
    found = bootstrap_moments(records, 100, rng=5)
    assert found.counts == (45_000, 40)
    again = np.random.default_rng(5)
    for group, values in enumerate((records.without, records.having)):
        indices = [np.arange(len(values))]
        indices += [again.integers(len(values), size=len(values)) for _ in range(100)]
        for replicate, rows in enumerate(indices):
            drawn = values[rows]
            assert found.means[replicate, group] == pytest.approx(drawn.mean(axis=0))
            assert found.covariances[replicate, group] == pytest.approx(np.cov(drawn.T))


def test_a_seed_repeats_the_bootstrap(rng: np.random.Generator) -> None:
    records = groups(rng, 60, 50)
    first, second, other = (bootstrap_moments(records, 100, rng=seed).means for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first[1:], other[1:])


def test_bootstrap_standard_errors_are_those_of_means_and_variances(
    rng: np.random.Generator,
) -> None:
    records = groups(rng, 800, 500)
    found = bootstrap_moments(records, 3000, rng=2)
    for group, values in enumerate((records.without, records.having)):
        errors = values.std(axis=0) / math.sqrt(len(values))
        assert found.means[1:, group].std(axis=0) == pytest.approx(errors, rel=0.06)
        # The delta method: the variance of a variance is (μ_4 − σ⁴)/N.
        fourth = ((values - values.mean(axis=0)) ** 4).mean(axis=0)
        errors = np.sqrt((fourth - values.var(axis=0) ** 2) / len(values))
        variances = found.covariances[1:, group, [0, 1], [0, 1]]
        assert variances.std(axis=0) == pytest.approx(errors, rel=0.06)


@pytest.mark.parametrize("replicates", [99, 0, 150.5])
def test_too_few_replicates(rng: np.random.Generator, replicates: int) -> None:
    with pytest.raises(
        dp.errors.ModelError, match=rf"(at least 100|must be a whole.*) .*got {replicates}"
    ):
        bootstrap_moments(groups(rng, 20, 20), replicates)


@pytest.mark.parametrize("replacement", [False, True])
def test_a_replicate_is_the_exact_model_of_its_records(
    rng: np.random.Generator, replacement: bool
) -> None:
    records = groups(rng, 90, 70)
    secret = dp.SensitiveProperty("c", above=0.5)
    query = dp.Query([dp.Mean("a"), dp.Sum("b")])

    def exact(without: Array, having: Array) -> dp.PairModel:
        table = pd.DataFrame(np.vstack([without, having]), columns=["a", "b"])
        table["c"] = np.repeat([0.0, 1.0], [len(without), len(having)])
        pair = secret.pair(0.4, 0.2)
        return dp.fit_gaussian(table, query, pair, n=50, replacement=replacement).pairs[0]

    fit = exact(records.without, records.having)
    found = bootstrap_model(bootstrap_moments(records, 100, rng=3), fit, query)
    again = np.random.default_rng(3)
    rows = [[again.integers(size, size=size) for _ in range(100)] for size in (90, 70)]
    models = [fit]
    models += [
        exact(records.without[first], records.having[second])
        for first, second in zip(*rows, strict=True)
    ]
    assert found.differences == pytest.approx(np.array([model.difference for model in models]))
    assert found.pooled == pytest.approx(np.array([model.pooled for model in models]))
    lengths = np.array([np.linalg.norm(model.difference) for model in models])
    distances = np.array([model.mahalanobis for model in models])
    for interval, values in ((found.sensitivity, lengths), (found.mahalanobis, distances)):
        assert interval.estimate == pytest.approx(values[0])
        low, high = np.quantile(values[1:] ** 2, [0.025, 0.975])
        mirrored = 2 * values[0] ** 2 - np.array([high, low])
        assert interval.low**2 == pytest.approx(min(low, max(mirrored[0], 0)))
        assert interval.high**2 == pytest.approx(max(high, mirrored[1]))


def test_the_interval_of_a_mean_s_shift_is_the_textbook_one(rng: np.random.Generator) -> None:
    records = dp.model.RecordGroups(rng.normal(size=(2000, 1)), rng.normal(3, 1, size=(1500, 1)), 0)
    query = dp.Query([dp.Mean("a")])
    fit = fitted(np.zeros((2, 1)), np.ones((2, 1, 1)))
    found = bootstrap_model(bootstrap_moments(records, 4000, rng=1), fit, query).sensitivity
    # Ten of fifty records have the property or not: a fifth of the difference of the groups.
    spread = math.hypot(
        records.without.std() / math.sqrt(2000), records.having.std() / math.sqrt(1500)
    )
    shift = float(records.having.mean() - records.without.mean())
    assert found.estimate == pytest.approx(0.2 * shift)
    assert found.low == pytest.approx(0.2 * (shift - 1.96 * spread), rel=0.005)
    assert found.high == pytest.approx(0.2 * (shift + 1.96 * spread), rel=0.005)


@pytest.mark.parametrize("shift", [0.0, 0.15, 1.0])
def test_intervals_cover_what_is_true_of_the_population(shift: float) -> None:
    rng = np.random.default_rng(11)
    query = dp.Query([dp.Mean("a"), dp.Mean("b")])
    fit = fitted(n=10)  # three or five of ten records; the covariance is that of a record, tenfold
    moved = np.array([shift, -shift])
    truth = 0.2 * math.sqrt(2) * shift
    covered = []
    for _ in range(150):
        records = dp.model.RecordGroups(
            rng.exponential(size=(250, 2)), rng.exponential(size=(200, 2)) + moved, 0
        )
        found = bootstrap_model(bootstrap_moments(records, 200, rng=rng), fit, query)
        left = np.array([[1 - 7 / 250, 1 - 3 / 200], [1 - 5 / 250, 1 - 5 / 200]])
        variance = float((np.array([[0.7, 0.3], [0.5, 0.5]]) * left).sum() / 2 / 10)
        covered.append(
            [
                interval.low <= expected * (1 + 1e-9) and expected <= interval.high
                for interval, expected in (
                    (found.sensitivity, truth),
                    (found.mahalanobis, truth / math.sqrt(variance)),
                )
            ]
        )
    # At the boundary the intervals are wider than they need be.
    assert (np.mean(covered, axis=0) >= 0.9).all()


def test_the_delivered_epsilon_end_by_end(model: dp.GaussianModel, people: pd.DataFrame) -> None:
    fit = model.pairs[0]
    records = dp.record_groups(people, model.query, fit.pair.secret)
    replicates = bootstrap_model(bootstrap_moments(records, 200, rng=1), fit, model.query)
    noise = dp.calibrate("EigM", model, epsilon=1.0, delta=1e-3)
    found = delivered_intervals(replicates, noise, 1e-3)
    # For every replicate the general computations, on its two normals of equal covariance.
    distances, noise = [], noise.detached()
    for difference, pooled in zip(replicates.differences, replicates.pooled, strict=True):
        means = np.array([difference, np.zeros(4)])
        alike = dataclasses.replace(fit, means=means, covariances=np.array([pooled] * 2))
        one = dataclasses.replace(model, pairs=(alike,))
        distances.append(2 * stats.norm.ppf(dp.optimal_attack_accuracy(one, noise)))
        if len(distances) == 1:
            assert found.epsilon.estimate == pytest.approx(dp.delivered_epsilon(one, noise, 1e-3))
    squares = np.square(distances)
    low, high = np.quantile(squares[1:], [0.025, 0.975])
    ends = (min(low, 2 * squares[0] - high), max(high, 2 * squares[0] - low))
    known = (found.epsilon.low, found.epsilon.high), (found.accuracy.low, found.accuracy.high)
    for end, epsilon, accuracy in zip(ends, *known, strict=True):
        line = fitted(np.array([[math.sqrt(end)], [0.0]]), np.ones((2, 1, 1)))
        one = dataclasses.replace(model, pairs=(line,))
        assert epsilon == pytest.approx(dp.delivered_epsilon(one, None, 1e-3), rel=1e-6)
        assert accuracy == pytest.approx(stats.norm.cdf(math.sqrt(end) / 2))


def test_what_is_delivered_without_noise_and_where_nothing_differs() -> None:
    still = ModelReplicates(
        np.zeros((101, 2)),
        np.array([np.eye(2)] * 101),
        dp.model.Interval(0, 0, 0),
        dp.model.Interval(0, 0, 0),
    )
    found = delivered_intervals(still, None, 1e-3)
    assert dataclasses.astuple(found.epsilon)[:3] == (0, 0, 0)
    assert dataclasses.astuple(found.accuracy)[:3] == pytest.approx((0.5, 0.5, 0.5))
    moved = dataclasses.replace(still, differences=np.tile([3.0, 4.0], (101, 1)))
    assert delivered_intervals(moved, None, 1e-3).accuracy.low == pytest.approx(stats.norm.cdf(2.5))


def test_laplace_noise_and_impossible_deltas(model: dp.GaussianModel) -> None:
    still = ModelReplicates(
        np.ones((101, 4)),
        np.array([np.eye(4)] * 101),
        dp.model.Interval(2, 2, 2),
        dp.model.Interval(2, 2, 2),
    )
    laplace = dp.calibrate("DirM(L)", model, epsilon=1.0)
    with pytest.raises(dp.errors.CalibrationError, match=r"DirM\(L\) has no bootstrap interval"):
        delivered_intervals(still, laplace, 1e-3)
    with pytest.raises(dp.errors.CalibrationError, match="δ must be in"):
        delivered_intervals(still, None, 0.0)


def test_adult_s_distances_lie_in_their_intervals(
    adult: pd.DataFrame, adult_income: dp.GaussianModel
) -> None:
    fit, query = adult_income.pairs[0], adult_income.query
    records = dp.record_groups(adult, query, fit.pair.secret)
    replicates = bootstrap_model(bootstrap_moments(records, 300, rng=1), fit, query)
    assert replicates.sensitivity.estimate == pytest.approx(4.2913, abs=5e-5)
    assert replicates.mahalanobis.estimate == pytest.approx(1.4225, abs=5e-5)
    for interval in (replicates.sensitivity, replicates.mahalanobis):
        assert interval.low < interval.estimate < interval.high
        assert interval.high - interval.low < 0.05 * interval.estimate
    noise = dp.calibrate("OptM", adult_income, 1.0, 1e-3, "exact", grid_safe=False)
    found = delivered_intervals(replicates, noise, 1e-3)
    assert found.epsilon.estimate == pytest.approx(1.0, abs=1e-6)
    assert 0.95 < found.epsilon.low < 1 < found.epsilon.high < 1.05
