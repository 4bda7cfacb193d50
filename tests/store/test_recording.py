"""Releases under limits: what fits is in, and of twenty at once no more than fit."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from distpriv.errors import LimitError, StoreError
from distpriv.store import Budget, Store, Terms, check, ledger, limits, record, recording
from tests.store.limited import SCENARIO, agreed, all_release, release, sources

NAMES = [f"writer {place}" for place in range(20)]
ROOT = Path(__file__).parents[2]
FITTING = 4


def room_for(store: Store, count: int) -> Terms:
    """Terms under which just so many releases fit, by the check itself."""
    limit = agreed(store, Terms(accuracy=0.99, budget=Budget(90.0, 1e-3)))
    one, known = release(), sources()
    after = [
        check(limit, [replace(one, token=str(place)) for place in range(many)], None, known)
        for many in (count, count + 1)
    ]
    ends = [{use.measure: use.after for use in each.uses} for each in after]
    assert ends[0]["budget"] < ends[1]["budget"]
    terms = Terms(budget=Budget((ends[0]["budget"] + ends[1]["budget"]) / 2, 1e-3))
    agreed(store, terms, version=1)
    return terms


def still_fits(store: Store) -> None:
    (limit,) = limits(store, "d")
    made = ledger(store, "d")
    assert len(made) == FITTING
    assert check(limit, made, None, sources()).fits


def test_twenty_threads_of_whom_four_fit(store: Store, url: str) -> None:
    room_for(store, FITTING)
    assert all_release(url, NAMES) == len(NAMES) - FITTING
    still_fits(store)


def test_twenty_writers_in_two_processes(store: Store, url: str) -> None:
    room_for(store, FITTING)
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.store.limited", url, *NAMES[place::2]],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for place in range(2)
    ]
    refused = [int(process.communicate(timeout=120)[0]) for process in processes]
    assert sum(refused) == len(NAMES) - FITTING
    still_fits(store)


def test_what_changes_between_the_check_and_the_write_is_checked_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that is agreed on, and a release that is made, in the moment in between."""
    known, check_all = sources(), recording.check_all
    moments = [
        lambda: agreed(store, Terms(accuracy=0.999)),
        lambda: agreed(store, Terms(accuracy=0.51), version=1),
    ]

    def late(*arguments: object) -> object:
        found = check_all(*arguments)  # type: ignore[arg-type]
        if len(moments) == 1:
            moments.pop()()
        return found

    monkeypatch.setattr(recording, "check_all", late)
    moments.pop(0)()
    with pytest.raises(LimitError, match="more than the agreed 51"):
        record(store, release(epsilon=2.0), known)
    assert ledger(store) == []


def test_a_release_of_others_in_between_is_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    room_for(store, 1)
    known, check_all = sources(), recording.check_all
    once = threading.Event()

    def late(*arguments: object) -> object:
        found = check_all(*arguments)  # type: ignore[arg-type]
        if not once.is_set():
            once.set()
            record(store, release("somebody else"), known)
        return found

    monkeypatch.setattr(recording, "check_all", late)
    with pytest.raises(LimitError):
        record(store, release("late"), known)
    assert [entry.author for entry in ledger(store)] == ["somebody else"]


def test_without_the_table_a_limit_cannot_be_checked(store: Store) -> None:
    record(store, release())
    agreed(store, Terms(accuracy=0.9))
    with pytest.raises(LimitError, match="give the table"):
        record(store, release())
    record(store, release(epsilon=0.01), sources())
    # A lifted limit limits nothing.
    agreed(store, Terms(), version=1)
    record(store, release())
    assert len(ledger(store)) == 3


def test_another_secret_s_limit_holds_as_well(store: Store) -> None:
    agreed(store, Terms(accuracy=0.55), scenario=replace(SCENARIO, width=0.3))
    with pytest.raises(LimitError, match=r"rich = yes, 35.% against 65.%"):
        record(store, release(epsilon=0.5), sources())
    # The same secret and pairs of another table are not limited.
    other = release(epsilon=0.5, scenario=replace(SCENARIO, digest="another table"))
    record(store, other, sources())


def test_what_somebody_has_seen_counts_whatever_the_limit(store: Store) -> None:
    agreed(store, Terms(accuracy=0.51))
    seen = release("seen", epsilon=3.0)
    with pytest.raises(LimitError, match="Beyond the limit on rich = yes"):
        record(store, seen, sources())
    record(store, seen, out=True)
    record(store, seen, sources())  # it is there
    with pytest.raises(LimitError, match="exceeded already"):
        record(store, release(epsilon=0.001), sources())
    assert [entry.author for entry in ledger(store)] == ["seen"]


def test_a_busy_ledger_is_a_sentence(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_still", lambda *_: False)
    monkeypatch.setattr(recording, "_ROUNDS", 3)
    with pytest.raises(StoreError, match="busy with releases"):
        record(store, release())
    assert ledger(store) == []
