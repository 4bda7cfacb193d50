"""The first steps of whoever has opened no table yet: one's own, an example, or the tour."""

from __future__ import annotations

import streamlit as st

from distpriv.dashboard.question import records
from distpriv.dashboard.shell import selecting, sources
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.places import Places
from distpriv.dashboard.shell.state import Key
from distpriv.tables.examples import EXAMPLES
from distpriv.words import escape

__all__ = ["draw"]

_FETCHED = "adult"


def draw(places: Places) -> None:
    """Three cards while nothing has been chosen; then the drop zone has its place with the data."""
    if st.session_state.get(Key.BEGUN):
        with places.data:
            records.upload()
            records.adult()
        return
    assert places.start is not None
    with places.start:
        st.markdown(
            "Statistics can give away a share that you would rather keep to yourself. See how "
            "well an attacker could guess it, and which noise hides it."
        )
        mine, example, learn = st.columns(3, gap="medium")
        with mine.container(border=True, height="stretch"):
            st.header("Check my table", anchor=False)
            records.upload()
            if named := sources.offered():
                st.markdown("Or a table of this server:")
                row = st.container(horizontal=True, gap="small")
                for title in named:
                    row.button(
                        escape(title),
                        key=f"open_source_{title}",
                        icon=":material/database:",
                        on_click=selecting.begin,
                        args=(title,),
                    )
        with example.container(border=True, height="stretch"):
            st.header("Try an example", anchor=False)
            row = st.container(horizontal=True, gap="small")
            for each in EXAMPLES:
                if each.key != _FETCHED:
                    row.button(
                        escape(each.title),
                        key=f"try_{each.key}",
                        on_click=selecting.begin,
                        args=(each.title,),
                    )
            with row:
                records.adult()
            link("gallery", "Their stories")
        with learn.container(border=True, height="stretch"):
            st.header("Learn in seven steps", anchor=False)
            st.markdown("What is hidden, from whom, and what it costs: ten minutes, no formulas.")
            link("tour", "Begin the guided tour")
        st.markdown(f"## For example: {escape(EXAMPLES[0].title)}")
