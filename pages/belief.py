"""Belief: what an attacker takes the share to be, before and after a release."""

from dataclasses import replace

import streamlit as st

from distpriv.attacks.posterior import posterior
from distpriv.charts.posterior import posterior_curve
from distpriv.dashboard import widgets
from distpriv.dashboard.belief import panels
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code, promise
from distpriv.errors import DistprivError
from distpriv.words import escape

view = frame.modelled()

st.title("What does the attacker believe?")
if not widgets.needs_closed_form(view, "The belief about every share"):
    st.stop()
scenario, model = view.scenario, panels.release_model(view)
result_first = st.container()
left, right = st.columns(2, gap="large")
try:
    with left:
        prior = panels.choose_prior(view)
    with right:
        release = panels.choose_release(view, model)
    updated = posterior(model, prior, release.values)
    clear = (
        None
        if release.clear is None
        else posterior(replace(model, noise=None), prior, release.clear)
    )
except DistprivError as error:
    result_first.error(escape(error), icon=":material/error:")
    st.stop()

code.note("belief", **panels.in_code(release))
with result_first:
    st.markdown(panels.sentence(view, prior, updated, clear))
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
    st.caption(panels.provenance(view, release))
panels.release_table(view, release)
promise.guarantee(view)
panels.formulas()
