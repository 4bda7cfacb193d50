"""What every page has at its upper right: words and questions, and the view for projectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from distpriv.dashboard.builders import close
from distpriv.dashboard.state import State
from distpriv.lessons.words import faq, glossary

__all__ = ["draw", "words"]


@st.dialog("Words and questions", width="medium", on_dismiss=close)
def words(_: State) -> None:
    """Answer questions and explain terms, those that hold what is typed."""
    asked = st.session_state.get("asked", "")  # by a link
    part = st.text_input("Find", asked, placeholder="A word, such as noise").casefold().strip()
    questions, terms = (
        {name: text for name, text in all_of.items() if part in f"{name} {text}".casefold()}
        for all_of in (faq(), glossary())
    )
    terms = dict(sorted(terms.items(), key=lambda pair: part not in pair[0].casefold()))
    if not questions and not terms:
        st.markdown("No word or question holds this. Try a shorter one.")
        return
    answers, meant = st.tabs(["Questions", "Words"], default=None if questions else "Words")
    for question, answer in questions.items():
        answers.expander(question).markdown(answer)
    meant.markdown("\n\n".join(f"**{name}**: {text}" for name, text in terms.items()))


def draw(state: State, pages: Sequence[StreamlitPage], here: StreamlitPage) -> None:
    """Draw buttons; while presenting, ways to the pages beside this one and the way back."""
    look: dict[str, Any] = {"type": "tertiary"}
    key = "aids-present" if state.present else "aids"
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        if not state.present:
            look |= {"on_click": setattr}
            about, screen = ":material/menu_book:", ":material/present_to_all:"
            st.button("Words and questions", icon=about, args=(state, "dialog", "words"), **look)
            st.button("Present", icon=screen, args=(state, "present", True), **look)
            return
        place = next((at for at, page in enumerate(pages) if page.url_path == here.url_path), None)
        if place is not None:
            for to, icon in ((place - 1, "arrow_back"), (place + 1, "arrow_forward")):
                if 0 <= to < len(pages):
                    st.page_link(pages[to], icon=f":material/{icon}:")
        st.button("End presentation", icon=":material/close:", on_click=end, args=(state,), **look)


def end(state: State) -> None:
    """Go back to the usual view."""
    state.present = False
    st.query_params.pop("present", None)
