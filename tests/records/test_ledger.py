"""What is true of releases, on SQLite and on PostgreSQL."""

from uuid import uuid4

import pytest

from distpriv.errors import StoreError
from distpriv.records import decisions as d, ledger as l
from distpriv.records.store import Store

SCENARIO = {"format": "distpriv scenario", "guesses": 60}
TABLE = l.Naming("Staff", "f1", "staff.csv", ("age", "left"))
BODY = {
    "scenario": SCENARIO,
    "way": "OptM",
    "record": {},
    "review": "2099-01-01",
    "limits": [{"secret": {"low": 0.2}, "epsilon": 0.0, "delta": 0.2, "guesses": 60.0}],
}


@pytest.fixture
def store(tmp_path):
    return Store(f"sqlite:///{tmp_path}/r.sqlite", seconds=4)


def released(store, naming=TABLE, **more):
    values = {"token": uuid4().hex, "kind": "noise", "author": "Ana", "scenario": SCENARIO, "way": "OptM",
              "draw": lambda s: {"values": [1.5]}, "reason": "Urgent"}  # fmt: skip
    return l.release(store, naming, **values | more)


def test_quick(store):
    one = d.propose(store, TABLE, token="p", author="Ana", reason="R", body=BODY)
    assert d.propose(store, TABLE, token="p", author="Ana", reason="R", body=BODY) == one
    with pytest.raises(StoreError, match="Someone other than Ana"):
        d.answer(store, one.key, 1, author=" a\u200bna", act="agreed")
    d.answer(store, one.key, 1, author="Bo", act="agreed")
    entry = released(store, reason="")
    assert entry.decision == one.key and l.releases(store, " STAFF ") == [entry]
    assert l.standing(store, "staff").limits == tuple(BODY["limits"])
    c = l.Choice({"low": 0.1}, (2, 1), "id")
    ranks = ([b"aa", b"bb"], [b"cc"])
    with pytest.raises(StoreError, match="give the secret away"):
        released(store, kind="balanced", choice=c, ranks=ranks)
    other = l.Naming("B", "f2", "b", ())
    assert len(l.take_name(store, other).key) == 32
    released(store, other, kind="balanced", choice=c, ranks=ranks)
    assert l.standing(store, "b").ranks == ranks
    assert [k.name for k in l.tables(store)] == ["B", "Staff"]
