"""Show which figures give the share away, and where noise goes."""

import pandas as pd
import streamlit as st

from distpriv.analysis import sentences
from distpriv.charts import bars, directions
from distpriv.dashboard import page

state, now = page.current()
labels = now.labels
tells = now.contributions()
order = list(tells.sort_values("alone", ascending=False).index)

# 1. The answer
page.headline(
    sentences.directions_title(now),
    sentences.directions_lead(now, page.WORDS),
    sentences.directions_advice(now, page.WORDS),
    term="right guesses of 100",
)
page.about(now)

# 2. The plane of two figures, with clouds and noises
x = y = order[0]
noises: list[str] = []
if len(labels) > 1:
    with st.container(key="directions-controls"):
        across, up, where = st.columns([3, 3, 5], gap="medium")
    every, name = range(len(labels)), labels.__getitem__
    x = across.selectbox("Across", every, order[0], name, key=f"x-{state.revision}")
    y = up.selectbox("Up", every, order[1], name, key=f"y-{state.revision}")
    offered = list(now.noises())
    if offered:
        first = [name for name in (now.scenario.mechanism, "DauM", "OptM") if name in offered]
        noises = where.pills(
            "Where noise goes",
            offered,
            selection_mode="multi",
            default=list(dict.fromkeys(first))[:2],
            key=f"noises-{'-'.join(offered)}",
        )
left, right = st.columns([6, 5], gap="large") if len(labels) > 1 else (None, st.container())
if left:
    with left:
        if x == y:
            st.markdown("Choose two different figures.")
        else:
            plane, clouds = now.plane((x, y), noises)
            page.show(
                directions.picture(plane, draws=clouds, names=(labels[x], labels[y])),
                plane.round(4),
                directions.alt(plane),
                key="plane",
                note="Dots: simulated tables. Arrow: from one share to the other. Cross: axes and "
                "deviations of the clouds. Outlines hold 95\u00a0% of clouds and noise. "
                + sentences.SAMPLED
                * now.sampled,
            )

# 3. What each figure tells alone
with right:
    frame = tells.loc[order].rename(columns={"statistic": "name", "alone": "guesses"})
    if len(labels) > 1:
        together = pd.DataFrame([{"name": "All together", "guesses": now.undefended}])
        frame = pd.concat([frame, together], ignore_index=True)
    page.show(
        bars.picture(frame, most=max(now.undefended, 60.0)),
        frame.round(2),
        bars.alt(frame),
        key="contributions",
        note="Right guesses of 100 from one figure alone, by our model.",
    )
