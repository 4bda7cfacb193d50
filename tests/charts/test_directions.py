"""Ellipses, eigenvalues and the components of the shift."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from plotly import graph_objects as go

import distpriv as dp
from distpriv import mechanisms
from distpriv.charts import figure_data
from distpriv.charts.directions import eigenvalue_shares, ellipses, shift_components
from distpriv.privacy.noise import Noise

Check = Callable[[go.Figure], None]
UNITS = ("years", "hours", "records", "")


@pytest.fixture
def noises(model: dp.GaussianModel) -> dict[str, Noise]:
    model = model.densities()
    return {name: dp.calibrate(name, model, 2.0, 1e-3) for name in ("ExpM", "DirM", "DauM")}


@pytest.fixture
def still(fit: dp.PairModel) -> dp.PairModel:
    """A pair that moves no statistic."""
    means = np.stack([fit.means[0]] * 2)
    return dp.PairModel(fit.pair, fit.thetas, means, fit.covariances)


def trace_of(figure: go.Figure, name: str) -> go.Scatter:
    return next(trace for trace in figure.data if trace.name == name)


def test_the_ellipses_hold_95_percent(
    fit: dp.PairModel, model: dp.GaussianModel, noises: dict[str, Noise], well_made: Check
) -> None:
    figure = ellipses(fit, noises, 0, 2, model.query.labels, UNITS)
    well_made(figure)
    outline = trace_of(figure, "p = 30\u00a0%")
    away = np.column_stack([outline.x, outline.y]) - fit.means[0, [0, 2]]
    block = fit.covariances[0][np.ix_([0, 2], [0, 2])]
    distances = np.einsum("ki,ij,kj->k", away, np.linalg.inv(block), away)
    assert distances == pytest.approx(np.full(len(away), 5.991464547))
    assert figure.layout.xaxis.title.text == "mean age (years)"
    assert figure.layout.yaxis.title.text == "count status = married (records)"


def test_axes_can_be_those_of_another_fit_and_to_scale(
    fit: dp.PairModel, model: dp.GaussianModel, well_made: Check
) -> None:
    wide = dp.PairModel(fit.pair, fit.thetas, fit.means, 4 * fit.covariances)
    options = {"names": ("one", "two"), "widest": wide, "to_scale": True}
    figure = ellipses(fit, {}, 0, 2, model.query.labels, UNITS, **options)
    well_made(figure)
    expected = ellipses(wide, {}, 0, 2, model.query.labels, UNITS)
    for axis in ("xaxis", "yaxis"):
        assert figure.layout[axis].range == pytest.approx(expected.layout[axis].range)
    assert figure.layout.yaxis.scaleanchor == "x"
    assert expected.layout.yaxis.scaleanchor is None
    assert trace_of(figure, "two").fill == "toself"
    # Without noise there is no word of it.
    meta = figure.layout.meta
    assert "noise" not in f"{figure.layout.title.text} {meta['alt']} {meta['how_to_read']}"
    assert meta["alt"].startswith("From one to two, ")


def test_the_arrow_is_the_shift(
    fit: dp.PairModel, model: dp.GaussianModel, noises: dict[str, Noise]
) -> None:
    arrow = ellipses(fit, noises, 0, 2, model.query.labels, UNITS).layout.annotations[0]
    assert (arrow.ax, arrow.ay) == pytest.approx(tuple(fit.means[0, [0, 2]]))
    assert (arrow.x, arrow.y) == pytest.approx(tuple(fit.means[1, [0, 2]]))


def test_noise_in_one_direction_is_a_segment(
    fit: dp.PairModel, model: dp.GaussianModel, noises: dict[str, Noise]
) -> None:
    figure = ellipses(fit, noises, 0, 2, model.query.labels, UNITS)
    segment = trace_of(figure, "noise of DirM")
    assert len(segment.x) == 2
    reach = np.array([np.ptp(segment.x), np.ptp(segment.y)]) / 2
    expected = 2.4477468 * np.sqrt(np.diag(noises["DirM"].covariance)[[0, 2]])
    assert reach == pytest.approx(expected)
    assert len(trace_of(figure, "noise of ExpM").x) > 50


def test_zero_noise_is_told_and_not_drawn(
    fit: dp.PairModel, model: dp.GaussianModel, well_made: Check
) -> None:
    free = dp.calibrate("DauM", model, 90.0, 1e-3)
    assert free.is_zero
    figure = ellipses(fit, {"DauM": free}, 0, 2, model.query.labels, UNITS)
    well_made(figure)
    assert "noise of DauM" not in [trace.name for trace in figure.data]
    assert "no noise in these two statistics from DauM" in figure.layout.meta["how_to_read"]


@pytest.mark.parametrize("size", [0.01, 0.9, 1.2, 1.9, 3.9, 5.9, 6.1, 1000])
def test_the_view_grows_in_steps_up_to_six_times_the_model(
    fit: dp.PairModel, model: dp.GaussianModel, size: float
) -> None:
    labels = model.query.labels
    alone = ellipses(fit, {}, 0, 2, labels, UNITS).layout
    half = np.ptp(alone.xaxis.range) / 2 / 1.12
    direction = np.array([[1.0], [0.0], [0.0], [0.0]])
    noise = Noise("DirM", "gaussian", direction, np.array([size * half / 2.4477468]), 1.0, 1e-3)
    layout = ellipses(fit, {"DirM": noise}, 0, 2, labels, UNITS).layout
    for axis in ("xaxis", "yaxis"):
        zoom = np.ptp(layout[axis].range) / np.ptp(alone[axis].range)
        assert zoom == pytest.approx(min(s for s in (1, 1.5, 2, 3, 4, 6) if s >= min(size, 6)))
    assert ("cuts the noise of DirM" in layout.meta["how_to_read"]) == (size > 6)


def test_the_shares_of_the_shift_add_up(
    fit: dp.PairModel, model: dp.GaussianModel, well_made: Check
) -> None:
    figure = eigenvalue_shares(fit, model.query.labels)
    well_made(figure)
    variances, shares = figure.data
    assert np.sum(shares.x) == pytest.approx(100)
    assert variances.x == pytest.approx(np.linalg.eigvalsh(fit.pooled)[::-1])
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.title.text == "variance (units²)"
    assert figure.layout.xaxis2.title.text == "share of the shift (%)"


def test_the_components_point_from_p_i_to_p_j(
    fit: dp.PairModel, model: dp.GaussianModel, well_made: Check
) -> None:
    figure = shift_components(fit, model.query.labels, units=UNITS)
    well_made(figure)
    table = figure_data(figure).set_index("statistic")["component of the unit shift v (no unit)"]
    expected = -fit.difference / np.linalg.norm(fit.difference)
    assert table.loc[list(model.query.labels)].to_numpy() == pytest.approx(expected)
    assert "years" in figure.data[0].hovertext[0]


def test_a_secret_that_moves_nothing(
    still: dp.PairModel, model: dp.GaussianModel, well_made: Check
) -> None:
    labels = model.query.labels
    figure = ellipses(still, {}, 0, 1, labels, UNITS)
    well_made(figure)
    assert not figure.layout.annotations
    for chart in (eigenvalue_shares(still, labels), shift_components(still, labels)):
        well_made(chart)
        assert "move no statistic" in chart.layout.meta["alt"]


def test_a_single_statistic(people: object, pair: dp.Pair, well_made: Check) -> None:
    single = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), pair, n=60).pairs[0]
    well_made(eigenvalue_shares(single, ["mean age"]))
    well_made(shift_components(single, ["mean age"]))


def test_hostile_labels(
    fit: dp.PairModel, model: dp.GaussianModel, hostile: tuple[str, ...], well_made: Check
) -> None:
    everything = {name: dp.calibrate(name, model, 1.0, 1e-3) for name in mechanisms.names()}
    everything["<b>new</b>"] = everything["ExpM"]
    figure = ellipses(fit, everything, 1, 3, hostile, hostile)
    well_made(figure)
    assert "'=cmd (=cmd)" in figure_data(figure).columns
    well_made(eigenvalue_shares(fit, hostile))
    components = shift_components(fit, hostile, units=hostile)
    well_made(components)
    assert "'=cmd" in set(figure_data(components)["statistic"])
