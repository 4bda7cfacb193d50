"""The cache keeps what was used last, level by level."""

from __future__ import annotations

import pickle
from threading import Event, Thread
from time import sleep

import pytest

from distpriv.analysis import Cache


def test_cache_keeps_the_last_used_of_each_level():
    cache, computed = Cache(), []

    def make(place):
        return cache(("groups", place), lambda: computed.append(place) or place)

    for place in range(8):
        make(place)
    cache(("other", 0), lambda: None)
    make(0)  # used again, so 1 is the oldest
    make(8)
    computed.clear()
    assert [make(0), make(8), make(1)] == [0, 8, 1]
    assert computed == [1]


def test_computation_may_ask_for_others():
    cache = Cache()
    assert cache(("model",), lambda: cache(("groups",), lambda: 1) + 1) == 2


def test_two_scripts_compute_once():
    cache, computed = Cache(), []

    def make():
        sleep(0.02)
        computed.append(1)

    threads = [Thread(target=cache, args=(("model", 1), make)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert computed == [1]


def test_who_asks_for_something_else_does_not_wait():
    cache, asked, answered = Cache(2), Event(), Event()

    def slow():
        asked.set()
        assert answered.wait(10)

    thread = Thread(target=cache, args=(("model", 1), slow))
    thread.start()
    assert asked.wait(10)
    for place in range(17):
        assert cache(("groups", place), lambda place=place: place) == place
    answered.set()
    thread.join()
    assert cache.get(("groups", 0)) is None
    assert cache.get(("groups", 1)) == 1
    with pytest.raises(ZeroDivisionError):
        cache(("model", 2), lambda: 1 // 0)
    assert cache(("model", 2), lambda: 2) == 2


def test_neither_cache_nor_evaluation_is_pickled(now):
    for one in (now, Cache()):
        with pytest.raises(TypeError, match="session"):
            pickle.dumps(one)
