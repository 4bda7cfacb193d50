"""A Bayesian network from a table of records: columns made discrete, a tree, smoothed tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.attribute.network import BayesianNetwork, check_entries
from distpriv.errors import NetworkError
from distpriv.model.source import Source, source_of
from distpriv.tables.predicates import column_of

__all__ = ["Cut", "LearnedNetwork", "learn_network"]

Cut = Literal["quantiles", "widths"]


@dataclass(frozen=True, eq=False)
class LearnedNetwork:
    """A network and the records it comes from.

    Attributes
    ----------
    network : BayesianNetwork
    records : int
        Records counted.
    dropped : int
        Records left out because one of the columns is missing, or holds a value that a sample of
        the table did not.
    """

    network: BayesianNetwork
    records: int
    dropped: int


@checked(NetworkError)
def learn_network(
    table: pd.DataFrame | Source,
    columns: Iterable[str],
    edges: Sequence[tuple[str, str]] | None = None,
    *,
    states: int = 3,
    cut: Cut = "quantiles",
    smoothing: float = 1.0,
) -> LearnedNetwork:
    """Fit a network to columns of a table: a tree, or tables for given edges.

    The tree is the maximum spanning tree of the columns' mutual information (Chow & Liu 1968),
    directed away from the first column. What is learned is how values go together within a
    record; taking that for how the parameters of the attributes' distributions go together is an
    assumption of the user.

    Parameters
    ----------
    table : DataFrame or Source, N records
        Of one that stays where it is every record is counted there, in one query; where ranges
        are cut, and in which states few values go together, a sample tells.
    columns : iterable of str
        At least two.
    edges : sequence of (parent, child), optional
        A graph to fit instead of the tree.
    states : int, at least 2
        A number column with more values is cut into so many ranges; of another column the most
        frequent values stay, and the rest becomes one state.
    cut : "quantiles" or "widths"
        Whether the ranges hold equally many records or are equally wide.
    smoothing : float > 0
        Added to every count (Laplace), so that nothing is impossible.

    Returns
    -------
    LearnedNetwork

    Raises
    ------
    NetworkError
        If a column cannot be used, there are too few columns or records, or the network is too
        large.
    QueryError
        If there is no such column.
    """
    names = list(dict.fromkeys(columns))
    if len(names) < 2:
        raise NetworkError("Choose at least two columns to learn how they depend on each other.")
    if states < 2 or states % 1:
        raise NetworkError(f"A column needs at least 2 states, got {states:g}.")
    if not 0 < smoothing < math.inf:
        raise NetworkError(
            f"The smoothing must be a positive number, got {smoothing:g}; without it what never "
            "occurs would count as impossible and its influence as infinite."
        )
    counted = _counted(source_of(table), names, int(states), cut)
    codes, labels, weights = counted.codes, counted.labels, counted.weights
    check_entries(len(states) for states in labels.values())
    graph = _tree(names, counted) if edges is None else [(str(a), str(b)) for a, b in edges]
    for edge in graph:
        for node in edge:
            if node not in codes:
                raise NetworkError(
                    f"The edge {edge[0]} → {edge[1]} names {node!r}, which is not among the "
                    "chosen columns."
                )
    tables = {}
    for name in names:
        parents = [parent for parent, child in graph if child == name]
        sizes = tuple(len(labels[node]) for node in (*parents, name))
        flat = np.ravel_multi_index([codes[node] for node in (*parents, name)], sizes)
        counts = np.bincount(flat, weights, math.prod(sizes)).reshape(sizes) + smoothing
        tables[name] = counts / counts.sum(axis=-1, keepdims=True)
    network = BayesianNetwork(graph, tables, labels)
    return LearnedNetwork(network, int(weights.sum()), counted.dropped)


@dataclass(frozen=True, eq=False)
class _States:
    """The states of a column: ranges of numbers by their upper ends, or labels and the rest."""

    names: tuple[str, ...]
    ends: tuple[float, ...] | None = None
    rest: bool = False

    def codes(self, values: pd.Series) -> NDArray[np.intp]:
        """State of each value, -1 for one that is in none; ranges come as they were counted."""
        if self.ends is not None:
            return values.to_numpy(dtype=np.intp)
        order = {label: index for index, label in enumerate(self.names)}
        unknown = len(self.names) - 1 if self.rest else -1
        return np.asarray(values.astype("str").map(order).fillna(unknown), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class _Counted:
    """How many complete records have each combination of states that occurs."""

    codes: dict[str, NDArray[np.intp]]
    labels: dict[str, tuple[str, ...]]
    weights: NDArray[np.int64]
    dropped: int


def _counted(source: Source, names: Sequence[str], states: int, cut: Cut) -> _Counted:
    profile = source.profile()
    used = pd.DataFrame({name: column_of(profile.sample, name) for name in names})
    complete = used.dropna()
    if complete.empty:
        raise NetworkError("No record has a value in every chosen column; leave a column out.")
    known = {name: _states(name, complete[name], states, cut) for name in names}
    rows = source.combinations({name: each.ends for name, each in known.items()})
    counts = np.array([row[-1] for row in rows], dtype=np.int64)
    inside = np.array([None not in row for row in rows])
    codes = {}
    for place, name in enumerate(names):
        values = [
            row[place] for row, complete_row in zip(rows, inside, strict=True) if complete_row
        ]
        column = pd.Series(values, dtype=None if known[name].ends is not None else object)
        if pd.api.types.is_numeric_dtype(used[name].dtype) and known[name].ends is None:
            column = column.astype(complete[name].dtype)
        codes[name] = known[name].codes(column)
    weights = counts[inside]
    told = np.all([each >= 0 for each in codes.values()], axis=0)
    return _Counted(
        {name: each[told] for name, each in codes.items()},
        {name: each.names for name, each in known.items()},
        weights[told],
        int(counts.sum() - weights[told].sum()),
    )


def _states(name: str, column: pd.Series, states: int, cut: Cut) -> _States:
    """The states of a column without missing values."""
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if numeric and not pd.api.types.is_bool_dtype(column.dtype) and column.nunique() > states:
        values = column.astype("float64")
        ranges = (
            pd.qcut(values, states, duplicates="drop", precision=3)
            if cut == "quantiles"
            else pd.cut(values, states, precision=3)
        )
        # Quantiles that fall together, as of a column that is mostly 0, leave fewer ranges.
        texts = ranges.cat.remove_unused_categories()
        intervals = tuple(_range(interval) for interval in texts.cat.categories)
        if 1 < len(intervals) == len(set(intervals)):
            tops = values.groupby(texts.cat.codes.to_numpy()).max().sort_index()
            return _States(intervals, tuple(tops.to_list()[:-1]))
    counts = column.astype("str").value_counts()
    if len(counts) < 2:
        raise NetworkError(f"Column {name!r} holds one value only; leave it out.")
    kept = sorted(counts.index[: states if len(counts) <= states else states - 1])
    rest = () if len(kept) == len(counts) else (_unused("other", kept),)
    return _States((*kept, *rest), rest=bool(rest))


def _range(interval: pd.Interval) -> str:
    return f"{interval.left:g} to {interval.right:g}"


def _unused(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += " values"
    return name


def _tree(names: Sequence[str], counted: _Counted) -> list[tuple[str, str]]:
    """Maximum spanning tree of the mutual information, directed away from the first column."""
    from sklearn.metrics import mutual_info_score

    graph = nx.Graph()
    graph.add_nodes_from(names)
    for one, other in combinations(names, 2):
        sizes = len(counted.labels[one]), len(counted.labels[other])
        flat = np.ravel_multi_index((counted.codes[one], counted.codes[other]), sizes)
        together = np.bincount(flat, counted.weights, math.prod(sizes)).reshape(sizes)
        graph.add_edge(one, other, weight=mutual_info_score(None, None, contingency=together))
    tree = nx.maximum_spanning_tree(graph)
    return [(str(a), str(b)) for a, b in nx.bfs_edges(tree, names[0])]
