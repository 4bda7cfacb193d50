"""A session of the pages as somebody finds it who has just come."""

from __future__ import annotations

import pytest

from distpriv.files import PAGES


@pytest.fixture
def fresh(warm):
    """On Check, with the first example and nothing else chosen; what pages keep goes at the end."""
    begin(warm)
    yield warm
    if any(name in warm.session_state for name in ("attribute", "notions", "tour")):
        begin(warm)


def widget(kind, label):
    return next(each for each in kind if each.label.startswith(label))


def press(app, label):
    widget(app.main.button, label).click().run()
    assert not app.exception


def begin(app):
    """Leave the page, whose controls are then gone, and forget what pages keep besides."""
    state = app.session_state["state"]
    state.take(state.start("census-income"))
    app.switch_page(PAGES / "check.py").run()
    for key in app.session_state.to_dict():
        if key.partition("-")[0] in ("attribute", "notions", "papers", "relaxed", "tour"):
            del app.session_state[key]
