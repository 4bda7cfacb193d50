"""Tables of the server: chosen by name, shown to analysts only, opened again when they change."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest
import sqlalchemy as sa

import distpriv as dp
from distpriv.analysis.scenario_file import pack_scenario
from distpriv.dashboard.decide import report_panel
from distpriv.dashboard.serving import rates
from distpriv.dashboard.serving.settings import Rate
from distpriv.dashboard.shell import scanning
from distpriv.export.report import Report, ReportRun
from distpriv.tables.examples import EXAMPLES
from distpriv.words import number
from tests.app.driver import (
    OF_THE_SCENARIO,
    button,
    clean,
    release,
    run_of,
    sound,
    turn_to,
    upload,
)
from tests.postgres import postgres

NAME = "People of the warehouse"
SECRET = "income = high"
STATISTICS = ["mean age", "mean hours", "count status = married"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as address:
        yield address


@pytest.fixture
def folder(people: pd.DataFrame, tmp_path: Path) -> Path:
    """A folder of Parquet that holds the people in two files."""
    folder = tmp_path / "a-secret-place"
    folder.mkdir()
    for place, part in enumerate((people[:700], people[700:])):
        part.to_parquet(folder / f"part{place}.parquet")
    return folder


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes the server's file; every test has one of its own, which is read once."""

    def write(text: str) -> Path:
        file = tmp_path / "sources.toml"
        file.write_text(text)
        monkeypatch.setenv("DISTPRIV_SOURCES", str(file))
        monkeypatch.setattr(scanning, "EVERY", 0.0)
        return file

    return write


@pytest.fixture
def files(named, folder: Path) -> Path:
    named(f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}/*.parquet"\n')
    return folder


def answered(app, tries: int = 100):
    """Once nothing is asked any more."""
    for _ in range(tries):
        if not any("hourglass_top" in each.value for each in app.markdown):
            return app
        time.sleep(0.1)
        app.run()
    raise AssertionError("no answer")


def opened(open_app, page: str = "question", **query):
    app = answered(open_app(data=NAME, **query))
    assert app.session_state["dataset"].title == NAME
    return app if page == "question" else answered(turn_to(app, page))


def chosen(app):
    """The same secret and statistics on any table of people."""
    app.selectbox(key="own_secret").set_value(SECRET).run()
    app.multiselect(key="own_stat").set_value(STATISTICS).run()
    app = answered(app)
    app.number_input(key="eps").set_value(1.5).run()
    return app


def verdict(app) -> str:
    (found,) = [each.value for each in app.markdown if re.match(r"\*\*(Not|Yes|No)\b", each.value)]
    return found


def said(app) -> str:
    """Everything that is written on the page, and what its controls are called and offer."""
    written = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.code]
    parts = [str(each.value) for each in written]
    parts += [button.label for button in app.button]
    parts += [str(option) for box in app.selectbox for option in box.options]
    return "\n".join(parts).replace("\\", "")


def built(app) -> Report:
    with patch.object(report_panel, "ReportRun", partial(ReportRun, repetitions=3)):
        button(app, "Build the report").click().run()
    sound(app)
    run_of(app, "report").step(60)
    app.run()
    sound(app)
    found = run_of(app, "report").result()
    assert isinstance(found, Report)
    return found


def whole(app) -> bool:
    return app.session_state["scenario"].whole


@pytest.mark.parametrize("kind", ["files", "postgres"])
def test_a_table_is_opened_by_its_name_and_has_the_figures_of_an_upload(
    open_app, named, folder, people, request, monkeypatch, kind
):
    entry = f'[[source]]\nname = "{NAME}"\n'
    if kind == "files":
        named(f'{entry}kind = "files"\nfiles = "{folder}/*.parquet"\n')
    else:
        address = request.getfixturevalue("server")
        engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
        people.astype({"status": str, "town": str, "income": str}).to_sql(
            "people", engine, index=False, if_exists="replace"
        )
        engine.dispose()
        monkeypatch.setenv("WAREHOUSE_URL", address)
        named(f'{entry}kind = "postgres"\nurl_env = "WAREHOUSE_URL"\ntable = "people"\n')
    app = open_app("question")
    app.selectbox(key="data").set_value(NAME).run()
    app = chosen(answered(app))
    clean(app)
    assert whole(app)
    assert app.number_input(key="n_whole").value == len(people)
    mine = chosen(upload(open_app("question"), people))
    assert verdict(app) == verdict(mine)
    assert list(app.selectbox(key="own_secret").options) == list(
        mine.selectbox(key="own_secret").options
    )
    # What a column is called and where the table lies is none of the address's business.
    for secret in ("income", "mean", str(folder), "postgresql", "people"):
        assert secret not in str(app.query_params)


@pytest.mark.parametrize("page", OF_THE_SCENARIO)
def test_every_page_takes_it(open_app, files, page):
    app = opened(open_app, page)
    clean(app)
    assert str(files) not in said(app)
    assert "a-secret-place" not in said(app)


def test_it_can_be_opened_from_the_first_screen(open_app, files):
    app = open_app("question")
    app.button(key=f"open_source_{NAME}").click().run()
    app = answered(app)
    clean(app)
    assert app.session_state["dataset"].title == NAME
    assert verdict(app)


def test_a_setting_asks_nothing_and_a_statistic_less_is_no_scan(open_app, files, monkeypatch):
    app = chosen(opened(open_app))
    source = app.session_state["dataset"].source
    asked: list[object] = []
    rows = source.engine.rows
    monkeypatch.setattr(source.engine, "rows", lambda one: asked.append(one) or rows(one))
    before = verdict(app)
    app.number_input(key="eps").set_value(3.0).run()
    assert verdict(app) != before
    app.multiselect(key="own_stat").set_value(STATISTICS[:2]).run()
    assert verdict(answered(app)) != before
    assert asked == []
    app.selectbox(key="own_secret").set_value("town = Ahausen").run()
    answered(app)
    assert asked


@pytest.mark.parametrize("asked", [{"present": "1"}, {"view": "presentation"}])
def test_others_see_nothing_of_it(open_app, files, asked):
    app = open_app(data=NAME, **asked)
    clean(app)
    assert NAME not in said(app)
    assert NAME not in app.selectbox(key="data").options
    assert app.session_state["dataset"].title == EXAMPLES[0].title
    assert "Tables of this server are for analysts" in said(app)


def test_it_goes_when_the_view_is_presented_and_comes_back(open_app, files):
    app = opened(open_app)
    app.segmented_control(key="view").set_value("presentation").run()
    for page in ("question", "compare"):
        app = turn_to(app, page)
        clean(app)
        assert NAME not in said(app)
        assert app.session_state["dataset"].origin == "example"
    app = turn_to(app, "question")
    app.segmented_control(key="view").set_value("analyst").run()
    app = answered(app.run())
    assert app.session_state["dataset"].title == NAME
    clean(app)


def test_a_stakeholder_sees_nothing_of_it(open_app, files):
    app = open_app(role="stakeholder", data=NAME)
    assert not app.exception
    assert NAME not in said(app)


def test_a_table_that_changes_is_said_and_opened_again(open_app, files, people):
    app = opened(open_app, "fit")
    first = app.session_state["dataset"]
    people[:300].to_parquet(files / "part1.parquet")
    app = turn_to(app, "question")
    assert "has changed since it was opened" in said(app)
    assert not app.exception
    assert "an attacker" not in said(app)
    app.button(key="open_again").click().run()
    app = answered(app)
    clean(app)
    now = app.session_state["dataset"]
    assert (first.size, now.size) == (2000, 1000)
    assert first.digest != now.digest


def test_files_that_are_gone_end_in_a_sentence(open_app, files):
    app = opened(open_app)
    for file in files.iterdir():
        file.unlink()
    app = turn_to(app, "fit")
    assert f"{NAME} could not be read" in said(app)
    app.button(key="open_again").click().run()
    app = answered(app)
    assert f"There are no files of {NAME}" in said(app)
    assert "a-secret-place" not in said(app)
    app.button(key="opening_leave").click().run()
    clean(app)
    assert app.session_state["dataset"].title == EXAMPLES[0].title


def test_groups_too_small_are_not_told_of(open_app, named, folder, people):
    old = int((people["age"] > 60).sum())
    named(
        f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}"\n'
        f"least_group = {old + 1}\n"
    )
    app = opened(open_app)
    verdict(app)
    few = replace(app.session_state["scenario"], secret=dp.SensitiveProperty("age", above=60))
    app = answered(open_app(scenario=pack_scenario(few), data=NAME))
    assert app.session_state["scenario"].secret == few.secret
    assert not app.exception
    assert f"Fewer than {old + 1} records have the property" in said(app)
    assert "an attacker" not in said(app)
    assert "true share" not in said(app)


@pytest.mark.parametrize("preview", [False, True])
def test_records_are_shown_only_where_they_may_be(open_app, named, folder, people, preview):
    named(
        f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}"\n'
        f"preview = {str(preview).lower()}\n"
    )
    app = opened(open_app)
    shown = [frame for frame in app.dataframe if set(people.columns) <= set(frame.value.columns)]
    assert bool(shown) == preview
    assert ("Single records of this table are not shown" in said(app)) == (not preview)
    app = answered(turn_to(app, "decide"))
    assert app.checkbox(key="report_records").disabled != preview
    app.session_state["report_records"] = True  # as it may be from another table
    app.run()
    assert (built(app).truth is not None) == preview


def test_what_simulations_rest_on_is_said_once(open_app, named, folder):
    named(f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}"\nsample = 300\n')
    app = opened(open_app)
    for page in ("question", "attack", "assumptions"):
        found = re.findall("random sample of 600 of the", said(answered(turn_to(app, page))))
        assert len(found) == 1


def test_a_question_can_be_stopped(open_app, files, monkeypatch):
    app = chosen(opened(open_app))
    source = app.session_state["dataset"].source
    moments, stopped = source.group_moments, []

    def slow(*asked):
        until = time.monotonic() + 30
        while time.monotonic() < until and not stopped:
            time.sleep(0.02)
        source.engine.rows  # noqa: B018
        from distpriv.sources.engine import stopped as sentence

        raise sentence(NAME)

    monkeypatch.setattr(source, "group_moments", slow)
    monkeypatch.setattr(source, "cancel", lambda: stopped.append(True))
    app.selectbox(key="own_secret").set_value("town = Ahausen").run()
    assert f"Asking {NAME}" in said(app)
    app.button(key="asking_stop").click().run()
    app = answered(app)
    assert stopped
    assert "was stopped" in said(app)
    monkeypatch.setattr(source, "group_moments", moments)
    app.button(key="asking_again").click().run()
    app = answered(app)
    clean(app)
    verdict(app)


def test_a_question_of_a_session_that_has_gone_is_stopped(open_app, files, monkeypatch):
    """Nobody looks at it any more; a moment before, somebody still did."""
    app = chosen(opened(open_app))
    source, stopped = app.session_state["dataset"].source, threading.Event()
    monkeypatch.setattr(source, "group_moments", lambda *_: stopped.wait(30))
    monkeypatch.setattr(source, "cancel", stopped.set)
    app.selectbox(key="own_secret").set_value("town = Ahausen").run()
    assert f"Asking {NAME}" in said(app)
    assert not stopped.is_set()
    monkeypatch.setattr(scanning, "LEFT", 4.0)
    for _ in range(4):  # somebody looks
        app.run()
        assert not stopped.is_set()
    assert stopped.wait(20)


def test_engines_answer_so_many_questions_at_once_and_the_next_one_waits(monkeypatch):
    monkeypatch.setattr(scanning, "_ENGINES", threading.BoundedSemaphore(2))
    running, over = [], threading.Event()

    def question(name):
        def work(tell):
            running.append(name)
            assert over.wait(60)
            return name

        return scanning.Asked(work, f"Asking {name}", name)

    def until(seen):
        deadline = time.monotonic() + 60
        while not seen() and time.monotonic() < deadline:
            for some in questions:
                some.step(0.05)
        assert seen()

    questions = [question(name) for name in ("A", "B")]
    until(lambda: len(running) == 2)
    questions += [question(name) for name in ("C", "D")]
    waits = " waits for other questions …"
    until(lambda: all(waits in some.doing for some in questions[2:]))
    assert not any(waits in some.doing for some in questions[:2])
    assert set(running) == {"A", "B"}
    questions[3].stop()  # whoever waits can be stopped, and is not asked then
    over.set()
    for some in questions:
        while not some.finished and not some.failure:
            some.step(0.2)
    assert [some.result() for some in questions[:3]] == ["A", "B", "C"]
    assert "was stopped" in questions[3].failure
    assert set(running) == {"A", "B", "C"}


def test_an_address_may_ask_so_many_long_questions(monkeypatch):
    """What is answered at once counts for none of them."""
    buckets = rates.Buckets({"runs": Rate(2, 3600)})
    monkeypatch.setattr(rates, "_buckets", lambda: buckets)
    monkeypatch.setattr(scanning, "_AT_ONCE", 60)
    asked = [scanning.Asked(lambda tell: "known", "Asking A", name) for name in range(9)]
    for some in asked:
        some.step(60)
    assert {some.result() for some in asked} == {"known"}
    over = threading.Event()
    monkeypatch.setattr(scanning, "_AT_ONCE", 0.05)
    long = [scanning.Asked(lambda tell: over.wait(60), "Asking B", name) for name in range(3)]
    for some in long:
        some.step(0.3)
    assert [some.running for some in long] == [True, True, False]
    assert long[2].failure == (
        "Asking B has not begun. That was asked for too often from your address; "
        "try again in 30 minutes."
    )
    over.set()
    for some in long[:2]:
        some.step(60)
        assert some.finished


def test_who_waits_for_a_source_keeps_no_engine_from_others(open_app, files, monkeypatch):
    monkeypatch.setattr(scanning, "_ENGINES", threading.BoundedSemaphore(2))
    source, over = chosen(opened(open_app)).session_state["dataset"].source, threading.Event()
    same = [
        scanning.Asked(lambda tell: over.wait(60), "Asking", name, source) for name in ("A", "B")
    ]
    for some in same:
        some.step(0.2)
    other = scanning.Asked(lambda tell: "answered", "Asking", "C")
    other.step(20)
    assert other.result() == "answered"
    over.set()
    for some in same:
        while not some.finished:
            some.step(0.2)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("no = = toml", "is no TOML"),
        ("other = 1", "must hold one table"),
        ('[[source]]\nname = "A"\n', "'kind' must be one of files, postgres, spark"),
        ('[[source]]\nname = "A"\nkind = "files"\n', "'files' is missing"),
        ('[[source]]\nname = "A"\nkind = "postgres"\nurl_env = "U"\n', "'table' is missing"),
        ('[[source]]\nname = "A"\nkind = "files"\nfiles = "x"\npath = "y"\n', "is no setting"),
        ('[[source]]\nname = "A"\nkind = "files"\nfiles = "x"\nsample = "y"\n', "a whole number"),
        ('[[source]]\nname = "A"\nkind = "files"\nfiles = "x"\n' * 2, "two tables are called"),
        ('[[source]]\nname = "A"\nkind = "files"\nfiles = "x"\nroles = ["all"]\n', "'roles'"),
    ],
)
def test_a_wrong_file_ends_in_a_sentence(open_app, named, text, wrong):
    file = named(text)
    app = open_app("question")
    assert not app.exception
    (sentence,) = [each.value for each in app.error if "cannot be offered" in each.value]
    assert wrong in sentence.replace("\\", "")
    assert str(file) not in sentence


def test_a_database_that_cannot_be_reached_gives_nothing_away(open_app, named, monkeypatch):
    secret = "postgresql://reader:hunter2@127.0.0.1:1/dwh7"
    named(
        f'[[source]]\nname = "{NAME}"\nkind = "postgres"\nurl_env = "WAREHOUSE_URL"\n'
        'table = "people"\n'
    )
    app = answered(open_app(data=NAME))
    assert f"The address of {NAME} is not set on this server" in said(app)
    monkeypatch.setenv("WAREHOUSE_URL", secret)
    app.button(key="opening_again").click().run()
    app = answered(app)
    assert not app.exception
    assert "could not be read" in said(app)
    for word in ("hunter2", "reader", "127.0.0.1", "dwh7", os.environ["WAREHOUSE_URL"]):
        assert word not in said(app)
        assert word not in str(app.query_params)


def test_a_report_and_a_release_rest_on_all_records(open_app, files, people):
    app = chosen(opened(open_app))
    app.toggle(key="whole").set_value(True).run()
    app = answered(turn_to(answered(app), "decide"))
    app.checkbox(key="report_truth").check().run()
    report = built(app)
    told = f"{report.to_markdown()}{report.to_html()}"
    assert number(people["age"].mean()) in told
    for hidden in ("a-secret-place", str(files), "parquet"):
        assert hidden not in told
    app = release(answered(turn_to(app, "release")))
    clean(app)
    assert "statistics of all of **People of the warehouse**" in said(app)


def test_what_a_sample_is_too_small_for_ends_in_a_sentence_and_is_left_out_of_a_report(
    open_app, named, folder
):
    named(f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}"\nsample = 200\n')
    app = chosen(opened(open_app))
    app.toggle(key="whole").set_value(True).run()
    app = answered(turn_to(app, "fit"))
    sound(app)
    assert "take a larger sample" in said(app)
    app = answered(turn_to(app, "assumptions"))
    sound(app)
    assert "normal curves. Does that hold here? Not measured" in said(app).replace("*", "")
    app = answered(turn_to(app, "decide"))
    with patch.object(report_panel, "ReportRun", partial(ReportRun, repetitions=3)):
        button(app, "Build the report").click().run()
    report = run_of(app, "report")
    report.step(60)
    sound(app.run())
    assert "No attacker is simulated: a subset of" in report.result().to_markdown()


def test_a_link_opens_the_same_scenario_on_it(open_app, files):
    app = chosen(opened(open_app))
    scenario = app.session_state["scenario"]
    other = answered(open_app(scenario=pack_scenario(scenario), data=NAME))
    clean(other)
    assert other.session_state["scenario"] == scenario
    assert other.session_state["dataset"].title == NAME
    assert verdict(other) == verdict(app)
    # To others it opens nothing.
    guest = open_app(scenario=pack_scenario(scenario), data=NAME, present="1")
    sound(guest)
    assert "which is for analysts" in said(guest)
    assert SECRET not in said(guest)
    assert guest.session_state["dataset"].origin == "example"


def test_statistics_without_closed_form_are_simulated_from_the_sample(open_app, named, folder):
    named(f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}"\nsample = 400\n')
    app = opened(open_app, n="50")
    app.session_state["own_stat"] = ["mean age", "median hours"]
    app = answered(app.run())
    clean(app)
    assert "no closed form" in said(app) or verdict(app)
    assert app.session_state["scenario"].query.labels == ("mean age", "median hours")
    app.toggle(key="whole").set_value(True).run()
    app = answered(app)
    sound(app)
    assert app.number_input(key="n_whole").value == 2000


def test_choices_are_kept_when_it_is_opened_again(open_app, files, people):
    app = chosen(opened(open_app))
    people[:900].to_parquet(files / "part1.parquet")
    app = turn_to(app, "question")
    app.button(key="open_again").click().run()
    app = answered(app)
    clean(app)
    scenario = app.session_state["scenario"]
    assert (scenario.secret.label, list(scenario.query.labels)) == (SECRET, STATISTICS)
    assert scenario.epsilon == 1.5


def test_an_undone_choice_of_the_data_comes_back(open_app, files):
    app = open_app("question", eps="2")
    app.selectbox(key="data").set_value(NAME).run()
    app = answered(app)
    app.button(key="history_undo").click().run()
    clean(app)
    assert app.session_state["dataset"].origin == "example"
    app.button(key="history_redo").click().run()
    app = answered(app)
    clean(app)
    assert app.session_state["dataset"].title == NAME


def test_reference_data_take_the_place_of_its_records(open_app, files, people, tmp_path):
    app = chosen(opened(open_app))
    app.toggle(key="whole").set_value(True).run()
    app = answered(app)
    before = verdict(app)
    digest = app.session_state["dataset"].digest
    buffer = BytesIO()
    people[:500].to_csv(buffer, index=False)
    app.file_uploader(key=f"reference_{digest}").set_value(
        ("public.csv", buffer.getvalue(), "text/csv")
    ).run()
    app = answered(app)
    clean(app)
    assert "The model is fitted to **public.csv**" in said(app)
    assert verdict(app) != before


def test_labels_of_very_few_records_are_not_offered(open_app, named, people, tmp_path):
    folder = tmp_path / "few"
    folder.mkdir()
    some = people.astype({"town": str})
    some.loc[:3, "town"] = "Hermitage"
    some.to_parquet(folder / "people.parquet")
    named(f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}"\n')
    app = opened(open_app)
    assert "town = Ahausen" in app.selectbox(key="own_secret").options
    assert "Hermitage" not in f"{said(app)}{app.multiselect(key='own_stat').options}"
