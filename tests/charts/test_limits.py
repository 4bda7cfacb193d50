"""Bars of what is used of agreed limits."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from plotly import graph_objects as go

from distpriv.charts import figure_data
from distpriv.charts.limits import limit_bars
from distpriv.store import Use
from distpriv.words import plain

Check = Callable[[go.Figure], None]

HALF = Use("accuracy", 0.6, None, 0.55, 0.58)
BEYOND = Use("budget", 2.0, 1e-3, 1.0, 9.0, exact=False)
PERSONS = Use("persons", 1.0, 1e-5, 2.0, math.inf)


@pytest.mark.parametrize("uses", [[HALF], [HALF, BEYOND], [HALF, BEYOND, PERSONS]])
def test_bars_are_well_made(uses: list[Use], hostile, well_made: Check) -> None:
    well_made(limit_bars([("income = high", use) for use in uses]))
    for name in hostile:
        well_made(limit_bars([(name, use) for use in uses]))


def test_the_title_says_whether_it_fits() -> None:
    def title(*uses: Use) -> str:
        return plain(limit_bars([("rich", use) for use in uses]).layout.title.text)

    assert title(HALF) == "It fits: 80 % of the limit"
    assert title(HALF, BEYOND) == "It does not fit: 450 % of the tightest limit"
    assert title(PERSONS) == "It does not fit: more than 1 000 % of the limit"
    assert title(Use("accuracy", 0.6, None, 0.55, 0.55)) == "Used so far: 50 % of the limit"


def test_what_is_used_is_told_and_can_be_taken_away() -> None:
    figure = limit_bars([("rich", HALF)])
    said = figure.layout.meta["alt"].replace("\u00a0", " ")
    assert said == (
        "Of the limit right in 60 % on rich 50.0 % so far and 80.0 % with this release are taken, "
        "which fits."
    )
    table = figure_data(figure)
    measured = table.iloc[
        :, 1 + list(table.columns[1:]).index("share of what the limit allows beyond guessing")
    ]
    assert measured.tolist() == pytest.approx([0.5, 0.3, 0.2])


def test_what_is_beyond_ends_with_the_axis_and_keeps_its_figure() -> None:
    figure = limit_bars([("rich", BEYOND)])
    drawn = [trace.x[0] for trace in figure.data]
    assert sum(drawn) == figure.layout.xaxis.range[1] == 2.0
    assert figure.data[1].meta["x"] == [4.0]
    assert "beyond it" in figure.layout.meta["alt"]
    assert "at most ε = 9" in figure.data[1].hovertext[0].replace("\u00a0", " ")
