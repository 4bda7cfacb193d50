"""Turns: how many at once, in which order, and what a long one keeps others from."""

from __future__ import annotations

import threading

import pytest

from distpriv.dashboard.serving.pool import Pool, workers
from distpriv.errors import ServingError

LONG = 60.0  # seconds for which nothing in these tests lasts


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Runner:
    """A thread that takes a turn and has it until it is let go."""

    def __init__(self, pool, owner, log, **how):
        self.name, self._go, self.given = owner, threading.Event(), None
        self.begun = threading.Event()

        def run():
            with pool.turn(owner, **how) as self.given:
                log.append(owner)
                self.begun.set()
                assert self._go.wait(LONG)

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def end(self):
        self._go.set()
        self.thread.join(LONG)
        assert not self.thread.is_alive()


def until(condition):
    """Wait for what other threads are about to do."""
    for _ in range(2000):
        if condition():
            return
        threading.Event().wait(0.005)
    raise AssertionError("it has not come about")


def queue(pool, log, *owners, **how):
    """Runners that wait, in this order."""
    waiting = []
    for owner in owners:
        before = pool.awaited
        waiting.append(Runner(pool, owner, log, **how))
        until(lambda before=before: pool.awaited > before)
    return waiting


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_than_so_many_are_under_way(most):
    pool, log = Pool(most, long=LONG, patience=LONG), []
    runners = [Runner(pool, owner, log) for owner in "abcdef"]
    for done in range(len(runners)):
        until(lambda done=done: len(log) >= min(done + most, len(runners)))
        assert len(log) == min(done + most, len(runners))
        assert pool.under_way <= most
        next(each for each in runners if each.name == log[done]).end()
    assert pool.under_way == pool.awaited == 0


def test_sessions_take_turns_however_much_one_of_them_asks_for():
    pool, log = Pool(1, long=LONG, patience=LONG), []
    first = Runner(pool, "busy", log)
    first.begun.wait(LONG)
    waiting = queue(pool, log, "busy", "busy", "busy", "other")
    first.end()
    until(lambda: len(log) == 2)
    assert log == ["busy", "other"]
    waiting[-1].end()
    for each in waiting:
        each.end()


def test_long_work_waits_for_pages_and_gives_up():
    pool, log = Pool(1, long=LONG, patience=LONG), []
    page = Runner(pool, "a", log)
    page.begun.wait(LONG)
    with pool.turn("work", background=True, wait=0.02) as given:
        assert not given
    assert pool.awaited == 0
    (work,) = queue(pool, log, "work", background=True, wait=LONG)
    (later,) = queue(pool, log, "b")
    page.end()
    until(lambda: len(log) == 2)
    assert log == ["a", "b"]
    later.end()
    work.begun.wait(LONG)
    assert work.given
    work.end()


def test_one_that_lasts_no_longer_keeps_others_from_their_turn():
    clock = Clock()
    pool, log = Pool(1, long=1.0, patience=LONG, clock=clock), []
    long = Runner(pool, "long", log)
    long.begun.wait(LONG)
    (short,) = queue(pool, log, "short")
    clock.now = 2.0
    short.begun.wait(LONG)
    assert pool.under_way == 2
    # Of such there are as many as of others: a third waits though both have lasted.
    clock.now = 4.0
    (third,) = queue(pool, log, "third")
    assert not third.begun.wait(0.2)
    long.end()
    assert third.begun.wait(LONG)
    short.end()
    third.end()


def test_a_page_that_has_waited_long_begins_all_the_same():
    pool = Pool(1, long=LONG, patience=0.02)
    holding = Runner(pool, "a", [])
    holding.begun.wait(LONG)
    with pool.turn("b") as given:
        assert given
        assert pool.under_way == 2
    holding.end()
    assert pool.under_way == 0


def test_a_turn_is_one_for_all_that_its_thread_does_and_goes_with_an_error():
    pool = Pool(1, long=LONG, patience=LONG)
    with pool.turn("a"):
        with pool.turn("a", background=True) as given:
            assert given
            assert pool.under_way == 1
        assert pool.under_way == 1
    assert pool.under_way == 0
    with pytest.raises(KeyError), pool.turn("a"):
        raise KeyError
    assert pool.under_way == 0


def test_who_waits_for_something_else_lets_others_go_on():
    pool, log = Pool(1, long=LONG, patience=LONG), []
    with pool.turn("a"):
        with pool.aside():
            other = Runner(pool, "b", log)
            assert other.begun.wait(LONG)
            other.end()
        assert pool.under_way == 1
    with pool.aside():  # without a turn there is nothing to let go
        assert pool.under_way == 0


def test_the_more_work_goes_on_the_rarer_it_ticks():
    clock = Clock()
    pool = Pool(2, clock=clock)
    assert pool.pace() == 1
    for owner in range(6):
        with pool.turn(owner, background=True):
            pass
    assert pool.pace() == 3
    clock.now = 60.0
    assert pool.pace() == 1


def test_workers_are_a_number_or_what_the_machine_has():
    assert workers() >= 1
    assert workers(" 3 ") == 3
    for text in ("0", "-1", "two", "1.5", "257", "³"):
        with pytest.raises(ServingError, match="DISTPRIV_WORKERS must be a number from 1 to 256"):
            workers(text)
