"""Decide: who proposes which ε, why, what else was weighed, and what became of it."""

import streamlit as st

from distpriv.dashboard.compare import alternatives
from distpriv.dashboard.decide import deciding, panels
from distpriv.dashboard.shell import frame, storage
from distpriv.dashboard.widgets import code

dataset, scenario = frame.open_page()

view = frame.attempt(dataset, scenario)
seen = panels.alternatives(alternatives.compared(view))
decisions = panels.known(dataset)
st.markdown(panels.answer(decisions, dataset, seen))
storage.banner(
    "What is on record cannot be shown, and what you propose here is not kept; everything else "
    "works."
)
pictured = st.container()
decision = panels.chosen(decisions)
panels.overview(decisions)
with pictured:
    if decision is not None:
        panels.picture(decision.now.alternatives, decision.now.chosen)
    elif seen:
        panels.picture(seen, None)
if decision is not None:
    panels.details(decision)
if decision is not None or seen:
    storage.who()
if decision is not None:
    deciding.change(decision, seen)
    deciding.settling(decision)
deciding.everything()
deciding.proposal(dataset, seen)
code.note("decide", others=code.settings(alternatives.kept()))
