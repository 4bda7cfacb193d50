"""How far a file is read is written beside the work, and never ends it."""

from __future__ import annotations

import threading
import time

import pytest
import streamlit as st

from distpriv.dashboard.shell import progress
from distpriv.dashboard.shell.state import Key


class Place:
    """Keeps what is written at it, and which thread wrote it."""

    def __init__(self) -> None:
        self.written: list[tuple[float, str]] = []
        self.threads: set[int] = set()
        self.emptied = 0

    def progress(self, share: float, text: str) -> None:
        self.written.append((share, text))
        self.threads.add(threading.get_ident())

    def empty(self) -> None:
        self.emptied += 1
        self.threads.add(threading.get_ident())


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    kept = Place()
    monkeypatch.setattr(st, "session_state", {Key.PROGRESS: kept})
    monkeypatch.setattr(progress, "_EVERY", 0.01)
    return kept


def test_a_large_file_is_told_from_another_thread(place: Place) -> None:
    with progress.shown("my*table.csv", 10**9) as watch:
        assert watch is not None
        for share in (0.25, 1.0):
            watch(share)
            until = time.monotonic() + 30
            while share not in [told for told, _ in place.written] and time.monotonic() < until:
                time.sleep(0.005)
    assert place.written[-1] == (1.0, "Reading my\\*table\\.csv: 100\u00a0%")
    assert [share for share, _ in place.written] == sorted(share for share, _ in place.written)
    assert place.emptied == 1
    assert threading.get_ident() not in place.threads


def test_it_goes_when_the_file_cannot_be_read(place: Place) -> None:
    with pytest.raises(ValueError, match="broken"), progress.shown("a.csv", 10**9):
        raise ValueError("broken")
    assert place.emptied == 1


def test_a_small_file_is_read_without(place: Place) -> None:
    with progress.shown("a.csv", 1000) as watch:
        assert watch is None
    assert not place.written
    assert not place.emptied
