"""Compare: scenarios side by side, and the files that hold them."""

import streamlit as st

from distpriv.dashboard.compare import alternatives, files
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code, equal_terms, meaning

dataset, scenario = frame.open_page()

view = frame.attempt(dataset, scenario)
summaries = alternatives.compared(view)
st.markdown(alternatives.answer(summaries))
if summaries:
    alternatives.bars(summaries)
if view is not None:
    equal_terms.draw(view)
alternatives.keep(view)
against, meant, tables, rest = st.tabs(
    ["Against ε", "What it means", "Tables", "Kept and files"], key="compare_tab"
)
if summaries:
    with against:
        alternatives.curves(summaries)
    with tables:
        alternatives.lists(summaries)
if view is not None:
    with meant:
        meaning.draw(view)
with rest:
    alternatives.scenarios()
    files.files()
code.note("compare", others=code.settings(alternatives.kept()))
