"""The verdict, and the slider that says in right guesses what an attacker may achieve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.analysis.design import Limit
from distpriv.analysis.recommendation import Recommendation
from distpriv.analysis.verdict import of_hundred, right_of_hundred, verdict_in_words
from distpriv.dashboard.shell import putting
from distpriv.dashboard.shell.allowed import setting
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.places import Places
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import promise, recommended
from distpriv.dashboard.widgets.scenario import bold
from distpriv.words import escape, share

__all__ = ["draw", "follow"]

_FEWEST, _MOST = 51, 99


def follow(view: View) -> None:
    """Take the mechanism and the ε that the right guesses allowed ask for, if they were moved.

    What needs no noise keeps the ε it has; the sentence says that none is needed.
    """
    state = st.session_state
    wanted = state.get(Key.ALLOWED_WANTED)
    if wanted is None:
        return
    putting.put({Key.ALLOWED: wanted})
    found = recommended.searched(view, Limit("guesses", float(wanted)))
    choice = None if found is None else found.first
    before: dict[str, Any] = {
        Key.MECH: view.scenario.mechanism,
        Key.EPS: view.scenario.epsilon,
    }
    now = before
    if choice is not None:
        now = recommended.taken(choice.mechanism, choice.epsilon)
    mechanism, epsilon = now[Key.MECH], now[Key.EPS]
    state[Key.ALLOWED_HELD] = (mechanism, epsilon, wanted)
    state[Key.ALLOWED_AT] = replace(setting(view.scenario), mechanism=mechanism, epsilon=epsilon)
    if before != now:
        state[Key.PENDING] = now
    if said := state.get(Key.NOTICED):
        state[Key.NOTICE] = said
    # A page that was asked for during the search goes first: beginning anew would drop the click.
    st.empty()
    # Last: a run that is cut short before, by a click or a timer, leaves it to the next one.
    del state[Key.ALLOWED_WANTED]
    st.rerun()  # with nothing changed too: only then is it a step to go back to


def draw(view: View, places: Places) -> None:
    """The answer in two sentences, the slider below it, and what is promised."""
    assert places.verdict is not None
    assert places.allowed is not None
    state, now = st.session_state, setting(view.scenario)
    if Key.ALLOWED not in state or state.get(Key.ALLOWED_AT) != now:
        right = of_hundred(view.accuracy)
        putting.put({Key.ALLOWED: min(max(right, _FEWEST), _MOST)})
        state[Key.ALLOWED_AT] = now
    allowed = int(state[Key.ALLOWED])
    found = _recommendation(view)
    with places.verdict:
        if view.undefended * 100 <= allowed and not view.noise.is_zero:
            st.markdown(_needless(view, allowed))
        else:
            st.markdown(
                f"{verdict_in_words(view, found, strong=bold, safe=escape)} {promise.badge(view)}",
                help="An attacker knows everything but which of the two shares holds, sees one "
                "release, and names one of them; both are equally likely. The figures are those of "
                "the best attacker there can be, by the fitted model.",
            )
        _switch(view, found)
    _slider(places.allowed, view)


def _slider(place: DeltaGenerator, view: View) -> None:
    pair = view.fit.pair
    place.slider(
        "Right guesses you allow, of 100",
        _FEWEST,
        _MOST,
        key=Key.ALLOWED,
        on_change=_want,
        persist_state="session",
        help=f"How often an attacker may name the true share, {share(pair.p_i)} or "
        f"{share(pair.p_j)}. Tossing a coin gives 50. The slider takes the mechanism with the "
        "least error and the largest ε that keep to it.",
    )


def _want() -> None:
    if putting.is_echo(Key.ALLOWED):
        return
    st.session_state[Key.ALLOWED_WANTED] = int(st.session_state[Key.ALLOWED])


def _recommendation(view: View) -> Recommendation | None:
    """What to take where the attacker is left what this noise leaves them."""
    if view.noise.is_zero or view.undone or not 0.5 <= view.accuracy < 1:
        return None
    return recommended.searched(view, Limit("accuracy", view.accuracy))


def _switch(view: View, found: Recommendation | None) -> None:
    best = None if found is None else found.best
    if best is None or best.mechanism == view.scenario.mechanism or best.error >= view.error:
        return
    st.button(
        f"Take {best.mechanism}",
        icon=":material/done:",
        key="take_best",
        on_click=recommended.take,
        args=(best.mechanism, best.epsilon),
    )


def _needless(view: View, allowed: int) -> str:
    return (
        f"**Yes, as it is.** Even without noise an attacker guesses the share of "
        f"**{escape(view.fit.pair.secret.label)}** right only "
        f"**{right_of_hundred(view.undefended)}** times, no more than the {allowed} that you "
        "allow; tossing a coin gives 50. This is about the share alone, not about single persons."
    )
