"""Bayesian networks: a directed acyclic graph with a table of conditional probabilities a node."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import Unread, checked
from distpriv.errors import NetworkError
from distpriv.words import exact

__all__ = ["MOST_ENTRIES", "MOST_NODES", "BayesianNetwork", "check_entries", "refitted"]

FloatArray = NDArray[np.float64]
Edge = tuple[str, str]

MOST_NODES = 16
MOST_ENTRIES = 2_000_000  # of the joint table: 12 nodes of 3 states have 531 441
_SUM = 1e-6  # how far a row may be from summing to 1


@checked(NetworkError)
@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """Attributes' parameters φ, discretised, and how they depend on each other.

    Attributes
    ----------
    edges : sequence of (parent, child)
    tables : mapping of node to array-like
        P(node | parents): one axis for each parent in the order of :meth:`parents`, and the
        node's own states last. The nodes are the tables' names.
    states : mapping of node to sequence of str, optional
        Names of the states; "1", "2", ... by default.

    Raises
    ------
    NetworkError
        If an edge names no node, the edges make a cycle, a table does not have the shape that
        the edges ask for, holds something that is no probability or has a row that does not sum
        to 1, or the joint table would have more than 2 000 000 entries.
    """

    edges: Sequence[Edge]
    tables: Mapping[str, Annotated[ArrayLike, Unread]]
    states: Mapping[str, Sequence[str]] | None = None

    def __post_init__(self) -> None:
        edges = tuple((parent, child) for parent, child in self.edges)
        object.__setattr__(self, "edges", edges)
        tables = {node: _array(node, table) for node, table in self.tables.items()}
        object.__setattr__(self, "tables", tables)
        _check_edges(edges, tables)
        sizes = {node: table.shape[-1] for node, table in tables.items()}
        check_entries(sizes.values())
        object.__setattr__(self, "states", _states(self.states or {}, sizes))
        for node, table in tables.items():
            tables[node] = self._checked(node, table)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes, in the order of the tables."""
        return tuple(self.tables)

    def parents(self, node: str) -> tuple[str, ...]:
        """Parents of a node in the order of the edges; raises NetworkError for an unknown one."""
        self.check_known([node])
        return tuple(parent for parent, child in self.edges if child == node)

    def names(self, node: str) -> tuple[str, ...]:
        """Names of a node's states."""
        self.check_known([node])
        assert self.states is not None
        return tuple(self.states[node])

    def table(self, node: str) -> FloatArray:
        """P(node | parents), read-only, one axis for each parent and the node's own last."""
        self.check_known([node])
        return np.asarray(self.tables[node])

    def check_known(self, nodes: Iterable[str]) -> None:
        """Raise `NetworkError` if one of the nodes is not in the network."""
        for node in nodes:
            if node not in self.tables:
                raise NetworkError(
                    f"There is no attribute {node!r} in the network; its attributes are "
                    f"{', '.join(self.nodes)}."
                )

    @cached_property
    def graph(self) -> nx.DiGraph:
        """The graph; it is not to be changed."""
        return _graph(self.nodes, self.edges)

    def remote(self, node: str, given: Iterable[str]) -> frozenset[str]:
        """The attributes that are d-separated from a node by others.

        Parameters
        ----------
        node : str
        given : iterable of str
            Not the node itself.
        """
        known = set(given)
        self.check_known([node, *known])
        return frozenset(
            other
            for other in self.nodes
            if other != node
            and other not in known
            and nx.is_d_separator(self.graph, {node}, {other}, known)
        )

    def joint(self) -> FloatArray:
        """P(φ), one axis for each node in order; computed anew at each call."""
        position = {node: axis for axis, node in enumerate(self.nodes)}
        joint = np.ones((1,) * len(position))
        for node in nx.topological_sort(self.graph):
            axes = [position[name] for name in (*self.parents(node), node)]
            table = self.table(node).transpose(np.argsort(axes))
            shape = [1] * len(position)
            for axis, size in zip(sorted(axes), table.shape, strict=True):
                shape[axis] = size
            joint = joint * table.reshape(shape)
        return joint

    def _checked(self, node: str, table: FloatArray) -> FloatArray:
        parents = self.parents(node)
        wanted = tuple(len(self.names(name)) for name in (*parents, node))
        if table.shape != wanted:
            after = f" after its parents {', '.join(parents)}" if parents else " and no parent"
            raise NetworkError(
                f"The table of {node!r} must have the shape {wanted}, its own states last{after}; "
                f"it has {table.shape}."
            )
        if not (np.isfinite(table).all() and (table >= 0).all()):
            at = np.argwhere(~(np.isfinite(table) & (table >= 0)))[0]
            raise NetworkError(
                f"The table of {node!r} holds {table[tuple(at)]:g}{self._row(node, at[:-1])}; a "
                "probability is a number from 0 to 1."
            )
        sums = table.sum(axis=-1)
        off = np.abs(sums - 1) > _SUM
        if off.any():
            at = np.argwhere(off)[0]
            raise NetworkError(
                f"The probabilities of {node!r}{self._row(node, at)} sum to "
                f"{sums[tuple(at)]:.6g}; change them so that they sum to 1."
            )
        normalised = table / sums[..., None]
        normalised.setflags(write=False)
        return normalised

    def _row(self, node: str, at: Sequence[int]) -> str:
        """Which row of a table that is, in words."""
        nodes = [
            f"{parent} = {self.names(parent)[index]}"
            for parent, index in zip(self.parents(node), at, strict=True)
        ]
        return f" where {', '.join(nodes)}" if nodes else ""


def _array(node: str, table: ArrayLike) -> FloatArray:
    try:
        array = np.array(table, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # the last of a whole number of 400 digits
        raise NetworkError(
            f"The table of {node!r} must hold numbers only, with equally many in each row."
        ) from None
    if not array.ndim or not array.size:
        raise NetworkError(f"The table of {node!r} is empty; give a probability for each state.")
    return array


def _graph(nodes: Iterable[str], edges: Iterable[Edge]) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return graph


def _check_edges(edges: Sequence[Edge], tables: Mapping[str, object]) -> None:
    if not tables:
        raise NetworkError("The network has no attribute; give at least one table.")
    for edge in edges:
        for node in edge:
            if node not in tables:
                raise NetworkError(
                    f"The edge {edge[0]!r} → {edge[1]!r} names {node!r}, which has no table; "
                    f"the attributes are {', '.join(tables):.200}."
                )
    if len(set(edges)) < len(edges):
        twice = next(edge for edge in edges if edges.count(edge) > 1)
        raise NetworkError(f"The edge {twice[0]} → {twice[1]} is there twice; take one out.")
    try:
        cycle = nx.find_cycle(_graph(tables, edges))
    except nx.NetworkXNoCycle:
        return
    path = " → ".join([cycle[0][0], *(child for _, child in cycle)])
    raise NetworkError(f"The edges make a cycle, {path}; take one of them out.")


def check_entries(sizes: Iterable[int]) -> None:
    """Raise `NetworkError` if a network with so many states a node is too large to enumerate."""
    counts = list(sizes)
    entries = math.prod(counts)
    if len(counts) > MOST_NODES or entries > MOST_ENTRIES:
        raise NetworkError(
            f"A network of {len(counts)} attributes with {exact(entries)} combinations of states "
            f"is too large to go through; at most {MOST_NODES} attributes and "
            f"{exact(MOST_ENTRIES)} combinations can be, so leave attributes out or merge states."
        )


def _states(
    given: Mapping[str, Sequence[str]], sizes: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    for node in given:
        if node not in sizes:
            raise NetworkError(f"There are states of {node!r}, which has no table.")
    states = {}
    for node, size in sizes.items():
        names = tuple(str(name) for name in given.get(node, range(1, size + 1)))
        if len(names) != size or len(set(names)) != size:
            raise NetworkError(
                f"{node!r} has {size} states in its table and the names "
                f"{', '.join(names):.200}; give each state a name of its own."
            )
        states[node] = names
    return states


def refitted(
    table: ArrayLike, before: Sequence[str], after: Sequence[str], sizes: Mapping[str, int]
) -> FloatArray:
    """A table for other parents: repeated for a new parent, averaged over one that is gone.

    Parameters
    ----------
    table : array-like
        One axis for each parent before, and the node's own last.
    before, after : sequence of str
        Parents.
    sizes : mapping of node to int
        Number of states of each parent.

    Returns
    -------
    ndarray
        One axis for each parent after, and the node's own last.
    """
    array = np.asarray(table, dtype=np.float64)
    gone = tuple(axis for axis, parent in enumerate(before) if parent not in after)
    array = array.mean(axis=gone)
    kept = [parent for parent in before if parent in after]
    for parent in after:
        if parent not in kept:
            array = np.repeat(array[None], sizes[parent], axis=0)
            kept.insert(0, parent)
    order = [kept.index(parent) for parent in after]
    return array.transpose([*order, len(kept)])
