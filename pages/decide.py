"""Decide & report: who proposes which ε, why, what was weighed, and the file that says so."""

import streamlit as st

from distpriv.dashboard.compare import alternatives
from distpriv.dashboard.decide import deciding, handing, panels, report_panel, trail_panel
from distpriv.dashboard.shell import frame, storage
from distpriv.dashboard.shell.banner import banner
from distpriv.dashboard.widgets import code

dataset, scenario = frame.open_page()

view = frame.attempt(dataset, scenario)
seen = panels.alternatives(alternatives.compared(view))
decisions = panels.known(dataset)
st.markdown(panels.answer(decisions, dataset, seen))
panels.unreadable(decisions)
banner(
    "What is on record cannot be shown, and what you propose here is not kept; everything else "
    "works."
)
if decisions or seen:
    storage.who()
record, proposal, report = panels.tabs(decided=bool(decisions))
with record:
    decision = panels.chosen(decisions)
    if decision is not None:
        panels.picture(decision.now.alternatives, decision.now.chosen)
        panels.details(decision)
        handing.link(decision)
        deciding.change(decision, seen)
        deciding.settling(decision)
    panels.overview(decisions)
    deciding.everything()
    trail_panel.draw()
with proposal:
    if decision is None and seen:
        panels.picture(seen, None)
    deciding.proposal(dataset, seen)
with report:
    report_panel.draw(view, seen)
code.note("decide", others=code.settings(alternatives.kept()))
