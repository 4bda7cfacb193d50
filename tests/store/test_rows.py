"""Rows that another hand has written: told from the rest, left as they are, nothing gets past."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from distpriv.errors import LimitError, StoreError
from distpriv.store import (
    Decision,
    Store,
    Terms,
    all_decisions,
    ledger,
    limits,
    on_record,
    one_decision,
    open_store,
    propose,
    record,
    settle,
)
from distpriv.store.rows import refused
from tests.examples import alternative
from tests.store.limited import agreed, release, sources


def proposed(store: Store, author: str = "Ann", digest: str = "abc") -> Decision:
    return propose(
        store,
        author=author,
        reason="Enough.",
        data="people.csv",
        digest=digest,
        alternatives=[alternative("now")],
        chosen="now",
    )


RELEASES = [
    "noise = '{}'",
    "noise = 'no JSON'",
    "at = 'never'",
    "units = '[1]'",
    "\"values\" = '[NaN]'",
    "\"values\" = '[Infinity]'",
    "\"values\" = '[1, 2]'",
    '"values" = \'{"a": 1}\'',
    "author = CAST(X'EDA080' AS TEXT)",
    "author = X'00'",
    "digest = X'FF'",
    "digest = CAST(X'EDA080' AS TEXT)",
]
LIMITS = [
    "terms = '[]'",
    "terms = 'no JSON'",
    'terms = \'{"accuracy": "x"}\'',
    "terms = '{\"accuracy\": NaN}'",
    "terms = '{\"group\": 0.5}'",
    "at = 'never'",
    "version = 3",
    "agreement = X'FF'",
    "digest = X'FF'",
]
DECISIONS = [
    "status = 'perhaps'",
    "alternatives = 'no JSON'",
    "alternatives = '[]'",
    "alternatives = '[1]'",
    'alternatives = \'[{"name": "now"}]\'',
    "alternatives = replace(alternatives, '0.58', '\"\\ud800\"')",
    "alternatives = replace(alternatives, '0.58', 'NaN')",
    "at = 'never'",
    "epsilon = 9e999",
    "chosen = 'none of them'",
    "version = 7",
    "reason = X'FF'",
]


def changed(url: str, table: str, change: str, which: str = "1 = 1", **values: object) -> list:
    """Change rows as another hand does, and tell what the table holds then."""
    engine = create_engine(url)
    with engine.begin() as connection:
        said = text(f"UPDATE {table} SET {change} WHERE {which}".replace('": ', '"\\: '))
        connection.execute(said, values)
    engine.dispose()
    return held(url, table)


def held(url: str, table: str) -> list:
    engine = create_engine(url)
    with engine.begin() as connection:
        names = [row[1] for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")]
        hexed = ", ".join(f'hex("{name}")' for name in names)
        rows = connection.exec_driver_sql(f"SELECT {hexed} FROM {table}").all()
    engine.dispose()
    return list(rows)


@pytest.mark.parametrize(
    ("table", "change"),
    [("releases", each) for each in RELEASES] + [("limit_revisions", each) for each in LIMITS],
)
def test_an_unreadable_release_or_limit_lets_nothing_pass(
    tmp_path: Path, table: str, change: str
) -> None:
    url = f"sqlite:///{tmp_path}/kept.sqlite"
    store = open_store(url)
    agreed(store, Terms(accuracy=0.99))
    record(store, release("Ann"), sources())
    record(store, release("Bea"), sources())
    first = table == "releases"
    before = changed(url, table, change, "number = 1" if first else "1 = 1")
    found = on_record(store, "d")
    assert len(found.unreadable) == 1
    assert [each.author for each in found.made] == (["Bea"] if first else ["Ann", "Bea"])
    assert len(found.limits) == int(first)
    assert "1 release on record (No.\u00a01)" in refused(found.unreadable) or not first
    assert len((ledger if first else limits)(store, "d").unreadable) == 1
    with pytest.raises(LimitError, match=r"Nothing more is released of this table.*cannot be read"):
        record(store, release("Cem"), sources())
    assert held(url, table) == before
    store.close()


@pytest.mark.parametrize("change", DECISIONS)
def test_an_unreadable_decision_does_not_count_and_is_not_changed(
    tmp_path: Path, change: str
) -> None:
    url = f"sqlite:///{tmp_path}/kept.sqlite"
    store = open_store(url)
    bad, good = proposed(store), proposed(store, author="Bea")
    before = changed(url, "decision_revisions", change, f"decision = '{bad.key}'")
    found = all_decisions(store)
    assert [each.key for each in found] == [good.key]
    assert [each.key for each in found.unreadable] == [bad.key]
    with pytest.raises(StoreError, match="cannot be read"):
        one_decision(store, bad.key)
    with pytest.raises(StoreError, match="cannot be read"):
        settle(store, bad.key, 1, author="Cem", status="agreed")
    assert held(url, "decision_revisions") == before
    store.close()


CONTENT = st.one_of(
    st.none(), st.text(max_size=5), st.binary(max_size=5), st.floats(), st.integers(-9, 9)
)
COLUMNS = {
    "releases": ["at", "author", "units", '"values"', "noise", "scenario", "note", "data"],
    "limit_revisions": ["at", "author", "terms", "scenario", "version", "agreement", "data"],
    "decision_revisions": ["at", "status", "chosen", "alternatives", "epsilon", "version", "data"],
}


@settings(max_examples=60, deadline=None)
@given(table=st.sampled_from(sorted(COLUMNS)), content=CONTENT, data=st.data())
def test_whatever_stands_in_a_column_every_row_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, table: str, content: object, data: st.DataObject
) -> None:
    column = data.draw(st.sampled_from(COLUMNS[table]))
    url = f"sqlite:///{tmp_path_factory.mktemp('rows')}/kept.sqlite"
    store = open_store(url)
    record(store, release(), sources())
    agreed(store, Terms(accuracy=0.99))
    proposed(store, digest="d")
    try:
        before = changed(url, table, f"{column} = :content", content=content)
    except DBAPIError:  # the database itself refuses it
        return
    found, decisions = on_record(store, "d"), all_decisions(store, "d")
    assert len(found.made) + len(found.limits) + len(found.unreadable) == 2
    assert len(decisions) + len(decisions.unreadable) == 1
    assert held(url, table) == before
    store.close()


def test_on_postgresql_too(fresh_postgres: str) -> None:
    store = open_store(fresh_postgres)
    record(store, release("Ann"), sources())
    record(store, release("Bea"), sources())
    for change in ("noise = '{}'", "at = 'infinity'", "\"values\" = '[]'"):
        with store.writing() as session:
            session.connection().exec_driver_sql(f"UPDATE releases SET {change} WHERE number = 1")
        found = ledger(store, "d")
        assert [each.author for each in found] == ["Bea"]
        assert [each.key for each in found.unreadable] == ["1"]
        with pytest.raises(LimitError, match="cannot be read"):
            record(store, release("Cem"), sources())
    store.close()
