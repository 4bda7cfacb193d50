"""Frameworks: what each notion of privacy protects, and how their ε relate."""

import streamlit as st

from distpriv.dashboard.frameworks import converter
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code

_, scenario = frame.open_page()

result_first = st.container()
given, records = converter.ask()
code.note("frameworks", given=given, records=records)
with result_first:
    converter.result(scenario.epsilon, given, records)
converter.formulas()
