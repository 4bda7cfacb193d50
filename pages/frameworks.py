"""Frameworks: what each notion of privacy protects, and how their ε relate."""

import streamlit as st

from distpriv.charts.frameworks import epsilon_ranges, neighbouring_databases
from distpriv.dashboard import widgets
from distpriv.dashboard.frameworks import panels
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code
from distpriv.frameworks.map import FRAMEWORKS, convert

_, scenario = frame.open_page()

result_first = st.container()
given, records = panels.ask()
code.note("frameworks", given=given, records=records)
ranges = convert(scenario.epsilon, given, records)
with result_first:
    st.markdown(panels.sentence(scenario.epsilon, given, records, ranges))
convertible, compared = st.columns(2, gap="large")
with convertible:
    widgets.chart(epsilon_ranges(ranges, FRAMEWORKS, given=given), "ranges")
with compared:
    widgets.chart(neighbouring_databases(FRAMEWORKS), "neighbours")
panels.table(ranges)
panels.formulas()
