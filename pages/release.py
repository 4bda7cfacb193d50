"""Release: the noisy statistics drawn once and for good, within what is agreed for all of them."""

import streamlit as st

from distpriv.dashboard.release import (
    agreeing,
    ledger_panel,
    limit_panel,
    panels,
    plan_panel,
    together_panel,
)
from distpriv.dashboard.shell import frame
from distpriv.dashboard.shell.banner import banner
from distpriv.dashboard.widgets import code, promise

dataset, scenario = frame.open_page()
desk = panels.desk()

view = frame.attempt(dataset, scenario)
found = limit_panel.kept(dataset, desk.known)
left = limit_panel.left(view, dataset, found)
if left.checks:
    st.markdown(limit_panel.answer(left))
if view is not None:
    releases = ledger_panel.counted_releases(view, found.made)
    st.markdown(ledger_panel.answer(view, releases))
    st.markdown(promise.per_record(view))
banner(
    "So the ledger does not count here: earlier releases are missing from the figures, limits are "
    "not known, and new releases are not kept."
)
limit_panel.picture(left.checks)
if view is not None:
    limit_panel.calibrate(view, found, left)
    ledger_panel.picture(view, releases)
    together_panel.closer(view, releases, found)
    panels.offer(view, left)
    code.note("release", earlier=releases.counted)
panels.result()
ledger_panel.table(found.made, desk.known)
st.header("Limits on all releases together")
agreeing.agreement(dataset, scenario, found.limits)
agreeing.history(found.limits)
if view is not None:
    plan_panel.plan(view, found, left)
ledger_panel.formulas()
