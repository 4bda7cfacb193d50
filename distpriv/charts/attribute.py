"""Attribute privacy: the variance that hiding needs, and networks with a quilt."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.attribute import BayesianNetwork, Quilt
from distpriv.charts import style
from distpriv.text import listed, percent, significant

_LOOKS = {  # colour and mark of an attribute by its part
    "protected": (style.HIGH, "square"),
    "quilt": (style.LOW, "diamond"),
    "nearby": (style.QUIET, "circle"),
    "remote": (style.GOOD, "circle-open"),
}
_SIDES: dict[tuple[int, int], dict[str, Any]] = {  # of a mark, for its name
    (0, -1): {"yanchor": "top", "yshift": -11},
    (0, 1): {"yanchor": "bottom", "yshift": 11},
    (1, 0): {"xanchor": "left", "xshift": 14, "align": "left"},
    (-1, 0): {"xanchor": "right", "xshift": -14, "align": "right"},
}


def averages(frame: pd.DataFrame) -> go.Figure:
    """Return a bar an average: its own variance, in per cent of what hiding needs.

    Columns release, own (fraction), noise (variance) and error.
    """
    rows = [
        (
            f"{style.short(row.release, 40)}: {percent(row.own)}",
            f"<b>± {significant(row.error)}</b>" if row.noise else "<b>none</b>",
            style.verdict_color(row.noise == 0),
        )
        for row in style.rows(frame)
    ]
    heads = "own variance, % of what hiding needs", "noise"
    chart = style.ledger(rows, heads, 96, style.axis(range=[0, 1], visible=False))
    for lengths, opacity in (([1.0] * len(rows), 0.25), (frame["own"], 0.95)):
        style.layer(chart, lengths, [hue for *_, hue in rows], opacity)
    return chart


def averages_alt(frame: pd.DataFrame) -> str:
    """Return the bars in words."""
    parts = [(one.release, percent(one.own), significant(one.error)) for one in style.rows(frame)]
    return "; ".join(f"{name}: {own} of what hiding needs, noise ± {z}" for name, own, z in parts)


def network(attributes: BayesianNetwork, quilt: Quilt, released: Collection[str]) -> go.Figure:
    """Return attributes by their parts in a quilt, what is released in bold, and all edges."""
    graph = attributes.graph.to_undirected()
    steps = dict(nx.all_pairs_shortest_path_length(graph))
    apart = {one: {other: steps[one].get(other, 3) for other in graph} for one in graph}
    places = nx.kamada_kawai_layout(graph, dist=apart)
    wide = np.abs([*places.values()]).max(axis=0)
    places = {name: place / np.where(wide > 0, wide, 1) for name, place in places.items()}
    chart = style.figure(
        320 + 16 * len(places),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis=style.axis(range=[-1.4, 1.4], visible=False),
        yaxis=style.axis(range=[-1.3, 1.3], visible=False),
    )
    arrow = {"axref": "x", "ayref": "y", "showarrow": True, "arrowhead": 2, "arrowwidth": 1.2}
    arrow |= {"arrowcolor": style.faint(style.QUIET, 0.8), "standoff": 13, "startstandoff": 11}
    notes = []
    for parent, child in attributes.edges:
        (x, y), (ax, ay) = places[child], places[parent]
        notes.append(style.words(x, y, "") | {"ax": ax, "ay": ay} | arrow)
    part_of = {name: part for part, some in quilt.parts.items() for name in some}
    for name, (x, y) in places.items():
        part, ways = part_of[name], [places[one] - places[name] for one in graph[name]]
        hue, mark = _LOOKS[part]
        style.marks(chart, [x], [y], hue, size=20, symbol=mark, line={"width": 3, "color": hue})
        text = f"{style.short(name, 18)}<br>{part}"
        if name in released:
            text = f"<b>{style.short(name, 18)}</b><br>{part}, released"
        free = {  # by how far edges keep away
            side: max((way @ side / np.linalg.norm(way) for way in ways), default=0.0)
            for side in _SIDES
            if side[0] * x < 0.3  # names need room at the picture's sides
        }
        notes.append(style.words(x, y, text, **_SIDES[min(free, key=free.__getitem__)]))
    chart.layout.annotations = notes
    return chart


def network_alt(quilt: Quilt, released: Collection[str]) -> str:
    """Return the parts of a quilt in words."""
    parts = [f"{part}: {listed(sorted(some)) or 'none'}" for part, some in quilt.parts.items()]
    return f"{'; '.join(parts)}. Released: {listed(released)}."
