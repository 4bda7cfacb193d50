"""The Gaussian model: closed form against enumeration, simulation and Adult."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp

TINY = pd.DataFrame(
    {
        "x": [1.0, 4.0, 2.5, -3.0, 0.5, 7.0, 2.0, -1.0, 3.5],
        "kind": ["a", "b", "a", "a", "b", "b", "a", "c", "a"],
        "secret": [True, False, True, False, False, True, False, True, False],
    }
)
TINY_QUERY = dp.Query([dp.Sum("x"), dp.Count("kind", "a"), dp.Proportion("kind", "b")])
SECRET = dp.SensitiveProperty("secret")


def _answer(rows: pd.DataFrame) -> list[float]:
    """The statistics as anybody would compute them."""
    return [
        rows["x"].sum(),
        (rows["kind"] == "a").sum(),
        (rows["kind"] == "b").mean(),
    ]


@pytest.mark.parametrize("replacement", [False, True])
def test_exact_model_against_every_possible_dataset(replacement: bool) -> None:
    n, pair = 5, dp.Pair(SECRET, 0.4, 0.6)
    fit = dp.fit_gaussian(TINY, TINY_QUERY, pair, n, replacement=replacement).pairs[0]
    having, without = np.flatnonzero(TINY["secret"]), np.flatnonzero(~TINY["secret"])
    draws = (lambda group, size: product(group, repeat=size)) if replacement else combinations
    for theta, k in enumerate((2, 3)):
        answers = np.array(
            [
                _answer(TINY.iloc[[*chosen, *others]])
                for chosen in draws(having, k)
                for others in draws(without, n - k)
            ]
        )
        np.testing.assert_allclose(fit.means[theta], answers.mean(axis=0))
        np.testing.assert_allclose(fit.covariances[theta], np.cov(answers.T, ddof=0), atol=1e-12)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("n", [40, 300])
def test_simulation_agrees_within_its_standard_error(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, n: int, replacement: bool
) -> None:
    exact = dp.fit_gaussian(people, query, pair, n, replacement=replacement).pairs[0]
    simulated = dp.fit_gaussian(
        people,
        query,
        pair,
        n,
        replacement=replacement,
        method="monte-carlo",
        subsets=4000,
        rng=n + replacement,
    ).pairs[0]
    assert simulated.mean_errors is not None
    assert simulated.covariance_errors is not None
    # 32 and 40 figures with fixed seeds: 4.5 standard errors are far beyond chance.
    assert (np.abs(simulated.means - exact.means) < 4.5 * simulated.mean_errors).all()
    away = np.abs(simulated.covariances - exact.covariances)
    assert (away < 4.5 * simulated.covariance_errors).all()


def test_standard_errors_are_the_spread_of_repeated_simulations(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    rng = np.random.default_rng(3)
    fits = [
        dp.fit_gaussian(people, query, pair, 40, method="monte-carlo", subsets=300, rng=rng).pairs[
            0
        ]
        for _ in range(200)
    ]
    spread = np.std([fit.means for fit in fits], axis=0)
    np.testing.assert_allclose(fits[0].mean_errors, spread, rtol=0.3)
    spread = np.std([fit.covariances for fit in fits], axis=0)
    typical = np.median([fit.covariance_errors for fit in fits], axis=0)
    np.testing.assert_allclose(typical, spread, rtol=0.3)


def test_a_seed_gives_the_same_simulation(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    fits = [
        dp.fit_gaussian(people, query, pair, 40, method="monte-carlo", subsets=50, rng=seed)
        for seed in (1, np.random.default_rng(1), 2)
    ]
    means = [fit.pairs[0].means for fit in fits]
    np.testing.assert_array_equal(means[0], means[1])
    assert not np.array_equal(means[0], means[2])


@given(st.permutations(range(4)))
def test_permuting_the_statistics(
    people: pd.DataFrame,
    query: dp.Query,
    pair: dp.Pair,
    model: dp.GaussianModel,
    order: list[int],
) -> None:
    permuted = dp.fit_gaussian(people, dp.Query([list(query)[i] for i in order]), pair, 60)
    fit, other = model.pairs[0], permuted.pairs[0]
    np.testing.assert_allclose(other.means, fit.means[:, order])
    np.testing.assert_allclose(other.covariances, fit.covariances[:, order][:, :, order])
    assert permuted.sensitivity(1) == pytest.approx(model.sensitivity(1))
    assert other.mahalanobis == pytest.approx(fit.mahalanobis)


@given(st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_changing_the_unit_of_a_column(
    people: pd.DataFrame,
    query: dp.Query,
    pair: dp.Pair,
    model: dp.GaussianModel,
    factor: float,
    shift: float,
) -> None:
    changed = people.assign(age=people["age"] * factor + shift)
    fit, other = model.pairs[0], dp.fit_gaussian(changed, query, pair, 60).pairs[0]
    scaling = np.array([factor, 1, 1, 1])
    np.testing.assert_allclose(other.difference, fit.difference * scaling, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        other.covariances, fit.covariances * np.outer(scaling, scaling), rtol=1e-6, atol=1e-9
    )
    assert other.mahalanobis == pytest.approx(fit.mahalanobis, rel=1e-6)


def test_the_order_of_a_pair_does_not_matter(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    turned = dp.fit_gaussian(people, query, dp.Pair(pair.secret, pair.p_j, pair.p_i), 60)
    np.testing.assert_allclose(turned.pairs[0].difference, -model.pairs[0].difference)
    np.testing.assert_allclose(turned.pairs[0].pooled, model.pairs[0].pooled)


def test_several_pairs_take_the_largest_distance(several: dp.GaussianModel) -> None:
    assert several.differences.shape == (3, 4)
    for order in (1, 2):
        norms = [np.linalg.norm(fit.means[0] - fit.means[1], ord=order) for fit in several.pairs]
        assert several.sensitivity(order) == pytest.approx(max(norms))


def test_moments_alone_give_the_same_model(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    moments = dp.group_moments(people, query, pair.secret)
    again = dp.model.model_from_moments({pair.secret: moments}, query, [pair], 60)
    np.testing.assert_array_equal(again.pairs[0].means, model.pairs[0].means)
    np.testing.assert_array_equal(again.pairs[0].covariances, model.pairs[0].covariances)
    np.testing.assert_array_equal(again.record_sensitivities, model.record_sensitivities)


def test_simulated_and_exact_models_know_the_same_sensitivities(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    bounds = {"age": (0.0, 120.0)}
    exact = dp.fit_gaussian(people, query, pair, 60, bounds=bounds)
    simulated = dp.fit_gaussian(people, query, pair, 60, bounds=bounds, method="monte-carlo")
    np.testing.assert_allclose(simulated.record_sensitivities, exact.record_sensitivities)
    assert exact.record_sensitivities[0] == 2.0
    assert exact.public_bounds == simulated.public_bounds == {"age"}
    assert model.public_bounds == frozenset()


@pytest.mark.parametrize(
    ("n", "proportion", "having"),
    [
        (100, 0.45, 45),
        (100, 0.55, 55),
        (10, 0.45, 5),
        (10, 0.55, 6),
        (7, 0.5, 4),
        (100, 0.0, 0),
        (100, 1.0, 100),
        (1000, 0.0015, 2),
        (3, 1 / 3, 1),
    ],
)
def test_shares_become_whole_records_with_halves_upwards(
    n: int, proportion: float, having: int
) -> None:
    theta = dp.model.Theta(SECRET, proportion, n)
    assert (theta.having, theta.without) == (having, n - having)


@given(st.integers(2, 10_000), st.integers(0, 10_000))
def test_the_records_of_a_subset_add_up(n: int, per_myriad: int) -> None:
    theta = dp.model.Theta(SECRET, per_myriad / 10_000, n)
    assert theta.having + theta.without == n
    assert abs(theta.having - n * theta.proportion) <= 0.5 + 1e-9


@pytest.mark.parametrize("n", [1, 0, -5, 20.5, float("nan")])
def test_a_size_that_is_none(people: pd.DataFrame, query: dp.Query, pair: dp.Pair, n: int) -> None:
    with pytest.raises(
        dp.errors.ModelError, match=rf"(at least 2, got n =|n must be a whole.*got) {n}"
    ):
        dp.fit_gaussian(people, query, pair, n)


def test_two_records_are_enough(people: pd.DataFrame, rich: dp.SensitiveProperty) -> None:
    fit = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), rich.pair(0.5, 1.0), 2).pairs[0]
    assert fit.thetas[0].having == 0
    assert fit.thetas[1].having == 2


@settings(max_examples=100)
@given(st.integers(3, 60), st.integers(3, 60), st.integers(2, 100), st.data())
def test_too_few_records_say_what_would_work(
    having: int, without: int, n: int, data: st.DataObject
) -> None:
    center = data.draw(st.integers(1, 99)) / 100
    width = data.draw(st.integers(1, 100)) / 100 * 2 * min(center, 1 - center)
    pair = SECRET.pair(center, width)
    rng = np.random.default_rng(having)
    table = pd.DataFrame(
        {"x": rng.normal(size=having + without), "secret": [True] * having + [False] * without}
    )
    query = dp.Query([dp.Mean("x")])

    def fits(pair: dp.Pair, n: int, replacement: bool = False) -> bool:
        try:
            dp.fit_gaussian(table, query, pair, n, replacement=replacement)
        except dp.errors.ModelError as error:
            # A group that is used up whole does not vary any more.
            return "does not vary" in str(error)
        return True

    needs = [dp.model.Theta(SECRET, p, n) for p in (pair.p_i, pair.p_j)]
    enough = all(theta.having <= having and theta.without <= without for theta in needs)
    assert fits(pair, n) == enough
    if enough:
        return
    with pytest.raises(dp.errors.ModelError) as caught:
        dp.fit_gaussian(table, query, pair, n)
    message = str(caught.value)
    found = re.search(
        r"needs (\d+) records that (have|do not have) .* there are only (\d+)", message
    )
    assert found is not None
    assert int(found[3]) == (having if found[2] == "have" else without) < int(found[1])
    assert "or draw with replacement" in message or "; draw with replacement" in message
    assert fits(pair, n, replacement=True)
    if found := re.search(r"n at most (\d+)", message):
        assert fits(pair, int(found[1]))
        assert not fits(pair, int(found[1]) + 1)
    if found := re.search(r"Δp at most ([\d.]+)", message):
        assert fits(SECRET.pair(center, float(found[1])), n)


def test_a_subset_far_larger_than_the_table_is_told_at_once(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    with pytest.raises(dp.errors.ModelError, match=r"there are only \d+; take n at most \d+"):
        dp.fit_gaussian(people, query, pair, 10**15)


def test_too_few_records_for_a_simulation(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    with pytest.raises(dp.errors.ModelError, match="draw with replacement"):
        dp.fit_gaussian(people, query, pair, 1900, method="monte-carlo")


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize(
    ("statistics", "message"),
    [
        ([dp.Mean("age"), dp.Mean("age")], "'mean age' and 'mean age' determine each other"),
        (
            [dp.Mean("age"), dp.Mean("hours"), dp.Sum("hours")],
            "'mean hours' and 'sum hours' determine each other",
        ),
        (
            [dp.Count("status", "married"), dp.Mean("age"), dp.Count("status", "single")],
            "'count status = married' and 'count status = single' determine each other",
        ),
        ([dp.Mean("age"), dp.Count("town", "X")], "'count town = X' does not vary"),
        ([dp.Mean("age"), dp.Count("income", "low")], "'count income = low' does not vary"),
        ([dp.Mean("one")], "'mean one' does not vary"),
    ],
)
def test_a_singular_covariance_names_the_statistics(
    people: pd.DataFrame,
    pair: dp.Pair,
    statistics: list[dp.Statistic],
    message: str,
    method: str,
) -> None:
    table = people.assign(one=0.1)
    with pytest.raises(dp.errors.ModelError, match=message + ".*; leave (it|one of them) out"):
        dp.fit_gaussian(table, dp.Query(statistics), pair, 60, method=method)
    if method == "exact":  # given how many have the property, which is random there
        with pytest.raises(dp.errors.ModelError, match=message):
            dp.fit_gaussian(table, dp.Query(statistics), pair, 60, share_of="table")


def test_columns_in_very_different_units_are_not_singular(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    table = people.assign(age=people["age"] * 1e9, hours=people["hours"] * 1e-9)
    assert dp.fit_gaussian(table, query, pair, 60).pairs[0].mahalanobis > 0


def test_values_too_large_to_compute_with(people: pd.DataFrame, pair: dp.Pair) -> None:
    query = dp.Query([dp.Mean("hours"), dp.Mean("age")])
    with pytest.raises(dp.errors.ModelError, match=r"'mean age' are too large.*a larger unit"):
        dp.fit_gaussian(people.assign(age=people["age"] * 1e200), query, pair, 60)


def test_no_pairs(people: pd.DataFrame, query: dp.Query) -> None:
    with pytest.raises(dp.errors.ModelError, match="at least one pair of proportions; add one"):
        dp.fit_gaussian(people, query, [], 60)
    with pytest.raises(dp.errors.ModelError, match="at least one pair of proportions; add one"):
        dp.model.model_from_moments({}, query, [], 60)


def test_a_method_that_is_none(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> None:
    with pytest.raises(dp.errors.ModelError, match='"exact" or "monte-carlo", got \'guess\''):
        dp.fit_gaussian(people, query, pair, 60, method="guess")


def test_too_few_subsets(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> None:
    with pytest.raises(dp.errors.ModelError, match="4 statistics needs at least 5 subsets, got 4"):
        dp.fit_gaussian(people, query, pair, 60, method="monte-carlo", subsets=4)


@pytest.mark.adult
def test_adult_income(adult_income: dp.GaussianModel) -> None:
    fit = adult_income.pairs[0]
    np.testing.assert_allclose(fit.means[0], [40.015, 10.516, 25.286, 27.764, 42.215], atol=5e-4)
    np.testing.assert_allclose(fit.means[1], [40.741, 10.713, 21.825, 25.423, 42.847], atol=5e-4)
    variances = np.diagonal(fit.covariances, axis1=1, axis2=2)
    np.testing.assert_allclose(variances[0], [1.490, 0.057, 15.897, 18.657, 1.310], atol=5.1e-4)
    np.testing.assert_allclose(variances[1], [1.412, 0.057, 14.069, 17.557, 1.282], atol=5.1e-4)
    assert adult_income.sensitivity(1) == pytest.approx(7.3550, abs=5e-5)
    assert adult_income.sensitivity(2) == pytest.approx(4.2913, abs=5e-5)
    v = fit.difference / np.linalg.norm(fit.difference)
    np.testing.assert_allclose(
        v * np.sign(v[2]), [-0.169, -0.046, 0.806, 0.545, -0.147], atol=5.1e-4
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(fit.pooled), [0.056, 1.140, 1.267, 14.190, 19.241], atol=5.1e-4
    )
    assert fit.mahalanobis == pytest.approx(1.4225, abs=5e-5)
    assert adult_income.dropped == 0


@pytest.mark.adult
def test_adult_work_class(adult_work_class: dp.GaussianModel) -> None:
    assert adult_work_class.sensitivity(1) == pytest.approx(1.2427, abs=5e-5)
    assert adult_work_class.sensitivity(2) == pytest.approx(0.6935, abs=5e-5)
    assert adult_work_class.pairs[0].mahalanobis == pytest.approx(0.2568, abs=5e-5)


@pytest.mark.adult
def test_adult_simulated_as_in_the_paper(
    adult: pd.DataFrame, adult_query: dp.Query, adult_income: dp.GaussianModel
) -> None:
    exact = adult_income.pairs[0]
    fit = dp.fit_gaussian(
        adult, adult_query, exact.pair, 100, method="monte-carlo", subsets=1000, rng=11
    ).pairs[0]
    assert fit.mean_errors is not None
    assert fit.covariance_errors is not None
    assert (np.abs(fit.means - exact.means) < 4 * fit.mean_errors).all()
    assert (np.abs(fit.covariances - exact.covariances) < 4 * fit.covariance_errors).all()


@pytest.mark.adult
def test_adult_record_sensitivities(adult_income: dp.GaussianModel) -> None:
    sensitivities = adult_income.record_sensitivities
    np.testing.assert_allclose(sensitivities, [0.73, 0.15, 1, 1, 0.98])
    assert sensitivities.sum() == pytest.approx(3.86)
    assert np.linalg.norm(sensitivities) == pytest.approx(1.8750, abs=5e-5)
