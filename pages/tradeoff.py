"""Compare what each mechanism costs, against the attacker, ε or Δp."""

import pandas as pd
import streamlit as st

from distpriv.analysis import sentences
from distpriv.charts import tradeoff
from distpriv.dashboard import page
from distpriv.dashboard.controls import control

AXES: dict[tradeoff.Across, str] = {
    "guesses": "Against the attacker",
    "epsilon": "Against ε",
    "width": "Against Δp",
}

state, now = page.current()
scenario = now.scenario

# 1. The answer
page.headline(
    sentences.tradeoff_title(now),
    sentences.tradeoff_lead(now, page.WORDS),
    lambda: sentences.tradeoff_advice(now, page.WORDS),
    sentences.warning(now, page.WORDS),
)

# 2. The picture
left, right = st.columns([3, 1], vertical_alignment="bottom")
across = left.segmented_control(
    "Error against",
    list(AXES),
    format_func=AXES.__getitem__,
    default=scenario.by,
    required=True,
    key=f"across-{scenario.by}",
    label_visibility="collapsed",
)
with right:
    if scenario.by == "guesses":
        control(state, "mechanism", label_visibility="collapsed")
frame = now.widths() if across == "width" else now.tradeoff()
without = [way for way in now.ways if way.release.kind in ("balanced", "no data")]
points = pd.DataFrame(
    [(way.key, way.guesses, way.percent) for way in without],
    columns=["mechanism", "guesses", "error"],
)
here = {
    "guesses": now.way.guesses,
    "epsilon": now.epsilon or frame.get("epsilon", pd.Series([20.0])).max(),
    "width": 100 * now.pair.width,
    "error": now.way.percent,
}
page.show(
    tradeoff.picture(
        frame,
        across=across,
        points=None if across == "width" else points,
        here=here,
        mechanism=scenario.mechanism,
        limit=now.limit if scenario.by == "guesses" else None,
    ),
    frame.round(3),
    tradeoff.alt(frame),
    key=f"tradeoff-{across}",
    note="Lower is better. The dot is your setting. "
    + (
        "Each line keeps your limit; the range widens around its middle."
        if across == "width"
        else f"By our model, δ = {scenario.delta:g}. Diamonds use no noise."
        if across == "guesses"
        else f"By our model, δ = {scenario.delta:g}. Dotted: no noise, ε = 0."
    ),
)
