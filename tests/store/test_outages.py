"""PostgreSQL that is down at the start, goes in between, and comes back: without a restart."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest

from distpriv.errors import StoreError
from distpriv.store import Store, Terms, ledger, limits, open_store, record
from tests.app.driver import errors, press, proposed, release, sound, texts
from tests.postgres import Server
from tests.store.killed import whole
from tests.store.limited import agreed
from tests.store.writers import entry


def test_a_store_goes_on_when_the_server_is_back(failing: Server) -> None:
    """With the connections that it had, and with tables that it has not made yet."""
    failing.stop()
    store = Store(open_store(failing.url).url)
    with pytest.raises(StoreError, match="cannot be reached; check that it runs"):
        ledger(store)
    failing.start()
    record(store, entry("first"))
    failing.stop()
    for _ in range(2):
        with pytest.raises(StoreError, match="cannot be reached"):
            record(store, entry("meanwhile"))
    failing.start()
    record(store, entry("after"))
    assert [each.author for each in ledger(store)] == ["first", "after"]
    whole(store)
    store.close()


def test_what_was_told_done_survives_a_server_that_dies_among_writers(failing: Server) -> None:
    store = Store(open_store(failing.url).url)
    agreed(store, Terms(accuracy=0.99))
    done: list[str] = []
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            made = entry("busy")
            try:
                record(store, made, out=True)
            except StoreError as error:
                assert "cannot be reached" in str(error)  # noqa: PT017
                return
            done.append(made.token)

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    while len(done) < 20 and any(writer.is_alive() for writer in writers):
        time.sleep(0.01)
    assert len(done) >= 20
    failing.stop()
    ended.set()
    for writer in writers:
        writer.join()
    failing.start()
    found = [each.token for each in ledger(store)]
    assert set(done) <= set(found)
    # What was not told done may be there or not, but is at most one release of each writer.
    assert len(found) == len(set(found)) <= len(done) + len(writers)
    assert len(limits(store, "d")) == 1
    whole(store)
    store.close()


def _again_and_again(work: Callable[[], object]) -> None:
    for _ in range(5_000):
        work()


@pytest.fixture
def small_disk(failing: Server) -> Iterator[Path]:
    """A disk of 24 MB that belongs to the server."""
    owner = failing.folder.stat()
    place = Path(tempfile.mkdtemp(prefix="distpriv-disk-", dir="/tmp"))
    options = f"size=24m,mode=700,uid={owner.st_uid},gid={owner.st_gid}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True).returncode:
        place.rmdir()
        pytest.skip("nobody here may mount a disk of its own")
    try:
        yield place
    finally:
        with psycopg.connect(failing.url, autocommit=True) as connection:
            connection.execute("DROP DATABASE IF EXISTS small WITH (FORCE)")
            connection.execute("DROP TABLESPACE IF EXISTS small")
        subprocess.run(["umount", str(place)], check=True)
        place.rmdir()


def test_a_full_disk_keeps_what_it_has_and_takes_more_when_there_is_space(
    failing: Server, small_disk: Path
) -> None:
    with psycopg.connect(failing.url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLESPACE small LOCATION '{small_disk}'".encode())
        connection.execute("CREATE DATABASE small TABLESPACE small")
    there = failing.url.replace("/postgres?", "/small?")
    store = Store(open_store(there).url)
    record(store, entry("first"))
    done = ["first"]

    def more() -> None:
        record(store, entry(f"no. {len(done)}"))
        done.append(f"no. {len(done)}")

    with psycopg.connect(there, autocommit=True) as connection:
        connection.execute("CREATE TABLE other (said text)")
        for size in (10_000, 100, 1):  # what somebody else keeps there
            insert = f"INSERT INTO other SELECT md5(n::text) FROM generate_series(1, {size}) n"
            with pytest.raises(psycopg.errors.DiskFull):
                _again_and_again(partial(connection.execute, insert.encode()))
        with pytest.raises(StoreError, match="has no space left; make some"):
            _again_and_again(more)  # in what space its own tables have left
        assert [each.author for each in ledger(store)] == done
        connection.execute("DROP TABLE other")
    record(store, entry("last"))
    assert [each.author for each in ledger(store)] == [*done, "last"]
    whole(store)
    store.close()


def test_pages_go_on_and_pick_up(open_app, failing: Server, monkeypatch) -> None:
    monkeypatch.setenv("DATABASE_URL", failing.url)
    open_store().close()
    failing.stop()
    # At the start: the page works, and says what is not kept.
    app = open_app("decide")
    sound(app)
    assert "cannot be reached" in texts(app)
    assert "what you propose here is not kept" in texts(app)
    assert app.get("plotly_chart")
    proposed(app, "Ann", "My long reason")
    assert "Not kept: The PostgreSQL database" in errors(app)
    # Back: what was typed is still there.
    failing.start()
    press(app, "Propose")
    assert "not kept" not in texts(app)
    assert "My long reason" in texts(app)
    # Gone again with a connection in the pool: nothing goes out that a limit could forbid.
    app.switch_page("../../pages/release.py").run()
    assert "cannot be reached" not in texts(app)
    failing.stop()
    press(app, "Release …")
    sound(app)
    assert "nothing is released until it answers" in errors(app)
    failing.start()
    press(app, "Ask again")
    release(app)
    assert "were released **once**" in texts(app)
    assert len(ledger(open_store())) == 1
    open_store().close()
