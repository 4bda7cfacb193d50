"""Decisions: who proposes which ε, why, what else was weighed, and what became of it."""

import streamlit as st

from distpriv.dashboard import (
    code_parts,
    compare_parts,
    deciding_parts,
    decision_parts,
    frame,
    storage,
)

dataset, scenario = frame.open_page()

st.title("Who decided on which ε, and why?")
view = frame.attempt(dataset, scenario)
seen = decision_parts.alternatives(compare_parts.compared(view))
decisions = decision_parts.known(dataset)
st.markdown(decision_parts.answer(decisions, dataset, seen))
storage.banner(
    "What is on record cannot be shown, and what you propose here is not kept; everything else "
    "works."
)
pictured = st.container()
decision = decision_parts.chosen(decisions)
decision_parts.overview(decisions)
with pictured:
    if decision is not None:
        decision_parts.picture(decision.now.alternatives, decision.now.chosen)
    elif seen:
        decision_parts.picture(seen, None)
if decision is not None:
    decision_parts.details(decision)
if decision is not None or seen:
    storage.who()
if decision is not None:
    deciding_parts.change(decision, seen)
    deciding_parts.settling(decision)
deciding_parts.everything()
deciding_parts.proposal(dataset, seen)
code_parts.note("decisions", others=code_parts.settings(compare_parts.kept()))
