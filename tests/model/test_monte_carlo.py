"""The simulated fit: against the exact one, and the same however the work is cut up."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.model import monte_carlo
from distpriv.model.run import Run

MIXED = [
    dp.Mean("age"),
    dp.Median("age"),
    dp.Count("status", "married"),
    dp.Correlation("age", "hours"),
]


def stepwise(people, query, pair, **options) -> dp.model.SimulatedFit:
    groups = {pair.secret: dp.record_groups(people, query, pair.secret)}
    return dp.model.SimulatedFit(groups, query, [pair], 60, **options)


def test_linear_statistics_beside_others_stay_exact(people, pair) -> None:
    fit = dp.fit_gaussian(people, dp.Query(MIXED), pair, 60, method="monte-carlo", rng=2).pairs[0]
    exact = dp.fit_gaussian(people, dp.Query([MIXED[0], MIXED[2]]), pair, 60).pairs[0]
    chosen = [0, 2]
    np.testing.assert_allclose(fit.means[:, chosen], exact.means)
    linear = np.ix_([0, 1], chosen, chosen)
    np.testing.assert_allclose(fit.covariances[linear], exact.covariances)
    np.testing.assert_allclose(fit.covariance_errors[linear], 0, atol=1e-9)
    np.testing.assert_allclose(fit.mean_errors[:, chosen], 0, atol=1e-9)


def test_control_variates_lower_the_error_of_the_others(people, pair) -> None:
    fits = [
        dp.fit_gaussian(people, dp.Query(statistics), pair, 60, method="monte-carlo", rng=2).pairs[
            0
        ]
        for statistics in (MIXED[:2], MIXED[1:2])
    ]
    # The mean of a column tells most of its median.
    assert (fits[0].mean_errors[:, 1] < 0.9 * fits[1].mean_errors[:, 0]).all()
    gap = fits[0].means[:, 1] - fits[1].means[:, 0]
    assert (np.abs(gap) < 5 * fits[1].mean_errors[:, 0]).all()


def test_medians_and_correlations_against_a_plain_loop(people, pair) -> None:
    query = dp.Query(MIXED)
    model = dp.fit_gaussian(people, query, pair, 60, method="monte-carlo", subsets=3000, rng=2)
    rng = np.random.default_rng(8)
    rich = pair.secret.mask(people)
    theta = model.pairs[0].thetas[0]
    drawn = []
    for _ in range(1500):
        rows = np.concatenate(
            [
                rng.choice(np.flatnonzero(rich), theta.having, replace=False),
                rng.choice(np.flatnonzero(~rich), theta.without, replace=False),
            ]
        )
        frame = people.iloc[rows]
        drawn.append((frame["age"].median(), frame["age"].corr(frame["hours"])))
    values = np.array(drawn)
    expected, error = values.mean(axis=0), values.std(axis=0) / np.sqrt(len(values))
    gap = model.pairs[0].means[0][[1, 3]] - expected
    assert (np.abs(gap) < 4 * np.hypot(error, model.pairs[0].mean_errors[0][[1, 3]])).all()


@pytest.mark.parametrize("statistics", [MIXED, [MIXED[0], MIXED[2]]])
def test_it_does_not_matter_how_the_work_is_cut_up(people, pair, statistics, monkeypatch) -> None:
    query = dp.Query(statistics)
    monkeypatch.setattr(monte_carlo, "_AT_ONCE", 60 * len(statistics) * 120)
    told: list[float] = []
    at_once = stepwise(people, query, pair, subsets=500, seed=4).run(told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 2
    slow = Run(stepwise(people, query, pair, subsets=500, seed=4).steps)
    while slow.running:
        assert slow.result() is None
        slow.step(0.0)
    in_steps = slow.result().pairs[0]
    np.testing.assert_array_equal(in_steps.covariances, at_once.pairs[0].covariances)
    np.testing.assert_array_equal(
        in_steps.jackknife.covariances, at_once.pairs[0].jackknife.covariances
    )
    for points in in_steps.outcomes.points:
        assert points.shape == (500, len(statistics))


def test_a_model_of_medians_can_be_protected_and_attacked(people, pair) -> None:
    query = dp.Query(MIXED)
    model = dp.fit_gaussian(people, query, pair, 60, method="monte-carlo", rng=2)
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    result = dp.run_attack(
        people, query, pair, 60, {"none": None, "OptM": noise}, repetitions=20, rng=5
    )
    assert result.interval("none").estimate > result.interval("OptM").estimate
    best = dp.optimal_attack_accuracy(model, noise)
    assert result.interval("OptM").low < best + 0.02


def test_what_a_simulation_needs(people, pair) -> None:
    query = dp.Query(MIXED)
    with pytest.raises(dp.errors.ModelError, match="at least 5 subsets"):
        stepwise(people, query, pair, subsets=4)
    with pytest.raises(dp.errors.ModelError, match="there are only"):
        dp.fit_gaussian(people, query, pair, 5000, method="monte-carlo")
