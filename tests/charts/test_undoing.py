"""Published and grid-safe noise, on paper and against arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plotly import graph_objects as go

from distpriv.charts import figure_data
from distpriv.charts.undoing import UndoneRow, on_paper_and_on_the_grid
from distpriv.model.sampling import Interval

Check = Callable[[go.Figure], None]


def rows(simulated: bool = True) -> list[UndoneRow]:
    known = (Interval(0.76, 0.74, 0.78), Interval(0.57, 0.55, 0.59)) if simulated else (None, None)
    return [
        UndoneRow("DirM", "published", 0.574, known[0], True),
        UndoneRow("DirM", "grid-safe", 0.573, known[1], False),
        UndoneRow("<b>$x$", "published", 0.43, known[1], False),
    ]


def drawn(simulated: bool = True, repetitions: int = 20) -> go.Figure:
    return on_paper_and_on_the_grid(
        rows(simulated), undefended=0.7616, repetitions=repetitions, seed=7
    )


def test_both_attackers_of_each_release(well_made: Check) -> None:
    figure = drawn()
    well_made(figure)
    assert figure.layout.yaxis.ticktext[:2] == ("DirM, published", "DirM, grid-safe")
    assert figure.layout.yaxis.tickvals == (0, 1, 2)
    assert "20 repetitions, seed 7" in figure.layout.title.subtitle.text
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (0.574, 0.76)
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend[:2] == ["guessing: 50\u00a0%", "without noise, at best: 76.2\u00a0%"]
    assert len(legend) == 4
    hovers = [trace.hovertext for trace in figure.data if trace.error_x.array is not None]
    assert "undone by arithmetic" in hovers[0]
    assert "not undone" in hovers[1]


def test_before_the_first_repetition_the_paper_s_figures_are_there(well_made: Check) -> None:
    figure = drawn(False, 0)
    well_made(figure)
    assert not figure.layout.shapes
    assert "nothing simulated yet" in figure.layout.title.subtitle.text
    before, after = figure.layout.to_plotly_json(), drawn().layout.to_plotly_json()
    for layout in (before, after):
        for part in ("meta", "title", "shapes"):
            layout.pop(part, None)
    assert before == after


def test_the_table_tells_accuracies_as_they_are() -> None:
    table = figure_data(drawn())
    paper = table[table["series"].str.startswith("best attacker on paper")]
    assert paper["accuracy of the attacker (share)"].tolist() == [0.574, 0.573, 0.43]
    simulated = table[table["series"].str.startswith("attacker who knows")]
    assert simulated["release"].tolist()[:2] == ["DirM, published", "DirM, grid-safe"]
    assert simulated["low"].tolist() == pytest.approx([0.74, 0.55, 0.55])


def test_the_alternative_text_tells_both() -> None:
    alt = drawn().layout.meta["alt"]
    assert "DirM, published: 57.4\u00a0% on paper, 76.0\u00a0% (74.0\u00a0% to 78.0\u00a0%)" in alt
    assert "without noise in 76.2\u00a0%" in alt
    assert "arithmetic" not in drawn(False, 0).layout.meta["alt"]
