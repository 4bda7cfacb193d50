"""What the attacker takes the share to be before the release."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.attacks.posterior import (
    Belief,
    beta_prior,
    normal_prior,
    pair_prior,
    share_grid,
    uniform_prior,
)
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.glossary import hover
from distpriv.words import share

__all__ = ["choose", "in_code"]

UNIFORM, BELL, BETA, PAIR = "any share alike", "a bell", "Beta(a, b)", "the two shares"


def choose(view: View) -> Belief:
    """What the attacker takes the share to be before the release."""
    pair, n = view.fit.pair, view.scenario.n
    kind = st.segmented_control(
        "Before the release the attacker expects",
        [UNIFORM, BELL, BETA, PAIR],
        default=UNIFORM,
        required=True,
        key=Key.BELIEF_PRIOR,
        persist_state="session",
        wrap=True,
        help=f"{hover('prior')} *a bell* is a normal distribution cut off at 0 and 1; "
        "*Beta(a, b)* is what somebody believes who has seen a − 1 records with the property and "
        "b − 1 without; *the two shares* is an attacker who knows that it is one of the pair.",
    )
    shares = share_grid(n)
    if kind == UNIFORM:
        return uniform_prior(shares)
    left, right = st.columns(2)
    if kind == BELL:
        center = _fraction(left, "around", Key.BELIEF_CENTER, 0.0, 1.0, pair.center)
        return normal_prior(
            shares, center, _fraction(right, "give or take", Key.BELIEF_WIDTH, 0.01, 0.5, 0.1)
        )
    if kind == BETA:
        return beta_prior(shares, *(_count(at, name) for at, name in ((left, "a"), (right, "b"))))
    label = f"probability of {share(pair.p_i)}"
    return pair_prior(pair, n, _fraction(left, label, Key.BELIEF_WEIGHT, 0.01, 0.99, 0.5))


def in_code() -> str:
    """The chosen prior as Python, for the page's script."""
    state = st.session_state
    priors = {
        UNIFORM: "uniform_prior(shares)",
        BELL: f"normal_prior(shares, {state.get(Key.BELIEF_CENTER)}, "
        f"{state.get(Key.BELIEF_WIDTH)})",
        BETA: f"beta_prior(shares, {state.get(Key.BELIEF_A)}, {state.get(Key.BELIEF_B)})",
        PAIR: f"pair_prior(fit.pair, n, {state.get(Key.BELIEF_WEIGHT)})",
    }
    return f"dp.attacks.posterior.{priors[state[Key.BELIEF_PRIOR]]}"


def _fraction(
    place: DeltaGenerator, label: str, key: str, low: float, high: float, default: float
) -> float:
    return place.slider(
        label, low, high, default, 0.01, format="percent", key=key, persist_state="session"
    )


def _count(place: DeltaGenerator, name: str) -> float:
    return place.number_input(
        name, 0.01, 1e6, 4.0, 1.0, format="%g", key=f"belief_{name}", persist_state="session"
    )
