"""Wasserstein: how far the statistics have to move when they are not just shifted."""

import streamlit as st

from distpriv.dashboard.shell import frame
from distpriv.dashboard.wasserstein import distances, small_example

view = frame.modelled()

own, example = st.tabs(
    ["This release", "A small example"], key="wasserstein_tab", on_change="rerun"
)
if own.open:
    with own:
        distances.release(view)
if example.open:
    with example:
        small_example.example(view)
distances.formulas()
