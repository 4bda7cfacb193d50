"""Charts of printed figures beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from plotly import graph_objects as go

from distpriv.charts import figure_data
from distpriv.charts.paper_figures import (
    accuracy_lines,
    error_lines,
    f_scores_with_points,
    releases_in_plane,
)
from distpriv.charts.papers import VERDICT_STYLES, deviations, printed_beside_ours
from distpriv.mechanisms.curves import Curves
from distpriv.model.sampling import Interval
from distpriv.papers import VERDICTS, Cell, Standing
from distpriv.papers.attacks import AttackCurve
from distpriv.papers.figures import Releases
from distpriv.papers.hypothesis_testing import figure3b, printed_points
from distpriv.queries.properties import SensitiveProperty

WellMade = Callable[[go.Figure], None]

AGREES = Cell("table-3", "ExpM (G)", "ε = 1", "10.0", 10.0, 0.5, ours=10.25)
CHANCE = replace(AGREES, row="DauM (G)", ours=12.0, repeats=(9.0, 14.0))
ERRATUM = replace(AGREES, row="DirM (L)", ours=5.0, repeats=(4.0, 6.0), erratum=1, alternative=9.5)
WRONG = replace(AGREES, item="hospital", ours=30.0)
WAITING = replace(AGREES, item="table-4", ours=None)
ALL = {
    "table-3": (AGREES, CHANCE, ERRATUM),
    "table-4": (WAITING,),
    "figure-2": (),
    "hospital": (WRONG,),
}


def still(accuracy: float) -> Standing:
    return Standing(False, accuracy, accuracy)


def marks(figure: go.Figure, name: str) -> go.Scatter:
    return next(trace for trace in figure.data if trace.name.startswith(name))


def test_deviations_in_units_of_what_is_allowed(well_made: WellMade) -> None:
    figure = deviations(ALL)
    well_made(figure)
    assert figure.layout.meta["alt"].startswith("5 printed figures: 1 agrees, 1 is within")
    assert list(figure.layout.yaxis.ticktext) == ["Table 3", "Table 4", "Zhang, Section 4.2"]
    assert list(marks(figure, "agrees").x) == pytest.approx([0.5])
    # Allowed down to 9, where the printed figure would be.
    assert list(marks(figure, "within").x) == pytest.approx([2 / 3])
    wrong = marks(figure, "differs")
    assert list(wrong.x) == [2.0]
    assert wrong.meta["x"] == pytest.approx([40.0])
    assert not any(trace.name.startswith("undecided") for trace in figure.data)
    exact = replace(AGREES, tolerance=0.0)
    infinite = deviations({"table-3": (exact,)})
    assert exact.deviation == math.inf
    assert list(marks(infinite, "differs").x) == [2.0]
    assert set(VERDICT_STYLES) == set(VERDICTS)
    assert len({style.symbol for style in VERDICT_STYLES.values()}) == len(VERDICTS)


def test_printed_beside_ours(well_made: WellMade) -> None:
    cells = [AGREES, CHANCE, ERRATUM, replace(AGREES, at_least=True, row="lower bound")]
    figure = printed_beside_ours(cells, title="Errors", measure="L2 error")
    well_made(figure)
    assert len(figure.layout.yaxis.tickvals) == 3
    assert list(marks(figure, "printed").x) == [10, 10, 10]
    assert list(marks(figure, "ours, by the erratum").x) == [9.5]
    assert list(marks(figure, "95\u00a0%").x) == [9.0, 14.0]
    low, high = figure.layout.xaxis.range
    assert low < 4.0
    assert high > 14.0
    ratios = printed_beside_ours(cells, title="Errors", measure="L2 error", ratio=True)
    well_made(ratios)
    assert list(marks(ratios, "printed").x) == pytest.approx([10 / 10.25, 10 / 12, 2.0])
    assert set(marks(ratios, "ours: agrees").x) == {1.0}


@pytest.mark.parametrize("ratio", [False, True])
def test_nothing_simulated_yet(well_made: WellMade, ratio: bool) -> None:
    waiting = replace(WAITING, standing=Standing(True, 0.7, 0.76))
    figure = printed_beside_ours(
        [waiting], title="Accuracies", measure="accuracy", ratio=ratio, attackers=True
    )
    well_made(figure)
    assert list(marks(figure, "best attacker, on paper").x) == [0.7]
    assert list(marks(figure, "best attacker, in fact").x) == [0.76]
    assert not any(trace.name.startswith("ours") for trace in figure.data)


def test_errors_with_printed_points(well_made: WellMade) -> None:
    curves = Curves(
        np.array([0.1, 1.0, 10.0]),
        {"ExpM": np.array([100.0, 10.0, 1.0]), "DauM": np.array([20.0, 2.0, 0.0])},
    )
    points = {"ExpM": ([1.0], [11.0]), "DauM": ([1.0], [2.5])}
    figure = error_lines(curves, title="Errors", x_title="ε", x_log=True, points=points)
    well_made(figure)
    assert "1 (ExpM) and 0 (DauM)" in figure.layout.meta["alt"]
    entries = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert entries.count("printed") == 1
    # Zero stands on the floor of the axis and is 0 in the data.
    assert min(trace.y[-1] for trace in figure.data if trace.name == "DauM") > 0
    table = figure_data(figure)
    assert table[table["series"] == "DauM"].iloc[-1, -1] == 0
    plain = error_lines(curves, title="Errors", x_title="Δp", x_log=False)
    well_made(plain)
    assert "Hollow" not in plain.layout.meta["how_to_read"]
    spans = {"ExpM": (2.0, 10.0), "DauM": (0.1, 10.0)}
    beaten = error_lines(curves, title="Errors", x_title="ε", x_log=True, undone=spans)
    well_made(beaten)
    assert [trace.name for trace in beaten.data] == ["ExpM (undone from 2)", "DauM (undone)"]


@pytest.mark.parametrize("simulated", [False, True])
def test_accuracies_beside_the_best(well_made: WellMade, simulated: bool) -> None:
    found = (Interval(0.5, 0.48, 0.52), Interval(0.7, 0.68, 0.72)) if simulated else ()
    curves = {
        "ExpM": AttackCurve((0.1, 10.0), found, (still(0.51), still(0.75))),
        "DauM": AttackCurve((0.1, 10.0), found, (Standing(True, 0.52, 0.77), still(0.77))),
    }
    figure = accuracy_lines(
        curves,
        title="Accuracy",
        x_title="ε",
        x_log=True,
        mechanisms=True,
        points={"ExpM": ([10.0], [0.72])},
    )
    well_made(figure)
    assert ("simulated attacker is right in 70.0\u00a0%" in figure.layout.meta["alt"]) == simulated
    assert list(marks(figure, "DauM, undone").y) == [0.77]
    assert "on paper" in figure.layout.meta["how_to_read"]
    bars = [trace for trace in figure.data if trace.error_y.array is not None]
    assert len(bars) == 2 * simulated
    for trace in bars:
        # Side by side as drawn, at their ε in the data.
        assert list(trace.meta["x"]) == [0.1, 10.0]
        assert list(trace.x) != [0.1, 10.0]
    widths = accuracy_lines(curves, title="A", x_title="Δp", x_log=False, mechanisms=False)
    well_made(widths)


def test_f_scores_with_the_points_of_table_1(well_made: WellMade) -> None:
    figure = f_scores_with_points(figure3b(), printed_points())
    well_made(figure)
    assert len(figure.data) == 12
    shown = [trace for trace in figure.data if trace.name == "printed"]
    assert sum(len(trace.x) for trace in shown) == 33


def test_releases_in_plane(well_made: WellMade) -> None:
    rng = np.random.default_rng(1)
    answer = np.array([40.0, 10.0, 25.0, 27.0, 42.0])
    releases = Releases(
        SensitiveProperty("income", ">50K"),
        0.02,
        answer,
        {name: answer + rng.normal(0, 3, (20, 5)) for name in ("ExpM", "DP")},
    )
    figure = releases_in_plane(
        releases,
        labels=("a", "b", "<b>c</b>", "d", "e"),
        units=("years",) * 5,
        across=2,
        up=3,
        title="Noise",
    )
    well_made(figure)
    assert list(marks(figure, "without noise").x) == [25.0]
    assert len(marks(figure, "DP").x) == 20
    assert "(ExpM)" in figure.layout.meta["alt"]
