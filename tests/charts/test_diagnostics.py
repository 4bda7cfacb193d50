"""Quantiles, variance ratios and bootstrap intervals as drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from plotly import graph_objects as go

import distpriv as dp
from distpriv.charts import figure_data
from distpriv.charts.diagnostics import bootstrap_intervals, qq_plot, variance_ratios
from distpriv.robustness.bootstrap import (
    DeliveredIntervals,
    ModelReplicates,
    bootstrap_model,
    bootstrap_moments,
    delivered_intervals,
)
from distpriv.robustness.diagnostics import CovarianceDifference, FitDiagnostics, fit_diagnostics

Check = Callable[[go.Figure], None]
Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def found(simulated: Array, fit: dp.PairModel) -> FitDiagnostics:
    return fit_diagnostics(simulated, fit)


@pytest.fixture(scope="module")
def replicates(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty, fit: dp.PairModel
) -> ModelReplicates:
    groups = dp.record_groups(people, query, rich)
    return bootstrap_model(bootstrap_moments(groups, 100, rng=1), fit, query)


@pytest.fixture(scope="module")
def delivered(model: dp.GaussianModel, replicates: ModelReplicates) -> DeliveredIntervals:
    noise = dp.calibrate("OptM", model, epsilon=1.0, delta=1e-3)
    return delivered_intervals(replicates, noise, 1e-3)


@pytest.mark.parametrize("columns", [1, 2, 3, 9])
def test_one_panel_a_statistic(
    found: FitDiagnostics, model: dp.GaussianModel, well_made: Check, columns: int
) -> None:
    figure = qq_plot(found, model.query.labels, columns=columns)
    well_made(figure)
    shown = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert shown == ["95\u00a0% band", "p = 30\u00a0%", "p = 50\u00a0%"]
    panels = [note.text.replace("<br>", " ") for note in figure.layout.annotations]
    if columns < 4:
        assert panels == list(model.query.labels)
    domains = {(axis.domain, other.domain) for axis, other in zip(
        figure.select_xaxes(), figure.select_yaxes(), strict=True)}  # fmt: skip
    assert len(domains) == 4
    # The labels of the panels stand below the title.
    assert all(note.y <= 1 for note in figure.layout.annotations)


def test_points_lie_within_their_axes_and_tell_the_simulated_quantiles(
    found: FitDiagnostics, model: dp.GaussianModel
) -> None:
    figure = qq_plot(found, model.query.labels)
    drawn = [trace for trace in figure.data if trace.mode == "markers"]
    assert len(drawn) == 8
    for index, trace in enumerate(drawn):
        group, statistic = index % 2, index // 2
        assert trace.name == ("p = 30\u00a0%", "p = 50\u00a0%")[group]
        assert set(trace.y) <= set(found.simulated[group, :, statistic])
        assert max(trace.y) == found.simulated[group, -1, statistic]
        for axis, values in (("x", trace.x), ("y", trace.y)):
            key = (trace[f"{axis}axis"] or axis)[1:]
            low, high = figure.layout[f"{axis}axis{key}"].range
            assert low <= min(values)
            assert max(values) <= high
    table = figure_data(figure)
    assert "share town = Ahausen (standardised)" in set(table["y axis"])


def test_quantiles_in_words(found: FitDiagnostics, model: dp.GaussianModel) -> None:
    alt = qq_plot(found, model.query.labels).layout.meta["alt"]
    group, index = np.unravel_index(found.kolmogorov.argmax(), found.kolmogorov.shape)
    assert model.query.labels[index] in alt
    assert ("p = 30\u00a0%", "p = 50\u00a0%")[group] in alt
    assert f"{100 * found.kolmogorov.max():.1f}" in alt
    assert "400 datasets" in alt


def test_many_statistics_keep_the_points_bounded(well_made: Check) -> None:
    m = 16
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.1)
    thetas = (dp.model.Theta(pair.secret, 0.45, 50), dp.model.Theta(pair.secret, 0.55, 50))
    wide = dp.PairModel(pair, thetas, np.ones((2, m)), np.stack([np.eye(m)] * 2))
    drawn = np.random.default_rng(1).normal(1, 1, (2, 300, m))
    labels = [f"mean {index}" for index in range(m)]
    found = fit_diagnostics(drawn, wide)
    well_made(qq_plot(found, labels))
    well_made(variance_ratios(found.covariances, labels, pair))


def test_hostile_labels(
    found: FitDiagnostics,
    replicates: ModelReplicates,
    delivered: DeliveredIntervals,
    hostile: tuple[str, ...],
    well_made: Check,
) -> None:
    figure = qq_plot(found, hostile)
    well_made(figure)
    assert "'=cmd (standardised)" in set(figure_data(figure)["y axis"])
    ratios = variance_ratios(found.covariances, hostile, found.pair)
    well_made(ratios)
    assert "'=cmd" in set(figure_data(ratios)["statistic or direction"])
    well_made(bootstrap_intervals(replicates, delivered, mechanism=hostile[0]))


def test_ratios_of_statistics_and_directions(
    found: FitDiagnostics, fit: dp.PairModel, model: dp.GaussianModel, well_made: Check
) -> None:
    figure = variance_ratios(found.covariances, model.query.labels, fit.pair)
    well_made(figure)
    expected = np.diag(fit.covariances[1]) / np.diag(fit.covariances[0])
    assert [trace.name for trace in figure.data] == ["statistic", "direction"]
    assert list(figure.data[0].x) == pytest.approx(expected)
    least, greatest = figure.data[1].x
    assert least <= expected.min()
    assert greatest >= expected.max()
    assert figure_data(figure)["statistic or direction"].tolist()[:4] == list(model.query.labels)
    furthest = model.query.labels[np.abs(np.log(expected)).argmax()]
    assert furthest in figure.layout.meta["alt"]


def test_ratios_without_an_end_are_drawn_at_the_edge(fit: dp.PairModel, well_made: Check) -> None:
    endless = CovarianceDifference(
        np.array([np.inf, 1.0]), np.array([0.0, np.inf]), box_m=1.0, p_value=1e-9
    )
    figure = variance_ratios(endless, ["first", "second"], fit.pair)
    well_made(figure)
    low, high = (10**end for end in figure.layout.xaxis.range)
    for trace in figure.data:
        assert low < min(trace.x)
        assert max(trace.x) < high
    assert figure_data(figure).iloc[0, 1] == np.inf
    assert "∞ times" in figure.layout.meta["alt"]
    assert "p below 0.001" in figure.layout.meta["alt"]


def test_a_single_statistic_has_no_directions(
    simulated: Array, fit: dp.PairModel, well_made: Check
) -> None:
    single = dataclasses.replace(
        fit, means=fit.means[:, :1], covariances=fit.covariances[:, :1, :1]
    )
    found = fit_diagnostics(simulated[:, :, :1], single)
    figure = variance_ratios(found.covariances, ["mean age"], fit.pair)
    well_made(figure)
    assert [trace.name for trace in figure.data] == ["statistic"]
    well_made(qq_plot(found, ["mean age"]))


def test_intervals_as_computed(
    replicates: ModelReplicates, delivered: DeliveredIntervals, well_made: Check
) -> None:
    figure = bootstrap_intervals(replicates, delivered, promised=1.0, mechanism="OptM")
    well_made(figure)
    table = figure_data(figure).dropna(subset="low")
    expected = [
        replicates.sensitivity,
        replicates.mahalanobis,
        delivered.epsilon,
        delivered.accuracy,
    ]
    assert table["estimate"].tolist() == pytest.approx([one.estimate for one in expected])
    assert table["low"].tolist() == pytest.approx([one.low for one in expected])
    assert table["high"].tolist() == pytest.approx([one.high for one in expected])
    assert table["quantity"].tolist()[2] == "ε delivered with OptM, pooled covariance"
    ranges = [axis.range for axis in figure.select_xaxes()]
    for (low, high), one in zip(ranges, expected, strict=True):
        assert low < one.low
        assert one.high < high
    rules = [trace for trace in figure.data if trace.name == "promised ε"]
    assert [(trace.x, trace.xaxis) for trace in rules] == [((1.0, 1.0), "x3")]


def test_intervals_of_the_distances_alone(replicates: ModelReplicates, well_made: Check) -> None:
    figure = bootstrap_intervals(replicates)
    well_made(figure)
    assert len(figure.data) == 2
    assert "promised" not in figure.layout.meta["how_to_read"]


def test_an_interval_of_no_width(well_made: Check) -> None:
    nothing = dp.model.Interval(0.0, 0.0, 0.0)
    still = ModelReplicates(np.zeros((101, 1)), np.ones((101, 1, 1)), nothing, nothing)
    figure = bootstrap_intervals(
        still, DeliveredIntervals(nothing, dp.model.Interval(0.5, 0.5, 0.5))
    )
    well_made(figure)
    for axis in figure.select_xaxes():
        assert axis.range[0] < axis.range[1]
