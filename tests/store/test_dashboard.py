"""The Decisions and Release pages on PostgreSQL; all other tests of them run on SQLite."""

from __future__ import annotations

from distpriv.store import Terms, agree, all_decisions, ledger, open_store
from tests.app.driver import agreed, draw, errors, press, proposed, release, texts


def test_decisions_and_releases(open_app, fresh_postgres, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", fresh_postgres)
    app = agreed(proposed(open_app("decide")))
    assert "and agreed to by Bob" in texts(app)
    app.switch_page("../../pages/release.py").run()
    release(app)
    assert "were released **once**" in texts(app)
    store = open_store()
    assert store.place.startswith("PostgreSQL")
    assert [each.now.status for each in all_decisions(store)] == ["agreed"]
    assert len(ledger(store)) == 1
    store.close()


def test_a_limit_is_kept(open_app, fresh_postgres, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", fresh_postgres)
    app = press(open_app("release"), "Release …")
    agree(
        open_store(),
        0,
        author="Ann",
        reason="Enough.",
        data="",
        digest=app.session_state["scenario"].digest,
        scenario=app.session_state["scenario"],
        terms=Terms(accuracy=0.55),
    )
    draw(app)
    assert "Beyond the limit on income" in errors(app)
    assert ledger(open_store()) == []
    press(app, "Calibrate to what is left")
    release(app)
    assert len(ledger(open_store())) == 1
    open_store().close()


def test_a_server_that_goes_away_is_said(open_app, fresh_postgres, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", fresh_postgres.replace("distpriv-pg-", "gone-"))
    app = open_app("release")
    assert "cannot be reached" in texts(app)
    assert "earlier releases are missing" in texts(app)
    monkeypatch.setenv("DATABASE_URL", fresh_postgres)
    assert "cannot be reached" not in texts(press(app, "Ask again"))
