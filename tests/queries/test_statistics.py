"""Statistics and queries: values, labels, units, sensitivities, and what does not fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.tables.predicates import matches

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50],
        "pay": [1.5, np.nan, 2.5, 4.0],
        "whole": pd.array([1, 2, None, 4], dtype="Int64"),
        "town": pd.Categorical(["A", "B", None, "A"]),
        "code": pd.Categorical(["1", "2", "1", "3"]),
        "text": ["x", " y ", None, "x"],
        "flag": [True, False, True, True],
        "maybe": pd.array([True, None, False, True], dtype="boolean"),
        "day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]),
    }
)


@pytest.mark.parametrize(
    ("statistic", "values"),
    [
        (dp.Mean("age"), [20, 30, 40, 50]),
        (dp.Sum("pay"), [1.5, np.nan, 2.5, 4.0]),
        (dp.Mean("whole"), [1, 2, np.nan, 4]),
        (dp.Count("town", "A"), [1, 0, np.nan, 1]),
        (dp.Proportion("text", "y"), [0, 1, np.nan, 0]),
        (dp.Count("flag", True), [1, 0, 1, 1]),
        (dp.Count("flag", "False"), [0, 1, 0, 0]),
        (dp.Count("maybe", True), [1, np.nan, 0, 1]),
        (dp.Count("age", 30), [0, 1, 0, 0]),
        (dp.Count("age", "30"), [0, 1, 0, 0]),
        (dp.Count("code", 1), [1, 0, 1, 0]),
        (dp.Count("town", "nowhere"), [0, 0, np.nan, 0]),
    ],
)
def test_record_level_values(statistic: dp.Statistic, values: list[float]) -> None:
    np.testing.assert_array_equal(statistic.values(FRAME), values)


@pytest.mark.parametrize(
    ("statistic", "scale", "label", "unit"),
    [
        (dp.Mean("age"), 1 / 8, "mean age", "years"),
        (dp.Sum("age"), 1.0, "sum age", "years"),
        (dp.Count("town", "A"), 1.0, "count town = A", "records"),
        (dp.Proportion("town", "A"), 1 / 8, "share town = A", ""),
    ],
)
def test_scale_label_and_unit(statistic: dp.Statistic, scale: float, label: str, unit: str) -> None:
    assert statistic.scale(8) == scale
    assert statistic.label == label
    assert statistic.unit({"age": "years"}) == unit


def test_a_query_keeps_the_order_of_its_statistics() -> None:
    statistics = [dp.Count("town", "A"), dp.Mean("age"), dp.Sum("age")]
    query = dp.Query(statistics)
    assert list(query) == statistics
    assert len(query) == 3
    assert query.labels == ("count town = A", "mean age", "sum age")
    assert query.columns == ("town", "age")
    assert query.units({"age": "years"}) == ("records", "years", "years")
    np.testing.assert_array_equal(query.scales(4), [1, 0.25, 1])
    np.testing.assert_array_equal(query.values(FRAME)[:, 1], FRAME["age"])


def test_queries_are_values() -> None:
    assert dp.Query([dp.Mean("age")]) == dp.Query((dp.Mean("age"),))
    assert hash(dp.Query([dp.Mean("age")])) == hash(dp.Query([dp.Mean("age")]))
    assert dp.Mean("age") != dp.Sum("age")


@given(st.permutations(range(4)), st.integers(2, 50))
def test_permuting_the_statistics_permutes_everything(order: list[int], n: int) -> None:
    statistics = [dp.Mean("age"), dp.Count("town", "A"), dp.Sum("pay"), dp.Proportion("code", 1)]
    query = dp.Query(statistics)
    permuted = dp.Query([statistics[index] for index in order])
    np.testing.assert_array_equal(permuted.values(FRAME), query.values(FRAME)[:, order])
    np.testing.assert_array_equal(permuted.scales(n), query.scales(n)[order])


def test_record_sensitivities_of_each_kind() -> None:
    query = dp.Query(
        [dp.Mean("age"), dp.Sum("age"), dp.Count("town", "A"), dp.Proportion("code", 1)]
    )
    minima, maxima = np.array([20.0, 20, 0, 0]), np.array([50.0, 50, 1, 1])
    np.testing.assert_allclose(query.record_sensitivities(10, minima, maxima), [3, 30, 1, 0.1])
    public = query.record_sensitivities(10, minima, maxima, {"age": (0, 100), "town": (5, 9)})
    np.testing.assert_allclose(public, [10, 100, 1, 0.1])


def test_an_indicator_is_bounded_even_if_the_data_hold_one_value_only() -> None:
    query = dp.Query([dp.Count("town", "A")])
    assert query.record_sensitivities(10, np.zeros(1), np.zeros(1)) == [1.0]


@pytest.mark.parametrize("bounds", [(5.0, 1.0), (np.nan, 1.0), (0.0, np.inf)])
def test_bounds_that_are_none(bounds: tuple[float, float]) -> None:
    query = dp.Query([dp.Mean("age")])
    with pytest.raises(
        dp.errors.QueryError, match=r"'age' must be two finite numbers, the lower one"
    ):
        query.record_sensitivities(10, np.zeros(1), np.ones(1), {"age": bounds})


def test_a_query_without_statistics() -> None:
    with pytest.raises(dp.errors.QueryError, match="at least one statistic; add one"):
        dp.Query([])


@pytest.mark.parametrize("statistic", [dp.Mean("wage"), dp.Count("wage", 3)])
def test_a_column_that_is_not_there(statistic: dp.Statistic) -> None:
    with pytest.raises(
        dp.errors.QueryError, match=r"no column 'wage' in the table; its columns are age, "
    ):
        statistic.values(FRAME)


@pytest.mark.parametrize("column", ["town", "text", "day"])
@pytest.mark.parametrize(("kind", "word"), [(dp.Mean, "mean"), (dp.Sum, "sum")])
def test_a_statistic_of_a_column_without_numbers(
    kind: type[dp.Statistic], word: str, column: str
) -> None:
    with pytest.raises(
        dp.errors.QueryError,
        match=rf"'{column}' does not hold numbers, so it has no {word}; use a count",
    ):
        kind(column).values(FRAME)


@pytest.mark.parametrize("column", ["flag", "maybe"])
def test_a_mean_of_true_and_false(column: str) -> None:
    with pytest.raises(
        dp.errors.QueryError, match=rf"'{column}' holds true and false.*use a count or a"
    ):
        dp.Mean(column).values(FRAME)


def test_an_infinite_value_is_named(rich: dp.SensitiveProperty, people: pd.DataFrame) -> None:
    broken = people.copy()
    broken.loc[4, "hours"] = np.inf
    broken.loc[9, "hours"] = -np.inf
    with pytest.raises(
        dp.errors.QueryError, match=r"'mean hours' meets an infinite value in record 5;"
    ):
        dp.fit_gaussian(broken, dp.Query([dp.Mean("hours")]), rich.pair(0.4, 0.2), n=50)


@given(
    st.lists(st.sampled_from(["A", "B", "C", None]), min_size=1, max_size=30),
    st.sets(st.sampled_from(["A", "B", "C", "D"]), min_size=1),
)
def test_matches_is_the_same_for_text_and_categories(
    values: list[str | None], wanted: set[str]
) -> None:
    expected = [value in wanted for value in values]
    for series in (pd.Series(values, dtype="str"), pd.Series(pd.Categorical(values))):
        assert matches(series, wanted).tolist() == expected


@pytest.mark.parametrize("wanted", ["nan", float("nan"), "unknown", ""])
def test_no_number_matches_what_is_no_number(wanted: str | float) -> None:
    assert not matches(pd.Series([1.0, np.nan, 0.0]), [wanted]).any()


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20), st.integers(-3, 3))
def test_numbers_match_as_numbers_and_as_text(values: list[int], wanted: int) -> None:
    expected = [value == wanted for value in values]
    for series in (pd.Series(values), pd.Series(values, dtype="float64")):
        assert matches(series, [wanted]).tolist() == expected
        assert matches(series, [str(wanted)]).tolist() == expected


def test_bounds_that_do_not_hold_the_data() -> None:
    query = dp.Query([dp.Mean("age")])
    with pytest.raises(
        dp.errors.QueryError, match=r"'age', 20 to 60, do not hold.*17 to 90.*widen"
    ):
        query.record_sensitivities(10, np.array([17.0]), np.array([90.0]), {"age": (20.0, 60.0)})
