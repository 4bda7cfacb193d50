"""Values that no control can have, on every page: a sentence or another value, no exception."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from distpriv.dashboard.shell.pages import PAGES
from tests.app.driver import OF_THE_SCENARIO, errors, notes, sound, texts

NAMES = [page.name for page in PAGES]
OUTSIDE = "leaves the range of a proportion"
# Of the scenario's pages each ends in the sentence, if there is one.
LINKS = {
    "shares below 0": ({"center": "0.04"}, OUTSIDE),
    "shares far apart": ({"center": "0.1", "dp": "0.5"}, OUTSIDE),
    "shares around 0": ({"center": "0", "dp": "1"}, OUTSIDE),
    "grid of one share": ({"pairs": "grid", "grid": ["0.3", "0.3"]}, "grid"),
    "infinite bounds": ({"persons": "true", "bounds": ["0 to inf age", "nan to 9 age"]}, ""),
    "infinite numbers": (
        {
            **dict.fromkeys(("n", "eps", "delta"), "1e309"),
            **dict.fromkeys(("dp", "center", "seed"), "nan"),
            "persons": "true",
            "persons_eps": "inf",
            "persons_delta": "-inf",
            "units": "custom",
            "tol0": "inf",
            "grid": ["nan", "inf"],
        },
        "",
    ),
}


def said(app) -> str:
    figures = [text for each in app.metric for text in (each.label, each.value)]
    buttons = [each.label for each in app.button]
    return "\n".join([texts(app), notes(app), errors(app), *map(str, figures), *buttons])


def no_number(app) -> list[str]:
    return re.findall(r".*\b(?:nan|NaN|inf)\b.*", said(app))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(("link", "sentence"), LINKS.values(), ids=LINKS)
@pytest.mark.parametrize("page", NAMES)
def test_an_odd_link_ends_in_a_sentence_or_another_value(open_app, page, link, sentence):
    app = open_app(page, **link)
    sound(app)
    assert not no_number(app)
    if page in OF_THE_SCENARIO:
        assert sentence in errors(app)
        assert bool(errors(app)) == bool(sentence)
    scenario = app.session_state["scenario"]
    figures = [scenario.n, scenario.epsilon, scenario.delta, scenario.width, scenario.center]
    assert all(map(math.isfinite, [*figures, scenario.seed, *(scenario.persons or ())]))
    if link.get("n") == "1e309":
        assert [*figures, scenario.seed] == [100, 1.0, 1e-3, 0.1, 0.5, 1]
        assert scenario.persons == (1.0, 1e-3)
    assert all(map(math.isfinite, [end for _, ends in scenario.bounds for end in ends]))


@pytest.mark.parametrize("page", NAMES)
def test_sliders_that_leave_the_range_of_a_share_end_in_a_sentence(open_app, page):
    app = open_app(page)
    app.slider(key="center").set_value(0.1).run()
    sound(app)
    app.slider(key="dp").set_value(0.5).run()
    sound(app)
    if page in OF_THE_SCENARIO:
        assert re.search(f"{OUTSIDE}.*take Δp at most 0.2 there", errors(app))
    app.slider(key="dp").set_value(0.2).run()
    sound(app)
    assert not errors(app)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("page", NAMES)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_leaves_controls_at_their_defaults(open_app, page, value):
    """As a browser's message may hold it, in every box for a number and every slider."""
    app = open_app(page, persons="true")
    before = app.session_state["scenario"]
    assert len([*app.number_input, *app.slider]) >= 6
    for control in (*app.number_input, *app.slider):
        several = isinstance(control.value, tuple | list)
        control.set_value((value, value) if several else value)
    app.run()
    sound(app)
    assert not no_number(app)
    scenario = app.session_state["scenario"]
    if page == "question":  # whose slider of right guesses takes an ε
        assert 0.001 <= scenario.epsilon <= 100
        scenario = replace(scenario, epsilon=before.epsilon)
    assert scenario == before
