"""Which data the session is about: an example, a table of the server by its name, or an upload."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import streamlit as st

from distpriv.dashboard.shell import (
    allowed,
    cache,
    opening,
    presenting,
    putting,
    scanning,
    sizes,
    sources,
    starting,
    state,
)
from distpriv.dashboard.shell.dataset import Dataset, from_spooled
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.places import said
from distpriv.dashboard.shell.spooling import Spooled
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError
from distpriv.sources.table import EngineSource
from distpriv.tables.examples import EXAMPLES
from distpriv.words import escape

__all__ = ["begin", "current", "in_words", "run", "show", "wait"]

_TITLES = {example.title: example.key for example in EXAMPLES}
_RUN = "opening"
# What the first screen's controls say until then is about other data.
_NO_SENTENCE = "<style>.st-key-sentence, .st-key-settings {display: none}</style>"


def show(title: str) -> None:
    """Make data that are here the session's, in the size last released of their kind."""
    putting.put({Key.DATA: title})
    _follow()


def begin(title: str) -> None:
    """Show them, with the ε that leaves an attacker the right guesses to start with."""
    show(title)
    st.session_state[Key.BEGUN] = True
    allowed.begin()


def _follow() -> None:
    title = st.session_state[Key.DATA]
    st.session_state.pop(Key.SOURCE_BARRED, None)
    starting.begin(title)
    if title == opening.UPLOAD:
        sizes.follow("upload")
    else:
        sizes.follow("example" if title in _TITLES else "source")


def current() -> Dataset:
    """Draw the control and return the data that it says, or those before while they are opened."""
    kept = st.session_state
    if kept.pop(Key.BACK_TO_EXAMPLE, False):
        show(EXAMPLES[0].title)
    _bar()
    named = sources.offered()
    titles = [*_TITLES, *named, *([opening.UPLOAD] if Key.UPLOAD in kept else [])]
    if kept.get(Key.DATA) not in (None, *titles):
        del kept[Key.DATA]
    chosen = st.selectbox(
        "Data",
        titles,
        key=Key.DATA,
        bind="query-params",
        on_change=_follow,
        help="An example, "
        + ("a table of this server, " if named else "")
        + "or the file you uploaded on the page Question.",
    )
    kept.pop(Key.SOURCE_OPENING, None)
    if chosen == opening.UPLOAD:
        return cast(Dataset, kept[Key.UPLOAD])
    if chosen in named:
        opened: Dataset | None = kept.setdefault(Key.SOURCES, {}).get(chosen)
        if opened is not None:
            return opened
        kept[Key.SOURCE_OPENING] = chosen
        before = cast("Dataset | None", kept.get(Key.DATASET))
        return before if before is not None else cache.example(EXAMPLES[0].key)
    try:
        return cache.example(_TITLES[chosen])
    except DistprivError as error:
        kept[Key.NOTICE] = escape(error)
        kept[Key.BACK_TO_EXAMPLE] = True
        st.rerun()


def in_words() -> str:
    """What the control says, before it is drawn."""
    wanted = str(said(Key.DATA, EXAMPLES[0].title))
    own = cast("Dataset | None", st.session_state.get(Key.UPLOAD))
    if wanted == opening.UPLOAD and own is not None:
        return own.title
    return wanted if wanted in (*_TITLES, *sources.offered()) else EXAMPLES[0].title


def _bar() -> None:
    """While the page is shown to others, an example stands where a table of the server was."""
    kept = st.session_state
    wanted = str(said(Key.DATA, ""))
    if sources.hidden(wanted):
        kept[Key.SOURCE_BARRED] = wanted
        putting.put({Key.DATA: EXAMPLES[0].title})
        kept.pop(Key.HEADLINE_SAID, None)
    barred = kept.get(Key.SOURCE_BARRED)
    if barred is not None and not presenting.to_others():
        show(barred)


def wait() -> None:
    """Draw instead of the page what has to be waited for, or opened again, if anything has."""
    kept = st.session_state
    if problem := sources.problem():
        st.error(escape(problem), icon=":material/error:")
    if Key.SOURCE_BARRED in kept:
        st.info(
            "Tables of this server are for analysts and are not shown while presenting; here is "
            "an example in place of the one that was open.",
            icon=":material/visibility_off:",
        )
    spooled = cast("Spooled | None", kept.get(Key.SPOOLED))
    if spooled is not None:
        _take(spooled)
        st.stop()
    name = cast("str | None", kept.get(Key.SOURCE_OPENING))
    if name is not None:
        _open(name)
        st.stop()
    dataset: Dataset = kept[Key.DATASET]
    if sentence := scanning.changed(dataset):
        st.warning(escape(sentence), icon=":material/sync_problem:")
        st.button(
            "Open it again",
            key="open_again",
            icon=":material/refresh:",
            on_click=_again,
            args=(dataset.title,),
        )
        st.stop()


def run(page: Callable[[], None]) -> None:
    """Run a page; what a source or a sample of it cannot give ends in a sentence."""
    dataset: Dataset = st.session_state[Key.DATASET]
    try:
        page()
    except DistprivError as error:
        if dataset.source is None:
            raise
        st.error(escape(error), icon=":material/error:")
        link("question", "Change the question")


def _take(spooled: Spooled) -> None:
    """Open a large upload."""

    def work(tell: Callable[[EngineSource], None]) -> Dataset:
        return from_spooled(spooled, tell)

    dataset = _opened(spooled.name, spooled, work)
    if dataset is not None:
        st.session_state[Key.SPOOLED_OPENED] = dataset
        del st.session_state[Key.SPOOLED]
        st.rerun()


def _opened(
    name: str, key: object, work: Callable[[Callable[[EngineSource], None]], Dataset]
) -> Dataset | None:
    """What the work gives, or its progress, with a way to stop it."""
    runs = state.runs()
    opener = runs.get(_RUN)
    if not isinstance(opener, scanning.Asked) or opener.key != key:
        opener = runs[_RUN] = scanning.Asked(work, f"Opening {name}", key)
    opener.step(0.4)
    if not opener.finished:
        st.html(_NO_SENTENCE)
        row = scanning.waiting(opener, _RUN)
        if opener.failure:
            row.button("Take an example instead", key="opening_leave", on_click=_leave)
        return None
    dataset = cast(Dataset, opener.result())
    del runs[_RUN]
    return dataset


def _leave() -> None:
    st.session_state.pop(Key.SPOOLED, None)
    show(EXAMPLES[0].title)


def _open(name: str) -> None:
    kept = st.session_state

    def work(tell: Callable[[EngineSource], None]) -> Dataset:
        return sources.open_named(name, tell)

    dataset = _opened(name, name, work)
    if dataset is None:
        return
    kept[Key.SOURCES][name] = dataset
    awaiting = kept.pop(Key.SOURCE_AWAITING, None)
    if awaiting is not None:
        try:
            opening.go_on(awaiting, dataset)
        except DistprivError as error:
            kept[Key.NOTICE] = escape(error)
    st.rerun()


def _again(title: str) -> None:
    """Open a table anew; what was computed from it before is known by another fingerprint."""
    kept = st.session_state
    kept[Key.SOURCES].pop(title, None)
    kept.pop(Key.SOURCE_CHECKED, None)
    kept.pop(Key.HEADLINE_SAID, None)
