"""The exact law of a sum, against whole-number counting of all ways to draw it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import distpriv as dp
from distpriv.errors import ModelError
from distpriv.model.theta import Theta
from distpriv.privacy.exact_laws import exact_law
from distpriv.privacy.known_laws import model_laws
from distpriv.privacy.sum_laws import GridValues, sum_laws

SECRET = dp.SensitiveProperty("rich", True)
Groups = tuple[GridValues, GridValues]


def _ways(values: GridValues, draws: int, replacement: bool) -> dict[int, Fraction]:
    """Probability of every sum of some draws from a group."""
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(draws))]
    for place, count in zip(values.places.tolist(), values.counts.tolist(), strict=True):
        longer: list[dict[int, int]] = [{} for _ in range(draws + 1)]
        for drawn, sums in enumerate(ways):
            for total, number in sums.items():
                for hits in range(draws - drawn + 1):
                    more = (
                        math.comb(draws - drawn, hits) * count**hits
                        if replacement
                        else math.comb(count, hits)
                    )
                    key, to = total + hits * place, longer[drawn + hits]
                    to[key] = to.get(key, 0) + number * more
        ways = longer
    size = values.records
    every = size**draws if replacement else math.comb(size, draws)
    return {total: Fraction(number, every) for total, number in ways[draws].items()}


def _expected(groups: Groups, theta: Theta, points: int) -> NDArray[np.float64]:
    law = np.zeros(points)
    values, masses = theta.count_law()
    for having, mass in zip(values.tolist(), masses.tolist(), strict=True):
        parts = [
            _ways(group, draws, theta.replacement)
            for group, draws in zip(groups, (theta.n - having, having), strict=True)
        ]
        for first, p in parts[0].items():
            for second, q in parts[1].items():
                law[first + second] += mass * float(p * q)
    return law


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Groups, int]:
    n = draw(st.integers(2, 9))
    groups = []
    for _ in range(2):
        values = draw(st.lists(st.integers(0, 7), min_size=n, max_size=20))
        places, counts = np.unique(values, return_counts=True)
        groups.append(GridValues(places.astype(np.int64), counts))
    return (groups[0], groups[1]), n


@settings(max_examples=40, deadline=None)
@given(_cases(), st.booleans(), st.booleans(), st.sampled_from([(0.2, 0.5), (0.0, 1.0)]))
def test_sum_laws_count_every_way_to_draw(
    case: tuple[Groups, int], replacement: bool, random: bool, shares: tuple[float, float]
) -> None:
    groups, n = case
    table = sum(group.records for group in groups) if random else None
    thetas = (
        Theta(SECRET, shares[0], n, replacement, table),
        Theta(SECRET, shares[1], n, replacement, table),
    )
    found = sum_laws(groups, thetas)
    for theta, law in zip(thetas, found.probabilities, strict=True):
        expected = _expected(groups, theta, 7 * n + 1)
        shown = np.zeros(7 * n + 1 + len(law))
        shown[found.first : found.first + len(law)] = law
        np.testing.assert_allclose(shown[: len(expected)], expected, atol=1e-14)
        assert not shown[len(expected) :].any()


def test_sum_laws_of_a_group_taken_almost_whole() -> None:
    """Newton's identities are taken of the few records that are left out."""
    values = GridValues(np.arange(6), np.array([5, 3, 9, 2, 4, 7]))
    theta = Theta(SECRET, 0.9, 30)
    found = sum_laws((values, values), (theta, theta))
    expected = _expected((values, values), theta, 151)
    law = found.probabilities[0]
    np.testing.assert_allclose(
        law, expected[found.first : found.first + len(law)], rtol=1e-9, atol=1e-15
    )


def test_exact_law_of_a_mean_of_a_column_in_cents(people: pd.DataFrame, pair: dp.Pair) -> None:
    table = people.assign(price=people["age"] * 0.25 + 1.99)
    query = dp.Query([dp.Mean("price")])
    model = dp.fit_gaussian(table, query, pair, n=40)
    (law,) = model_laws(model)
    assert law.steps == pytest.approx([0.25 / 40])
    np.testing.assert_allclose(law.means, model.pairs[0].means)
    (whole,) = model_laws(dp.fit_gaussian(people, dp.Query([dp.Sum("age")]), pair, n=40))
    for deviation in (0.01, 0.3):
        noise = dp.Noise("ExpM", "gaussian", np.eye(1), np.array([deviation]), 1.0, 1e-3)
        same = dp.Noise("ExpM", "gaussian", np.eye(1), np.array([deviation * 160]), 1.0, 1e-3)
        assert law.delivered_delta(noise, 1.0) == pytest.approx(
            whole.delivered_delta(same, 1.0), rel=2e-3, abs=2e-9
        )


def test_exact_law_of_a_column_without_a_grid_is_refused(pair: dp.Pair) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"x": rng.normal(size=90), "income": ["high", "low", "low"] * 30})
    with pytest.raises(ModelError, match="on no grid"):
        exact_law(table, dp.Query([dp.Mean("x")]), pair, 20)


@pytest.mark.adult
def test_exact_law_refutes_the_normals_of_capital_gain(adult: pd.DataFrame) -> None:
    """SPEC 15.5: mean capital-gain, 10/30 %, (2, 1e-4) delivers 2.9 times δ at n = 50."""
    pair = dp.SensitiveProperty("income", ">50K").pair(center=0.2, width=0.2)
    query = dp.Query([dp.Mean("capital-gain")])
    model = dp.fit_gaussian(adult, query, pair, n=50, replacement=True)
    noise = dp.calibrate("OptM", model, epsilon=2.0, delta=1e-4)
    (law,) = model_laws(model)
    assert law.delivered_delta(noise, 2.0) / 1e-4 == pytest.approx(2.9, abs=0.1)


@pytest.mark.adult
def test_exact_law_refutes_the_normals_of_husbands(adult: pd.DataFrame) -> None:
    """SPEC 15.5: count Husband, secret Female 20/30 %, n = 50, (4, 1e-4): 3.6 times δ."""
    pair = dp.SensitiveProperty("sex", "Female").pair(center=0.25, width=0.1)
    query = dp.Query([dp.Count("relationship", "Husband")])
    model = dp.fit_gaussian(adult, query, pair, n=50)
    noise = dp.calibrate("OptM", model, epsilon=4.0, delta=1e-4)
    (law,) = model_laws(model)
    assert law.delivered_delta(noise, 4.0) / 1e-4 == pytest.approx(3.6, abs=0.1)
