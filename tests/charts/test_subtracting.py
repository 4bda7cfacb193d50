"""The chart of noise that is subtracted by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plotly import graph_objects as go

from distpriv.charts import figure_data
from distpriv.charts.subtracting import off_the_grid
from distpriv.lessons import SubtractedNoise, course_of, subtracted_noise
from distpriv.lessons.course import NAMES
from distpriv.lessons.subtracting import TRIED
from distpriv.tables.examples import load_census_income


@pytest.fixture(scope="module")
def found() -> SubtractedNoise:
    return subtracted_noise(course_of(load_census_income()))


def test_one_value_stands_out_as_published_and_none_with_a_floor(
    well_made: Callable[[go.Figure], None], found: SubtractedNoise
) -> None:
    tried, truth = found.tried.tolist(), round(found.answer[TRIED])
    figure = off_the_grid(found.published, tried, truth, NAMES, title="As published")
    well_made(figure)
    assert figure.layout.meta["alt"].startswith(f"Only {truth} puts all")
    bars, *marks = figure.data
    assert [x for x, y in zip(bars.x, bars.y, strict=True) if y < 1e-6] == [truth]
    assert [mark.name for mark in marks] == [name for name in NAMES if name != NAMES[TRIED]]
    assert all(mark.x == (truth,) and mark.y[0] < 1e-6 for mark in marks)
    assert len(figure_data(figure)) == len(tried) + 4

    covered = off_the_grid(found.covered, tried, truth + 1, NAMES, title="With a floor")
    well_made(covered)
    assert covered.layout.meta["alt"].startswith("No value puts all")
    assert min(covered.data[0].y) > 0.1
    assert max(mark.y[0] for mark in covered.data[1:]) == covered.data[0].y[tried.index(truth + 1)]
