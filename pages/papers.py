"""Paper results: the papers' tables and figures recomputed beside the printed values."""

import streamlit as st

from distpriv.dashboard.papers import errata, items, records, simulation
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code

dataset, _ = frame.open_page()

result_first = st.container()
table, digest = records.choose(dataset)
run = simulation.choose_run(table, digest)
closed = simulation.closed(table, digest, run.seed)
with result_first:
    simulation.live_results(run, closed)
item = items.choose()
items.show(item, run, closed)
simulation.all_figures(simulation.results(run, closed))
errata.in_a_table(table, digest)
code.note("papers", repetitions=run.repetitions, seed=run.seed, adult=not table.stand_in)
