"""Scenarios that were saved: side by side, in the trade-off plane, and as files."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from distpriv import report
from distpriv.analysis import Evaluation, Scenario, evaluate
from distpriv.charts import tradeoff
from distpriv.dashboard import page
from distpriv.dashboard.fields import FIELDS, from_query
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError, ReadError
from distpriv.text import significant

__all__ = ["file", "side_by_side"]

_MOST = 6  # scenarios that are saved
_LONGEST = 40  # letters of a name
_BYTES = 1_000_000  # of a scenario file


def side_by_side(state: State, now: Evaluation) -> None:
    """Draw saved scenarios of this table beside the current one, and what is done with them."""
    st.header("Side by side", anchor=False)
    saved = [(name, one) for name, one in state.saved.items() if _of_this_table(one, now)]
    others, note = (saved, "") if saved else _usual(now)
    parts, units = [], dict(zip(now.labels, now.units, strict=True))
    best = now.recommendation.way
    for name, one in [("Now", now.scenario), *others]:
        try:
            each = evaluate(one, now.source, state.memory)
            if one is now.scenario and best.key != each.way.key:
                parts.append(each.beside("Recommended", best))
            parts.append(each.beside(name, each.way))
            units |= dict(zip(each.labels, each.units, strict=True))
        except DistprivError as error:
            st.caption(f"**{page.escape(name)}** has no answer. {page.escape(error)}")
    frame = pd.concat(parts or [now.beside("Recommended", best)], ignore_index=True)
    left, right = st.columns([6, 5], gap="large")
    with left:
        st.table(_columns(frame, units))
        _save(state, note)
    with right:
        page.show(
            tradeoff.plane(frame, limit=now.limit),
            frame,
            tradeoff.plane_alt(frame),
            key="scenarios",
            note="Lower and further left is better. The line is your limit.",
        )


def _of_this_table(one: Scenario, now: Evaluation) -> bool:
    mine = now.scenario
    return (one.source, one.reading, one.row) == (mine.source, mine.reading, mine.row)


def _usual(now: Evaluation) -> tuple[list[tuple[str, Scenario]], str]:
    """Return what stands beside the current scenario while none is saved, and a sentence on it."""
    try:
        epsilon = now.epsilon if now.way.release.kind == "noise" else None
    except DistprivError:  # the chosen mechanism does not apply, which its row says
        epsilon = None
    if not epsilon:
        return [], "Nothing saved yet. Shown: the recommended way and your own choice."
    others = {"Half your ε": epsilon / 2, "Twice your ε": 2 * epsilon}
    rows = [
        (name, replace(now.scenario, by="epsilon", epsilon=one)) for name, one in others.items()
    ]
    return rows, "Nothing saved yet. Shown: half and twice your ε."


def _columns(frame: pd.DataFrame, units: dict[str, str]) -> pd.DataFrame:
    """Return the frame as people read it, a column a scenario, with names escaped."""
    table = {
        "ε": frame["epsilon"].map(significant),
        "Right guesses of 100": frame["guesses"].map("{:.0f}".format),
        "Average error": frame["error"].map(lambda error: f"{significant(error, 2)} %"),
    }
    for label, unit in units.items():
        title = f"{label[:1].upper()}{label[1:]}, {unit}".rstrip(", ")
        errors = frame[f"± {label}"]
        table[page.escape(title, 60)] = errors.map(lambda error: f"± {significant(error, 2)}")
    heads = [frame["scenario"].map(page.escape), frame["way"]]
    return (
        pd.DataFrame(table)
        .set_axis(pd.MultiIndex.from_arrays(heads, names=["", ""]))
        .T.replace("± –", "–")
    )


def _save(state: State, note: str) -> None:
    """Save the scenario under a name, take another one over, remove one."""
    with (
        st.form("save", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        name = st.text_input(
            "Save the current settings as",
            placeholder="for example: strict",
            max_chars=_LONGEST,
            width=240,
        )
        save = st.form_submit_button("Save", icon=":material/bookmark_add:")
    if save:
        name = " ".join(name.split())
        if not name:
            st.error("Write a name for these settings.")
        elif len(state.saved) >= _MOST and name not in state.saved:
            st.error(f"{_MOST} settings are saved already. Remove one first.")
        else:
            state.saved[name] = state.scenario
            st.rerun()
    if note:
        st.caption(note)
    if not state.saved:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Saved settings", [*state.saved], width=240)
        if name in state.saved:
            icon = ":material/check:"
            st.button("Take them", icon=icon, on_click=state.take, args=(state.saved[name],))
            if st.button("Remove", type="tertiary"):
                state.saved.pop(name, None)
                st.rerun()


def file(state: State) -> None:
    """Draw what saves the scenario to a file, and what opens one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Scenario file",
            state.scenario.to_json() + "\n",
            "scenario.json",
            "application/json",
            on_click="ignore",
            icon=":material/download:",
        )
        brought = state.files.get(state.scenario.source)
        name = brought.name if brought else state.source().title
        st.download_button(
            "Python script",
            report.script(state.scenario, name),
            "scenario.py",
            "text/x-python",
            on_click="ignore",
            icon=":material/code:",
        )
        with st.popover("Open a scenario file", icon=":material/folder_open:"):
            # Another revision is another, empty one: what was opened is not opened again.
            data = st.file_uploader("Scenario file", "json", key=f"scenario-{state.revision}")
            if data is not None:
                try:
                    scenario = _read(data.getvalue())
                    _open(state, scenario)
                except DistprivError as error:
                    st.error(page.escape(error), icon=":material/error:")
                else:
                    st.rerun()


def _read(data: bytes) -> Scenario:
    """Read a scenario file; ReadError if it is none."""
    if len(data) > _BYTES:
        raise ReadError("This file is too large for a scenario; choose one that was saved here.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError("This file is no text; choose a scenario that was saved here.") from None
    return Scenario.from_json(text)


def _open(state: State, brought: Scenario) -> None:
    """Take a scenario of a file, as far as it fits, in the way that a link is taken."""
    here = brought.source in state.offered("source")
    start = state.start(brought.source if here else state.scenario.source)
    brought = brought if brought.secrets else replace(brought, secrets=start.secrets)
    query = {
        entry.parameter: entry.write(entry.get(brought))
        for entry in FIELDS
        if entry.parameter
        and (here or entry.about != "table")
        and (entry.name != "epsilon" or brought.by == "epsilon")
        and entry.get(brought) != entry.get(start)
    }
    scenario, problems = from_query(query, start)
    if not here:
        problems.append("The table of this file is not here. The settings are kept for this table.")
    if brought.reference_data:
        problems.append("Reference data are not opened here; the table itself takes their place.")
    state.notes += problems
    state.take(replace(scenario, grid_safe=brought.grid_safe))
