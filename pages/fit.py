"""Gaussian fit: how well normal distributions describe the released statistics."""

import streamlit as st

from distpriv.dashboard.fit import covariances, normality, resampling
from distpriv.dashboard.shell import frame

view = frame.modelled()

drawn = view.simulated
diagnostics = normality.diagnosed(view, drawn)
st.markdown(normality.lead(view, diagnostics))
picture = st.container()
columns = normality.choose_columns()
with picture:
    normality.histograms(view, drawn, columns)
normality.moments(view)
normality.normality(view, diagnostics, columns)
covariances.covariances(view, diagnostics)
resampling.uncertainty(view)
normality.formulas()
