"""The database's address, and what a user reads when it fails."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from distpriv.errors import StoreError
from distpriv.store import (
    Store,
    all_decisions,
    database_url,
    ledger,
    never_made,
    open_store,
    record,
)
from tests.store.writers import entry


def test_by_default_a_file_in_the_user_s_folder(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))
    store = open_store()
    record(store, entry())
    file = Path(str(store.url.database))
    assert file.name == "distpriv.sqlite"
    assert file.parent.name == "distpriv"
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("given", "driver"),
    [
        ("postgres://me@host/name", "postgresql+psycopg"),
        ("postgresql://me@host/name", "postgresql+psycopg"),
        ("postgresql+psycopg2://me@host/name", "postgresql+psycopg"),
        ("sqlite:////folder/file.sqlite", "sqlite"),
    ],
)
def test_the_address(monkeypatch, given: str, driver: str) -> None:
    monkeypatch.setenv("DATABASE_URL", given)
    assert database_url().drivername == driver


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("mysql://me:secret@host/name", "must begin with postgresql:// or sqlite:///, got 'mysql'"),
        ("sqlite://", "in memory, which would keep nothing"),
        ("sqlite:///:memory:", "in memory"),
        ("somewhere secret", "cannot be read"),
        ("postgresql://me:secret@host:port/name", "cannot be read"),
    ],
)
def test_an_address_of_nothing(monkeypatch, given: str, said: str) -> None:
    monkeypatch.setenv("DATABASE_URL", given)
    with pytest.raises(StoreError, match=said) as caught:
        open_store()
    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_is_told_at_once_and_without_the_password() -> None:
    store = open_store("postgresql://me:secret@127.0.0.1:1/decisions")
    began = time.monotonic()
    with pytest.raises(
        StoreError, match=r"decisions on 127\.0\.0\.1:1 cannot be reached"
    ) as caught:
        all_decisions(store)
    assert time.monotonic() - began < 10
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = open_store(f"sqlite:///{tmp_path}/file/kept.sqlite")
    with pytest.raises(StoreError, match=r"SQLite file .*kept\.sqlite cannot be opened"):
        store.check_writable()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "kept.sqlite").write_text("a letter, not a database " * 100)
    with pytest.raises(StoreError, match="is damaged or no database"):
        ledger(open_store(f"sqlite:///{tmp_path}/kept.sqlite"))


def test_what_can_be_read_but_not_written(tmp_path, fresh_postgres, monkeypatch) -> None:
    """A user with no right to write; SQLite's is a file opened for reading only."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    whole = open_store(f"sqlite:///{tmp_path}/kept.sqlite")
    record(whole, entry())
    reader = open_store(f"sqlite:///file:{tmp_path}/kept.sqlite?mode=ro&uri=true")
    record(open_store(fresh_postgres), entry())
    with psycopg.connect(fresh_postgres, autocommit=True) as connection:
        connection.execute("CREATE ROLE looker LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA public TO looker")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker")
    looker = open_store(make_url(fresh_postgres).set(username="looker"))
    for store, said in ((reader, "read but not written"), (looker, "does not allow it")):
        assert len(ledger(store)) == 1
        with pytest.raises(StoreError, match=said):
            store.check_writable()
        with pytest.raises(StoreError, match=said):
            record(store, entry())
        assert len(ledger(store)) == 1
    assert not list((tmp_path / "here").iterdir())


def test_checking_leaves_nothing_behind(store: Store) -> None:
    for _ in range(3):
        store.check_writable()
    assert ledger(store) == []
    record(store, entry())
    assert len(ledger(store)) == 1


def test_whether_there_is_none_yet(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/none.sqlite")
    assert not never_made()  # one that is named is somewhere, even if it does not answer
    monkeypatch.setenv("DATABASE_URL", " ")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))
    assert never_made()
    ledger(open_store())
    assert not never_made()
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert never_made()


def test_a_file_that_was_deleted_is_made_anew(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/kept.sqlite")
    record(store, entry())
    for file in tmp_path.iterdir():
        file.unlink()
    assert ledger(store) == []
    record(store, entry())
    assert len(ledger(store)) == 1


def test_a_writer_waits_for_another_program(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/kept.sqlite")
    record(store, entry())
    other = sqlite3.connect(tmp_path / "kept.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    assert len(ledger(store)) == 1  # readers do not wait
    threading.Timer(0.5, lambda: other.execute("COMMIT")).start()
    record(store, entry())
    assert len(ledger(store)) == 2
    other.close()


def test_a_connection_that_broke_is_replaced(fresh_postgres: str) -> None:
    store = open_store(fresh_postgres)
    record(store, entry())
    with psycopg.connect(fresh_postgres, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    record(store, entry())
    assert len(ledger(store)) == 2
