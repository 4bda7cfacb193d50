"""Compare: scenarios side by side, and the files that hold them."""

import streamlit as st

from distpriv.dashboard.compare import alternatives, files
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code, meaning

dataset, scenario = frame.open_page()

view = frame.attempt(dataset, scenario)
summaries = alternatives.compared(view)
st.markdown(alternatives.answer(summaries))
if summaries:
    alternatives.pictures(summaries)
if view is not None:
    meaning.draw(view)
alternatives.keep(view)
if summaries:
    alternatives.lists(summaries)
files.files()
code.note("compare", others=code.settings(alternatives.kept()))
