"""Whatever becomes of the database, a sentence says so, and nothing acknowledged is lost."""

import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from distpriv.errors import StoreError
from distpriv.records import decisions as d, ledger as l
from distpriv.records.store import Store
from tests.records.conftest import BODY, agreed, proposed, released, sql

ROUNDS = int(os.environ.get("DISTPRIV_ROUNDS", "2"))
BARE = {**BODY, "limits": []}
RUNS = "while the server runs, so nothing is released; put it back"


def refused(store, match, reads=False):
    """Nothing is written, and read only where that is meant; a sentence or two say why."""
    reading = [] if reads else [lambda: l.releases(store), lambda: d.decisions(store)]
    for act in (lambda: released(store), lambda: proposed(store), *reading):
        with pytest.raises(StoreError, match=match) as caught:
            act()
        assert len(str(caught.value)) < 250
    if reads:
        assert len(l.releases(store)) == 1
        assert d.decisions(store) == []


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "records.sqlite"


@pytest.fixture
def store(file):
    """A file that a process has used, with a release."""
    made = Store(f"sqlite:///{file}", seconds=2)
    released(Store(f"sqlite:///{file}"))
    l.releases(made)
    return made


@pytest.fixture
def served(database):
    """The same in a database of the server."""
    made = Store(database, seconds=2)
    released(Store(database))
    l.releases(made)
    return made


def another(file):
    other = Store(f"sqlite:///{file}.other")
    for _ in range(3):
        released(other)
    shutil.copy(f"{file}.other", file)


FILES = {
    "gone": (Path.unlink, f"^The SQLite file records.sqlite is gone {RUNS}"),
    "folder gone": (lambda file: shutil.rmtree(file.parent), "is gone while"),
    "emptied": (lambda file: file.write_bytes(b""), f"was emptied {RUNS}"),
    "another": (another, f"was replaced by another {RUNS}"),
    "no database": (lambda file: file.write_bytes(b"no database" * 999), "damaged or no database"),
    "a folder": (lambda file: (file.unlink(), file.mkdir()), "cannot be opened; check"),
}


@pytest.mark.parametrize("what", FILES)
def test_file_that_changes_while_a_process_runs_is_noticed_and_comes_back(store, file, what):
    copy = shutil.copy(file, file.parent.parent)
    act, match = FILES[what]
    act(file)
    refused(store, match)
    shutil.rmtree(file.parent, ignore_errors=True)
    file.parent.mkdir()
    shutil.move(copy, file)
    assert released(store).number == 2


@pytest.mark.parametrize("put_back", [shutil.copy, shutil.move])
def test_older_state_is_noticed_but_by_a_process_that_starts(store, file, put_back):
    old = shutil.copy(file, file.with_suffix(".old"))
    released(store)
    put_back(old, file)
    refused(store, f"was replaced by an older state of itself {RUNS}")
    assert len(l.releases(Store(f"sqlite:///{file}"))) == 1


@pytest.mark.parametrize("replace", [True, False])
def test_file_that_goes_during_a_write_is_noticed(store, file, replace):
    def draw(_):
        moved = file.rename(file.with_suffix(".moved"))
        return {"values": [shutil.copy(moved, file) and 0.5] if replace else []}

    with pytest.raises(StoreError, match="was moved or replaced"):
        released(store, draw=draw)


def test_write_that_cannot_be_read_back_is_not_acknowledged(store, file):
    old, connections = shutil.copy(file, file.with_suffix(".old")), []

    def connect(*_):
        connections.append(1)
        if len(connections) == 2:  # the first one has written
            shutil.copy(old, file)

    event.listen(store._engine, "connect", connect)
    with pytest.raises(StoreError, match=f"does not hold what was just written {RUNS}"):
        released(store)


def test_damaged_file_releases_nothing(store, file):
    agreed(store)
    for _ in range(20):
        released(store)
    data = file.read_bytes()
    for seed in range(4):
        rng, bad = random.Random(seed), bytearray(data)
        for _ in range(400):
            bad[rng.randrange(4096, len(bad))] = rng.randrange(256)
        file.write_bytes(bad)
        with pytest.raises(
            StoreError, match=r"damaged|cannot be read|emptied|replaced|other tables"
        ):
            released(store)


def test_locked_file_is_busy_until_it_is_free(store, file):
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    refused(store, "is busy; try again in a moment. Nothing was written.|is busy; try")
    other.execute("ROLLBACK")
    released(store)
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    )
    with pytest.raises(StoreError, match="within 2 seconds"), store.reading() as connection:
        connection.exec_driver_sql(endless)


def test_full_disk_releases_nothing(store):
    def limit(connection, _):
        connection.execute("PRAGMA max_page_count = 20")

    event.listen(store._engine, "connect", limit)
    with pytest.raises(StoreError, match="has no space left; make some"):
        released(store, draw=lambda _: {"values": [1.0] * 40_000})
    event.remove(store._engine, "connect", limit)
    assert released(store).number == 2


@contextmanager
def unprivileged():
    user = os.geteuid()
    os.seteuid(user or 65534)  # root may write everywhere
    try:
        yield
    finally:
        os.seteuid(user)


WRITE = "can be read but not written; allow that"


@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "match", "reads"),
    [
        (0o444, 0o777, WRITE, True),
        (0o666, 0o555, WRITE, True),
        (0, 0o777, "cannot be opened", False),
    ],
)
def test_file_and_home_without_rights_are_told(monkeypatch, file_mode, folder_mode, match, reads):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("XDG_DATA_HOME", folder)
        monkeypatch.delenv("DISTPRIV_DATABASE", raising=False)
        store, file = Store(seconds=2), Path(folder, "distpriv", "distpriv.sqlite")
        released(store)
        assert (file.stat().st_mode | file.parent.stat().st_mode) & 0o77 == 0
        file.chmod(file_mode)
        file.parent.chmod(folder_mode)
        with unprivileged():
            refused(store, match, reads)
            monkeypatch.setenv("XDG_DATA_HOME", f"{folder}/distpriv/distpriv.sqlite/none")
            refused(Store(), "cannot be|can be read but not written")


BAD = """
mysql://me:s3cret@host/x postgresql://me:s3cret@host:port/x s3cret sqlite:// sqlite:///:memory:
sqlite:///file:s3cret?uri=true sqlite:////tmp/x?s3cret=1
"""


def test_addresses_that_fail_are_not_repeated(server):
    for url in BAD.split():
        with pytest.raises(StoreError, match="look like postgresql://") as caught:
            Store(url)
        assert "s3cret" not in str(caught.value)
    for url in (f"{server}&password=s3cret&nothing=1", "postgresql://me:s3cret@127.0.0.1:9/x"):
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            l.releases(Store(url))
        assert "s3cret" not in str(caught.value)


def test_server_that_is_away_or_silent_is_told_and_used_again(served, database):
    path = Path(database.split("host=")[1].split("&")[0], ".s.PGSQL.5432")
    away = path.rename(path.with_name("away"))
    try:
        refused(served, "^The PostgreSQL database cannot be reached; check")
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(str(path))
            silent.listen()
            with pytest.raises(StoreError, match="cannot be reached"):
                released(served)
    finally:
        away.rename(path)
    assert released(served).number == 2


def test_database_that_is_gone_emptied_another_or_older_is_told(database):
    one = database.replace("/postgres?", "/one?")
    sql(database, "CREATE DATABASE one")
    try:
        store = Store(one)
        released(store)
        sql(database, "CREATE DATABASE old TEMPLATE one")
        released(store)
        sql(database, "DROP DATABASE one WITH (FORCE)")
        refused(store, "does not exist; create it")
        sql(database, "CREATE DATABASE one")
        refused(store, f"was emptied {RUNS}")
        released(Store(one))
        refused(store, f"was replaced by another {RUNS}")
        sql(database, "DROP DATABASE one WITH (FORCE)")
        sql(database, "ALTER DATABASE old RENAME TO one")
        refused(store, f"was replaced by an older state of itself {RUNS}")
    finally:
        for name in ("one", "old"):
            sql(database, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def at_commit(url, what):
    """Let the server do something when a release or a decision is committed."""
    body = f"$$ BEGIN {what}; RETURN NULL; END $$"
    sql(url, f"CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS {body}")
    for name in ("releases", "decisions"):
        sql(url, f"CREATE CONSTRAINT TRIGGER t AFTER INSERT ON distpriv_{name} DEFERRABLE "
            "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f()")  # fmt: skip


STATES = {
    "25006": WRITE,
    "53100": "has no space left",
    "58030": "look at the disk",
    "53300": "no conn",
}


@pytest.mark.parametrize("state", STATES)
def test_what_the_server_reports_is_told(served, database, state):
    at_commit(database, f"RAISE 'x' USING ERRCODE = '{state}'")
    refused(served, STATES[state], reads=True)


def test_user_without_rights_and_locks_of_others_are_told(served, database):
    import psycopg

    sql(database, "CREATE ROLE guest LOGIN")
    refused(Store(database.replace("user=me", "user=guest")), WRITE)
    refused(Store(database.replace("user=me", "user=nobody")), "does not exist")
    with psycopg.connect(database) as connection:
        connection.execute("SELECT * FROM distpriv_mark FOR UPDATE")
        refused(served, "is busy; try again in a moment. Nothing was written", reads=True)


@pytest.mark.parametrize("where", ["connection", "server"])
def test_frozen_server_ends_in_a_sentence_and_the_token_is_drawn_later(served, database, where):
    clients = (
        "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
    )
    folder, stopped = Path(*sql(database, "SHOW data_directory")[0]), []

    def draw(_):
        stopped.extend(pid for (pid,) in sql(database, clients))
        if where == "server":
            stopped.append(int((folder / "postmaster.pid").read_text().split()[0]))
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        return {}

    try:
        with pytest.raises(StoreError, match="did not answer within 2 seconds; try again later"):
            released(served, token="t", draw=draw)
        if where == "server":
            with pytest.raises(StoreError, match="cannot be reached"):
                l.releases(served)
    finally:
        for pid in stopped[::-1]:
            os.kill(pid, signal.SIGCONT)
    assert released(Store(database), token="t").number == 2


def test_commit_whose_answer_is_lost_is_found_by_its_token(url):
    store = Store(url)
    proposed(store)

    def commit(connection):
        connection.connection.driver_connection.commit()
        raise ConnectionResetError

    event.listen(store._engine, "commit", commit)
    with pytest.raises(StoreError, match="It may have been written: try again, and it counts once"):
        released(store, token="t", draw=lambda _: {"values": [41.0]})
    event.remove(store._engine, "commit", commit)
    again = released(store, token="t", draw=lambda _: {"values": [42.0]})
    assert again.body["values"] == [41.0]
    assert l.releases(store) == [again]


WRITER = r"""
import os, sys, uuid
from distpriv.records import decisions, ledger
from distpriv.records.store import Store

assert not {"numpy", "pandas", "scipy"} & {*sys.modules}
naming = ledger.Naming("Staff", "f1", "staff.csv", ("age",))
for line in iter(sys.stdin.readline, ""):
    if not (child := os.fork()):
        store = Store(line.strip())
        while True:
            token = uuid.uuid4().hex
            values = {"token": token, "author": "Ana", "reason": "Why"}
            if token < "8":
                decisions.propose(store, naming, body=BODY, **values)
            else:
                ledger.release(store, naming, kind="noise", scenario={}, way="OptM",
                               draw=lambda now: {"values": [0.5] * 500}, **values)
            os.write(1, f"{os.getpid()} {token}\n".encode())  # all of it or nothing
    os.waitpid(child, 0)
    os.write(1, b"over\n")
"""


@pytest.fixture(scope="module")
def writer():
    """A process that starts another one that writes, for each address that it reads."""
    code = WRITER.replace("BODY", repr(BARE))
    run = subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True, bufsize=1)
    yield run
    run.communicate(timeout=30)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_nothing_acknowledged_is_lost_by_a_kill(writer, url, seed):
    store = Store(url)
    writer.stdin.write(f"{url}\n")
    pid, first = writer.stdout.readline().split()
    time.sleep(random.Random(seed).uniform(0, 0.3))
    os.kill(int(pid), signal.SIGKILL)
    tokens = [first, *(line.split()[-1] for line in iter(writer.stdout.readline, "over\n"))]
    entries, proposals = l.releases(store), d.decisions(store)
    assert {one for one in tokens if one >= "8"} <= {each.token for each in entries}
    assert len(tokens) <= len(entries) + len(proposals) <= len(tokens) + 1
    assert {len(each.body["values"]) for each in entries} <= {500}
    assert all(each.proposal.body == BARE for each in proposals)
    assert released(store).number == len(entries) + 1
