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


def test_the_linear_part_of_a_mixed_query_agrees_with_the_exact_fit(people, pair) -> None:
    query = dp.Query(MIXED)
    fit = dp.fit_gaussian(people, query, pair, 60, method="monte-carlo", subsets=4000, rng=2)
    exact = dp.fit_gaussian(people, dp.Query([MIXED[0], MIXED[2]]), pair, 60).pairs[0]
    found = fit.pairs[0]
    chosen = [0, 2]
    gap = (found.means[:, chosen] - exact.means) / found.mean_errors[:, chosen]
    assert np.abs(gap).max() < 4
    part = found.covariances[np.ix_([0, 1], chosen, chosen)]
    errors = found.covariance_errors[np.ix_([0, 1], chosen, chosen)]
    assert (np.abs(part - exact.covariances) < 4 * errors).all()


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
