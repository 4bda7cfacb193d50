"""The network with its parts, and how much of a variance is noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from plotly import graph_objects as go

import distpriv as dp
from distpriv.charts import figure_data
from distpriv.charts.network import network_graph, variance_bars
from distpriv.words import plain
from tests.examples import networks

Check = Callable[[go.Figure], None]
NET = dp.attribute.school().networks[0]
QUILT = next(
    each
    for each in dp.attribute.find_quilts(NET, "family income")
    if each.quilt == frozenset({"gender"})
)


def test_each_part_has_its_colour_and_marker(well_made: Check) -> None:
    figure = network_graph(NET, QUILT, ["height", "SAT score"])
    well_made(figure)
    traces = {trace.name: trace for trace in figure.data}
    assert {name: set(trace.meta["x"]) for name, trace in traces.items()} == {
        "in the release": {"height", "SAT score"},
        "protected": {"family income"},
        "quilt": {"gender"},
        "nearby": {"SAT score"},
        "remote": {"height", "weight"},
    }
    looks = {(trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert len(looks) == len({trace.marker.symbol for trace in figure.data}) == 5
    assert [plain(text).strip() for text in traces["remote"].text] == ["height", "weight"]
    table = figure_data(figure)
    assert set(table.columns) == {"series", "attribute", "part"}
    assert "quilt of family income is gender" in figure.layout.meta["alt"]
    assert len(figure.layout.annotations) == len(NET.edges)


def test_an_arrow_that_would_run_through_an_attribute_is_drawn_in_a_bow() -> None:
    tables = {
        "a": [0.5, 0.5],
        "b": [[0.6, 0.4], [0.5, 0.5]],
        "c": [[[0.6, 0.4], [0.5, 0.5]], [[0.3, 0.7], [0.2, 0.8]]],
    }
    net = dp.BayesianNetwork([("a", "b"), ("b", "c"), ("a", "c")], tables)
    layout = network_graph(net, dp.attribute.find_quilts(net, "a")[0], ["c"]).layout
    assert len(layout.annotations) == 3
    assert len(layout.shapes) == 1
    x, _ = (float(part) for part in layout.shapes[0].path.split("Q ")[1].split(" ")[0].split(","))
    # To the left of b, whose name is on its right.
    assert x < -0.3
    straight = dp.BayesianNetwork([("a", "b"), ("b", "c")], {**tables, "c": tables["b"]})
    assert not network_graph(straight, dp.attribute.find_quilts(net, "a")[0], ["c"]).layout.shapes


@given(networks())
def test_effects_are_below_their_causes_and_no_two_in_one_place(net: dp.BayesianNetwork) -> None:
    quilt = dp.attribute.find_quilts(net, net.nodes[0])[-1]
    figure = network_graph(net, quilt, net.nodes[:1])
    spots = {
        node: (x, y)
        for trace in figure.data[1:]
        for node, x, y in zip(trace.meta["x"], trace.x, trace.y, strict=True)
    }
    assert set(spots) == set(net.nodes)
    assert len(set(spots.values())) == len(spots)
    for parent, child in net.edges:
        assert spots[child][1] < spots[parent][1]
    for axis, place in (("xaxis", 0), ("yaxis", 1)):
        low, high = figure.layout[axis].range
        assert all(low < spot[place] < high for spot in spots.values())


def test_hostile_names(hostile: tuple[str, ...], well_made: Check) -> None:
    edges = list(pairwise(hostile))
    tables = {hostile[0]: [0.5, 0.5]} | {name: [[0.6, 0.4], [0.5, 0.5]] for name in hostile[1:]}
    net = dp.BayesianNetwork(edges, tables)
    figure = network_graph(
        net, dp.attribute.find_quilts(net, hostile[1])[1], hostile, title=hostile[0]
    )
    well_made(figure)
    assumptions = [
        replace(dp.attribute.hospital().assumptions[0], release=name) for name in hostile
    ]
    well_made(
        variance_bars(dp.attribute.noise_by_release(assumptions, 1.0, 1e-3), title=hostile[0])
    )


def test_the_bars_add_up(well_made: Check) -> None:
    noises = dp.attribute.noise_by_release(
        dp.attribute.hospital().assumptions, 1.0, 1e-3, "classical"
    )
    figure = variance_bars(noises)
    well_made(figure)
    own, noise = figure.data
    assert [a + b for a, b in zip(own.x, noise.x, strict=True)] == pytest.approx([1, 1, 1])
    for share, each in zip(noise.x, noises.values(), strict=True):
        assert share == pytest.approx(each.variance / (each.variance + each.variances[0]))
    assert own.marker.pattern.shape != noise.marker.pattern.shape
    # A little noise does not read as none.
    assert "99.72\u00a0% of the variance" in figure.layout.meta["alt"]
    assert set(figure_data(figure)["release"]) == set(noises)
    exact = variance_bars(
        dp.attribute.noise_by_release(dp.attribute.hospital().assumptions, 1.0, 1e-3)
    )
    assert exact.data[0].x[2] == 1


def test_a_release_that_nothing_moves_needs_nothing(well_made: Check) -> None:
    still = replace(dp.attribute.hospital().assumptions[0], difference=(0.0, 0.0))
    figure = variance_bars(dp.attribute.noise_by_release([still], 1.0, 1e-3))
    well_made(figure)
    assert figure.data[0].x == (1.0,)
