"""Values that the program puts into controls, which the browser must not lose.

Streamlit tells the browser once what a control was set to. Where a second run follows before the
browser has drawn the control, because its code is still on the way or the first run was cut short,
the browser draws the default, and says so in the run after. So a value that was put in is said
again in the next runs, unless the person changes it before; not in all to come, as that would take
away what somebody is just typing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from distpriv.dashboard.shell.state import Key

__all__ = ["RUNS", "again", "from_address", "put"]

RUNS = 3  # in which it is said again


def put(values: Mapping[str, Any]) -> None:
    """Put values into controls, by their keys; in a callback, or before the controls are drawn."""
    st.session_state.update(values)
    _note(values)


def again() -> None:
    """Say what was put in once more; what the person has changed since, for the last time.

    The last time matters too: the run before may still be telling the browser the old value.
    """
    state, said = st.session_state, _said()
    for key, (value, left) in list(said.items()):
        said[key] = value, left - 1
        if key not in state:  # its control has gone
            del said[key]
            continue
        if state[key] != value or left == 1:
            del said[key]
        state[key] = state[key]


def from_address(keys: Iterable[str]) -> None:
    """Take note of what the controls have from the address that the session was opened with."""
    state = st.session_state
    _note({key: state[key] for key in keys if key in state})


def _note(values: Mapping[str, Any]) -> None:
    _said().update({key: (value, RUNS) for key, value in values.items()})


def _said() -> dict[str, tuple[Any, int]]:
    """What was put in, by key, and in how many runs it is still said."""
    said: dict[str, tuple[Any, int]] = st.session_state.setdefault(Key.PUT, {})
    return said
