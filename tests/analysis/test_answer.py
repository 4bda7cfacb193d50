"""The sentences of the answer hold the evaluated scenario's figures, however they are shown."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.answer import answer, error_in_words, pair_in_words
from distpriv.analysis.error_sizes import error_sizes, size_in_words, worst
from distpriv.words import escape, number, percent, plain


@pytest.fixture(scope="module")
def scenario(query: dp.Query, rich: dp.SensitiveProperty) -> dp.Scenario:
    return dp.Scenario(
        secret=rich, query=query, center=0.4, width=0.2, n=60, mechanism="ExpM", epsilon=1.3,
        delta=0.01, tolerances=(2.0, 300.0, 1.5, 0.05), seed=3,
    )  # fmt: skip


def test_every_figure_is_there(scenario: dp.Scenario, people: pd.DataFrame) -> None:
    evaluation = dp.evaluate(scenario, people)
    sentences = plain(answer(evaluation))
    noise = dp.calibrate("ExpM", evaluation.model, 1.3, 0.01)
    undefended = percent(dp.optimal_attack_accuracy(evaluation.model))
    protected = percent(dp.optimal_attack_accuracy(evaluation.model, noise))
    assert "30 % from 50 % of income = high" in sentences
    assert f"in {plain(undefended)} of cases; guessing is right in 50 %" in sentences
    assert f"With ExpM at ε = 1.3 it is right in {plain(protected)}" in sentences
    most = worst(error_sizes(evaluation.model, noise, evaluation.units, valued=True))
    assert f"The noise changes {most.label} most: {plain(size_in_words(most))}" in sentences
    assert "pairs of shares" not in sentences


@pytest.mark.parametrize(
    ("report", "unit"), [("custom", "tolerances"), ("standardised", "standard deviations")]
)
def test_the_error_is_in_the_units_reported(
    scenario: dp.Scenario, people: pd.DataFrame, report: str, unit: str
) -> None:
    evaluation = dp.evaluate(replace(scenario, report=report), people)
    words = plain(error_in_words(evaluation, evaluation.noise))
    assert words == f"{plain(number(evaluation.error))} {unit} in L2"


def test_names_are_made_safe_before_they_are_emphasised(
    scenario: dp.Scenario, people: pd.DataFrame
) -> None:
    loud = people.rename(columns={"income": "in*come"})
    secret = dp.SensitiveProperty("in*come", "high")
    evaluation = dp.evaluate(replace(scenario, secret=secret), loud)
    words = pair_in_words(evaluation, strong=lambda text: f"**{text}**", safe=escape)
    assert words.endswith(f"**{escape('in*come = high')}**")


def test_nothing_to_hide_and_several_pairs(scenario: dp.Scenario, people: pd.DataFrame) -> None:
    alike = dp.evaluate(replace(scenario, n=4, width=0.02), people)
    assert "nothing to tell apart" in answer(alike)
    other = dp.Pair(scenario.secret, 0.5, 0.7)
    several = dp.evaluate(replace(scenario, others=(other,)), people)
    assert "The same noise hides all 2 pairs of shares." in answer(several)
