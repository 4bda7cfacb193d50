"""Presenting: large type and charts for a projector, arrow keys, and no value that gives away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

import streamlit as st

from distpriv.dashboard.shell.state import Key
from distpriv.model.run import Run
from distpriv.words import number

__all__ = [
    "SIZE",
    "begin",
    "epsilon_keys",
    "hide_values",
    "on",
    "shortcut",
    "switch",
    "to_others",
    "waiting",
]

T = TypeVar("T")

_PARAMETER = "present"  # of the address

SIZE = 1.5
"""How much larger type and charts are on a projector."""

# Streamlit measures in the root's type. Charts have their sizes in pixels and are enlarged
# themselves: under CSS zoom plotly misplaces its hover texts.
_STYLE = f"""<style>
html {{ font-size: {100 * SIZE:g}% !important; }}
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"],
[data-testid="stFileUploader"] {{ display: none !important; }}
[data-testid="stMainBlockContainer"] {{ padding: 3.5rem 2rem 1rem; }}
</style>"""


def on() -> bool:
    """Whether the session presents: the address has asked for it, or the button."""
    return bool(st.session_state.get(Key.PRESENTING))


def begin() -> None:
    """Take what the address asks for, and give the page its look, before anything is drawn.

    The address keeps the mark on every page, so that a reload presents too.
    """
    asked = st.query_params.get(_PARAMETER) == "1"
    if Key.PRESENTING not in st.session_state:
        _turn(asked)
    if on() and not asked:
        st.query_params[_PARAMETER] = "1"
    elif not on() and _PARAMETER in st.query_params:
        del st.query_params[_PARAMETER]
    if on():
        st.html(_STYLE)


def to_others() -> bool:
    """Whether others see the screen: it presents, or is in the presentation view."""
    view = st.session_state.get(Key.VIEW) or st.query_params.get(Key.VIEW)
    return on() or view == "presentation"


def hide_values() -> None:
    """While it presents, no value of single records or true shares shows, whatever is opened."""
    if on():
        st.session_state[Key.VIEW] = "presentation"


def switch() -> None:
    """The way in, or out."""
    st.button(
        "Stop presenting" if on() else "Present",
        key="presenting",
        type="tertiary",
        icon=":material/close:" if on() else ":material/present_to_all:",
        help=None
        if on()
        else "Large type, no sidebar, no values of records; the arrow keys go through the tour and "
        "change ε.",
        on_click=_turn,
        args=(not on(),),
    )


def shortcut(key: str) -> str | None:
    """The key of a button while it presents; None otherwise."""
    return key if on() else None


def waiting(run: Run[T]) -> Run[T]:
    """A run not begun yet: while it presents, it waits for a click."""
    run.stopped = on()
    return run


def epsilon_keys(scale: Sequence[float]) -> None:
    """While it presents: the next smaller and larger ε, by button or by arrow key.

    Parameters
    ----------
    scale : sequence of float
        The values of ε to step through, ascending.
    """
    if not on():
        return
    now = float(st.session_state[Key.SCENARIO].epsilon)
    smaller = [value for value in scale if value < now * (1 - 1e-9)]
    larger = [value for value in scale if value > now * (1 + 1e-9)]
    row = st.container(horizontal=True)
    for name, key, values in (("smaller", "Left", smaller[-1:]), ("larger", "Right", larger[:1])):
        row.button(
            f"ε\u00a0=\u00a0{number((values or [now])[0])}",
            key=f"presenting_{name}",
            shortcut=key,
            disabled=not values,
            on_click=partial(_step, *values) if values else None,
        )


def _step(epsilon: float) -> None:
    st.session_state.setdefault(Key.PENDING, {})[Key.EPS] = epsilon


def _turn(presents: bool) -> None:
    state = st.session_state
    state[Key.PRESENTING] = presents
    if presents:
        state[Key.VIEW_BEFORE] = state.get(Key.VIEW) or "analyst"
    elif Key.VIEW_BEFORE in state:
        state[Key.VIEW] = state.pop(Key.VIEW_BEFORE)
