"""Accuracy of the attack, by mechanism and along a slider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plotly import graph_objects as go

from distpriv import mechanisms
from distpriv.charts import figure_data, style_of
from distpriv.charts.attack import accuracy_by_mechanism, accuracy_curves
from distpriv.mechanisms.curves import Curves
from distpriv.model.sampling import Interval

Check = Callable[[go.Figure], None]
OPTIMAL = {"none": 0.7616, "ExpM": 0.57, "ExpM(L)": None, "DauM": 0.577}
INTERVALS = {
    "none": Interval(0.75, 0.74, 0.76),
    "ExpM": Interval(0.53, 0.51, 0.55),
    "ExpM(L)": Interval(0.56, 0.54, 0.58),
    "DauM": Interval(0.40, 0.37, 0.44),
}


def rows(intervals: dict[str, Interval], repetitions: int = 50, **options: Any) -> go.Figure:
    given = {"optimal": OPTIMAL, "undefended_optimal": 0.7616, "ceiling": 0.731} | options
    return accuracy_by_mechanism(
        intervals, repetitions=repetitions, seed=7, attacker="adaptive attacker", **given
    )


def curves() -> Curves:
    x = np.geomspace(0.1, 10, 21)
    return Curves(x, {"ExpM": 0.5 + 0.018 * x, "DauM": 0.5 + 0.025 * x})


def lines(**options: Any) -> go.Figure:
    given: dict[str, Any] = {
        "x_title": "ε",
        "x_log": True,
        "current": 1.0,
        "undefended": 0.7616,
        "ceiling": np.linspace(0.5, 0.99, 21),
        "points": {"ExpM": [(1.0, INTERVALS["ExpM"])], "DauM": [(1.0, INTERVALS["DauM"])]},
        "title": "Attack accuracy against ε",
    }
    return accuracy_curves(curves(), **given | options)


def test_accuracy_by_mechanism(well_made: Check) -> None:
    figure = rows(INTERVALS)
    well_made(figure)
    assert figure.layout.xaxis.range == (0.45, 1.02)
    assert figure.layout.xaxis.title.text == "accuracy of the attacker (%)"
    assert figure.layout.yaxis.ticktext == ("no noise", "ExpM", "ExpM(L)", "DauM")
    assert figure.layout.yaxis.tickvals == (0, 1, 2, 3)
    assert "50 repetitions, seed 7" in figure.layout.title.subtitle.text
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert "guessing: 50\u00a0%" in legend
    assert "the promise alone allows: 73.1\u00a0%" in legend


def test_before_the_first_repetition_the_best_attacker_is_there(well_made: Check) -> None:
    figure = rows({}, repetitions=0)
    well_made(figure)
    diamonds = [trace for trace in figure.data if trace.marker.size == 14]
    assert [trace.x for trace in diamonds] == [(0.7616,), (0.57,), (0.577,)]
    assert "nothing simulated yet" in figure.layout.title.subtitle.text


def test_nothing_moves_while_results_come_in() -> None:
    frames = [rows({}, 0), rows({"none": INTERVALS["none"]}, 1), rows(INTERVALS, 50)]
    layouts = []
    for frame in frames:
        layout = frame.layout.to_plotly_json()
        del layout["meta"], layout["title"]
        legend = [trace.name for trace in frame.data if trace.showlegend is not False]
        layouts.append((layout, legend))
    assert layouts[0] == layouts[1] == layouts[2]


def test_the_table_tells_accuracies_and_intervals_as_they_are() -> None:
    table = figure_data(rows(INTERVALS))
    simulated = table[table["series"].str.startswith("simulated")].set_index("mechanism")
    assert simulated.loc["DauM", "accuracy of the attacker (share)"] == 0.40
    assert simulated.loc["DauM", "low"] == pytest.approx(0.37)
    assert simulated.loc["DauM", "high"] == pytest.approx(0.44)
    best = table[table["series"] == "best possible attacker"]
    assert best["mechanism"].tolist() == ["no noise", "ExpM", "DauM"]


def test_a_mark_below_the_axis_stays_on_it() -> None:
    drawn = [trace for trace in rows(INTERVALS).data if trace.name.startswith("simulated")]
    assert min(min(x for x in trace.x if x is not None) for trace in drawn[1:]) == 0.45


def test_the_alternative_text_tells_both_attackers() -> None:
    alt = rows(INTERVALS).layout.meta["alt"]
    assert (
        "76.2\u00a0% of the time without noise and 57.0\u00a0% with ExpM and 57.7\u00a0% with DauM"
        in alt
    )
    assert "over 50 repetitions, 75.0\u00a0% (74.0\u00a0% to 76.0\u00a0%) with no noise" in alt


def test_a_chosen_mechanism_is_bold() -> None:
    assert "<b>DauM</b>" in rows(INTERVALS, selected="DauM").layout.yaxis.ticktext


def test_accuracy_curves(well_made: Check) -> None:
    figure = lines()
    well_made(figure)
    assert figure.layout.yaxis.range == (0.45, 1.02)
    assert figure.layout.xaxis.title.text == "ε"
    assert figure.layout.annotations[0].text == "ε = 1"
    named = {trace.name: trace for trace in figure.data}
    assert named["ExpM"].line.color == style_of("ExpM").color
    assert named["guessing"].line.dash == "dot"
    assert named["the promise alone allows"].line.dash == "dash"
    assert set(named["without noise"].y) == {0.7616}


def test_points_at_one_position_stand_side_by_side_and_tell_the_position() -> None:
    figure = lines()
    points = [trace for trace in figure.data if trace.name.endswith("simulated")]
    drawn = [trace.x[0] for trace in points]
    assert drawn[0] < 1 < drawn[1]
    table = figure_data(figure)
    simulated = table[table["series"].str.endswith("simulated")]
    assert simulated["ε"].tolist() == [1.0, 1.0]
    assert simulated["low"].tolist() == pytest.approx([0.51, 0.37])
    assert table.loc[table["series"] == "ExpM", "low"].isna().all()


def test_only_what_is_given_is_drawn(well_made: Check) -> None:
    figure = lines(undefended=None, ceiling=None, points=None)
    well_made(figure)
    assert [trace.name for trace in figure.data] == ["guessing", "ExpM", "DauM"]


def test_an_undefended_curve_with_gaps(well_made: Check) -> None:
    undefended = np.full(21, 0.8)
    undefended[5:] = np.nan
    figure = lines(undefended=undefended, x_title="Δp, distance of the shares", x_log=False)
    well_made(figure)
    trace = next(trace for trace in figure.data if trace.name == "without noise")
    assert trace.y[4:6] == (0.8, None)
    assert figure.layout.annotations[0].text == "Δp = 1"
    assert "no noise" not in figure.layout.meta["alt"]


def test_hostile_names_with_every_mechanism(hostile: tuple[str, ...], well_made: Check) -> None:
    names = (*mechanisms.names(), *hostile)
    optimal = dict.fromkeys(names, 0.6)
    intervals = dict.fromkeys(names, INTERVALS["ExpM"])
    figure = rows(intervals, optimal=optimal)
    well_made(figure)
    assert "'=cmd" in set(figure_data(figure)["mechanism"])
    x = np.geomspace(0.1, 10, 61)
    many = Curves(x, {name: np.full(61, 0.6) for name in names})
    for label in hostile:
        figure = accuracy_curves(
            many,
            x_title=label,
            x_log=True,
            current=1.0,
            undefended=0.7,
            ceiling=np.full(61, 0.8),
            points={name: [(1.0, interval)] for name, interval in intervals.items()},
            title=label[:40],
        )
        well_made(figure)
