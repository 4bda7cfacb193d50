"""Counted attackers, precision–recall, ROC and F-score lines, and the map of frameworks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from distpriv.charts import figure_data
from distpriv.charts.choosing import (
    attackers_in_100,
    f_score_lines,
    precision_recall_lines,
    roc_lines,
)
from distpriv.charts.frame import pending
from distpriv.charts.frameworks import epsilon_ranges, neighbouring_databases
from distpriv.frameworks.map import FRAMEWORKS, Range, convert
from distpriv.mechanisms.curves import Curves
from distpriv.words import plain

RECALL = np.linspace(0.01, 1, 12)


def test_a_hundred_attackers_are_drawn_for_each_release(well_made):
    figure = attackers_in_100([("ε = 1", 58), ("no noise", 76), ("less", 50)], by_chance=50)
    well_made(figure)
    drawn = {trace.name: len(trace.x) for trace in figure.data}
    assert drawn == {
        "right by luck": 150,
        "right because of the release": 8 + 26,
        "wrong": 42 + 24 + 50,
    }
    assert plain(figure.layout.title.text) == "58 right ε = 1, 50 less"
    assert "58 (ε = 1)" in figure.layout.meta["alt"]
    places = {(x, y) for trace in figure.data for x, y in zip(trace.x, trace.y, strict=True)}
    assert len(places) == 300


def test_nobody_is_drawn_twice_where_fewer_are_right_than_by_luck(well_made):
    figure = attackers_in_100([("a", 100), ("b", 40)], by_chance=50)
    well_made(figure)
    assert sum(len(trace.x) for trace in figure.data) == 200


@pytest.mark.parametrize("guessing", [0.5, 0.1])
def test_precision_against_recall(well_made, guessing):
    lines = {f"ε = {each}": (RECALL, guessing + 0.1 * each * (1 - RECALL)) for each in (1, 2)}
    figure = precision_recall_lines(
        lines, guessing=guessing, hypothesis="it is so", title="Of a record", selected="ε = 2"
    )
    well_made(figure)
    bold = {trace.name: trace.line.width for trace in figure.data}
    assert bold["ε = 2"] > bold["ε = 1"]
    low = figure.layout.yaxis.range[0]
    assert low < guessing
    assert "% (ε = 1)" in figure.layout.meta["alt"]
    assert set(figure_data(figure)["series"]) == {"guessing", "ε = 1", "ε = 2"}


def test_right_against_wrong(well_made):
    figure = roc_lines({"ε = 1": (RECALL**2, RECALL), "no noise": (RECALL**3, RECALL)})
    well_made(figure)
    assert "24.8\u00a0% (ε = 1)" in figure.layout.meta["alt"]


def test_f_scores_with_their_turning_points(well_made):
    grid = np.geomspace(0.1, 10, 9)
    score = np.linspace(0.67, 0.95, 9)
    gap = score.copy()
    gap[:3] = math.nan
    figure = f_score_lines(
        Curves(grid, {"β = 1": score, "β = 2": gap}),
        epsilon=1.0,
        title="F-score",
        turning={"β = 1": (0.69, 0.67), "β = 5": (30.0, 0.9)},
        limit=0.8,
        undefended=0.97,
    )
    well_made(figure)
    named = {trace.name: trace for trace in figure.data}
    assert list(named["turning point"].x) == [0.69]
    assert named["your limit"].y[0] == 0.8
    assert named["β = 2"].y[0] is None
    assert len(figure.layout.shapes) == 1
    nothing = f_score_lines(
        Curves(grid, {"OptM": np.full(9, math.nan)}), epsilon=1.0, title="F", mechanisms=True
    )
    well_made(nothing)
    assert nothing.layout.meta["alt"] == "No F-score is known here."


def test_neighbours_of_every_notion_that_has_some(well_made):
    figure = neighbouring_databases(FRAMEWORKS)
    well_made(figure)
    drawn = sum(len(trace.x) for trace in figure.data)
    assert drawn == 5 * sum(each.changed is not None for each in FRAMEWORKS.values())
    assert "1 of 5 for differential privacy" in figure.layout.meta["alt"]
    assert "membership" not in figure.layout.meta["alt"]


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 90.0])
def test_ranges_of_epsilon(well_made, epsilon):
    figure = epsilon_ranges(convert(epsilon, "MP"), FRAMEWORKS, given="MP")
    well_made(figure)
    drawn = {trace.name: trace for trace in figure.data}
    assert list(drawn["Membership privacy"].x) == [epsilon, epsilon]
    assert drawn["Differential privacy"].x[1] == pytest.approx(2 * epsilon)
    assert not drawn["Pufferfish privacy"].x
    assert "at most" in figure.layout.meta["alt"]
    both = epsilon_ranges({"DP": Range(1.0, 1.0), "MP": Range(0.5, 2.0)}, FRAMEWORKS, given="DP")
    assert "from 0.5 to 2" in both.layout.meta["alt"]


def test_a_frame_has_the_size_of_the_chart_and_says_that_it_waits():
    nothing = np.full(2, np.nan)
    labels = ["ε = 1", "no noise"]
    axis = np.array([0.1, 10.0])
    for draw in (
        lambda lines: precision_recall_lines(lines, guessing=0.5, hypothesis="so", title="t"),
        roc_lines,
        lambda lines: f_score_lines(
            Curves(axis, {label: line[1][[0, -1]] for label, line in lines.items()}),
            epsilon=1.0,
            title="t",
        ),
    ):
        drawn = draw(dict.fromkeys(labels, (RECALL, RECALL)))
        frame = pending(draw(dict.fromkeys(labels, (nothing, nothing))))
        assert frame.layout.height == drawn.layout.height
        assert frame.layout.title == drawn.layout.title
        assert frame.layout.meta["how_to_read"] == drawn.layout.meta["how_to_read"]
        assert [trace.name for trace in frame.data] == [trace.name for trace in drawn.data]
        assert frame.layout.meta["pending"]
        assert frame.layout.meta["alt"] == "Being computed."
        assert any("Being computed" in each.text for each in frame.layout.annotations)
        assert "pending" not in drawn.layout.meta
