"""Releases added up, and the alternatives of a decision, drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from plotly import graph_objects as go

from distpriv.charts import figure_data
from distpriv.charts.alternatives import alternatives_chart
from distpriv.charts.ledger import adding_up
from distpriv.composition.releases import Standing
from tests.examples import alternative

Check = Callable[[go.Figure], None]


def standing(count: int, accuracy: float, exact: bool = True) -> Standing:
    return Standing(count, accuracy, exact, None, None)


MADE = [standing(0, 0.5), standing(1, 0.577), standing(2, 0.61), standing(3, 0.64, exact=False)]


@pytest.mark.parametrize("made", [MADE[:2], MADE, [*MADE, standing(300, 1.0)]])
def test_the_sum_is_well_made(made, well_made: Check) -> None:
    well_made(adding_up(made, undefended=0.76, ceiling=0.731))
    well_made(adding_up(made, undefended=None, ceiling=None))


def test_the_sum_is_told_and_can_be_taken_away() -> None:
    figure = adding_up(MADE, undefended=0.76, ceiling=None)
    assert "After 2 releases the best attacker is right in 61.0\u00a0%" in figure.layout.meta["alt"]
    assert "after 3 releases in at most 64.0\u00a0%" in figure.layout.meta["alt"]
    table = figure_data(figure)
    made = table[table["series"] == "released so far"]
    assert made["releases"].tolist() == [0, 1, 2]
    assert made["accuracy of the best attacker (share)"].tolist() == [0.5, 0.577, 0.61]
    following = next(trace for trace in figure.data if trace.name == "with the next one")
    assert list(following.x) == [2, 3]
    assert following.marker.symbol[-1] == "triangle-down-open"


def test_the_axis_of_releases_holds_still_at_first() -> None:
    ranges = [adding_up(MADE[:k], undefended=None, ceiling=None).layout.xaxis.range for k in (2, 4)]
    assert ranges[0] == ranges[1]


@pytest.mark.parametrize("chosen", ["now", None])
def test_alternatives_are_well_made(hostile, chosen, well_made: Check) -> None:
    few = [alternative("now"), alternative("none", 9.0, error=0.0, accuracy=1.0)]
    well_made(alternatives_chart(few, chosen))
    well_made(alternatives_chart([alternative("now"), *map(alternative, hostile)], chosen))


def test_the_proposed_alternative_is_ringed() -> None:
    figure = alternatives_chart(
        [alternative("now"), alternative("half", 0.5, error=15.4, accuracy=0.54)], "half"
    )
    ring = figure.data[-1]
    assert ring.marker.symbol == "circle-open"
    assert (ring.x[0], ring.y[0]) == (15.4, 0.54)
    assert "54.0\u00a0% and 15.4 (half), the proposed one" in figure.layout.meta["alt"]


def test_an_error_that_is_not_known_is_left_out() -> None:
    figure = alternatives_chart([alternative("now", error=np.nan)], "now")
    assert figure.layout.xaxis.range[1] > 0
