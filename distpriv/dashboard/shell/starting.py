"""What an example is begun with, when it takes the place of another one."""

from __future__ import annotations

from typing import cast

import streamlit as st

from distpriv.dashboard.shell import putting
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.tables.examples import EXAMPLES, Example

__all__ = ["begin"]


def begin(title: str) -> None:
    """Put the question of an example into the controls, in place of another one's.

    Of examples that begin alike, as UCI Adult and its synthetic likeness, the choices go on.

    Parameters
    ----------
    title : str
        Of what is shown from now on; nothing is done where that is an upload.
    """
    state = st.session_state
    now = _example(title)
    if now is None:
        return
    known = cast("Dataset | None", state.get(Key.DATASET))
    shown = None if known is None else _example(known.title)
    before = shown or _example(state.get(Key.EXAMPLE, EXAMPLES[0].title))
    state[Key.EXAMPLE] = title
    if before is not None and _start(before) == _start(now):
        return
    # Put in rather than taken out: a widget without a value takes that of the address.
    putting.put({Key.SECRET: now.secret, Key.STAT: list(now.statistics), Key.ALSO: []})
    putting.put({Key.LOOK: "", Key.BOUNDS: {}, Key.CENTER: now.center, Key.DP: now.width})


def _example(title: str) -> Example | None:
    return next((example for example in EXAMPLES if example.title == title), None)


def _start(example: Example) -> tuple[object, ...]:
    return example.secret, example.statistics, example.center, example.width
