"""The role of a stakeholder: which addresses ask for it, and the one page that it has."""

from __future__ import annotations

import streamlit as st

from distpriv.dashboard.serving import door
from distpriv.dashboard.shell import style
from distpriv.dashboard.shell.links import DECISION, ROLE, STAKEHOLDER
from distpriv.dashboard.shell.pages import MOVED, PAGES
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.stakeholder import page

__all__ = ["asked", "run"]

_TITLE = "Decide · distpriv"


def asked() -> bool:
    """Whether this session is a stakeholder's: once it is, it stays so."""
    state = st.session_state
    if st.query_params.get(ROLE) == STAKEHOLDER:
        state[Key.ROLE] = STAKEHOLDER
    return state.get(Key.ROLE) == STAKEHOLDER


def run() -> None:
    """The stakeholder's page, and nothing else, under every address of the dashboard."""
    st.set_page_config(page_title=_TITLE, layout="centered", initial_sidebar_state="collapsed")
    style.draw()
    door.who()
    names = ["start", *(spec.name for spec in PAGES), *MOVED]
    pages = [
        st.Page(page.draw, title=_TITLE, url_path=name, default=name == "start") for name in names
    ]
    st.navigation(pages, position="hidden").run()
    # A reload begins a new session, which only the address tells of the role.
    st.query_params[ROLE] = STAKEHOLDER
    if key := st.session_state.get(Key.DECIDING):
        st.query_params[DECISION] = key
