"""What is hidden, and what is not: shares that are further apart show."""

from __future__ import annotations

import streamlit as st

from distpriv.analysis.basis import drawn_in_words
from distpriv.analysis.hiding import hiding, hiding_unknown, said
from distpriv.charts.hiding import hidden_distances
from distpriv.dashboard.shell import cache, frame
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.words import escape

__all__ = ["draw", "sampled"]


def draw(view: View) -> None:
    """A sentence or two, and behind them right guesses against the distance of two shares."""
    if not view.scenario.whole:
        st.caption(f"A release draws its records {drawn_in_words(view.scenario)}.")
    if unknown := hiding_unknown(view):
        st.caption(unknown)
        return
    hidden = cache.computed(lambda: hiding(view), f"{view.source.digest} {view.scenario!r}")
    if hidden is None:
        return
    sentences = said(hidden)
    st.markdown(
        f"**What is hidden, and what is not.** {escape(' '.join(sentences))}",
        help=("By the exact law of the count. " if hidden.exact else "By the fitted normals. ")
        + "The promise is about two shares as far apart as you say; the further two shares lie "
        "apart, the more shows.",
    )
    with st.expander("Right guesses, however far apart the shares are", icon=":material/timeline:"):
        display.chart(hidden_distances(hidden), "hidden")


def sampled(view: View) -> None:
    """What simulations rest on, where that is not all records."""
    if said := frame.sampled(view):
        st.caption(said)
