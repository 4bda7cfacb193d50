"""Guarantee: what is promised, what is delivered, and what repeated releases add up to."""

import streamlit as st

from distpriv.dashboard.guarantee import brackets, profile, repeated
from distpriv.dashboard.question import pairs
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code, promise

view = frame.modelled()

promise.guarantee(view)
brackets.show(view)
st.header("What is delivered at every ε?")
result_first = st.container()
shown = profile.choose()
noises = profile.noises(view, shown)
with result_first:
    profile.picture(view, noises)
    pairs.table(view)

st.header("What if the same statistics are released again?")
again = st.container()
count = repeated.choose()
code.note("guarantee", names=shown, releases=count)
with again:
    repeated.sentence(view, noises, count)
    repeated.pictures(view, noises, count)
profile.formulas()
