"""What is wrong with the database, above what needs it, and what can be done about it there."""

from __future__ import annotations

import streamlit as st

from distpriv.dashboard.serving import people, writing
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.state import Key
from distpriv.errors import StoreError
from distpriv.words import escape

__all__ = ["banner"]

_BEGIN = "Set it aside and begin a new one"
_MEANS = (
    "**Nothing of it counts any more.** Decisions, agreed limits and the ledger begin empty, so "
    "that no limit counts what was released before. The damaged file stays in its folder under "
    "another name. If there is a backup, have it restored in the file's place instead."
)


def banner(lost: str) -> None:
    """Say what is wrong with the database, if anything is, and what that means here.

    Parameters
    ----------
    lost : str
        What cannot be done, or is not kept, until it answers.
    """
    if said := st.session_state.pop(Key.STORE_ASIDE, ""):
        st.info(escape(said), icon=":material/database:")
    found = storage.trouble()
    if found is None:
        return
    with st.container(border=True):
        st.markdown(f":material/cloud_off: {escape(found.message)} {lost}")
        st.button(
            "Ask again", key="store_again", on_click=storage.forgive, icon=":material/refresh:"
        )
        if found.damaged:
            storage.barred("limit")
            if people.may("limit"):
                _beginning()


def _beginning() -> None:
    with st.expander(f"{_BEGIN} …", icon=":material/inventory_2:"):
        st.markdown(_MEANS)
        if not storage.fixed("Set aside by"):
            st.text_input("Set aside by", key=Key.STORE_ASIDE_WHO, max_chars=80)
        st.button(_BEGIN, key="store_aside", type="primary", on_click=_set_aside)


def _set_aside() -> None:
    state = st.session_state
    try:
        kept = writing.set_aside(str(state.get(Key.STORE_ASIDE_WHO) or storage.name()))
    except StoreError as error:
        state[Key.STORE_ASIDE] = str(error)
    else:
        state[Key.STORE_ASIDE] = (
            f"The damaged file is kept as {kept.name}; a new, empty database has begun."
        )
