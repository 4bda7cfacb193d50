"""Sensitive properties and pairs of proportions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.queries.properties import MOST_PAIRS

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50],
        "pay": [1.5, np.nan, 2.5, 4.0],
        "town": pd.Categorical(["A", "B", None, "C"]),
        "flag": [True, False, True, True],
    }
)


@pytest.mark.parametrize(
    ("secret", "mask", "label"),
    [
        (dp.SensitiveProperty("town", "A"), [1, 0, 0, 0], "town = A"),
        (dp.SensitiveProperty("town", values=["A", "B"]), [1, 1, 0, 0], "town in A, B"),
        (dp.SensitiveProperty("flag"), [1, 0, 1, 1], "flag = True"),
        (dp.SensitiveProperty("flag", False), [0, 1, 0, 0], "flag = False"),
        (dp.SensitiveProperty("age", above=30), [0, 0, 1, 1], "age > 30"),
        (dp.SensitiveProperty("age", below=30), [1, 0, 0, 0], "age < 30"),
        (dp.SensitiveProperty("age", between=(30, 40)), [0, 1, 1, 0], "age from 30 to 40"),
        (dp.SensitiveProperty("pay", above=0), [1, 0, 1, 1], "pay > 0"),
        (dp.SensitiveProperty("pay", below=9), [1, 0, 1, 1], "pay < 9"),
        (dp.SensitiveProperty("age", 30), [0, 1, 0, 0], "age = 30"),
    ],
)
def test_mask_and_label(secret: dp.SensitiveProperty, mask: list[int], label: str) -> None:
    assert secret.mask(FRAME).tolist() == [bool(mark) for mark in mask]
    assert secret.label == label


def test_properties_and_pairs_are_values() -> None:
    assert dp.SensitiveProperty("town", "A") == dp.SensitiveProperty("town", values=("A",))
    assert hash(dp.SensitiveProperty("age", above=3)) == hash(
        dp.SensitiveProperty("age", above=3.0)
    )
    secret = dp.SensitiveProperty("town", "A")
    assert secret.pair(0.5, 0.1) == dp.Pair(secret, 0.45, 0.55)


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_pair_around_a_center(center: int, width: int) -> None:
    secret = dp.SensitiveProperty("town", "A")
    low, high = center - width / 2, center + width / 2
    if low < 0 or high > 1000:
        with pytest.raises(dp.errors.PropertyError, match="leaves the range of a proportion"):
            secret.pair(center / 1000, width / 1000)
        return
    pair = secret.pair(center / 1000, width / 1000)
    assert (pair.p_i, pair.p_j) == (pytest.approx(low / 1000), pytest.approx(high / 1000))
    assert pair.center == pytest.approx(center / 1000)
    assert pair.width == pytest.approx(width / 1000)
    # What a person would write, not 0.5499999999999999.
    assert len(repr(pair.p_j)) <= 8


def test_label_of_a_pair() -> None:
    pair = dp.SensitiveProperty("income", ">50K").pair(center=0.5, width=0.1)
    assert pair.label == "income = >50K: 45 % or 55 %"


def test_more_than_one_predicate() -> None:
    with pytest.raises(
        dp.errors.PropertyError, match="'age' takes one predicate, got above and below"
    ):
        dp.SensitiveProperty("age", above=3, below=5)


def test_no_value_at_all() -> None:
    with pytest.raises(dp.errors.PropertyError, match="'town' needs at least one value"):
        dp.SensitiveProperty("town", values=[])


@pytest.mark.parametrize("between", [(5.0, 3.0), (float("nan"), 3.0)])
def test_thresholds_the_wrong_way_round(between: tuple[float, float]) -> None:
    with pytest.raises(
        dp.errors.PropertyError, match=rf"'age' must be numbers.*got {between[0]:g} and 3"
    ):
        dp.SensitiveProperty("age", between=between)


@pytest.mark.parametrize("column", ["town", "flag"])
def test_a_threshold_on_a_column_without_numbers(column: str) -> None:
    with pytest.raises(
        dp.errors.PropertyError, match=rf"'{column}' does not hold numbers.*choose one"
    ):
        dp.SensitiveProperty(column, above=3).mask(FRAME)


def test_a_property_of_a_column_that_is_not_there() -> None:
    with pytest.raises(dp.errors.QueryError, match="no column 'wage'"):
        dp.SensitiveProperty("wage", 3).mask(FRAME)


@pytest.mark.parametrize("width", [0.0, -0.1, 1.5, float("nan"), float("inf")])
def test_a_width_that_is_none(width: float) -> None:
    with pytest.raises(
        dp.errors.PropertyError, match=rf"Δp must be in \(0, 1\].*got Δp = {width:g}"
    ):
        dp.SensitiveProperty("town", "A").pair(0.5, width)


def test_a_pair_that_leaves_the_range_says_which_width_works() -> None:
    secret = dp.SensitiveProperty("town", "A")
    with pytest.raises(dp.errors.PropertyError, match=r"\(0.7 to 1.1\); take Δp at most 0.2 there"):
        secret.pair(0.9, 0.4)
    assert secret.pair(0.9, 0.2).p_j == 1
    with pytest.raises(dp.errors.PropertyError, match="take a centre between 0 and 1"):
        secret.pair(1.2, 0.4)


@pytest.mark.parametrize(("p_i", "p_j", "name"), [(-0.1, 0.5, "p_i"), (0.5, 1.2, "p_j")])
def test_proportions_outside_their_range(p_i: float, p_j: float, name: str) -> None:
    with pytest.raises(
        dp.errors.PropertyError, match=rf"{name} must be in \[0, 1\], got (-0.1|1.2)"
    ):
        dp.Pair(dp.SensitiveProperty("town", "A"), p_i, p_j)


@pytest.mark.parametrize(
    ("value", "which"), [("nowhere", "No record has"), ("B", "Every record has")]
)
def test_a_secret_that_does_not_vary(value: str, which: str) -> None:
    frame = pd.DataFrame({"age": [1, 2, 3], "town": ["B", "B", "B"]})
    with pytest.raises(
        dp.errors.PropertyError,
        match=rf"{which} the property 'town = {value}' \(3 complete records\)",
    ):
        dp.group_moments(frame, dp.Query([dp.Mean("age")]), dp.SensitiveProperty("town", value))


def test_a_grid_holds_all_pairs_within_the_width():
    rich = dp.SensitiveProperty("income", "high")
    pairs = rich.grid(0.3, 0.7, 0.1, 0.2)
    shares = [0.3, 0.4, 0.5, 0.6, 0.7]
    wanted = {
        (low, high) for low in shares for high in shares if low < high and high - low < 0.2 + 1e-9
    }
    assert {(pair.p_i, pair.p_j) for pair in pairs} == wanted
    assert len(pairs) == len(wanted)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.7, 0.3, 0.1, 0.1), "lower one first"),
        ((0.3, 0.7, 0.0, 0.1), "grid of shares needs"),
        ((0.3, 0.7, 0.5, 0.6), "grid of shares needs"),
        ((0.3, 0.7, 0.2, 0.1), "smaller step or a larger"),
        ((0.0, 1.0, 0.01, 0.5), "more than 500"),
    ],
)
def test_a_grid_that_makes_no_sense(arguments, message):
    with pytest.raises(dp.errors.PropertyError, match=message):
        dp.SensitiveProperty("income", "high").grid(*arguments)


@pytest.mark.parametrize(("step", "width"), [(1e-9, 0.1), (1e-300, 1.0), (0.01, 0.1)])
def test_a_grid_of_too_many_pairs_is_refused_before_it_is_made(step: float, width: float) -> None:
    with pytest.raises(dp.errors.PropertyError, match="pairs within"):
        dp.SensitiveProperty("age", above=1).grid(0.0, 1.0, step, width)


@given(st.integers(1, 40), st.integers(1, 45))
def test_the_pairs_of_a_grid_are_counted_as_they_are_made(count: int, reach: int) -> None:
    width = min(1.0, reach / count)
    made = [(i, j) for i in range(count + 1) for j in range(i + 1, min(i + reach, count) + 1)]
    secret = dp.SensitiveProperty("age", above=1)
    if len(made) > MOST_PAIRS:
        with pytest.raises(dp.errors.PropertyError, match=f"has {len(made)} pairs"):
            secret.grid(0.0, 1.0, 1 / count, width)
    else:
        assert len(secret.grid(0.0, 1.0, 1 / count, width)) == len(made)
