"""The ways into a room: to open one, to lead one that is open, or to join with its code."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import streamlit as st

from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.banner import banner
from distpriv.dashboard.shell.state import Key
from distpriv.errors import StoreError
from distpriv.store import rooms
from distpriv.words import escape

__all__ = ["CODE", "NO_DATABASE", "Leading", "come_in", "joined", "leading", "leave", "student"]

CODE = "room"  # the address's parameter
NO_DATABASE = "Until then no room can be opened or joined, for a room is kept in the database."


@dataclass(frozen=True)
class Leading:
    """The room that the session leads, and its key."""

    code: str
    key: str


def leading() -> Leading | None:
    """The room that is led here."""
    room: Leading | None = st.session_state.get(Key.ROOM_LED)
    return room


def joined() -> str:
    """Code of the room that was joined here, by its link or by hand; empty if none was.

    A link of another room takes one there; one that leads nowhere ends in a sentence.
    """
    state = st.session_state
    asked = rooms.normal_code(st.query_params.get(CODE, ""))
    if asked and asked != state.get(Key.ROOM_ASKED):
        _join(asked)
        state[Key.ROOM_ASKED] = asked  # after it: joining again does no harm
    return str(state.get(Key.ROOM_JOINED) or "")


def student() -> str:
    """Who this session is to a room: a random token, and no name."""
    return str(st.session_state.setdefault(Key.ROOM_STUDENT, secrets.token_hex(16)))


def leave(side: str) -> None:
    """Forget the room that is led, or joined, here: `Key.ROOM_LED` or `Key.ROOM_JOINED`."""
    st.session_state.pop(side, None)


def come_in() -> None:
    """Join a room, or open one."""
    storage.ask(lambda store: rooms.find_room(store, ""))
    banner(NO_DATABASE)
    _said()
    left, right = st.columns(2, gap="large", border=True)
    with left:
        st.header("Join a room")
        with st.form("room_join", border=False):
            st.text_input("Code", key=Key.ROOM_CODE, max_chars=12, placeholder="six signs")
            st.form_submit_button("Join", type="primary", on_click=_join_typed)
        st.caption("No name is asked for, and none is kept.")
    with right:
        st.header("Open a room")
        st.markdown(
            "For a class: you show the code, everybody joins by phone, gets releases of their own "
            "and guesses; the guesses come together on your screen."
        )
        st.button("Open a room", key="room_open", icon=":material/meeting_room:", on_click=_open)
        with st.expander("Lead a room that is open"), st.form("room_lead", border=False):
            st.text_input("Code of the room", key=Key.ROOM_LED_CODE, max_chars=12)
            st.text_input("Its key", key=Key.ROOM_KEY, max_chars=40, type="password")
            st.form_submit_button("Lead it", on_click=_lead)


def _said() -> None:
    if notice := st.session_state.pop(Key.ROOM_SAID, ""):
        st.error(escape(notice), icon=":material/error:")


def _join_typed() -> None:
    _join(rooms.normal_code(st.session_state[Key.ROOM_CODE]))


def _join(code: str) -> None:
    state = st.session_state
    try:
        if not code:
            raise StoreError("A code has six letters and digits; type the one on the screen.")
        state[Key.ROOM_JOINED] = storage.keep(rooms.join, code, student()).code
    except StoreError as error:
        state.pop(Key.ROOM_JOINED, None)
        state[Key.ROOM_SAID] = str(error)


def _open() -> None:
    state = st.session_state
    # A second click may cut this short once the room is there; it then finds the same room.
    key = state.setdefault(Key.ROOM_OPENING, rooms.new_key())
    try:
        state[Key.ROOM_LED] = Leading(storage.keep(rooms.open_room, key).code, key)
    except StoreError as error:
        state[Key.ROOM_SAID] = str(error)
    else:
        state.pop(Key.ROOM_OPENING, None)


def _lead() -> None:
    state = st.session_state
    code, key = rooms.normal_code(state[Key.ROOM_LED_CODE]), state[Key.ROOM_KEY].strip()
    try:
        state[Key.ROOM_LED] = Leading(storage.keep(rooms.lead, code, key).code, key)
    except StoreError as error:
        state[Key.ROOM_SAID] = str(error)
