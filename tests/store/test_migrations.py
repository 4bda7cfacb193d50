"""Databases that each version of distpriv left behind, brought up to date on both databases."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event, inspect, select
from sqlalchemy.engine import make_url

from distpriv.errors import StoreError
from distpriv.store import (
    Store,
    Terms,
    all_decisions,
    ledger,
    limits,
    migrations,
    on_record,
    open_store,
    record,
    rooms,
)
from distpriv.store.audit import check_trail, trail
from distpriv.store.models import SCHEMA, Base, SchemaRow
from distpriv.store.workspaces import open_workspace
from tests.store.limited import agreed
from tests.store.writers import entry

VERSIONS = Path(__file__).parent / "versions"
EARLIER = range(1, SCHEMA)
Released = Callable[[int], Store]


def version(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(SchemaRow.version)) or 0


def shape(store: Store) -> dict[str, object]:
    """All that the database itself knows of its tables."""
    with store.reading() as session:
        known = inspect(session.connection())
        return {
            name: (
                {each["name"]: (str(each["type"]), each["nullable"], each["default"])
                 for each in known.get_columns(name)},
                known.get_pk_constraint(name)["constrained_columns"],
                sorted((each["name"], tuple(each["column_names"]))
                       for each in known.get_indexes(name)),
                [each["column_names"] for each in known.get_unique_constraints(name)],
            )
            for name in known.get_table_names()
        }  # fmt: skip


def test_the_steps_are_one_chain_to_the_version_of_the_tables() -> None:
    steps = ScriptDirectory(str(Path(migrations.__file__).parent))
    found = [step.revision for step in steps.walk_revisions()]
    assert found == [str(number) for number in range(SCHEMA, 0, -1)]
    # A database of each version before this one is in the tests.
    kept = {path.name for path in VERSIONS.glob("*.sql")}
    assert kept == {f"{each}.{kind}.sql" for each in EARLIER for kind in ("sqlite", "postgresql")}


def test_new_tables_are_those_of_the_models(store: Store) -> None:
    with store.reading() as session:
        connection = session.connection()
        # SQLite spells a default as it was written, which Alembic takes for another one.
        defaults = connection.dialect.name == "postgresql"
        options = {"compare_type": True, "compare_server_default": defaults}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Base.metadata) == []


@pytest.mark.parametrize("earlier", EARLIER)
def test_an_earlier_version_is_brought_up_to_date(released: Released, earlier: int) -> None:
    store = released(earlier)
    (decision,) = all_decisions(store)
    assert version(store) == SCHEMA
    assert [(each.author, each.status) for each in decision.revisions] == [
        ("Ann", "proposed"),
        ("Ann", "proposed"),
        ("Bob", "agreed"),
    ]
    (made,) = ledger(store)
    assert (made.author, made.note, made.values) == ("Ann", "for the board", (38.2,))
    assert (made.reason, made.decision) == ("" if earlier == 1 else "A first look.", "")
    assert len(limits(store, "d")) == (earlier > 1)
    assert len(trail(store)) == (5 if earlier == 3 else 0)
    # What is new can be written, and the trail goes on.
    agreed(store, Terms(accuracy=0.95), version=int(earlier > 1))
    agreed(store, Terms(), version=1 + (earlier > 1))
    record(store, entry("Cem"))
    assert [(each.author, each.reason) for each in ledger(store)][1:] == [("Cem", "A first look.")]
    assert check_trail(store).wrong == ()
    assert rooms.open_room(store, rooms.new_key()).rounds == ()
    if earlier > 1:
        assert open_workspace(store, "A" * 32).scenario.digest == "d"
    store.close()


@pytest.mark.parametrize("earlier", EARLIER)
def test_brought_up_to_date_it_is_as_a_new_one(
    released: Released, earlier: int, tmp_path: Path
) -> None:
    """On SQLite a new one beside it; on PostgreSQL the same database, emptied first."""
    old = released(earlier)
    ledger(old)
    brought = shape(old)
    old.close()
    if old.url.get_backend_name() == "postgresql":
        with psycopg.connect(str(old.url.set(drivername="postgresql"))) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        new = Store(old.url)
    else:
        new = open_store(f"sqlite:///{tmp_path}/new.sqlite")
    ledger(new)
    assert brought == shape(new)
    new.close()


def test_the_last_without_rooms_and_workspaces(released: Released) -> None:
    """As notebooks made it, which never asked for them."""
    store = released(3)
    with Store(store.url)._engine.begin() as connection:
        for name in ("rooms", "guesses", "workspaces"):
            connection.exec_driver_sql(f"DROP TABLE {name}")
    assert len(ledger(store)) == 1
    assert rooms.open_room(store, rooms.new_key()).rounds == ()
    store.close()


def test_twenty_bring_it_up_to_date_at_once(released: Released) -> None:
    first = released(1)
    stores = [first, *(Store(first.url) for _ in range(19))]
    with ThreadPoolExecutor(len(stores)) as pool:
        found = list(pool.map(lambda each: len(limits(each, "d")), stores))
    assert found == [0] * 20
    assert version(stores[0]) == SCHEMA
    assert [each.reason for each in ledger(stores[0])] == [""]
    for each in stores:
        each.close()


def test_a_step_that_fails_leaves_the_version_before(released: Released) -> None:
    """At any of its statements; the next one who opens it begins again."""
    store = released(1)
    fail_at, counted = 0, 0

    def counting(connection, cursor, statement, *rest) -> None:
        nonlocal counted
        if re.match(r"\s*(CREATE|ALTER|DELETE|INSERT)", statement):
            counted += 1
            if counted == fail_at:
                raise OSError("ended here")

    event.listen(store._engine, "before_cursor_execute", counting)
    before = None
    while True:
        fail_at, counted = fail_at + 1, 0
        try:
            ledger(store)
        except StoreError:
            looked = Store(store.url)
            with looked._engine.connect() as connection:
                tables = sorted(inspect(connection).get_table_names())
                found = connection.exec_driver_sql("SELECT version FROM distpriv_schema").scalar()
            before = before or tables
            assert (tables, found) == (before, 1)
            continue
        break
    assert fail_at > 8
    assert version(store) == SCHEMA
    assert [each.author for each in ledger(store)] == ["Ann"]
    store.close()


def test_one_that_can_only_be_read_stays_as_it_is(released: Released, url: str) -> None:
    """It is read, without limits, for it cannot hold any; nothing can be written to it."""
    store = released(1)
    if store.url.get_backend_name() == "sqlite":
        reader = Store(make_url(f"sqlite:///file:{store.url.database}?mode=ro&uri=true"))
        said = "read but not written"
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE ROLE looker LOGIN")
            connection.execute("GRANT USAGE ON SCHEMA public TO looker")
            connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker")
        reader, said = Store(store.url.set(username="looker")), "does not allow it"
    assert [(each.author, each.reason) for each in ledger(reader)] == [("Ann", "")]
    assert limits(reader, "d") == []
    assert len(on_record(reader, "d").made) == 1
    with pytest.raises(StoreError, match=said):
        agreed(reader, Terms(accuracy=0.6))
    assert version(reader) == 1
    reader.close()


def test_one_of_a_later_version_is_left_alone(store: Store) -> None:
    record(store, entry())
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE distpriv_schema SET version = 9")
    again = Store(store.url)
    with pytest.raises(StoreError, match="later version of distpriv"):
        ledger(again)
    with pytest.raises(StoreError, match="later version of distpriv"):
        record(again, entry())
    again.close()
