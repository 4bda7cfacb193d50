"""Rooms of a class: who has joined with a code, and what they guess, for a day.

Unlike the rest of the database a room is changed as it goes on, and removed in the end. No name is
kept: a student is a random token of a browser's session.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import JSON, String, delete, func, inspect, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from distpriv.errors import StoreError
from distpriv.store.engine import Store
from distpriv.store.failures import TakenError
from distpriv.store.models import Base, Moment

__all__ = [
    "Guess",
    "Room",
    "Round",
    "begin_round",
    "close_room",
    "find_room",
    "guess",
    "guesses",
    "join",
    "lead",
    "new_key",
    "normal_code",
    "open_room",
    "reveal",
]

LETTERS = "CDFHJKMNPRTVWXY3479"
"""Of codes: no two that look or sound alike, and no vowel, so that no code is a word."""

LENGTH, MOST_ROOMS, MOST_STUDENTS, MOST_ROUNDS = 6, 50, 200, 40
LASTS = timedelta(days=1)
MOST_WRONG, PAUSE = 100, 60.0
"""Wrong codes in so many seconds, of everybody together, after which none is looked up."""


class RoomRow(Base):
    """A room, as it stands."""

    __tablename__ = "rooms"

    code: Mapped[str] = mapped_column(String(8), primary_key=True)
    key: Mapped[str] = mapped_column(String(32))
    at: Mapped[datetime] = mapped_column(Moment)
    rounds: Mapped[list[list[float | None]]] = mapped_column(JSON)
    revealed: Mapped[bool]


class GuessRow(Base):
    """What somebody guessed in a round, once; round 0 is that they have joined."""

    __tablename__ = "guesses"

    code: Mapped[str] = mapped_column(String(8), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    student: Mapped[str] = mapped_column(String(32), primary_key=True)
    said: Mapped[int]
    share: Mapped[int]
    best: Mapped[int]


@dataclass(frozen=True)
class Round:
    """What is released in a round.

    Attributes
    ----------
    records : int
    epsilon : float or None
        None for no noise.
    """

    records: int
    epsilon: float | None = None


@dataclass(frozen=True)
class Room:
    """A room at one moment.

    Attributes
    ----------
    code : str
    rounds : tuple of Round
        Begun so far.
    revealed : bool
        Whether the last of them is over.
    """

    code: str
    rounds: tuple[Round, ...]
    revealed: bool

    @property
    def open(self) -> bool:
        """Whether the last round takes guesses."""
        return bool(self.rounds) and not self.revealed


@dataclass(frozen=True)
class Guess:
    """What somebody said in a round.

    Attributes
    ----------
    number : int
        Of the round, from 1 on; 0 for that they have joined.
    student : str
    said, share, best : int
        0 or 1: what they said, what it was, and what the best attacker says.
    """

    number: int
    student: str
    said: int
    share: int
    best: int


def normal_code(typed: str) -> str:
    """A code as it is kept, however it was typed."""
    return "".join(sign for sign in typed.upper() if sign in LETTERS)[: LENGTH + 1]


def new_key() -> str:
    """A key with which a room is led, of 16 random hexadecimal digits."""
    return secrets.token_hex(8)


def open_room(store: Store, key: str) -> Room:
    """The room that is led with a key, new unless it is open; rooms of yesterday are removed.

    Parameters
    ----------
    store : Store
    key : str
        From `new_key`: who asks twice, because the first answer was lost, opens one room.

    Raises
    ------
    StoreError
        If too many are open, or the database fails.
    """
    with store.exclusive("rooms") as session:
        _remove(session, *session.scalars(select(RoomRow.code).where(RoomRow.at < _oldest())))
        if (led := session.scalar(select(RoomRow).where(RoomRow.key == key))) is not None:
            return _room(led)
        taken = set(session.scalars(select(RoomRow.code)))
        if len(taken) >= MOST_ROOMS:
            raise StoreError(
                f"{MOST_ROOMS} rooms are open already; close one, or wait until tomorrow."
            )
        code = _new_code()
        while code in taken:
            code = _new_code()
        row = RoomRow(code=code, key=key, at=datetime.now(UTC), rounds=[], revealed=True)
        session.add(row)
        return _room(row)


def find_room(store: Store, code: str) -> Room | None:
    """A room as it stands; None where there is none, or no longer.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with store.reading() as session:
        row = _row(session, code)
        return None if row is None else _room(row)


def lead(store: Store, code: str, key: str) -> Room:
    """The room of a code, for whoever has its key.

    Raises
    ------
    StoreError
        If there is none with that key, or the database fails.
    """
    with _door(), store.reading() as session:
        return _room(_led(session, code, key))


def begin_round(store: Store, code: str, key: str, number: int, what: Round) -> Room:
    """Begin a round, after the one before was revealed; one that has begun stays as it is.

    Parameters
    ----------
    store : Store
    code, key : str
    number : int
        Of the round, from 1 on: a click that is sent twice begins one round.
    what : Round

    Raises
    ------
    StoreError
        If there have been too many, the key is wrong, or the database fails.
    """
    with store.writing() as session:
        row = _led(session, code, key)
        if number == len(row.rounds) + 1 and row.revealed:
            if number > MOST_ROUNDS:
                raise StoreError(f"A room has {MOST_ROUNDS} rounds at most; open another.")
            row.rounds = [*row.rounds, [what.records, what.epsilon]]
            row.revealed = False
        return _room(row)


def reveal(store: Store, code: str, key: str) -> Room:
    """End the round: no more guesses; raises StoreError as `begin_round`."""
    with store.writing() as session:
        row = _led(session, code, key)
        row.revealed = True
        return _room(row)


def close_room(store: Store, code: str, key: str) -> None:
    """Remove a room and all its guesses; raises StoreError as `begin_round`."""
    with store.writing() as session:
        _remove(session, _led(session, code, key).code)


def join(store: Store, code: str, student: str) -> Room:
    """Join a room; whoever has joined is in it already.

    Raises
    ------
    StoreError
        If there is no such room, it is full, too many wrong codes were tried, or the database
        fails.
    """
    with _door(), suppress(TakenError), store.writing() as session:
        row = _row(session, code, change=True)
        if row is None:
            raise _WrongCodeError(
                f"There is no room {code[:LENGTH]}; check the code. Rooms close after a day."
            )
        inside = GuessRow.code == code, GuessRow.number == 0
        if session.scalar(select(GuessRow.code).where(*inside, GuessRow.student == student)):
            return _room(row)
        if (session.scalar(select(func.count()).where(*inside)) or 0) >= MOST_STUDENTS:
            raise StoreError(f"The room is full: {MOST_STUDENTS} have joined.")
        session.add(_joined(code, student))
        return _room(row)
    room = find_room(store, code)  # somebody with the same token came in at the same moment
    assert room is not None
    return room


def guess(store: Store, code: str, what: Guess) -> bool:
    """Put a guess in, the first of a student in a round; whether it counts.

    One that comes after the round, a second time, or from somebody who has not joined, does not.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with suppress(TakenError), store.writing() as session:
        row = _row(session, code, change=True)
        if row is None or row.revealed or what.number != len(row.rounds):
            return False
        if session.get(GuessRow, (code, 0, what.student)) is None:
            return False
        if session.get(GuessRow, (code, what.number, what.student)) is not None:
            return False
        session.add(
            GuessRow(
                code=code,
                number=what.number,
                student=what.student,
                said=what.said,
                share=what.share,
                best=what.best,
            )
        )
        session.flush()
        return True
    return False


def guesses(store: Store, code: str, student: str | None = None) -> list[Guess]:
    """Who has joined and all guesses, or those of one student, round by round.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with store.reading() as session:
        if not _there(session):
            return []
        query = select(GuessRow).where(GuessRow.code == code)
        if student is not None:
            query = query.where(GuessRow.student == student)
        rows = session.scalars(query.order_by(GuessRow.number, GuessRow.student))
        return [Guess(row.number, row.student, row.said, row.share, row.best) for row in rows]


class _WrongCodeError(StoreError):
    """There is no such room, or not with that key."""


_wrong: deque[float] = deque(maxlen=MOST_WRONG)
_knocking = threading.Lock()


@contextmanager
def _door() -> Iterator[None]:
    """Bound how often codes and keys are tried, by everybody whom this process serves."""
    with _knocking:
        if len(_wrong) == MOST_WRONG and time.monotonic() - _wrong[0] < PAUSE:
            raise StoreError("Too many wrong codes were tried; try again in a minute.")
    try:
        yield
    except _WrongCodeError:
        with _knocking:
            _wrong.append(time.monotonic())
        raise


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def _oldest() -> datetime:
    return datetime.now(UTC) - LASTS


def _there(session: Session) -> bool:
    return inspect(session.connection()).has_table(RoomRow.__tablename__)


def _row(session: Session, code: str, *, change: bool = False) -> RoomRow | None:
    """The row of a room that is open; with `change` nobody else changes it meanwhile."""
    if not _there(session):
        return None
    query = select(RoomRow).where(RoomRow.code == code, RoomRow.at >= _oldest())
    return session.scalar(query.with_for_update() if change else query)


def _led(session: Session, code: str, key: str) -> RoomRow:
    row = _row(session, code, change=True)
    if row is None or not secrets.compare_digest(row.key.encode(), key.encode()):
        raise _WrongCodeError("There is no room with that code and key; check both.")
    return row


def _room(row: RoomRow) -> Room:
    rounds = (Round(int(records or 0), epsilon) for records, epsilon in row.rounds)
    return Room(row.code, tuple(rounds), row.revealed)


def _joined(code: str, student: str) -> GuessRow:
    return GuessRow(code=code, number=0, student=student, said=0, share=0, best=0)


def _remove(session: Session, *codes: str) -> None:
    for row in (GuessRow, RoomRow):
        session.execute(delete(row).where(row.code.in_(codes)))
