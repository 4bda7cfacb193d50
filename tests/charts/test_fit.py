"""Histograms with fitted curves, and correlations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from plotly import graph_objects as go

import distpriv as dp
from distpriv.charts import figure_data
from distpriv.charts.fit import covariance_heatmap, fit_histograms

Check = Callable[[go.Figure], None]
Array = NDArray[np.float64]


@pytest.fixture
def units(model: dp.GaussianModel) -> tuple[str, ...]:
    return model.query.units({"age": "years", "hours": "hours"})


@pytest.mark.parametrize("columns", [1, 2, 3, 9])
def test_one_panel_a_statistic(
    fit: dp.PairModel,
    model: dp.GaussianModel,
    units: tuple[str, ...],
    simulated: Array,
    well_made: Check,
    columns: int,
) -> None:
    figure = fit_histograms(fit, model.query.labels, units, simulated, columns=columns)
    well_made(figure)
    shown = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert shown == ["p = 30\u00a0%", "p = 50\u00a0%"]
    if columns > 3:
        return
    titles = [axis.title.text.replace("<br>", " ") for axis in figure.select_xaxes()]
    assert titles == [
        "mean age (years)",
        "sum hours (hours)",
        "count status = married (records)",
        "share town = Ahausen",
    ]


def test_bars_and_curves_have_area_one(
    fit: dp.PairModel, model: dp.GaussianModel, units: tuple[str, ...], simulated: Array
) -> None:
    figure = fit_histograms(fit, model.query.labels, units, simulated)
    for trace in figure.data:
        if trace.type == "bar":
            assert np.dot(trace.y, trace.width) == pytest.approx(1)
        else:
            assert np.trapezoid(trace.y, trace.x) == pytest.approx(1, abs=1e-3)


def test_bins_of_a_count_hold_whole_numbers(
    fit: dp.PairModel, model: dp.GaussianModel, units: tuple[str, ...], simulated: Array
) -> None:
    figure = fit_histograms(fit, model.query.labels, units, simulated)
    bars = next(trace for trace in figure.data if trace.type == "bar" and trace.xaxis == "x3")
    width = bars.width[0]
    edges = np.array(bars.x) - width / 2
    assert width == round(width)
    assert np.allclose(edges % 1, 0.5)


def test_curves_alone(
    fit: dp.PairModel, model: dp.GaussianModel, units: tuple[str, ...], well_made: Check
) -> None:
    figure = fit_histograms(fit, model.query.labels, units, None)
    well_made(figure)
    assert {trace.type for trace in figure.data} == {"scatter"}


def test_a_statistic_that_hardly_varies_in_the_simulation(
    fit: dp.PairModel, model: dp.GaussianModel, units: tuple[str, ...], well_made: Check
) -> None:
    well_made(fit_histograms(fit, model.query.labels, units, np.ones((2, 5, 4))))


def test_many_statistics_keep_the_points_bounded(well_made: Check) -> None:
    m = 16
    secret = dp.SensitiveProperty("income", "high").pair(0.5, 0.1)
    thetas = (dp.model.Theta(secret.secret, 0.45, 50), dp.model.Theta(secret.secret, 0.55, 50))
    wide = dp.PairModel(secret, thetas, np.ones((2, m)), np.stack([np.eye(m)] * 2))
    drawn = np.random.default_rng(1).normal(1, 1, (2, 300, m))
    labels = [f"mean {index}" for index in range(m)]
    well_made(fit_histograms(wide, labels, [""] * m, drawn))
    well_made(covariance_heatmap(wide, labels))


def test_hostile_labels(
    fit: dp.PairModel, hostile: tuple[str, ...], simulated: Array, well_made: Check
) -> None:
    figure = fit_histograms(fit, hostile, hostile, simulated)
    well_made(figure)
    table = figure_data(figure)
    assert "'=cmd (=cmd)" in set(table["x axis"])
    well_made(covariance_heatmap(fit, hostile))


def test_correlations(fit: dp.PairModel, model: dp.GaussianModel, well_made: Check) -> None:
    figure = covariance_heatmap(fit, model.query.labels)
    well_made(figure)
    deviations = np.sqrt(np.diag(fit.pooled))
    expected = fit.pooled / np.outer(deviations, deviations)
    table = figure_data(figure)
    assert table["value"].to_numpy().reshape(4, 4) == pytest.approx(expected)
    assert table["statistic"].tolist()[:4] == list(model.query.labels)
    assert figure.data[0].zmin == -1
    assert figure.data[0].zmax == 1
    assert len(figure.layout.annotations) == 16
    assert figure.layout.yaxis.scaleanchor == "x"
