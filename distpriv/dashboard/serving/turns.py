"""Who computes now: pages one after another, and long work takes turns in between.

A Python process computes one thing at a time, whoever asks. Pages that are computed side by side
would all come late, so they come in the order in which they were asked for; one that has to wait
for something else lets the next ones pass. Of the work that grows on pages at most some pieces run
at once, and none while a page is being computed; unless pages never stop, for then it still goes
on, more slowly. Whose work has had the least time goes first: by start-time fair queueing (Goyal,
Vin and Cheng, IEEE/ACM Transactions on Networking 5(5), 1997), so that long pieces are dearer than
short ones, and who rests saves up nothing. Work of a session that has gone is not asked for any
more, and ends with it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from itertools import count

__all__ = ["Turns", "everybodys"]

_LOOK = 0.05  # seconds between two looks whether somebody still waits
_PATIENCE = 1.5  # seconds after which long work goes on beside pages
_PASSING = 0.6  # seconds after which a page is computed beside another one


class Turns:
    """Turns of the long work, and the pages that go before it.

    Parameters
    ----------
    most : int, at least 1
        Pieces of long work at once.
    patience : float
        Seconds for which pages may keep long work from going on.
    passing : float
        Seconds for which one page may keep another one from being computed.
    clock : callable, optional
        Gives seconds.
    """

    def __init__(
        self,
        most: int = 1,
        patience: float = _PATIENCE,
        passing: float = _PASSING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._patience = patience
        self._passing = passing
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int]] = []
        self._asked = count()
        self._started = 0.0  # the start of the piece begun last, in seconds of work of one session
        self._spent: dict[Hashable, float] = {}
        self._working = 0
        self._pages: deque[object] = deque()
        self._last = -patience
        self._own = threading.local()

    @property
    def waiting(self) -> int:
        """How many wait for a turn."""
        return len(self._waiting)

    @contextmanager
    def page(self) -> Iterator[None]:
        """While a page is computed, which somebody waits for; after those asked for before it."""
        ticket = object()
        with self._changed:
            self._pages.append(ticket)
            self._changed.wait_for(lambda: self._pages[0] is ticket, timeout=self._passing)
        self._own.page = True
        try:
            yield
        finally:
            self._own.page = False
            with self._changed:
                self._pages.remove(ticket)
                self._changed.notify_all()

    @contextmanager
    def long(
        self, who: Hashable = None, look: Callable[[int], object] = lambda _: None
    ) -> Iterator[None]:
        """While a piece of long work is done, once it is its turn.

        The first piece that a page itself shows is part of that page, and waits for nobody.

        Parameters
        ----------
        who : hashable
            The session whose work it is.
        look : callable
            Called now and then while it waits, with how many go before it; what it raises ends the
            waiting.
        """
        if getattr(self._own, "page", False):
            yield
            return
        start = self._wait(who, look)
        began = self._clock()
        try:
            yield
        finally:
            with self._changed:
                self._working -= 1
                self._last = self._clock()
                self._spent[who] = start + self._last - began
                self._changed.notify_all()

    def pause(self, look: Callable[[], object]) -> float:
        """Within long work, let the pages that were asked for meanwhile pass.

        Parameters
        ----------
        look : callable
            Called now and then, at least once; what it raises ends the work.

        Returns
        -------
        float
            Seconds that it took.
        """
        look()
        if getattr(self._own, "page", False):
            return 0.0
        began = self._clock()
        while self._pages and self._clock() - began < self._patience:
            with self._changed:
                self._changed.wait(_LOOK)
            look()
        return self._clock() - began

    def _wait(self, who: Hashable, look: Callable[[int], object]) -> float:
        with self._changed:
            start = max(self._spent.get(who, 0.0), self._started)
            ticket = (start, next(self._asked))
            self._waiting.append(ticket)
        try:
            while True:
                with self._changed:
                    before = sum(other < ticket for other in self._waiting) + self._working
                    if ticket == min(self._waiting) and self._free():
                        self._working += 1
                        self._started = start
                        # Who has had less than that is treated as whoever comes anew.
                        kept = {one: spent for one, spent in self._spent.items() if spent > start}
                        self._spent = kept
                        return start
                    self._changed.wait(_LOOK)
                look(before)
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _free(self) -> bool:
        if self._working >= self._most:
            return False
        return not self._pages or self._clock() - self._last >= self._patience


_EVERYBODYS = Turns()


def everybodys() -> Turns:
    """The turns of this process."""
    return _EVERYBODYS
