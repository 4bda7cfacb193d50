"""Trade-off: error against the attacker, for every mechanism."""

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.charts import tradeoff
from distpriv.dashboard import page
from distpriv.dashboard.controls import control

NAMES = ["OptM", "DauM", "DirM", "EigM", "ExpM"]

own, now = page.current()
scenario = now.scenario
curves = now.tradeoff(NAMES, np.geomspace(0.1, 20, 22))
others = pd.DataFrame(
    [
        (way.title, way.guesses, way.percent) for way in now.ways if way.rests == "any data"
    ],
    columns=["way", "guesses", "error"],
)
here = {
    "epsilon": now.epsilon or 20,
    "guesses": now.guesses,
    "error": now.percent(now.errors),
    "tolerance": scenario.guesses,
    "undefended": now.undefended,
}

best, warning = now.recommendation.way, page.warning(now)

# 1. The answer
if now.epsilon is None:
    page.headline(
        "No noise needed",
        f"Without noise an attacker is right **{now.undefended:.0f} times in "
        f"100**, and you accept {scenario.guesses:g}.",
    )
else:
    page.headline(
        f"{here['error']:.1f} % off for {now.guesses:.0f} of 100",
        f"With {scenario.mechanism} at ε = {now.epsilon:.3g} an attacker is right **{now.guesses:.0f} times in "
        f"100**, and the figures are off by **{here['error']:.1f} %** on average.",
        f"**{best.advice}** No noise, right {best.guesses:.0f} of 100, "
        f"and off by {best.percent:.1f} %."
        if best.rests == "any data"
        else "",
        warning,
    )

# 2. The picture
left, right = st.columns([3, 1])
across = left.segmented_control(
    "Error against",
    ["Against the attacker", "Against ε"],
    default="Against ε" if scenario.by == "epsilon" else "Against the attacker",
    required=True,
    key=f"across-{scenario.by}",
    label_visibility="collapsed",
)
with right:
    if scenario.by == "guesses":
        control(own, "mechanism", label_visibility="collapsed")
axis = "guesses" if across == "Against the attacker" else "epsilon"
most = float(np.clip(2.0 * max(here["error"], others["error"].max()), 12, 60))
page.show(
    tradeoff.picture(curves, axis, here, scenario.mechanism, others, most),
    curves.round(3),
    f"Average error {across.lower()}, for {', '.join(NAMES)}; yours: {now.guesses:.0f} of 100, "
    f"{here['error']:.1f} % off.",
    key=f"tradeoff-{axis}",
    note="Down and left is better. The dot is your setting; your limit moves it along its line. "
    f"By the fitted model, δ = {scenario.delta:g}.",
)
