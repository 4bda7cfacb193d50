"""The Decisions and Release pages on PostgreSQL; all other tests of them run on SQLite."""

from __future__ import annotations

from distpriv.store import all_decisions, ledger, open_store
from tests.app.driver import press, proposed, release, texts


def test_decisions_and_releases(open_app, fresh_postgres, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", fresh_postgres)
    app = press(proposed(open_app("decisions")), "Agree")
    assert "and agreed to by Ann" in texts(app)
    app.switch_page("../../pages/release.py").run()
    release(app)
    assert "were released **once**" in texts(app)
    store = open_store()
    assert store.place.startswith("PostgreSQL")
    assert [each.now.status for each in all_decisions(store)] == ["agreed"]
    assert len(ledger(store)) == 1
    store.close()


def test_a_server_that_goes_away_is_said(open_app, fresh_postgres, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", fresh_postgres.replace("distpriv-pg-", "gone-"))
    app = open_app("release")
    assert "cannot be reached" in texts(app)
    assert "earlier releases are missing" in texts(app)
    monkeypatch.setenv("DATABASE_URL", fresh_postgres)
    assert "cannot be reached" not in texts(press(app, "Ask again"))
