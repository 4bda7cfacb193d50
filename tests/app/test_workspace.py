"""Nothing is lost: what a tab, a file or the server had kept comes back, a table is asked for."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.workspace import read_workspace, write_workspace
from distpriv.queries.properties import SensitiveProperty
from distpriv.store import open_store
from distpriv.store.workspaces import open_workspace
from tests.app.driver import (
    answer,
    errors,
    keep,
    press,
    records,
    sound,
    texts,
    turn_to,
    upload,
    warnings,
)


def scenario_of(app) -> Scenario:
    sound(app)
    return app.session_state["scenario"]


def sent(app) -> dict[str, object]:
    """What the browser is given to keep, or asked."""
    (part,) = app.get("bidi_component")
    return json.loads(part.proto.json)


def saved(app) -> str:
    """What the browser keeps, once it has answered that it had nothing."""
    app.session_state["browser_asked"] = app.session_state["begun"] = True
    app.run()
    return str(sent(app)["workspace"])


def reload(open_app, text: object, page: str | None = None, again: bool = True, **address: str):
    """Open a session whose tab answers that it has kept something."""
    app = open_app(page, **address)
    assert sent(app)["asking"]
    app.session_state["browser_asked"] = True
    app.session_state["browser_found"] = {"workspace": text, "key": None, "again": again}
    app.run()
    sound(app)
    return app


def worked(open_app):
    """Somebody has worked on a table of their own, whose column they corrected."""
    app = upload(open_app("question"), records(900))
    label = SensitiveProperty("hours", above=41.5).label
    app.session_state["own_secrets"] = {
        scenario_of(app).digest: {label: SensitiveProperty("hours", above=41.5)}
    }
    app.number_input(key="eps").set_value(2.5).run()
    turn_to(app, "compare")
    keep(app, "mine")
    app.selectbox(key="own_secret").set_value(label).run()
    app.session_state["meaning_prior"] = 0.25
    return app


def test_a_table_is_asked_for_before_anything_else_and_then_all_is_back(open_app):
    before = worked(open_app)
    text, wanted = saved(before), scenario_of(before)
    assert wanted.secret.label == "hours > 41.5"
    salaries = records(900)["salary"].round(2).astype(str)
    assert not any(salary in text for salary in salaries)
    app = reload(open_app, text, data="Your file")
    said = texts(app).replace("\\", "")
    assert "You were working on **mine.csv** (900 records)" in said
    assert [title.value for title in app.title] == ["Open your table again"]
    assert not app.get("plotly_chart")
    assert not app.dataframe
    assert not app.selectbox
    assert "income" not in said
    assert sent(app) == {}  # what the tab has is still the newest
    answer(app, records(900))
    assert scenario_of(app) == wanted
    assert app.session_state["kept"]["mine"].scenario.epsilon == 2.5
    assert app.session_state["meaning_prior"] == 0.25
    assert read_workspace(str(sent(app)["workspace"])) == read_workspace(text)


def test_another_file_is_told_and_may_be_used(open_app):
    text = saved(worked(open_app))
    app = reload(open_app, text, again=False)
    answer(app, records(800), "later.csv")
    assert "later.csv is another table" in warnings(app)
    assert "You were working on" in texts(app)
    press(app, "Use it as a new table")
    assert app.session_state["dataset"].title == "later.csv"
    assert scenario_of(app).epsilon != 2.5
    kept = app.session_state["kept"]
    assert list(kept) == ["mine", "before"]
    assert kept["before"].scenario.secret.label == "hours > 41.5"


def test_corrected_types_are_corrected_again(open_app):
    app = upload(open_app("question"), records(900))
    raw = app.session_state["dataset"]
    from distpriv.dashboard.shell.dataset import retyped

    app.session_state["upload"] = retyped(raw, {"hours": "category"})
    app.run()
    wanted = scenario_of(app)
    assert wanted.digest != raw.digest
    app = reload(open_app, saved(app))
    answer(app, records(900))
    assert scenario_of(app) == wanted
    assert app.session_state["dataset"].types["hours"] == "category"


def test_an_example_is_back_at_once_and_an_address_has_its_way(open_app):
    before = keep(open_app("compare"), "first")
    before.number_input(key="eps").set_value(2.5).run()
    text, wanted = saved(before), scenario_of(before)
    app = reload(open_app, text, again=False)
    assert scenario_of(app) == wanted
    assert list(app.session_state["kept"]) == ["first"]
    assert app.button(key="history_undo").disabled
    app = reload(open_app, text, again=False, eps="4.0")
    assert scenario_of(app).epsilon == 4.0
    kept = app.session_state["kept"]
    assert list(kept) == ["first", "before"]
    assert kept["before"].scenario == wanted


@pytest.mark.parametrize("text", ["x", "{}", 3, '{"format": "distpriv workspace", "version": 1}'])
def test_what_a_tab_kept_may_be_damaged(open_app, text):
    app = reload(open_app, text)
    assert "What this tab had kept cannot be brought back" in errors(app)
    assert scenario_of(app).epsilon == 1.0
    app.session_state["begun"] = True
    app.run()
    assert not app.error
    assert read_workspace(str(sent(app)["workspace"])).scenario == scenario_of(app)


def test_choices_that_no_page_takes_are_left_out(open_app):
    kept = read_workspace(saved(open_app()))
    hostile = (("meaning_prior", 7), ("proposal_reason", "x" * 9000), ("upload", "x"))
    app = reload(open_app, write_workspace(replace(kept, choices=hostile)), "compare")
    assert app.session_state["meaning_prior"] == 0.5
    assert len(app.session_state["proposal_reason"]) == 4000
    assert "upload" not in app.session_state


def test_a_workspace_file_is_opened_and_what_was_there_is_kept(open_app):
    before = keep(open_app("compare"), "first")
    before.number_input(key="eps").set_value(2.5).run()
    content, wanted = saved(before), scenario_of(before)
    app = open_app("compare", eps="3.0")
    file = ("workspace.json", content.encode(), "application/json")
    app.file_uploader(key="scenario_file").set_value(file).run()
    assert scenario_of(app) == wanted
    kept = app.session_state["kept"]
    assert [(name, one.scenario.epsilon) for name, one in kept.items()] == [
        ("first", 1.0),
        ("before", 3.0),
    ]
    bad = ("workspace.json", content.replace(": 2.5", ": -1").encode(), "application/json")
    app.file_uploader(key="scenario_file").set_value(bad).run()
    sound(app)
    assert "'epsilon' has a value outside its domain" in errors(app)
    assert scenario_of(app) == wanted


def test_the_server_keeps_it_if_asked_to_and_forgets_it(open_app):
    app = open_app("compare")
    saved(app)
    press(app, "Everything on the server too")
    (link,) = [each.value for each in app.code if "?workspace=" in each.value]
    key = link.partition("?workspace=")[2]
    app.number_input(key="eps").set_value(2.5).run()
    assert open_workspace(open_store(), key).scenario == scenario_of(app)
    other = open_app("compare", workspace=key)
    assert "workspace" not in other.query_params
    assert scenario_of(other) == scenario_of(app)
    press(other, "Delete it from the server")
    again = open_app(workspace=key)
    assert "no workspace under this link" in errors(again)
