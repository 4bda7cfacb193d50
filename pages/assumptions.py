"""Assumptions: what the promise rests on, how far that holds, and what survives without it."""

import streamlit as st

from distpriv.dashboard.assumptions import composition, deviation, relaxations, verdicts
from distpriv.dashboard.guarantee import brackets
from distpriv.dashboard.shell import frame

# What a tab is called, and what draws it; a tab that is closed does not run.
TABS = {
    "Without equal covariances": relaxations.covariances,
    "Without the normal curve": deviation.normality,
    "An attacker who knows more": relaxations.attacker,
    "Several releases": composition.composition,
    "In Pufferfish's words": composition.pufferfish,
}

view = frame.modelled()

found = view.verdicts
st.markdown(verdicts.lead(view, found))
verdicts.cards(view, found)
brackets.compact(view)

st.header("What survives without them?")
for tab, draw in zip(
    st.tabs(list(TABS), key="assumption_tab", on_change="rerun"), TABS.values(), strict=True
):
    if tab.open:
        with tab:
            draw(view)
verdicts.overview(view, found)
relaxations.formulas()
