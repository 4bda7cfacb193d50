"""Mechanisms on equal terms: their errors at one promise beside those against one attacker."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.equal_terms import (
    EqualTerms,
    compare_mechanisms,
    equal_terms_in_words,
)
from distpriv.analysis.recommendation import candidates
from distpriv.charts.comparison import mechanism_bars
from distpriv.dashboard.shell import live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import curves, display, promise
from distpriv.model.run import Progress, Run
from distpriv.words import escape, exact, number

__all__ = ["draw"]


def draw(view: View) -> None:
    """Both comparisons side by side, and a sentence that says which error is least in each."""
    st.header("Mechanisms on equal terms")
    key = curves.key_of(view, f"equal terms {view.scenario.mechanism}", epsilon=True)
    run = live.begun("equal terms", key, lambda: _compared(view))
    live.growing(run, lambda run: _drawn(view, run), at_once=False)


def _compared(view: View) -> Iterator[Progress[EqualTerms]]:
    # Laplace noise in several directions is simulated at every ε that is tried.
    kinds = {name: mechanisms.get(name) for name in candidates(view)}
    quick = [
        name
        for name, kind in kinds.items()
        if not (kind.distribution == "laplace" and kind.full_rank)
    ]
    found = compare_mechanisms(view, names=quick)
    yield Progress(1, 1, lambda: found)


def _drawn(view: View, run: Run[EqualTerms]) -> None:
    found, unit = run.result(), view.error_unit
    if found is None:
        if run.failure:
            st.markdown(f"The mechanisms cannot be compared: {escape(run.failure)}")
        else:
            st.caption("Comparing the mechanisms at the same promise and the same attacker …")
        return
    st.markdown(
        equal_terms_in_words(found, unit, strong=lambda text: f"**{text}**", safe=escape),
        help="By the fitted model, for the pair that is hardest to hide; only mechanisms that keep "
        "their promise count. A smaller error at the same promise may be the price of a stronger "
        "attacker, so that both are compared.",
    )
    promise.by_normals(view, "What attackers reach in these comparisons, and the ε that follow")
    left, right = st.columns(2, gap="large")
    with left:
        equal = f"promise (ε = {found.epsilon:g}, δ = {exact(found.delta)})"
        display.chart(mechanism_bars(found.by_promise, equal=equal, unit=unit), "equal_promise")
    with right:
        if found.by_attacker:
            equal = f"attacker ({number(found.limit.value)} of 100 right)"
            display.chart(
                mechanism_bars(found.by_attacker, equal=equal, unit=unit), "equal_attacker"
            )
    for name, reason in found.skipped.items():
        st.caption(f"{escape(name)} is missing in a comparison: {escape(reason)}")
