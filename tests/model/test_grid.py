"""The steps in which statistics move."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.model.grid import column_step, record_steps


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([3.0, 5.0, 11.0], 2.0),
        ([0.1, 0.1 + 0.2, 0.7], 0.2),  # 0.30000000000000004 counts as 0.3
        ([1500.0, 2000.0, 3500.0], 500.0),
        ([1 / 3, 2 / 3, 5 / 3], 1 / 3),
        ([-0.25, 0.5, 0.75], 0.25),
        ([0.1234567890123456, 0.9876543210987654], 0.9876543210987654 - 0.1234567890123456),
        ([1e300, 3e300, 4e300], 1e300),
        ([4.0, 4.0], math.inf),
    ],
)
def test_step_of_a_column(values: list[float], step: float) -> None:
    assert column_step(np.array(values)) == pytest.approx(step, rel=1e-12)


@given(
    st.integers(-4, 9),
    st.integers(1, 60),
    st.lists(st.integers(-2000, 2000), min_size=2, max_size=60).filter(lambda k: len({*k}) > 1),
)
def test_decimal_columns_have_the_divisor_of_their_differences(
    decimals: int, unit: int, counts: list[int]
) -> None:
    values = [float(f"{unit * count}e{-decimals}") for count in counts]
    moves = [unit * (count - counts[0]) for count in counts]
    found = column_step(np.array(values))
    assert found == pytest.approx(math.gcd(*moves) * 10.0**-decimals, rel=1e-9)


def test_seventeen_digits_are_a_density_where_they_are_many() -> None:
    values = np.random.default_rng(0).random(20_000)
    assert column_step(values) == 0.0
    # Few values, or values that recur, add up to few sums, if to no grid.
    assert column_step(values[:50]) == pytest.approx(values[:50].std())
    recurring = np.tile([0.0, 1.0, math.sqrt(2)], 5000)
    assert column_step(recurring) == pytest.approx(recurring.std())


@pytest.mark.parametrize("kind", ["whole", "decimal", "thirds", "random", "powers"])
def test_a_million_values_of_every_kind(kind: str) -> None:
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 10**6, 10**6)
    values, step = {
        "whole": (whole * 4.0, 4.0),
        "decimal": (whole * 0.01, 0.01),
        "thirds": (whole / 3, 1 / 3),
        "random": (rng.random(10**6), 0.0),
        "powers": ((powers := np.exp(whole % 97 * 1.0)), powers.std()),
    }[kind]
    assert column_step(values) == pytest.approx(step, rel=1e-9)


def test_columns_that_are_tied_move_together() -> None:
    rng = np.random.default_rng(2)
    odd, half = rng.integers(0, 2, 3000), rng.integers(0, 40, 3000)
    having = rng.random(3000) < 0.4
    values = np.column_stack([2 * half + odd, odd, rng.integers(0, 9, 3000) * 0.25])
    # Alone each moves by 1; while the other stays, by 2.
    assert record_steps(values, having)[2].tolist() == [2.0, 2.0, 0.25]
    assert record_steps(values[:, :1], having)[2].tolist() == [1.0]


def test_records_move_within_their_group() -> None:
    values = np.array([[0.0], [2.0], [4.0], [1.0], [3.0], [7.0]])
    having = np.array([False] * 3 + [True] * 3)
    # Even numbers without the property, odd ones with it: sums keep their parity.
    assert record_steps(values, having).ravel().tolist() == [2.0, 2.0, 2.0]
    constant = np.array([[1.0], [1.0], [1.0], [1.0], [4.0], [7.0]])
    assert record_steps(constant, having).ravel().tolist() == [math.inf, 3.0, 3.0]


def test_rare_values_are_seen_wherever_they_are() -> None:
    values = np.zeros((100_000, 2))
    values[:, 0] = np.arange(100_000) % 7 * 2.0
    values[99_990, 0] = 3.0  # the one odd number
    values[77_777, 1] = 1.0
    having = np.arange(100_000) % 3 == 0
    assert record_steps(values, having)[2].tolist() == [1.0, 1.0]


def test_steps_of_a_model(people: pd.DataFrame) -> None:
    query = dp.Query(
        [
            dp.Mean("age"),
            dp.Sum("age"),
            dp.Count("status", "married"),
            dp.Proportion("status", "married"),
        ]
    )
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.1)
    for index, step in enumerate([1 / 40, 1.0, 1.0, 1 / 40]):
        model = dp.fit_gaussian(people, dp.Query([query.statistics[index]]), pair, n=40)
        assert model.steps == pytest.approx([step])
        units = np.array([2.0])
        assert model.in_units(units).steps == pytest.approx([step / 2])


@pytest.mark.parametrize(
    ("statistic", "n", "step"),
    [
        (dp.Median("age"), 41, 1.0),
        (dp.Median("age"), 40, 0.5),
        (dp.Quantile("age", 0.9), 41, 1.0),
        (dp.Quantile("age", 0.9), 40, 0.1),
        (dp.Quantile("age", 1 / 3), 40, 0.0),
        (dp.StandardDeviation("age"), 40, 0.0),
        (dp.Correlation("age", "hours"), 40, 0.0),
    ],
)
def test_steps_of_statistics_without_closed_form(
    people: pd.DataFrame, statistic: dp.Statistic, n: int, step: float
) -> None:
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.2)
    model = dp.fit_gaussian(
        people, dp.Query([statistic]), pair, n=n, method="monte-carlo", subsets=20, rng=1
    )
    assert model.steps == pytest.approx([step])


def test_moments_without_steps_have_unknown_ones_that_can_be_given(people: pd.DataFrame) -> None:
    query = dp.Query([dp.Mean("age"), dp.Count("status", "married")])
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.2)
    known = dp.group_moments(people, query, pair.secret)
    bare = {
        pair.secret: dp.model.GroupMoments(
            known.counts, known.means, known.covariances, known.minima, known.maxima
        )
    }
    assert np.isnan(dp.model.model_from_moments(bare, query, [pair], 40).steps).all()
    given_ = dp.model.model_from_moments(bare, query, [pair], 40, steps=[0.025, 1])
    assert given_.steps.tolist() == [0.025, 1]
    with pytest.raises(dp.errors.ModelError, match="2 numbers that are not negative"):
        dp.model.model_from_moments(bare, query, [pair], 40, steps=[-1, 1])
    with pytest.raises(dp.errors.ModelError, match=r"steps of shape \(3, 2\)"):
        dp.model.GroupMoments(
            known.counts,
            known.means,
            known.covariances,
            known.minima,
            known.maxima,
            steps=np.ones((2, 2)),
        )
