"""Every page in one warm session: it leads with a title, follows the scenario, and bears bad input."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from distpriv import papers
from distpriv.analysis.tables import EXAMPLE_TITLES, start
from distpriv.dashboard.main import MENU
from distpriv.files import PAGES
from distpriv.privacy import Persons
from distpriv.queries import Count, Mean, Pair, SensitiveProperty
from distpriv.sources import FrameSource
from tests.pages.conftest import widget

NO_ANSWER = "No answer for this"


@pytest.fixture
def session(fresh):
    return fresh, fresh.session_state["state"]


def drawn(app, page="check"):
    app.switch_page(PAGES / f"{page}.py").run()
    assert not app.exception
    return app.title[0].value


@pytest.mark.parametrize("page", MENU)
@pytest.mark.parametrize("source", EXAMPLE_TITLES)
def test_page_leads_with_a_title_and_a_sentence(warm, source, page):
    if warm.session_state["state"].scenario.source != source:
        drawn(warm)  # Check, for some pages have no sidebar
        widget(warm.sidebar.selectbox, "Table").set_value(source).run()
    assert drawn(warm, page) not in ("", NO_ANSWER)
    assert warm.main.markdown[0].value
    assert not warm.error


def test_check_follows_the_limit_and_undo(session):
    app, _ = session
    widget(app.sidebar.slider, "Right guesses").set_value(80.0).run()
    assert app.title[0].value == "Within your limit"
    widget(app.sidebar.button, "Undo").click().run()
    assert app.title[0].value == "An attacker could tell"


def test_limit_by_epsilon_begins_where_the_guesses_led(session):
    app, state = session
    app.sidebar.segmented_control[0].set_value("epsilon").run()
    assert widget(app.sidebar.text_input, "ε").value == "1.5"
    widget(app.sidebar.text_input, "ε").set_value("0,7").run()
    assert state.scenario.epsilon == 0.7
    widget(app.sidebar.text_input, "ε").set_value("abc").run()
    assert state.scenario.epsilon == 0.7
    assert "is not a number" in "".join(each.value for each in app.sidebar.caption)
    assert widget(app.sidebar.text_input, "ε").value == "abc"


def test_other_secrets_are_put_first_and_removed(session):
    app, state = session
    first, other = state.scenario.secrets[0], Pair(SensitiveProperty("sex", "Female"), 0.3, 0.4)
    state.change(secrets=(first, other))
    app.run()
    widget(app.sidebar.button, "Put first").click().run()
    assert state.scenario.secrets == (other, first)
    widget(app.sidebar.button, "Remove").click().run()
    assert state.scenario.secrets == (other,)
    assert not app.exception


def test_guarantee_answers_for_the_way_that_is_chosen(session):
    app, state = session
    assert drawn(app, "guarantee") == "Nothing can be told"
    widget(app.main.get("button_group"), "Way of releasing").set_value("OptM").run()
    assert app.title[0].value == "The promise is kept"
    state.change(persons=Persons(1.0, 1e-3), known_records=8)
    app.run()
    assert "each person" in "".join(one.value for one in app.main.markdown).lower()
    widget(app.main.text_input, "Records an attacker").set_value("2000").run()
    assert "must be 0 to 40" in "".join(one.value for one in app.main.markdown)


def test_papers_shows_every_item_and_computes_it_anew(session):
    app, state = session
    state.change(records=77)
    assert drawn(app, "papers") == "18 of 21 figures agree"
    assert not app.sidebar.children
    for paper in [*dict.fromkeys(item.paper for item in papers.ITEMS.values())][::-1]:
        widget(app.main.get("button_group"), "Paper").set_value(paper).run()
        for key, item in papers.ITEMS.items():
            if item.paper == paper:
                widget(app.main.get("button_group"), "Table").set_value(key).run()
                assert not app.exception
                assert item.name in app.main.markdown[0].value
                written = [one.value for one in app.main.caption if "Erratum" in one.value]
                assert len(written) == len(item.errata)
    widget(app.main.get("button_group"), "Table").set_value("table-4").run()
    widget(app.main.button, "Compute").click().run()
    widget(app.main.button, "Stop")
    assert "the example census" in app.main.get("progress")[0].proto.text
    app.switch_page(PAGES / "check.py").run()
    assert "papers" not in state.jobs
    assert state.scenario.records == 77
    assert drawn(app, "papers") == "All 28 figures agree"


@pytest.mark.parametrize(
    ("page", "choice", "views"),
    [
        (
            "attack",
            "Picture",
            {"width": "made for", "epsilon": "At ε", "belief": "sure", "recall": "finds half"},
        ),
        ("tradeoff", "Error against", {"accepted": "least ε", "width": "With OptM"}),
        ("fit", "Shown as", {"tests": "worst fit", "quantiles": "worst fit"}),
    ],
)
def test_every_picture_of_a_page_is_drawn(session, page, choice, views):
    app, _ = session
    drawn(app, page)
    for view, words in views.items():
        widget(app.main.segmented_control, choice).set_value(view).run()
        assert not app.exception
        assert not app.error
        assert words in app.main.markdown[0].value


def test_published_noise_is_shown_failing(session):
    app, _ = session
    drawn(app, "attack")
    widget(app.main.toggle, "Show it failing").set_value(True).run()
    assert "subtracts its noise" in app.main.markdown[0].value
    assert app.title[0].value.split()[1] in app.main.markdown[0].value.partition("is right")[2]
    assert app.main.selectbox[0].value == "arithmetic"
    assert not app.error


FEW = pd.DataFrame({"age": range(60), "vip": [*"n" * 59, "y"], "buyer": [*"yn"] * 30})
NOBODY = SensitiveProperty("age", above=1000)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"secrets": (Pair(NOBODY, 0.1, 0.2),)}, "No complete record"),
        ({"secrets": (Pair(replace(NOBODY, above=-1), 0.1, 0.2),)}, "Every complete record"),
        ({"secrets": (Pair(SensitiveProperty("vip", "y"), 0.1, 0.2),)}, "Only one record"),
        ({"records": 61}, "60"),
        ({"statistics": (Mean("age"), Count("buyer", "y"))}, "secret"),
        ({"statistics": ()}, "Nothing is released"),
        ({"records": 4}, "share"),
    ],
)
def test_what_has_no_answer_is_one_sentence_and_nothing_is_lost(session, change, words):
    app, state = session
    source = FrameSource("upload", "few.csv", FEW)
    state.bring(source, replace(start(source), statistics=(Mean("age"),)))
    state.change(**change)
    chosen = state.scenario
    for page in ("check", "attack"):
        assert drawn(app, page) == NO_ANSWER
        assert words in app.main.markdown[0].value
    assert state.scenario == chosen
    widget(app.sidebar.button, "Undo").click().run()
    assert app.title[0].value != NO_ANSWER


def test_names_of_a_table_are_drawn_as_they_are(session):
    app, state = session
    evil = "![x](http://a.example/x.png) :red[<b>]"
    source = FrameSource("upload", evil, FEW.rename(columns={"age": evil, "buyer": f"{evil}2"}))
    state.bring(source, start(source))
    for page in MENU:
        assert drawn(app, page) != NO_ANSWER
        for element in (*app.main.markdown, *app.main.caption, *app.sidebar.caption):
            assert "![x]" not in element.value
            assert ":red[<b>" not in element.value
