"""Intervals for whoever receives a release: they hold the values as often as they say."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import bdtrc

import distpriv as dp
from distpriv.errors import ModelError
from distpriv.mechanisms.release import Release, released_decimals
from distpriv.mechanisms.release_intervals import ReleasedInterval, release_intervals

N, TIMES = 60, 2000
BOUNDS = {"age": (17.0, 90.0), "hours": (1.0, 99.0)}
CHANCE = 3.3 * np.sqrt(0.95 * 0.05 / TIMES)


def released(query: dp.Query, values: np.ndarray, noise: dp.Noise, n: int = N) -> Release:
    return Release(query, values, released_decimals(noise), n, noise)


@pytest.fixture(scope="module")
def samples(people: pd.DataFrame, query: dp.Query) -> np.ndarray:
    """Statistics of random samples of the people, shape (TIMES, m)."""
    rng, values = np.random.default_rng(11), query.values(people)
    return query.evaluate(
        np.array([values[rng.choice(len(values), N, replace=False)] for _ in range(TIMES)])
    )


@pytest.fixture(scope="module")
def truth(people: pd.DataFrame, query: dp.Query) -> np.ndarray:
    """What the statistics of N people are on average, shape (m,)."""
    return query.values(people).mean(axis=0) * N * query.scales(N)


def population_coverage(
    query: dp.Query, noise: dp.Noise, drawn: np.ndarray, truth: np.ndarray
) -> np.ndarray:
    """Share of releases whose intervals hold the truth, shape (m,).

    Intervals move with the release: between two that hold it all do. So few of them are computed,
    and where they change from holding it to not the place is searched for.
    """
    ordered = np.sort(drawn, axis=0)
    known: dict[int, np.ndarray] = {}

    def holds(rank: int) -> np.ndarray:
        if rank not in known:
            found = release_intervals(released(query, ordered[rank], noise), BOUNDS)
            known[rank] = np.array(
                [
                    each.population.low - 1e-9 <= value <= each.population.high + 1e-9
                    for each, value in zip(found, truth, strict=True)
                ]
            )
        return known[rank]

    ranks = np.unique(np.linspace(0, len(drawn) - 1, 31).astype(int))
    covered = np.zeros(len(query))
    for column in range(len(query)):
        for first, last in pairwise(ranks.tolist()):
            ends = holds(first)[column], holds(last)[column]
            low, high = first, last
            while ends[0] != ends[1] and high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if holds(middle)[column] == ends[0] else (low, middle)
            inside = last - first if all(ends) else (low - first if ends[0] else last - high)
            covered[column] += inside if any(ends) else 0
    return covered / (len(drawn) - 1)


@pytest.mark.parametrize("mechanism", dp.mechanisms.names())
def test_they_cover_both_values(
    mechanism: str, model: dp.GaussianModel, query: dp.Query, samples: np.ndarray, truth: np.ndarray
) -> None:
    noise = dp.calibrate(mechanism, model, 1.0, 1e-3)
    added = noise.sample(TIMES, np.random.default_rng(3))
    units = 10.0 ** -np.array(released_decimals(noise), dtype=np.float64)
    drawn = np.round((samples + added) / units) * units
    for place, each in enumerate(release_intervals(released(query, drawn[0], noise))[:2]):
        reach = (each.dataset.high - each.dataset.low) / 2
        held = (np.abs(drawn - samples)[:, place] <= reach).mean()
        assert 0.95 - CHANCE <= held <= 0.952 + CHANCE
    population = population_coverage(query, noise, drawn, truth)
    assert (population >= 0.95 - CHANCE).all()
    narrow = np.sqrt(noise.covariance.diagonal()) < N * query.scales(N) / 8
    # Drawn without replacement from 2 000, the samples spread 1.5 % less than they might.
    assert (population[2:] <= 0.97 + CHANCE)[narrow[2:]].all()


@pytest.mark.parametrize("mechanism", ["OptM", "ExpM", "DirM(L)", "ExpM(L)"])
def test_counts_are_covered_where_they_are_cut(
    mechanism: str, model: dp.GaussianModel, query: dp.Query, samples: np.ndarray
) -> None:
    noise = dp.calibrate(mechanism, model, 4.0, 1e-3)
    drawn = samples + noise.sample(TIMES, np.random.default_rng(5))
    held = np.zeros(2)
    for row, true in zip(drawn[:500], samples, strict=False):
        ends = [each.dataset for each in release_intervals(released(query, row, noise))[2:]]
        held += [
            one.low - 1e-9 <= value <= one.high + 1e-9
            for one, value in zip(ends, true[2:], strict=True)
        ]
        assert all(0 <= one.low <= one.high <= top for one, top in zip(ends, (N, 1), strict=True))
        assert ends[0].low % 1 == 0
    assert (held / 500 >= 0.95 - 2 * CHANCE).all()


def single(statistic: dp.Statistic, value: float, deviation: float, n: int = N) -> ReleasedInterval:
    noise = dp.Noise("own", "gaussian", np.eye(1), np.array([deviation]), 1.0, 0.1)
    return release_intervals(released(dp.Query([statistic]), np.array([value]), noise, n), BOUNDS)[
        0
    ]


@pytest.mark.parametrize("hits", [0, 1, 7, 30, 59, 60])
def test_without_noise_a_count_has_the_interval_of_clopper_and_pearson(hits: int) -> None:
    found = single(dp.Count("status", "married"), hits, 0.0)
    low = stats.beta.ppf(0.025, hits, N - hits + 1) if hits else 0.0
    high = stats.beta.ppf(0.975, hits + 1, N - hits) if hits < N else 1.0
    assert found.population is not None
    assert found.population.low == pytest.approx(N * low, abs=1e-3)
    assert found.population.high == pytest.approx(N * high, abs=1e-3)
    assert (found.dataset.low, found.dataset.high) == (hits, hits)


def test_with_much_noise_the_sampling_adds_in_squares() -> None:
    n, deviation = 10_000, 200.0
    found = single(dp.Count("status", "married"), 5000, deviation, n)
    both = stats.norm.ppf(0.975) * np.hypot(deviation, 50)
    assert found.population is not None
    assert found.population.high - 5000 == pytest.approx(both, rel=0.01)
    assert found.dataset.high - 5000 == pytest.approx(1.96 * deviation, rel=0.01)


@pytest.mark.parametrize("n", [5, 40, 300])
@pytest.mark.parametrize("q", [0.02, 0.3, 0.5])
def test_the_bound_for_averages_by_its_own_proof(n: int, q: float) -> None:
    """E(B − t)⁺/(x − t) bounds the tail for every t (Markov, and convex order)."""
    x = np.arange(n + 1)
    masses = stats.binom.pmf(x, n, q)
    stop_loss = np.array([masses @ np.maximum(x - t, 0) for t in x])
    for reached in range(max(1, int(n * q) + 1), n + 1):
        proven = min(stop_loss[t] / (reached - t) for t in range(reached))
        assert proven <= np.e * bdtrc(reached - 1, n, q) * (1 + 1e-9)


def test_averages_of_the_most_spread_column_are_covered() -> None:
    """Records at either bound: nothing between them spreads more."""
    noise = dp.Noise("own", "gaussian", np.eye(1), np.array([2.0]), 1.0, 0.1)
    query, rng = dp.Query([dp.Mean("age")]), np.random.default_rng(8)
    for q in (0.05, 0.5):
        held = 0
        for _ in range(400):
            mean = 17 + 73 * rng.binomial(N, q) / N + rng.normal(0, 2)
            interval = release_intervals(released(query, np.array([mean]), noise), BOUNDS)[0]
            assert interval.population is not None
            held += interval.population.low <= 17 + 73 * q <= interval.population.high
        assert held / 400 >= 0.95


def test_what_they_rest_on_is_said(query: dp.Query, model: dp.GaussianModel) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    found = release_intervals(
        released(query, np.array([40.0, 2400.0, 30.0, 0.4]), noise), {"age": (17.0, 90.0)}
    )
    assert "age is within 17 to 90, taken to be public" in found[0].rests_on
    assert found[1].population is None
    assert found[1].rests_on == "none: hours has no public bounds, which it needs"
    assert found[2].rests_on == "that the 60 records are a random sample"
    median = single(dp.Median("age"), 40.0, 1.0)
    assert median.population is None
    assert "no sum" in median.rests_on


def test_nothing_of_the_table_is_in_them(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty, model: dp.GaussianModel
) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    made = dp.draw_release(people, query, rich, noise, n=N)
    other = replace(made, values=made.values.copy())
    assert release_intervals(made, BOUNDS) == release_intervals(other, BOUNDS)
    for each, value in zip(release_intervals(made), made.values, strict=True):
        assert each.dataset.estimate == value


def test_a_number_far_out_rules_nothing_out() -> None:
    count = single(dp.Count("status", "married"), -400.0, 30.0)
    assert (count.dataset.low, count.dataset.high) == (0, N)
    assert count.population is not None
    assert (count.population.low, count.population.high) == (0, N)
    mean = single(dp.Mean("age"), 500.0, 30.0)
    assert mean.population is not None
    assert (mean.population.low, mean.population.high) == (17, 90)


def test_a_higher_level_is_wider(query: dp.Query, model: dp.GaussianModel) -> None:
    noise = dp.calibrate("DirM(L)", model, 1.0)
    made = released(query, np.array([40.0, 2400.0, 30.0, 0.4]), noise)
    narrow, wide = (release_intervals(made, BOUNDS, level=level) for level in (0.8, 0.99))
    for one, other in zip(narrow, wide, strict=True):
        for small, large in ((one.dataset, other.dataset), (one.population, other.population)):
            assert small is not None
            assert large is not None
            assert large.low <= small.low <= small.high <= large.high


def test_what_is_no_level_and_no_bound(query: dp.Query, model: dp.GaussianModel) -> None:
    made = released(query, np.zeros(4), dp.calibrate("OptM", model, 1.0, 1e-3))
    with pytest.raises(ModelError, match="level must lie between"):
        release_intervals(made, level=1.0)
    with pytest.raises(ModelError, match="two finite numbers"):
        release_intervals(made, {"age": (90.0, 17.0)})
