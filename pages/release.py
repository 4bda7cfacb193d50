"""Release: the noisy statistics drawn once and for good, and what all releases add up to."""

import streamlit as st

from distpriv.dashboard.release import ledger_panel, panels
from distpriv.dashboard.shell import frame, storage
from distpriv.dashboard.widgets import code

dataset, scenario = frame.open_page()
desk = panels.desk()

view = frame.attempt(dataset, scenario)
made = ledger_panel.entries(scenario.digest, desk.known)
if view is not None:
    releases = ledger_panel.counted_releases(view, made)
    st.markdown(ledger_panel.answer(view, releases))
storage.banner(
    "So the ledger does not count here: earlier releases are missing from the figures, and new "
    "ones are not kept."
)
if view is not None:
    ledger_panel.picture(view, releases)
    panels.offer(view)
    code.note("release", earlier=releases.parts)
panels.result()
ledger_panel.table(made, desk.known)
ledger_panel.formulas()
