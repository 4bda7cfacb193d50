"""Error against ε and Δp."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from plotly import graph_objects as go

from distpriv import mechanisms
from distpriv.charts import figure_data, style_of
from distpriv.charts.utility import error_against_epsilon, error_against_width
from distpriv.mechanisms.curves import Curves

Check = Callable[[go.Figure], None]
LABELS = {"unit": "mixed units", "measure": "expected L2 error"}


@pytest.fixture
def curves() -> Curves:
    """A curve that falls to zero, and one that does not."""
    x = np.geomspace(0.1, 10, 33)
    return Curves(x, {"ExpM": 30 / x, "DauM": np.where(x < 4, 10 / x, 0.0)})


def test_error_against_epsilon(curves: Curves, well_made: Check) -> None:
    figure = error_against_epsilon(curves, epsilon=1.0, **LABELS)
    well_made(figure)
    assert figure.layout.yaxis.title.text == "expected L2 error (mixed units)"
    assert figure.layout.xaxis.title.text.startswith("ε")
    assert figure.layout.xaxis.range == pytest.approx((-1, 1), abs=1e-5)
    assert figure.layout.yaxis.range == pytest.approx((0, 3), abs=1e-5)
    assert figure.layout.annotations[0].text == "ε = 1"
    assert figure.layout.annotations[0].x == pytest.approx(0)
    assert figure.layout.shapes[0].x0 == 1
    alt = (
        "At ε = 1 the expected L2 error is 30\u00a0mixed units with ExpM and 10\u00a0mixed units "
        "with DauM."
    )
    assert figure.layout.meta["alt"] == alt


def test_the_axes_do_not_move_with_epsilon(curves: Curves) -> None:
    charts = [error_against_epsilon(curves, epsilon=epsilon, **LABELS) for epsilon in (0.1, 3, 10)]
    ranges = {(chart.layout.xaxis.range, chart.layout.yaxis.range) for chart in charts}
    assert len(ranges) == 1


def test_no_noise_needed_drops_to_the_floor(curves: Curves) -> None:
    figure = error_against_epsilon(curves, epsilon=5.0, **LABELS)
    marks = next(trace for trace in figure.data if "no noise needed" in trace.name)
    free = curves.x[curves.y["DauM"] == 0]
    assert marks.x == pytest.approx((free[0], free[-1]))
    assert set(marks.y) == {1.0}
    assert all("no noise needed" in text for text in marks.hovertext)
    assert "zero (no noise needed) with DauM" in figure.layout.meta["alt"]
    table = figure_data(figure)
    assert table["expected L2 error (mixed units)"].min() == 0


def test_lines_have_the_style_of_their_mechanism(curves: Curves) -> None:
    figure = error_against_epsilon(curves, epsilon=1.0, selected="DauM", **LABELS)
    lines = {trace.name: trace for trace in figure.data}
    for name in curves.y:
        assert lines[name].line.color == style_of(name).color
        assert lines[name].line.dash == style_of(name).dash
        assert lines[name].marker.symbol == style_of(name).symbol
    assert lines["DauM"].line.width > lines["ExpM"].line.width


def test_gaps_stay_gaps(well_made: Check) -> None:
    x = np.linspace(0.02, 0.8, 40)
    y = 100 * x
    y[10:20] = np.nan
    figure = error_against_width(Curves(x, {"ExpM": y}), width=0.1, **LABELS)
    well_made(figure)
    assert figure.data[0].y[10:20] == (None,) * 10
    assert figure.layout.annotations[0].text == "Δp = 0.1"
    assert figure_data(figure)["expected L2 error (mixed units)"].isna().sum() == 10
    hidden = error_against_width(Curves(x, {"ExpM": y}), width=0.3, **LABELS)
    assert "not known" in hidden.layout.meta["alt"]


@pytest.mark.parametrize("filler", [0.0, np.nan, 1e-300, 1e300])
@pytest.mark.parametrize("log_y", [True, False])
def test_curves_of_any_size(filler: float, log_y: bool, well_made: Check) -> None:
    x = np.geomspace(0.1, 10, 9)
    curves = Curves(x, {"ExpM": np.full(9, filler), "DauM": np.full(9, filler)})
    figure = error_against_epsilon(curves, epsilon=1.0, log_y=log_y, **LABELS)
    well_made(figure)
    low, high = figure.layout.yaxis.range
    assert np.isfinite([low, high]).all()
    assert low < high


def test_no_mechanism_chosen() -> None:
    figure = error_against_epsilon(Curves(np.geomspace(0.1, 10, 9), {}), epsilon=1.0, **LABELS)
    assert figure.layout.meta["alt"].endswith(".")
    assert not figure.data


def test_a_rule_outside_the_axis_is_left_out(curves: Curves) -> None:
    figure = error_against_epsilon(curves, epsilon=0.001, **LABELS)
    assert not figure.layout.shapes
    assert not figure.layout.annotations


def test_a_linear_axis_starts_at_zero(curves: Curves) -> None:
    figure = error_against_epsilon(curves, epsilon=1.0, log_y=False, **LABELS)
    assert figure.layout.yaxis.range == (0.0, 300.0)


def test_hostile_labels_with_every_mechanism(hostile: tuple[str, ...], well_made: Check) -> None:
    x = np.geomspace(0.1, 10, 61)
    y = dict.fromkeys((*mechanisms.names(), *hostile), 10 / x)
    for label in hostile:
        figure = error_against_epsilon(Curves(x, y), epsilon=1.0, unit=label, measure=label)
        well_made(figure)
    assert "'=cmd" in set(figure_data(figure)["series"])


def test_where_no_noise_keeps_the_promise_the_legend_says_so(well_made: Check) -> None:
    nan, x = math.nan, np.array([0.1, 0.4, 1.0, 2.0])
    curves = Curves(
        x,
        {
            "OptM": np.array([4.0, 3.0, 2.0, 1.0]),
            "DauM": np.array([nan, nan, 3.0, 1.5]),
            "DirM": np.full(4, nan),
            "EigM": np.array([5.0, 4.0, nan, nan]),
        },
    )
    figure = error_against_epsilon(curves, epsilon=1.0, unit="", measure="error")
    well_made(figure)
    names = [trace.name for trace in figure.data]
    assert names == [
        "OptM",
        "DauM: none below ε = 1",
        "DirM: none keeps the promise",
        "EigM: none above ε = 0.4",
    ]
