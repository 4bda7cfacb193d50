"""Dialogs that build a secret, a figure, and a promise to persons."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from distpriv.privacy import Persons
from distpriv.queries import Correlation, Median, Quantile
from tests.pages.conftest import press


def ask(name):
    """Draw what a dialog holds."""
    from distpriv.dashboard import builders, page

    page.session().answered = True
    builders.DIALOGS[name].__wrapped__(page.session())


def opened(name):
    app = AppTest.from_function(ask, args=(name,), default_timeout=50).run()
    return app, app.session_state["state"]


@pytest.mark.parametrize(
    ("kind", "built"),
    [
        ("median", Median("age")),
        ("quantile", Quantile("age", 0.9)),
        ("correlation", Correlation("age", "education-num")),
    ],
)
def test_figures_that_are_no_sums_are_built(kind, built):
    app, state = opened("figure")
    app.selectbox[0].set_value(kind).run()
    press(app, "Add")
    assert state.scenario.statistics[-1] == built
    press(app, "Add")
    assert "released already" in app.error[0].value


def test_per_cents_are_read_with_a_comma_and_their_sign():
    app, state = opened("figure")
    app.selectbox[0].set_value("quantile").run()
    app.text_input[0].set_value("12,5 %").run()
    assert app.text_input[0].value == "12.5"
    press(app, "Add")
    assert state.scenario.statistics[-1] == Quantile("age", 0.125)


def test_secret_that_is_hidden_already_is_not_hidden_twice():
    app, state = opened("secret")
    first = state.scenario.secrets[0]
    app.selectbox[0].set_value(first.secret.column).run()
    app.multiselect[0].set_value([first.secret.values[0]]).run()
    press(app, "Hide it too, beside the first")
    assert "hidden already" in app.error[0].value
    assert state.scenario.secrets == (first,)
    app.multiselect[0].set_value([first.secret.values[0], "<=50K"]).run()
    assert not app.exception


def field(app, label):
    return next(one for one in app.text_input if one.label == label)


def test_persons_are_promised_between_public_bounds():
    """The example's bounds are there; such that exclude records change nothing."""
    app, state = opened("persons")
    before = state.scenario
    assert [one.value for one in app.text_input][:4] == ["1", "0.001", "17", "90"]
    field(app, "Largest age").set_value("50").run()
    press(app, "Protect them")
    assert "exclude records" in app.error[0].value
    field(app, "Largest age").set_value("").run()
    assert any("is not a number" in one.value for one in app.caption)  # beside it, at once
    press(app, "Protect them")
    assert "is not a number" in app.error[0].value
    assert state.scenario == before
    field(app, "Largest age").set_value("90,5").run()
    field(app, "ε for each person").set_value("0,7").run()
    press(app, "Protect them")
    age = ("age", 17.0, 90.5)
    assert state.scenario == replace(
        before, persons=Persons(0.7, 1e-3), bounds=(age, *before.bounds[1:])
    )
    press(app, "Protect the share alone")
    assert state.scenario.persons is None
    state.change(statistics=(Median("age"),))
    press(app.run(), "Protect them")
    assert "is not bounded" in app.error[0].value
