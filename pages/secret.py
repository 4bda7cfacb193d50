"""Secret & release: which property is hidden, and which statistics are released."""

import streamlit as st

from distpriv.dashboard.secret import builders, pairs, question
from distpriv.dashboard.shell import frame

dataset, scenario = frame.open_page()

view = frame.attempt(dataset, scenario)
if view is not None:
    st.markdown(question.sentence(view))
    question.picture(view)
    question.table(view)
    pairs.table(view)

left, right = st.columns(2, gap="large")
with left:
    builders.secret_builder(dataset)
    pairs.builder(dataset, scenario)
with right:
    builders.statistic_builder(dataset)
builders.bounds_editor(dataset, scenario)
question.formulas()
