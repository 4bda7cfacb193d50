"""The sum rule beside what is delivered, and the two statistics of the example."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.charts import figure_data
from distpriv.charts.composition import added_up, two_statistics
from distpriv.composition.counterexample import (
    COIN,
    TOGETHER,
    example_against_correlation,
    example_against_releases,
)
from distpriv.composition.rules import AGAIN, SUM_RULE, repeated_release

WORDS = {"title": "ε", "x_title": "x", "x_name": "x", "how_to_read": "higher is less private."}


def test_against_correlation(well_made):
    curves = example_against_correlation(0.25, 1.0, 1e-3, [0.0, 0.5, 0.99, 0.9999])
    figure = added_up(curves, **WORDS, current=0.5)
    well_made(figure)
    assert [trace.name for trace in figure.data] == [SUM_RULE, TOGETHER, COIN]
    assert len({trace.line.dash for trace in figure.data}) == 3
    # Past a few times the sum rule a line leaves the chart; its figures stay.
    assert curves.y[TOGETHER][-1] > figure.layout.yaxis.range[1]
    table = figure_data(figure)
    drawn = table[table["series"] == TOGETHER]["ε delivered"]
    assert drawn.tolist() == curves.y[TOGETHER].tolist()
    assert "At x = 0.5, ε is 2 for sum rule, " in figure.layout.meta["alt"]
    assert "x = 0.5" in [annotation.text for annotation in figure.layout.annotations]


def test_against_releases(well_made, model):
    example = dp.composition.CompositionExample.calibrated(0.25, 0.99, 1.0, 1e-3)
    curves = example_against_releases(example, 1.0, 1e-3, [1, 2, 5])
    figure = added_up(curves, **WORDS, current=2)
    well_made(figure)
    assert [trace.name for trace in figure.data] == [SUM_RULE, COIN, AGAIN]
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    figure = added_up(repeated_release(model, noise, [1, 3], 1e-3), **WORDS, current=9)
    well_made(figure)
    assert "Nothing is known at x = 9" in figure.layout.meta["alt"]


def test_curves_that_are_zero_or_infinite_have_an_axis(well_made):
    zero = dp.mechanisms.curves.Curves(
        np.array([1.0, 2.0]), {SUM_RULE: np.zeros(2), AGAIN: np.zeros(2)}
    )
    well_made(added_up(zero, **WORDS, current=1))
    endless = dp.mechanisms.curves.Curves(
        np.array([1.0, 2.0]), {SUM_RULE: np.ones(2), AGAIN: np.full(2, np.inf)}
    )
    figure = added_up(endless, **WORDS, current=1)
    well_made(figure)
    assert np.isfinite(figure.layout.yaxis.range).all()


@pytest.mark.parametrize(("correlation", "noise"), [(0.99, 0.0), (-0.5, 0.0), (0.0, 1.5)])
def test_the_ellipses_hold_95_percent(well_made, rng, correlation, noise):
    example = dp.composition.CompositionExample(0.4, correlation, noise)
    figure = two_statistics(example)
    well_made(figure)
    data = np.array([[1, correlation], [correlation, 1]])
    drawn = rng.multivariate_normal([0, 0], data, 40_000) + rng.normal(size=(40_000, 2)) * [
        noise,
        0,
    ]
    first, second = (np.column_stack([trace.x, trace.y]) for trace in figure.data)
    np.testing.assert_allclose(second - first, [[0.4, 0.0]] * len(first), atol=1e-12)
    # Inside is what lies on the inner side of every edge of the polygon.
    edges = np.diff(first, axis=0)
    turned = np.column_stack([-edges[:, 1], edges[:, 0]])
    inside = (drawn @ turned.T >= (first[:-1] * turned).sum(axis=1)).all(axis=1)
    assert inside.mean() == pytest.approx(0.95, abs=0.006)
    assert all(
        axis.range[0] <= low and high <= axis.range[1]
        for axis, low, high in (
            (figure.layout.xaxis, first[:, 0].min(), second[:, 0].max()),
            (figure.layout.yaxis, first[:, 1].min(), first[:, 1].max()),
        )
    )
