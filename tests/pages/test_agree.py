"""Decide and Answer: a proposal goes round, and what is typed or on record is never lost."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from distpriv.dashboard import agree
from distpriv.files import PAGES
from distpriv.records import decisions
from distpriv.records.decisions import Naming
from distpriv.records.store import Store
from tests.conftest import ROOT
from tests.pages.conftest import widget


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A database of this test's own."""
    address = f"sqlite:///{tmp_path / 'records.sqlite'}"
    monkeypatch.setenv("DISTPRIV_DATABASE", address)
    return Store(address)


@pytest.fixture
def ana(store, fresh):
    return fresh.switch_page(PAGES / "decide.py").run()


def press(app, label, **texts):
    for name, text in texts.items():
        kind = app.text_area if name == "Why" else app.text_input
        widget(kind, {"Name": "Your name"}.get(name, name)).set_value(text)
    widget(app.main.button, label).click().run()
    assert not app.exception


def propose(app, why="The board *asked*."):
    press(app, "Propose", Why=why, Name="Ana")


def answer(key, act, **texts):
    """Answer as somebody who has opened the link."""
    app = AppTest.from_file(ROOT / "distpriv/dashboard/main.py", default_timeout=50)
    app.query_params["decision"] = key
    app.switch_page(PAGES / "answer.py").run()
    app.main.radio[0].set_value(act)
    press(app, "Put on record", **texts)
    return app


def test_a_proposal_goes_round_and_covers_exactly_its_scenario(ana, store):
    state = ana.session_state["state"]
    first = state.scenario
    propose(ana)
    assert ana.title[0].value == "Waiting for an answer"
    [one] = decisions.decisions(store)
    assert one.proposal.body["limits"][0]["guesses"] == 60.0
    bo = answer(one.key, "changes", Name="Bo", Why="Hide more.")
    assert bo.title[0].value == "Changes wanted"
    assert "decision" in bo.query_params
    assert bo.query_params.keys() == {"decision"}
    state.change(guesses=55.0)
    ana.run()
    assert widget(ana.main.selectbox, "This proposal is").value == one.key
    propose(ana, "As Bo asked.")
    bo.run()
    assert bo.title[0].value == "May this be published?"
    assert any("right at most **55 times" in words.value for words in bo.main.markdown)
    assert answer(one.key, "agreed", Name="Bo").title[0].value == "Agreed"
    [one] = decisions.decisions(store)
    assert [each.act for each in one.versions] == ["proposed", "changes", "proposed", "agreed"]
    ana.run()
    assert ana.title[0].value == "Agreed"
    state.take(first)
    ana.run()
    assert ana.title[0].value == "Ready to propose?"
    press(ana, "Take its settings")
    assert state.scenario.guesses == 55.0


@pytest.mark.parametrize(
    ("act", "texts", "sentence"),
    [
        (None, {"Name": "Bo"}, "Choose an answer"),
        ("agreed", {"Name": " ANA "}, "other than Ana"),
        ("agreed", {"Name": ""}, "your name"),
        ("rejected", {"Name": "Bo"}, "your reason"),
    ],
)
def test_a_wrong_answer_is_one_sentence_and_nothing_is_lost(ana, store, act, texts, sentence):
    propose(ana)
    [one] = decisions.decisions(store)
    app = answer(one.key, act, **texts)
    [error] = app.error
    assert sentence in error.value
    assert widget(app.text_input, "Your name").value == texts["Name"]
    assert decisions.decision(store, one.key).open


def test_whoever_is_late_reads_that_somebody_has_answered(ana, store):
    propose(ana)
    [one] = decisions.decisions(store)
    app = answer(one.key, "agreed", Name="")
    decisions.answer(store, one.key, 1, author="Cy", act="rejected", reason="No.")
    press(app, "Put on record", Name="Bo")
    assert "Cy has rejected" in app.error[0].value
    assert widget(app.text_input, "Your name").value == "Bo"
    app.run()
    assert "Cy has answered before you" in app.error[0].value
    assert decisions.decision(store, one.key).now.author == "Cy"


def test_limits_and_review_date_are_put_on_record(ana, store):
    state = ana.session_state["state"]
    state.change(by="epsilon", epsilon=1.0)
    ana.run()
    widget(ana.main.text_input, "ε, for all").set_value("nought")
    propose(ana)
    assert "is not a number" in ana.error[0].value
    widget(ana.main.text_input, "ε, for all").set_value("0,5")
    ana.main.date_input[0].set_value(date.today() + timedelta(30))
    press(ana, "Propose")
    body = decisions.decisions(store)[0].proposal.body
    assert body["review"] == f"{date.today() + timedelta(30)}"
    limit = body["limits"][0]
    assert (limit["epsilon"], limit["delta"], limit["guesses"]) == (0.5, 0.001, None)


def test_a_table_with_the_title_of_another_one_is_asked_about(ana, store):
    source = ana.session_state["state"].source()
    body = {"scenario": {"seed": 1}, "way": "BalM", "limits": [], "review": "2999-01-01"}
    former = Naming("Our census", "0" * 32, source.title, ("age",))
    decisions.propose(store, former, token="a", author="Ana", reason="Why", body=body)
    ana.run()
    propose(ana)
    assert "newer version" in ana.error[0].value
    widget(ana.main.selectbox, "A newer version").set_value("Our census")
    press(ana, "Propose")
    assert not ana.error
    assert {one.now.name for one in decisions.decisions(store)} == {"Our census"}


def test_a_database_that_is_away_is_a_sentence_and_the_text_stays(
    ana, store, monkeypatch, tmp_path
):
    propose(ana)
    [one] = decisions.decisions(store)
    bo = answer(one.key, "agreed", Name="")
    home, away = tmp_path / "records.sqlite", tmp_path / "away.sqlite"
    home.rename(away)
    propose(ana, "A second one.")
    assert ana.error
    assert widget(ana.text_area, "Why").value == "A second one."
    assert "Side by side" in [one.value for one in ana.header]
    press(bo, "Put on record", Name="Bo")
    assert bo.error
    assert widget(bo.text_input, "Your name").value == "Bo"
    away.rename(home)
    press(ana, "Propose")
    press(bo, "Put on record")
    assert bo.title[0].value == "Agreed"
    assert len(decisions.decisions(store)) == 2


def test_a_link_to_nothing_is_a_sentence(store):
    app = AppTest.from_file(ROOT / "distpriv/dashboard/main.py", default_timeout=50)
    app.query_params["decision"] = "nowhere"
    app.switch_page(PAGES / "answer.py").run()
    assert app.title[0].value == "This cannot be shown"
    assert not app.exception


def test_names_come_from_the_sign_in_that_is_set_up(ana, store, monkeypatch):
    monkeypatch.setattr(agree, "sign_in_needed", lambda: True)
    ana.run()
    assert widget(ana.main.button, "Sign in")
    assert not [one for one in ana.main.button if one.label == "Propose"]
    monkeypatch.setattr(agree, "signed_in", lambda: "ana@example.org")
    ana.run()
    press(ana, "Propose", Why="The board asked.")
    assert decisions.decisions(store)[0].now.author == "ana@example.org"
