"""The frame around every page: address, controls, navigation."""

import html
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st


from distpriv.dashboard import page  # noqa: E402
from distpriv.dashboard.controls import control  # noqa: E402
from distpriv.dashboard.fields import options_of, to_query  # noqa: E402
from distpriv.errors import DistprivError  # noqa: E402
from distpriv.analysis import tables
from distpriv.site import PAGES
from distpriv.analysis.tables import source_of  # noqa: E402

MENU = {"": [("check", "Check", ""), ("tradeoff", "Trade-off", ""), ("attack", "Attack", ""), ("fit", "Fit", ""), ("directions", "Directions", "")]}


def main() -> None:
    st.set_page_config(
        page_title="distpriv",
        page_icon=str(Path(__file__).with_name("logo.svg")),
        layout="wide",
        initial_sidebar_state="auto",
    )
    st.logo(Path(__file__).with_name("logo.svg"), size="large")
    own = page.state()
    start_of = lambda source: tables.start_of(source_of(source, own.upload))  # noqa: E731
    moved = own.read_controls(st.session_state, start_of)
    own.read_address(st.query_params.to_dict(), start_of, moved)
    options = own.fit(lambda scenario: options_of(source_of(scenario.source, own.upload), own.upload))
    if (
        own.scenario.by == "epsilon" and own.scenario.epsilon is None
    ):  # start where the limit led to
        before = replace(own.scenario, by="guesses")
        led = answer(lambda now: replace(now, scenario=before).epsilon)
        own.scenario = replace(own.scenario, epsilon=float(f"{led or 1:.2g}"))
    chosen = st.navigation(
        {
            section: [
                st.Page(
                    PAGES / f"{name}.py",
                    title=title,
                    url_path=name,
                    default=name == "check",
                )
                for name, title, _ in specs
            ]
            for section, specs in MENU.items()
        },
        position="top",
    )
    own.write_address(st.query_params, start_of)
    with st.sidebar:
        sidebar(own, options)
    for note in own.notes:
        st.toast(note, icon=":material/info:")
    own.notes.clear()
    try:
        chosen.run()
    except DistprivError as error:  # what a user chose has no answer: one sentence
        page.headline(
            "No answer for this",
            page.escape(error),
            warning="**Change the figures or the secret** at the left.",
        )
    if os.environ.get("DISTPRIV_TEST"):  # what a browser test compares address and controls with
        st.html(
            f"<span id=held hidden>{html.escape(json.dumps(to_query(own.scenario, start_of(own.scenario.source))))}</span>"
        )


def answer(of):
    """A result for the sidebar; None where the question has no answer, which the page then says."""
    try:
        return of(page.current()[1])
    except DistprivError:
        return None


def sidebar(own, options) -> None:
    """The question and its limit, on every page."""
    control(own, "source", options)
    control(own, "secret", options)
    low, high = (100 * p for p in (own.scenario.secrets[0].low, own.scenario.secrets[0].high))
    control(own, "shares", options, f"Must look alike (Δp = {high - low:g} points)")
    control(own, "by", options)
    if own.scenario.by == "guesses":
        control(own, "guesses", options)
        epsilon = answer(lambda now: now.epsilon)
        if epsilon is not None:
            st.caption(
                f"As {own.scenario.mechanism} noise: ε = {epsilon:.3g}, δ = {own.scenario.delta:g}"
            )
    else:
        left, right = st.columns(2)
        with left:
            control(own, "epsilon", options)
        with right:
            control(own, "delta", options)
        control(own, "mechanism", options)
        if guesses := answer(lambda now: now.guesses):
            st.caption(f"An attacker is then right {guesses:.1f} times in 100.")
    control(own, "statistics", options)
    control(own, "records", options)
    with st.container(horizontal=True):
        undo, redo = st.columns(2)
        undo.button(
            "Undo",
            icon=":material/undo:",
            on_click=own.undo,
            disabled=not own.past,
            type="tertiary",
        )
        redo.button(
            "Redo",
            icon=":material/redo:",
            on_click=own.redo,
            disabled=not own.future,
            type="tertiary",
        )


if __name__ == "__main__":
    main()
