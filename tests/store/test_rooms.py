"""Rooms of a class: who may do what, forty phones at once, and what is gone after a day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from distpriv.errors import StoreError
from distpriv.store import Store, open_store, rooms
from distpriv.store.rooms import Guess, Room, Round

CLASS = [f"student {place}" for place in range(40)]


@pytest.fixture(autouse=True)
def nobody_has_knocked() -> Iterator[None]:
    rooms._wrong.clear()
    yield
    rooms._wrong.clear()


def begun(store: Store, *students: str) -> tuple[Room, str]:
    room = rooms.open_room(store, key := rooms.new_key())
    for student in students:
        rooms.join(store, room.code, student)
    return rooms.begin_round(store, room.code, key, 1, Round(100)), key


def said(student: str, number: int = 1, value: int = 1) -> Guess:
    return Guess(number, student, value, 1, 0)


def test_a_class_of_forty_at_once(store: Store, url: str) -> None:
    """All join and guess in threads, each twice, while the projector reads."""
    room = rooms.open_room(store, key := rooms.new_key())
    assert room == Room(room.code, (), revealed=True)

    def student(name: str) -> list[bool]:
        mine = open_store(url)
        for _ in range(2):
            rooms.join(mine, room.code, name)
        counted = []
        for _ in range(3):
            rooms.find_room(mine, room.code)
            counted.append(rooms.guess(mine, room.code, said(name)))
        return counted

    rooms.begin_round(store, room.code, key, 1, Round(100, 1.0))
    with ThreadPoolExecutor(len(CLASS) + 1) as pool:
        projector = pool.submit(lambda: [rooms.guesses(store, room.code) for _ in range(10)])
        counted = list(pool.map(student, CLASS))
    assert counted == [[True, False, False]] * len(CLASS)
    found = rooms.guesses(store, room.code)
    assert Counter(each.number for each in found) == {0: len(CLASS), 1: len(CLASS)}
    assert {each.student for each in found} == set(CLASS)
    assert all(len(seen) <= len(found) for seen in projector.result())
    assert [each.number for each in rooms.guesses(store, room.code, CLASS[3])] == [0, 1]


def test_only_who_has_joined_guesses_and_only_while_the_round_is_open(store: Store) -> None:
    room, key = begun(store, "ann")
    assert room.open
    assert not rooms.guess(store, room.code, said("stranger"))
    assert not rooms.guess(store, room.code, said("ann", number=2))
    assert rooms.guess(store, room.code, said("ann"))
    assert not rooms.reveal(store, room.code, key).open
    rooms.join(store, room.code, "late")
    assert not rooms.guess(store, room.code, said("late"))
    # A click that is sent twice begins one round, and none begins while another is open.
    for _ in range(2):
        again = rooms.begin_round(store, room.code, key, 2, Round(400, 2.0))
        assert again.rounds == (Round(100), Round(400, 2.0))
    assert rooms.begin_round(store, room.code, key, 3, Round(100)) == again
    assert rooms.guess(store, room.code, said("late", number=2))


def test_nobody_leads_a_room_without_its_key(store: Store) -> None:
    room, key = begun(store)
    assert rooms.lead(store, room.code, key) == room
    for act in (rooms.lead, rooms.reveal, rooms.close_room):
        with pytest.raises(StoreError, match="no room with that code and key"):
            act(store, room.code, "a guess")
    with pytest.raises(StoreError, match="no room with that code and key"):
        rooms.begin_round(store, room.code, "", 2, Round(100))
    assert rooms.find_room(store, room.code) == room
    rooms.close_room(store, room.code, key)
    assert rooms.find_room(store, room.code) is None
    assert rooms.guesses(store, room.code) == []


def test_wrong_codes_are_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    room = rooms.open_room(store, rooms.new_key())
    for _ in range(rooms.MOST_WRONG):
        with pytest.raises(StoreError, match="There is no room CCCCCC"):
            rooms.join(store, "CCCCCC", "ann")
    with pytest.raises(StoreError, match="Too many wrong codes"):
        rooms.join(store, room.code, "ann")
    now = rooms.time.monotonic()
    monkeypatch.setattr(rooms.time, "monotonic", lambda: now + rooms.PAUSE + 1)
    assert rooms.join(store, room.code, "ann") == room


def test_rooms_and_seats_are_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MOST_STUDENTS", 2)
    monkeypatch.setattr(rooms, "MOST_ROOMS", 1)
    monkeypatch.setattr(rooms, "MOST_ROUNDS", 1)
    room, key = begun(store, "ann", "bob", "ann")
    with pytest.raises(StoreError, match="The room is full"):
        rooms.join(store, room.code, "cem")
    with pytest.raises(StoreError, match="rooms are open already"):
        rooms.open_room(store, rooms.new_key())
    assert rooms.open_room(store, key).code == room.code
    rooms.reveal(store, room.code, key)
    with pytest.raises(StoreError, match="rounds at most"):
        rooms.begin_round(store, room.code, key, 2, Round(100))


def test_a_room_is_gone_after_a_day(store: Store) -> None:
    room, _ = begun(store, "ann")
    with store.writing() as session:
        session.get(rooms.RoomRow, room.code).at = datetime.now(UTC) - timedelta(hours=25)
    assert rooms.find_room(store, room.code) is None
    with pytest.raises(StoreError, match="There is no room"):
        rooms.join(store, room.code, "bob")
    rooms.open_room(store, rooms.new_key())
    with store.reading() as session:
        assert session.get(rooms.RoomRow, room.code) is None
    assert rooms.guesses(store, room.code) == []


def test_a_code_is_read_however_it_is_typed() -> None:
    codes = {rooms._new_code() for _ in range(300)}
    assert len(codes) == 300
    for code in codes:
        assert rooms.normal_code(f" {code[:3].lower()}-{code[3:]} ") == code
    for typed in ("", "<b>", "aeiou 0158", "C" * 99):
        assert set(rooms.normal_code(typed)) <= set(rooms.LETTERS)
        assert len(rooms.normal_code(typed)) <= rooms.LENGTH + 1
