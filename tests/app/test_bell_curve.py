"""Doing without normal curves: what it costs on Choosing ε, one click, and CoupM on every page."""

from __future__ import annotations

import pytest

from distpriv.analysis.without_curves import BY_LAW
from tests.app.driver import (
    OF_THE_SCENARIO,
    captions,
    charts,
    clean,
    release,
    sound,
    table,
    texts,
    titles,
    turn_to,
)

TITLE = "Error against ε"


def worked_out(app, name: str = "bell_curve"):
    """Let the page do by itself what it does while it is open."""
    while app.session_state["runs"][name].running:
        app.run()
        sound(app)
    return app


def drawn(app):
    return next(each for each in charts(app) if each["layout"]["title"]["text"] == TITLE)


def key_of(app, start: str) -> str:
    return next(key for key in app.session_state["runs"] if key.startswith(start))


def test_the_answer_does_not_wait_and_the_price_stands_in_words_a_table_and_a_picture(open_app):
    app = open_app("answer")
    clean(app)
    assert any(metric.label == "Largest ε on these data" for metric in app.metric)
    assert drawn(app)["layout"]["meta"]["pending"]
    waiting = drawn(app)["layout"]["height"]
    worked_out(app)
    assert "pending" not in drawn(app)["layout"]["meta"]
    assert drawn(app)["layout"]["height"] == waiting
    clean(app)
    shown = table(app, "Rests on").set_index("Mechanism")
    assert list(shown.index) == ["OptM", "CoupM", "ExpM", "GroupDP"]
    assert shown.loc["CoupM", "Rests on"] == "how records are drawn, no more"
    error = shown.loc["CoupM", "Total error"]
    assert 17 < float(error) < 18.4
    assert f"**{error}** where OptM has {shown.loc['OptM', 'Total error']}" in texts(app)
    assert "in place of 1." in texts(app)
    assert "CoupM holds up to ε" in captions(app).replace("\u00a0", " ")
    names = {trace["name"] for trace in drawn(app)["data"]}
    assert {"OptM", "CoupM"} <= names
    # Not in the table of the limit, which the page shows at once, and never the least error.
    assert "CoupM" not in set(table(app, "Largest ε")["Mechanism"])
    # Another ε moves the words and keeps the picture.
    before = drawn(app)["data"]
    app.number_input(key="eps").set_value(2.0).run()
    worked_out(app)
    assert [line["y"] for line in drawn(app)["data"]] == [line["y"] for line in before]
    assert "in place of 2." in texts(app)


def test_one_click_takes_what_needs_no_curve(open_app):
    app = worked_out(open_app("answer", n="20"))
    assert "**CoupM** is recommended" in texts(app)
    assert "simulated datasets do not follow" in texts(app).lower()
    app.button(key="take_without").click().run()
    clean(app)
    assert app.session_state["scenario"].mechanism == "CoupM"
    worked_out(app)
    assert "The promise of CoupM rests on no curve" in texts(app)
    assert "**CoupM** is recommended" not in texts(app)
    assert "take_without" not in {button.key for button in app.button}
    assert "No calibration applies to CoupM" in texts(app)
    assert "Not for CoupM" in " ".join(each.value for each in app.sidebar.caption)


def test_one_click_takes_the_exact_law_where_it_is_a_calibration(open_app):
    counts = ["count sex = Female", "count marital-status = Never-married"]
    app = worked_out(open_app("answer", n="12", dp="0.2", stat=counts, cal="guarded"))
    assert "take_law" in {button.key for button in app.button}
    assert "**OptM by the exact law** is recommended" in texts(app)
    assert "OptM by the exact law" in {trace["name"] for trace in drawn(app)["data"]}
    app.button(key="take_law").click().run()
    worked_out(app)
    clean(app)
    assert app.session_state["scenario"].calibration == BY_LAW
    assert "The promise of OptM by the exact law rests on no curve" in texts(app)
    assert "take_law" not in {button.key for button in app.button}


def test_a_statistic_that_is_no_sum_says_why_not(open_app):
    app = open_app("answer", stat=["median age"], n="30")
    while "bell_curve" not in app.session_state["runs"]:  # the model is simulated first
        app.run()
    worked_out(app)
    clean(app)
    assert "does not apply here" in texts(app)
    assert "take_without" not in {button.key for button in app.button}


def test_every_page_takes_it(open_app):
    app = open_app(mech="CoupM")
    for page in OF_THE_SCENARIO:
        turn_to(app, page).run()
        clean(app)
        assert app.session_state["scenario"].mechanism == "CoupM", page


@pytest.mark.parametrize(
    ("page", "key", "title", "start"),
    [
        ("tradeoff", "tradeoff_mechanisms", "Error against Δp", "error by Δp"),
        ("attack", "attack_mechanisms", "Best attack against Δp", "accuracy by Δp"),
    ],
)
def test_curves_along_the_shares_draw_records_anew(open_app, page, key, title, start):
    app = open_app(page, cal="exact")
    assert "CoupM" not in app.multiselect(key=key).value
    app.multiselect(key=key).set_value(["ExpM", "CoupM"]).run()
    names = [
        trace["name"]
        for each in charts(app)
        if title in each["layout"]["title"]["text"]
        for trace in each["data"]
    ]
    assert "ExpM" in names
    assert "CoupM" not in names
    worked_out(app, key_of(app, start))
    line = next(
        trace
        for each in charts(app)
        if title in each["layout"]["title"]["text"]
        for trace in each["data"]
        if trace["name"] == "CoupM"
    )
    assert len(line["x"]) <= 6
    assert None not in line["y"]
    assert "draws records for each Δp, hence few of them" in captions(app)


def test_the_ledger_takes_its_noise(open_app):
    app = open_app("release", mech="CoupM")
    app.text_input(key="who").set_value("Ann").run()
    release(app)
    clean(app)
    assert "released **once**" in texts(app)
    turn_to(app, "release")
    clean(app)
    assert titles(app)
