"""The file that the command names, and the dialog that takes a table."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from distpriv.dashboard import upload
from distpriv.dashboard.state import State

CELLS = "sex,died,Freq\n" + "\n".join(
    f"{s},{d},{40 + i}" for i, (s, d) in enumerate(["my", "mn", "fy", "fn"])
)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Name a file to the command, which is not there yet."""
    monkeypatch.setenv("DISTPRIV_OPEN", str(tmp_path / "deaths.csv"))
    upload._opened.cache_clear()
    return tmp_path / "deaths.csv"


def test_file_of_the_command_is_what_a_session_begins_with(path):
    path.write_text(CELLS)
    state = State()
    assert upload.offer_opened(state) == ""
    state.read_address({}, moved=False)
    source = state.source()
    assert (state.scenario.source, source.title, source.rows) == ("open", "deaths.csv", 166)
    assert state.scenario.row.column == "Freq"
    assert state.notes == ["Records of deaths.csv are counted in Freq."]
    assert state.evaluation().recommendation.way.kept


def test_file_that_cannot_be_read_is_one_sentence(path):
    state = State()
    assert "cannot be read" in upload.offer_opened(state)
    path.write_text("")
    upload._opened.cache_clear()
    assert "empty" in upload.offer_opened(state)
    assert not state.uploads


def ask():
    """Draw what the dialog holds."""
    from distpriv.dashboard import page, upload

    upload.dialog.__wrapped__(page.session())


def test_dialog_asks_three_questions_and_takes_all_at_once():
    """Figures of a secret that was chosen last do not tell it."""
    app = AppTest.from_function(ask, default_timeout=30).run()
    app.file_uploader[0].upload("deaths.csv", CELLS.encode()).run()
    assert app.radio[0].value == "cell"
    assert app.selectbox[0].value == "Freq"
    for label in ("sex = f", "died = n"):
        app.selectbox[1].set_value(label).run()
    app.button[0].click().run()
    state = app.session_state["state"]
    assert not app.exception
    assert (state.scenario.source, state.source().rows, state.dialog) == ("upload", 166, "")
    assert state.scenario.secrets[0].secret.label == "died = n"
    assert state.evaluation().recommendation.way.kept
