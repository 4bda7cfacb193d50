"""Pages in order, long work in turns between them, and nobody waits without end."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from distpriv.dashboard.serving.turns import Turns


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def begun(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def until(seen: Callable[[], bool]) -> None:
    looked = threading.Event()
    for _ in range(2000):
        if seen():
            return
        looked.wait(0.005)
    raise AssertionError("it never came to that")


def test_long_work_is_bounded_and_goes_by_who_came_first() -> None:
    turns, order, go = Turns(most=2), [], threading.Event()
    now = most = 0
    lock = threading.Lock()

    def work(name: int) -> None:
        nonlocal now, most
        with turns.long():
            with lock:
                now += 1
                most = max(most, now)
                order.append(name)
            go.wait(10)
            with lock:
                now -= 1

    threads = []
    for name in range(6):
        threads.append(begun(lambda name=name: work(name)))
        until(lambda name=name: len(order) + turns.waiting == name + 1)
    assert order == [0, 1]
    assert turns.waiting == 4
    go.set()
    for thread in threads:
        thread.join(10)
    assert order == list(range(6))
    assert most == 2
    assert turns.waiting == 0


def test_a_session_that_has_had_its_turn_stands_behind_the_others() -> None:
    """Two that never stop, and one that comes once: it waits for one piece of each at most."""
    clock, order, over = Clock(), [], threading.Event()
    turns = Turns(clock=clock)

    def busy(name: str) -> None:
        while not over.is_set():
            with turns.long(name):
                until(lambda: turns.waiting or over.is_set())
                order.append(name)
                clock.now += 1

    with turns.long("first"):
        threads = [begun(lambda name=name: busy(name)) for name in ("one", "two")]
        until(lambda: turns.waiting == 2)
    until(lambda: len(order) > 20)
    asked = len(order)
    with turns.long("once"):
        assert len(order) - asked <= 3
    over.set()
    for thread in threads:
        thread.join(10)
    assert abs(order[:20].count("one") - 10) <= 1


def test_long_pieces_are_dearer_than_short_ones() -> None:
    """Pieces of a second and of a tenth: both have the same time, and not as many turns."""
    clock, over, had = Clock(), threading.Event(), {"long": 0.0, "short": 0.0}
    turns = Turns(clock=clock)

    def busy(name: str, seconds: float) -> None:
        while not over.is_set():
            with turns.long(name):
                until(lambda: turns.waiting == 1 or over.is_set())
                clock.now += seconds
                had[name] += seconds

    with turns.long("first"):
        threads = [
            begun(lambda name=name, seconds=seconds: busy(name, seconds))
            for name, seconds in (("long", 1.0), ("short", 0.1))
        ]
        until(lambda: turns.waiting == 2)
    until(lambda: sum(had.values()) > 60)
    over.set()
    for thread in threads:
        thread.join(10)
    assert abs(had["long"] - had["short"]) < 2.5


def test_who_rests_saves_up_nothing() -> None:
    """Whoever comes after one that was long alone shares with it, and does not go before it."""
    clock, order, over = Clock(), [], threading.Event()
    turns = Turns(clock=clock)

    def busy(name: str) -> None:
        while not over.is_set():
            with turns.long(name):
                until(lambda: turns.waiting == 1 or over.is_set())
                order.append(name)
                clock.now += 1

    for _ in range(50):
        with turns.long("alone"):
            clock.now += 1
    with turns.long("first"):
        threads = [begun(lambda name=name: busy(name)) for name in ("alone", "rested")]
        until(lambda: turns.waiting == 2)
    until(lambda: len(order) > 30)
    over.set()
    for thread in threads:
        thread.join(10)
    assert abs(order[:30].count("rested") - 15) <= 2


def test_pages_go_before_long_work_but_not_for_ever() -> None:
    clock = Clock()
    turns, done = Turns(patience=5, clock=clock), []
    with turns.long():
        pass
    with turns.page():
        thread = begun(lambda: _once(turns, done))
        until(lambda: turns.waiting == 1)
        assert not done
        clock.now += 4.9
        thread.join(0.2)
        assert not done
        clock.now += 0.2  # pages have kept it long enough
        thread.join(10)
        assert done
    done.clear()
    _once(turns, done)
    assert done


def _once(turns: Turns, done: list[int]) -> None:
    with turns.long():
        done.append(1)


def test_what_a_page_itself_shows_first_waits_for_nobody() -> None:
    turns, done = Turns(), []
    with turns.page():
        _once(turns, done)
    assert done == [1]


def test_pages_come_in_order_and_pass_one_that_stands_still() -> None:
    turns, order, go = Turns(passing=60), [], threading.Event()

    def page(name: int) -> None:
        with turns.page():
            order.append(name)
            go.wait(10)

    threads = []
    for name in range(4):
        threads.append(begun(lambda name=name: page(name)))
        until(lambda name=name: len(turns._pages) == name + 1)
    until(lambda: order == [0])
    go.set()
    for thread in threads:
        thread.join(10)
    assert order == [0, 1, 2, 3]
    # One that waits for a database does not hold up who comes after it.
    quick = Turns(passing=0.01)
    with quick.page():
        thread = begun(lambda: _page(quick, order))
        thread.join(10)
        assert order[-1] == -1


def _page(turns: Turns, order: list[int]) -> None:
    with turns.page():
        order.append(-1)


def test_who_clicks_while_waiting_waits_no_longer() -> None:
    """As a run of a page is cut short: by what the look raises."""
    turns, looks = Turns(), []

    class ClickError(Exception):
        pass

    def look(before: int) -> None:
        assert before == 1
        looks.append(1)
        if len(looks) == 3:
            raise ClickError

    with turns.long():
        cut = []

        def work() -> None:
            with pytest.raises(ClickError), turns.long(look=look):
                cut.append("done")
            cut.append("clicked")

        begun(work).join(10)
        assert cut == ["clicked"]
        assert turns.waiting == 0
    done: list[int] = []
    _once(turns, done)  # nothing is left of it
    assert done


def test_pages_pass_between_two_pieces_of_long_work_but_not_for_ever() -> None:
    clock = Clock()
    turns, looks = Turns(patience=5, clock=clock), []

    def look() -> None:
        looks.append(1)
        clock.now += 1

    with turns.page():  # its own first picture is part of it
        assert turns.pause(look) == 0.0
    asked, go = threading.Event(), threading.Event()

    def page() -> None:
        with turns.page():
            asked.set()
            go.wait(10)

    with turns.long():
        assert turns.pause(lambda: None) == 0.0
        threads = [begun(page)]
        assert asked.wait(10)
        looks.clear()
        assert turns.pause(look) == 5.0  # pages that never stop keep it no longer
        assert len(looks) == 6
        threads.append(begun(lambda: turns.pause(lambda: None)))
        go.set()
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()
        with pytest.raises(ZeroDivisionError):  # who clicks ends it
            turns.pause(lambda: 1 // 0)


def test_what_fails_gives_its_turn_back() -> None:
    turns, done = Turns(), []
    for turn in (turns.long, turns.page):
        with pytest.raises(ZeroDivisionError), turn():
            raise ZeroDivisionError
    _once(turns, done)
    assert done
