"""Privacy–utility: what hiding the secret costs in accuracy of the released statistics."""

import streamlit as st

from distpriv.dashboard.shell import frame
from distpriv.dashboard.tradeoff import errors
from distpriv.dashboard.widgets import code, equal_terms, promise

view = frame.modelled()

result_first = st.container()
measure, names = errors.choose(view)
code.note("tradeoff", names=names, measure=measure.statistic)
with result_first:
    errors.sentence(view, measure)
    by_epsilon, by_width = st.columns(2, gap="large")
    with by_epsilon:
        errors.against_epsilon(view, measure, names)
    with by_width:
        errors.against_width(view, measure, names)

equal_terms.draw(view)
st.header(f"Errors at ε = {view.scenario.epsilon:g}")
errors.table(view, names)
promise.guarantee(view)
errors.formulas()
