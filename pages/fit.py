"""Gaussian fit: how well normal distributions describe the released statistics."""

import streamlit as st

from distpriv.dashboard.fit import covariances, normality, resampling
from distpriv.dashboard.shell import frame

view = frame.modelled()

drawn = view.simulated
diagnostics = normality.diagnosed(view, drawn)
st.markdown(normality.lead(view, diagnostics))
curves, departures, spreads, uncertainty = st.tabs(
    ["Curves", "Departures from them", "Covariances", "Uncertainty"], key="fit_tab"
)
with curves:
    picture = st.container()
    columns = normality.choose_columns()
    with picture:
        normality.histograms(view, drawn, columns)
    normality.moments(view)
with departures:
    normality.normality(view, diagnostics, columns)
with spreads:
    covariances.covariances(view, diagnostics)
with uncertainty:
    resampling.uncertainty(view)
normality.formulas()
