"""Belief: what an attacker takes the share to be, before and after a release."""

import streamlit as st

from distpriv.dashboard.belief import learned, prior, release
from distpriv.dashboard.shell import frame, presenting
from distpriv.dashboard.shell.controls import EPSILONS
from distpriv.dashboard.widgets import code, curves, promise
from distpriv.errors import DistprivError
from distpriv.words import escape

view = frame.modelled()

if not curves.needs_closed_form(view, "The belief about every share"):
    st.stop()
model = release.model_of(view)
result_first = st.container()
presenting.epsilon_keys(EPSILONS)
left, right = st.columns(2, gap="large")
try:
    with left:
        before = prior.choose(view)
    with right:
        seen = release.choose(view, model)
    beliefs = learned.learn(model, before, seen)
except DistprivError as error:
    result_first.error(escape(error), icon=":material/error:")
    st.stop()

code.note("belief", prior=prior.in_code(), **release.in_code(seen))
with result_first:
    st.markdown(learned.sentence(view, beliefs))
    learned.picture(view, beliefs, seen.truth)
    st.caption(release.provenance(view, model, seen))
release.table(view, seen)
promise.guarantee(view)
learned.formulas()
