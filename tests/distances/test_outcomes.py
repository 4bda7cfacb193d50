"""Exact and simulated outcomes, against enumeration and against each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.distances.outcomes import Outcomes

PLACES = np.array([1.0, 2.0, 3.0, 100.0])
FIGURE_1 = Outcomes(
    (PLACES, PLACES),
    (np.array([0.6, 0.2, 0.0, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])),
    exact=True,
)


def test_figure_1() -> None:
    assert FIGURE_1.closeness() == 97
    assert FIGURE_1.closeness(0.1) == 1
    assert FIGURE_1.in_units(np.array([2.0])).closeness() == 48.5
    assert FIGURE_1.in_units(np.array([2.0])) is FIGURE_1.in_units(np.array([2.0]))


def test_the_reach_of_figure_1() -> None:
    """Under ν the mean is 11.6: 100 is 88.4 away with probability 0.1."""
    first = PLACES @ np.array([0.6, 0.2, 0.0, 0.2])
    assert FIGURE_1.deviation(0.05) == pytest.approx(100 - 11.6)
    assert FIGURE_1.deviation(0.3) == pytest.approx(first - 1)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("statistic", [dp.Count("sex", "F"), dp.Proportion("sex", "F")])
def test_a_count_against_every_subset(replacement: bool, statistic: dp.Statistic) -> None:
    table = pd.DataFrame({"sex": list("FFMFMMMF"), "rich": [True] * 4 + [False] * 4})
    rich = dp.SensitiveProperty("rich")
    query = dp.Query([statistic])
    model = dp.fit_gaussian(table, query, dp.Pair(rich, 0.25, 0.75), n=4, replacement=replacement)
    outcomes = model.pairs[0].outcomes
    assert outcomes is not None
    assert outcomes.exact
    women = (table["sex"] == "F").to_numpy()
    having, without = range(4), range(4, 8)
    for index, k in enumerate((1, 3)):
        found: dict[float, float] = {}
        for one in _draws(having, k, replacement):
            for other in _draws(without, 4 - k, replacement):
                value = round(women[[*one, *other]].sum() * query.scales(4)[0], 9)
                found[value] = found.get(value, 0) + 1
        total = sum(found.values())
        points, weights = outcomes.points[index][:, 0], outcomes.weights[index]
        assert dict(zip(np.round(points, 9), weights, strict=True)) == pytest.approx(
            {value: ways / total for value, ways in found.items()}
        )


def _draws(group: range, size: int, replacement: bool) -> Iterator[tuple[int, ...]]:
    if replacement:
        return itertools.product(group, repeat=size)
    return itertools.combinations(group, size)


def test_exact_and_simulated_counts_agree(people, rich: dp.SensitiveProperty) -> None:
    query, pair = dp.Query([dp.Count("town", "Ahausen")]), rich.pair(0.5, 0.2)
    exact = dp.fit_gaussian(people, query, pair, n=60).pairs[0].outcomes
    run = dp.fit_gaussian(people, query, pair, n=60, method="monte-carlo", subsets=20_000, rng=3)
    simulated = run.pairs[0].outcomes
    assert exact is not None
    assert simulated is not None
    assert not simulated.exact
    for index in range(2):
        values, counts = np.unique(simulated.points[index], return_counts=True)
        expected = dict(zip(exact.points[index][:, 0], exact.weights[index], strict=True))
        for value, count in zip(values, counts, strict=True):
            assert count / 20_000 == pytest.approx(expected[value], abs=0.02)
    assert simulated.closeness(0.1) == pytest.approx(exact.closeness(0.1), abs=1)


def test_other_queries_have_no_exact_outcomes(people, rich: dp.SensitiveProperty) -> None:
    for query in (
        dp.Query([dp.Mean("age")]),
        dp.Query([dp.Count("town", "Ahausen"), dp.Mean("age")]),
    ):
        assert dp.fit_gaussian(people, query, rich.pair(0.5, 0.2), n=60).pairs[0].outcomes is None


def test_some_of_the_statistics() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 3)) + 1
    both = Outcomes((x, y)).of_statistics([2, 0])
    assert both.closeness(0.1) == dp.closeness(x[:, [2, 0]], y[:, [2, 0]], 0.1)


def test_too_few_simulations_for_a_rare_event() -> None:
    rng = np.random.default_rng(1)
    outcomes = Outcomes((rng.normal(size=(100, 2)), rng.normal(size=(100, 2))))
    assert outcomes.deviation(0.01) > 0
    with pytest.raises(dp.errors.CalibrationError, match="take at least 2000 of them"):
        outcomes.deviation(5e-4)


def test_points_of_another_dimension() -> None:
    with pytest.raises(dp.errors.DistanceError, match="got 1 for x and 2 for y"):
        Outcomes((np.zeros(3), np.zeros((3, 2))))
