"""A room on the projector: its code, the rounds, and the guesses as they come in."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode, urlsplit

import numpy as np
import streamlit as st

from distpriv.charts.guessing import pooled_guesses, releases_guessed
from distpriv.dashboard.classroom.doors import CODE, NO_DATABASE, Leading, leave
from distpriv.dashboard.classroom.rounds import NOISES, RECORDS, of_round, short
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.banner import banner
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.tour.attacker import LABELS, UNITS
from distpriv.dashboard.widgets import display
from distpriv.errors import StoreError
from distpriv.lessons.guessing import by_luck, rate
from distpriv.store import Room, Round, rooms
from distpriv.words import escape, percent

__all__ = ["projector"]

_TICK = 1.0  # seconds
_FEW = 5  # guesses, of which luck alone says nothing
_HERE = ("localhost", "127.0.0.1", "::1")


def projector(at: Leading) -> None:
    """The room that is led, its next round, and what has come in."""
    room = storage.ask(lambda store: rooms.find_room(store, at.code))
    banner(NO_DATABASE)
    if room is None:
        if not storage.trouble():
            st.markdown("The room is closed: rooms last a day.")
            st.button("To the classroom", key="room_gone", on_click=leave, args=(Key.ROOM_LED,))
        return
    _invite(at)
    _rounds(at, room)
    _incoming(room)
    if room.rounds and room.revealed:
        _clouds(room)
    _closing(at)


def _invite(at: Leading) -> None:
    link = f"{(st.context.url or '').partition('?')[0]}?{urlencode({CODE: at.code})}"
    code, address = st.columns([1, 2], vertical_alignment="center")
    code.metric("Code to join", at.code)
    with address:
        st.code(link, language=None, wrap_lines=True)
        if urlsplit(link).hostname in _HERE:
            st.caption(
                "This address works on this machine only. For phones start the dashboard with "
                "`distpriv --host 0.0.0.0` and open it by this machine's address in the network."
            )


def _rounds(at: Leading, room: Room) -> None:
    """The next round, or the end of the one that is open."""
    number = len(room.rounds)
    if room.open:
        st.button(
            "Reveal",
            key="room_reveal",
            type="primary",
            icon=":material/visibility:",
            on_click=_do,
            args=(partial(rooms.reveal, code=at.code, key=at.key),),
        )
        return
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        noise = st.segmented_control(
            "Noise of the next round",
            list(NOISES),
            default=next(iter(NOISES)),
            required=True,
            key="room_noise",
        )
        records = st.segmented_control(
            "Records in a release", RECORDS, default=RECORDS[0], required=True, key="room_records"
        )
        what = Round(int(records), NOISES[noise])
        st.button(
            f"Start round {number + 1}",
            key="room_start",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_do,
            args=(
                partial(rooms.begin_round, code=at.code, key=at.key, number=number + 1, what=what),
            ),
        )


def _incoming(room: Room) -> None:
    """The guesses, pooled as they come in."""

    @st.fragment(run_every=_TICK)
    def pooled() -> None:
        found = storage.ask(lambda store: rooms.guesses(store, room.code)) or []
        inside = sum(not each.number for each in found)
        st.markdown(_so_far(room, found, inside))
        if not room.rounds:
            return
        rows = []
        for number, what in enumerate(room.rounds, 1):
            these = [each for each in found if each.number == number]
            right = sum(each.said == each.share for each in these)
            name = f"{number}: {short(what)}, {what.records}"
            interval = rate(right, len(these))
            rows.append((name, interval, len(these), of_round(what).accuracy))
        display.chart(pooled_guesses(rows), "room_pooled")

    pooled()


def _so_far(room: Room, found: list[rooms.Guess], inside: int) -> str:
    joined = f"**{inside}** {'has' if inside == 1 else 'have'} joined."
    if not room.rounds:
        return f"{joined} Start the first round when everybody is in."
    these = [each for each in found if each.number == len(room.rounds)]
    right = sum(each.said == each.share for each in these)
    best = of_round(room.rounds[-1]).accuracy
    if not these:
        return (
            f"{joined} Nobody has guessed yet. The best attacker there can be is right in "
            f"{percent(best)} of cases; tossing a coin is right in 50\u00a0%."
        )
    were = "are right so far" if room.open else "were right"
    said = (
        f"{joined} **{right} of {len(these)}** guesses {were}; the best attacker there can be is "
        f"right in {percent(best)} of cases"
    )
    if len(these) < _FEW:
        return f"{said}."
    low, high = by_luck(len(these))
    return f"{said}, and tossing coins gets {low} to {high} of {len(these)}, nineteen times of 20."


def _clouds(room: Room) -> None:
    """Every release of the last round in the cloud that it is from."""
    number, of = len(room.rounds), of_round(room.rounds[-1])
    found = storage.ask(lambda store: rooms.guesses(store, room.code)) or []
    these = [each for each in found if each.number == number]
    if not these:
        return
    released = [of.draw(room.code, number, each.student).released for each in these]
    display.chart(
        releases_guessed(
            of.fit,
            np.array(released),
            [each.share for each in these],
            [each.said == each.share for each in these],
            LABELS,
            UNITS,
        ),
        "room_clouds",
    )


def _closing(at: Leading) -> None:
    row = st.container(horizontal=True)
    with row.popover("Key of the room", icon=":material/key:"):
        st.markdown("With it you lead this room from another browser, or after a reload.")
        st.code(at.key, language=None)
    row.button(
        "Close the room",
        key="room_close",
        icon=":material/close:",
        help="It and its guesses are removed.",
        on_click=_close,
        args=(at,),
    )


def _do(what: partial[Room]) -> None:
    try:
        storage.keep(lambda store: what(store))
    except StoreError as error:
        st.session_state[Key.NOTICE] = escape(error)


def _close(at: Leading) -> None:
    try:
        storage.keep(rooms.close_room, at.code, at.key)
    except StoreError as error:
        st.session_state[Key.NOTICE] = escape(error)
        return
    leave(Key.ROOM_LED)
