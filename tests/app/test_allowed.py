"""The right guesses allowed stay where another question is asked, unless ε was set since."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from distpriv.dashboard.shell.allowed import AT_FIRST
from tests.app.driver import clean, texts, turn_to, upload


def staff(size: int = 1500) -> pd.DataFrame:
    """What is paid tells of both columns whose shares may be secret."""
    rng = np.random.default_rng(3)
    manages, night = rng.random(size) < 0.4, rng.random(size) < 0.5
    return pd.DataFrame(
        {
            "pay": np.round(rng.normal(3000, 400, size) + 500 * manages + 250 * night, 2),
            "hours": rng.integers(20, 60, size),
            "manages": np.where(manages, "true", "false"),
            "night": np.where(night, "true", "false"),
        }
    )


def begun(open_app):
    app = upload(open_app("question"), staff())
    app.selectbox(key="own_secret").set_value("manages = true").run()
    clean(app)
    assert guesses(app) == AT_FIRST
    return app


def guesses(app) -> int:
    """As the slider has them, which the verdict says too."""
    allowed = int(app.slider(key="allowed").value)
    right = re.search(r"ε = [\d.]+\W+(\d+) of 100", texts(app).replace("\u00a0", " "))
    assert right is not None
    assert int(right[1]) == allowed
    return allowed


def ask_about_another(app):
    """Another secret."""
    box = app.selectbox(key="own_secret")
    label = "manages = true" if box.value == "night = true" else "night = true"
    box.set_value(label).run()
    clean(app)
    return app


def test_another_question_takes_the_epsilon_anew(open_app):
    app = begun(open_app)
    first = app.session_state["scenario"]
    ask_about_another(app)
    now = app.session_state["scenario"]
    assert now.secret != first.secret
    assert guesses(app) == AT_FIRST
    # It is one step to go back.
    app.button(key="history_undo").click().run()
    clean(app)
    assert app.session_state["scenario"] == first


def test_another_delta_takes_another_epsilon(open_app):
    app = begun(open_app)
    before = app.session_state["scenario"].epsilon
    app.number_input(key="delta").set_value(0.01).run()
    clean(app)
    assert app.session_state["scenario"].epsilon < before
    assert guesses(app) == AT_FIRST


def test_who_sets_epsilon_keeps_it(open_app):
    app = begun(open_app)
    app.number_input(key="eps").set_value(0.5).run()
    ask_about_another(app)
    assert app.session_state["scenario"].epsilon == 0.5
    assert guesses(app) < AT_FIRST


def test_where_epsilon_stands_beside_the_question_it_stays(open_app):
    app = begun(open_app)
    epsilon = app.session_state["scenario"].epsilon
    ask_about_another(turn_to(app, "compare"))
    turn_to(app, "question")
    assert app.session_state["scenario"].epsilon == epsilon
    ask_about_another(app)
    assert app.session_state["scenario"].epsilon == epsilon
