"""Moves, distances and the noise they take, as pictures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from plotly import graph_objects as go

from distpriv.charts import figure_data
from distpriv.charts.coupling import closeness_curves, moves_in_plane, moves_on_line, noise_bars
from distpriv.distances.outcomes import Outcomes
from distpriv.words import plain

Check = Callable[[go.Figure], None]
FIGURE_1 = Outcomes(
    (np.array([1.0, 2.0, 100.0]), np.array([1.0, 2.0, 3.0, 100.0])),
    (np.array([0.6, 0.2, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])),
    exact=True,
)


def on_line(outcomes: Outcomes, delta: float) -> go.Figure:
    first, second = (points[:, 0] for points in outcomes.points)
    coupling = outcomes.coupling(delta)
    return moves_on_line(
        first, second, outcomes.masses, coupling, names=("μ", "ν"), axis_title="value"
    )


def test_figure_1_leaves_the_long_move_out(well_made: Check) -> None:
    figure = on_line(FIGURE_1, 0.1)
    well_made(figure)
    dashed = [trace for trace in figure.data if trace.line.dash == "dash"]
    assert [plain(trace.name) for trace in dashed] == ["moved further, left out"]
    assert dashed[0].meta["x"] == [100.0, 3.0]
    assert "0.1 from 100 to 3: 97 far" in dashed[0].hovertext[0]
    assert figure.layout.meta["alt"] == "μ becomes ν by moves of at most 1, leaving out 10\u00a0%."
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "3", "100"]
    data = figure_data(figure)
    assert data.loc[data["series"] == "μ", "mass"].tolist() == [0.6, 0.2, 0.2]


def test_with_nothing_left_out_no_move_is_dashed(well_made: Check) -> None:
    figure = on_line(FIGURE_1, 0.0)
    well_made(figure)
    assert not [trace for trace in figure.data if trace.line.dash == "dash"]
    assert "none goes further than W" in figure.layout.meta["how_to_read"]


def test_many_places_are_drawn_to_scale(well_made: Check) -> None:
    rng = np.random.default_rng(1)
    figure = on_line(Outcomes((rng.normal(size=50), rng.normal(size=50) + 1)), 0.1)
    well_made(figure)
    assert figure.layout.xaxis.range[1] < 10
    assert "side by side" not in figure.layout.meta["how_to_read"]


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_moves_between_samples(well_made: Check, hostile: tuple[str, ...], delta: float) -> None:
    rng = np.random.default_rng(1)
    outcomes = Outcomes((rng.normal(size=(300, 4)), rng.normal(size=(300, 4)) + 1))
    coupling = outcomes.coupling(delta)
    figure = moves_in_plane(
        *outcomes.points,
        coupling,
        across=1,
        up=3,
        labels=hostile,
        units=hostile,
        names=("p = 45 %", "p = 55 %"),
    )
    well_made(figure)
    circles = next(trace for trace in figure.data if plain(trace.name) == "p = 45 %")
    longest = int(np.argmax(coupling.distances))
    start = outcomes.points[0][coupling.sources[longest]]
    assert (circles.x[0], circles.y[0]) == (start[1], start[3])


def test_distances_against_delta(well_made: Check) -> None:
    curves = {"the two shares": {0.0: 12.0, 0.1: 4.0}, "normals": {}, "again": {0.0: 3.0}}
    figure = closeness_curves(curves, delta=0.05, largest=0.2)
    well_made(figure)
    assert [trace.name for trace in figure.data] == ["the two shares", "again"]
    assert figure.layout.meta["alt"] == (
        "With nothing left out, W is 12 for the two shares and 3 for again."
    )
    unknown = closeness_curves({"a": {}, "b": {0.1: 2.0}}, delta=0.05, largest=0.2)
    assert unknown.layout.meta["alt"] == "Nothing is known yet."


def test_bars_of_errors(well_made: Check) -> None:
    errors = {"ExpM(L)": 21.1, "Wasserstein": 36.0, "none": 0.0}
    figure = noise_bars(errors, selected="Wasserstein", unit="years")
    well_made(figure)
    assert figure_data(figure)["expected L2 error"].tolist() == [21.1, 36.0, 0.0]
    assert "21.1 with ExpM(L), 36 with Wasserstein and 0 with none" in figure.layout.meta["alt"]
    assert figure.data[0].marker.line.width == (0, 3, 0)
