"""The page about notions: every view leads with an answer, and nothing chosen is forgotten."""

from __future__ import annotations

import pytest

from distpriv.files import PAGES
from tests.pages.conftest import widget


def view(app, name):
    widget(app.main.segmented_control, "Shown").set_value(name).run()
    assert not app.exception
    assert not app.error
    return app.title[0].value


@pytest.fixture
def app(fresh):
    return fresh.switch_page(PAGES / "notions.py").run()


def test_every_view_answers_and_choices_outlast_other_views_and_pages(app):
    widget(app.main.slider, "Says yes").set_value(0.2).run()
    assert app.title[0].value == "F-score up to 0.71"  # Equation 12 at ε = 1
    assert "**65\u00a0times in\u00a0100**" in app.main.markdown[0].value
    assert view(app, "map") == "BP bounds 3 other notions"
    widget(app.main.selectbox, "Notion").set_value("DP").run()
    assert app.title[0].value == "DP bounds no other notions"
    widget(app.main.toggle, "Records").set_value(True).run()
    assert app.title[0].value == "DP bounds 3 other notions"
    assert "30\u00a0% of 100 records" in "".join(one.value for one in app.main.markdown)
    assert view(app, "composition") == "Promises do not add up"
    widget(app.main.slider, "Correlation").set_value(0.0).run()
    assert app.title[0].value == "Here they add up"
    app.switch_page(PAGES / "check.py").run()
    app.switch_page(PAGES / "notions.py").run()
    view(app, "tests")
    assert widget(app.main.slider, "Says yes").value == 0.2
    view(app, "map")
    assert widget(app.main.toggle, "Records").value


def test_what_makes_no_sense_is_one_sentence_and_is_kept(app):
    view(app, "tests")
    widget(app.main.selectbox, "Noise").set_value("exact").run()
    widget(app.main.text_input, "δ").set_value("much").run()
    assert "is not a number" in app.main.markdown[0].value
    widget(app.main.text_input, "δ").set_value("0,001").run()
    widget(app.main.slider, "F-score").set_value(0.6).run()
    assert "Always saying yes reaches" in "".join(one.value for one in app.main.markdown)
    widget(app.main.slider, "From a prior").set_value(0.9).run()
    widget(app.main.slider, "From records").set_value(0.9).run()
    assert "knows the answer without" in app.main.markdown[0].value
    assert widget(app.main.text_input, "δ").value == "0.001"


def test_the_law_of_each_figure_moves_and_costs_are_listed(app):
    assert view(app, "wasserstein") == "Up to 0.94 years apart"
    widget(app.main.selectbox, "Figure").set_value(2).run()
    assert app.title[0].value.startswith("Up to 5 records")
    assert app.main.table[0].value.loc["ApproxWasserstein", "proven"] == "by the exact law"
