"""Scenarios side by side, drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from plotly import graph_objects as go

import distpriv as dp
from distpriv.charts import figure_data
from distpriv.charts.comparison import (
    accuracies_against_epsilon,
    accuracy_bars,
    error_bars,
    errors_against_epsilon,
)
from distpriv.mechanisms.curves import Curves
from distpriv.words import plain
from tests.examples import BASE, summary

Check = Callable[[go.Figure], None]
X = np.geomspace(0.1, 10, 9)
FALLING = Curves(X, {"DauM": np.where(X < 4, 10 / X, 0.0)})
RISING = Curves(X, {"DauM": np.where(X < 8, 0.5 + X / 40, np.nan)})


@pytest.fixture
def found(hostile: tuple[str, ...]) -> dict[str, object]:
    each = replace(summary(0.58, 7.5), accuracies=RISING, costs=FALLING)
    free = replace(each, accuracy=0.9, error=0.0, scenario=replace(BASE, epsilon=8.0))
    return {"now": each, **dict.fromkeys(hostile, free)}


@pytest.mark.parametrize(
    "draw", [accuracy_bars, error_bars, accuracies_against_epsilon, errors_against_epsilon]
)
def test_every_chart_is_well_made(draw, found, well_made: Check) -> None:
    well_made(draw(found))
    well_made(draw({"now": found["now"]}))


def test_bars_start_at_guessing_and_tell_the_accuracy(found) -> None:
    figure = accuracy_bars(found)
    assert figure.data[0].base == 0.5
    assert figure.data[0].x[0] == pytest.approx(0.08)
    table = figure_data(figure)
    assert table["accuracy of the best attacker (share)"][0] == 0.58
    assert table["scenario"][0] == "now"
    assert "58.0\u00a0% (now; 90.0\u00a0% without noise)" in figure.layout.meta["alt"]


def test_two_names_that_begin_alike_have_rows_of_their_own(found) -> None:
    long = "a very long name of a scenario that ends in "
    figure = error_bars({long + "1": found["now"], long + "2": found["now"]})
    assert list(figure.data[0].y) == [0, 1]


def test_the_chosen_epsilon_is_marked_even_where_no_noise_is_needed(found) -> None:
    figure = errors_against_epsilon(found)
    marks = [trace for trace in figure.data if trace.mode == "markers"]
    assert [mark.x[0] for mark in marks][:2] == [1.0, 8.0]
    low = 10 ** (figure.layout.yaxis.range[0] + 1e-6)
    assert marks[1].y[0] == pytest.approx(low)
    assert marks[1].meta["y"] == [0.0]
    assert "7.5 at ε = 1 (now)" in figure.layout.meta["alt"]


def title(figure: go.Figure) -> str:
    return plain(figure.layout.title.text)


def test_the_titles_say_what_the_pictures_show(found) -> None:
    now = found["now"]
    safe = replace(now, accuracy=0.54, error=15.0)
    both = {"now": now, "half the ε": safe}
    assert title(accuracy_bars(both)) == "half the ε is the safest: right in 54.0 %"
    assert title(error_bars(both)) == "now is the most exact: total error 7.5"
    other = replace(now, scenario=replace(BASE, query=dp.Query([dp.Mean("hours-per-week")])))
    assert "compare each statistic" in title(error_bars({"now": now, "other": other}))
    assert title(accuracies_against_epsilon(both)).endswith("from 50.2 % to 64.1 %")
    assert "L2" not in str(
        [draw(both).to_plotly_json() for draw in (error_bars, errors_against_epsilon)]
    )


def test_names_stand_beside_marks_that_are_apart(found) -> None:
    now = found["now"]
    far = replace(now, accuracy=0.7, error=1.2, scenario=replace(BASE, epsilon=4.0))
    for draw, low in (
        (accuracies_against_epsilon, "top left"),
        (errors_against_epsilon, "top right"),
    ):
        figure = draw({"now": now, "$far$ <b>": far})
        marks = [trace for trace in figure.data if "markers" in trace.mode]
        assert [plain(mark.text[0]) for mark in marks] == ["now", "$far$ <b>"]
        assert low in {mark.textposition for mark in marks}
        assert not any(trace.showlegend for trace in figure.data)
    same = accuracies_against_epsilon({"now": now, "again": now})
    assert [trace.showlegend for trace in same.data] == [True, False] * 2
