"""Attackers who know some of the records: in closed form, simulated, and in words."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.attacks.knowledge import partial_knowledge_in_words
from distpriv.model import KnownRecords, Theta, conditional_model


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("share_of", ["release", "table"])
def test_conditional_model_agrees_with_drawing_the_other_records(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, replacement: bool, share_of: str
) -> None:
    model = dp.fit_gaussian(people, query, pair, 60, replacement=replacement, share_of=share_of)
    conditional = conditional_model(model, 20)
    groups = dp.record_groups(people, query, pair.secret)
    scales = query.scales(60) / query.scales(40)
    means = []
    for theta, covariance in zip(
        model.pairs[0].thetas, conditional.pairs[0].covariances, strict=True
    ):
        unknown = KnownRecords(10, 10).unknown(theta)
        drawn = scales * dp.model.simulate(groups, query, unknown, 20_000, np.random.default_rng(4))
        means.append(drawn.mean(axis=0))
        deviations = np.sqrt(np.diag(covariance))
        away = (np.cov(drawn, rowvar=False) - covariance) / np.outer(deviations, deviations)
        # The known records are gone from the table that the others come from: 20 of some 1000.
        assert np.abs(away).max() < 0.05
    apart = conditional.pairs[0].difference
    deviations = np.sqrt(np.diag(conditional.pairs[0].pooled))
    np.testing.assert_allclose(apart / deviations, (means[0] - means[1]) / deviations, atol=0.05)


def test_known_records_leave_the_difference_of_a_share_of_the_release(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    model = dp.fit_gaussian(people, query, pair, 60, replacement=True)
    conditional = conditional_model(model, 30)
    np.testing.assert_allclose(conditional.pairs[0].difference, model.pairs[0].difference)
    halves = conditional_model(model, 30).pairs[0].pooled / model.pairs[0].pooled
    np.testing.assert_allclose(np.diag(halves), 0.5, rtol=0.05)
    assert conditional_model(model, 0) is model


def test_whoever_knows_more_is_right_more_often(
    model: dp.GaussianModel, people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    accuracies = [
        dp.optimal_attack_accuracy(model, noise, known_records=known)
        for known in (0, model.n // 4, model.n // 2)
    ]
    assert accuracies == sorted(accuracies)
    assert accuracies[0] == dp.optimal_attack_accuracy(model, noise)
    assert accuracies[2] > accuracies[0] + 1e-3


def test_simulated_attacker_who_knows_records_reaches_the_closed_form(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    model = dp.fit_gaussian(people, query, pair, 60, replacement=True)
    result = dp.run_attack(
        people, query, pair, 60, {"none": None}, replacement=True, classifier="qda", rng=1,
        shadows=8000, tests=4000, repetitions=4, split=False, known_records=40,
    )  # fmt: skip
    best = dp.optimal_attack_accuracy(model, known_records=40)
    assert result.accuracy["none"].mean() == pytest.approx(best, abs=0.015)
    assert best > dp.optimal_attack_accuracy(model) + 0.03


def test_known_records_come_half_from_each_group_as_far_as_they_are_common(
    rich: dp.SensitiveProperty,
) -> None:
    thetas = (Theta(rich, 0.1, 50), Theta(rich, 0.3, 50))
    assert KnownRecords.of(thetas, 8) == KnownRecords(4, 4)
    assert KnownRecords.of(thetas, 30) == KnownRecords(25, 5)
    with pytest.raises(dp.errors.ModelError, match="at most 40 of the 50 records"):
        KnownRecords.of(thetas, 41)
    with pytest.raises(dp.errors.ModelError, match="all but 1"):
        KnownRecords(39, 10).unknown(thetas[0])


def test_known_records_of_other_statistics_are_refused(
    people: pd.DataFrame, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    query = dp.Query([dp.Median("age")])
    median = dp.fit_gaussian(people, query, pair, 40, method="monte-carlo", subsets=50, rng=1)
    with pytest.raises(dp.errors.ModelError, match="sums over the records"):
        conditional_model(median, 10)
    with pytest.raises(dp.errors.AttackError, match="sums over the records"):
        dp.run_attack(people, query, pair, 40, {"none": None}, known_records=10)
    assert "can learn more" in partial_knowledge_in_words(median, None)


def test_partial_knowledge_is_told_with_figures(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    sentence = partial_knowledge_in_words(model, noise)
    hidden = 100 * dp.optimal_attack_accuracy(model, noise, known_records=model.n // 2)
    bare = 100 * dp.optimal_attack_accuracy(model, known_records=model.n // 2)
    figures = [float(figure) for figure in re.findall(r"\d+\.\d+|\d\d(?= times)", sentence)]
    assert figures == pytest.approx([hidden, bare], abs=0.06)


@pytest.mark.adult
def test_partial_knowledge_on_adult(adult_income: dp.GaussianModel) -> None:
    optimal = dp.calibrate("OptM", adult_income, 1.0, 1e-3)
    everywhere = dp.calibrate("ExpM", adult_income, 1.0, 1e-3)
    found = [
        [100 * dp.optimal_attack_accuracy(adult_income, noise, known_records=known)
         for known in (0, 50, 80, 90)]
        for noise in (optimal, everywhere)
    ]  # fmt: skip
    assert found[0] == pytest.approx([57.4, 57.8, 59.2, 62.2], abs=0.06)
    assert found[1] == pytest.approx([57.2, 57.4, 57.6, 57.7], abs=0.06)
