"""What stands above every page: its heading, what it is about, and the ways to hand it on."""

from __future__ import annotations

from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.analysis.verdict import right_of_hundred
from distpriv.dashboard.shell import presenting
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.links import share
from distpriv.dashboard.shell.pages import PageSpec, link
from distpriv.dashboard.shell.state import Key
from distpriv.words import escape

__all__ = ["draw", "verdict"]


def draw(page: PageSpec) -> DeltaGenerator | None:
    """The heading with its buttons; return the place of the line below it, if there is one."""
    st.session_state.pop(Key.VIEWED, None)
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
        _share(page)
        presenting.switch()
        if page.of_scenario and page.name != "decide":
            link("decide", "Report", icon=":material/description:")
    return st.empty() if page.of_scenario and page.name != "question" else None


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


def verdict(place: DeltaGenerator | None) -> None:
    """Which table this is about, and what comes of it, once the page has worked it out."""
    view = cast("View | None", st.session_state.get(Key.VIEWED))
    if place is None or view is None:
        return
    scenario = view.scenario
    end = (
        "no noise is needed"
        if view.noise.is_zero and view.mechanism.protects
        else f"an attacker is right {right_of_hundred(view.accuracy)} times"
    )
    place.caption(
        f"**{escape(view.dataset.title)}** · {escape(scenario.secret.label)} · "
        f"{escape(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g}: {end}, "
        f"{right_of_hundred(view.undefended)} without noise"
    )
