"""Guided tour: seven steps from the question to what can go wrong, and the papers' examples."""

import streamlit as st

from distpriv.dashboard.tour import tour

st.caption("On the embedded example and with a setting of its own, whatever the sidebar holds.")
tour()
