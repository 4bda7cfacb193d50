"""Secret & release: which property is hidden, and which statistics are released."""

import streamlit as st

from distpriv.charts.answer import shifts
from distpriv.dashboard import widgets
from distpriv.dashboard.secret import builders
from distpriv.dashboard.shell import frame

dataset, scenario = frame.open_page()

view = frame.attempt(dataset, scenario)
if view is not None:
    st.markdown(builders.question(view))
    widgets.chart(shifts(view.fit, scenario.query.labels, view.units), "shifts")
    builders.release_table(view)
    builders.pairs_table(view)

left, right = st.columns(2, gap="large")
with left:
    builders.secret_builder(dataset)
    builders.pair_builder(dataset, scenario)
with right:
    builders.statistic_builder(dataset)
builders.bounds_editor(dataset, scenario)
builders.formulas()
