"""Scenarios from links and files: opened, kept until their data are there, or refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import pack_scenario
from distpriv.queries.nonlinear import Quantile
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from tests.app.driver import errors, records, sound, texts, upload
from tests.examples import PLAIN, SOME

BOUNDS = (["0.0 to 100.5 hours-per-week"], "0.0 to 100.5 hours-per-week")


def scenario_of(app) -> Scenario:
    sound(app)
    return app.session_state["scenario"]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"whole": True, "n": 45222, "distances": "normals"},
        {"query": Query([Quantile("age", 0.3)]), "tolerances": (0.1,), "distances": "normals"},
        {"grid": None, "others": (), "look": "", "units": "raw", "report": "raw", "bounds": ()},
    ],
)
def test_a_link_makes_every_choice(open_app, change):
    digest = scenario_of(open_app()).digest
    wanted = replace(SOME, digest=digest, **change)
    if wanted.units == "raw":
        wanted = replace(wanted, tolerances=())
    app = open_app(scenario=pack_scenario(wanted))
    assert scenario_of(app) == wanted
    assert not app.error
    assert "scenario" not in app.query_params
    app.switch_page("../../pages/question.py").run()
    assert scenario_of(app) == wanted


def test_the_address_makes_them_too(open_app):
    digest = scenario_of(open_app()).digest
    wanted = replace(SOME, digest=digest, distances="normals")
    app = open_app(scenario=pack_scenario(wanted))
    assert app.query_params["bounds"] in BOUNDS
    # AppTest leaves out what widgets write into the address; the browser's test has the rest.
    again = open_app(
        secret=wanted.secret.label,
        also=[pair.label for pair in wanted.others],
        bounds=app.query_params["bounds"],
    )
    found = scenario_of(again)
    assert found.secret == wanted.secret
    assert found.others == wanted.others
    assert found.bounds == wanted.bounds


@pytest.mark.parametrize("packed", ["", "nonsense", pack_scenario(SOME)[:-20]])
def test_a_damaged_link_is_a_sentence(open_app, packed):
    app = open_app(scenario=packed)
    assert scenario_of(app).secret.label == "income = >50K"
    assert "cut off; copy the whole link again" in errors(app)
    app.run()
    assert not app.error


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"grid": (0.3, 0.7, 0.07)}, "'grid' must be one of"),
        ({"n": 2_000_000}, "'n' must be at most 1000000"),
        ({"secret": SensitiveProperty("shoe size", above=40)}, "the column 'shoe size'"),
    ],
)
def test_what_no_control_can_take_is_a_sentence(open_app, change, said):
    digest = scenario_of(open_app()).digest
    app = open_app(scenario=pack_scenario(replace(SOME, digest=digest, **change)))
    assert scenario_of(app).secret.label == "income = >50K"
    assert said in errors(app)


def test_a_link_about_an_upload_asks_for_it_and_goes_on(open_app):
    first = upload(open_app("question"), records(900))
    wanted = replace(PLAIN, digest=scenario_of(first).digest, epsilon=2.5, n=40)
    app = open_app("question", scenario=pack_scenario(wanted))
    assert "about a table that is not here" in texts(app)
    assert scenario_of(app).secret.label == "income = >50K"
    upload(app, records(900))
    assert scenario_of(app) == wanted
    assert "not here" not in texts(app)


def test_another_table_is_told_from_the_link_s(open_app):
    wanted = replace(PLAIN, digest="0123456789abcdef", epsilon=2.5, n=40)
    app = open_app("question", scenario=pack_scenario(wanted))
    upload(app, records(900))
    found = scenario_of(app)
    assert replace(found, digest=wanted.digest) == wanted
    assert "fingerprint is `0123456789ab`" in texts(app)
    # A change of the scenario leaves the warning; dismissing it, or other data, do not.
    app.number_input(key="eps").set_value(3.0).run()
    assert "0123456789ab" in texts(app)
    app.button(key="dismiss_opened").click().run()
    assert "0123456789ab" not in texts(app)


def test_a_table_without_the_columns_is_told_and_the_link_waits_on(open_app):
    app = open_app("question", scenario=pack_scenario(replace(PLAIN, digest="0123456789abcdef")))
    upload(app, records(900).drop(columns="sector"))
    sound(app)
    assert "the column 'sector', which the data do not have" in errors(app)
    assert "about a table that is not here" in texts(app)
    upload(app, records(900), name="other.csv")
    assert scenario_of(app).secret.label == "sector = public"


def test_a_plain_address_of_an_upload_says_what_it_lacks(open_app):
    app = open_app("question", data="Your file", eps="3.0", n="55")
    assert "a table of somebody's own" in texts(app)
    upload(app, records(900))
    found = scenario_of(app)
    assert (found.epsilon, found.n) == (3.0, 55)
    assert "somebody's own" not in texts(app)


def test_reference_data_that_are_missing_are_told(open_app):
    digest = scenario_of(open_app()).digest
    wanted = replace(
        SOME, digest=digest, whole=True, reference="feed5eed0123", bounds=(), distances="normals"
    )
    app = open_app(scenario=pack_scenario(wanted))
    sound(app)
    assert "reference data with the fingerprint `feed5eed0123`" in texts(app)
