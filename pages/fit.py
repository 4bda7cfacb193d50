"""Fit: are the figures bell-shaped, as the noise's promise assumes?"""

import pandas as pd
import streamlit as st

from distpriv.charts import fit
from distpriv.dashboard import page

own, now = page.current()
low, high = now.shares
draws = now.draws
normals = now.model.pairs[0]
steps = now.model.steps

curves = pd.DataFrame(
    [
        {
            "statistic": label,
            "share": share,
            "mean": normals.means[side][place],
            "deviation": normals.covariances[side][place, place] ** 0.5,
            "step": steps[place],
        }
        for place, label in enumerate(now.labels)
        for side, share in enumerate((low, high))
    ]
)
curves["misfit"] = [
    fit.misfit(draws[side][:, place], *curves.loc[2 * place + side, ["mean", "deviation", "step"]])
    for place in range(len(now.labels))
    for side in (0, 1)
]
worst = curves.loc[curves["misfit"].idxmax()]
chance = 160 / draws.shape[1] ** 0.5  # what chance alone shows, in points
fits = worst["misfit"] <= chance + 1

# 1. The answer
page.headline(
    "Close to bell curves" if fits else "Not all bell curves",
    f"The worst fit is *{page.escape(worst['statistic'])}*: off by about **{worst['misfit']:.0f} points "
    f"of 100**, in {page.whole(draws.shape[1])} simulated tables. Up to {chance:.0f} is chance.",
    "**The figures for noise can be relied on.** Balanced figures do not need bell curves."
    if fits
    else "**Take the balanced release:** it holds for any data. Noise is proven only for bell curves.",
)

# 2. A panel a statistic
ways = ["Histogram", "Quantiles (QQ)"]
chosen = st.segmented_control(
    "Shown as", ways, default=ways[0], required=True, key="fit-as", label_visibility="collapsed"
)
data = pd.concat(
    [
        pd.DataFrame({"statistic": label, "share": share, "value": draws[side][:, place]})
        for place, label in enumerate(now.labels)
        for side, share in enumerate((low, high))
    ]
)
page.show(
    (fit.histograms if chosen == ways[0] else fit.quantiles)(data, curves),
    curves.round(4),
    "; ".join(
        f"{row.statistic} at {row.share}: off by {row.misfit:.0f} points"
        for row in curves.itertuples()
    ),
    key="fit",
    columns=3,
    note=f"Blue: {low}, orange: {high}. "
    + (
        "Bars are simulated tables, lines the fitted curves."
        if chosen == ways[0]
        else "On the dotted line a figure is bell-shaped."
    ),
)
