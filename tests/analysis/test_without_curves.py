"""Whether a promise needs normal curves, and what it costs to do without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.without_curves import (
    BY_LAW,
    CurvePrice,
    curve_price,
    price_in_words,
    refused_in_words,
)
from distpriv.mechanisms.assumptions import Assumption
from distpriv.tables.examples import load_census_income
from distpriv.words import number

RICH = dp.SensitiveProperty("income", ">50K")
COUNTS = dp.Query([dp.Count("marital-status", "Never-married"), dp.Count("sex", "Female")])
SCENARIO = dp.Scenario(secret=RICH, query=COUNTS, n=60, width=0.1, mechanism="OptM")


@pytest.fixture(scope="module")
def census() -> pd.DataFrame:
    return load_census_income()


@pytest.fixture(scope="module")
def price(census: pd.DataFrame) -> CurvePrice:
    return curve_price(dp.evaluate(SCENARIO, census))


def priced(census: pd.DataFrame, **changes: object) -> CurvePrice:
    return curve_price(dp.evaluate(replace(SCENARIO, **changes), census))


def test_the_price_in_error_is_that_of_the_two_noises(price: CurvePrice) -> None:
    model = price.evaluation.model
    assert price.relying is not None
    assert price.without is not None
    for one in (price.relying, price.without):
        alone = dp.calibrate(one.mechanism, model, 1.0, 1e-3)
        assert one.error == pytest.approx(alone.expected_error())
    assert price.relying.mechanism == "OptM"
    assert price.relying.assumes == (Assumption.GAUSSIAN,)
    assert price.without.mechanism == "CoupM"
    assert price.without.assumes == ()
    assert price.without.error > price.relying.error
    assert [one.mechanism for one in price.beside] == ["ExpM", "GroupDP"]


@pytest.mark.parametrize("mechanism", ["OptM", "GroupDP", "ExpM", "ExpM(L)"])
def test_the_price_in_epsilon_has_the_error_of_the_other(
    census: pd.DataFrame, mechanism: str
) -> None:
    price = priced(census, mechanism=mechanism)
    assert price.epsilon is not None
    assert price.relying is not None
    there = dp.calibrate("CoupM", price.evaluation.model, price.epsilon, 1e-3)
    assert there.expected_error() == pytest.approx(price.relying.error, rel=1e-3)
    assert price.relying.mechanism == ("OptM" if mechanism == "GroupDP" else mechanism)


def test_errors_are_counted_as_the_scenario_reports_them(census: pd.DataFrame) -> None:
    price = priced(census, report="standardised", units="standardised")
    evaluation = price.evaluation
    assert price.without is not None
    noise = dp.calibrate("CoupM", evaluation.model, 1.0, 1e-3, units=evaluation.sizes)
    scaled = noise.in_units(evaluation.model.standard_deviations).expected_error()
    assert price.without.error == pytest.approx(scaled)
    said = price_in_words(price).replace("\u00a0", " ")
    assert "has a total error of" in said
    assert "standard deviations" in said


def test_no_noise_is_beaten_at_no_epsilon(census: pd.DataFrame) -> None:
    price = priced(census, epsilon=8.0)
    assert price.relying is not None
    assert price.relying.error == 0
    assert price.epsilon is None
    assert "takes no noise here" in price_in_words(price)


def test_what_rests_on_no_curve_is_not_told_to_change(census: pd.DataFrame) -> None:
    for mechanism in ("CoupM", "GroupDP"):
        price = priced(census, mechanism=mechanism, n=10, width=0.2)
        assert price.refused
        assert price.advised is None
        assert f"The promise of {mechanism} rests on no curve" in price_in_words(price)
    # One without a promise about the share is not held up as one that needs no curve.
    assert "The promise of OptM" in price_in_words(priced(census, mechanism="DP"))


def test_few_steps_refuse_the_curve(census: pd.DataFrame, price: CurvePrice) -> None:
    assert price.refused == ()
    assert price.advised is None
    assert "the curves hold here" in refused_in_words(price)
    few = priced(census, n=10, width=0.2)
    steps = np.sqrt(np.diag(few.evaluation.fit.pooled)).min()
    assert any(f"is {steps:.3g} of its steps only" in reason for reason in few.refused)
    advised = few.advised
    assert advised is not None
    assert (advised.mechanism, advised.noise.calibration) == ("OptM", BY_LAW)


def test_a_statistic_without_steps_moves_in_none(census: pd.DataFrame) -> None:
    table = census.assign(wage=np.random.default_rng(3).normal(size=len(census)))
    query = dp.Query([dp.Mean("wage")])
    price = curve_price(dp.evaluate(replace(SCENARIO, query=query, n=40), table))
    assert not any("steps" in reason for reason in price.refused)


def test_a_statistic_that_is_no_sum_has_no_coupm(census: pd.DataFrame) -> None:
    price = priced(census, query=dp.Query([dp.Median("age")]), n=30)
    assert price.without is None
    assert price.epsilon is None
    assert "median age" in price.refusal
    assert "does not apply here: the coupling bound" in price_in_words(price)


def test_the_exact_law_is_priced_where_it_is_known(census: pd.DataFrame, price: CurvePrice) -> None:
    law = price.by_law
    assert law is not None
    assert law.assumes == ()
    alone = dp.calibrate("OptM", price.evaluation.model, 1.0, 1e-3, BY_LAW)
    assert law.error == pytest.approx(alone.expected_error())
    assert law.title == "OptM by the exact law"
    assert "OptM by the exact law needs no curve either" in price_in_words(price)
    own = priced(census, calibration=BY_LAW)
    assert own.advised is None
    assert own.relying is not None
    assert own.relying.noise.calibration == "guarded"


def test_the_sentence_names_price_and_epsilon(price: CurvePrice) -> None:
    sentence = price_in_words(price, strong=lambda text: f"**{text}**")
    assert "The promise of OptM rests on normal curves; **CoupM**" in sentence
    assert price.without is not None
    assert f"**{number(price.without.error)}**" in sentence
    assert "in place of 1" in sentence
