"""Groups of records and their moments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp


@pytest.mark.parametrize("block", [1, 300, 2000, 8192])
def test_moments_are_those_pandas_computes(
    people: pd.DataFrame,
    query: dp.Query,
    rich: dp.SensitiveProperty,
    block: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("distpriv.model.moments._BLOCK", block)
    moments = dp.group_moments(people, query, rich)
    values = pd.DataFrame(
        {
            "age": people["age"],
            "hours": people["hours"],
            "married": people["status"] == "married",
            "town": people["town"] == "Ahausen",
        }
    ).astype(float)
    for index, label in enumerate(("low", "high")):
        group = values[people["income"] == label]
        assert moments.counts[index] == len(group)
        np.testing.assert_allclose(moments.means[index], group.mean())
        np.testing.assert_allclose(moments.covariances[index], group.cov(), atol=1e-12)
    np.testing.assert_array_equal(moments.minima, values.min())
    np.testing.assert_array_equal(moments.maxima, values.max())
    assert moments.dropped == 0


def test_incomplete_records_are_dropped_and_counted() -> None:
    frame = pd.DataFrame(
        {
            "age": [20, np.nan, 40, 50, 60, 70],
            "town": ["A", "B", None, "A", "B", "A"],
            "secret": ["x", "y", "x", "y", None, "x"],
            "unused": [np.nan] * 6,
        }
    )
    query = dp.Query([dp.Mean("age"), dp.Count("town", "A")])
    groups = dp.record_groups(frame, query, dp.SensitiveProperty("secret", "x"))
    assert groups.dropped == 3
    np.testing.assert_array_equal(groups.having, [[20, 1], [70, 1]])
    np.testing.assert_array_equal(groups.without, [[50, 1]])


def test_a_missing_secret_alone_drops_the_record() -> None:
    frame = pd.DataFrame({"age": [20, 30, 40], "secret": pd.Categorical(["x", None, "y"])})
    groups = dp.record_groups(
        frame, dp.Query([dp.Mean("age")]), dp.SensitiveProperty("secret", "x")
    )
    assert (groups.counts, groups.dropped) == ((1, 1), 1)


def test_a_missing_value_on_one_side_is_told_in_the_model(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    holes = people.copy()
    holes.loc[[3, 5, 8], "hours"] = np.nan
    assert dp.fit_gaussian(holes, query, pair, n=60).dropped == 3
    simulated = dp.fit_gaussian(holes, query, pair, n=60, method="monte-carlo", rng=1)
    assert simulated.dropped == 3


def test_a_group_of_one_record_has_no_spread() -> None:
    frame = pd.DataFrame({"age": [20.0, 30, 50], "secret": [True, False, False]})
    moments = dp.group_moments(frame, dp.Query([dp.Mean("age")]), dp.SensitiveProperty("secret"))
    assert moments.counts == (2, 1)
    np.testing.assert_array_equal(moments.covariances, [[[200]], [[0]]])


def test_an_empty_table(people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty) -> None:
    with pytest.raises(dp.errors.PropertyError, match=r"No record has.*\(0 complete records\)"):
        dp.group_moments(people[:0], query, rich)


def test_moments_of_the_wrong_shape() -> None:
    with pytest.raises(dp.errors.ModelError, match=r"means of shape \(2, m\).*got \(3, 2\)"):
        dp.model.GroupMoments(
            (1, 1), np.zeros((3, 2)), np.zeros((2, 2, 2)), np.zeros(2), np.zeros(2)
        )
    with pytest.raises(
        dp.errors.ModelError, match=r"minima and maxima of shape \(2,\), got \(1,\)"
    ):
        dp.model.GroupMoments(
            (1, 1), np.zeros((2, 2)), np.zeros((2, 2, 2)), np.zeros(1), np.zeros(2)
        )


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_the_records_does_not_matter(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty, seed: int
) -> None:
    moments = dp.group_moments(people, query, rich)
    shuffled = dp.group_moments(people.sample(frac=1, random_state=seed), query, rich)
    np.testing.assert_allclose(shuffled.means, moments.means)
    np.testing.assert_allclose(shuffled.covariances, moments.covariances, atol=1e-9)
