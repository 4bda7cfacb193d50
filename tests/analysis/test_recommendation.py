"""The mechanism to take: at one attack accuracy, the least error that keeps its promise."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.recommendation import (
    Recommendation,
    candidates,
    down,
    recommended_in_words,
)


@pytest.fixture(scope="module")
def scenario(rich: dp.SensitiveProperty, query: dp.Query) -> dp.Scenario:
    return dp.Scenario(
        secret=rich, query=query, center=0.4, width=0.2, n=60, epsilon=1.0, delta=1e-3
    )


@pytest.fixture(scope="module")
def found(scenario: dp.Scenario, people: pd.DataFrame) -> Recommendation:
    return dp.analysis.recommend(dp.evaluate(scenario, people))


def test_it_is_ranked_at_equal_attack_accuracy(
    scenario: dp.Scenario, people: pd.DataFrame, found: Recommendation
) -> None:
    evaluation = dp.evaluate(scenario, people)
    assert found.limit.value == pytest.approx(evaluation.accuracy, abs=1e-6)
    for choice in found.design.choices:
        assert choice.reached == pytest.approx(found.limit.value, abs=2e-3)
    best = found.best
    assert best is not None
    kept = [each.error for each in found.design.choices if evaluation.promise_of(each.noise).kept]
    assert best.error == min(kept)
    # At equal ε noise that protects less may err less, which is no reason to take it.
    assert best.mechanism == "OptM"


@pytest.mark.parametrize("own", ["ExpM", "DirM(L)", "DP", "Wasserstein"])
def test_whatever_is_chosen_the_same_is_recommended_at_the_same_limit(
    scenario: dp.Scenario, people: pd.DataFrame, found: Recommendation, own: str
) -> None:
    evaluation = dp.evaluate(replace(scenario, mechanism=own, epsilon=0.7), people)
    other = dp.analysis.recommend(evaluation, found.limit)
    assert found.best is not None
    assert other.best is not None
    assert other.best.mechanism == found.best.mechanism
    assert other.best.epsilon == pytest.approx(found.best.epsilon, rel=1e-3)


def test_a_tie_keeps_the_own_mechanism(
    scenario: dp.Scenario, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that is the same in words is no reason to change the mechanism."""
    evaluation = dp.evaluate(replace(scenario, mechanism="EigM"), people)
    design = dp.analysis.recommend(evaluation).design
    least, own = (
        next(choice for choice in design.choices if choice.mechanism == name)
        for name in ("OptM", "EigM")
    )
    for more, expected in ((1.004, "EigM"), (1.006, "OptM")):
        tied = replace(own, error=least.error * more)
        made = replace(design, choices=(least, tied))
        monkeypatch.setattr("distpriv.analysis.recommendation.choose", lambda *_, d=made, **__: d)
        best = dp.analysis.recommend(evaluation).best
        assert best is not None
        assert best.mechanism == expected


def test_the_own_mechanism_takes_part_if_it_protects(
    scenario: dp.Scenario, people: pd.DataFrame
) -> None:
    def offered(own: str) -> list[str]:
        return candidates(dp.evaluate(replace(scenario, mechanism=own), people))

    assert "OptM" in offered("OptM")
    assert "GroupDP" in offered("GroupDP")
    assert "GroupDP" not in offered("OptM")
    assert "DP" not in offered("DP")
    assert "CoupM" not in offered("CoupM")


def test_what_does_not_keep_its_promise_is_not_recommended(
    scenario: dp.Scenario, people: pd.DataFrame
) -> None:
    evaluation = dp.evaluate(replace(scenario, calibration="classical", epsilon=0.9), people)
    found = dp.analysis.recommend(evaluation)
    for choice in found.design.choices:
        if found.best is not None and choice.error < found.best.error:
            assert not evaluation.promise_of(choice.noise).kept
    unkept = Recommendation(found.design, None)
    assert unkept.first is found.design.choices[0]
    said = recommended_in_words(evaluation, unkept)
    assert "no mechanism keeps its promise, as computed" in said


def test_in_words(scenario: dp.Scenario, people: pd.DataFrame) -> None:
    own = dp.evaluate(scenario, people)
    said = recommended_in_words(own, dp.analysis.recommend(own), strong=lambda text: f"*{text}*")
    assert said.startswith("*OptM* is recommended: at the same attack accuracy")
    other = dp.evaluate(replace(scenario, mechanism="ExpM"), people)
    found = dp.analysis.recommend(other)
    assert found.best is not None
    said = recommended_in_words(other, found, statistic=0)
    assert f"OptM at ε\u00a0=\u00a0{down(found.best.epsilon)} is recommended" in said
    assert "this one is then" in said
    assert "instead of" in said


def test_where_no_noise_is_needed_none_is_recommended(
    scenario: dp.Scenario, people: pd.DataFrame
) -> None:
    evaluation = dp.evaluate(scenario, people)
    found = dp.analysis.recommend(evaluation, dp.Limit("accuracy", 0.999))
    assert found.design.needs_no_noise
    assert found.best is found.first is None
    assert "no noise is needed" in recommended_in_words(evaluation, found)


def test_a_limit_that_nothing_keeps(scenario: dp.Scenario, people: pd.DataFrame) -> None:
    with pytest.raises(dp.errors.HypothesisError, match="nearest that can be kept"):
        dp.analysis.recommend(dp.evaluate(scenario, people), dp.Limit("accuracy", 0.5))


@pytest.mark.parametrize(("value", "said"), [(1.2399, "1.23"), (250.0, "100"), (0.5, "0.5")])
def test_an_epsilon_is_rounded_down(value: float, said: str) -> None:
    assert down(value) == said
