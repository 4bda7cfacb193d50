"""Random small networks."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

import distpriv as dp


@st.composite
def networks(draw: st.DrawFn, most: int = 5, states: int = 3) -> dp.BayesianNetwork:
    """A network of 2 to ``most`` nodes with up to ``states`` states and tables without zeros."""
    count = draw(st.integers(2, most))
    names = draw(st.permutations([f"n{index}" for index in range(count)]))
    edges = [
        (names[low], names[high])
        for low in range(count)
        for high in range(low + 1, count)
        if draw(st.booleans())
    ]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = {name: int(rng.integers(2, states + 1)) for name in names}
    tables = {}
    for name in sorted(names):
        parents = [parent for parent, child in edges if child == name]
        shape = tuple(sizes[parent] for parent in parents)
        tables[name] = (
            rng.dirichlet(np.full(sizes[name], 2.0), size=shape) * 0.98 + 0.02 / sizes[name]
        )
    return dp.BayesianNetwork(edges, tables)


def enumerated(net: dp.BayesianNetwork) -> dict[tuple[int, ...], float]:
    """P(φ) of every combination of states, by plain multiplication."""
    found = {}
    for states in product(*(range(len(net.names(node))) for node in net.nodes)):
        value = dict(zip(net.nodes, states, strict=True))
        probability = 1.0
        for node in net.nodes:
            at = tuple(value[name] for name in (*net.parents(node), node))
            probability *= float(net.table(node)[at])
        found[states] = probability
    return found
