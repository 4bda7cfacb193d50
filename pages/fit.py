"""Show whether the figures are bell-shaped, as the promise of noise assumes."""

import streamlit as st

from distpriv.analysis import explanations, sentences
from distpriv.charts import fit
from distpriv.dashboard import page

KINDS = {"histogram": "Histogram", "quantiles": "Quantiles (QQ)", "tests": "Tests"}

state, now = page.current()
low, high = now.exposed_shares

# 1. The answer
page.headline(
    sentences.fit_title(now),
    sentences.fit_lead(now, page.WORDS),
    sentences.fit_advice(now, page.WORDS),
    term="fit",
)
page.about(now)

# 2. A picture a figure
kind = page.choice("Shown as", KINDS, "histogram", "fit-kind")
if kind == "tests":
    table = explanations.fit_table(now.tests())
    left, right = st.columns([6, 5], gap="large")
    left.table(table.set_axis([page.escape(name) for name in table.index]))
    right.markdown("\n".join(f"- {text}" for text in explanations.fit_tests(now, page.WORDS)))
else:
    frame = now.fit()
    reading = {
        "histogram": "Bars are simulated tables, lines the fitted curves.",
        "quantiles": "On the dotted line a figure is bell-shaped.",
    }
    height = 200 if len(now.labels) > 3 else 300
    page.show(
        fit.picture(frame, draws=now.fit_draws(), kind=kind, height=height),
        frame,
        fit.alt(frame),
        key="fit",
        note=f"Blue: {low}, orange: {high}. {reading[kind]} {sentences.SAMPLED * now.sampled}",
    )
