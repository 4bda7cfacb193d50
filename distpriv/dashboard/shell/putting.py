"""Values that the program puts into controls, which the browser must not lose.

Streamlit tells the browser once what a control was set to. Where a second run follows before the
browser has drawn the control, because its code is still on the way or the first run was cut short,
the browser draws the default, and says so in the run after. So a value that was put in is said
again in the next runs, unless the person changes it before; not in all to come, as that would take
away what somebody is just typing. A click that was made before the controls were drawn with it
brings along what they said until then, which is no change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from distpriv.dashboard.shell.state import Key

__all__ = ["RUNS", "again", "drawn", "from_address", "is_echo", "put"]

RUNS = 3  # in which it is said again
_DRAWN = object()


class _Put(NamedTuple):
    """What was put in, in how many runs it is still said, and what was there until it is drawn."""

    value: Any
    left: int
    before: Any


def put(values: Mapping[str, Any]) -> None:
    """Put values into controls, by their keys; in a callback, or before the controls are drawn."""
    state, said = st.session_state, _said()
    for key, value in values.items():
        known = said.get(key)
        shown = state.get(key) if known is None or known.before is _DRAWN else known.before
        state[key], said[key] = value, _Put(value, RUNS, shown)


def again() -> None:
    """Say what was put in once more; what the person has changed since, for the last time.

    The last time matters too: the run before may still be telling the browser the old value.
    """
    state, said = st.session_state, _said()
    for key, (value, left, before) in list(said.items()):
        if key not in state:  # its control has gone
            del said[key]
            continue
        if before is not _DRAWN and state[key] == before:
            state[key] = value
            continue
        said[key] = _Put(value, left - 1, before)
        if state[key] != value or left == 1:
            del said[key]
        state[key] = state[key]


def drawn() -> None:
    """Take note that the browser was told all that was put in: what it sends from now is meant."""
    said = _said()
    said.update({key: each._replace(before=_DRAWN) for key, each in said.items()})


def is_echo(key: str) -> bool:
    """Return whether a control said what it showed before it was told the program's value."""
    known = _said().get(key)
    return (
        known is not None and known.before is not _DRAWN and st.session_state[key] == known.before
    )


def from_address(keys: Iterable[str]) -> None:
    """Take note of what the controls have from the address that the session was opened with."""
    state = st.session_state
    _said().update({key: _Put(state[key], RUNS, _DRAWN) for key in keys if key in state})


def _said() -> dict[str, _Put]:
    """What was put in, by key."""
    said: dict[str, _Put] = st.session_state.setdefault(Key.PUT, {})
    return said
