"""How far a large file is read, below the place where it was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from distpriv.dashboard.shell.state import Key
from distpriv.words import escape, percent

__all__ = ["place", "shown"]

_LARGE = 20 * 10**6
_EVERY = 0.25  # seconds


def place() -> None:
    """Keep this place of the page for the file that is chosen next."""
    st.session_state[Key.PROGRESS] = st.empty()


@contextmanager
def shown(name: str, size: int) -> Iterator[Callable[[float], object] | None]:
    """Show at the place that was kept how far a file is read, if that takes a while.

    A thread of its own writes it: the page is still the one on which the file was chosen, and what
    the thread of a page writes may end that page's work for the sake of the next click, and lose
    the file with it.

    Parameters
    ----------
    name : str
        Of the file.
    size : int
        In bytes.

    Yields
    ------
    callable or None
        Takes the share that is read, between 0 and 1; None where nothing is shown.
    """
    where = cast("DeltaGenerator | None", st.session_state.get(Key.PROGRESS))
    if where is None or size < _LARGE:
        yield None
        return
    share, done = [0.0], Event()

    def write() -> None:
        while not done.wait(_EVERY):
            where.progress(share[0], f"Reading {escape(name)}: {percent(share[0], 0)}")
        where.empty()

    def watch(read: float) -> None:
        share[0] = read

    thread = add_script_run_ctx(Thread(target=write, daemon=True), get_script_run_ctx())
    thread.start()
    try:
        yield watch
    finally:
        done.set()
        thread.join()
