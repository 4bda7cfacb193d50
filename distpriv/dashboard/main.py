"""The frame around every page: address, controls, navigation."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd  # noqa: F401  # a first import inside a fragment would race
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from distpriv.analysis import tables
from distpriv.dashboard import builders, jobs, page, upload
from distpriv.dashboard.controls import control
from distpriv.dashboard.fields import FIELDS
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError
from distpriv.files import PAGES
from distpriv.lessons.words import faq, glossary


class Entry(NamedTuple):
    """Describe a page: its title, the menu that it stands in, and whether it needs the sidebar.

    The sidebar asks what the scenario is; a page that shows none of it goes without. A page that
    only a link opens is hidden in the menu. An own address is no scenario's.
    """

    title: str
    menu: str = ""
    asks: bool = True
    hidden: bool = False
    own: bool = False


MENU = {
    "check": Entry("Check"),
    "tradeoff": Entry("Trade-off"),
    "attack": Entry("Attack"),
    "fit": Entry("Fit"),
    "directions": Entry("Directions"),
    "guarantee": Entry("Guarantee"),
    "decide": Entry("Decide", "Agree"),
    "release": Entry("Release", "Agree"),
    "answer": Entry("Answer", "Agree", asks=False, hidden=True, own=True),
    "tour": Entry("Tour", "Learn", asks=False, own=True),
    "papers": Entry("Papers", "Learn", asks=False),
    "attribute": Entry("Attribute privacy", "More"),
    "notions": Entry("Notions", "More"),
}
LOGO = Path(__file__).with_name("logo.svg")


@st.dialog("Words and questions", width="medium", on_dismiss=builders.close)
def words(_: State) -> None:
    """Answer questions and explain terms, those that hold what is typed."""
    asked = st.session_state.get("asked", "")  # by a link
    part = st.text_input("Find", asked, placeholder="A word, such as noise").casefold().strip()
    questions, terms = (
        {name: text for name, text in all_of.items() if part in f"{name} {text}".casefold()}
        for all_of in (faq(), glossary())
    )
    terms = dict(sorted(terms.items(), key=lambda pair: part not in pair[0].casefold()))
    if not questions and not terms:
        st.markdown("No word or question holds this. Try a shorter one.")
        return
    answers, meant = st.tabs(["Questions", "Words"], default=None if questions else "Words")
    for question, answer in questions.items():
        answers.expander(question).markdown(answer)
    meant.markdown("\n\n".join(f"**{name}**: {text}" for name, text in terms.items()))


DIALOGS = {"upload": upload.dialog, "reading": upload.how, "words": words}
DIALOGS |= builders.DIALOGS


def main() -> None:
    """Fold what was changed into the scenario, then draw sidebar and page."""
    st.set_page_config("distpriv", str(LOGO), "wide", "auto")
    st.logo(LOGO, size="large")
    state = page.session()
    state.answered = True  # errors before the page are no answer of the page
    pages, chosen = navigation()
    here = MENU[chosen.url_path or "check"]
    trouble, asks = "", here.asks and not state.present
    if not here.own:
        trouble = upload.offer_opened(state)
        moved = state.read_controls(st.session_state)
        state.read_address(st.query_params.to_dict(), moved)
        with suppress(DistprivError):  # where the table is gone, which the sidebar says
            state.fit()
    st.set_page_config(page_title=f"{chosen.title} · distpriv")
    st.session_state.setdefault("papers-linked", st.query_params.get("item"))
    if chosen.url_path != "papers" and (job := state.jobs.get("papers")) and job.running:
        state.jobs.pop("papers").cancel()
    if state.present and here.own:  # others' address is the state's
        st.query_params["present"] = "1"
    elif not here.own:
        with suppress(DistprivError):
            state.write_address(st.query_params)
    if trouble:
        state.errors["source"] = trouble
    aids(state, pages, chosen)
    below = st.sidebar
    if asks:
        with st.sidebar, page.sentences():
            below = sidebar(state)
    if state.dialog:
        DIALOGS[state.dialog](state)
    for note in state.notes:
        st.toast(page.escape(note), icon=":material/info:", duration="long")
    state.notes.clear()
    state.answered = False
    alone = nullcontext() if asks else st.container(key="alone")  # style.css hides the sidebar
    with alone, page.sentences():
        chosen.run()
    if asks:
        with below, page.sentences():  # after the page's answer, which need not wait for it
            follows(state)
    if here.asks:
        with suppress(DistprivError):  # which the page has said
            await_law(state)
    if os.environ.get("DISTPRIV_TEST"):  # what browser tests compare address and controls with
        fields = {
            entry.name: entry.write(entry.get(state.scenario))
            for entry in FIELDS
            if entry.name not in state.errors
        }
        text = html.escape(json.dumps({"address": state.written, "fields": fields}))
        st.html(f"<span id=scenario hidden>{text}</span>")


def navigation() -> tuple[list[StreamlitPage], StreamlitPage]:
    """Draw the menu; return the pages that it lists, and the one that is open."""
    pages: dict[str, list[StreamlitPage]] = {}
    for name, entry in MENU.items():
        script = st.Page(
            PAGES / f"{name}.py",
            title=entry.title,
            url_path=name,
            default=name == "check",
            visibility="hidden" if entry.hidden else "visible",
        )
        pages.setdefault(entry.menu, []).append(script)
    listed = [one for menu in pages.values() for one in menu if one.visibility == "visible"]
    return listed, st.navigation(pages, position="top")


def aids(state: State, pages: Sequence[StreamlitPage], here: StreamlitPage) -> None:
    """Draw buttons; while presenting, ways to the pages beside this one and the way back."""
    look: dict[str, Any] = {"type": "tertiary"}
    key = "aids-present" if state.present else "aids"
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        if not state.present:
            look |= {"on_click": setattr}
            about, screen = ":material/menu_book:", ":material/present_to_all:"
            st.button("Words and questions", icon=about, args=(state, "dialog", "words"), **look)
            st.button("Present", icon=screen, args=(state, "present", True), **look)
            return
        place = next((at for at, page in enumerate(pages) if page.url_path == here.url_path), None)
        if place is not None:
            for to, icon in ((place - 1, "arrow_back"), (place + 1, "arrow_forward")):
                if 0 <= to < len(pages):
                    st.page_link(pages[to], icon=f":material/{icon}:")
        st.button("End presentation", icon=":material/close:", on_click=end, args=(state,), **look)


def end(state: State) -> None:
    """Go back to the usual view."""
    state.present = False
    st.query_params.pop("present", None)


def sidebar(state: State) -> DeltaGenerator:
    """Draw the question and its limit; return the place for what follows from the limit."""
    scenario = state.scenario
    control(state, "source", help=tables.story(scenario.source) or None)
    _open(state, "Use my own table", "upload", ":material/upload:", width="stretch")
    if state.files.get(scenario.source) or getattr(state.source(), "notices", None):
        icon = ":material/fact_check:"
        st.button("How it was read", icon=icon, type="tertiary", on_click=state.reread)
    control(state, "secret")
    for place, pair in enumerate(scenario.secrets[1:], 1):
        text = (
            f"and *{page.escape(pair.secret.label)}*, {100 * pair.low:g} or {100 * pair.high:g} %"
        )
        rest = tuple(one for one in scenario.secrets if one is not pair)
        st.caption(text)
        with st.container(horizontal=True):
            for label, secrets in (("Put first", (pair, *rest)), ("Remove", rest)):
                st.button(
                    label,
                    key=f"{label}-{place}-{state.revision}",
                    type="tertiary",
                    on_click=state.change,
                    kwargs={"secrets": secrets},
                )
    width = round(100 * scenario.secrets[0].width, 9)
    control(state, "shares", f"Must look alike (Δp = {width:g} points)")
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        _open(state, "Build a secret …", "secret", type="tertiary")
        st.button(
            "Drag shares" if state.typed else "Type shares",
            key="typing",
            type="tertiary",
            on_click=setattr,
            args=(state, "typing", not state.typing),
            disabled=state.typed and not state.typing,  # the slider has no place for them
        )
    control(state, "by")
    if scenario.by == "guesses":
        control(state, "guesses")
    else:
        first, second = st.columns(2)
        with first:
            control(state, "epsilon")
        with second:
            control(state, "delta")
        control(state, "mechanism")
    below = st.container(key="follows")
    words, one = "Protect single persons too …", scenario.persons
    if one:
        words = f"Each person: ε = {one.epsilon:g}, δ = {one.delta:g} …"
    _open(state, words, "persons", type="tertiary")
    control(state, "statistics")
    _open(state, "Add a figure …", "figure", type="tertiary")
    control(state, "records")
    steps = {
        "Undo": (state.undo, not state.past),
        "Redo": (state.redo, not state.future),
    }
    with st.container(horizontal=True):
        for label, (step, disabled) in steps.items():
            icon = f":material/{label.lower()}:"
            st.button(label, icon=icon, type="tertiary", on_click=step, disabled=disabled)
    return below


def _open(state: State, label: str, dialog: str, icon: str | None = None, **look: Any) -> None:
    """Draw a button that opens a dialog."""
    opened = (state, "dialog", dialog)
    st.button(label, icon=icon, on_click=setattr, args=opened, key=f"open-{dialog}", **look)


def follows(state: State) -> None:
    """Say what follows from the limit; nothing where the page says that nothing does."""
    now, scenario = state.evaluation(), state.scenario
    with suppress(DistprivError):
        if scenario.by == "epsilon":
            st.caption(f"An attacker is then right {now.way.guesses:.1f} times in 100.")
        elif now.epsilon is not None:
            noise = f"As {scenario.mechanism} noise: ε = {now.epsilon:.3g}, δ = {scenario.delta:g}"
            st.caption(noise)


def await_law(state: State) -> None:
    """Let workers hold the chosen way against laws that take long; then these decide."""
    now = state.evaluation()

    def take(job: jobs.Job) -> None:
        for result in job.results:
            now.take_law(result)

    if now.law_pending:
        jobs.follow(jobs.begin(state.jobs, "law", *now.law()), take)


if __name__ == "__main__":
    main()
