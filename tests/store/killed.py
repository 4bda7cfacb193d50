"""Writes that are ended by ``kill -9`` at every statement, in processes of their own.

``python -m tests.store.killed URL`` begins a child for each point of each kind of write, has it end
itself there, and looks at what is left; it prints how often it did for each kind.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import make_url

from distpriv.analysis.person import Verified
from distpriv.analysis.workspace import Source, Workspace
from distpriv.errors import StoreError
from distpriv.store import (
    Store,
    Terms,
    agree,
    all_decisions,
    ledger,
    limits,
    one_decision,
    propose,
    record,
    revise,
    rooms,
    settle,
)
from distpriv.store.audit import check_trail, sign_out, signed_out
from distpriv.store.damage import is_damaged
from distpriv.store.models import SCHEMA
from distpriv.store.workspaces import forget_workspace, keep_workspace, new_key, open_workspace
from tests.examples import alternative
from tests.store.limited import SCENARIO, release, sources
from tests.store.writers import entry

ANN = Verified("https://id.example.org", "7", "ann@example.org", "analyst")
WORKSPACE = Workspace(scenario=SCENARIO, source=Source(title="people.csv"))
_numbers = count(1)


@dataclass(frozen=True)
class Kind:
    """A kind of write: what there has to be before it, the write, and whether it has been done."""

    prepare: Callable[[Store], Any]
    act: Callable[[Store, Any], Any]
    done: Callable[[Store, Any], bool]


def _proposed(store: Store, author: str = "Ann") -> str:
    return propose(
        store, author=author, reason="Enough.", data="people.csv", digest="d",
        alternatives=[alternative()], chosen="now",
    ).key  # fmt: skip


def _agreed(store: Store, digest: str) -> None:
    agree(
        store, 0, author="Ann", reason="Enough.", data="people.csv", digest=digest,
        scenario=replace(SCENARIO, digest=digest), terms=Terms(accuracy=0.9),
    )  # fmt: skip


def _limited(store: Store) -> tuple[Any, Any]:
    """A release of data that have a limit, and what it is checked with."""
    digest = f"limited {next(_numbers)}"
    _agreed(store, digest)
    scenario = replace(SCENARIO, digest=digest)
    return replace(release("Ann", scenario=scenario)), sources()


def _room(store: Store) -> tuple[str, str]:
    key = rooms.new_key()
    return rooms.open_room(store, key).code, key


def _begun(store: Store) -> tuple[str, str]:
    code, key = _room(store)
    rooms.join(store, code, "ann")
    rooms.begin_round(store, code, key, 1, rooms.Round(100))
    return code, key


def _kept(store: Store) -> str:
    key = new_key()
    keep_workspace(store, key, WORKSPACE)
    return key


def _there(store: Store, key: str) -> bool:
    try:
        return open_workspace(store, key) == WORKSPACE
    except StoreError:
        return False


def _released(store: Store, made: Any) -> bool:
    return any(each.token == made.token for each in ledger(store))


KINDS = {
    "propose": Kind(
        lambda _: f"author {next(_numbers)}",
        _proposed,
        lambda store, author: author in {row.author for row in _authors(store)},
    ),
    "revise": Kind(
        _proposed,
        lambda store, key: revise(
            store, key, 1, author="Ann", reason="So.", alternatives=[alternative()], chosen="now"
        ),
        lambda store, key: one_decision(store, key).now.version == 2,
    ),
    "settle": Kind(
        _proposed,
        lambda store, key: settle(store, key, 1, author="Bob", status="agreed"),
        lambda store, key: one_decision(store, key).now.status == "agreed",
    ),
    "agree": Kind(
        lambda _: f"data {next(_numbers)}",
        _agreed,
        lambda store, digest: len(limits(store, digest)) == 1,
    ),
    "record": Kind(lambda _: entry("Ann"), record, _released),
    "record under a limit": Kind(
        _limited,
        lambda store, what: record(store, *what),
        lambda store, what: _released(store, what[0]),
    ),
    "sign out": Kind(
        lambda _: f"mark {next(_numbers)}",
        lambda store, mark: sign_out(store, mark, "Ann", ANN),
        signed_out,
    ),
    "open a room": Kind(
        lambda _: rooms.new_key(),
        rooms.open_room,
        lambda store, key: _is_led(store, key),
    ),
    "guess": Kind(
        _begun,
        lambda store, at: rooms.guess(store, at[0], rooms.Guess(1, "ann", 1, 1, 0)),
        lambda store, at: any(each.number == 1 for each in rooms.guesses(store, at[0])),
    ),
    "close a room": Kind(
        _begun,
        lambda store, at: rooms.close_room(store, *at),
        lambda store, at: rooms.find_room(store, at[0]) is None,
    ),
    "keep a workspace": Kind(
        lambda _: new_key(), lambda store, key: keep_workspace(store, key, WORKSPACE), _there
    ),
    "forget a workspace": Kind(
        _kept, forget_workspace, lambda store, key: not _there(store, key)
    ),
}  # fmt: skip


def _authors(store: Store) -> list[Any]:
    return [each.now for each in all_decisions(store, "d")]


def _is_led(store: Store, key: str) -> bool:
    with store.reading() as session:
        found = session.query(rooms.RoomRow).filter_by(key=key).one_or_none()
        return found is not None


def end_at(store: Store, point: int) -> None:
    """Have this process killed so far into what it writes: before or after a statement, or at
    the end of a transaction. What it reads before that changes nothing."""
    passed = count(1)
    writes = False

    def reached(_connection: object, _cursor: object = None, said: str = "", *_: object) -> None:
        nonlocal writes
        writes = writes or said.lstrip().startswith(("INSERT", "UPDATE", "DELETE", "CREATE"))
        if writes and next(passed) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(store._engine, name, reached)


def child(act: Callable[[], object]) -> int:
    """Do something in a process of its own; the signal that ended it, 0 if none did."""
    begun = os.fork()
    if begun == 0:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 # told to the parent by the exit status
            print(type(error), error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(begun, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the write itself failed"
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def whole(store: Store) -> None:
    """Nothing half, and the trail tells of exactly what is there."""
    assert check_trail(store).wrong == (), check_trail(store).wrong
    if store.url.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(store.url.database))) as connection:
            assert not is_damaged(connection)


def kill_each(url: str, name: str) -> int:
    """Every point of one kind of write; how many there were."""
    kind, store = KINDS[name], Store(make_url(url))
    for point in count(1):
        what = kind.prepare(store)
        store.close()

        def act(point: int = point, what: Any = what) -> None:
            own = Store(make_url(url))
            ledger(own)  # so that it is open
            end_at(own, point)
            kind.act(own, what)

        ended = child(act)
        done = kind.done(store, what)
        whole(store)
        if not ended:
            assert done, f"{name}: it was done and is not there"
            store.close()
            return point - 1
        # Whoever saw it fail does it again.
        if not done:
            kind.act(store, what)
            assert kind.done(store, what)
        elif name.startswith("record"):
            kind.act(store, what)
            tokens = [each.token for each in ledger(store)]
            assert len(set(tokens)) == len(tokens)
    raise AssertionError("no end")


def kill_anywhere(url: str, rounds: int, seed: int = 19) -> int:
    """A busy writer is ended at random moments; how many of its releases were told done."""
    rng, store, told = random.Random(seed), Store(make_url(url)), 0
    for _ in range(rounds):
        reading, writing = os.pipe()
        store.close()
        begun = os.fork()
        if begun == 0:
            own = Store(make_url(url))
            while True:
                made = entry("busy")
                record(own, made)
                os.write(writing, made.token.encode())
        os.close(writing)
        os.read(reading, 32)  # the first is done
        time.sleep(rng.uniform(0, 0.1))
        os.kill(begun, signal.SIGKILL)
        os.waitpid(begun, 0)
        with os.fdopen(reading, "rb") as pipe:
            left = pipe.read()
        tokens = {left[start : start + 32].decode() for start in range(0, len(left) - 31, 32)}
        found = {each.token for each in ledger(store)}
        assert tokens <= found, "what was told done is lost"
        whole(store)
        told += 1 + len(tokens)
    return told


def kill_upgrade(url: str) -> int:
    """Bring tables of the first version up to date, again and again; how often it was ended."""
    store = Store(make_url(url))
    for point in count(1, 2):

        def act(point: int = point) -> None:
            own = Store(make_url(url))
            end_at(own, point)
            ledger(own)

        ended = child(act)
        with Store(make_url(url))._engine.connect() as connection:
            found = connection.exec_driver_sql("SELECT version FROM distpriv_schema").scalar()
        assert found in (1, SCHEMA), found
        assert ended or found == SCHEMA
        if found == SCHEMA:  # ended, if at all, after its end
            assert [each.author for each in ledger(store)] == ["Ann"]
            whole(store)
            store.close()
            return point // 2
    raise AssertionError("no end")


if __name__ == "__main__":
    address, *also = sys.argv[1:]
    if also == ["upgrade"]:
        print(kill_upgrade(address))
        sys.exit()
    rooms.MOST_ROOMS = 10_000
    counted = {each: kill_each(address, each) for each in KINDS}
    counted["anywhere"] = kill_anywhere(address, rounds=8)
    print(json.dumps(counted))
