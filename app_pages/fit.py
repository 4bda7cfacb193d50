"""Gaussian fit: how well normal distributions describe the released statistics."""

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.charts.fit import covariance_heatmap, fit_histograms
from distpriv.dashboard import cache, frame, widgets
from distpriv.dashboard.text import escape, number, share, with_unit

SUBSETS = 1000

view = frame.modelled()
scenario, fit = view.scenario, view.fit
labels, units = scenario.query.labels, view.units

st.title("Are the statistics normal?")
drawn = cache.simulated(view.source, scenario.query, fit.thetas, SUBSETS, scenario.seed)
gap = np.abs(drawn.mean(axis=1) - fit.means) / np.sqrt(
    np.diagonal(fit.covariances, axis1=1, axis2=2) / SUBSETS
)
ratio = np.diagonal(fit.covariances[0]) / np.diagonal(fit.covariances[1])
widest = int(np.argmax(np.abs(np.log(ratio))))
st.markdown(
    f"The mechanisms treat the {len(labels)} statistics as normal with one covariance for both "
    f"shares. Over {SUBSETS} simulated datasets a share their means stay within "
    f"**{number(float(gap.max()))} standard errors** of the fitted ones; the variances differ "
    f"most for {escape(labels[widest])}, by a factor of "
    f"**{number(float(max(ratio[widest], 1 / ratio[widest])))}**."
)
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
    widgets.chart(fit_histograms(fit, labels, units, drawn, columns=columns), "fit")
    st.caption(
        f"A simulation, not a release: {SUBSETS} datasets for each share, seed {scenario.seed}."
    )

st.subheader("Means and standard deviations")
deviations = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2))
p_i, p_j = share(fit.pair.p_i), share(fit.pair.p_j)
widgets.table(
    pd.DataFrame(
        {
            "Statistic": labels,
            f"Mean at {p_i}": [with_unit(m, u) for m, u in zip(fit.means[0], units, strict=True)],
            f"Mean at {p_j}": [with_unit(m, u) for m, u in zip(fit.means[1], units, strict=True)],
            f"Std. deviation at {p_i}": [number(d) for d in deviations[0]],
            f"Std. deviation at {p_j}": [number(d) for d in deviations[1]],
        }
    )
)

left, right = st.columns(2, gap="large")
with left:
    widgets.chart(covariance_heatmap(fit, labels), "correlations")
with right:
    st.subheader("Covariance")
    which = st.segmented_control(
        "Which",
        ["pooled", p_i, p_j],
        default="pooled",
        required=True,
        key="covariance_of",
        persist_state="session",
        help="The mechanisms work with the mean of the two.",
    )
    matrix = {"pooled": fit.pooled, p_i: fit.covariances[0], p_j: fit.covariances[1]}[which]
    frame_ = pd.DataFrame(matrix, columns=list(labels)).map(number)
    frame_.insert(0, "Statistic", labels)
    widgets.table(frame_)

with st.expander("The formulas", icon=":material/function:"):
    st.latex(
        r"\mu_\theta = D\,(k\,m_1 + (n-k)\,m_0),\qquad"
        r"\Sigma_\theta = D\left(k\,C_1\left(1-\tfrac{k}{N_1}\right) + "
        r"(n-k)\,C_0\left(1-\tfrac{n-k}{N_0}\right)\right)D"
    )
    st.markdown(
        "k = round(n·p) of the n records have the property; $m_1, C_1, N_1$ and "
        "$m_0, C_0, N_0$ are mean, covariance and number of the records with and without it; D "
        "scales sums to means. The last factors drop out for draws with replacement. Chen & "
        "Ohrimenko (2023), Section 5.1, draw 1000 datasets instead; this is what that tends to."
    )
