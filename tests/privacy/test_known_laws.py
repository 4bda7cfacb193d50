"""The exact laws of a fitted model, and the figures that rest on them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.model import model_from_moments
from distpriv.privacy import exact_law, known_law, known_laws, model_laws

COUNTS = (dp.Count("status", "married"), dp.Proportion("remote", True))


@pytest.fixture(scope="module")
def counted(people: pd.DataFrame, pair: dp.Pair) -> dp.GaussianModel:
    return dp.fit_gaussian(people, dp.Query(COUNTS), pair, 40)


def test_the_law_is_that_of_the_table(
    people: pd.DataFrame, pair: dp.Pair, counted: dp.GaussianModel
) -> None:
    (law,) = model_laws(counted)
    np.testing.assert_array_equal(
        law.probabilities, exact_law(people, dp.Query(COUNTS), pair, 40).probabilities
    )
    assert known_laws(counted) is not None
    assert law.means == pytest.approx(counted.pairs[0].means)


def test_it_is_computed_once_whatever_the_units(counted: dp.GaussianModel) -> None:
    units = np.array([2.0, 0.05])
    (law,), (scaled,) = model_laws(counted), model_laws(counted.in_units(units))
    assert scaled.probabilities is law.probabilities
    assert scaled.steps == pytest.approx(law.steps / units)
    noise = dp.calibrate("OptM", counted, 1.0, 1e-3)
    assert scaled.delivered_delta(noise.in_units(units), 1.0) == pytest.approx(
        law.delivered_delta(noise, 1.0), rel=1e-6
    )


def test_some_of_the_statistics(people: pd.DataFrame, pair: dp.Pair) -> None:
    query = dp.Query([dp.Correlation("age", "hours"), *COUNTS, dp.Mean("age")])
    model = dp.fit_gaussian(people, query, pair, 30, method="monte-carlo", rng=1, subsets=200)
    assert known_law(model.pairs[0]) is None
    turned = model.of_statistics(2, 1)
    (law,) = model_laws(turned)
    expected = exact_law(people, dp.Query(COUNTS[::-1]), pair, 30)
    np.testing.assert_allclose(law.probabilities, expected.probabilities)
    assert dp.delivered_delta(turned, None, 1.0, law=law) > 0


def test_a_model_without_records_has_none(
    people: pd.DataFrame, pair: dp.Pair, counted: dp.GaussianModel
) -> None:
    moments = {pair.secret: dp.group_moments(people, counted.query, pair.secret)}
    model = model_from_moments(moments, counted.query, [pair], 40)
    assert known_laws(model) is None
    with pytest.raises(dp.errors.ModelError, match="needs the records"):
        model_laws(model)


def test_too_many_pairs(people: pd.DataFrame, rich: dp.SensitiveProperty) -> None:
    query = dp.Query([*COUNTS, dp.Count("town", "Ahausen")])
    pairs = [rich.pair(center=0.4, width=width) for width in (0.1, 0.2, 0.3)]
    model = dp.fit_gaussian(people, query, pairs, 150)
    with pytest.raises(dp.errors.ModelError, match="at most 2 pairs"):
        model_laws(model)


def test_figures_by_the_law(counted: dp.GaussianModel) -> None:
    (law,) = model_laws(counted)
    noise = dp.calibrate("OptM", counted, 1.0, 1e-3)
    delta = dp.delivered_delta(counted, noise, 1.0, law=law)
    assert delta == law.delivered_delta(noise, 1.0)
    assert delta == pytest.approx(dp.delivered_delta(counted, noise, 1.0), rel=0.5)
    worst = dp.privacy.worst_case(counted, noise, 1.0, law=[law])
    assert worst.delta == law.delivered_deltas(noise, [1.0])[worst.order, 0]
    assert dp.optimal_attack_accuracy(counted, noise, law=law) == law.optimal_attack_accuracy(noise)
    assert dp.optimal_attack_accuracy(counted, law=law) == law.optimal_attack_accuracy()


@pytest.mark.parametrize("delta", [1e-2, 1e-3, 1e-5])
def test_epsilon_is_the_inverse_of_delta(counted: dp.GaussianModel, delta: float) -> None:
    (law,) = model_laws(counted)
    noise = dp.calibrate("OptM", counted, 0.8, 1e-3)
    epsilon = dp.delivered_epsilon(counted, noise, delta, law=law)
    assert law.delivered_delta(noise, epsilon) <= delta
    assert law.delivered_delta(noise, epsilon * (1 - 1e-3)) > delta
    assert dp.delivered_epsilon(counted, noise, 0.999, law=law) == 0.0


def test_what_only_one_share_allows_has_no_epsilon() -> None:
    """Every rich person is old, so that there is no fewer than there are rich ones."""
    table = pd.DataFrame({"rich": [True, False] * 40, "old": [True, False, True, True] * 20})
    pair = dp.SensitiveProperty("rich").pair(center=0.5, width=0.4)
    model = dp.fit_gaussian(table, dp.Query([dp.Count("old", True)]), pair, 20)
    assert dp.delivered_epsilon(model, None, 1e-3, law=model_laws(model)) == math.inf


def test_a_law_of_something_else_is_refused(
    people: pd.DataFrame, pair: dp.Pair, counted: dp.GaussianModel
) -> None:
    (law,) = model_laws(counted)
    noise = dp.calibrate("OptM", counted, 1.0, 1e-3)
    others = (
        exact_law(people, dp.Query(COUNTS), pair, 41),
        exact_law(people, dp.Query(COUNTS), pair, 40, replacement=True),
        exact_law(people.iloc[:1500], dp.Query(COUNTS), pair, 40),
        law.in_units(np.array([1.0, 2.0])),
    )
    for other in others:
        with pytest.raises(dp.errors.CalibrationError, match="not that of the model"):
            dp.delivered_delta(counted, noise, 1.0, law=other)
    with pytest.raises(dp.errors.CalibrationError, match="as many exact laws, got 2"):
        dp.delivered_epsilon(counted, noise, 1e-3, law=[law, law])
    with pytest.raises(dp.errors.AttackError, match="not that of the model"):
        dp.optimal_attack_accuracy(counted, noise, law=others[0])
    laplace = dp.calibrate("ExpM(L)", counted, 1.0)
    with pytest.raises(dp.errors.CalibrationError, match="Laplace"):
        dp.delivered_delta(counted, laplace, 1.0, law=law)
    moved = replace(counted, n=41)
    with pytest.raises(dp.errors.CalibrationError, match="datasets of 40 records"):
        dp.delivered_delta(moved, noise, 1.0, law=law)
