"""Question: what a release gives away, what hides it, and the table that it comes from."""

import streamlit as st

from distpriv.dashboard.question import answer, builders, pairs, question, records
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import promise
from distpriv.dashboard.widgets.scenario import answer as sentences

dataset, scenario = frame.open_page()

view = frame.attempt(dataset, scenario)
if view is not None:
    st.markdown(
        sentences(view),
        help="A case is one attacker who sees one release and has to name one of the two shares, "
        "both equally likely. L2 is the length of the vector of all changes: the root of the sum "
        "of their squares, whatever their units.",
    )
    picture, figures = st.columns([3, 2], gap="large")
    with picture:
        answer.picture(view)
    with figures:
        st.markdown("**What the noise does to each figure, on average**")
        answer.errors_table(view)
        promise.guarantee(view)

st.divider()
records.source(dataset)
records.upload()
records.reference(dataset, scenario)
records.preview(dataset, scenario)

with st.expander("The question, more exactly", icon=":material/lock:", key="more_exactly"):
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
