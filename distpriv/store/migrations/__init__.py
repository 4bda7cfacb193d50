"""The steps from one version of the tables to the next, a file each in ``versions``, by Alembic.

A new version: a file with the next number that makes what is new, the number in
:data:`distpriv.store.models.SCHEMA`, and a database of the version before in the tests.
"""

from __future__ import annotations

from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

__all__ = ["upgrade"]


def upgrade(connection: Connection, version: int | None, to: int) -> None:
    """Bring the tables from one version to another, within the transaction there is.

    Which version they have stands in a table that every version reads, and is the caller's to
    write: Alembic keeps no record of its own.

    Parameters
    ----------
    connection : Connection
    version : int or None
        That they have; None where there are none.
    to : int
        That they are to have.

    Raises
    ------
    SQLAlchemyError
        If the database fails; the caller takes back what has been done.
    """
    steps = ScriptDirectory(str(Path(__file__).parent))
    wanted = steps.iterate_revisions(str(to), "base" if version is None else str(version))
    with Operations.context(MigrationContext.configure(connection)):
        for step in reversed(list(wanted)):
            step.module.upgrade()
