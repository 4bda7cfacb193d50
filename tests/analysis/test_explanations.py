"""What is said of attackers, accepted errors and tests is short, and says the figures."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from distpriv.analysis import curves, explanations
from distpriv.analysis.guarantee import relaxed_frame
from distpriv.analysis.tables import EXAMPLE_TITLES
from distpriv.attacks import Audit
from distpriv.queries import Mean, Median

FOUND = pd.DataFrame({"mechanism": ["OptM", "ExpM"], "epsilon": [1.4, 3], "guesses": [59.6, 70]})


def every(now):
    yield from explanations.failing(now)
    lines = curves.epsilon_frame(now.model, ["OptM"], **now._options)
    yield explanations.reach_lead(now, lines, "epsilon")
    shares = pd.DataFrame({"release": [now.way.key], "width": 50.0, "guesses": 99.9})
    yield explanations.reach_lead(now, shares, "width")
    yield explanations.reach_lead(now, shares.head(0), "width")
    yield explanations.recall_lead(now.recalls(), now.way.key, "30 %")
    yield explanations.belief_lead(now)
    yield from explanations.fit_tests(now)
    yield explanations.relaxed_lead(relaxed_frame(now.model, now.way.release, 0.1), 0.1)
    yield explanations.extra_lead(now, 0.1)
    yield explanations.close_lead(now)


@pytest.mark.parametrize("key", list(EXAMPLE_TITLES))
def test_explanations_have_at_most_25_words(evaluations, key):
    for text in every(evaluations[key]):
        for one in re.split(r"(?<=[.?])\s", text):
            assert len(one.split()) <= 25, one
            assert one.endswith(".")


def test_census_is_explained_in_words(now):
    said = " ".join(" ".join(every(now)).split())
    for text in (
        "DauM as published promises at most 60 right guesses of 100. Arithmetic subtracts its noise "
        "and is right 75 times in 100. Our noise stays. The same attacker is right 60 times in 100",
        "OptM noise is made for Δp = 10 points: there an attacker is right 60 times in 100. At 50 "
        "points it is more than 99 times in 100.",
        "At ε = 1.5 an attacker is right 60 times in 100. The promise alone would allow 82 times",
        "Someone undecided between 20 % and 30 % ends 41 % sure of 30 %.",
        "An attacker who finds half of the tables at 30 % is right in 62 of 100 such guesses.",
        "than our curves say, an attacker is right at most 60.3 times in 100. For laws of any shape "
        "that differ as much, the proven bound is 70.2.",
        "An attacker may compare 19 % and 31 % instead.",
    ):
        assert text in said


def test_statistics_that_are_no_sums_say_how_they_were_fitted(asked):
    now = asked(statistics=(Median("age"), Mean("hours-per-week")))
    assert "median age is not a sum, so its law was fitted" in explanations.fit_tests(now)[-1]


def test_accepted_errors_name_the_mechanism_that_hides_most():
    said = explanations.accepted_lead(FOUND, "every figure may be off by 5 %", done=True)
    assert said.startswith("If every figure may be off by 5 %, OptM at ε = 1.4 hides most: ")
    assert said.endswith("an attacker is right 60\u00a0times in\u00a0100.")
    assert explanations.accepted_title(FOUND).startswith("Right 60")
    none = FOUND.head(0)
    assert explanations.accepted_title(none) == "Which ε for this error?"
    assert "keeps this error" in explanations.accepted_lead(none, "it may be off by 0", done=True)
    points = pd.DataFrame({"mechanism": ["BalM", "no data"], "error": [2.9, 1.0]})
    assert "balanced" in explanations.accepted_advice(points, 3.0)
    assert explanations.accepted_advice(points, 2.0) == ""


def test_audit_says_what_is_proven_and_what_would_refute():
    kept = explanations.audit(Audit(0.72, 0.6, 0.3, 1.5, 1e-3, 0.95))
    assert "no more than ε ≥ 0.72, with 95" in kept
    assert "the promise is ε = 1.5 at δ = 0.001" in kept
    assert "refutes" in explanations.audit(Audit(1.6, 0.6, 0.1, 1.5, 1e-3, 0.95))


def test_chances_are_written_as_people_read_them():
    frame = pd.DataFrame(
        [("b", "20 %", 0.4), ("b", "30 %", 1e-7), ("a", "20 %", None), ("a", "30 %", 0.03)],
        columns=["statistic", "share", "p"],
    )
    table = explanations.fit_table(frame)
    assert list(table.columns) == ["p at 20 %", "p at 30 %"]
    assert table.loc["b"].tolist() == ["0.40", "< 0.001"]
    assert table.loc["a"].tolist() == ["does not vary", "0.030"]
