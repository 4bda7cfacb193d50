"""Show attribute privacy: of the scenario's table, of Gaussian averages, and of networks."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd
import streamlit as st

from distpriv.analysis import attribute, sentences
from distpriv.attribute import BayesianNetwork, learn_network, markov_quilt, noise_by_release
from distpriv.charts import attribute as charts, bars
from distpriv.dashboard import controls, page
from distpriv.dashboard.fields import number
from distpriv.errors import DistprivError
from distpriv.papers.items import ERRATA, PRINTED
from distpriv.text import significant

VIEWS = {"table": "My table", "averages": "Gaussian data", "network": "Networks"}
NOISE = {"classical": "Classical noise, as in the paper", "exact": "Exact noise"}
NETWORKS = {"school": "The paper's school", "file": "A file", "table": "From my table"}
HOSPITAL = pd.DataFrame(
    [
        ["average weight", "share of women", "9 to 24.5", "15", "0.25"],
        ["average blood pressure", "share of women", "6 to 10", "10", "0.25"],
        ["average temperature", "share of women", "0 to 0.3", "2", "0.25"],
    ],
    columns=attribute.ASSUMED,
)
SCHOOL = BayesianNetwork(**PRINTED["school"])
SENSITIVITY = "The most that the figure changes if all records get other values of this attribute."
state, now = page.current()
chosen = st.session_state
kept: dict[str, Any] = chosen.setdefault("attribute", {})
problems: list[DistprivError] = []


def keep(widget: Callable[..., Any], name: str, first: Any, *more: Any, **options: Any) -> Any:
    """Draw a control that begins with what it held before another view or page was drawn."""
    key = f"attribute-{name}"
    if key not in chosen:
        chosen[key] = kept.get(name, first)
    kept[name] = widget(*more, key=key, **options)
    return kept[name]


@contextmanager
def noticing() -> Iterator[None]:
    """Say at its place what is wrong, and go on to what else is asked for."""
    try:
        yield
    except DistprivError as problem:
        st.caption(f":red[{page.escape(problem)}]")
        problems.append(problem)


def ask(name: str, label: str, first: str, low: float, high: float, **options: Any) -> float:
    """Ask for a number; NaN for none."""
    look = options | {"domain": (low, high)}
    text = keep(controls.ask, name, first, label, first, **look)
    try:
        return number(text, low, high) if text or first else math.nan
    except DistprivError as problem:  # which its field says
        problems.append(problem)
        return math.nan


def table() -> None:
    """Show Algorithm 1's noise for the scenario, beside other ways."""
    way = attribute.hiding_noise(now)
    frame, answer = attribute.ways_of_hiding(now, way), attribute.table_answer(now, way, page.WORDS)
    with head:
        advice = sentences.advice(now, page.WORDS)
        page.headline(*answer, advice, sentences.warning(now, page.WORDS))
        page.about(now)
    left, right = st.columns([6, 5], gap="large")
    with left:
        page.show(
            bars.costs(frame),
            frame,
            bars.costs_alt(frame),
            key="hiding",
            note="APGM is the paper's Algorithm 1: the same noise for every figure, in per cent of "
            "its value. Full colour is what remains of it in best estimates.",
        )
    with right:
        st.markdown(f"One figure after the other: **{page.escape(way.title)}**")
        st.table(page.errors(now, way))
        st.caption(f"{way.basis} {attribute.printed_noise(now)}")


def averages() -> None:
    """Show which averages of normal records need noise, from ranges that the user knows."""
    picture = st.container()
    st.header("What is assumed", anchor=False)
    how = keep(page.choice, "noise", "classical", "Noise", NOISE, None)
    with st.container(horizontal=True):
        n = ask("n", "Records of each average", "50", 1, 1e9)
        epsilon = ask("epsilon", "ε", "1", 1e-4, 100, help=page.tip("ε"))
        delta = ask("delta", "δ", "0.001", 1e-12, 0.5, help=page.tip("δ"))
    if "attribute-rows" not in chosen:  # the editor keeps changes of what it began with
        kept["begun"] = kept.get("rows", HOSPITAL)
    look: dict[str, Any] = {"num_rows": "dynamic", "hide_index": True, "key": "attribute-rows"}
    rows = kept["rows"] = st.data_editor(kept["begun"], **look)
    st.caption(
        "Difference: between the averages of records with and without the protected attribute. "
        "Deviation: how far single records scatter. Apart: the distance of the hidden shares."
    )
    if not problems:
        with noticing():
            assumed = attribute.read_assumptions(rows, n, lambda text: number(text, -1e99, 1e99))
            frame = noise_by_release(assumed, epsilon, delta, how).reset_index()
    if problems:
        raise problems[0]
    with head:
        page.headline(*attribute.averages_answer(frame, page.WORDS))
    note = f"Each average by itself, at ε = {significant(epsilon)}, δ = {significant(delta)}. "
    note += ERRATA[2] * (how == "classical" and epsilon > 1)
    if rows.equals(HOSPITAL):
        note += f"The hospital of Zhang et al. (2022). {ERRATA[6]} {ERRATA[11]}"
    with picture:
        alt = charts.averages_alt(frame)
        page.show(charts.averages(frame), frame, alt, key="averages", note=note)


def network() -> None:
    """Show which attributes of a network tell of a protected one, and the noise that hides it."""
    left, right = st.columns([7, 5], gap="large")
    with right:
        source = keep(page.choice, "source", "school", "Network", NETWORKS, None)
        with noticing():
            net = read(source)
        if problems:
            raise problems[0]
        names, usual, ends = "|".join(net.nodes), "1", (net.nodes[0], net.nodes[-1])
        if source == "school":
            usual, ends = "100", ("family income", "height")
        secrets = keep(st.multiselect, f"secrets-{names}", [ends[0]], "Protected", net.nodes)
        released = keep(st.multiselect, f"released-{names}", [ends[1]], "Released", net.nodes)
        deltas = {}
        for name in released:
            key, label = f"{name}-{names}", f"Sensitivity to {page.escape(name)}"
            deltas[frozenset([name])] = ask(key, label, usual, 0, 1e99, help=SENSITIVITY)
        if len(released) > 1:
            key, most = f"all-{names}", sum(deltas.values())
            value = ask(key, "Sensitivity to all", "", 0, 1e99, placeholder="Their sum")
            deltas[frozenset(released)] = most if math.isnan(value) else value
        budget = ask("budget", "ε", "1", 1e-4, 100, help=page.tip("ε"))
        settings = secrets, released, deltas, budget, 4 if len(net.nodes) <= 12 else 2
        memory = "quilt", net.to_json(), *map(repr, settings)
        with noticing():
            if not problems:
                result = state.memory(memory, lambda: markov_quilt(net, *settings))
    if problems:
        raise problems[0]
    with head:
        page.headline(*attribute.quilt_answer(result, page.WORDS))
    with left:
        page.show(
            charts.network(net, result, released),
            result.to_frame(),
            charts.network_alt(result, released),
            key="network",
            note="The quilt separates what is protected and nearby from what is remote. Only what "
            "is released and nearby needs noise. *Numbers* lists all quilts.",
        )
        if result.scale:
            far = significant(result.accuracy(0.05))
            st.caption(f"In 95 of 100 releases the noise is within ± {far}. {ERRATA[7]}")


def read(source: str) -> BayesianNetwork:
    """Return the network that is chosen, typed, or learned from the table."""
    if source == "school":
        st.caption("The paper's Figure 1 has no probabilities; these are ours.")
        return SCHOOL
    if source == "table":
        columns = list(dict.fromkeys([*now.source.labels, *now.source.numbers]))
        used = [now.pair.secret.column, *(one.column for one in now.query.statistics)]
        name = f"columns-{now.source.fingerprint}"
        picked = keep(st.multiselect, name, list(dict.fromkeys(used)), "Columns", columns)
        st.caption(
            "This learns how values go together within a record. You assume that distributions go "
            "together in the same way."
        )
        key, records = ("network", name, *picked), now.source.columns(picked)
        return state.memory(key, lambda: learn_network(records, picked))
    look: dict[str, Any] = {"key": "attribute-file", "max_upload_size": 1}
    file = st.file_uploader("JSON or BIF", ["json", "bif"], **look)
    if file and kept.get("file") != file.file_id:
        kept["file"] = file.file_id
        chosen["attribute-text"] = file.getvalue().decode("utf-8-sig", "replace")
    text = keep(st.text_area, "text", SCHOOL.to_json(), "Or paste it here", height=200)
    read = BayesianNetwork.from_json if text.lstrip().startswith("{") else BayesianNetwork.from_bif
    return read(text.encode("utf-8", "replace"))  # never a path of the server's


head = st.container()
views = {"table": table, "averages": averages, "network": network}
try:
    views[keep(page.choice, "view", "table", "View", VIEWS, None)]()
except DistprivError as problem:
    with head:
        page.headline("No answer for this", page.escape(problem))
