"""Undo and redo of the scenario's controls."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell import opening
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError
from distpriv.words import escape

__all__ = ["MOST", "any_made", "buttons", "note"]

MOST = 50


@dataclass(frozen=True)
class _Step:
    """What the controls were set to, and the title of the data."""

    scenario: Scenario
    data: str


@dataclass
class _Steps:
    """The steps of a session, the one on screen, and whether that was just gone back to."""

    steps: list[_Step] = field(default_factory=list)
    place: int = -1
    moved: bool = False


def note() -> None:
    """Remember what the controls describe now, if that is another scenario than before.

    Who may see it is no part of it: a step back must not show in a meeting what was hidden.
    """
    state, history = st.session_state, _history()
    if Key.ALLOWED_WANTED in state:  # the ε to it comes in a moment, and both are one step
        return
    dataset: Dataset = state[Key.DATASET]
    now = _Step(replace(state[Key.SCENARIO], view="analyst"), dataset.title)
    moved, history.moved = history.moved, False
    if history.steps and now == history.steps[history.place]:
        return
    if moved:  # a control has taken its value in its own way
        history.steps[history.place] = now
        return
    here = [each for each in history.steps[: history.place + 1] if _here(each)]
    history.steps = [*here, now][-MOST:]
    history.place = len(history.steps) - 1


def any_made() -> bool:
    """Whether a setting has been changed in this session."""
    return len(_history().steps) > 1


def buttons() -> None:
    """Two small buttons: a step back, a step forward."""
    history = _history()
    # The shortcuts stand in the tooltips; beside the icons they would take a line of a phone.
    st.html("<style>.st-key-history kbd { display: none; }</style>")
    with st.container(horizontal=True, width="content", gap="small", key="history"):
        _button("undo", -1, "Alt+Z", history.place < 1)
        _button("redo", 1, "Alt+Y", history.place >= len(history.steps) - 1)


def _button(word: str, by: int, shortcut: str, disabled: bool) -> None:
    st.button(
        "",
        key=f"history_{word}",
        icon=f":material/{word}:",
        on_click=_go,
        args=(by,),
        disabled=disabled,
        shortcut=shortcut,
        type="tertiary",
        help=f"{word.capitalize()} a change of the data, the secret, the statistics, the noise or "
        f"any other setting ({shortcut}). The last {MOST} are remembered.",
    )


def _go(by: int) -> None:
    state, history = st.session_state, _history()
    if not 0 <= history.place + by < len(history.steps):
        return
    step = history.steps[history.place + by]
    dataset = opening.dataset_of(step.scenario, step.data)
    try:
        if dataset is not None:
            view = state[Key.SCENARIO].view
            opening.put_back(replace(step.scenario, view=view), dataset)
            history.place, history.moved = history.place + by, True
    except DistprivError as error:
        state[Key.NOTICE] = escape(error)


def _here(step: _Step) -> bool:
    """Whether its table can still be shown: an upload goes when another takes its place."""
    state = st.session_state
    upload = state.get(Key.UPLOAD)
    title = step.data if upload is None or step.scenario.digest != upload.digest else upload.title
    return opening.dataset_of(step.scenario, title) is not None


def _history() -> _Steps:
    steps: _Steps = st.session_state.setdefault(Key.STEPS, _Steps())
    return steps
