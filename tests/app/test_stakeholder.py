"""Those who decide: one page from a link alone, a yes or no, and nothing that changes anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distpriv.dashboard.shell.pages import PAGES
from distpriv.store import all_decisions, open_store, propose, revise
from tests.app.driver import captions, errors, press, proposed, sound, texts, turn_to, warnings
from tests.examples import alternative

OPTIONS = {"role": "stakeholder"}


def kept():
    return all_decisions(open_store())


def widgets(app) -> set[str]:
    """Everything that can be set or pressed, by its label."""
    kinds = ("button", "checkbox", "number_input", "selectbox", "slider", "text_area", "text_input")
    more = ("file_uploader", "multiselect", "segmented_control", "select_slider", "toggle")
    return {each.label for kind in (*kinds, *more) for each in getattr(app, kind)}


def test_from_a_link_alone_to_a_yes_that_the_analyst_sees(open_app):
    analyst = proposed(open_app("decide"), "Ann *x*", "Enough\n# for ![the](http://evil) report.")
    (decision,) = kept()
    app = open_app(**OPTIONS, decision=decision.key)
    sound(app)
    said = texts(app).replace("\\", "")
    assert "whether 45 % or 55 % of the records have income = >50K in 57 of 100 guesses" in said
    assert "The promise is kept." in said
    assert "**Ann *x***" in said
    assert "\\# for \\!\\[the\\]" in texts(app)
    for each in decision.now.alternatives:  # each with its errors and what they mean
        assert each.name in said
    assert said.count("mean age **± ") == 3
    assert "% of all, " in said
    assert "draw of the 100 records" in captions(app)
    assert widgets(app) == {"Agree", "Reject", "Your name", "Your reason"}
    assert not app.sidebar.children
    # There is no other page to go to, and the session stays what it is.
    for page in PAGES:
        with pytest.raises(ValueError, match="Could not find a navigation page"):
            turn_to(app, page.name)
    for name in list(app.query_params):
        del app.query_params[name]
    app.run()
    assert widgets(app) == {"Agree", "Reject", "Your name", "Your reason"}
    press(app, "Agree")
    assert "The reason is empty" in errors(app)
    app.text_area(key="settling_comment").set_value("Fine for *this* year.")
    app.text_input(key="who").set_value("ann *X*")
    press(app, "Agree")
    assert "so somebody else has to agree" in errors(app)
    app.text_input(key="who").set_value("Bob")
    press(app, "Agree")
    assert "Agreed by Bob on" in app.success[0].value.replace("\\", "")
    assert "Fine for \\*this\\* year" in app.success[0].value
    assert not widgets(app)
    analyst.run()
    assert "and agreed to by Bob" in texts(analyst)


def test_what_waits_and_what_is_gone(open_app):
    store = open_store()
    for name, digest in (("one", "a"), ("two", "b")):
        seen = [alternative("as published last year")]
        propose(
            store, author="Ann", reason="Enough.", data=f"{name}.csv", digest=digest,
            alternatives=seen, chosen=seen[0].name,
        )  # fmt: skip
    app = open_app(**OPTIONS)
    sound(app)
    assert "**2 decisions** wait" in texts(app)
    assert "The total error is 8.15" not in texts(app)
    only = open_app(**OPTIONS, table="b")
    assert "**One decision** waits" in texts(only)
    assert "two\\.csv" in texts(only)
    only = open_app(**OPTIONS, table="b", decision="0" * 32)
    assert "not on record here" in warnings(only)
    press(only, "Look at it")
    # An older row shows what it has.
    assert "The total error is 8.15; nothing more is on record" in texts(only).replace("\\", "")
    assert "as published last year" in texts(only)
    assert "Only this secret is hidden" in captions(only)
    # Somebody else is faster.
    (decision,) = all_decisions(store, "b")
    revise(
        store, decision.key, 1, author="Cem", reason="Less.", chosen="later",
        alternatives=[replace(decision.now.choice, name="later")],
    )  # fmt: skip
    only.text_input(key="who").set_value("Bob")
    only.text_area(key="settling_comment").set_value("Too much.")
    press(only, "Reject")
    assert "Cem changed this decision on" in errors(only)
    assert only.text_area(key="settling_comment").value == "Too much."
    press(only, "Reject")
    assert all_decisions(store, "b")[0].now.comment == "Too much."
    assert "Rejected by Bob" in errors(only)
    press(app, "Look at it")
    assert "May this be published?" in app.title[0].value


def test_without_a_database_it_is_a_sentence(open_app, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "mysql://me:secret@host/name")
    app = open_app(**OPTIONS)
    sound(app)
    assert "What is to be decided cannot be shown until it answers" in texts(app)
    assert widgets(app) == {"Ask again"}
