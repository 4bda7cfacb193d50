"""Answer: from what an attacker may achieve, or from the errors one accepts, to the ε."""

import streamlit as st

from distpriv.dashboard.answer import (
    acceptable,
    bell_curve,
    both_limits,
    one_record,
    search,
)
from distpriv.dashboard.shell import frame, presenting
from distpriv.dashboard.shell.controls import EPSILONS
from distpriv.dashboard.widgets import code, meaning, promise, recommended

view = frame.modelled()

result_first = st.container()
presenting.epsilon_keys(EPSILONS)
start = acceptable.start()
picture, controls = st.columns([3, 2], gap="large")
limit = limits = found = None
with controls:
    if start != "the error":
        st.markdown("**What may an attacker achieve at most?**")
        limit = search.ask(view)
    if start != "the attacker":
        st.markdown("**Which errors can you live with?**")
        limits = acceptable.ask(view)
    code.note("answer", limit=limit, limits=limits or (), prior=meaning.prior())
    if start == "the attacker" and limit:
        found = recommended.searched(view, limit)
        if found:
            search.feasible(limit, found.design)
with result_first:
    if limit and found:
        search.sentence(view, limit, found)
with picture:
    if start == "the attacker":
        search.attackers(view, limit)
    elif start == "both" and limit and limits:
        both_limits.section(view, limit, limits)
    elif start == "the error" and limits:
        acceptable.from_error(view, limits)
every, promised, curved, closer = st.tabs(
    ["Mechanisms", "Promise and meaning", "Without the bell curve", "The attacker, closer"],
    key="answer_tab",
)
with every:
    if found:
        search.table(view, found)
with promised:
    promise.guarantee(view)
    meaning.draw(view)
with curved:
    bell_curve.section(view, limit)
with closer:
    one_record.closer(view, limit)
search.formulas()
