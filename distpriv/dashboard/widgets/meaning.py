"""What an ε means, said once for every page: in figures, from the visitor's own prior, in words."""

from __future__ import annotations

import streamlit as st

from distpriv.analysis.meaning import Meaning, meaning, said
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import promise
from distpriv.words import escape, share

__all__ = ["draw", "prior"]

_LEAST, _MOST, _USUAL = 0.01, 0.99, 0.5


def prior() -> float:
    """How likely the visitor holds the second share before the release."""
    return float(st.session_state.get(Key.MEANING_PRIOR) or _USUAL)


def draw(view: View) -> Meaning:
    """Figures, the visitor's prior and the sentences behind the figures."""
    pair = view.fit.pair
    with st.container(border=True):
        st.markdown(
            f"**What ε\u00a0=\u00a0{view.scenario.epsilon:g} with "
            f"{escape(view.scenario.mechanism)} means here**"
        )
        figures = st.container(horizontal=True)
        st.slider(
            f"You hold it for this likely, before the release, that the share is {share(pair.p_j)} "
            f"and not {share(pair.p_i)}",
            _LEAST,
            _MOST,
            _USUAL,
            0.01,
            format="percent",
            key=Key.MEANING_PRIOR,
            persist_state="session",
        )
        known = meaning(view, prior())
        ways = said(known, safe=escape)
        # Side by side as far as there is room, and below one another on a phone.
        for way in ways:
            figures.metric(escape(way.title), way.figure, width=176)
        st.markdown(ways[-1].sentence)
        with st.expander("What the figures say", icon=":material/translate:"):
            st.markdown("\n".join(f"- {way.sentence}" for way in ways[:-1]))
            by_law = view.laws_for(view.noise) is not None
            promise.by_normals(view, "Beliefs" if by_law else "These figures")
    return known
