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
overview, one, every, wrong, verdicts = st.tabs(
    ["How far off", "One at a time", "All figures", "Errata", "What the verdicts mean"],
    key="papers_tab",
)
with overview:
    simulation.overview(run, closed)
with one:
    items.show(items.choose(), run, closed)
with every:
    simulation.all_figures(simulation.results(run, closed))
with wrong:
    errata.in_a_table(table, digest)
with verdicts:
    simulation.verdicts(simulation.results(run, closed))
code.note("papers", repetitions=run.repetitions, seed=run.seed, adult=not table.stand_in)
