"""Attribute privacy in frames and words: rows of text, titles and sentences."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from distpriv.analysis import attribute
from distpriv.attribute import BayesianNetwork, markov_quilt, noise_by_release
from distpriv.dashboard.fields import number
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate
from distpriv.privacy import verdict
from distpriv.queries import Count
from distpriv.text import significant

ROWS = [["weight", "women", "9 to 24.5", "15", "0.25"], ["heat", "women", "0 to 0.3", "2", "0.25"]]


def read(*rows):
    table = pd.DataFrame(rows, columns=attribute.ASSUMED)
    return attribute.read_assumptions(table, 50, lambda text: number(text, -1e9, 1e9))


def test_averages_are_answered_by_the_one_that_varies_least():
    # Zhang et al. (2022), Section 4.2: n = 50, ε = 1, δ = 1e-3, classical.
    frame = noise_by_release(read(*ROWS, [None] * 5), 1, 1e-3, "classical").reset_index()
    assert frame["error"].tolist() == pytest.approx([18.38, 0.0119], abs=0.006)
    assert frame["own"].tolist() == pytest.approx([4.5 / 535.03, 0.08 / 0.08022], rel=1e-3)
    title, lead = attribute.averages_answer(frame)
    assert title == "2 of 2 need noise"
    assert lead == "weight needs the most noise: ± 18.4 on average, to hide women."
    frame = noise_by_release(read(ROWS[1]), 1, 1e-3).reset_index()
    assert attribute.averages_answer(frame)[0] == "No noise is needed"
    assert frame["own"].tolist() == [1]


def test_shares_may_be_as_far_apart_as_the_upper_end_of_their_range():
    (one,) = read([*ROWS[0][:4], "0.1 to 0.25"])
    assert one.diameter == 0.25


def test_printed_noise_is_held_against_its_promise(evaluations):
    now = evaluations["census-income"]
    assert attribute.printed_noise(now).endswith("Here it keeps the promise.")
    single = (Count("marital-status", "Never-married"),)
    scenario = replace(now.scenario, statistics=single, by="epsilon", epsilon=3.0, delta=1e-6)
    now = replace(now, scenario=scenario)
    noise = calibrate("APGM", now.model, 3.0, 1e-6, calibration="exact", grid_safe=False)
    over = verdict(now.model, noise).delivered.max() / 1e-6
    assert over > 1.005
    words = f"Here it delivers {significant(over)} times the promised δ."
    assert attribute.printed_noise(now).endswith(words)


@pytest.mark.parametrize(
    ("place", "cell", "words"),
    [
        (2, "x", "Row 2, difference: 'x' is not a number"),
        (2, "9 to 2", "Row 2: The difference of 'heat' must run"),
        (4, "", "Row 2, shares apart: '' is not a number"),
    ],
)
def test_cell_that_is_wrong_is_named_by_row_and_column(place, cell, words):
    row = [*ROWS[1]]
    row[place] = cell
    with pytest.raises(DistprivError, match=words):
        read(ROWS[0], row)


def test_what_depends_on_nothing_released_needs_no_noise():
    apart = BayesianNetwork([], {"a": [0.5, 0.5], "b": [0.5, 0.5]})
    result = markov_quilt(apart, ["a"], ["b"], {frozenset("b"): 1.0}, 1.0)
    lead = "Nothing that is released depends on a."
    assert attribute.quilt_answer(result) == ("No noise is needed", lead)
