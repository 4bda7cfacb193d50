"""Error against attack, with two limits."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.analysis.acceptable_error import ErrorLimit
from distpriv.analysis.design import Limit
from distpriv.analysis.frontier import Frontier, frontier
from distpriv.charts import figure_data
from distpriv.charts.frontier import error_against_attack
from distpriv.words import plain

NAMES = ["ExpM", "OptM"]


def found(model: dp.GaussianModel, share: float, right: float) -> Frontier:
    limits = [ErrorLimit(place, share, "deviation") for place in range(4)]
    return frontier(Limit("guesses", right), limits, model, NAMES, delta=1e-3, calibration="exact")


def drawn(known: Frontier):
    return error_against_attack(
        known,
        measure="largest error, of its limit",
        unit="%",
        scale=100.0,
        attack="right guesses of 100",
        say=lambda value: f"{value:.3g} right of 100",
        selected="OptM",
    )


@pytest.mark.parametrize(("share", "right"), [(4.0, 65), (0.3, 53), (2.0, 95)])
def test_what_keeps_both_is_drawn_thick(model, well_made, share, right):
    known = found(model, share, right)
    figure = drawn(known)
    well_made(figure)
    title = plain(figure.layout.title.text)
    kept = f"{known.both[0].mechanism} keeps both limits" if known.both else "No mechanism keeps"
    assert title.startswith(kept)
    thick = {trace.name.partition(",")[0] for trace in figure.data if "both" in trace.name}
    assert thick == {one.mechanism for one in known.both}
    for trace in figure.data:
        if "both" in trace.name:
            assert max(trace.x) <= right * (1 + 1e-9)
            assert max(trace.y) <= 100 * (1 + 1e-9)
            assert trace.line.width > 4
    wide, tall, both = figure.layout.shapes
    assert wide.y1 == both.y1 == 100
    assert tall.x1 == both.x1 == right
    left, top = figure.layout.xaxis.range
    assert left < right < top
    assert 10 ** figure.layout.yaxis.range[1] >= 100


def test_it_says_what_the_error_costs(model):
    known = found(model, 4.0, 65)
    told = drawn(known).layout.meta["alt"]
    for choice in known.by_error.choices:
        assert (
            f"{known.limit.reached(choice.test):.3g} right of 100 with {choice.mechanism}" in told
        )
    assert "65 right of 100 is allowed" in told
    assert "none keeps" in drawn(found(model, 0.3, 53)).layout.meta["alt"]
    nothing = drawn(found(model, 1e-6, 53)).layout.meta["alt"]
    assert "none keeps" in nothing or "No mechanism" in nothing


def test_the_table_holds_true_values_where_the_axis_ends(model):
    known = found(model, 4.0, 95)
    table = figure_data(drawn(known))
    line = known.lines["OptM"]
    errors = table.loc[table.iloc[:, 0] == "OptM"].iloc[:, -1].to_numpy(dtype=float)
    assert errors == pytest.approx(100 * line.errors[np.isfinite(line.errors)], nan_ok=True)
    assert (line.errors == 0).any()
