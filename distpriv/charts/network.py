"""A Bayesian network with what a quilt separates, and how much noise a release needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import networkx as nx
from plotly import graph_objects as go

from distpriv.attribute.gaussian import AttributeGaussian
from distpriv.attribute.influence import Quilt
from distpriv.attribute.network import BayesianNetwork
from distpriv.charts.frame import QUARTERS, empty, linear_axis, row_axis
from distpriv.charts.lines import grey, row_bars, series
from distpriv.charts.style import NEUTRAL, MechanismStyle
from distpriv.words import listed, number, percent, safe, wrap

__all__ = ["network_graph", "variance_bars"]

Spot = tuple[float, float]

_STYLES = {
    "protected": MechanismStyle("#D55E00", "solid", "diamond"),
    "quilt": MechanismStyle("#0072B2", "solid", "square"),
    "nearby": MechanismStyle("#E69F00", "solid", "circle"),
    "remote": MechanismStyle("#009E73", "solid", "hexagon"),
}
# How far an arrow that passes a layer may bow, and what a marker with its name takes up there.
_BOWS = (0.0, -0.15, 0.15, -0.3, 0.3, -0.55, 0.55, -0.9, 0.9)
_TAKEN = (-0.2, 0.55)


def network_graph(
    network: BayesianNetwork, quilt: Quilt, query: Collection[str], title: str = "The network"
) -> go.Figure:
    """The graph from causes above to effects below, each attribute marked by its part.

    Parameters
    ----------
    network : BayesianNetwork
    quilt : Quilt
    query : collection of str
        Attributes with a ring around them.
    title : str
    """
    parts = {node: _part(node, quilt) for node in network.nodes}
    layers = [list(layer) for layer in nx.topological_generations(network.graph)]
    spots = _spots(network, layers)
    width = max(map(len, layers))
    hidden: dict[str, Any] = {"visible": False, "automargin": True}
    figure = empty(
        safe(title),
        alt=_alt(quilt, query),
        how_to_read=(
            "an arrow runs from an attribute to one that depends on it. Whoever knew the quilt "
            "(squares) would learn nothing about the protected attribute (diamond) from the remote "
            "ones (hexagons). Rings mark what the release is computed from."
        ),
        height=min(150 + 105 * len(layers), 900),
        bottom=64,
        xaxis=linear_axis("", -0.35, width - 0.15, **hidden),
        yaxis=linear_axis("", -len(layers) + 0.55, 0.45, **hidden),
    )
    for parent, child in network.edges:
        _arrow(figure, spots[parent], spots[child], list(spots.values()))

    def draw(name: str, nodes: list[str], style: MechanismStyle, **look: Any) -> None:
        series(
            figure,
            name,
            nodes,
            [parts[node] for node in nodes],
            style,
            at_x=[spots[node][0] for node in nodes],
            at_y=[spots[node][1] for node in nodes],
            told=[_told(network, node, parts[node]) for node in nodes],
            x_title="attribute",
            y_title="part",
            **look,
        )

    ringed = [node for node in network.nodes if node in query]
    ring: dict[str, Any] = {"mode": "markers", "size": 40, "edge": 3, "legendrank": 1001}
    draw("in the release", ringed, grey(symbol="circle-open"), **ring)
    for part, style in _STYLES.items():
        nodes = [node for node in network.nodes if parts[node] == part]
        if nodes:
            draw(
                part,
                nodes,
                style,
                mode="markers+text",
                text=[_label(node, ringed=node in query) for node in nodes],
                textposition="middle right",
                cliponaxis=False,
                size=22,
            )
    return figure


def _label(node: str, *, ringed: bool) -> str:
    """The name in bold, clear of the marker."""
    gap = "\u00a0" * (4 if ringed else 2)
    lines = wrap(node, 13, 2).split("<br>")
    return "<b>" + "<br>".join(gap + line for line in lines) + "</b>"


def _part(node: str, quilt: Quilt) -> str:
    if node == quilt.protected:
        return "protected"
    if node in quilt.quilt:
        return "quilt"
    return "remote" if node in quilt.remote else "nearby"


def _spots(network: BayesianNetwork, layers: list[list[str]]) -> dict[str, Spot]:
    """Layers from the top; within one, in the order of where the parents are."""
    width = max(map(len, layers))
    spots: dict[str, Spot] = {}
    for depth, layer in enumerate(layers):

        def middle(node: str) -> float:
            above = [spots[parent][0] for parent in network.parents(node)]
            return sum(above) / len(above) if above else 0.0

        layer.sort(key=middle)
        for place, node in enumerate(layer):
            spots[node] = ((place + 0.5) * width / len(layer) - 0.5, -float(depth))
    return spots


def _told(network: BayesianNetwork, node: str, part: str) -> str:
    parents = network.parents(node)
    depends = safe(", ".join(parents), 80) if parents else "nothing"
    return f"<b>{safe(node, 60)}</b><br>{part}<br>depends on {depends}"


def _arrow(figure: go.Figure, start: Spot, end: Spot, spots: list[Spot]) -> None:
    """An arrow, in a bow where it would run through an attribute of a layer between."""
    look: dict[str, Any] = {
        "x": end[0],
        "y": end[1],
        "xref": "x",
        "yref": "y",
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 1.2,
        "arrowwidth": 1.5,
        "arrowcolor": NEUTRAL,
        "standoff": 15,
    }
    bow = min(_BOWS, key=lambda bow: _in_the_way(start, end, bow, spots))
    if not bow:
        figure.add_annotation(ax=start[0], ay=start[1], startstandoff=13, **look)
        return
    control = ((start[0] + end[0]) / 2 + 2 * bow, (start[1] + end[1]) / 2)
    near = tuple(
        0.01 * a + 0.18 * c + 0.81 * b for a, c, b in zip(start, control, end, strict=True)
    )
    figure.add_shape(
        type="path",
        path=f"M {start[0]},{start[1]} Q {control[0]},{control[1]} {end[0]},{end[1]}",
        line={"color": NEUTRAL, "width": 1.5},
        layer="below",
    )
    figure.add_annotation(ax=near[0], ay=near[1], **look)


def _in_the_way(start: Spot, end: Spot, bow: float, spots: list[Spot]) -> int:
    """How many attributes between the ends an arrow with that bow runs through."""
    hit = 0
    for x, y in spots:
        if end[1] < y < start[1]:
            along = (start[1] - y) / (start[1] - end[1])
            straight = (1 - along) * start[0] + along * end[0]
            away = straight + 4 * along * (1 - along) * bow - x
            hit += _TAKEN[0] < away < _TAKEN[1]
    return hit


def _alt(quilt: Quilt, query: Collection[str]) -> str:
    def names(nodes: Collection[str]) -> str:
        return listed(sorted(nodes)) or "nothing"

    return (
        f"The quilt of {quilt.protected} is {names(quilt.quilt)}; nearby are "
        f"{names(quilt.nearby)}; "
        f"remote are {names(quilt.remote)}; the release is computed from {names(query)}."
    )


def variance_bars(
    noises: Mapping[str, AttributeGaussian], title: str = "What hides the share"
) -> go.Figure:
    """How much of the variance that hides the secret a release has itself, and how much is noise.

    Parameters
    ----------
    noises : mapping of release to AttributeGaussian
        Not empty.
    title : str
    """
    names = list(noises)
    own = []
    for noise in noises.values():
        needed = float(noise.needed[noise.binding])
        own.append(min(float(noise.variances[noise.binding]) / needed, 1.0) if needed else 1.0)
    figure = empty(
        safe(title),
        alt="; ".join(
            f"{name} has {_share(share)} of the variance it needs by itself"
            for name, share in zip(names, own, strict=True)
        )
        + ".",
        how_to_read=(
            "a whole bar is the variance that a release needs so that nobody can tell. What it "
            "does not vary by itself, from one dataset to another, noise has to add."
        ),
        height=150 + 46 * len(names),
        bottom=84,
        barmode="stack",
        legend_traceorder="normal",
        xaxis=linear_axis(
            "share of the variance that is needed",
            0,
            1.02,
            **QUARTERS,
        ),
        yaxis=row_axis([wrap(name, 18, 2) for name in names], showgrid=False),
    )
    parts = (
        ("varies by itself", "#0072B2", "", own),
        ("noise", "#E69F00", "/", [1 - share for share in own]),
    )
    for name, color, pattern, shares in parts:
        row_bars(
            figure,
            name,
            shares,
            names,
            color,
            told=[
                f"<b>{safe(release, 60)}</b><br>{name}: {_share(share)}<br>"
                f"noise σ = {number(noise.standard_deviation)}"
                for (release, noise), share in zip(noises.items(), shares, strict=True)
            ],
            y_title="release",
            width=0.6,
            marker={"pattern": {"shape": pattern, "solidity": 0.25}},
        )
    return figure


def _share(value: float) -> str:
    return percent(value, 2 if 0 < value < 0.01 or 0.99 < value < 1 else 1)
