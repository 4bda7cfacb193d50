"""Tables that are edited on a page: what was typed stays, right or wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pandas as pd
import streamlit as st

from distpriv.dashboard.shell.spooling import MEGABYTES
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets.display import named
from distpriv.errors import DistprivError
from distpriv.words import escape

__all__ = ["begun_anew", "edited", "example_bar"]


def edited(
    key: str,
    current: pd.DataFrame,
    config: dict[str, Any],
    *,
    disabled: list[str] | None = None,
    rows: Literal["fixed", "dynamic"] = "fixed",
) -> pd.DataFrame:
    """An editor that starts from the current values whenever it is drawn anew.

    While it is on screen its starting point stays the same, so that its edits are not applied
    twice; `current` counts again once it has been away.
    """
    bases = st.session_state.setdefault(Key.EDITOR_BASES, {})
    if key not in st.session_state or key not in bases:
        bases[key] = current
    return st.data_editor(
        bases[key],
        key=key,
        column_config=config,
        disabled=disabled or [],
        num_rows=rows,
        hide_index=True,
        alt=named(current),
    )


def begun_anew(prefix: str) -> None:
    """Let the editors whose keys start so begin from the current values when they are drawn next.

    For the callback of what chooses between them. Who chooses another one and comes back fast meets
    a browser that has forgotten the edits and a session that still has them: the run in between was
    cut short before it could tidy up.
    """
    bases = st.session_state.get(Key.EDITOR_BASES, {})
    for key in [key for key in bases if key.startswith(prefix)]:
        del bases[key]


def example_bar(
    name: str,
    load: Callable[[bytes], None],
    content: str | None,
    reset: Callable[[], None],
    reset_label: str,
) -> None:
    """Save, load and start again; a bad file ends in a sentence and the edits stay.

    Parameters
    ----------
    name : str
        Of the keys and of the saved file.
    load : callable
        Takes over a file's content; raises DistprivError.
    content : str or None
        What is saved; None where what is edited makes no sense as it is.
    reset : callable
    reset_label : str
    """
    state = st.session_state

    def read() -> None:
        file = state.get(f"{name}_file")
        if file is None:
            return
        try:
            load(file.getvalue())
        except DistprivError as error:
            state[f"{name}_file_error"] = f"{escape(file.name)}: {escape(error)}"

    with st.expander("Save, load, start again", icon=":material/folder_open:"):
        left, right = st.columns(2, vertical_alignment="center")
        left.download_button(
            "Save as JSON",
            content or "",
            file_name=f"distpriv-{name}.json",
            mime="application/json",
            key=f"{name}_save",
            icon=":material/download:",
            disabled=content is None,
            help="Everything in this tab as it stands. The format is described in data/README.md.",
            on_click="ignore",
        )
        right.button(reset_label, key=f"{name}_reset", icon=":material/undo:", on_click=reset)
        st.file_uploader(
            "Load a file saved here",
            key=f"{name}_file",
            on_change=read,
            max_upload_size=MEGABYTES,
        )
    if message := state.pop(f"{name}_file_error", None):
        st.error(message, icon=":material/error:")
