"""Tooltips, words and questions, and the view for projectors."""

from __future__ import annotations

import pytest

from distpriv.dashboard import page
from distpriv.dashboard.fields import BY_NAME
from distpriv.files import PAGES
from tests.pages.conftest import widget


@pytest.fixture
def projected(fresh):
    widget(fresh.main.button, "Present").click().run()
    yield fresh
    if fresh.session_state["state"].present:
        widget(fresh.main.button, "End presentation").click().run()


def test_controls_and_sentences_explain_their_terms(fresh):
    assert widget(fresh.sidebar.slider, "Right guesses").help == page.tip(BY_NAME["guesses"].term)
    assert widget(fresh.sidebar.multiselect, "You release").help == page.tip("figure")
    assert fresh.main.markdown[0].help == page.tip("right guesses of 100")


def test_words_are_found_on_a_page_without_sidebar(fresh):
    fresh.switch_page(PAGES / "papers.py").run()
    widget(fresh.main.button, "Words and questions").click().run()
    assert len(fresh.expander) > 10
    widget(fresh.text_input, "Find").set_value("Markov quilt").run()
    assert any(one.value.startswith("**Markov quilt**") for one in fresh.markdown)
    widget(fresh.text_input, "Find").set_value("zzz").run()
    assert any("No word or question" in one.value for one in fresh.markdown)
    fresh.session_state["state"].dialog = ""


def test_present_hides_the_sidebar_and_stays_from_page_to_page(projected):
    app = projected
    app.session_state["state"].change(guesses=70.0)
    app.run()  # which writes the address
    for name in ("tour", "check"):
        app.switch_page(PAGES / f"{name}.py").run()
        assert not app.exception
        assert app.query_params["present"] == "1"
        assert not app.sidebar.slider
    assert app.query_params["limit"] == "70"
    widget(app.main.button, "End presentation").click().run()
    assert widget(app.sidebar.slider, "Right guesses").value == 70
    assert "present" not in app.query_params


def test_words_in_pictures_are_larger_for_a_projector():
    figure = {"layout": {"font": {"size": 10}, "height": 5}, "data": [{"x": [1, 2]}]}
    larger = page._larger(figure)
    assert larger["layout"]["font"]["size"] == pytest.approx(13.4)
    assert larger["layout"]["height"] == 5
    assert larger["data"][0]["x"] == [1, 2]
