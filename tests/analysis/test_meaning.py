"""What an ε means, in figures and in sentences."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.meaning import in_a_line, meaning, reading, said
from distpriv.attacks import draws_to_match, records_to_match, share_belief
from distpriv.errors import ScenarioError
from distpriv.privacy import gaussian_dp

QUERY = dp.Query([dp.Mean("age"), dp.Sum("hours"), dp.Count("status", "married")])
SCENARIO = dp.Scenario(
    secret=dp.SensitiveProperty("income", "high"), query=QUERY, center=0.4, width=0.2, n=60,
    mechanism="OptM", epsilon=1.0, delta=0.01,
)  # fmt: skip


def of(people: pd.DataFrame, prior: float = 0.5, **changed: object):
    return meaning(dp.evaluate(replace(SCENARIO, **changed), people), prior)


def test_it_is_what_the_parts_say(people: pd.DataFrame) -> None:
    evaluation = dp.evaluate(SCENARIO, people)
    found = meaning(evaluation, 0.3)
    assert (found.having, found.n) == ((18, 30), 60)
    assert found.accuracy == evaluation.accuracy
    assert found.factor == 2 * evaluation.accuracy
    assert found.draws == draws_to_match(evaluation.accuracy, 0.3, 0.5)
    assert found.records == records_to_match(evaluation.accuracy, 0.3, 0.5, 60)
    assert 0 < found.leaked <= found.draws
    assert found.gaussian == gaussian_dp(evaluation.model, evaluation.noise, 0.01)
    assert found.belief == share_belief(evaluation.fit, evaluation.noise, 0.3)
    assert reading(found.accuracy, SCENARIO) == f"{found.draws}\u00a0records"


@pytest.mark.parametrize("mechanism", ["OptM", "DirM(L)", "ExpM", "DP", "CoupM"])
def test_the_sentences_hold_the_figures(people: pd.DataFrame, mechanism: str) -> None:
    found = of(people, 0.3, mechanism=mechanism)
    ways = said(found)
    told = {way.title: way for way in ways}
    assert told["Right guesses"].figure == f"{100 * found.accuracy:.1f} of 100"
    factor = next(way for way in ways if way.title.startswith("Any chance"))
    assert found.factor <= float(factor.figure) < found.factor + 0.01
    assert "2411.18531" in factor.sentence
    assert "Suri & Evans 2022" in ways[1].sentence
    assert any("μ" in way.title for way in ways) == (found.gaussian is not None)
    assert (found.gaussian is None) == mechanism.endswith("(L)")
    assert ways[-1].title == "A belief of 30\u00a0% becomes"
    for way in ways:
        assert re.fullmatch(r"[A-Z].*[.)]", way.sentence)
        assert "nan" not in way.sentence


def test_shares_of_the_same_number_of_records_are_not_told_apart(people: pd.DataFrame) -> None:
    found = of(people, center=0.4, width=0.004)
    assert (found.accuracy, found.draws, found.records) == (0.5, 0, 0)
    assert found.belief.low == found.belief.high == 0.5
    assert all(way.sentence for way in said(found))


def test_what_hides_nothing_is_said(people: pd.DataFrame) -> None:
    found = of(people, n=300, center=0.5, width=0.8, mechanism="DP", epsilon=100.0)
    assert found.accuracy > 0.99
    assert found.factor <= 2
    assert all(way.sentence for way in said(found))


def test_by_the_exact_law_mu_and_accuracy_are_the_law_s(people: pd.DataFrame) -> None:
    query = dp.Query([dp.Count("status", "married")])
    found = of(people, query=query, calibration="exact-law", replacement=True)
    assert found.gaussian is not None
    assert 0 < found.gaussian.mu < 2
    assert math.isfinite(found.accuracy)


def test_figures_without_data_need_one_pair() -> None:
    several = replace(SCENARIO, grid=(0.2, 0.6, 0.2))
    assert reading(0.6, several) == "–"
    assert "record" in reading(0.6, replace(several, look=SCENARIO.pair.label))
    assert reading(math.nan, SCENARIO) == "–"
    assert reading(0.6, replace(SCENARIO, center=0.99, width=0.2)) == "–"
    assert reading(1.0, SCENARIO) == "no number of records"
    assert reading(0.55, replace(SCENARIO, center=0.5, width=0.1)) == "1\u00a0record"
    few = replace(SCENARIO, n=7, center=0.5, width=0.3)  # 2 or 5 of 7, not 35 % or 65 %
    assert reading(0.75, few) == f"{draws_to_match(0.75, 2 / 7, 5 / 7)}\u00a0records"
    line = in_a_line(0.6, replace(SCENARIO, center=0.5, width=0.1))
    assert line.startswith(
        "60 right guesses of 100; as good as being told the secret of 7\u00a0rec"
    )
    assert "times 1.20 at most" in line


def test_who_is_certain_learns_nothing(people: pd.DataFrame) -> None:
    with pytest.raises(ScenarioError, match="prior"):
        of(people, 1.0)
