"""What is handed on: a link, files to save and to open, and what the server keeps if asked to."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from distpriv.analysis.scenario_file import read_scenarios, write_scenario
from distpriv.analysis.workspace import is_workspace, read_workspace, write_workspace
from distpriv.dashboard.shell import autosave, links, opening, storage, workspace
from distpriv.dashboard.shell.banner import banner
from distpriv.dashboard.shell.kept import (
    LONGEST_NAME,
    MOST,
    Kept,
    free_name,
    keep_before,
    kept,
    same,
)
from distpriv.dashboard.shell.spooling import MEGABYTES
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError, ScenarioError
from distpriv.store.workspaces import DAYS
from distpriv.words import escape

__all__ = ["files"]


def files() -> None:
    """A link to the current scenario, files to save, a file to open, and the server's copy."""
    st.header("Hand it on")
    scenario = st.session_state[Key.SCENARIO]
    st.markdown(
        "The link and the files hold every choice, names of columns and values among them, and "
        "the data's fingerprint, but no record. Whoever opens them needs the same table, unless it "
        "is one of the examples.",
        help="All of it also stays in this tab of your browser, and nowhere else, until you close "
        "the tab: load the page again, and everything is there but an uploaded table, which you "
        "are asked to open again.",
    )
    with st.expander("Link to the current scenario", icon=":material/link:"):
        st.code(links.share(scenario), language=None, wrap_lines=True)
    row = st.container(horizontal=True)
    row.download_button(
        "Save the current scenario",
        lambda: write_scenario(scenario),
        file_name="scenario.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
        key="save_scenario",
    )
    row.download_button(
        "Save everything",
        lambda: write_workspace(workspace.current()),
        file_name="workspace.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
        key="save_workspace",
        help="The workspace: the current scenario, those you kept, your own secrets, statistics "
        "and bounds, and what you typed on the pages.",
    )
    st.file_uploader(
        "Open a file: a scenario, several, or a workspace",
        key=Key.SCENARIO_FILE,
        max_upload_size=MEGABYTES,
        on_change=_read_file,
        help="A single scenario and a workspace are shown at once, and several are kept here. What "
        "was on screen before is kept too.",
    )
    _on_server()


def _read_file() -> None:
    state = st.session_state
    file = state.get(Key.SCENARIO_FILE)
    if file is None:
        return
    before, data = state[Key.SCENARIO], state[Key.DATASET].title
    try:
        content = file.getvalue()
        if is_workspace(content):
            opened = read_workspace(content)
            workspace.restore(opened, on_screen=True)
            if not same(before, opened.scenario):
                keep_before(before, data)
            return
        scenarios = read_scenarios(content)
        if len(scenarios) == 1:
            (scenario,) = scenarios.values()
            opening.open_scenario(scenario)
            if not same(before, scenario):
                keep_before(before, data)
            return
        if len(kept()) + len(scenarios) > MOST:
            raise ScenarioError(
                f"The file has {len(scenarios)} scenarios and {len(kept())} are kept already, but "
                f"at most {MOST} are kept at once; forget some first."
            )
        for name, scenario in scenarios.items():
            kept()[free_name(name[:LONGEST_NAME])] = Kept(scenario, data)
    except DistprivError as error:
        state[Key.COMPARE_ERROR_TEXT] = escape(error)


def _on_server() -> None:
    """Offer to keep the workspace in the database, or say where it is and how it is deleted."""
    state, where = st.session_state, storage.place()
    if not where:
        return
    if (key := state.get(Key.WORKSPACE_KEY)) is None:
        st.button(
            "Everything on the server too",
            key="workspace_on",
            icon=":material/cloud_upload:",
            on_click=autosave.on_server,
            help="To go on another day or at another machine: everything that is saved above, and "
            f"no record, goes into the {escape(where)} after every change. You get a link to it. "
            f"It is deleted when you say so, or {DAYS} days after the last change.",
        )
        return
    page = (st.context.url or "").partition("?")[0]
    st.markdown(
        "Your workspace is kept on the server, without a record. **Keep this link**: whoever has "
        "it can open, change and delete the workspace, and nobody can without it."
    )
    st.code(f"{page}?{urlencode({autosave.LINK: key})}", language=None, wrap_lines=True)
    banner("So the latest changes are in this tab of your browser only.")
    st.button(
        "Delete it from the server",
        key="workspace_off",
        icon=":material/cloud_off:",
        on_click=_delete,
    )


def _delete() -> None:
    try:
        autosave.off_server()
    except DistprivError as error:
        st.session_state[Key.COMPARE_ERROR_TEXT] = escape(error)
