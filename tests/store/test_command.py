"""``distpriv database``: what it does, prints and ends with."""

from __future__ import annotations

from pathlib import Path

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
