"""The three ways on from the first screen: save, compare, propose."""

from __future__ import annotations

import streamlit as st

from distpriv.dashboard.compare import alternatives
from distpriv.dashboard.decide.panels import PROPOSE
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.pages import PAGES
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError
from distpriv.words import escape

__all__ = ["draw"]


def draw(view: View) -> None:
    """Keep what is on screen and stay, or go to where it is compared or proposed."""
    row = st.container(horizontal=True)
    save = row.button(
        "Save",
        icon=":material/bookmark_add:",
        key="way_save",
        help="Keep this question and its answer in the session, under Compare.",
    )
    compare = row.button(
        "Compare",
        icon=":material/compare:",
        key="way_compare",
        help="Keep it, and see it beside others that you kept.",
    )
    propose = row.button(
        "Propose",
        icon=":material/gavel:",
        key="way_propose",
        type="primary",
        help="Put it to those who decide, with your reason.",
    )
    if save or compare:
        try:
            name = alternatives.keep_now(view)
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
            return
        if save:
            st.toast(f"Saved as {escape(name)}.", icon=":material/bookmark_added:")
    if compare or propose:
        target = "compare" if compare else "decide"
        # The bound parameters of widgets cannot be cleared one by one.
        shown = {Key.DECIDE_TAB: PROPOSE} if propose else {}
        st.switch_page(next(s.file for s in PAGES if s.name == target), query_params=shown)
