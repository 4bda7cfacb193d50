"""What stands above every page: its heading, what it is about, and the ways to hand it on."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.dashboard.shell import presenting
from distpriv.dashboard.shell.links import share
from distpriv.dashboard.shell.pages import PageSpec, link
from distpriv.dashboard.shell.state import Key

__all__ = ["draw"]


def draw(page: PageSpec) -> DeltaGenerator:
    """The heading with its buttons, and the place of the line that says what comes of the page.

    Returns
    -------
    DeltaGenerator
        The place of undo and redo, which know their steps once the controls are drawn.
    """
    row = st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
        key="header",
    )
    row.title(page.heading, width="content")
    with row.container(
        horizontal=True, vertical_alignment="center", width="content", key="actions"
    ):
        steps = st.container(width="content")
        _share(page)
        presenting.switch()
        if page.name != "decide":
            link(
                "decide", "Report", icon=":material/description:", query={Key.DECIDE_TAB: "Report"}
            )
    st.session_state.pop(Key.HEADLINE, None)
    if page.of_scenario and page.name != "question":
        # What it said last keeps its room until the page has worked out what it says now.
        place = st.empty()
        place.caption(st.session_state.get(Key.HEADLINE_SAID, "\u00a0"))
        st.session_state[Key.HEADLINE] = place
    return steps


def _share(page: PageSpec) -> None:
    place = st.popover(
        "Share", icon=":material/share:", type="tertiary", key="share", on_change="rerun"
    )
    if not place.open:
        return
    with place:
        if not page.of_scenario or Key.SCENARIO not in st.session_state:
            st.markdown("The address of this page opens it for everybody:")
            st.code((st.context.url or "").partition("?")[0], language=None, wrap_lines=True)
            return
        st.markdown(
            "Whoever follows this link sees what you see. It holds every choice, names of columns "
            "and values among them, and the table's fingerprint, but no record: of a table of "
            "your own they need the same file."
        )
        st.code(share(st.session_state[Key.SCENARIO]), language=None, wrap_lines=True)
