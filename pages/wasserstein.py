"""Wasserstein: how far the statistics have to move when they are not just shifted."""

import streamlit as st

from distpriv.dashboard.shell import frame
from distpriv.dashboard.wasserstein import panels

view = frame.modelled()

own, example = st.tabs(
    ["This release", "A small example"], key="wasserstein_tab", on_change="rerun"
)
if own.open:
    with own:
        panels.release(view)
if example.open:
    with example:
        panels.example(view)
with st.expander("The formulas", icon=":material/function:"):
    st.latex(
        r"W_\infty(\mu,\nu)=\inf_{\gamma\in\Gamma(\mu,\nu)}\ \max_{(x,y)\in\mathrm{supp}\,\gamma}"
        r"\lVert x-y\rVert_1,\qquad Z_k\sim\mathrm{Lap}(W/\varepsilon)"
    )
    st.markdown(
        "γ is a coupling: a way to move the mass of one distribution until it is the other. The "
        "Wasserstein mechanism takes W∞ (Chen & Ohrimenko 2023, Theorem 3.1), the approximate "
        "one the least W for which all but δ moves by at most W (Theorem 3.2), the bounded one "
        "the distance of the means plus twice how far the statistics stray from theirs, except "
        'with probability δ/2 (Theorem 3.3). The paper\'s "(W, 0)-close if and only if W∞ = W" '
        "means W∞ ≤ W. In several dimensions W is the bottleneck of a matching of simulated "
        "datasets; for two normals with the same covariance it is the least ‖e‖₁ with "
        "(d − e)ᵀΣ⁻¹(d − e) ≤ (2Φ⁻¹((1 + δ)/2))², d being the distance of their means."
    )
