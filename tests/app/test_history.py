"""Undo and redo: every setting goes back, a preset or an opened link in one step."""

from __future__ import annotations

from dataclasses import replace

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import pack_scenario
from tests.app.driver import records, sound, turn_to, upload
from tests.examples import SOME


def scenario_of(app) -> Scenario:
    sound(app)
    return app.session_state["scenario"]


def back(app) -> Scenario:
    app.button(key="history_undo").click().run()
    return scenario_of(app)


def forth(app) -> Scenario:
    app.button(key="history_redo").click().run()
    return scenario_of(app)


def test_every_kind_of_setting_goes_back_and_forth(open_app):
    app = open_app()
    seen = [scenario_of(app)]
    assert app.button(key="history_undo").disabled
    assert app.button(key="history_redo").disabled
    app.number_input(key="eps").set_value(2.5).run()
    seen.append(scenario_of(app))
    app.selectbox(key="secret").set_value("sex = Female").run()
    seen.append(scenario_of(app))
    app.multiselect(key="stat").set_value(["mean age"]).run()
    seen.append(scenario_of(app))
    app.segmented_control(key="units").set_value("custom").run()
    seen.append(scenario_of(app))
    app.number_input(key="tol0").set_value(3.0).run()
    seen.append(scenario_of(app))
    app.segmented_control(key="pairs").set_value("grid").run()
    seen.append(scenario_of(app))
    app.toggle(key="persons").set_value(True).run()
    seen.append(scenario_of(app))
    assert len(set(seen)) == 8
    # Who may see it is no step, and a step does not change it.
    app.segmented_control(key="view").set_value("presentation").run()
    turn_to(app, "fit")
    shown = [replace(each, view="presentation") for each in seen]
    assert [back(app) for _ in seen[1:]] == shown[-2::-1]
    assert app.button(key="history_undo").disabled
    assert [forth(app) for _ in seen[1:]] == shown[1:]
    assert app.button(key="history_redo").disabled
    # A new step takes the place of those that were undone.
    assert back(app) == shown[-2]
    app.number_input(key="eps").set_value(7.0).run()
    assert app.button(key="history_redo").disabled
    assert back(app) == shown[-2]


def test_a_preset_a_link_and_other_data_are_one_step_each(open_app):
    first = scenario_of(open_app())
    wanted = replace(SOME, digest=first.digest, distances="normals")
    app = open_app(scenario=pack_scenario(wanted))
    assert app.button(key="history_undo").disabled
    next(each for each in app.button if each.label.startswith("Share of women")).click().run()
    assert scenario_of(app).secret.label == "sex = Female"
    assert back(app) == wanted
    upload(turn_to(app, "question"), records(900))
    own = scenario_of(app)
    assert until(app, back, "example") == wanted
    assert until(app, forth, "upload").digest == own.digest
    # A table that is replaced by another cannot be gone back to: its steps are left out.
    upload(turn_to(app, "question"), records(800), "other.csv")
    assert until(app, back, "example") == wanted


def until(app, step, origin: str) -> Scenario:
    """Step until data of the other kind show; a table may set its ε in a second step."""
    for _ in range(2):
        found = step(app)
        if app.session_state["dataset"].origin == origin:
            break
    return found


def test_fifty_steps_are_remembered(open_app):
    from distpriv.dashboard.shell.history import MOST

    app = open_app()
    history = app.session_state["steps"]
    history.steps = history.steps * MOST
    history.place = MOST - 1
    app.number_input(key="eps").set_value(2.5).run()
    assert len(history.steps) == MOST
    assert history.steps[-1].scenario.epsilon == 2.5
    assert back(app).epsilon == 1.0
