"""A damaged SQLite file is noticed before it counts for nothing, and kept aside once."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from distpriv.errors import StoreError
from distpriv.store import Store, audit, ledger, open_store, record
from distpriv.store.damage import is_damaged, move_aside
from distpriv.store.failures import DamagedError
from tests.store.writers import entry


def filled(path: Path, releases: int = 12) -> Store:
    """A ledger in one file, as a process that has ended leaves it."""
    store = Store(open_store(f"sqlite:///{path}").url)
    for place in range(releases):
        record(store, entry(f"writer {place}"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Store(store.url)


def test_a_flipped_page_is_noticed_when_it_is_opened(tmp_path: Path) -> None:
    """Wherever the page lies: never fewer releases without a word."""
    whole = tmp_path / "whole.sqlite"
    filled(whole)
    content, rng = whole.read_bytes(), random.Random(5)
    silent = 0
    for turn, start in enumerate(range(0, len(content), 4096)):
        path = tmp_path / f"{turn}.sqlite"
        path.write_bytes(content[:start] + rng.randbytes(4096) + content[start + 4096 :])
        try:
            silent += len(ledger(Store(open_store(f"sqlite:///{path}").url))) == 12
        except DamagedError as error:
            assert "restore a backup, or set it aside" in str(error)  # noqa: PT017
    assert silent == 0


@pytest.mark.parametrize(
    "content", [b"a letter, not a database " * 100, b"SQLite format 3\0" + bytes(5000)],
    ids=["foreign", "emptied"],
)  # fmt: skip
def test_what_is_damaged_is_set_aside_and_a_new_one_begins(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kept.sqlite"
    path.write_bytes(content)
    store = open_store(f"sqlite:///{path}")
    with pytest.raises(DamagedError, match="is damaged or no database"):
        ledger(store)
    with pytest.raises(DamagedError):
        record(store, entry())
    assert path.read_bytes() == content
    kept = audit.set_aside(store, "Ann")
    assert kept.read_bytes() == content
    assert kept.parent == tmp_path
    assert ledger(store) == []
    record(store, entry("now"))
    assert [row.act for row in audit.trail(store)] == ["set aside", "released"]
    assert audit.trail(store)[0].author == "Ann"
    assert audit.check_trail(store).wrong == ()
    with pytest.raises(StoreError, match="is not damaged; it stays as it is"):
        store.set_aside()
    assert len(ledger(store)) == 1


def test_what_lies_beside_it_goes_along(tmp_path: Path) -> None:
    """Left behind, what another program has not yet moved into the file would meet the new one."""
    path = tmp_path / "kept.sqlite"
    store = filled(path, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM releases").fetchone()
        record(store, entry("not yet in the file itself"))
        beside = Path(f"{path}-wal").read_bytes()
        with path.open("r+b") as file:
            file.write(b"no database")
            file.truncate(4096 * 3)
        kept = store.set_aside()
        assert Path(f"{kept}-wal").read_bytes() == beside
    record(store, entry("now"))
    assert [each.author for each in ledger(store)] == ["now"]


def test_of_many_who_set_it_aside_one_does(tmp_path: Path) -> None:
    """In threads with stores of their own, while others already write to the new one."""
    path = tmp_path / "kept.sqlite"
    path.write_bytes(b"no database" * 1000)
    stores = [Store(open_store(f"sqlite:///{path}").url) for _ in range(8)]

    def impatient(store: Store) -> bool:
        try:
            store.set_aside()
        except StoreError as error:
            assert "is not damaged" in str(error)  # noqa: PT017
            done = False
        else:
            done = True
        record(store, entry())
        return done

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(impatient, stores)) == 1
    assert len(ledger(stores[0])) == 8
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


def test_another_process_goes_on_with_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    store = filled(path, 1)
    assert len(ledger(store)) == 1
    path.write_bytes(b"no database" * 1000)
    other = "import sys; from distpriv.store import open_store; open_store(sys.argv[1]).set_aside()"
    subprocess.run([sys.executable, "-c", other, f"sqlite:///{path}"], check=True)
    assert ledger(store) == []
    record(store, entry())
    assert len(ledger(store)) == 1


def test_a_sound_or_missing_file_stays_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    assert move_aside(path) is None
    filled(path, 1)
    with closing(sqlite3.connect(path)) as connection:
        assert not is_damaged(connection)
    assert move_aside(path) is None
    os.truncate(path, 4096)
    assert move_aside(path) is not None
    assert not path.exists()


def test_a_server_is_not_set_aside() -> None:
    with pytest.raises(StoreError, match="is no file that can be set aside"):
        open_store("postgresql://me@127.0.0.1:1/decisions").set_aside()
