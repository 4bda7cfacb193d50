"""What a page draws one tick after its answer, because the answer is not to wait for it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from distpriv.dashboard.shell import live
from distpriv.dashboard.shell.state import Key

__all__ = ["drawn_later"]

_TICK = 0.2  # seconds


def drawn_later(name: str, about: str, frame: Callable[[], None], draw: Callable[[], None]) -> None:
    """Draw a part of the page one tick after the rest where it is about something new.

    Until then its frame stands there. A part about the same as in the run before, a slider of no
    account having moved, is drawn at once.

    Parameters
    ----------
    name : str
        Of the part.
    about : str
        All that its long work depends on.
    frame, draw : callable
        Draw as many elements of the same sizes, without and with what takes long.
    """
    begun: dict[str, str] = st.session_state.setdefault(Key.LATER, {})
    new = begun.get(name) != about
    begun[name] = about
    framed = not new

    @st.fragment
    def part() -> None:
        nonlocal framed
        if framed:
            draw()
            live.timer(None)
            return
        framed = True
        frame()
        live.timer(_TICK)

    part()
