"""Medians, quantiles, standard deviations and correlations against plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp

STATISTICS = [
    dp.Median("age"),
    dp.Quantile("hours", 0.9),
    dp.StandardDeviation("age"),
    dp.Correlation("age", "hours"),
]


def plain(statistic, frame: pd.DataFrame) -> float:
    """One dataset's statistic, the way pandas computes it."""
    match statistic:
        case dp.Median():
            return float(frame[statistic.column].median())
        case dp.Quantile():
            return float(frame[statistic.column].quantile(statistic.q))
        case dp.StandardDeviation():
            return float(frame[statistic.column].std())
        case dp.Correlation():
            return float(frame[statistic.column].corr(frame[statistic.other]))
    raise AssertionError(statistic)


def test_many_datasets_at_once_are_each_dataset_by_itself(people, rng) -> None:
    query = dp.Query([dp.Mean("age"), *STATISTICS, dp.Count("status", "married")])
    values = query.values(people)
    assert values.shape == (len(people), 7)
    members = rng.integers(len(people), size=(30, 41))
    found = query.evaluate(values[members])
    for row, chosen in zip(found, members, strict=True):
        frame = people.iloc[chosen]
        expected = [frame["age"].mean(), *(plain(each, frame) for each in STATISTICS)]
        expected.append((frame["status"] == "married").sum())
        np.testing.assert_allclose(row, expected, rtol=1e-12)


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=12),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0.1, 10),
)
def test_properties_of_the_statistics(values, one, other, factor) -> None:
    records = np.array(values)[None, :, None]
    low, high = (dp.Quantile("x", q).compute(records)[0] for q in sorted((one, other)))
    assert min(values) <= low <= high + 1e-9
    assert high <= max(values) + 1e-9
    spread = dp.StandardDeviation("x").compute(records)[0]
    assert spread >= 0
    scaled = dp.StandardDeviation("x").compute(factor * records)[0]
    assert scaled == pytest.approx(factor * spread, abs=1e-6)
    pair = np.stack([records[0], records[0, ::-1]], axis=2).reshape(1, -1, 2)
    assert -1 <= dp.Correlation("x", "y").compute(pair)[0] <= 1


def test_a_correlation_with_a_constant_is_zero() -> None:
    records = np.array([[[1.0, 0.1], [2.0, 0.1], [3.0, 0.1]], [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]])
    assert dp.Correlation("x", "y").compute(records) == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("statistic", [dp.Median("x"), dp.Quantile("x", 0.3),
                                       dp.StandardDeviation("x")])  # fmt: skip
@pytest.mark.parametrize("n", [2, 3, 4])
def test_no_record_moves_a_statistic_further_than_its_sensitivity(statistic, n) -> None:
    grid = np.linspace(0, 1, 5)
    datasets = np.array(list(itertools.product(grid, repeat=n)))
    before = statistic.compute(datasets[:, :, None])
    worst = 0.0
    for value in grid:
        changed = datasets.copy()
        changed[:, 0] = value
        worst = max(worst, float(np.abs(statistic.compute(changed[:, :, None]) - before).max()))
    bound = statistic.sensitivity(n, 1.0)
    assert worst == pytest.approx(bound)


def test_sensitivities_take_the_public_bounds(people) -> None:
    query = dp.Query([*STATISTICS, dp.Mean("age")])
    values = query.values(people)
    bounds = {"age": (0.0, 120.0)}
    found = query.record_sensitivities(64, values.min(axis=0), values.max(axis=0), bounds)
    span = people["hours"].max() - people["hours"].min()
    expected = [60.0, 0.7 * span, 120.0 / 8, 2.0, 120.0 / 64]
    assert found == pytest.approx(expected)


def test_labels_units_and_columns() -> None:
    query = dp.Query(STATISTICS)
    assert query.labels == (
        "median age",
        "quantile 0.9 hours",
        "std age",
        "correlation age and hours",
    )
    assert query.units({"age": "years"}) == ("years", "", "years", "")
    assert query.columns == ("age", "hours")
    assert not query.is_linear
    assert query.label_of(4) == "correlation age and hours"


def test_a_column_of_labels_has_no_median(people) -> None:
    with pytest.raises(
        dp.errors.QueryError, match="'status' does not hold numbers, so it has no median"
    ):
        dp.Query([dp.Median("status")]).values(people)
    with pytest.raises(dp.errors.QueryError, match="q in"):
        dp.Quantile("age", 1.2)


def test_the_exact_fit_names_what_it_cannot_do(people, pair) -> None:
    query = dp.Query([dp.Mean("age"), dp.Median("hours")])
    with pytest.raises(dp.errors.ModelError, match="'median hours' has no closed form"):
        dp.fit_gaussian(people, query, pair, 60)


def test_the_answer_is_that_of_the_complete_records(people) -> None:
    query = dp.Query([dp.Mean("age"), dp.Count("status", "married"), *STATISTICS])
    table = people.copy()
    table.loc[table.index[:7], "hours"] = np.nan
    complete = table.dropna()
    expected = [complete["age"].mean(), (complete["status"] == "married").sum()]
    expected += [plain(each, complete) for each in STATISTICS]
    np.testing.assert_allclose(query.answer(table), expected, rtol=1e-12)
    table["hours"] = np.nan
    with pytest.raises(dp.errors.QueryError, match="No record has a value"):
        query.answer(table)
