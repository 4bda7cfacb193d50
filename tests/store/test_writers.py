"""Twenty writers at once, in one process and in several: nothing is lost, on either database."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from distpriv.store import Store, all_decisions, ledger, one_decision, open_store, propose, record
from tests.examples import alternative
from tests.store.writers import EACH, beginning, entry, work_in_threads

NAMES = [f"writer {place}" for place in range(20)]


def shared(store: Store) -> str:
    first = propose(
        store,
        author="first",
        reason="start",
        data="people.csv",
        digest="shared",
        alternatives=[alternative()],
        chosen="now",
    )
    return first.key


def check(store: Store, key: str) -> None:
    wanted = {(name, turn) for name in NAMES for turn in range(EACH)}
    proposed = Counter(
        (each.now.author, int(each.now.reason.split()[1])) for each in all_decisions(store, "d")
    )
    assert proposed == Counter(wanted)
    released = Counter((each.author, int(each.note.split()[1])) for each in ledger(store))
    assert released == Counter(wanted)
    # Everybody has read what was there before they wrote, so the last text holds all of them.
    decision = one_decision(store, key)
    assert [each.version for each in decision.revisions] == list(range(1, len(wanted) + 2))
    assert Counter(decision.now.reason.split("\n")[1:]) == Counter(
        f"{name} {turn}" for name, turn in wanted
    )
    for before, after in zip(decision.revisions, decision.revisions[1:], strict=False):
        assert after.reason.startswith(before.reason + "\n" + after.author)


def test_twenty_threads(store: Store, url: str) -> None:
    key = shared(store)
    assert work_in_threads(url, key, NAMES) > 0  # they did get in each other's way
    check(store, key)


def test_twenty_writers_in_two_processes(store: Store, url: str) -> None:
    key = shared(store)
    processes = [beginning(url, key, NAMES[place::2]) for place in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0] * 2
    check(store, key)


def test_twenty_who_open_an_empty_database_at_once(url: str) -> None:
    """Each with connections of its own, so that all of them make the tables."""
    stores = [Store(open_store(url).url) for _ in NAMES]
    with ThreadPoolExecutor(len(stores)) as pool:
        list(pool.map(lambda each: record(each, entry("at once")), stores))
    assert len(ledger(stores[0])) == len(NAMES)
    for each in stores:
        each.close()


def test_a_release_is_recorded_once_however_often_it_is_sent(store: Store) -> None:
    one = entry("somebody")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: record(store, one), range(8)))
    assert len(ledger(store)) == 1
