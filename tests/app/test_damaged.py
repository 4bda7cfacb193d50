"""A damaged database on the pages: said, and set aside by whoever may lift limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from distpriv.dashboard.serving import people
from distpriv.dashboard.serving.people import NotAllowedError
from distpriv.dashboard.serving.writing import set_aside
from distpriv.store import ledger, open_store
from distpriv.store.audit import trail
from tests.app.driver import captions, errors, press, release, sound, texts

BEGIN = "Set it aside and begin a new one"


@pytest.fixture
def damaged(own_database: Path) -> Path:
    own_database.parent.mkdir()
    own_database.write_bytes(b"no database at all " * 500)
    return own_database


def test_it_is_said_and_set_aside_on_request(open_app, damaged):
    app = open_app("release")
    sound(app)
    assert "is damaged or no database" in texts(app)
    assert "before **cannot be read now**" in texts(app)
    assert "earlier releases are missing" in texts(app)
    assert BEGIN in [each.label for each in app.button]
    assert "Nothing of it counts any more." in texts(app)
    # Asking again does not help, and nothing goes out meanwhile.
    press(app, "Ask again")
    assert "nothing is released until it answers" in errors(app)
    assert "Release …" not in [each.label for each in app.button]
    app.text_input(key="store_aside_who").set_value("Ann").run()
    press(app, BEGIN)
    sound(app)
    (kept,) = damaged.parent.glob("*.damaged-*.sqlite")
    assert kept.read_bytes().startswith(b"no database")
    (said,) = app.info
    assert f"kept as {kept.name}" in said.value.replace("\\", "")
    assert "is damaged" not in texts(app)
    release(app)
    assert len(ledger(open_store())) == 1
    first = trail(open_store())[0]
    assert (first.act, first.author) == ("set aside", "Ann")
    assert not app.info


def test_a_second_session_finds_the_new_one(open_app, damaged):
    first, second = open_app("decide"), open_app("decide")
    assert BEGIN in [each.label for each in second.button]
    press(first, BEGIN)
    press(second, BEGIN)
    sound(second)
    assert "is not damaged; it stays as it is" in second.info[0].value
    assert len(list(damaged.parent.glob("*.damaged-*.sqlite"))) == 1


def test_it_takes_the_role_that_lifts_limits(open_app, damaged, monkeypatch):
    monkeypatch.setattr(people, "roles", lambda: ("analyst",))
    app = open_app("release")
    assert "is damaged" in texts(app)
    assert BEGIN not in [each.label for each in app.button]
    assert "Sign in as an approver" in captions(app)
    with pytest.raises(NotAllowedError, match="Sign in as an approver"):
        set_aside("Ann")
    assert damaged.exists()
