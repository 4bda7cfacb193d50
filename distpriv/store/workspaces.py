"""Workspaces that somebody asked to be kept here: no record, under a key that only they have.

Other than decisions and releases a workspace is overwritten when it changes and deleted when its
owner says so, or when nobody has changed it for 90 days.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from sqlalchemy import String, Text, delete, inspect
from sqlalchemy.orm import Mapped, Session, mapped_column

from distpriv.analysis.workspace import Workspace, read_workspace, write_workspace
from distpriv.errors import ScenarioError, StoreError
from distpriv.store.engine import Store
from distpriv.store.models import Base, Moment

__all__ = [
    "DAYS",
    "WorkspaceRow",
    "forget_workspace",
    "keep_workspace",
    "new_key",
    "open_workspace",
]

DAYS = 90
"""For so long it is kept after it was last changed."""

_KEY = re.compile("[A-Za-z0-9_-]{32}")
_GONE = (
    "There is no workspace under this link: it was deleted, or it had not been changed for "
    f"{DAYS} days; open the workspace file instead, if you saved one."
)


class WorkspaceRow(Base):
    """A workspace under the hash of its key: who reads the table cannot make the link of it."""

    __tablename__ = "workspaces"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    until: Mapped[datetime] = mapped_column(Moment, index=True)
    content: Mapped[str] = mapped_column(Text)


def new_key() -> str:
    """A key that nobody can guess: 192 random bits in 32 letters, digits, ``-`` and ``_``."""
    return secrets.token_urlsafe(24)


def keep_workspace(store: Store, key: str, workspace: Workspace) -> None:
    """Keep a workspace in the place of what its key had before, for 90 days from now.

    Those whose time is over are deleted.

    Parameters
    ----------
    store : Store
    key : str
        As :func:`new_key` makes it.
    workspace : Workspace

    Raises
    ------
    StoreError
        If the database fails; what was kept before is kept then.
    """
    if not _KEY.fullmatch(key):
        raise StoreError(_GONE)
    now = datetime.now(UTC)
    with store.writing() as session:
        session.execute(delete(WorkspaceRow).where(WorkspaceRow.until < now))
        session.merge(
            WorkspaceRow(
                name=_name(key),
                until=now + timedelta(days=DAYS),
                content=write_workspace(workspace),
            )
        )


def open_workspace(store: Store, key: str) -> Workspace:
    """The workspace of a key; raises StoreError if there is none, or the database fails."""
    with store.reading() as session:
        row = session.get(WorkspaceRow, _name(key)) if _has_table(session) else None
    if row is None or row.until < datetime.now(UTC):
        raise StoreError(_GONE)
    try:
        return read_workspace(row.content)
    except ScenarioError as error:
        raise StoreError(f"The workspace of this link cannot be read: {error}") from None


def forget_workspace(store: Store, key: str) -> None:
    """Delete the workspace of a key, if there is one; raises StoreError if the database fails."""
    with store.writing() as session:
        session.execute(delete(WorkspaceRow).where(WorkspaceRow.name == _name(key)))


def _name(key: str) -> str:
    return blake2b(key.encode(errors="replace"), digest_size=32).hexdigest()


def _has_table(session: Session) -> bool:
    return inspect(session.connection()).has_table(WorkspaceRow.__tablename__)
