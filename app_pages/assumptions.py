"""Assumptions: what the promise rests on, how far that holds, and what survives without it."""

import streamlit as st

from distpriv.dashboard import (
    assumption_parts,
    composition_parts,
    deviation_parts,
    frame,
    relaxation_parts,
)

# What a tab is called, and what draws it; a tab that is closed does not run.
TABS = {
    "Without equal covariances": relaxation_parts.covariances,
    "Without the normal curve": deviation_parts.normality,
    "An attacker who knows more": relaxation_parts.attacker,
    "Several releases": composition_parts.composition,
    "In Pufferfish's words": composition_parts.pufferfish,
}

view = frame.modelled()

st.title("What does the promise rest on?")
found = assumption_parts.measured(view)
st.markdown(assumption_parts.lead(view, found))
assumption_parts.cards(view, found)

st.subheader("What survives without them?")
for tab, draw in zip(
    st.tabs(list(TABS), key="assumption_tab", on_change="rerun"), TABS.values(), strict=True
):
    if tab.open:
        with tab:
            draw(view)
assumption_parts.overview(view, found)
relaxation_parts.formulas()
