"""Bayesian networks of attributes: how their parameters depend on each other."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from distpriv.arrays import FloatArray, numbers
from distpriv.display import Result
from distpriv.errors import DistprivError, ReadError
from distpriv.files import File, save_text, text_of
from distpriv.text import listed, near

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["MOST_NODES", "BayesianNetwork", "pairs_of"]

MOST_NODES = 20
_MOST_NUMBERS = 10**6  # of a table in a file
_MALFORMED = ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError


@dataclass(frozen=True, eq=False, repr=False)
class BayesianNetwork(Result):
    """Discrete attributes, or their parameters made discrete, and how they depend on each other.

    Attributes
    ----------
    edges : sequence of (parent, child)
    tables : mapping of node to array_like
        P(node | parents): one axis for each parent in the order of `parents`, and the node's states
        last. At most 20 nodes.
    states : mapping of node to sequence of str
        Names of the states; "1", "2", … by default.

    Raises
    ------
    DistprivError
        If an edge joins what has no table, the edges make a cycle, or a table has another shape or
        rows that do not sum to 1.

    Examples
    --------
    >>> tables = {"sex": [0.5, 0.5], "income": [[0.8, 0.2], [0.6, 0.4]]}
    >>> network = dp.BayesianNetwork([("sex", "income")], tables, {"income": ["low", "high"]})
    >>> network.marginal(["income"])
    array([0.7, 0.3])
    """

    edges: Sequence[tuple[str, str]]
    tables: Mapping[str, ArrayLike]
    states: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.tables, Mapping) or not isinstance(self.states, Mapping):
            raise DistprivError("Tables and states of a network are mappings by attribute.")
        edges = pairs_of(self.edges)
        tables = {node: numbers(f"A chance of {node!r}", one) for node, one in self.tables.items()}
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "tables", tables)
        self._check_graph()
        sizes = {node: table.shape[-1] if table.ndim else 0 for node, table in tables.items()}
        names = {
            node: tuple(map(str, self.states.get(node, range(1, size + 1))))
            for node, size in sizes.items()
        }
        object.__setattr__(self, "states", names)
        for node, table in tables.items():
            shape = tuple(sizes[name] for name in (*self.parents(node), node))
            if table.shape != shape or not table.size or len(set(names[node])) != shape[-1]:
                raise DistprivError(
                    f"The table of {node!r} must have the shape {shape}: one axis for "
                    f"{listed(self.parents(node)) or 'no parent'}, then its states, which need a "
                    f"name each; it has {table.shape}."
                )
            tables[node] = self._checked(node, table)

    def _check_graph(self) -> None:
        import networkx as nx

        tables = self.tables
        if not 0 < len(tables) <= MOST_NODES:
            raise DistprivError(
                f"A network has 1 to {MOST_NODES} attributes with a table each, not {len(tables)}; "
                "leave attributes out."
            )
        for node in (node for edge in self.edges for node in edge):
            if node not in tables:
                raise DistprivError(
                    f"There is an edge at {node!r}, which has no table.{near(node, tables)}"
                )
        if len(set(self.edges)) < len(self.edges):
            raise DistprivError("An edge is there twice; take it once.")
        if not nx.is_directed_acyclic_graph(self.graph):
            node = nx.find_cycle(self.graph)[0][0]
            raise DistprivError(f"The edges make a cycle through {node!r}; take one of them out.")

    def _checked(self, node: str, table: FloatArray) -> FloatArray:
        """Return the table with rows that sum to 1 exactly, or say which one does not."""
        wrong = (table < 0).any(-1) | (np.abs(table.sum(-1) - 1) > 1e-6)
        if wrong.any():
            places = zip(self.parents(node), np.argwhere(wrong)[0].tolist(), strict=True)
            row = listed(f"{parent} = {self.states[parent][at]}" for parent, at in places)
            raise DistprivError(
                f"The probabilities of {node!r}{' where ' + row if row else ''} must lie between 0 "
                "and 1 and sum to 1; correct that row of its table."
            )
        return np.asarray(table / table.sum(-1, keepdims=True))

    def __repr__(self) -> str:
        edges = ", ".join(f"{parent} → {child}" for parent, child in self.edges)
        some = edges if len(self.edges) <= 4 else f"{len(self.edges)} edges"
        return f"BayesianNetwork({some or listed(self.nodes)})"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a chance: attribute, state, given (parents' states), probability."""
        rows = []
        for node, table in self.tables.items():
            for places, chance in np.ndenumerate(np.asarray(table)):
                family = zip((*self.parents(node), node), places, strict=True)
                *given, state = [f"{name} = {self.states[name][at]}" for name, at in family]
                rows.append((node, state.removeprefix(f"{node} = "), listed(given), chance))
        return pd.DataFrame(rows, columns=["attribute", "state", "given", "probability"])

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the attributes, in the order of the tables."""
        return tuple(self.tables)

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, in the order of the edges."""
        self.check_nodes([node])
        return tuple(parent for parent, child in self.edges if child == node)

    @cached_property
    def graph(self) -> nx.DiGraph[str]:
        """The graph; not to be changed."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.tables)
        graph.add_edges_from(self.edges)
        return graph

    def check_nodes(self, nodes: Iterable[str]) -> None:
        """Raise DistprivError for a name that is no attribute of the network."""
        for node in [nodes] if isinstance(nodes, str) else nodes:
            if node not in self.tables:
                raise DistprivError(
                    f"There is no attribute {node!r} in the network; it has {listed(self.nodes)}."
                    f"{near(node, self.nodes)}"
                )

    def remote(self, node: str, others: Iterable[str]) -> frozenset[str]:
        """Return the attributes that others d-separate from a node.

        Those that no active path reaches (Koller & Friedman 2009, Algorithm 3.1): it leaves others
        where they have a common child only, or a descendant of it is among them.
        """
        self.check_nodes([node, *(others := list(others))])
        between, graph = set(others), self.graph
        reached: set[tuple[str, bool]] = set()
        todo = [(node, True)]
        while todo:
            at, upwards = step = todo.pop()
            if step in reached:
                continue
            reached.add(step)
            if at not in between:
                todo += [(child, False) for child in graph.successors(at)]
            if upwards != (at in between):  # a path turns in descendants that are among others
                todo += [(parent, True) for parent in graph.predecessors(at)]
        return frozenset(self.nodes) - between - {at for at, _ in reached}

    def marginal(self, nodes: Sequence[str]) -> FloatArray:
        """Compute the joint probabilities of some nodes, one axis each, all others summed out."""
        import networkx as nx

        self.check_nodes(nodes)
        number = {node: place for place, node in enumerate(self.nodes)}
        relevant = set(nodes).union(*(nx.ancestors(self.graph, node) for node in nodes))
        operands: list[Any] = []
        for node in relevant:
            operands += [self.tables[node], [number[name] for name in (*self.parents(node), node)]]
        return np.asarray(np.einsum(*operands, [number[node] for node in nodes], optimize="greedy"))

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return edges, states and tables as JSON, and write them to a file if one is named."""
        tables = {node: np.asarray(table).tolist() for node, table in self.tables.items()}
        plain = {"edges": self.edges, "states": self.states, "tables": tables}
        text = json.dumps(plain, indent=1)
        if path is not None:
            save_text(path, text)
        return text

    @classmethod
    def from_json(cls, file: File) -> BayesianNetwork:
        """Read what `to_json` wrote: a path, bytes, an open file or its text.

        DistprivError if it is no JSON, or no network.
        """
        try:
            plain = json.loads(text_of(file))
            return cls(plain["edges"], plain["tables"], plain.get("states", {}))
        except DistprivError:
            raise
        except _MALFORMED:
            raise ReadError(
                "This is not a network: its JSON needs edges (pairs of names) and tables (numbers "
                "of each attribute); correct the file."
            ) from None

    @classmethod
    def from_bif(cls, file: File) -> BayesianNetwork:
        """Read a network in the interchange format BIF, as the repository of bnlearn has them.

        The file is a path, bytes or an open file; a str that has a line break is the text itself.
        DistprivError if it is no BIF, or no network.
        """
        text = text_of(file)
        states = {
            name: tuple(map(_bare, values.split(","))) for name, values in _VARIABLE.findall(text)
        }
        edges: list[tuple[str, str]] = []
        tables: dict[str, FloatArray] = {}
        for head, body in _PROBABILITY.findall(text):
            node, *parents = map(_bare, re.split(r"[|,]", head))
            if not {node, *parents} <= states.keys():
                names = head.strip()[:80]
                raise ReadError(f"The BIF file has a table for {names}, and no variable so.")
            edges += [(parent, node) for parent in parents]
            tables[node] = _bif_table(node, body, [states[name] for name in (*parents, node)])
        if not tables or tables.keys() != states.keys():
            lacking = listed(sorted(states.keys() - tables.keys())) or "all variables"
            raise ReadError(f"The BIF file has no table for {lacking}; correct the file.")
        return cls(edges, tables, states)


def pairs_of(edges: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    """Return edges (parent, child), or raise DistprivError for what is none."""
    try:
        return tuple((str(parent), str(child)) for parent, child in edges)
    except (TypeError, ValueError):
        raise DistprivError(
            "Edges of a network are pairs of names, such as [('parent', 'child')]."
        ) from None


_VARIABLE = re.compile(r'variable\s+"?([^"{\s]+)"?\s*\{[^{}]*\{([^{}]*)\}[^{}]*\}')
_PROBABILITY = re.compile(r"probability\s*\(([^()]*)\)\s*\{([^{}]*)\}")
_ROW = re.compile(r"\s*(?:\(([^()]*)\)|(table|default))(.*)", re.DOTALL)


def _bare(name: str) -> str:
    return name.strip().strip('"')


def _bif_table(node: str, body: str, states: list[tuple[str, ...]]) -> FloatArray:
    """Read the rows of a table; those that are not there are NaN, which no network accepts."""
    sizes = [len(names) for names in states]
    if len(sizes) > MOST_NODES or math.prod(sizes) > _MOST_NUMBERS:
        raise ReadError(
            f"The table of {node!r} has over a million numbers, or more than {MOST_NODES} "
            "attributes; take fewer states or parents."
        )
    table = np.full(sizes, np.nan)
    rows = [found.groups() for row in body.split(";") if (found := _ROW.match(row))]
    try:
        for row, word, numbers in sorted(rows, key=lambda part: part[1] != "default"):
            values = [float(number) for number in re.split(r"[,\s]+", numbers.strip())]
            if word:
                table[...] = np.reshape(values, table.shape if word == "table" else (-1,))
            else:
                named = zip(states, map(_bare, row.split(",")), strict=False)
                table[tuple(names.index(name) for names, name in named)] = values
    except ValueError:
        raise ReadError(
            f"The table of {node!r} in the BIF file has a row that does not fit; correct it."
        ) from None
    return table
