"""Guided tour: seven steps from the question to what can go wrong, and the papers' examples."""

import streamlit as st

from distpriv.dashboard.tour import tour

st.caption("On the embedded example, with settings of its own.")
tour()
