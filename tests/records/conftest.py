"""Fixtures: an empty database of each kind, and what the tests propose and release."""

import threading
from uuid import uuid4

import pytest

from distpriv.errors import StoreError
from distpriv.records import decisions as d, ledger as l
from distpriv.records.store import Store

SCENARIO = {"format": "distpriv scenario", "version": 1, "guesses": 55.0}
SECRET = {"secret": {"column": "left", "values": [True]}, "low": 0.2, "high": 0.3}
LIMIT = {"secret": SECRET, "epsilon": 0.0, "delta": 0.2, "guesses": 60.0}
BODY = {
    "scenario": SCENARIO,
    "way": "OptM",
    "record": {},
    "review": "2999-01-01",
    "limits": [LIMIT],
}
TABLE = l.Naming("Staff", "f1", "staff.csv", ("age", "left"))
NEWER = l.Naming("Staff", "f2", "staff.csv", ("age", "left"), newer=True)
OTHER = l.Naming("Other", "f9", "other.csv", ("x",))
CHOICE = l.Choice(SECRET, (2, 1), "id")
RANKS = ([b"aa", b"bb"], [b"cc"])


def draw(standing):
    return {"values": [len(standing.releases) + 0.5]}


def released(store, naming=TABLE, **more):
    values = {"token": uuid4().hex, "kind": "noise", "author": "Ana", "scenario": SCENARIO}
    return l.release(
        store, naming, **values | {"way": "OptM", "draw": draw, "reason": "Urgent"} | more
    )


def balanced(store, naming=TABLE, **more):
    return released(store, naming, **{"kind": "balanced", "choice": CHOICE, "ranks": RANKS} | more)


def proposed(store, naming=TABLE, body=BODY, **more):
    values = {"token": uuid4().hex, "author": "Ana", "reason": "Least error"}
    return d.propose(store, naming, body=body, **values | more)


def agreed(store, naming=TABLE, body=BODY, author="Bo"):
    return d.answer(store, proposed(store, naming, body).key, 1, author=author, act="agreed")


def at_once(act, times):
    """What an act gives in so many threads that begin at once; errors stand in their place."""
    results, start = [], threading.Barrier(times)

    def one(number):
        start.wait()
        try:
            results.append(act(number))
        except StoreError as error:
            results.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def sql(url, command):
    """Run a command in a database of the server."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        done = connection.execute(command)
        return done.fetchall() if done.description else []


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'records.sqlite'}"
    return request.getfixturevalue("database")


@pytest.fixture
def database(server):
    """A server's database without records."""
    names = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'distpriv%'"
    for (name,) in sql(server, names):
        sql(server, f"DROP TABLE {name}")
    return server


@pytest.fixture
def store(url):
    return Store(url, seconds=4)
