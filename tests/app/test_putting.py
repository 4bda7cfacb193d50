"""What is put into a control is said to the browser in the next runs too."""

from __future__ import annotations

import pytest

import distpriv as dp
from distpriv.analysis.scenario_file import pack_scenario
from distpriv.dashboard.question import verdict
from distpriv.dashboard.shell import controls
from distpriv.tables.examples import EXAMPLES
from tests.app.driver import clicked_again


def said(app, key: str) -> float | None:
    """The value that the browser is told to take, if it is told one."""
    proto = app.number_input(key=key).proto
    return proto.value if proto.set_value else None


@pytest.mark.parametrize("packed", [False, True])
def test_an_address_is_said_again_until_it_is_changed(open_app, packed):
    scenario = dp.Scenario(
        digest=EXAMPLES[0].digest, secret=dp.SensitiveProperty("sex", "Female"),
        query=dp.Query([dp.Mean("age")]), mechanism="DauM", epsilon=2.2,
    )  # fmt: skip
    address = {"scenario": pack_scenario(scenario)} if packed else {"eps": "2.2", "mech": "DauM"}
    app = open_app("compare", **address)
    assert said(app, "eps") == 2.2
    for _ in range(2):  # a browser that draws late has not seen the runs before
        app.run()
        assert said(app, "eps") == 2.2
        assert app.session_state["scenario"].mechanism == "DauM"
    app.run()
    app.run()
    assert said(app, "eps") is None  # somebody may be typing
    app = open_app("compare", **address)
    app.number_input(key="eps").set_value(3.0).run()
    assert said(app, "eps") == 3.0  # after the old value that may be under way
    app.run()
    assert said(app, "eps") is None
    assert app.session_state["scenario"].epsilon == 3.0


def test_slider_and_box_say_the_same(open_app):
    app = open_app("compare")
    slider = app.select_slider(key="eps_slider")
    slider.set_value(2.0).run()
    assert said(app, "eps") == 2.0
    app.number_input(key="eps").set_value(0.7).run()
    assert app.select_slider(key="eps_slider").value == 0.7


def test_guesses_the_program_put_are_no_wish_where_the_slider_has_not_heard_of_them(
    monkeypatch, open_app
):
    """The slider still says the guesses of the ε before, which nobody asked for."""
    app = open_app("question")
    app.number_input(key="eps").set_value(3.0)
    said = app._tree.get_widget_states()
    before = app.slider(key="allowed").value
    cut = clicked_again(monkeypatch, after=(verdict, "_slider"), saying=said)
    app.run()
    app.run()
    assert cut
    assert app.session_state["scenario"].epsilon == 3.0
    assert app.slider(key="allowed").value > before


def test_what_was_clicked_before_the_controls_were_drawn_undoes_nothing(monkeypatch, open_app):
    """The browser still says what the controls said before the file came."""
    app = open_app()
    before = app.session_state["data"]
    said = app._tree.get_widget_states()
    cut = clicked_again(monkeypatch, after=(controls, "keep_upload"), saying=said)
    rows = "".join(f"{20 + row % 7},{'ab'[row % 2]}\n" for row in range(400))
    app.file_uploader(key="file").set_value(("own.csv", f"pay,group\n{rows}".encode(), "text/csv"))
    app.run()
    assert cut
    assert app.session_state["scenario"].digest == app.session_state["upload"].digest
    assert app.session_state["scenario"].whole
    assert app.selectbox(key="data").value != before
    app.selectbox(key="data").set_value(before).run()  # now it is meant
    assert app.session_state["data"] == before
    assert app.session_state["scenario"].digest == EXAMPLES[0].digest
