"""Workspaces on the server: for who has the key, until they are deleted or forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from distpriv.analysis.workspace import Named, Source, Workspace
from distpriv.errors import StoreError
from distpriv.store import Store
from distpriv.store.workspaces import (
    WorkspaceRow,
    forget_workspace,
    keep_workspace,
    new_key,
    open_workspace,
)
from tests.examples import BASE, SOME

WORKSPACE = Workspace(
    scenario=SOME,
    source=Source(title="Käse \0 .csv"),
    kept=(Named(name="first", data="", scenario=BASE),),
)


def test_it_is_kept_changed_and_deleted(store: Store) -> None:
    key, other = new_key(), new_key()
    assert key != other
    keep_workspace(store, key, WORKSPACE)
    assert open_workspace(store, key) == WORKSPACE
    later = replace(WORKSPACE, kept=())
    keep_workspace(store, key, later)
    keep_workspace(store, other, WORKSPACE)
    assert open_workspace(store, key) == later
    forget_workspace(store, key)
    forget_workspace(store, key)
    with pytest.raises(StoreError, match="no workspace under this link"):
        open_workspace(store, key)
    assert open_workspace(store, other) == WORKSPACE


def test_the_database_holds_no_key(store: Store) -> None:
    key = new_key()
    keep_workspace(store, key, WORKSPACE)
    with store.reading() as session:
        (row,) = session.scalars(select(WorkspaceRow))
    assert key not in f"{row.name} {row.content}"
    assert timedelta(days=89) < row.until - datetime.now(UTC) <= timedelta(days=90)


def test_after_its_time_it_is_gone(store: Store) -> None:
    old, key = new_key(), new_key()
    keep_workspace(store, old, WORKSPACE)
    with store.writing() as session:
        session.execute(update(WorkspaceRow).values(until=datetime.now(UTC) - timedelta(minutes=1)))
    with pytest.raises(StoreError, match="no workspace under this link"):
        open_workspace(store, old)
    keep_workspace(store, key, WORKSPACE)
    with store.reading() as session:
        assert len(list(session.scalars(select(WorkspaceRow)))) == 1


@pytest.mark.parametrize("key", ["", "x", "é" * 32, "'; --", "\udfff" * 32, "a" * 100_000])
def test_a_key_that_is_none_opens_nothing(store: Store, key: str) -> None:
    with pytest.raises(StoreError, match="no workspace under this link"):
        open_workspace(store, key)
    with pytest.raises(StoreError, match="no workspace under this link"):
        keep_workspace(store, key, WORKSPACE)
    forget_workspace(store, key)


def test_what_a_later_version_wrote_is_told(store: Store) -> None:
    key = new_key()
    keep_workspace(store, key, WORKSPACE)
    with store.writing() as session:
        session.execute(update(WorkspaceRow).values(content='{"format": "distpriv workspace"}'))
    with pytest.raises(StoreError, match="cannot be read: The workspace's version must be 1"):
        open_workspace(store, key)
