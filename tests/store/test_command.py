"""``distpriv database``: what it does, prints and ends with."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from distpriv.dashboard import command
from distpriv.dashboard.command import main
from distpriv.store import ledger, open_store, record
from tests.store.writers import entry


def test_by_the_command(own_database: Path, tmp_path: Path, capsys) -> None:
    record(open_store(), entry("Ann"))
    assert main(["database", "backup", str(tmp_path / "copy")]) == 0
    assert main(["database", "check"]) == 0
    assert "0 decisions, 1 release, 0 limits; last release at" in capsys.readouterr().out
    assert main(["database", "set-aside"]) == 2
    own_database.write_bytes(b"no database" * 1000)
    assert main(["database", "check"]) == 2
    assert "is damaged or no database; restore a backup" in capsys.readouterr().err
    assert main(["database", "restore", str(tmp_path / "copy")]) == 0
    assert [each.author for each in ledger(open_store())] == ["Ann"]
    with open_store().writing() as session:
        session.connection().exec_driver_sql("UPDATE releases SET author = 'Eve'")
    assert main(["database", "check"]) == 1
    assert "was changed" in capsys.readouterr().err
    own_database.write_bytes(b"no database" * 1000)
    assert main(["database", "set-aside"]) == 0
    assert ledger(open_store()) == []


@pytest.mark.parametrize("act", ["check", "backup"])
@pytest.mark.parametrize("is_empty_file", [False, True])
def test_check_and_backup_make_no_database(
    act: str,
    is_empty_file: bool,
    own_database: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own_database.unlink(missing_ok=True)
    if is_empty_file:
        own_database.parent.mkdir(exist_ok=True)
        own_database.touch()
    copy = tmp_path / "copy"
    assert main(["database", act, *([str(copy)] if act == "backup" else [])]) == 2
    written = capsys.readouterr().err
    assert written.startswith("There is no database of distpriv yet at the SQLite file ")
    assert written.count("\n") == 1
    assert own_database.exists() == is_empty_file
    assert not is_empty_file or own_database.stat().st_size == 0
    assert not copy.exists()


def test_check_makes_no_tables_on_a_server(
    monkeypatch: pytest.MonkeyPatch, fresh_postgres: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", fresh_postgres)
    assert main(["database", "check"]) == 2
    assert "There is no database of distpriv yet at the PostgreSQL" in capsys.readouterr().err
    assert not open_store().has_tables()
    record(open_store(), entry("Ann"))
    assert main(["database", "check"]) == 0


def test_database_needs_none_of_the_dashboards_packages(
    own_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    monkeypatch.setattr(subprocess, "call", lambda arguments: pytest.fail("installs packages"))
    record(open_store(), entry("Ann"))
    assert main(["database", "check"]) == 0
