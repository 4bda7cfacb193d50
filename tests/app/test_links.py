"""Links with extreme and broken parameters: every page opens, and nothing on it is no number."""

from __future__ import annotations

import random
import re

import pytest

from distpriv.dashboard.shell.pages import PAGES
from tests.app.driver import captions, errors, notes, sound, texts

NAMES = (
    *("data", "secret", "stat", "also", "bounds", "dp", "center", "pairs", "grid", "step", "n"),
    *("whole", "repl", "mech", "eps", "delta", "persons", "persons_eps", "persons_delta", "cal"),
    *("units", "report", "dist", "seed", "view", "look", "image_format", "scenario", "share_of"),
)
VALUES = (
    *("", " ", "-0", "-1", "inf", "-inf", "1e400", "1e308", "1e-320", "9" * 5000, "1_0", "0x10"),
    *("\x00", "\u202e", "\ufffd", "١٢", "[]", "{}", "None", "true", "<b>a</b>", "$\\frac$", "'--"),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "") for name in ("cal", "dist", "pairs", "share_of", "units", "report", "view")),
        *((name, value) for name in ("n", "seed") for value in ("inf", "-1e400", "9" * 5000)),
    ],
)
def test_what_breaks_a_control_is_left_out_of_the_address(open_app, name, value):
    app = open_app("glossary", **{name: value, "eps": "2.5"})
    sound(app)
    assert app.session_state["scenario"].epsilon == 2.5
    assert name not in app.query_params


@pytest.mark.parametrize("share_of", ["release", "table"])
def test_a_link_says_whose_share_is_hidden_as_files_do(open_app, share_of):
    app = open_app("question", share_of=share_of)
    sound(app)
    assert app.session_state["scenario"].share_of == share_of
    drawn = {"release": "with exactly the table's share", "table": "at random"}[share_of]
    assert f"A release draws its records {drawn}" in captions(app)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_an_extreme_link_opens_every_page(open_app, page):
    drawn = random.Random(page)  # the same links every time
    asked = {
        name: drawn.choice([[drawn.choice(VALUES)], drawn.choices(VALUES, k=3)])
        for name in drawn.sample(NAMES, 12)
    }
    app = open_app(page, **asked)
    sound(app)
    shown = [texts(app), notes(app), errors(app), *(str(each.value) for each in app.metric)]
    assert not re.search(r"\b(nan|NaN)\b", "\n".join(shown))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("ends", ["-1e308 to 1e308", "-1e+15 to 1e+15", "0.0 to 5e-324"])
def test_extreme_bounds_end_in_a_sentence(open_app, ends):
    app = open_app("answer", bounds=f"{ends} age", persons="true")
    sound(app)
    assert not re.search(r"\b(nan|NaN)\b", texts(app) + notes(app))
    assert re.search(
        r"beyond|no finite noise|do not hold all its records", errors(app) + notes(app)
    )
