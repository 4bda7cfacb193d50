"""What a decision says to somebody who has nothing else."""

from __future__ import annotations

import math

import pytest

from distpriv.analysis.decision_in_words import (
    chance,
    chances,
    error_lines,
    how,
    promise,
    promise_in_words,
    verdict,
)
from distpriv.analysis.error_sizes import ErrorSize
from distpriv.analysis.scenario_file import write_scenario
from tests.examples import BASE, alternative


@pytest.mark.parametrize(
    ("accuracy", "said"),
    [
        (0.5, "50 of 100"),
        (0.576, "58 of 100"),
        (0.997, "more than 99 of 100"),
        (1.0, "100 of 100"),
        (math.nan, "an unknown number of 100"),
    ],
)
def test_chances_are_told_in_people_s_numbers(accuracy: float, said: str) -> None:
    assert chances(accuracy).replace("\u00a0", " ") == said


def test_the_verdict_names_the_secret_where_it_can_be_read() -> None:
    known = verdict(alternative(scenario=write_scenario(BASE))).replace("\u00a0", " ")
    assert "whether 45 % or 55 % of the records have income = >50K in 58 of 100 guesses" in known
    assert "without noise it would be 76 of 100" in known
    assert "tells the secret in 58" in verdict(alternative())
    assert how(alternative()).replace("\u00a0", " ") == "OptM with ε = 1 and δ = 0.001"


def test_the_promise_is_as_it_was_on_record() -> None:
    assert promise(alternative()) is None
    assert "not on record" in promise_in_words(alternative())
    assert promise_in_words(alternative(promise="kept")) == "The promise is kept."
    assert (
        promise_in_words(alternative(promise="missed slightly", delivered=0.00105))
        == "The promise is missed slightly, 1.05 times."
    )
    missed = alternative(promise="missed", delivered=0.0025)
    assert promise_in_words(missed) == "The promise is missed, 2.5 times."
    assert promise_in_words(alternative(promise="missed")) == "The promise is missed."
    assert "promises nothing" in promise_in_words(alternative(promise="nothing promised"))


def test_errors_are_told_against_what_is_public() -> None:
    sizes = (
        ErrorSize("mean age", "years", 1.5, 3.0, 100, value=39.25),
        ErrorSize("count sex = Female", "records", 4.0, 5.0, 100),
        ErrorSize("share sex = Female", "", 0.03, 0.05, 100),
        ErrorSize("sum age", "", 0.0, 5.0, 100),
    )
    lines = error_lines(alternative(errors=sizes))
    assert "39" not in str(lines)
    told = [
        (size.replace("\u00a0", " "), meaning.replace("\u00a0", " ")) for _, size, meaning in lines
    ]
    assert told == [
        ("± 1.5 years", "0.5 × chance"),
        (
            "± 4 records",
            "4.0 % of all, 0.8 × chance",
        ),
        ("± 3 percentage points", "0.6 × chance"),
        ("± 0", "exact"),
    ]
    assert "draw of the 100 records" in chance(alternative(errors=sizes))
    assert (error_lines(alternative()), chance(alternative())) == ((), "")
