"""What the command ``distpriv database`` does and prints."""

from __future__ import annotations

import sys
from getpass import getuser
from pathlib import Path

from distpriv.analysis.decision import moment
from distpriv.errors import StoreError
from distpriv.store.audit import set_aside
from distpriv.store.backups import backup, holdings, restore
from distpriv.store.engine import open_store

__all__ = ["run"]


def run(act: str, file: Path | None = None) -> int:
    """Do something with the database of ``DATABASE_URL``, and say what it holds then.

    Parameters
    ----------
    act : "check", "backup", "restore" or "set-aside"
    file : Path, optional
        Of the backup.

    Returns
    -------
    int
        The exit status: 1 if something is wrong with what it holds, else 0.

    Raises
    ------
    StoreError
        If it cannot be done, or there is no database yet to check or to copy.
    """
    store = open_store()
    if act in ("check", "backup") and not store.has_tables():
        raise StoreError(
            f"There is no database of distpriv yet at the {store.place}; the dashboard makes it "
            "with the first decision or release, or DATABASE_URL names another one."
        )
    if act == "backup" and file is not None:
        backup(store, file)
        print(f"The {store.place} was copied to {file}.")
    elif act == "restore" and file is not None:
        kept = restore(store, file)
        print(f"The {store.place} holds what {file} holds.")
        if kept is not None:
            print(f"What it held before is kept in {kept}.")
        print("What was released since is not in the ledger, and no limit counts it.")
    elif act == "set-aside":
        kept = set_aside(store, getuser())
        print(f"The damaged file is kept in {kept}; a new, empty database has begun.")
    found = holdings(store)
    print(
        f"{found.place}: {_counted(found.decisions, 'decision')}, "
        f"{_counted(found.releases, 'release')}, {_counted(found.limits, 'limit')}"
        + (f"; last release at {moment(found.last)}." if found.last else ".")
    )
    for wrong in found.wrong:
        print(wrong, file=sys.stderr)
    if not found.head:
        print("Its tables are of a version that has no audit trail; it can only be read here.")
    elif not found.wrong:
        print(f"The audit trail is whole. Its head, to be kept elsewhere: {found.head}")
    return 1 if found.wrong else 0


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
