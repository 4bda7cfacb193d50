"""Paper results: the papers' tables and figures recomputed beside the printed values."""

import sklearn.linear_model  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv.dashboard.papers import items, panels
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code

dataset, _ = frame.open_page()

result_first = st.container()
records, digest = panels.choose_records(dataset)
run = panels.choose_run(records, digest)
known = panels.closed(records, digest, run.seed)
panels.run_buttons(run)
with result_first:
    panels.live(run, known)
key = items.choose()
items.show(key, run, known)
found = panels.results(run, known)
panels.all_figures(found)
panels.all_errata(records, digest)
code.note("papers", repetitions=run.repetitions, seed=run.seed, adult=not records.stand_in)
