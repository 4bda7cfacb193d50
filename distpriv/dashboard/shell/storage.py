"""The database, as a session meets it: a page works on without it and says what is not kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from distpriv.analysis.person import signed
from distpriv.dashboard.serving import people
from distpriv.dashboard.shell.state import Key
from distpriv.errors import StoreError
from distpriv.store import Store, never_made, open_store
from distpriv.store.failures import DamagedError
from distpriv.words import escape

__all__ = [
    "Trouble",
    "ask",
    "barred",
    "fixed",
    "forgive",
    "keep",
    "name",
    "place",
    "silent",
    "trouble",
    "who",
]

T = TypeVar("T")
P = ParamSpec("P")
_PAUSE = 15.0  # seconds before a database that did not answer is asked again


@dataclass(frozen=True)
class Trouble:
    """Why the database does not answer.

    Attributes
    ----------
    until : float
        When it is asked again, on the clock of `time.monotonic`.
    message : str
    damaged : bool
        Whether it is a file that can be set aside.
    """

    until: float
    message: str
    damaged: bool


def ask(what: Callable[[Store], T]) -> T | None:
    """What the database answers, or None while it cannot; :func:`trouble` says why.

    After a failure it is left alone for a while, so that not every move of a slider waits for it.
    """
    state = st.session_state
    down = trouble()
    if down is not None and time.monotonic() < down.until:
        return None
    try:
        answer = what(open_store())
    except StoreError as error:
        until, damaged = time.monotonic() + _PAUSE, isinstance(error, DamagedError)
        state[Key.STORE_DOWN] = Trouble(until, str(error), damaged)
        return None
    state.pop(Key.STORE_DOWN, None)
    return answer


def keep(what: Callable[Concatenate[Store, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Have the database do something that the user asked for; raises StoreError if it cannot."""
    forgive()  # before it: a second click cuts a run short where it next touches the state
    return what(open_store(), *args, **kwargs)


def trouble() -> Trouble | None:
    """Why the database did not answer when it was last asked; None if it did."""
    found: Trouble | None = st.session_state.get(Key.STORE_DOWN)
    return found


def silent() -> Trouble | None:
    """As `trouble`, where something may be on record; None if nothing can be."""
    return None if never_made() else trouble()


def forgive() -> None:
    """Ask the database again at once, though it did not answer a moment ago."""
    st.session_state.pop(Key.STORE_DOWN, None)


def place() -> str:
    """What the database is and where, for a sentence; empty if its address cannot be read."""
    try:
        return open_store().place
    except StoreError:
        return ""


def who() -> None:
    """The name that goes on record, one field for all that is done on a page: `name` reads it."""
    if fixed():
        return
    st.text_input(
        "Your name",
        key=Key.WHO,
        max_chars=80,
        persist_state="session",
        help="It goes on record as you type it; nobody checks it.",
    )


def fixed(label: str = "Your name") -> bool:
    """The name of whoever has signed in, as a field that nobody changes; False if nobody has."""
    person = people.now()
    if person is not None:
        st.text_input(
            label,
            signed(person.name, person.verified),
            disabled=True,
            key=f"fixed_{label}_{person.mark}",
            help="It goes on record from your sign-in.",
        )
    return person is not None


def barred(action: people.Action) -> None:
    """Say whose role it takes, beside controls that whoever looks may not use."""
    if said := people.refusal(action):
        st.caption(f":material/lock: {escape(said)}")


def name() -> str:
    """The name from the sign-in, or what was typed as one's name; perhaps nothing."""
    if (person := people.now()) is not None:
        return person.name
    return str(st.session_state.get(Key.WHO) or "")
