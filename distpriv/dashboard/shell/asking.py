"""The question before everything else: which table is it about, when that is not in the session."""

from __future__ import annotations

from typing import cast

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.workspace import Source
from distpriv.dashboard.shell import autosave, controls, opening, progress
from distpriv.dashboard.shell.dataset import Dataset, retyped
from distpriv.dashboard.shell.kept import keep_before
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.shell.uploads import from_upload
from distpriv.errors import DistprivError, ScenarioError, TableError
from distpriv.tables.repairs import AS_FOUND
from distpriv.words import escape, number

__all__ = ["first"]


def first() -> None:
    """Ask for a table that is awaited and show nothing else, or return if none is."""
    state = st.session_state
    opening.follow_link()
    awaiting = cast("Scenario | None", state.get(Key.AWAITING))
    if awaiting is None and not state.get(Key.UPLOAD_WANTED):
        return
    source = cast("Source | None", state.get(Key.AWAITED_SOURCE))
    st.title("Open your table again" if source else "Which table is it?")
    if notice := state.pop(Key.NOTICE, None):
        st.error(notice, icon=":material/error:")
    st.markdown(_sentence(awaiting, source), help=_WHY if source else None)
    st.file_uploader(
        f"Your table: {escape(source.title)}" if source else "Your table",
        key=Key.AWAITED_FILE,
        on_change=_read,
        help="The table stays in this session's memory on the machine that runs the dashboard and "
        "goes when you close the page.",
    )
    progress.place()
    if (other := state.get(Key.AWAITED_OTHER)) is not None and awaiting is not None:
        _another(other, awaiting, source)
    st.button("Start with something else", icon=":material/restart_alt:", on_click=_leave)
    autosave.keep()
    st.stop()


_WHY = (
    "What you chose, names of columns among it, stayed in this tab of your browser. The records "
    "did not: they were in the memory of the dashboard, which forgets them when the page is loaded "
    "again."
)


def _sentence(awaiting: Scenario | None, source: Source | None) -> str:
    if awaiting is None:
        return (
            "This address is about a table of somebody's own, which nobody else's session holds. "
            "Open your copy to go on, or start with something else. The secret and the statistics "
            "are not in such an address; ask for a link or a file from the Compare & report page, "
            "which has them."
        )
    if source is None:
        return (
            "This scenario is about a table that is not here, with the fingerprint "
            f"`{awaiting.digest[:12]}`. It holds every choice but no record: open that table, and "
            "the choices are made, or start with something else."
        )
    return (
        f"You were working on **{escape(source.title)}** ({number(source.records)} records). Open "
        "the same file again to go on, or start with something else."
    )


def _read() -> None:
    state = st.session_state
    file = state.get(Key.AWAITED_FILE)
    if file is None:
        return
    awaiting = cast("Scenario | None", state.get(Key.AWAITING))
    source = cast("Source | None", state.get(Key.AWAITED_SOURCE))
    try:
        dataset = _opened(file.getvalue(), file.name, source)
        if awaiting is None:
            controls.keep_upload(dataset)
        elif awaiting.digest == dataset.digest:
            _go_on(awaiting, dataset)
        else:
            state[Key.AWAITED_OTHER] = dataset
    except DistprivError as error:
        state[Key.NOTICE] = escape(error)


def _opened(content: bytes, name: str, source: Source | None) -> Dataset:
    """The table as it was read and typed before, if the file is the same."""
    reading = AS_FOUND if source is None else source.reading
    try:
        dataset = from_upload(content, name, reading)
    except TableError:
        if reading == AS_FOUND:
            raise
        dataset = from_upload(content, name)  # another file
    if source is not None and dataset.fingerprints[0] == source.digest:
        return retyped(dataset, dict(source.types)) if source.types else dataset
    return dataset if reading == AS_FOUND else from_upload(content, name)


def _another(other: Dataset, awaiting: Scenario, source: Source | None) -> None:
    """Another table than the awaited: what it may be used for all the same."""
    known = f"`{(source.digest if source else awaiting.digest)[:12]}`"
    wanted = f"{escape(source.title)} had {known}" if source else f"the awaited one has {known}"
    missing = opening.misfit(awaiting, other)
    st.warning(
        f"{escape(other.title)} is another table: its fingerprint is `{other.digest[:12]}`, "
        f"{wanted}." + (f" {escape(missing)}" if missing else ""),
        icon=":material/rule:",
    )
    with st.container(horizontal=True):
        if not missing:
            st.button(
                "Make the same choices on it",
                icon=":material/content_copy:",
                on_click=_same_choices,
                args=(awaiting, other),
                help="It may be a later version of the same table; the figures may differ.",
            )
        st.button(
            "Use it as a new table",
            icon=":material/note_add:",
            on_click=_anew,
            args=(other,),
            help="With choices that fit it; what you chose before is kept on the Compare page.",
        )


def _same_choices(awaiting: Scenario, dataset: Dataset) -> None:
    try:
        _go_on(awaiting, dataset)
    except ScenarioError as error:
        st.session_state[Key.NOTICE] = escape(error)


def _go_on(awaiting: Scenario, dataset: Dataset) -> None:
    opening.go_on(awaiting, dataset)
    st.session_state[Key.UPLOAD] = dataset


def _anew(dataset: Dataset) -> None:
    _forget()
    controls.keep_upload(dataset)


def _leave() -> None:
    """Go on without it, with what was on screen before if there was anything."""
    _forget()
    state = st.session_state
    if st.query_params.get("data") == opening.UPLOAD:
        del st.query_params["data"]
    # The controls were not drawn while the question was, so they have to be set again.
    if (scenario := state.get(Key.SCENARIO)) is not None:
        opening.put_back(scenario, state[Key.DATASET])


def _forget() -> None:
    """Await nothing any more; choices of one's own are kept for later."""
    state = st.session_state
    source = cast("Source | None", state.pop(Key.AWAITED_SOURCE, None))
    if (awaiting := state.pop(Key.AWAITING, None)) is not None and source is not None:
        keep_before(awaiting, source.title)
    for key in (Key.AWAITED_OTHER, Key.UPLOAD_WANTED, Key.OPENED):
        state.pop(key, None)
