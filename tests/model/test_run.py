"""Work that grows: however it is cut up and stopped, the same comes of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.errors import AttackError, DistprivError
from distpriv.model import run as run_module
from distpriv.model.run import Progress, Run, completed, repeated


def squares(wanted: int) -> Iterator[Progress[list[int]]]:
    return repeated(lambda index: index**2, wanted, lambda pieces: list(pieces), "squaring")


@pytest.fixture(autouse=True)
def clock():
    """A clock that moves by one at every look."""
    with patch("distpriv.model.run.time", SimpleNamespace(perf_counter=count().__next__)):
        yield


@given(
    wanted=st.integers(1, 40),
    budgets=st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=60),
)
def test_neither_budgets_nor_stopping_change_what_comes_out(wanted, budgets) -> None:
    run = Run(lambda: squares(wanted), key="squares")
    assert (run.done, run.wanted, run.share_done, run.result()) == (0, 0, 0.0, None)
    for budget, stopped in budgets:
        before, over = run.done, run.finished
        run.stopped = stopped
        run.step(budget)
        # A look at the clock after every piece: as many as the budget has units, at least one.
        expected = before if stopped or over else min(before + max(1, budget), wanted)
        assert run.done == expected
        if run.done:
            assert run.wanted == wanted
            assert run.share_done == run.done / wanted
            assert run.doing == "squaring"
            assert run.result() == [index**2 for index in range(run.done)]
        assert run.finished == (run.done == wanted)
        assert run.running == (not stopped and not run.finished)
    run.stopped = False
    run.step(1e9)
    assert run.finished
    assert not run.running
    assert run.result() == completed(squares(wanted)) == [index**2 for index in range(wanted)]


def test_between_two_pieces_others_may_pass_and_that_is_no_work() -> None:
    run, pauses = Run(lambda: squares(9)), []

    def pause() -> float:
        pauses.append(run.done)
        run_module.time.perf_counter()  # a second
        return 1.0

    run.step(4, pause)
    assert run.done == 4
    assert pauses == [1, 2, 3]

    def click() -> float:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        run.step(100, click)
    assert run.done == 5
    run.step(100)  # nothing is held by who has left
    assert run.finished


@given(at=st.integers(0, 5), budget=st.integers(0, 9))
def test_what_cannot_go_on_says_why_and_keeps_what_is_in(at, budget) -> None:
    def work(index: int) -> int:
        if index == at:
            raise AttackError("Too few records; take more.")
        return index

    run = Run(lambda: repeated(work, 9, lambda pieces: list(pieces)))
    while run.running:
        run.step(budget)
    assert run.failure == "Too few records; take more."
    assert (run.done, run.finished) == (at, False)
    assert run.result() == (list(range(at)) if at else None)
    run.step(5)
    assert run.done == at
    with pytest.raises(AttackError, match="Too few records"):
        completed(run.begin())


def test_what_cannot_even_begin_says_why() -> None:
    def begin() -> Iterator[Progress[int]]:
        raise DistprivError("There is nothing to do it with.")

    run = Run(begin)
    run.step(1)
    assert run.failure == "There is nothing to do it with."


def test_an_error_that_is_not_the_user_s_is_not_hidden() -> None:
    run = Run(lambda: repeated(lambda _: 1 // 0, 3, lambda pieces: pieces))
    with pytest.raises(ZeroDivisionError):
        run.step(1)


def test_a_result_is_made_once_for_what_is_in() -> None:
    made = []

    def collect(pieces: list[int]) -> list[int]:
        made.append(len(pieces))
        return list(pieces)

    run = Run(lambda: repeated(int, 6, collect))
    run.step(3)
    assert run.result() is run.result()
    run.step(3)
    assert run.result() == list(range(6))
    assert made == [3, 6]


def test_work_that_comes_to_want_more_goes_on_from_what_is_done() -> None:
    wanted, pieces = [2], list[int]()

    def begin() -> Iterator[Progress[list[int]]]:
        while len(pieces) < wanted[0]:
            pieces.append(len(pieces))
            yield Progress(len(pieces), wanted[0], lambda: pieces)

    run = Run(begin)
    run.step(100)
    assert run.finished
    wanted[0] = 5
    run.extend()
    assert run.running
    run.step(100)
    assert run.finished
    assert run.result() == [0, 1, 2, 3, 4]
    run.extend()  # with nothing more to do
    run.step(100)
    assert run.finished


def test_the_runs_of_two_page_turns_do_not_meddle() -> None:
    """Streamlit begins the next run of a page while the last one is in the middle of a step."""

    def work(index: int) -> int:
        time.sleep(1e-4)
        return index

    run = Run(lambda: repeated(work, 60, lambda pieces: list(pieces)))
    errors = []

    def turn() -> None:
        try:
            while run.running:
                run.step(2)
        except ValueError as error:  # a generator that is already executing
            errors.append(error)

    turns = [threading.Thread(target=turn) for _ in range(4)]
    for thread in turns:
        thread.start()
    for thread in turns:
        thread.join()
    assert not errors
    assert run.result() == list(range(60))
