"""Be the attacker: ten releases, one at a time, then the score beside the best possible one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from distpriv.charts.guessing import one_release, releases_guessed
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.tour import predicting
from distpriv.dashboard.widgets import display
from distpriv.lessons import Course
from distpriv.lessons.course import NAMES, PAIR, PLANE, RECORDS
from distpriv.lessons.guessing import ROUNDS, Game, Seen, by_luck, game
from distpriv.words import percent, share

__all__ = ["LABELS", "SHARES", "UNITS", "forget", "outcome", "play"]

LABELS = tuple(f"average {NAMES[place]}" for place in PLANE)
UNITS = ("years", "years")
SHARES = (share(PAIR.p_i), share(PAIR.p_j))


@dataclass
class _Play:
    """A game under way: its seed, and what was said so far."""

    seed: str = field(default_factory=lambda: secrets.token_hex(8))
    said: list[int] = field(default_factory=list)

    def seen(self, of: Game) -> list[Seen]:
        return [of.draw(self.seed, place) for place in range(len(self.said))]


def play(number: int, course: Course) -> None:
    """The release that is to be told next, until all have been."""
    at, of = _under_way(), game(course)
    with st.container(border=True):
        st.markdown(
            f"**You are the attacker.** {ROUNDS} releases of {RECORDS} records, one at a time: "
            f"{LABELS[0]} and {LABELS[1]}. Each is from records with {SHARES[0]} or with "
            f"{SHARES[1]} high earners, by the toss of a coin. Which is it?"
        )
        place = len(at.said)
        _last(at, of)
        seen = of.draw(at.seed, place)
        st.markdown(f"Release **{place + 1} of {ROUNDS}**")
        row = st.container(horizontal=True)
        for group, name in enumerate(SHARES):
            row.button(
                name,
                key=f"tour_say_{group}",
                type="primary",
                on_click=_say,
                args=(number, group),
            )
        row.button("Show me", key=f"tour_show_{number}", on_click=predicting.reveal, args=(number,))
        display.chart(one_release(of.fit, seen.released, LABELS, UNITS), f"tour_play_{place}")
    link("classroom", "Play it with a class, on their phones", icon=":material/groups_2:")


def outcome(course: Course) -> None:
    """The score, and the releases in the clouds that they are from; nothing if none was told."""
    at, of = _under_way(), game(course)
    if len(at.said) < ROUNDS:
        return
    seen = at.seen(of)
    right = [said == each.share for said, each in zip(at.said, seen, strict=True)]
    best = sum(each.best == each.share for each in seen)
    low, high = by_luck(ROUNDS)
    st.markdown(
        f"You told **{sum(right)} of {ROUNDS}** releases, the best attacker there can be "
        f"**{best}** of the same ones, and {percent(of.accuracy)} in the long run. By luck alone "
        f"it would be {low} to {high}, nineteen times of twenty."
    )
    display.chart(
        releases_guessed(
            of.fit,
            np.array([each.released for each in seen]),
            [each.share for each in seen],
            right,
            LABELS,
            UNITS,
        ),
        "tour_played",
    )


def forget() -> None:
    """Begin anew, with other releases."""
    st.session_state.pop(Key.TOUR_PLAY, None)


def _under_way() -> _Play:
    at: _Play = st.session_state.setdefault(Key.TOUR_PLAY, _Play())
    return at


def _last(at: _Play, of: Game) -> None:
    if at.said:
        was = at.seen(of)[-1].share
        word = ":green-badge[right]" if was == at.said[-1] else ":red-badge[not so]"
        st.markdown(f"{word} The last one was from {SHARES[was]}.")


def _say(number: int, group: int) -> None:
    at = _under_way()
    at.said.append(group)
    if len(at.said) == ROUNDS:
        predicting.reveal(number)
