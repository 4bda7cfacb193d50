"""The Compare page's report: chosen, built, stopped, saved; and tables' downloads."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from distpriv.dashboard.compare import report_panel
from distpriv.export.report import Report, ReportRun
from tests.app.driver import button, errors, records, run_of, sound, texts, upload


def downloads(app) -> set[str]:
    return {each.proto.label for each in app.get("download_button")}


def built(app) -> Report:
    with patch.object(report_panel, "ReportRun", partial(ReportRun, repetitions=3)):
        button(app, "Build the report").click().run()
    sound(app)
    run_of(app, "report").step(60)
    app.run()
    sound(app)
    return run_of(app, "report").result()


def test_a_report_is_built_on_request(open_app):
    app = open_app("compare", eps="1.7")
    assert "report" not in app.session_state["runs"]
    assert "Markdown" not in downloads(app)
    report = built(app)
    assert report.main.scenario == app.session_state["scenario"]
    assert "scenario=" in report.link
    assert {"HTML, to read and print", "Markdown", "JSON"} <= downloads(app)
    assert "in 76.2\u00a0% of cases" in app.success[0].value.replace("\\", "")
    assert not report.confidential
    app.number_input(key="eps").set_value(4.0).run()
    sound(app)
    assert "built from what was chosen before" in app.info[0].value
    assert "Markdown" in downloads(app)


def test_a_report_without_a_mechanism_says_what_to_do_and_nothing_is_lost(open_app):
    app = open_app("compare")
    app.checkbox(key="report_truth").check().run()
    before = app.session_state["scenario"]
    app.multiselect(key="report_mechanisms").set_value([]).run()
    sound(app)
    assert "none is chosen: choose at least one above, for example OptM" in " ".join(
        each.value for each in app.warning
    )
    assert button(app, "Build the report").disabled
    assert app.session_state["scenario"] == before
    assert app.checkbox(key="report_truth").value
    app.multiselect(key="report_mechanisms").set_value(["EigM", "ExpM"]).run()
    app.number_input(key="eps").set_value(2.0).run()
    assert app.multiselect(key="report_mechanisms").value == ["EigM", "ExpM"]
    assert not button(app, "Build the report").disabled
    report = built(app)
    assert [each.mechanism.name for each in report.findings] == ["EigM", "ExpM"]
    assert report.confidential


def test_the_report_follows_the_sidebar_s_mechanism_until_others_are_chosen(open_app):
    app = open_app("compare")
    app.selectbox(key="mech").set_value("DauM").run()
    assert app.multiselect(key="report_mechanisms").value == ["DauM"]
    app.switch_page("../../pages/question.py").run()
    app.selectbox(key="mech").set_value("EigM").run()
    app.switch_page("../../pages/compare.py").run()
    sound(app)
    assert app.multiselect(key="report_mechanisms").value == ["EigM"]


def test_a_scenario_without_a_result_says_what_to_do(open_app):
    app = open_app("compare", secret="sex = Female")
    sound(app)
    assert "count sex" in errors(app)
    assert "choose another mechanism in the sidebar" in app.info[0].value
    app.selectbox(key="secret").set_value("workclass = Private").run()
    sound(app)
    assert not button(app, "Build the report").disabled


def test_building_stops_and_goes_on(open_app):
    app = open_app("compare")
    button(app, "Build the report").click().run()
    assert run_of(app, "report").running
    app.button(key="report_stop").click().run()
    sound(app)
    run = run_of(app, "report")
    done = run.done
    assert not run.running
    app.run()
    assert run.done == done
    button(app, "Go on with the report").click().run()
    assert run_of(app, "report") is run
    assert run.running
    app.number_input(key="eps").set_value(4.0).run()  # another report
    assert "report" not in app.session_state["runs"]
    assert button(app, "Build the report")


def test_true_values_stay_out_of_the_presentation_view(open_app):
    app = upload(open_app(), records(900))
    app.switch_page("../../pages/compare.py").run()
    app.checkbox(key="report_truth").check()
    app.checkbox(key="report_records").check().run()
    assert "what the noise is there to hide" in " ".join(each.value for each in app.warning)
    report = built(app)
    assert len(report.truth.records) == 100
    assert "HTML, to read and print" in downloads(app)
    app.segmented_control(key="view").set_value("presentation").run()
    sound(app)
    assert app.checkbox(key="report_truth").disabled
    assert "HTML, to read and print" not in downloads(app)
    assert "what the noise is there to hide" not in " ".join(each.value for each in app.warning)
    assert built(app).truth is None
    assert "sector" not in str(app.query_params)


def test_two_tables_alike_on_one_page_have_a_download_each(open_app, monkeypatch):
    from distpriv.dashboard.widgets import display

    def twice(view):
        import pandas as pd

        for _ in range(2):
            display.table(pd.DataFrame({"=a": ["=1"]}))

    monkeypatch.setattr("distpriv.dashboard.question.glance.errors_table", twice)
    app = open_app()
    sound(app)
    tables = [each for each in app.get("download_button") if "table_" in each.proto.id]
    assert len({each.proto.id for each in tables}) == 2
    assert "best possible attacker tells" in texts(app)
