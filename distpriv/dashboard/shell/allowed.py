"""The right guesses an attacker is allowed: what a table begins with, and when they stay."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell.state import Key

__all__ = ["AT_FIRST", "begin", "hold", "setting"]

AT_FIRST = 60  # right guesses of 100, of a table that comes without a link


def begin() -> None:
    """Have the mechanism and the ε taken that leave an attacker the right guesses to start with."""
    st.session_state[Key.ALLOWED_WANTED] = AT_FIRST


def setting(scenario: Scenario) -> Scenario:
    """What the right guesses hang on."""
    return replace(scenario, seed=0, view="analyst", look="", report="raw", tolerances=())


def hold(before: Scenario, now: Scenario, *, in_sentence: bool) -> None:
    """Take the ε anew where another question has been asked in the sentence.

    Who has said the right guesses, or begun with them, keeps them; who has set the mechanism or ε
    since, on whichever page, or asks another question where ε itself stands beside it, keeps those.

    Parameters
    ----------
    before : Scenario
        Of the run before.
    now : Scenario
    in_sentence : bool
        Whether the controls stand in the sentence of the first screen.
    """
    state = st.session_state
    held = state.get(Key.ALLOWED_HELD)
    if held is None or Key.ALLOWED_WANTED in state:
        return
    before = replace(before, mechanism=now.mechanism, epsilon=now.epsilon)
    if held[:2] != (now.mechanism, now.epsilon):
        del state[Key.ALLOWED_HELD]
    elif setting(before) != setting(now):
        if in_sentence:
            state[Key.ALLOWED_WANTED] = held[2]  # the slider may not have heard of it yet
        else:
            del state[Key.ALLOWED_HELD]
