"""Paper results: the papers' tables and figures recomputed beside the printed values."""

import sklearn.linear_model  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv.dashboard import code_parts, frame, paper_items, paper_parts

dataset, _ = frame.open_page()

st.title("Do the papers' figures hold?")
result_first = st.container()
records, digest = paper_parts.choose_records(dataset)
run = paper_parts.choose_run(records, digest)
known = paper_parts.closed(records, digest, run.seed)
paper_parts.run_buttons(run)
with result_first:
    paper_parts.live(run, known)
key = paper_items.choose()
paper_items.show(key, run, known)
found = paper_parts.results(run, known)
paper_parts.all_figures(found)
paper_parts.all_errata(records, digest)
code_parts.note("papers", repetitions=run.repetitions, seed=run.seed, adult=not records.stand_in)
