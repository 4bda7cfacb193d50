"""What the tab *Distribution* lets one change: release, sensitivities, edges, tables, network."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations, product
from typing import cast

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.attribute.files import NetworkFile, QuiltQuery, load_network, save_network, school
from distpriv.attribute.learning import Cut, learn_network
from distpriv.dashboard.attribute.draft import Draft, take
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.widgets.editing import begun_anew, edited, example_bar
from distpriv.errors import DistprivError
from distpriv.words import escape, number

__all__ = ["choose_query", "edit_network", "files", "learn"]

_OWN = "Another release"
_MOST_ROWS = 243
_MOST_SETS = 4


def choose_query(draft: Draft) -> QuiltQuery:
    """What is hidden, what is released, and how far that can move; all kept in the draft."""
    left, right = st.columns(2, gap="large")
    draft.protected = tuple(
        left.multiselect(
            "Hide how these are distributed",
            list(draft.states),
            default=[node for node in draft.protected if node in draft.states],
            key=f"quilt_protected_{draft.round}",
            persist_state="session",
            help="Protected attributes: not their values in single records, but the parameter of "
            "their distribution, such as how well off a school's families are.",
        )
    )
    names = [query.name for query in draft.queries] + [_OWN]
    place = left.selectbox(
        "Release",
        range(len(names)),
        format_func=names.__getitem__,
        key=f"quilt_query_{draft.round}",
        persist_state="session",
        on_change=begun_anew,
        args=("quilt_delta_",),
    )
    chosen = draft.queries[place] if place < len(draft.queries) else draft.own
    attributes = tuple(
        left.multiselect(
            "It is computed from",
            list(draft.states),
            default=list(chosen.attributes),
            key=f"quilt_attributes_{draft.round}_{place}",
            persist_state="session",
            help="The attributes whose columns the released value depends on.",
        )
    )
    with right:
        sensitivity = _sensitivities(draft, chosen, attributes, place)
    found = QuiltQuery(chosen.name, attributes, sensitivity)
    if place < len(draft.queries):
        draft.queries = (*draft.queries[:place], found, *draft.queries[place + 1 :])
    else:
        draft.own = found
    return found


def _sets(attributes: tuple[str, ...]) -> list[frozenset[str]]:
    """Every set of a few attributes; of many, each one and all together."""
    sizes: Iterable[int] = range(1, len(attributes) + 1)
    if len(attributes) > _MOST_SETS:
        sizes = (1, len(attributes))
    return [frozenset(chosen) for size in sizes for chosen in combinations(attributes, size)]


def _sensitivities(
    draft: Draft, query: QuiltQuery, attributes: tuple[str, ...], place: int
) -> dict[frozenset[str], float]:
    if not attributes:
        return {}
    whole = frozenset(attributes)
    known = dict(query.sensitivity)
    known.setdefault(whole, max(known.values(), default=1.0))
    sets = _sets(attributes)
    start = pd.DataFrame(
        {
            "If all columns change of": [
                ", ".join(name for name in attributes if name in nodes) for nodes in sets
            ],
            "it moves by at most": [known.get(nodes, math.nan) for nodes in sets],
        }
    ).astype({"it moves by at most": "float64"})
    rows = edited(
        f"quilt_delta_{draft.round}_{place}_{'|'.join(attributes)}",
        start,
        {
            "it moves by at most": st.column_config.NumberColumn(
                help="Δ, the sensitivity: the largest change of the released value whatever these "
                "columns hold. Left empty, the value of the smallest larger set counts.",
                format="%g",
            )
        },
        disabled=["If all columns change of"],
    )
    values = rows["it moves by at most"].to_numpy(dtype=float)
    return {nodes: float(v) for nodes, v in zip(sets, values, strict=True) if not math.isnan(v)}


def edit_network(draft: Draft) -> None:
    """Edges, and the table of one attribute; what is typed goes into the draft, right or wrong."""
    left, right = st.columns([2, 3], gap="large")
    nodes = list(draft.states)
    with left:
        st.markdown("**Edges**", help="From an attribute to one that depends on it.")
        options = {
            name: st.column_config.SelectboxColumn(name, options=nodes, required=True)
            for name in ("From", "To")
        }
        rows = edited(
            f"quilt_edges_{draft.round}",
            pd.DataFrame(draft.edges, columns=["From", "To"], dtype="object"),
            options,
            rows="dynamic",
        ).dropna()
        draft.edges = [(str(a), str(b)) for a, b in zip(rows["From"], rows["To"], strict=True)]
    with right:
        above, beside = st.columns([2, 1], vertical_alignment="bottom")
        node = above.selectbox(
            "Table of",
            nodes,
            key=f"quilt_node_{draft.round}",
            persist_state="session",
            on_change=begun_anew,
            args=("quilt_table_",),
            help="The probability of each state, given the states of what it depends on. Rows "
            "must sum to 1.",
        )
        index = _distribution(draft, beside)
        _edit_table(draft, index, node)


def _distribution(draft: Draft, place: st.delta_generator.DeltaGenerator) -> int:
    """Which distribution of Θ is edited; another can be added, and taken away."""
    count = len(draft.tables)
    with place.popover(f"Θ: {count}", width="stretch"):
        st.markdown(
            "Θ is the set of distributions thought possible; the noise hides the protected "
            "attribute under each of them."
        )
        key = f"quilt_theta_{draft.round}_{count}"
        index = st.selectbox(
            "Show the tables of distribution",
            range(count),
            format_func=lambda i: f"{i + 1}",
            key=key,
            on_change=begun_anew,
            args=("quilt_table_",),
        )
        if st.button("Add a copy of it", key="quilt_theta_add"):
            draft.tables.append(dict(draft.tables[index]))
            st.rerun()
        if st.button("Take it out", key="quilt_theta_remove", disabled=count == 1):
            del draft.tables[index]
            draft.round += 1
            st.rerun()
    return int(index)


def _edit_table(draft: Draft, index: int, node: str) -> None:
    array, parents = draft.table(index, node), draft.parents(node)
    if math.prod(array.shape[:-1]) > _MOST_ROWS:
        st.info(
            f"The table of {escape(node)} has more than {_MOST_ROWS} rows; save the network, edit "
            "the file, and load it again.",
            icon=":material/info:",
        )
        return
    given = [
        ", ".join(f"{parent} = {state}" for parent, state in zip(parents, states, strict=True))
        for states in product(*(draft.states[parent] for parent in parents))
    ]
    names = [f"P({state})" for state in draft.states[node]]
    start = pd.DataFrame(array.reshape(len(given), len(names)), columns=names)
    start.insert(0, "given", [state or "–" for state in given])
    rows = edited(
        f"quilt_table_{draft.round}_{index}_{node}_{'|'.join(parents)}",
        start,
        {name: st.column_config.NumberColumn(name, format="%.4g") for name in names},
        disabled=["given"],
    )
    values = rows[names].to_numpy(dtype=np.float64, na_value=np.nan)
    draft.tables[index][node] = (parents, values.reshape(array.shape))


def files(draft: Draft) -> None:
    """Save, load, and the school again."""
    try:
        content = save_network(draft.file())
    except DistprivError:
        content = None
    example_bar(
        "network",
        lambda text: take(load_network(text), "file"),
        content,
        lambda: take(school(), "school"),
        "The school again",
    )


def learn(dataset: Dataset, scenario: Scenario) -> None:
    """A network from the session's table."""
    place = st.expander(
        "From your table", icon=":material/table:", key="quilt_from_table", on_change="rerun"
    )
    if not place.open:
        return
    with place:
        if scenario.presenting:
            st.caption("Networks learned from records are left out of the presentation view.")
            return
        usable = [name for name, kind in dataset.types.items() if kind in _USABLE]
        first = [scenario.secret.column, *(s.column for s in dataset.query)]
        columns = st.multiselect(
            "Columns",
            usable,
            default=list(dict.fromkeys(name for name in first if name in usable))[:5],
            key=f"learn_columns_{dataset.digest}",
            persist_state="session",
            help="The first one is protected to begin with, and the tree grows from it.",
        )
        left, middle, right = st.columns(3)
        states = left.number_input(
            "States of a column", 2, 6, 3, key="learn_states", persist_state="session"
        )
        cut = middle.segmented_control(
            "Numbers are cut into",
            ["quantiles", "widths"],
            default="quantiles",
            required=True,
            key="learn_cut",
            persist_state="session",
            help="*quantiles*: ranges with equally many records. *widths*: equally wide ranges.",
        )
        smoothing = right.number_input(
            "Added to every count",
            0.001,
            1000.0,
            1.0,
            format="%g",
            key="learn_smoothing",
            persist_state="session",
            help="Laplace smoothing: nothing is taken for impossible only because it did not "
            "occur.",
        )
        st.caption(
            "What is learned is how values go together within records; the mechanism takes that "
            "for how the attributes' distributions go together, which is an assumption of yours."
        )
        if st.button("Learn a network", key="learn", icon=":material/account_tree:"):
            try:
                with st.spinner("Counting combinations of values …"):
                    learned = learn_network(
                        dataset.records,
                        columns,
                        states=int(states),
                        cut=cast(Cut, cut),
                        smoothing=smoothing,
                    )
            except DistprivError as error:
                st.error(escape(error), icon=":material/error:")
                return
            nodes = learned.network.nodes
            query = QuiltQuery(
                f"a share computed from {nodes[-1]}", (nodes[-1],), {frozenset({nodes[-1]}): 1.0}
            )
            sentence = f"Learned from {number(learned.records)} records of {dataset.title}"
            if learned.dropped:
                sentence += f"; {number(learned.dropped)} that miss a value are left out"
            take(NetworkFile("", f"{sentence}.", (learned.network,), nodes[:1], (query,)), "table")
            st.rerun()


_USABLE = ("number", "category", "boolean")
