"""δ against ε, and δ and ε against repeated releases."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.analysis import sweeps
from distpriv.charts import figure_data
from distpriv.charts.guarantee import delivered_by_releases, profile_curves

COUNTS = (1, 2, 5, 10)
PROMISE = {"epsilon": 1.0, "delta": 1e-3}


@pytest.fixture(scope="module")
def noises(model):
    return {name: dp.calibrate(name, model, 1.0, 1e-3) for name in ("ExpM", "OptM")}


def test_the_profile_with_its_promise(model, noises, well_made):
    curves = sweeps.profiles(model, noises, np.linspace(0, 2, 9))
    figure = profile_curves(curves, **PROMISE, selected="OptM")
    well_made(figure)
    mark = next(trace for trace in figure.data if trace.name == "the promise")
    assert (mark.x[0], mark.y[0]) == (1.0, 1e-3)
    assert figure.layout.yaxis.range == pytest.approx((-7, 0), abs=1e-5)
    assert "At ε = 1 δ delivered is" in figure.layout.meta["alt"]
    assert {trace.name for trace in figure.data} == {"ExpM", "OptM", "no noise", "the promise"}
    table = figure_data(figure)
    drawn = table[(table["series"] == "OptM") & (table["ε"] == 1.0)]["δ delivered"]
    delivered = dp.delivered_delta(model, noises["OptM"], 1.0)
    assert drawn.item() == pytest.approx(delivered, rel=1e-9)


def test_a_profile_below_the_floor_leaves_the_chart(model, noises, well_made):
    curves = sweeps.profiles(model, {"OptM": noises["OptM"]}, np.linspace(0, 20, 9))
    figure = profile_curves(curves, **PROMISE)
    well_made(figure)
    line = next(trace for trace in figure.data if trace.name == "OptM")
    assert line.y[-1] is None
    assert figure_data(figure)["δ delivered"].notna().all()


def test_repeated_releases(model, noises, well_made):
    deltas = delivered_by_releases(
        sweeps.sweep(sweeps.delivered_deltas(1.0), "releases", COUNTS, model, noises),
        "δ",
        count=5,
        **PROMISE,
    )
    epsilons = delivered_by_releases(
        sweeps.sweep(sweeps.delivered_epsilons(1e-3), "releases", COUNTS, model, noises),
        "ε",
        count=5,
        **PROMISE,
    )
    for figure in (deltas, epsilons):
        well_made(figure)
        assert "At releases = 5" in figure.layout.meta["alt"]
    assert epsilons.layout.shapes[0].y0 == 1.0
    assert deltas.layout.shapes[0].y0 == 1e-3
