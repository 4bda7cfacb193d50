"""Question: is it safe to publish these statistics, and what makes it safe?"""

import streamlit as st

from distpriv.dashboard.question import (
    builders,
    glance,
    hidden,
    pairs,
    question,
    reading,
    records,
    start,
    verdict,
    ways_on,
)
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import promise
from distpriv.dashboard.widgets.scenario import answer as sentences

dataset, scenario = frame.open_page()
places = frame.places()
start.draw(places)

view = frame.attempt(dataset, scenario)
if view is not None:
    verdict.follow(view)
    verdict.draw(view, places)
    attackers, figures = st.columns([2, 3], gap="large")
    with attackers:
        glance.picture(view)
    with figures:
        glance.errors_table(view)
        ways_on.draw(view)
    hidden.draw(view)
    hidden.sampled(view)
    with st.expander("What is promised, and what is delivered", icon=":material/verified_user:"):
        st.markdown(sentences(view))
        promise.guarantee(view)

reading.draw(dataset, scenario)
with st.expander("The table", icon=":material/table:", key="the_table"):
    records.source(dataset)
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
