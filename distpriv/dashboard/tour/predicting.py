"""Predict, then reveal: a step asks for a guess before it shows anything, and draws it beside."""

from __future__ import annotations

import streamlit as st

from distpriv.charts.guessing import guess_and_truth
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.tour.lesson import Guess
from distpriv.dashboard.widgets import display
from distpriv.lessons import Course

__all__ = ["ask", "beside", "forget", "given", "in_words", "reveal"]


def given() -> dict[int, float | None]:
    """What was guessed, by step; None where one had oneself shown the answer."""
    guesses: dict[int, float | None] = st.session_state.setdefault(Key.TOUR_GUESSES, {})
    return guesses


def forget() -> None:
    """Ask for all guesses again."""
    st.session_state[Key.TOUR_GUESSES] = {}


def reveal(number: int, guess: float | None = None) -> None:
    """Show a step from now on, with what was guessed."""
    given()[number] = guess


def ask(number: int, guess: Guess) -> None:
    """The question of a step, and the two ways on."""
    with st.container(border=True):
        st.markdown(f"**Your guess first.** {guess.text}")
        low, high = guess.ends
        value = st.slider(
            "Your guess",
            low,
            high,
            low,
            guess.step,
            format="%.1f" if guess.step < 1 else "%.0f",
            key=f"tour_guess_{number}",
            persist_state="session",
        )
        row = st.container(horizontal=True)
        row.button(
            "That is my guess",
            key=f"tour_guessed_{number}",
            type="primary",
            icon=":material/check:",
            on_click=reveal,
            args=(number, value),
        )
        row.button("Show me", key=f"tour_show_{number}", on_click=reveal, args=(number,))


def in_words(number: int, guess: Guess | None, course: Course) -> str:
    """What was guessed and what it is; empty where there was no guess."""
    value = given().get(number)
    if value is None or guess is None:
        return ""
    return f"You guessed {guess.said(value)}; it is {guess.said(guess.truth(course))}."


def beside(number: int, guess: Guess, course: Course) -> None:
    """The guess beside the truth; nothing where there was none."""
    value = given().get(number)
    if value is None:
        return
    truth = guess.truth(course)
    display.chart(guess_and_truth(value, truth, guess.ends, guess.said), f"tour_guess_{number}")
