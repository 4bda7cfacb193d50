"""The file that the command names, and the dialog that takes a table."""

from __future__ import annotations

from dataclasses import fields

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from distpriv.dashboard import upload
from distpriv.dashboard.reading import ACTIONS, action
from distpriv.dashboard.state import State
from distpriv.sources.engine import EngineSource
from distpriv.tables import ReadOptions
from tests.pages.conftest import press

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


def test_file_that_cannot_be_read_is_one_sentence(path, read_here):
    state = State()
    assert "cannot be read" in upload.offer_opened(state)
    path.write_text("")
    upload._opened.cache_clear()
    assert "empty" in upload.offer_opened(state)
    assert not state.uploads


@pytest.mark.parametrize("name", ["people.parquet", "parts"])
def test_table_that_the_command_names_stays_where_it_lies(path, tmp_path, monkeypatch, name):
    frame = pd.DataFrame({"age": [20 + i * 7 % 40 for i in range(60)], "sex": [*"fm"] * 30})
    frame.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "parts").mkdir()
    frame.to_csv(tmp_path / "parts" / "1.csv", index=False)
    monkeypatch.setenv("DISTPRIV_OPEN", str(tmp_path / name))
    state = State()
    assert upload.offer_opened(state) == ""
    state.read_address({}, moved=False)
    assert isinstance(state.source(), EngineSource)
    assert (state.scenario.source, state.source().title) == ("open", name)
    assert not state.files
    assert state.evaluation().recommendation.way.kept


def test_large_text_that_is_no_plain_table_is_read(path, monkeypatch, read_here):
    path.write_text(CELLS + "\nSource: a register")
    monkeypatch.setattr("distpriv.files.LARGE", 10)
    assert upload._opened(path)[0].rows == 166


def ask():
    """Draw what the dialog holds."""
    from distpriv.dashboard import page, upload

    upload.dialog.__wrapped__(page.session())


def test_dialog_asks_three_questions_and_takes_all_at_once(read_here):
    """Figures of a secret that was chosen last do not tell it."""
    app = AppTest.from_function(ask, default_timeout=30).run()
    app.file_uploader[0].upload("deaths.csv", CELLS.encode()).run()
    assert app.radio[0].value == "cell"
    assert app.selectbox[0].value == "Freq"
    for label in ("sex = f", "died = n"):
        app.selectbox[1].set_value(label).run()
    press(app, "Check")
    state = app.session_state["state"]
    assert not app.exception
    assert (state.scenario.source, state.source().rows, state.dialog) == ("upload", 166, "")
    assert state.scenario.secrets[0].secret.label == "died = n"
    assert state.evaluation().recommendation.way.kept


def test_choice_of_shares_is_new_where_its_words_are(read_here):
    """A browser shows no choice where the words of the chosen one have changed."""
    rows = [f"{'ny'[i % 2]},{1 + i % 2 * 8},{20 + i % 7},2020-01-0{1 + i % 9}" for i in range(100)]
    app = AppTest.from_function(ask, default_timeout=30).run()
    app.file_uploader[0].upload("late.csv", "\n".join(["late,n,age,day", *rows]).encode()).run()
    assert str(app.dataframe[0].value["day"].iloc[0]) == "2020-01-01"
    seen = {}
    for kind in ("record", "cell"):
        app.radio[0].set_value(kind).run()
        secret = next(one for one in app.selectbox if one.label.startswith("2."))
        secret.set_value("late = y").run()
        shares = next(one for one in app.radio if one.label.startswith("3."))
        assert shares.value == "grid"
        seen[shares.options[0]] = shares.key
    assert len(seen) == len({*seen.values()}) == 2


PEOPLE = "age,sex,pay\n" + "\n".join(
    f"{'unknown' if i % 20 == 3 else 20 + i},{'fm'[i % 3 > 1]},{'999' if i % 9 == 4 else i % 5}"
    for i in range(100)
)


def test_click_on_a_notice_reads_the_file_otherwise_and_keeps_the_answers(read_here):
    app = AppTest.from_function(ask, default_timeout=30).run()
    app.file_uploader[0].upload("people.csv", PEOPLE.encode()).run()
    assert not app.file_uploader
    assert [one.label for one in app.button] == [
        "Another file",
        "Keep as answers",
        "Treat as missing",
        "Check",
    ]
    assert "**100 records**, 3 columns. Numbers: age and pay. Labels: sex." in words(app)
    app.selectbox[0].set_value("sex = m").run()
    app.radio[1].set_value("free").run()
    press(app, "Treat as missing")
    assert "Read: pay as chosen" in words(app)
    assert (app.selectbox[0].value.label, app.radio[1].value) == ("sex = m", "free")
    press(app, "Read as at first")
    assert "as chosen" not in words(app)
    press(app, "Treat as missing")
    state = app.session_state["state"]
    state.file.change(ReadOptions(header=(500,), first=501), ())
    app.run()
    assert "Row 500 cannot name the columns" in app.error[0].value
    assert "Read: pay as chosen" in words(app)
    press(app, "Check")
    assert state.scenario.reading.missing == (("pay", ("999",)),)
    assert state.source().columns(["pay"])["pay"].max() == 4


def words(app):
    return " ".join(one.value for one in (*app.markdown, *app.caption))


def test_every_option_that_a_click_changes_has_words():
    """Quotation marks change by hand alone."""
    assert ACTIONS.keys() == {one.name for one in fields(ReadOptions)} - {"quote", "escape"}
    assert action({"decimal": ",", "thousands": "."}.items()) == "Points between thousands"
    assert action({"decimal": ",", "thousands": ""}.items()) == "Decimal comma instead"
