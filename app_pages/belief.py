"""Belief: what an attacker takes the share to be, before and after a release."""

from dataclasses import replace

import streamlit as st

from distpriv.charts.posterior import posterior_curve
from distpriv.dashboard import belief_parts, code_parts, frame, promise_parts, widgets
from distpriv.dashboard.text import escape
from distpriv.errors import DistprivError
from distpriv.posterior import posterior

view = frame.modelled()

st.title("What does the attacker believe?")
if not widgets.needs_closed_form(view, "The belief about every share"):
    st.stop()
scenario, model = view.scenario, belief_parts.release_model(view)
result_first = st.container()
left, right = st.columns(2, gap="large")
try:
    with left:
        prior = belief_parts.choose_prior(view)
    with right:
        release = belief_parts.choose_release(view, model)
    updated = posterior(model, prior, release.values)
    clear = (
        None
        if release.clear is None
        else posterior(replace(model, noise=None), prior, release.clear)
    )
except DistprivError as error:
    result_first.error(escape(error), icon=":material/error:")
    st.stop()

code_parts.note("belief", **belief_parts.in_code(release))
with result_first:
    st.markdown(belief_parts.sentence(view, prior, updated, clear))
    widgets.chart(
        posterior_curve(
            prior,
            updated,
            clear,
            truth=release.truth,
            pair=view.fit.pair,
            label=view.fit.pair.secret.label,
            mechanism=scenario.mechanism,
        ),
        "belief",
    )
    st.caption(belief_parts.provenance(view, release))
belief_parts.release_table(view, release)
promise_parts.guarantee(view)
belief_parts.formulas()
