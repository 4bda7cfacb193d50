"""What is left of a promise, the cost of extra noise, and close attackers, drawn."""

from __future__ import annotations

import numpy as np
import pytest

from distpriv.charts import figure_data
from distpriv.charts.relaxations import Line, attacker_curve, error_curve, frontier_curves
from distpriv.model.sampling import Interval

EPSILONS = np.linspace(1, 3, 11)


def frontier(deltas, **options):
    lines = {"measured <b>": Line(EPSILONS, deltas), "exact": Line(EPSILONS, deltas / 50)}
    return frontier_curves(
        lines, title="What is left", promised=(1.0, 1e-3), how_to_read="lower is better.", **options
    )


def test_the_frontier_with_its_marks(well_made):
    deltas = np.geomspace(0.3, 2e-3, 11)
    figure = frontier(deltas, chosen=(1.4, float(deltas[2])))
    well_made(figure)
    names = [trace.name for trace in figure.data]
    assert names == ["measured &lt;b&gt;", "exact", "the promise", "λ as chosen"]
    assert (figure.data[3].x[0], figure.data[3].y[0]) == (1.4, deltas[2])
    assert figure.layout.meta["alt"].startswith("What holds: δ′ = 0.110 at ε′ = 1.4")
    table = figure_data(figure)
    assert table[table["series"] == "exact"]["δ′"].tolist() == pytest.approx(deltas / 50)


def test_a_frontier_that_leaves_the_chart(well_made):
    figure = frontier(np.geomspace(1.0, 1e-30, 11), chosen=None)
    well_made(figure)
    assert figure.data[0].y[-1] is None
    assert figure_data(figure)["δ′"].notna().all()
    # Nothing left to promise at all.
    well_made(frontier(np.ones(11), chosen=(1.0, 1.0)))
    well_made(frontier(np.zeros(11), chosen=(1.0, 0.0)))


def test_the_cost_of_more_noise(well_made):
    errors = [Interval(100 / e, 99 / e, 101 / e) for e in EPSILONS]
    figure = error_curve(EPSILONS, errors, plain=8.1, chosen=3, unit="<tolerances>")
    well_made(figure)
    assert (
        "At ε′ = 1.6 the error is 62.5; without the extra noise it is 8.1."
        in (figure.layout.meta["alt"])
    )
    assert figure.layout.shapes[0].y0 == 8.1
    table = figure_data(figure)
    assert table["low"].tolist() == pytest.approx(99 / EPSILONS)


def test_close_attackers(well_made):
    offsets = np.linspace(0, 2, 9)
    figure = attacker_curve(offsets, 1 + 3 * offsets, promised=1.0, chosen=0.5)
    well_made(figure)
    assert "0.5 percentage points off, ε′ is 2.5 where 1 is promised." in figure.layout.meta["alt"]
    # A share of 0 ends the support: nothing is promised from there on.
    ended = np.where(offsets > 1, np.inf, 1 + offsets)
    figure = attacker_curve(offsets, ended, promised=1.0, chosen=1.5)
    well_made(figure)
    assert "ε′ is ∞" in figure.layout.meta["alt"]
    assert figure.data[0].y[-1] is None
