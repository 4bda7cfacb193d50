"""Rows of the store that another hand has written: named on the pages, and the rest stays."""

from __future__ import annotations

from distpriv.store import open_store
from tests.app.driver import captions, errors, proposed, release, sound, texts

DECISIONS = [
    "status = 'perhaps'",
    "alternatives = 'no JSON'",
    "alternatives = '[]'",
    "alternatives = '[{}]'",
    "at = 'never'",
    "version = 7",
    "reason = X'FF'",
    "epsilon = 9e999",
]
RELEASES = [
    "noise = '{}'",
    "noise = '[NaN]'",
    "at = 'never'",
    "units = '[1]'",
    "\"values\" = '[Infinity]'",
    "\"values\" = 'no JSON'",
    "author = CAST(X'EDA080' AS TEXT)",
    "digest = X'FF'",
]


def put(app, table: str, change: str, which: str):
    """Change a row, look at the page, and put back what was there."""
    store = open_store()
    with store.writing() as session:
        connection = session.connection()
        connection.exec_driver_sql(f"CREATE TABLE before AS SELECT * FROM {table}")
        connection.exec_driver_sql(f"UPDATE {table} SET {change} WHERE {which}")
    app.run()
    with store.writing() as session:
        connection = session.connection()
        connection.exec_driver_sql(f"DELETE FROM {table}")
        connection.exec_driver_sql(f"INSERT INTO {table} SELECT * FROM before")
        connection.exec_driver_sql("DROP TABLE before")
    return app


def test_decide_and_those_who_decide_see_the_rest(open_app):
    app = proposed(proposed(open_app("decide"), "Ann", "First."), "Bea", "Second.")
    viewer = open_app(role="stakeholder")
    for change in DECISIONS:
        for each in (app, viewer):
            put(each, "decision_revisions", change, "author = 'Ann'")
            assert not each.exception
            assert "1 decision on record (" in captions(each), change
            assert "cannot be read" in captions(each)
            assert "Bea" in texts(each)
    sound(app.run())
    assert "cannot be read" not in captions(app)


def test_release_names_it_and_lets_nothing_pass(open_app):
    app = release(release(open_app("release")))
    for change in RELEASES:
        put(app, "releases", change, "number = 1")
        assert not app.exception
        assert "1 release on record (No. 1) cannot be read" in errors(app).replace("\u00a0", " "), (
            change
        )
        assert "Release …" not in [each.label for each in app.button]
