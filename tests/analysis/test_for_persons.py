"""What a scenario promises to each person, in figures and in words."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.analysis.for_persons import (
    bounds_from_data,
    leaking_in_words,
    per_record_in_words,
    per_record_label,
    record_delta,
    released_per_record,
    rounded_bounds,
    rounded_range,
    unbounded,
)
from distpriv.errors import CalibrationError

BOUNDS = (("age", (0.0, 120.0)), ("hours", (0.0, 168.0)))


@pytest.fixture
def scenario(query, rich) -> dp.Scenario:
    return dp.Scenario(secret=rich, query=query, center=0.4, width=0.2, n=50)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_a_range_is_rounded_outwards_by_little(low, span):
    rounded = rounded_range(low, low + span)
    assert rounded[0] <= low
    assert rounded[1] >= low + span
    assert rounded[1] - rounded[0] <= 1.3 * span + 1e-8


@given(st.floats(-1e6, 1e6))
def test_a_single_value_has_a_range(value):
    low, high = rounded_range(value, value)
    assert low <= value <= high
    assert low < high


def test_ages_are_rounded_to_fives():
    assert rounded_range(17, 90) == (15, 90)
    assert rounded_range(1, 99) == (0, 100)
    assert rounded_range(1, 16) == (1, 16)


def test_bounds_that_the_data_suggest_are_known_again(people, scenario):
    assert bounds_from_data(scenario, people) == ("age", "hours")
    suggested = rounded_bounds(people, scenario.query)
    given_ = replace(scenario, bounds=tuple(suggested.items()))
    assert bounds_from_data(given_, people) == ("age", "hours")
    assert bounds_from_data(replace(scenario, bounds=BOUNDS), people) == ()
    assert leaking_in_words(()) == ""
    assert "age and hours are the data's own range" in leaking_in_words(("age", "hours"))


def test_evaluations_promise_both(people, scenario):
    both = dp.evaluate(replace(scenario, persons=(0.5, 1e-4), bounds=BOUNDS), people)
    assert both.per_record().epsilon(1e-4) == pytest.approx(0.5, rel=1e-4)
    assert both.kept
    assert both.error > dp.evaluate(replace(scenario, bounds=BOUNDS), people).error
    assert "DauM" not in both.noises(["DauM", "EigM"])
    assert "each person" in both.left_out["DauM"]
    words = per_record_in_words(both.scenario, both.noise, both.per_record())
    assert words.startswith("To each person it promises ε = 0.5 at δ = 0.0001, and gives ε = 0.5")


def test_sweeps_promise_both(people, scenario):
    both = dp.evaluate(replace(scenario, persons=(0.5, 1e-4), bounds=BOUNDS), people)
    along = dp.analysis.sweep(
        dp.analysis.expected_errors(),
        "epsilon",
        [1.0],
        both.model,
        ["OptM", "DauM"],
        delta=1e-3,
        persons=both.scenario.promise_to_persons,
    )
    assert along.y["OptM"][0] == pytest.approx(both.error)
    assert math.isnan(along.y["DauM"][0])


def test_words_say_what_there_is_without_a_promise(people, scenario):
    evaluation = dp.evaluate(replace(scenario, bounds=BOUNDS), people)
    full = evaluation.of("EigM")
    words = per_record_in_words(full.scenario, full.noise, full.per_record())
    assert "though it was calibrated for the share alone" in words
    one = dp.calibrate("DirM", evaluation.model, 1.0, 1e-3, "exact", grid_safe=False)
    words = per_record_in_words(scenario, one, evaluation.per_record(one))
    assert words == (
        "To each person it promises nothing: the noise has 1 direction for 4 statistics."
    )
    floor = dp.calibrate("DirM", evaluation.model, 1.0, 1e-3, "exact")
    words = per_record_in_words(scenario, floor, evaluation.per_record(floor))
    assert "nothing to speak of" in words
    assert words.endswith("and the others have only what covers their steps.")
    drawn = replace(scenario, replacement=True)
    assert "each record that is drawn" in per_record_in_words(
        drawn, floor, evaluation.per_record(floor)
    )
    none = replace(one, directions=one.directions[:, :0], scales=one.scales[:0])
    assert per_record_in_words(scenario, none, evaluation.per_record(none)) == (
        "To each person it promises nothing: there is no noise."
    )


def test_labels_are_short(scenario):
    record = dp.privacy.PerRecord
    public = replace(scenario, bounds=BOUNDS)
    assert per_record_label(public, record(0.5)) == "1.35"
    assert per_record_label(public, record(math.inf)) == "none"
    assert per_record_label(public, record(100.0)).startswith("none to speak of (5")
    assert per_record_label(public, None) == "needs public bounds"
    assert record_delta(scenario) == scenario.delta
    assert record_delta(replace(scenario, persons=(1.0, 1e-6))) == 1e-6


def test_what_follows_from_single_records_is_not_handed_on(people, scenario):
    """ε per record by the data's own range would tell how far records reach."""
    record = dp.privacy.PerRecord(0.5)
    assert unbounded(scenario) == ("age", "hours")
    assert per_record_label(scenario, record) == "1.35"
    presenting = replace(scenario, view="presentation")
    noise = dp.evaluate(scenario, people).noise
    for shown, handed in ((scenario, True), (presenting, False)):
        assert per_record_label(shown, record, handed=handed) == "needs public bounds"
        words = per_record_in_words(shown, noise, record, handed=handed)
        assert words.endswith("is told with public bounds of age and hours, which are not set.")
    # That there is none at all follows from the noise alone.
    assert per_record_label(scenario, dp.privacy.PerRecord(math.inf), handed=True) == "none"
    assert released_per_record(scenario, noise) is None
    public = replace(scenario, bounds=BOUNDS)
    bounded = dp.evaluate(public, people)
    known = released_per_record(public, bounded.noise)
    assert known is not None
    assert known.mu == pytest.approx(bounded.per_record().mu)
    assert bounded.figures.per_record == bounded.record_label() != "needs public bounds"
    assert dp.evaluate(scenario, people).figures.per_record == "needs public bounds"


def test_records_beyond_the_range_of_the_reference_are_not_released(people, scenario):
    """The promise was computed for the range of other records."""
    whole = replace(scenario, whole=True, replacement=True, persons=(1.0, 1e-3), width=0.1)
    older = people.assign(age=people["age"] * 1.3 - 10)
    asked = dp.evaluate(whole, older, reference=people)
    with pytest.raises(CalibrationError, match="give public bounds that hold for every record"):
        asked.draw()
    public = replace(whole, bounds=BOUNDS)
    assert dp.evaluate(public, older, reference=people).draw().n == len(people)
