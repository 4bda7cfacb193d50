"""Compare & report: scenarios side by side, and what to hand on of them."""

import streamlit as st

from distpriv.dashboard import code_parts, compare_parts, frame, report_parts

dataset, scenario = frame.open_page()

st.title("Which scenario is better?")
view = frame.attempt(dataset, scenario)
summaries = compare_parts.compared(view)
st.markdown(compare_parts.answer(summaries))
if summaries:
    compare_parts.pictures(summaries)
compare_parts.keep(view)
if summaries:
    compare_parts.lists(summaries)
compare_parts.files()
report_parts.draw(view)
code_parts.note("compare", others=code_parts.settings(compare_parts.kept()))
