"""The Choosing ε page from the errors one accepts, and with both limits in one picture."""

from __future__ import annotations

import pytest

import distpriv as dp
from distpriv.tables.examples import load_census_income
from tests.app.driver import charts, errors, press, sound, table, texts, turn_to


def settled(app) -> None:
    """Wait for what is looked for; it comes some ticks after the page."""
    runs = app.session_state["runs"]
    while any(name in runs and runs[name].running for name in ("least_epsilon", "frontier")):
        app.run()
    sound(app)


def opened(open_app, start: str, **query: str):
    """The page from that side; what it looks for comes a tick later."""
    app = open_app("answer", **{"cal": "exact", **query})
    app.segmented_control(key="choosing_start").set_value(start).run()
    settled(app)
    assert not app.error, errors(app)
    return app


def metric(app, label: str) -> str:
    return next(each.value for each in app.metric if each.label == label).replace("\u00a0", " ")


def model_of(app) -> tuple[dp.Evaluation, dp.GaussianModel]:
    evaluation = dp.evaluate(app.session_state["scenario"], load_census_income())
    return evaluation, evaluation.model


def test_the_least_epsilon_for_the_errors(open_app):
    app = opened(open_app, "the error")
    _, model = model_of(app)
    shown = list(table(app, "Least ε")["Mechanism"])
    limits = [dp.ErrorLimit(place, 1.5, "deviation") for place in range(4)]
    design = dp.choose_by_error(limits, model, shown, delta=1e-3, calibration="exact")
    best = design.choices[0]
    assert [choice.mechanism for choice in design.choices] == shown
    assert metric(app, "Least ε on these data") == f"{best.epsilon:g}"
    assert metric(app, "Best attacker right in") == f"{100 * best.accuracy:.1f} %"
    assert f"at least **ε = {best.epsilon:g}** with **{best.mechanism}**" in texts(app).replace(
        "\\", ""
    )
    assert "(150 % of its sampling deviation)" in texts(app)


def test_what_is_found_can_be_taken_and_keeps_the_errors(open_app):
    app = opened(open_app, "the error", eps="0.2", mech="ExpM")
    assert "error too large" in texts(app)
    label = next(each.label for each in app.button if each.key == "take_choice")
    press(app, label)
    settled(app)
    scenario = app.session_state["scenario"]
    least = table(app, "Least ε").iloc[0]
    assert scenario.mechanism == least["Mechanism"]
    assert scenario.epsilon == float(least["Least ε"])
    assert "errors accepted" in texts(app)


def test_each_limit_is_counted_as_the_user_says(open_app):
    app = opened(open_app, "the error")
    app.multiselect(key="error_statistics").set_value(["mean age"]).run()
    least = {}
    evaluation, model = model_of(app)
    for kind, value, limit in (
        ("unit", 2.0, dp.ErrorLimit(0, 2.0)),
        ("value", 5.0, dp.ErrorLimit(0, 0.05, "value")),
        ("deviation", 120.0, dp.ErrorLimit(0, 1.2, "deviation")),
    ):
        app.selectbox(key="error_counted_in_mean age").set_value(kind).run()
        app.number_input(key=f"error_limit_{kind}_mean age").set_value(value).run()
        settled(app)
        least[kind] = float(metric(app, "Least ε on these data"))
        names = list(table(app, "Least ε")["Mechanism"])
        found = dp.choose_by_error([limit], model, names, delta=1e-3, calibration="exact")
        assert least[kind] == found.choices[0].epsilon
    assert evaluation.labels[0] == "mean age"
    assert len(set(least.values())) == 3


def test_limits_that_make_no_sense_are_explained_on_the_spot(open_app):
    app = opened(open_app, "the error")
    app.number_input(key="error_limit_deviation_mean age").set_value(0.0).run()
    sound(app)
    assert "must be a positive number" in errors(app)
    app.number_input(key="error_limit_deviation_mean age").set_value(0.001).run()
    settled(app)
    assert (
        "No mechanism here keeps that" in texts(app)
        or float(metric(app, "Least ε on these data")) > 4
    )
    app.multiselect(key="error_statistics").set_value([]).run()
    sound(app)


def test_values_do_not_show_in_the_presentation_view(open_app):
    app = opened(open_app, "the error")
    app.selectbox(key="error_counted_in_mean age").set_value("value").run()
    settled(app)
    assert "% of its value)" in texts(app).replace("\\", "")
    assert " on " in table(app, "Least ε").iloc[0]["mean age"]
    app.session_state["view"] = "presentation"
    app.run()
    settled(app)
    box = app.selectbox(key="error_counted_in_mean age")
    assert box.value == "deviation"
    assert "% of value" not in box.options
    assert "of its value" not in texts(app)
    cells = table(app, "Least ε").iloc[0]
    assert " on " not in " ".join(map(str, cells))
    assert "× sampling" in cells["mean age"].replace("\u00a0", " ")
    for page in ("question", "tradeoff", "compare"):
        turn_to(app, page)
        sound(app)
        frames = [*app.main.dataframe, *app.main.table]
        told = " ".join(str(cell) for frame in frames for cell in frame.value.to_numpy().ravel())
        held = [name for frame in frames for name in frame.value]
        assert "×\u00a0sampling" in told or "× sampling" in held, page
        assert "On" not in held
        assert "years on " not in told, page
        assert "years on " not in texts(app), page


@pytest.mark.parametrize(("right", "share"), [(60, 300.0), (53, 60.0)])
def test_both_limits_in_one_picture(open_app, right, share):
    app = opened(open_app, "both")
    app.slider(key="limit_guesses").set_value(right).run()
    for label in ("mean age", "mean education-num", "count marital-status = Never-married"):
        app.number_input(key=f"error_limit_deviation_{label}").set_value(share)
    app.multiselect(key="error_statistics").set_value(
        ["mean age", "mean education-num", "count marital-status = Never-married"]
    ).run()
    settled(app)
    drawn = next(spec for spec in charts(app) if "both limits" in spec["layout"]["title"]["text"])
    thick = {each["name"].partition(",")[0] for each in drawn["data"] if "both" in each["name"]}
    rows = table(app, "Both").set_index("Mechanism")["Both"]
    assert thick == set(rows[rows == "yes"].index)
    if thick:
        assert "satisfies both from" in texts(app)
    else:
        assert "Nothing satisfies both." in texts(app)
        assert "with these errors the attacker reaches" in texts(app)
        assert "the largest error is" in texts(app)
        assert {"take_choice", "take_other"} <= {each.key for each in app.button}
    press(app, next(each.label for each in app.button if each.key == "take_choice"))
    assert app.session_state["scenario"].mechanism in rows.index


def test_the_choice_of_the_side_and_its_limits_outlast_the_page(open_app):
    app = opened(open_app, "the error")
    app.number_input(key="error_limit_deviation_mean age").set_value(80.0).run()
    turn_to(app, "question")
    turn_to(app, "answer")
    settled(app)
    assert app.segmented_control(key="choosing_start").value == "the error"
    assert "(80 % of its sampling deviation)" in texts(app)


def test_other_statistics_have_limits_of_their_own(open_app):
    app = opened(open_app, "the error", stat=["mean hours-per-week", "count sex = Female"])
    assert app.multiselect(key="error_statistics").value == [
        "mean hours-per-week",
        "count sex = Female",
    ]
