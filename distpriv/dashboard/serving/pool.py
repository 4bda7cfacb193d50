"""Whose turn it is: how many runs of pages and pieces of long work are under way at a time.

Threads that compute side by side take each other's time: Python runs one of them at once, and
whoever lets go waits for it anew. So runs of a page come one after another, sessions in turn;
pieces of long work come when nobody waits for a page.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from distpriv.errors import ServingError

__all__ = ["Pool", "everybodys", "workers"]

_LONG = 0.5  # seconds after which a run that has a turn no longer keeps others from theirs
_PATIENCE = 3.0  # seconds that a page waits at most
_LOOK = 0.05
_MOST_OWNERS = 10_000
_MOST_WORKERS = 256
_RECENT = 2.0  # seconds since its last piece for which long work counts as under way


def workers(text: str = "") -> int:
    """How many runs may be under way at once.

    Parameters
    ----------
    text : str
        As the owner has set it in ``DISTPRIV_WORKERS``; without it one less than the processors
        that this process may use, and at least one.

    Raises
    ------
    ServingError
        If it is no number from 1 to 256.
    """
    if not text.strip():
        return max(1, len(_processors()) - 1)
    if not text.strip().isdecimal() or not 1 <= int(text) <= _MOST_WORKERS:
        raise ServingError(
            f"DISTPRIV_WORKERS must be a number from 1 to {_MOST_WORKERS}, got {text[:80]!r}."
        )
    return int(text)


def _processors() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


@dataclass(eq=False)
class _Turn:
    owner: Hashable
    background: bool
    since: float


class Pool:
    """Gives turns, a bounded number at once, to the session that has waited longest for one.

    A run that has its turn for longer than `long` goes on, but no longer keeps others from theirs;
    of such there are as many as of the others. A page that has waited for `patience` begins all
    the same; long work never does.

    Parameters
    ----------
    most : int
        Turns at once.
    long, patience : float
        Seconds.
    clock : callable, optional
        Gives seconds.
    """

    def __init__(
        self,
        most: int,
        long: float = _LONG,
        patience: float = _PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most = most
        self._long, self._patience, self._clock = long, patience, clock
        self._changed = threading.Condition()
        self._taken: dict[int, _Turn] = {}
        self._waiting: list[_Turn] = []
        self._last: OrderedDict[Hashable, int] = OrderedDict()
        self._given = 0
        self._pieces: dict[Hashable, float] = {}

    @property
    def under_way(self) -> int:
        """Turns that are taken."""
        return len(self._taken)

    @property
    def awaited(self) -> int:
        """Who waits for one."""
        return len(self._waiting)

    @contextmanager
    def turn(
        self, owner: Hashable, *, background: bool = False, wait: float | None = None
    ) -> Iterator[bool]:
        """Wait for a turn, and have it; a thread that has one goes on with it.

        Parameters
        ----------
        owner : hashable
            The session.
        background : bool
            Whether it is a piece of long work, which pages go before.
        wait : float, optional
            Seconds to wait at most, instead of the pool's patience.

        Yields
        ------
        bool
            Whether the turn has come; a page's always does.
        """
        held = self._taken.get(threading.get_ident())
        if held is not None:
            yield True
            return
        given = self._take(owner, background, self._patience if wait is None else wait)
        try:
            yield given
        finally:
            if given:
                self._give_back()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let others have the turn while this thread waits for something else."""
        held = self._taken.get(threading.get_ident())
        if held is None:
            yield
            return
        self._give_back()
        try:
            yield
        finally:
            self._take(held.owner, False, self._patience)

    def pace(self) -> float:
        """How many times slower long work ticks, so that all of it together leaves time to pages.

        At least 1.
        """
        with self._changed:
            now = self._clock()
            self._pieces = {owner: at for owner, at in self._pieces.items() if now - at < _RECENT}
            return max(1.0, len(self._pieces) / self.most)

    def _take(self, owner: Hashable, background: bool, wait: float) -> bool:
        until = self._clock() + wait
        asked = _Turn(owner, background, 0.0)
        with self._changed:
            if background:
                self._pieces[owner] = self._clock()
            self._waiting.append(asked)
            try:
                while not self._comes(asked):
                    left = until - self._clock()
                    if left <= 0:
                        if background:
                            return False
                        break
                    self._changed.wait(min(_LOOK, left))
            finally:
                self._waiting.remove(asked)
            asked.since = self._clock()
            self._taken[threading.get_ident()] = asked
            self._given += 1
            self._last[owner] = self._given
            self._last.move_to_end(owner)
            if len(self._last) > _MOST_OWNERS:
                self._last.popitem(last=False)
            self._changed.notify_all()
            return True

    def _give_back(self) -> None:
        with self._changed:
            del self._taken[threading.get_ident()]
            self._changed.notify_all()

    def _comes(self, asked: _Turn) -> bool:
        now = self._clock()
        short = sum(now - turn.since < self._long for turn in self._taken.values())
        beyond = max(0, len(self._taken) - short - self.most)
        if short + beyond >= self.most:
            return False
        last = self._last
        first = min(self._waiting, key=lambda turn: (turn.background, last.get(turn.owner, 0)))
        return asked is first


@cache
def everybodys() -> Pool:
    """The server's pool.

    Raises
    ------
    ServingError
        As `workers`.
    """
    return Pool(workers(os.environ.get("DISTPRIV_WORKERS", "")))
