"""Scenarios that were saved: side by side, in the trade-off plane, and as files."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from distpriv import report
from distpriv.analysis import Evaluation, Scenario, evaluate
from distpriv.charts import bars, tradeoff
from distpriv.dashboard import page
from distpriv.dashboard.fields import from_query, to_query
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError
from distpriv.text import right_of_100, significant

__all__ = ["file", "open_file", "side_by_side"]


def side_by_side(state: State, now: Evaluation) -> None:
    """Draw saved scenarios of this table beside the current one, and what is done with them."""
    st.header("Side by side", anchor=False)
    mine, best = now.scenario, now.recommendation.way
    table: dict[str, Any] = {"source": mine.source, "reading": mine.reading, "row": mine.row}
    others = {name: one for name, one in state.saved.items() if one == replace(one, **table)}
    note, epsilon = "", None
    if not others:
        with suppress(DistprivError):  # the mechanism does not apply, which is said beside its name
            epsilon = now.epsilon
        note = "the recommended way and your choice"
        if epsilon:
            note = "half and twice your ε"
            near = {"Half your ε": epsilon / 2, "Twice your ε": 2 * epsilon}
            others = {name: replace(mine, by="epsilon", epsilon=one) for name, one in near.items()}
    parts = [now.beside("Recommended", best)]
    units = dict(zip(now.labels, now.units, strict=True))
    for place, (name, one) in enumerate([("Now", mine), *others.items()]):
        try:
            result = evaluate(one, now.source, now.cache)  # which knows laws that took long
            row = result.beside(name, result.way)
        except DistprivError as error:
            st.caption(f"**{page.escape(name)}** has no answer. {page.escape(error)}")
            continue
        if not place and result.way.key == best.key:
            parts.clear()
        parts.append(row)
        units |= dict(zip(result.labels, result.units, strict=True))
    frame = pd.concat(parts, ignore_index=True)
    first, second = st.columns([6, 5], gap="large")
    with first:
        st.container(key="sides").table(_columns(frame, units))
        _save(state, note)
    with second:
        marks, ways = frame.rename(columns={"scenario": "name"}), frame["scenario"] + ", "
        page.show(
            tradeoff.picture(
                frame.head(0), marks=marks, limit=now.limit if mine.by == "guesses" else None
            ),
            frame,
            bars.costs_alt(frame.assign(way=ways + frame["way"], kept=None)),
            key="scenarios",
            note="Lower and further left is better.",
        )


def _columns(frame: pd.DataFrame, units: dict[str, str]) -> pd.DataFrame:
    """Return the frame as people read it, a column a scenario, with names escaped."""
    table = {
        "ε": frame["epsilon"].map(significant),
        "Right guesses of 100": frame["guesses"].map(right_of_100),
        "Average error": frame["error"].map(lambda error: f"{significant(error, 2)} %"),
    }
    for label, unit in units.items():
        title = f"{label[:1].upper()}{label[1:]}, {unit}".rstrip(", ")
        errors = frame[f"± {label}"].map(lambda error: f"± {significant(error, 2)}")
        table[page.escape(title, 60)] = errors.replace("± –", "–")
    heads = [frame["scenario"].map(page.escape), frame["way"]]
    return pd.DataFrame(table).set_axis(pd.MultiIndex.from_arrays(heads, names=["", ""])).T


def _save(state: State, note: str) -> None:
    """Save the scenario under a name, take another one over, remove one."""
    row: dict[str, Any] = {"horizontal": True, "vertical_alignment": "bottom"}
    with st.form("save", clear_on_submit=True, border=False), st.container(**row):
        name = st.text_input(
            "Save the current settings as", f"Settings {len(state.saved) + 1}", 40, width=240
        )
        if st.form_submit_button("Save", icon=":material/bookmark_add:") and name.strip():
            state.saved[" ".join(name.split())] = state.scenario
            st.rerun()
    if note:
        st.caption(f"Nothing saved yet. Shown: {note}.")
    if not state.saved:
        return
    with st.container(**row):
        name = st.selectbox("Saved settings", [*state.saved], width=240)
        chosen = (state.saved[name],)
        st.button("Take them", icon=":material/check:", on_click=state.take, args=chosen)
        if st.button("Remove", type="tertiary"):
            del state.saved[name]
            st.rerun()


def file(state: State) -> None:
    """Draw what saves the scenario to a file or a script, and what opens a file."""
    brought = state.files.get(state.scenario.source)
    name = brought.name if brought else state.source().title
    files = {
        "Scenario file": ("scenario.json", f"{state.scenario.to_json()}\n"),
        "Python script": ("scenario.py", report.script(state.scenario, name)),
    }
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, (path, text) in files.items():
            st.download_button(label, text, path, "text/plain", on_click="ignore")
        with st.popover("Open a scenario file", icon=":material/folder_open:"):
            # Another revision has another, empty one: nothing is opened twice.
            key = f"scenario-{state.revision}"
            data = st.file_uploader("Scenario file", "json", key=key, max_upload_size=1)
            if data is not None:
                try:
                    open_file(state, data.getvalue())
                except DistprivError as error:
                    st.error(page.escape(error), icon=":material/error:")
                else:
                    st.rerun()


def open_file(state: State, data: bytes) -> None:
    """Take a scenario of a file as a link is taken: as far as it fits; what does not is a note.

    Of a table that is not here, the rest is asked of the table in use. ReadError if it is none.
    """
    brought = Scenario.from_json(data)
    here = brought.source in state.offered("source")
    start = state.start(brought.source if here else state.scenario.source)
    brought = brought if brought.secrets else replace(brought, secrets=start.secrets)
    # As of a table that anybody may see, for a file may say what no address does.
    query = to_query(replace(brought, source=Scenario.source), start)
    scenario, problems = from_query(query, start)
    if not here:
        problems.append("The table of this file is not here; its settings are asked of this one.")
    if brought.reference_data:
        problems.append("Reference data are not opened here; the table itself takes their place.")
    state.take(replace(scenario, grid_safe=brought.grid_safe))
    state.notes += problems
