"""A network while it is edited: kept as typed, and made a network when it is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from distpriv.attribute.files import NetworkFile, QuiltQuery, school
from distpriv.attribute.network import BayesianNetwork, refitted
from distpriv.dashboard.shell.state import Key

__all__ = ["Draft", "draft_of", "take"]

FloatArray = NDArray[np.float64]


@dataclass
class Draft:
    """What the tab *Distribution* works on.

    Attributes
    ----------
    title, description : str
    states : dict of node to its states
    edges : list of (parent, child)
        As edited: they may make a cycle.
    tables : list of dict of node to (parents, array)
        One dict for each distribution of Θ. The arrays are as edited: rows may not sum to 1.
    protected : tuple of str
    queries : tuple of QuiltQuery
    round : int
        Changes when another network is taken up; part of every widget's key.
    origin : "school", "file" or "table"
        "table" is learned from records, and not for the presentation view.
    own : QuiltQuery
        One that the user makes up beside them.
    """

    title: str
    description: str
    states: dict[str, tuple[str, ...]]
    edges: list[tuple[str, str]]
    tables: list[dict[str, tuple[tuple[str, ...], FloatArray]]]
    protected: tuple[str, ...]
    queries: tuple[QuiltQuery, ...]
    round: int
    origin: str
    own: QuiltQuery

    def parents(self, node: str) -> tuple[str, ...]:
        """Parents by the edited edges, each once."""
        return tuple(dict.fromkeys(a for a, b in self.edges if b == node))

    def table(self, index: int, node: str) -> FloatArray:
        """A table with the axes that the edited edges ask for."""
        before, array = self.tables[index][node]
        after = self.parents(node)
        if before != after:
            sizes = {name: len(states) for name, states in self.states.items()}
            array = refitted(array, before, after, sizes)
            self.tables[index][node] = (after, array)
        return array

    def networks(self) -> tuple[BayesianNetwork, ...]:
        """Θ; raises NetworkError where the draft is no network."""
        if any(a == b for a, b in self.edges):  # a cycle, which the axes of no table can show
            BayesianNetwork(self.edges, {node: [1.0] for node in self.states})
        return tuple(
            BayesianNetwork(
                self.edges, {node: self.table(index, node) for node in self.states}, self.states
            )
            for index in range(len(self.tables))
        )

    def file(self) -> NetworkFile:
        """The draft as a file; raises NetworkError where it is no network."""
        return NetworkFile(
            self.title, self.description, self.networks(), self.protected, self.queries
        )


def take(file: NetworkFile, origin: str) -> None:
    """Work with another network from now on."""
    state = st.session_state
    first = file.networks[0]
    before = state.get(Key.QUILT_DRAFT)
    state[Key.QUILT_DRAFT] = Draft(
        title=file.title,
        description=file.description,
        states={node: first.names(node) for node in first.nodes},
        edges=list(first.edges),
        tables=[
            {node: (network.parents(node), network.table(node)) for node in network.nodes}
            for network in file.networks
        ],
        protected=file.protected,
        queries=file.queries,
        round=before.round + 1 if before else 0,
        origin=origin,
        own=QuiltQuery("this release", first.nodes[-1:], {}),
    )


def draft_of() -> Draft:
    """The session's draft; the school at first."""
    if Key.QUILT_DRAFT not in st.session_state:
        take(school(), "school")
    return cast(Draft, st.session_state[Key.QUILT_DRAFT])
