"""The law of k, how many of n records have a property, for either kind of share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.errors import ModelError
from distpriv.model.monte_carlo import simulate
from distpriv.model.theta import Theta

SECRET = dp.SensitiveProperty("income", "high")


@given(st.integers(2, 300), st.floats(0, 1), st.integers(0, 500))
def test_count_law_without_replacement_is_hypergeometric(n: int, p: float, more: int) -> None:
    theta = Theta(SECRET, p, n, table=n + more)
    values, masses = theta.count_law()
    having = Theta(SECRET, p, n + more).having
    expected = stats.hypergeom(n + more, having, n).pmf(values)
    np.testing.assert_allclose(masses, expected, rtol=1e-8, atol=1e-15)
    assert masses.sum() == pytest.approx(1.0)


@given(st.integers(2, 300), st.floats(0, 1).map(lambda p: round(p, 6)))
def test_count_law_with_replacement_is_binomial(n: int, p: float) -> None:
    values, masses = Theta(SECRET, p, n, True, table=n).count_law()
    np.testing.assert_allclose(masses, stats.binom(n, p).pmf(values), rtol=1e-8, atol=1e-15)


def test_count_law_of_the_released_share_is_one_number() -> None:
    values, masses = Theta(SECRET, 0.45, 100).count_law()
    assert values.tolist() == [45]
    assert masses.tolist() == [1.0]


def test_count_law_of_a_billion_records_is_followed_near_its_mean() -> None:
    values, masses = Theta(SECRET, 0.5, 10**9, table=2 * 10**9).count_law()
    assert len(values) < 1_000_000
    assert values @ masses == pytest.approx(5e8)


def test_a_sample_larger_than_the_table_is_refused() -> None:
    with pytest.raises(ModelError, match="take a smaller n"):
        Theta(SECRET, 0.5, 11, table=10)


def test_drawing_needs_enough_records_for_every_likely_count(people, pair: dp.Pair) -> None:
    query = dp.Query([dp.Mean("age")])
    with pytest.raises(ModelError, match="may need"):
        dp.fit_gaussian(people, query, pair, n=1350, share_of="table")


@pytest.mark.parametrize("replacement", [False, True])
def test_normals_of_a_random_sample_have_the_spread_of_simulated_ones(
    people, pair: dp.Pair, replacement: bool
) -> None:
    query = dp.Query([dp.Mean("age"), dp.Mean("hours")])
    options = {"share_of": "table", "replacement": replacement}
    exact = dp.fit_gaussian(people, query, pair, 60, **options).pairs[0]
    drawn = dp.fit_gaussian(
        people, query, pair, 60, method="monte-carlo", subsets=20_000, rng=1, **options
    ).pairs[0]
    fixed = dp.fit_gaussian(people, query, pair, 60, replacement=replacement).pairs[0]
    assert np.abs((exact.means - drawn.means) / drawn.mean_errors).max() < 5
    errors = (exact.covariances - drawn.covariances) / drawn.covariance_errors
    assert np.abs(errors).max() < 5
    # SPEC 15.3: Σ gains n p(1 − p) d dᵀ/(nΔp)², but for the finite table.
    gained = (exact.covariances - fixed.covariances).mean(axis=0)
    variance = np.mean([pair.p_i * (1 - pair.p_i), pair.p_j * (1 - pair.p_j)])
    expected = 60 * variance * np.outer(fixed.difference, fixed.difference) / (60 * 0.2) ** 2
    np.testing.assert_allclose(gained, expected, rtol=1e-9 if replacement else 0.05)


def test_simulated_counts_follow_their_law(people, pair: dp.Pair) -> None:
    query = dp.Query([dp.Count("income", "high")])
    groups = dp.record_groups(people, query, dp.SensitiveProperty("income", "high"))
    theta = Theta(pair.secret, pair.p_i, 40, table=len(people))
    counts = simulate(groups, query, theta, 20_000, np.random.default_rng(1))[:, 0]
    values, masses = theta.count_law()
    shares = np.array([(counts == value).mean() for value in values])
    assert np.abs(shares - masses).max() < 5 * np.sqrt(0.25 / 20_000)
