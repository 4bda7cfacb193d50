"""Release: the noisy statistics drawn once and for good, and what all releases add up to."""

import streamlit as st

from distpriv.dashboard import code_parts, frame, ledger_parts, release_parts, storage

dataset, scenario = frame.open_page()
desk = release_parts.desk()

st.title("What is out, and what comes next?")
view = frame.attempt(dataset, scenario)
made = ledger_parts.entries(scenario.digest, desk.known)
if view is not None:
    told = ledger_parts.tally(view, made)
    st.markdown(ledger_parts.answer(view, told))
storage.banner(
    "So the ledger does not count here: earlier releases are missing from the figures, and new "
    "ones are not kept."
)
if view is not None:
    ledger_parts.picture(view, told)
    release_parts.offer(view)
    code_parts.note("release", earlier=told.parts)
release_parts.result()
ledger_parts.table(made, desk.known)
ledger_parts.formulas()
