"""Choosing ε: from what an attacker may achieve at most to the ε that allows it."""

import streamlit as st

from distpriv.dashboard.choosing import bell_curve, one_record, one_release, search
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code, meaning, promise

view = frame.modelled()

result_first = st.container()
picture, controls = st.columns([3, 2], gap="large")
with controls:
    st.markdown("**What may an attacker achieve at most?**")
    limit = search.ask(view)
    code.note("choosing", limit=limit, prior=meaning.prior())
    design = search.searched(view, limit) if limit else None
    if limit and design:
        search.feasible(limit, design)
with result_first:
    if limit and design:
        search.sentence(view, limit, design)
with picture:
    search.attackers(view, limit)
if design:
    search.table(view, design)
promise.guarantee(view)
meaning.draw(view)
bell_curve.section(view, limit)

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
    one_release.release(view, limit)
elif looked_at == "about one record":
    one_record.record(view)
else:
    one_record.table(view)
search.formulas()
