"""A copy while others write, the way back, and what is refused, on both databases."""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from distpriv.errors import StoreError
from distpriv.store import Store, Terms, all_decisions, ledger, limits, open_store, propose, record
from distpriv.store.audit import check_trail
from distpriv.store.backups import _program, backup, holdings, restore
from tests.examples import alternative
from tests.store.killed import whole
from tests.store.limited import agreed
from tests.store.writers import beginning, entry


def test_there_and_back(store: Store, tmp_path: Path) -> None:
    for name in ("first", "second"):
        record(store, entry(name))
    agreed(store, Terms(accuracy=0.9))
    head = check_trail(store).head
    copy = tmp_path / "copy"
    backup(store, copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    record(store, entry("since"), out=True)
    kept = restore(store, copy)
    assert [each.author for each in ledger(store)] == ["first", "second"]
    assert len(limits(store, "d")) == 1
    found = holdings(store)
    assert (found.decisions, found.releases, found.limits, found.wrong) == (0, 2, 1, ())
    assert found.head == head
    assert found.last == ledger(store)[-1].at
    # It goes on from there, with numbers of its own.
    record(store, entry("after"), out=True)
    assert [each.author for each in ledger(store)][2:] == ["after"]
    whole(store)
    if kept is not None:  # what it held is beside it
        before = Store(open_store(f"sqlite:///{kept}").url)
        assert [each.author for each in ledger(before)] == ["first", "second", "since"]


def test_a_copy_while_others_write_is_of_one_moment(store: Store, url: str, tmp_path: Path) -> None:
    made = propose(
        store, author="first", reason="start", data="people.csv", digest="shared",
        alternatives=[alternative()], chosen="now",
    )  # fmt: skip
    names = [f"writer {place}" for place in range(6)]
    writers = beginning(url, made.key, names)
    copies = []
    while writers.poll() is None:
        copies.append(tmp_path / f"copy {len(copies)}")
        backup(store, copies[-1])
    assert writers.returncode == 0
    assert len(copies) > 2
    counts = []
    for copy in (copies[0], copies[len(copies) // 2], copies[-1]):
        restore(store, copy)
        whole(store)
        counts.append(len(ledger(store)))
    assert counts == sorted(counts)


def test_into_an_empty_place_and_from_an_earlier_version(released, store, url, tmp_path) -> None:
    """As when a server moves, with a backup of before it was updated."""
    old = released(2)
    copy = tmp_path / "copy"
    if old.file is not None:
        copy.write_bytes(old.file.read_bytes())
        old.file.unlink()
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            version = connection.execute("SELECT version FROM distpriv_schema").fetchone()
        assert version == (2,)
        _program(old, "pg_dump", "--format=custom", f"--file={copy}")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
    assert restore(store, copy) is None
    assert [each.author for each in ledger(store)] == ["Ann"]
    assert len(all_decisions(store)) == 1
    record(store, entry("after"), out=True)
    whole(store)


def test_what_is_no_backup_leaves_everything_as_it_is(store: Store, tmp_path: Path) -> None:
    record(store, entry("mine"))
    foreign = tmp_path / "foreign"
    foreign.write_text("a letter")
    with pytest.raises(StoreError):
        restore(store, foreign)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (x)")
        connection.commit()
    with pytest.raises(StoreError):
        restore(store, other)
    with pytest.raises(StoreError, match="is not there; check its name"):
        restore(store, tmp_path / "nowhere")
    with pytest.raises(StoreError, match="is there already; choose another name"):
        backup(store, foreign)
    with pytest.raises(StoreError, match=r"cannot be written|failed"):
        backup(store, tmp_path / "no folder" / "copy")
    assert [each.author for each in ledger(store)] == ["mine"]
    assert foreign.read_text() == "a letter"


def test_a_later_or_damaged_backup_is_refused(tmp_path: Path) -> None:
    store = Store(open_store(f"sqlite:///{tmp_path}/kept.sqlite").url)
    record(store, entry("mine"))
    backup(store, later := tmp_path / "later")
    with closing(sqlite3.connect(later)) as connection:
        connection.execute("UPDATE distpriv_schema SET version = 99")
        connection.commit()
    with pytest.raises(StoreError, match="of a later distpriv"):
        restore(store, later)
    backup(store, torn := tmp_path / "torn")
    torn.write_bytes(torn.read_bytes()[:-8192])
    with pytest.raises(StoreError, match=r"is damaged|is no backup"):
        restore(store, torn)
    assert [each.author for each in ledger(store)] == ["mine"]
    # A damaged database is kept aside for its backup.
    backup(store, copy := tmp_path / "copy")
    (tmp_path / "kept.sqlite").write_bytes(b"no database" * 1000)
    kept = restore(store, copy)
    assert kept is not None
    assert "damaged" in kept.name
    assert [each.author for each in ledger(store)] == ["mine"]


def test_one_who_reads_meanwhile_sees_before_or_after(tmp_path: Path) -> None:
    """A server that runs while its database is restored, by another process's hand."""
    path = tmp_path / "kept.sqlite"
    store, served = (Store(open_store(f"sqlite:///{path}").url) for _ in range(2))
    record(store, entry("first"))
    backup(store, copy := tmp_path / "copy")
    for place in range(30):
        record(store, entry(f"since {place}"), out=True)
    seen: set[int] = set()
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            seen.add(len(ledger(served)))

    reader = threading.Thread(target=read)
    reader.start()
    restore(store, copy)
    ended.set()
    reader.join()
    assert seen <= {31, 1}
    record(served, entry("after"), out=True)
    assert len(ledger(served)) == 2


def test_without_postgresql_s_programs_it_is_a_sentence(monkeypatch, fresh_postgres, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StoreError, match="pg_dump is not installed here"):
        backup(open_store(fresh_postgres), tmp_path / "copy")
    assert not list(tmp_path.iterdir())
