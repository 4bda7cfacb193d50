"""A Bayesian network from a table: columns made discrete, a tree, and smoothed tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import rel_entr

from distpriv.arrays import IntArray, integer, number
from distpriv.attribute.network import MOST_NODES, BayesianNetwork, pairs_of
from distpriv.display import Progress, tracked
from distpriv.errors import DistprivError
from distpriv.sources import source_of
from distpriv.text import one_of

__all__ = ["learn_network"]

_MOST = 1_000_000  # records


def learn_network(
    table: Any,
    columns: Sequence[str],
    edges: Sequence[tuple[str, str]] | None = None,
    *,
    states: int = 3,
    smoothing: float = 1.0,
    progress: Progress = None,
) -> BayesianNetwork:
    """Fit a tree, or the tables of given edges, to the complete records of some columns.

    The tree is the maximum spanning tree of mutual information (Chow & Liu 1968), directed away
    from the first column. What is learned is how values go together within a record; taking that
    for how parameters of distributions go together is an assumption of the user.

    Parameters
    ----------
    table : DataFrame or Source
        Of a larger one, a million random records.
    columns : sequence of str
        From 2 to 20.
    edges : sequence of (parent, child), optional
        None: those of the tree.
    states : int
        At least 2. A column of numbers with more values is cut into so many ranges of about equally
        many records; of other columns the most frequent values stay and the rest is one state.
    smoothing : float
        Above 0; added to every count, so that nothing is impossible.
    progress : bool or callable, optional
        See :func:`distpriv.run_attack`; of the pairs of columns that are done and their number.

    Raises
    ------
    DistprivError
        If columns, states or smoothing are out of their domain, or a column has one value only.

    Examples
    --------
    >>> dp.learn_network(dp.load_example("bank"), ["age", "employment", "late"])
    BayesianNetwork(age → late, late → employment)
    """
    import networkx as nx

    chosen = [columns] if isinstance(columns, str) else list(dict.fromkeys(columns))
    if not 2 <= len(chosen) <= MOST_NODES:
        raise DistprivError(f"A network needs 2 to {MOST_NODES} columns, not {len(chosen)}.")
    integer("The number of states", states, 2)
    number("The smoothing", smoothing, 0, above=True)
    complete = source_of(table).columns(chosen, _MOST).dropna()
    if complete.empty:
        raise DistprivError("No record has a value in all of these columns; leave one out.")
    codes = {column: _discrete(complete[column], states) for column in chosen}
    for column, (_, names) in codes.items():
        if len(names) < 2:
            raise DistprivError(f"Column {column!r} has one value only; leave it out.")
    if edges is None:
        graph: nx.Graph[str] = nx.Graph()
        pairs = list(combinations(chosen, 2))
        for one, other in tracked(pairs, len(pairs), "Pairs of columns", progress):
            joint = _counts(codes, [one, other]) / len(complete)
            independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
            graph.add_edge(one, other, weight=rel_entr(joint, independent).sum())
        edges = list(nx.bfs_edges(nx.maximum_spanning_tree(graph), chosen[0]))
    edges, tables = pairs_of(edges), {}
    for node in (node for edge in edges for node in edge):
        one_of("column in this network", node, chosen)
    for node in chosen:
        family = [*(parent for parent, child in edges if child == node), node]
        counts = _counts(codes, family) + smoothing
        tables[node] = counts / counts.sum(axis=-1, keepdims=True)
    return BayesianNetwork(edges, tables, {name: names for name, (_, names) in codes.items()})


def _counts(codes: Mapping[str, tuple[IntArray, list[str]]], family: Sequence[str]) -> IntArray:
    shape = [len(codes[node][1]) for node in family]
    flat = np.ravel_multi_index([codes[node][0] for node in family], shape)
    return np.bincount(flat, minlength=math.prod(shape)).reshape(shape)


def _discrete(column: pd.Series, states: int) -> tuple[IntArray, list[str]]:
    """Return the states of a column's records as numbers, and their names."""
    various = column.nunique() > states
    if various and pd.api.types.is_numeric_dtype(column):
        cut = pd.qcut(column, states, duplicates="drop")
    else:
        common = column.value_counts().index[: states - various]
        cut = column.astype(object).where(column.isin(common), "other").astype("category")
    return cut.cat.codes.to_numpy().astype(np.int64), [str(name) for name in cut.cat.categories]
