"""Choosing ε: from what an attacker may achieve at most to the ε that allows it."""

import streamlit as st

from distpriv.dashboard import (
    choosing_parts,
    code_parts,
    frame,
    lens_parts,
    promise_parts,
    record_parts,
)

view = frame.modelled()

st.title("Which ε is small enough?")
result_first = st.container()
picture, controls = st.columns([3, 2], gap="large")
with controls:
    st.markdown("**What may an attacker achieve at most?**")
    limit = choosing_parts.ask(view)
    code_parts.note("choosing", limit=limit)
    design = choosing_parts.searched(view, limit) if limit else None
    if limit and design:
        choosing_parts.feasible(limit, design)
with result_first:
    if limit and design:
        choosing_parts.sentence(view, limit, design)
with picture:
    choosing_parts.attackers(view, limit)
if design:
    choosing_parts.table(view, design)
promise_parts.guarantee(view)

st.subheader("A closer look at the attacker")
looked_at = st.segmented_control(
    "Who asks",
    ["about this release", "about one record", "table of ε"],
    default="about this release",
    required=True,
    key="choosing_look",
    persist_state="session",
    help="*This release*: somebody who wants the share. *One record*: the attacker of differential "
    "privacy. *Table*: the largest ε for a limit on the F-score.",
)
if looked_at == "about this release":
    lens_parts.release(view, limit)
elif looked_at == "about one record":
    record_parts.record(view)
else:
    record_parts.table(view)
choosing_parts.formulas()
