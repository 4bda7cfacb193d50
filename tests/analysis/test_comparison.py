"""Scenarios side by side, in words."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from distpriv.analysis.comparison import Summary, best_of, choices_in_words, differences
from distpriv.analysis.scenario import Scenario
from distpriv.queries.statistics import Mean, Query
from tests.examples import BASE, OTHER, summary


@pytest.mark.parametrize("field", [each.name for each in fields(Scenario)])
def test_every_choice_that_shapes_a_result_is_told(field: str) -> None:
    changed = replace(BASE, **{field: OTHER[field]})
    data = [
        "the table" if field != "digest" else f"table {each.digest}" for each in (BASE, changed)
    ]
    words = [
        choices_in_words(each, title) for each, title in zip((BASE, changed), data, strict=True)
    ]
    # What is left out of a meeting's screen shapes none.
    different = differences(words)
    if field == "others":  # of another property, for which the sample is drawn at random
        different.remove("Share hidden")
    assert len(different) == (0 if field == "view" else 1)


def test_alike_scenarios_do_not_differ() -> None:
    assert differences([]) == []
    assert differences([choices_in_words(BASE, "x")] * 3) == []


def test_the_safest_and_the_cheapest() -> None:
    found = {"a": summary(0.6, 3.0), "b": summary(0.55, 4.0), "c": summary(0.7, 1.0)}
    assert best_of(found) == ("b", "c")


@pytest.mark.parametrize(
    "other",
    [
        summary(0.7, 1.0, replace(BASE, query=Query([Mean("hours")]))),
        summary(0.7, 1.0, unit="standard deviations"),
    ],
)
def test_errors_of_different_releases_are_not_compared(other: Summary) -> None:
    assert best_of({"a": summary(0.6, 3.0), "b": other}) == ("a", None)


def test_tolerances_have_to_be_equal_where_they_are_the_unit() -> None:
    custom = [
        summary(0.6, 3.0, replace(BASE, report="custom", tolerances=(1.0, each)), "tolerances")
        for each in (1.0, 2.0)
    ]
    assert best_of({"a": custom[0], "b": custom[1]})[1] is None
    assert best_of({"a": custom[0], "b": custom[0]})[1] == "a"
