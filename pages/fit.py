"""Gaussian fit: how well normal distributions describe the released statistics."""

import streamlit as st

from distpriv.charts.fit import fit_histograms
from distpriv.dashboard import widgets
from distpriv.dashboard.fit import panels
from distpriv.dashboard.shell import frame

SUBSETS = 1000

view = frame.modelled()
scenario, fit = view.scenario, view.fit
labels = scenario.query.labels

drawn = view.simulated
found = panels.diagnosed(drawn, fit)
st.markdown(panels.lead(view, found))
picture = st.container()
columns = st.segmented_control(
    "Charts side by side",
    [1, 2, 3],
    default=2,
    required=True,
    key="fit_columns",
    persist_state="session",
)
with picture:
    widgets.chart(
        widgets.drawn_once(
            view,
            f"histograms {columns}",
            lambda: fit_histograms(fit, labels, view.units, drawn, columns=columns),
        ),
        "fit",
    )
    st.caption(
        f"A simulation, not a release: {SUBSETS} datasets for each share, seed {scenario.seed}. "
        "All that follows on normality is computed from them."
    )
panels.moments(view, fit)
panels.normality(view, found, columns)
panels.covariances(view, fit, found)
panels.uncertainty(view, fit)
panels.formulas()
