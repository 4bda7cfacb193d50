"""Values that the program puts into controls, which the browser must not lose.

Streamlit tells the browser once what a control was set to. Where a second run follows before the
browser has drawn the control, because its code is still on the way or the first run was cut short,
the browser draws the default, and says so in the run after. So a value that was put in is said
again in every run until the person changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from distpriv.dashboard.shell.state import Key

__all__ = ["again", "from_address", "put"]


def put(values: Mapping[str, Any]) -> None:
    """Put values into controls, by their keys; in a callback, or before the controls are drawn."""
    st.session_state.update(values)
    _said().update(values)


def again() -> None:
    """Say what was put in once more; what the person has changed since, for the last time.

    The last time matters too: the run before may still be telling the browser the old value.
    """
    state, said = st.session_state, _said()
    for key, value in list(said.items()):
        if key not in state:  # its control has gone
            del said[key]
            continue
        if state[key] != value:
            del said[key]
        state[key] = state[key]


def from_address(keys: Iterable[str]) -> None:
    """Take note of what the controls have from the address that the session was opened with."""
    state = st.session_state
    _said().update({key: state[key] for key in keys if key in state})


def _said() -> dict[str, Any]:
    said: dict[str, Any] = st.session_state.setdefault(Key.PUT, {})
    return said
