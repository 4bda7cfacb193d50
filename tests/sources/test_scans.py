"""The two scans keep their digits, and no record escapes the grid."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import distpriv as dp
from distpriv.sources import scans

GROUP = dp.SensitiveProperty("group", "b")


def exact(values: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Mean and variance of doubles without rounding."""
    numbers = [Fraction(float(value)) for value in values]
    mean = sum(numbers) / len(numbers)
    return float(mean), float(sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1))


@pytest.mark.parametrize("engine", ["parquet", "postgres", "spark"])
@pytest.mark.parametrize(
    ("offset", "outlier"), [(0.0, 0.0), (1e9, 0.0), (1e15, 0.0), (0.0, 1e12), (1e9, 1e13)]
)
def test_offsets_and_outliers_cost_no_digits(
    opened: Callable[..., Any], engine: str, offset: float, outlier: float
) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=3000) + offset
    values[17] += outlier
    groups = np.array(["a", "b", "b"])[rng.integers(3, size=3000)]
    source = opened(engine, pa.table({"value": values, "group": groups}))
    found = source.group_moments(dp.Query([dp.Mean("value")]), GROUP)
    for place, group in enumerate(("a", "b")):
        mean, variance = exact(values[groups == group])
        assert found.means[place, 0] == pytest.approx(mean, rel=1e-13)
        assert found.covariances[place, 0, 0] == pytest.approx(variance, rel=1e-12)


def test_whole_numbers_add_up_without_rounding(opened: Callable[..., Any]) -> None:
    rng = np.random.default_rng(4)
    values = rng.integers(0, 1000, 20_000) + 10**9
    groups = np.array(["a", "b"])[rng.integers(2, size=20_000)]
    source = opened("parquet", pa.table({"value": values, "group": groups}))
    query = dp.Query([dp.Sum("value")])
    found = source.group_moments(query, GROUP)
    for place, group in enumerate(("a", "b")):
        mean, variance = exact(values[groups == group])
        assert found.means[place, 0] == pytest.approx(mean, rel=3e-16)
        assert found.covariances[place, 0, 0] == pytest.approx(variance, rel=3e-15)
    answer, count = dp.sources.source_of(source).answer(query, GROUP, entropy=random.Random(1))
    assert (answer[0], count) == (float(values.sum()), 20_000)


@pytest.mark.parametrize(
    "late",
    [np.array([3.0]), np.array([2.5]), np.array([0.01, 7.0]), np.array([np.pi])],
    ids=["odd", "half", "cents", "none"],
)
def test_records_off_the_grid_of_the_first_ones_are_found(
    opened: Callable[..., Any], late: np.ndarray[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first records move in steps of 4, and few of the last ones do not."""
    monkeypatch.setattr(scans, "PROBE", 500)
    rng = np.random.default_rng(5)
    values = 4.0 * rng.integers(0, 50, 4000)
    groups = np.array(["a", "b"])[rng.integers(2, size=4000)]
    values[-len(late) :], groups[-len(late) :] = late, "b"
    table = pa.table({"value": values, "group": groups})
    query = dp.Query([dp.Mean("value")])
    found = opened("parquet", table).group_moments(query, GROUP)
    known = opened("memory", table).group_moments(query, GROUP)
    np.testing.assert_allclose(found.steps, known.steps, rtol=1e-9)


def test_columns_that_hold_each_other_move_further(
    opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scans, "PROBE", 500)
    rng = np.random.default_rng(6)
    points = rng.integers(0, 30, 4000)
    even = np.where(points % 2 == 0, "yes", "no")
    groups = np.array(["a", "b"])[rng.integers(2, size=4000)]
    table = pa.table({"points": points, "even": even, "group": groups})
    query = dp.Query([dp.Sum("points"), dp.Count("even", "yes")])
    found = opened("parquet", table).group_moments(query, GROUP)
    known = opened("memory", table).group_moments(query, GROUP)
    assert known.steps[2, 0] == 2
    np.testing.assert_array_equal(found.steps, known.steps)


def test_a_density_has_no_grid(opened: Callable[..., Any]) -> None:
    rng = np.random.default_rng(7)
    table = pa.table(
        {
            "value": rng.normal(size=12_000),
            "group": np.array(["a", "b"])[rng.integers(2, size=12_000)],
        }
    )
    query = dp.Query([dp.Mean("value")])
    assert (opened("parquet", table).group_moments(query, GROUP).steps == 0).all()


@pytest.mark.parametrize(("value", "said"), [(np.inf, "infinite value"), (1e200, "too large")])
def test_what_cannot_be_squared_is_refused(
    opened: Callable[..., Any], value: float, said: str
) -> None:
    table = pa.table({"value": [1.0, 2.0, value, 3.0], "group": ["a", "a", "b", "b"]})
    with pytest.raises(dp.DistprivError, match=said):
        opened("parquet", table).group_moments(dp.Query([dp.Mean("value")]), GROUP)


def test_groups_of_one_record_have_no_spread(opened: Callable[..., Any]) -> None:
    table = pa.table({"value": [1.0, 2.5, 4.0], "group": ["a", "a", "b"]})
    query = dp.Query([dp.Mean("value")])
    found = opened("parquet", table).group_moments(query, GROUP)
    known = opened("memory", table).group_moments(query, GROUP)
    assert found.counts == (2, 1)
    np.testing.assert_array_equal(found.covariances, known.covariances)
    np.testing.assert_array_equal(found.steps, known.steps)


@pytest.mark.parametrize("engine", ["parquet", "postgres", "spark"])
def test_engines_find_the_cosets_that_memory_finds(
    opened: Callable[..., Any], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prices a cent lower in one group; points that are even together with a flag there."""
    monkeypatch.setattr(scans, "PROBE", 500)
    rng = np.random.default_rng(8)
    having, flag = rng.integers(2, size=4000), rng.integers(2, size=4000)
    table = pa.table(
        {
            "price": np.round(rng.integers(1, 90, 4000) - 0.01 * having, 2),
            "points": 2 * rng.integers(0, 9, 4000) + (flag ^ having),
            "flag": np.array(["up", "down"])[flag],
            "group": np.array(["a", "b"])[having],
        }
    )
    query = dp.Query([dp.Mean("price"), dp.Mean("points"), dp.Count("flag", "up")])
    source, known = opened(engine, table), opened("memory", table)
    pair = GROUP.pair(0.5, 0.1)
    models = [dp.fit_gaussian(each, query, pair, n=110) for each in (source, known)]
    np.testing.assert_allclose(models[0].offsets, models[1].offsets, rtol=1e-9)
    np.testing.assert_allclose(models[1].offsets, [0.001, 0.0, 0.0], rtol=1e-9, atol=1e-15)
    for places, apart in (((0,), True), ((1,), False), ((2,), False), ((1, 2), True)):
        assert [model.of_statistics(*places).apart for model in models] == [apart, apart]
        part = dp.Query([query.statistics[place] for place in places])
        assert dp.fit_gaussian(source, part, pair, n=110).apart == apart
    samples = [each.sample(query, GROUP, 300, 1).of_columns([2, 1]) for each in (source, known)]
    assert [sample.cosets.order(2) for sample in samples] == [2, 2]
