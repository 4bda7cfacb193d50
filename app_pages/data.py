"""Data: the answer at a glance, the records it comes from, and how to bring one's own."""

import streamlit as st

from distpriv.charts.answer import overlap
from distpriv.dashboard import frame, records, widgets

dataset, scenario = frame.open_page()

st.title("What do these statistics give away?")
view = frame.attempt(dataset, scenario)
if isinstance(view, str):
    st.error(view, icon=":material/error:")
else:
    st.markdown(widgets.answer(view))
    picture, figures = st.columns([3, 2], gap="large")
    with picture:
        widgets.chart(
            overlap(scenario.pair, *widgets.attacker_views(view), scenario.mechanism), "answer"
        )
    with figures:
        widgets.errors_table(view)
        widgets.caveats(view.noise)

st.divider()
records.source(dataset)
records.upload()
records.preview(dataset, scenario)
