"""The verdict of the first screen: each of its answers, and the count of a hundred."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.analysis.design import Limit
from distpriv.analysis.recommendation import recommend
from distpriv.analysis.verdict import (
    last_digits_in_words,
    of_hundred,
    right_of_hundred,
    verdict_in_words,
)


@pytest.fixture(scope="module")
def said(
    rich: dp.SensitiveProperty, query: dp.Query, people: pd.DataFrame
) -> Callable[..., tuple[dp.Evaluation, str]]:
    scenario = dp.Scenario(
        secret=rich, query=query, center=0.4, width=0.2, n=60, epsilon=1.0, delta=1e-3
    )

    def say(**changes: object) -> tuple[dp.Evaluation, str]:
        evaluation = dp.evaluate(replace(scenario, **changes), people)
        return evaluation, verdict_in_words(evaluation).replace("\u00a0", " ")

    return say


@given(st.floats(0, 1))
def test_a_hundred_stands_for_certainty_alone(accuracy):
    assert abs(of_hundred(accuracy) - 100 * accuracy) <= 1
    assert (of_hundred(accuracy) == 100) == (accuracy == 1)
    assert right_of_hundred(accuracy).startswith("more than 99") == (0.995 <= accuracy < 1)


def test_what_an_attacker_achieves_without_and_with_the_noise(said):
    evaluation, text = said()
    assert text.startswith("Not without noise:")
    assert right_of_hundred(evaluation.undefended) in text
    assert f"With OptM, ε = 1 it is {right_of_hundred(evaluation.accuracy)}." in text


def test_the_recommended_mechanism_is_recommended_and_another_is_named(said):
    for name in ("OptM", "ExpM"):
        evaluation, _ = said(mechanism=name)
        found = recommend(evaluation, Limit("accuracy", evaluation.accuracy))
        text = verdict_in_words(evaluation, found).replace("\u00a0", " ")
        assert found.best is not None
        assert f"We recommend {found.best.mechanism}, ε = " in text
        assert ("error" in text) == (found.best.mechanism != name)


def test_two_shares_of_the_same_records_leave_nothing_to_tell(said):
    assert said(n=4, width=0.01, center=0.5)[1].startswith("There is nothing to tell apart.")


def test_a_release_that_needs_no_noise_is_safe_as_it_is(said):
    evaluation, text = said(epsilon=60.0)
    assert evaluation.noise.is_zero
    assert text.startswith("Yes, as it is.")


def test_last_digits_that_give_the_share_away_are_named(said):
    assert last_digits_in_words(said()[0].fit) == ""
    rng = np.random.default_rng(0)
    sale = np.where(rng.random(2000) < 0.5, "yes", "no")
    prices = np.round(rng.integers(5, 50, 2000) - 0.01 * (sale == "yes"), 2)
    table = pd.DataFrame({"price": prices, "sale": sale})
    scenario = dp.Scenario(
        secret=dp.SensitiveProperty("sale", "yes"),
        query=dp.Query([dp.Mean("price")]),
        center=0.5,
        width=0.1,
        n=110,
        epsilon=4.0,
        delta=1e-3,
    )
    evaluation = dp.evaluate(scenario, table)
    text = verdict_in_words(evaluation)
    assert "right 100 of 100 times" in text
    assert "The last digits give the share away." in text
    assert evaluation.kept
    found = recommend(evaluation, Limit("accuracy", evaluation.accuracy))
    assert "smaller" not in verdict_in_words(evaluation, found)
    pair = evaluation.fit.pair
    random = dp.fit_gaussian(table, scenario.query, pair, n=110, share_of="table")
    assert "may tell how many" in last_digits_in_words(random.pairs[0])


def test_noise_that_arithmetic_takes_off_does_not_help(said):
    evaluation, _ = said(mechanism="DirM")
    bare = dp.calibrate("DirM", evaluation.model, epsilon=1.0, delta=1e-3, grid_safe=False)
    undone = replace(evaluation, calibrated={"DirM": bare})
    assert undone.undone
    assert "arithmetic takes its noise off again" in verdict_in_words(undone)
