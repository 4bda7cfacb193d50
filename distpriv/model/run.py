"""Work that grows: a little at a time, with what has come in so far, stopped and gone on with.

What takes long is a generator that says after every piece of work how far it is. A :class:`Run`
takes it as far as a budget allows, from a page, a report or a notebook alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Generic, TypeVar

from distpriv.errors import DistprivError

__all__ = ["Progress", "Run", "completed", "repeated"]

T = TypeVar("T")
Piece = TypeVar("Piece")


@dataclass(frozen=True)
class Progress(Generic[T]):
    """How far some work is.

    Attributes
    ----------
    done, wanted : int
        Pieces of work; it is over when all that is wanted is done.
    result : callable
        Gives what has come in so far, or None if that is nothing yet.
    doing : str
        What is under way, for a sentence.
    """

    done: int
    wanted: int
    result: Callable[[], T | None]
    doing: str = ""


def repeated(
    work: Callable[[int], Piece],
    wanted: int,
    collect: Callable[[list[Piece]], T | None],
    doing: str = "",
) -> Iterator[Progress[T]]:
    """Pieces of work number 0, 1, …, wanted - 1, and what `collect` makes of those that are in."""
    pieces: list[Piece] = []
    for index in range(wanted):
        pieces.append(work(index))
        yield Progress(index + 1, wanted, partial(collect, pieces), doing)


def completed(steps: Iterator[Progress[T]]) -> T:
    """Do all of the work and return its result; raises what the work raises."""
    for progress in steps:
        last = progress
    result = last.result()
    assert result is not None
    return result


class Run(Generic[T]):
    """Work in the making.

    Neither the budgets nor stopping change what comes out. Two threads may ask for steps at the
    same time, as the last and the next run of a page do: one waits for the other.

    Parameters
    ----------
    begin : callable
        Gives the generator of the work.
    key : object
        What the work is made from; another key is another run.

    Attributes
    ----------
    stopped : bool
        Whether it is to rest; to be set by whoever stops it or goes on with it.
    failure : str
        Why it cannot go on, or empty.
    elsewhere : bool
        Whether others do the work, so that a step only waits for them.
    """

    elsewhere = False

    def __init__(self, begin: Callable[[], Iterator[Progress[T]]], key: object = None) -> None:
        self.begin = begin
        self.key = key
        self.stopped = False
        self.failure = ""
        self._steps: Iterator[Progress[T]] | None = None
        self._progress: Progress[T] = Progress(0, 0, lambda: None)
        self._collected: tuple[Progress[T], T | None] | None = None
        self._over = False
        self._lock = Lock()

    @property
    def done(self) -> int:
        """Pieces of work that are done."""
        return self._progress.done

    @property
    def wanted(self) -> int:
        """Pieces of work in all; 0 before the first step."""
        return self._progress.wanted

    @property
    def share_done(self) -> float:
        """Between 0 and 1."""
        return self.done / self.wanted if self.wanted else 0.0

    @property
    def doing(self) -> str:
        """What is under way."""
        return self._progress.doing

    @property
    def running(self) -> bool:
        """Whether it is to go on."""
        return not (self.stopped or self.failure or self._over)

    @property
    def finished(self) -> bool:
        """Whether everything is done."""
        return self._over

    def result(self) -> T | None:
        """What has come in so far, or None if that is nothing yet."""
        progress = self._progress
        if self._collected is None or self._collected[0] is not progress:
            self._collected = (progress, progress.result())
        return self._collected[1]

    def step(self, budget_seconds: float, pause: Callable[[], float] = lambda: 0.0) -> None:
        """Work until the budget is spent, at least one piece; an error ends in :attr:`failure`.

        Parameters
        ----------
        budget_seconds : float
        pause : callable
            Called between two pieces; gives the seconds that it took, which are no work, and ends
            the step by raising.
        """
        until = time.perf_counter() + budget_seconds
        with self._lock:
            while self.running:
                self._advance()
                if time.perf_counter() >= until:
                    return
                until += pause()

    def _advance(self) -> None:
        try:
            if self._steps is None:
                self._steps = self.begin()
            self._progress = next(self._steps)
            self._over = self._progress.done >= self._progress.wanted
        except StopIteration:
            self._over = True
        except DistprivError as error:
            self.failure = str(error)

    def extend(self) -> None:
        """Go on with work that is over, since its generator has come to want more of it."""
        self._over = False
