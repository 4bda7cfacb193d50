"""The store: made once, alone in writing, and not taken where it is of another version."""

import pytest

from distpriv.errors import StoreError
from distpriv.records import decisions as d, ledger as l, store as tables
from distpriv.records.store import Store
from tests.records.conftest import OTHER, at_once, proposed, released


def test_processes_that_open_an_empty_database_at_once_make_one(url):
    marks = at_once(lambda _: proposed(Store(url)).versions[0].version, 5)
    assert marks == [1] * 5
    assert len(d.decisions(Store(url))) == 5


def test_readers_and_writers_at_once_take_each_other_for_nothing_else(store, url):
    stores = [store, Store(url)]

    def act(number):
        one = stores[number % 2]
        return [released(one).number if number < 4 else len(l.releases(one)) for _ in range(3)]

    counts = at_once(act, 8)
    assert not [each for each in counts if isinstance(each, StoreError)]
    assert [each.number for each in l.releases(store)] == [*range(1, 13)]


def test_reader_of_a_server_sees_one_moment_while_others_write(database):
    store = Store(database)
    with store.reading() as connection:
        before = tables.rows(connection, tables.RELEASES)
        released(Store(database))
        assert tables.rows(connection, tables.RELEASES) == before == []
    assert len(l.releases(store)) == 1


def test_tables_of_another_version_are_left_alone(store, url):
    proposed(store)
    with pytest.raises(StoreError, match="has tables of version 7"), store.writing() as connection:
        connection.execute(tables._MARK.update().values(schema=7))
    with pytest.raises(StoreError, match="use the distpriv that made it"):
        proposed(Store(url))


def test_nothing_of_a_failed_write_stays(store):
    before = proposed(store)
    with pytest.raises(ZeroDivisionError):
        released(store, OTHER, draw=lambda _: 1 / 0)
    assert d.decisions(store) == [before]
    assert l.releases(store) == []
    assert [one.name for one in l.tables(store)] == ["Staff"]


def test_entry_that_cannot_be_read_stops_releases(store):
    for values in ({"body": [1]}, {"at": "yesterday"}, {"act": "agreed"}):
        proposed(store)
        with store.writing() as connection:
            connection.execute(tables.DECISIONS.update().values(**values))
        with pytest.raises(StoreError, match="holds an entry that cannot be read; put a copy back"):
            released(store)
