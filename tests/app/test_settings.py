"""Several secrets, units, the whole table and reference data, on the pages."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.driver import OF_THE_SCENARIO, errors, records, sound, texts, turn_to, upload


@pytest.mark.slow
def test_several_secrets_are_hidden_at_once_on_every_page(open_app):
    app = open_app(also="workclass = Private: 45 % or 55 %")
    sound(app)
    assert "all 2 pairs of shares" in texts(app)
    alone = app.session_state["scenario"]
    assert [pair.label for pair in alone.pairs] == [
        "income = >50K: 45 % or 55 %",
        "workclass = Private: 45 % or 55 %",
    ]
    for page in OF_THE_SCENARIO:
        app.switch_page(f"../../pages/{page}.py").run()
        sound(app)
        assert not app.error
    app.switch_page("../../pages/question.py").run()
    frame = next(f.value for f in app.dataframe if "Binds" in f.value)
    assert frame["Binds"].sum() == 1
    # Looking at the other pair changes what the pages are about, not the noise.
    app.selectbox(key="look").set_value("workclass = Private: 45 % or 55 %").run()
    app.switch_page("../../pages/question.py").run()
    assert "workclass" in texts(app)
    app.multiselect(key="also").set_value([]).run()
    sound(app)
    assert len(app.session_state["scenario"].pairs) == 1


def test_a_pair_is_built_added_and_taken_out(open_app):
    app = open_app("question")
    app.selectbox(key="pair_secret").set_value("workclass = Private").run()
    app.number_input(key="pair_center").set_value(0.7).run()
    app.number_input(key="pair_width").set_value(0.2).run()
    app.button(key="build_pair").click().run()
    sound(app)
    assert app.session_state["scenario"].pairs[1].label == "workclass = Private: 60 % or 80 %"
    assert app.multiselect(key="also").value == ["workclass = Private: 60 % or 80 %"]
    app.number_input(key="pair_center").set_value(0.99).run()
    app.button(key="build_pair").click().run()
    assert "leaves the range" in errors(app)


def test_a_grid_of_shares(open_app):
    app = open_app("question", pairs="grid")
    sound(app)
    assert len(app.session_state["scenario"].pairs) == 15
    assert "15 pairs are hidden at once" in " ".join(s.value for s in app.header)
    app.selectbox(key="step").set_value(0.1).run()
    sound(app)
    # The main pair is not on this grid, and is hidden as well.
    assert len(app.session_state["scenario"].pairs) == 5
    app.slider(key="dp").set_value(0.05).run()
    assert "smaller step or a larger" in errors(app)
    app.switch_page("../../pages/attack.py").run()
    sound(app)
    assert "smaller step or a larger" in errors(app)


@pytest.mark.slow
@pytest.mark.parametrize("page", OF_THE_SCENARIO)
def test_units_for_calibrating_and_reporting(open_app, page):
    app = open_app(page, units="standardised", report="standardised")
    sound(app)
    assert not app.error
    if page in ("question", "tradeoff"):
        assert "standard deviations" in texts(app)
    app.segmented_control(key="units").set_value("custom").run()
    app.number_input(key="tol1").set_value(0.1).run()
    sound(app)
    assert app.session_state["scenario"].tolerances == (1.0, 0.1, 1.0, 1.0, 1.0)


def test_a_finer_tolerance_gets_less_noise(open_app):
    app = open_app("question", mech="ExpM", units="custom", report="custom")

    def moves(app):
        return next(f.value for f in app.dataframe if "Noise" in f.value)["Noise"]

    before = moves(app)
    app.number_input(key="tol0").set_value(0.1).run()
    after = moves(app)

    def first(rows):
        return float(rows.iloc[0].replace("±", "").split()[0].replace("\u00a0", " ").split()[0])

    assert first(after) < first(before)


@pytest.mark.slow
def test_the_whole_table_is_released(open_app):
    app = open_app("question")
    upload(app, records(3000))
    sound(app)
    assert not app.error
    assert "statistics of 3\u202f000 records" in texts(app)
    assert "the table itself" in texts(app)
    other = records(2500, seed=9)
    other["salary"] += 1000.0
    key = next(u.key for u in app.file_uploader if u.key.startswith("reference_"))
    content = other.to_csv(index=False).encode()
    app.file_uploader(key=key).set_value(("public.csv", content, "text/csv")).run()
    sound(app)
    assert "public" in texts(app)
    for page in OF_THE_SCENARIO:
        app.switch_page(f"../../pages/{page}.py").run()
        sound(app)
        assert not app.error
    app.switch_page("../../pages/question.py").run()
    means = next(f.value for f in app.dataframe if "Varies by (std. dev.)" in f.value)
    salary = means[means["Statistic"] == "mean salary"].iloc[0, 1]
    assert float(str(salary).replace("\u202f", "").replace(",", "")) > 3800
    assert "Your table (not to be shown)" in means
    app.segmented_control(key="view").set_value("presentation").run()
    means = next(f.value for f in app.dataframe if "Varies by (std. dev.)" in f.value)
    assert "Your table (not to be shown)" not in means
    app.switch_page("../../pages/question.py").run()
    app.button(key="no_reference").click().run()
    sound(app)
    assert "the table itself" in texts(app)


def test_reference_data_with_other_columns_are_a_sentence(open_app):
    app = open_app("question")
    upload(app, records(1000))
    key = next(u.key for u in app.file_uploader if u.key.startswith("reference_"))
    content = records(500).drop(columns="hours").to_csv(index=False).encode()
    app.file_uploader(key=key).set_value(("public.csv", content, "text/csv")).run()
    sound(app)
    assert "must have the same columns" in errors(app)
    assert "hours" in errors(app)


def test_nothing_of_an_upload_gets_into_the_address(open_app):
    app = open_app("question")
    upload_page = app.switch_page("../../pages/question.py").run()
    upload(upload_page, records(800))
    app.multiselect(key="own_also").set_value([app.multiselect(key="own_also").options[0]]).run()
    app.segmented_control(key="units").set_value("custom").run()
    sound(app)
    kept = {"also", "look", "tol0", "own_also", "own_look", "own_tol0"}
    assert not kept & set(app.query_params)
    assert np.isfinite(app.session_state["scenario"].tolerances).all()


@pytest.mark.slow
def test_statistics_without_a_closed_form_on_every_page(open_app):
    statistics = ["median age", "std hours-per-week", "correlation age and hours-per-week"]
    app = open_app(stat=["mean education-num", "quantile 0.9 age", *statistics])
    for page in OF_THE_SCENARIO:
        turn_to(app, page)
        sound(app)
        assert not app.error, page
        assert not app.session_state["scenario"].query.is_linear
        if page in ("tradeoff", "attack", "belief"):
            assert "closed form" in " ".join(element.value for element in app.info), page


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("median", "median age"),
        ("quantile", "quantile 0.9 age"),
        ("std", "std age"),
        ("correlation", "correlation age and education-num"),
    ],
)
def test_a_statistic_without_a_closed_form_is_built(open_app, kind, label):
    app = open_app("question")
    app.selectbox(key="build_stat_kind").set_value(kind).run()
    app.button(key="build_stat").click().run()
    sound(app)
    assert label in app.session_state["scenario"].query.labels
    assert not app.error


@pytest.mark.usefixtures("cold")
def test_a_long_simulation_shows_its_progress_and_can_be_stopped(open_app):
    app = open_app("question", n="300000", repl="true", stat=["mean age", "median age"])
    sound(app)
    assert "fitted to simulated datasets" in texts(app)
    app.button(key="simulation_stop").click().run()
    sound(app)
    assert app.button(key="simulation_stop").label == "Go on"
    app.button(key="simulation_stop").click().run()
    sound(app)
    assert app.button(key="simulation_stop").label == "Stop"


@pytest.mark.slow
@pytest.mark.parametrize("page", OF_THE_SCENARIO)
def test_a_statistic_that_hardly_varies_ends_in_no_traceback(open_app, page):
    """The median of the hours is 40 in all datasets of one share: its variance there is zero."""
    app = open_app(page, stat=["mean age", "median hours-per-week"])
    sound(app)
    app.segmented_control(key="cal").set_value("guarded").run()
    sound(app)


def test_what_was_set_is_there_again_when_its_control_comes_back(open_app):
    app = open_app("question", pairs="grid", units="custom")
    app.selectbox(key="step").set_value(0.1).run()
    app.number_input(key="tol1").set_value(0.25).run()
    app.segmented_control(key="pairs").set_value("one pair").run()
    app.segmented_control(key="units").set_value("raw").run()
    app.segmented_control(key="pairs").set_value("grid").run()
    app.segmented_control(key="units").set_value("custom").run()
    sound(app)
    assert app.selectbox(key="step").value == 0.1
    assert app.number_input(key="tol1").value == 0.25


COUNTS = ["count marital-status = Never-married", "count sex = Female"]


def test_the_exact_law_is_offered_first_where_it_is_known(open_app):
    app = open_app(stat=COUNTS, cal="exact-law")
    sound(app)
    control = app.segmented_control(key="cal")
    assert control.value == "exact-law"
    assert control.options == ["exact-law", "guarded", "exact", "classical"]
    assert "by the exact law of the statistics" in texts(app)
    assert "promise kept" in texts(app)
    for page in ("guarantee", "assumptions"):
        app.switch_page(f"../../pages/{page}.py").run()
        sound(app)
        assert not app.error
    assert "the sampling alone" in texts(app)
    # An average has no such law: it is told once, and the default takes its place.
    app.multiselect(key="stat").set_value([*COUNTS, "mean age"]).run()
    sound(app)
    assert "until then the calibration is guarded" in errors(app)
    assert app.segmented_control(key="cal").value == "guarded"
    assert "exact-law" not in app.segmented_control(key="cal").options
    app.run()
    assert not app.error


def test_a_link_that_asks_for_an_exact_law_where_there_is_none(open_app):
    app = open_app(cal="exact-law")
    sound(app)
    assert "mean age' is none of these" in errors(app)
    assert "until then the calibration is guarded" in errors(app)
    assert app.session_state["scenario"].calibration == "guarded"


def test_a_delta_that_the_exact_law_cannot_tell(open_app):
    app = open_app(stat=COUNTS, cal="exact-law", delta="1e-9")
    sound(app)
    assert "too coarse for δ = 1 × 10⁻⁹" in errors(app)
