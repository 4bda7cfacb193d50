"""The Glossary page: every term in its group, a search, and the way to where it is seen."""

from __future__ import annotations

from distpriv import glossary
from tests.app.driver import captions, clean, infos, texts


def test_terms_are_read_and_looked_up(open_app):
    app = open_app("glossary")
    clean(app)
    assert [tab.label for tab in app.tabs] == list(glossary.GROUPS)
    plain = texts(app).replace("\\", "")
    for each in glossary.TERMS:
        assert f"**{each.name}** — {each.meaning}".replace("\u00a0", " ") in plain
    app.text_input(key="term").set_value("root of squares").run()
    clean(app)
    assert "**L2 error** — " in texts(app)
    assert "1 of " in captions(app)
    assert "**noise**" not in texts(app)
    app.text_input(key="term").set_value("<b>*nonsense*").run()
    clean(app)
    assert "No term has “<b>*nonsense*”" in infos(app)
    linked = open_app("glossary", term="ceiling")
    assert linked.text_input(key="term").value == "ceiling"
    assert "**noise**" not in texts(linked)


def test_a_tooltip_says_what_the_glossary_says(open_app):
    app = open_app("guarantee")
    assert app.select_slider(key="releases").help == glossary.hover("repeated releases")
