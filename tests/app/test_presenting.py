"""Presenting: what the address asks for, what it hides, and what the arrow keys do."""

from __future__ import annotations

from tests.app.driver import button, charts, clean, press, run_of, texts, turn_to


def keys(app) -> dict[str, str]:
    shown = (each for each in app.main.button if each.proto.shortcut and each.label)
    return {each.proto.shortcut: each.label for each in shown}


def large(app) -> bool:
    return any("font-size: 150%" in html.proto.body for html in app.get("html"))


def test_presenting_lasts_until_it_is_stopped(open_app, cold):
    app = open_app(present="1", view="analyst", eps="8")
    clean(app)
    assert large(app)
    # Nothing of single records or true shares shows, whatever the address says.
    assert app.session_state["scenario"].view == "presentation"
    turn_to(app, "belief")
    assert keys(app) == {"left": "ε\u00a0=\u00a06", "right": "ε\u00a0=\u00a010"}
    presented = charts(app)[0]["layout"]
    app.button(key="presenting_larger").click().run()
    clean(app)
    assert app.session_state["scenario"].epsilon == 10
    assert app.button(key="presenting_larger").disabled
    assert "of single records" not in texts(app)
    turn_to(app, "answer")
    app.button(key="presenting_smaller").click().run()
    assert app.session_state["scenario"].epsilon == 8
    # A simulation waits for its button, and goes on when it is pressed.
    turn_to(app, "attack")
    run = run_of(app, "attack")
    assert run.stopped
    assert run.done == 0
    press(app, "Run")
    assert not run.stopped
    turn_to(app, "tour")
    assert keys(app) == {"left": "Back", "right": "Next"}
    assert "1" in app.query_params["present"]
    press(app, "Stop presenting")
    assert not large(app)
    assert not keys(app)
    assert "present" not in app.query_params
    assert app.session_state["scenario"].view == "analyst"
    turn_to(app, "belief")
    assert not keys(app)
    usual = charts(app)[0]["layout"]
    assert presented["height"] == 1.5 * usual["height"]
    assert presented["xaxis"]["title"]["font"]["size"] == 18
    assert button(app, "Present")
