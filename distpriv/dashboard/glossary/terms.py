"""The terms: looked up by a word, or read group by group."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from distpriv import glossary
from distpriv.dashboard.shell.pages import link
from distpriv.words import escape, listed

__all__ = ["look_up"]


def look_up() -> None:
    """A box to search in, and the terms that are found; without a word those of each group."""
    st.markdown(
        f"**{len(glossary.TERMS)} terms**, each in one sentence. The pages say the same sentence "
        "where a word stands beside :material/help:."
    )
    sought = st.text_input(
        "Search",
        key="term",
        bind="query-params",
        placeholder="Such as ε, noise, best attack",
        icon=":material/search:",
        max_chars=60,
    )
    if sought.strip():
        _found(sought.strip())
        return
    for tab, group in zip(st.tabs(list(glossary.GROUPS)), glossary.GROUPS, strict=True):
        with tab:
            _draw([each for each in glossary.TERMS if each.group == group])


def _found(sought: str) -> None:
    found = glossary.matching(sought)
    if not found:
        st.info(
            f"No term has “{escape(sought)}” in it; try a shorter word, or clear the box to see "
            "all.",
            icon=":material/search_off:",
        )
        return
    st.caption(f"Found for “{escape(sought)}”: {len(found)} of {len(glossary.TERMS)} terms.")
    _draw(found)


def _draw(terms: Sequence[glossary.Term]) -> None:
    columns = st.columns(2, gap="large")
    for place, each in enumerate(terms):
        # Down the one column and then the other, as they stand on a phone.
        with columns[2 * place // max(2, len(terms) + len(terms) % 2)].container(gap="xxsmall"):
            st.markdown(f"**{escape(each.name)}** — {escape(each.meaning)}")
            if each.also or each.expert:
                also = f"Also called {escape(listed(each.also))}." if each.also else ""
                st.caption(f"{also} {escape(each.expert)}".strip())
            link(each.page)
