"""Directions: where the secret moves the statistics, and where each mechanism puts its noise."""

import streamlit as st

from distpriv.dashboard.directions import shift
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import promise

view = frame.modelled()

shift.sentence(view)
shift.plane(view)
left, right = st.columns(2, gap="large")
with left:
    shift.components(view)
with right:
    shift.eigenvalues(view)
promise.guarantee(view)
shift.formulas()
