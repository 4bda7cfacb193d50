"""The switch that promises something to each person, on the pages and in links."""

from __future__ import annotations

import pytest

from distpriv.analysis.scenario_file import pack_scenario


def texts(app) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.warning))


def test_the_first_screen_says_what_the_noise_gives_each_person(open_app):
    app = open_app()
    assert "To each person it promises nothing to speak of" in texts(app)


def test_the_switch_finds_one_noise_for_both(open_app):
    app = open_app()
    before = texts(app)
    app.toggle(key="persons").set_value(True).run()
    assert not app.exception
    scenario = app.session_state["scenario"]
    assert scenario.persons == (1.0, 1e-3)
    assert dict(scenario.bounds) == {
        "age": (15, 90),
        "education-num": (1, 16),
        "hours-per-week": (0, 100),
    }
    assert "each person too" in texts(app)
    assert "each person too" not in before
    assert "come from the data; give public ones" in texts(app)
    app.number_input(key="persons_eps").set_value(0.5).run()
    assert "gives ε \\= 0\\.500" in texts(app)
    app.switch_page("../../pages/question.py").run()
    assert any("are the data" in warning.value for warning in app.warning)


def test_a_deep_link_switches_it_on_with_its_bounds(open_app):
    app = open_app(
        "guarantee",
        persons="true",
        persons_eps="0.4",
        persons_delta="0.0001",
        bounds=["0.0 to 120.0 age", "1.0 to 16.0 education-num", "0.0 to 168.0 hours-per-week"],
    )
    scenario = app.session_state["scenario"]
    assert scenario.persons == (0.4, 1e-4)
    assert dict(scenario.bounds)["age"] == (0, 120)
    assert "gives ε \\= 0\\.400" in texts(app)
    again = open_app(scenario=pack_scenario(scenario)).session_state["scenario"]
    assert (again.persons, again.bounds) == (scenario.persons, scenario.bounds)


@pytest.mark.parametrize("page", ["tradeoff", "attack", "answer", "assumptions", "compare"])
def test_every_page_takes_it(open_app, page):
    app = open_app(page, persons="true", mech="EigM")
    assert not app.exception
    assert app.session_state["scenario"].persons == (1.0, 1e-3)


def test_what_cannot_protect_a_person_says_so(open_app):
    app = open_app(persons="true", mech="DauM")
    assert any("noise in 1 of 5 directions" in error.value for error in app.error)
