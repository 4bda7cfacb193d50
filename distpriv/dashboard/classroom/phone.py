"""A room on a student's phone: a release of their own in every round, and two buttons."""

from __future__ import annotations

import streamlit as st

from distpriv.charts.guessing import one_release
from distpriv.dashboard.classroom.doors import NO_DATABASE, joined, leave, student
from distpriv.dashboard.classroom.rounds import named, of_round
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.banner import banner
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.tour.attacker import LABELS, SHARES, UNITS
from distpriv.dashboard.widgets import display
from distpriv.errors import StoreError
from distpriv.store import Room, rooms
from distpriv.words import escape

__all__ = ["phone"]

_TICK = 2.0  # seconds; forty phones ask


def phone() -> None:
    """The room as it stands for whoever has joined it."""
    code, me = joined(), student()
    room = storage.ask(lambda store: rooms.find_room(store, code))
    banner(NO_DATABASE)
    if room is None:
        if not storage.trouble():
            st.markdown(f"Room **{code}** is closed.")
        _away()
        return
    mine = storage.ask(lambda store: rooms.guesses(store, code, me)) or []
    said = {each.number: each for each in mine if each.number}
    st.markdown(f"Room **{code}**")
    number = len(room.rounds)
    if not number:
        st.markdown("You are in. The first round begins when your teacher starts it.")
    elif room.revealed:
        _revealed(room, said)
    elif number in said:
        st.markdown(
            f"## You said {SHARES[said[number].said]}\nNow wait for the others; the answer "
            "comes when your teacher shows it."
        )
    else:
        _ask(room)
    _watch(room)
    _away()


def _ask(room: Room) -> None:
    number = len(room.rounds)
    of = of_round(room.rounds[-1])
    seen = of.draw(room.code, number, student())
    st.markdown(
        f"## Round {number}: 45\u00a0% or 55\u00a0%?\nAverages of {room.rounds[-1].records} "
        f"records, {named(room.rounds[-1])}. How many of them earn more than 50K?"
    )
    row = st.container(horizontal=True)
    for group, name in enumerate(SHARES):
        row.button(
            name,
            key=f"room_say_{group}",
            type="primary",
            width="stretch",
            on_click=_say,
            args=(room.code, rooms.Guess(number, student(), group, seen.share, seen.best)),
        )
    display.chart(one_release(of.fit, seen.released, LABELS, UNITS), "room_release")


def _revealed(room: Room, said: dict[int, rooms.Guess]) -> None:
    last = said.get(len(room.rounds))
    if last is None:
        st.markdown("## You said nothing in this round")
    elif last.said == last.share:
        st.markdown(f"## :green-badge[:material/check: right] It was {SHARES[last.share]}")
    else:
        st.markdown(f"## :red-badge[:material/close: not so] It was {SHARES[last.share]}")
    if last is not None:
        st.markdown(f"The best attacker there can be says {SHARES[last.best]} here.")
    if said:
        right = sum(each.said == each.share for each in said.values())
        best = sum(each.best == each.share for each in said.values())
        st.markdown(
            f"So far you were right in **{right} of {len(said)}**, the best attacker would have "
            f"been in **{best}**."
        )


def _watch(room: Room) -> None:
    """Draw the page again as soon as the room has changed."""

    @st.fragment(run_every=_TICK)
    def look() -> None:
        now = storage.ask(lambda store: rooms.find_room(store, room.code))
        if now != room and not storage.trouble():
            st.rerun()

    look()


def _say(code: str, guess: rooms.Guess) -> None:
    try:
        storage.keep(rooms.guess, code, guess)
    except StoreError as error:
        st.session_state[Key.NOTICE] = escape(error)


def _away() -> None:
    st.button(
        "Leave the room", key="room_leave", type="tertiary", on_click=leave, args=(Key.ROOM_JOINED,)
    )
