"""Release: confirmed, drawn once, recorded, and counted with what was released before."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

import distpriv as dp
from distpriv.dashboard.release import for_recipients
from distpriv.dashboard.release.panels import Desk
from distpriv.dashboard.serving import writing
from distpriv.mechanisms.release import Release, released_decimals
from distpriv.store import ledger, open_store, record
from distpriv.store.ledger import LedgerEntry
from tests.app.driver import (
    button,
    clicked_again,
    draw,
    errors,
    press,
    records,
    release,
    sound,
    table,
    texts,
    upload,
    warnings,
)


def labels(app) -> list[str]:
    return [each.label for each in app.button]


def recorded() -> list[LedgerEntry]:
    return ledger(open_store())


def test_a_release_is_confirmed_recorded_and_shown(open_app):
    app = open_app("release")
    app.text_input(key="who").set_value("Ann").run()
    app.text_input(key="release_note").set_value("For the *report*").run()
    press(app, "Release …")
    assert recorded() == []
    assert "A release cannot be taken back" in texts(app)
    assert "drawn at random from" in texts(app)
    draw(app)
    (entry,) = recorded()
    assert (entry.author, entry.note) == ("Ann", "For the *report*")
    scenario = app.session_state["scenario"]
    assert replace(entry.scenario, look="") == replace(scenario, look="")
    np.testing.assert_allclose(
        [float(each) for each in table(app, "Statistic")["Released"]], entry.values
    )
    assert list(table(app, "Statistic")["Statistic"]) == list(scenario.query.labels)
    assert list(table(app, "When")["Kept"]) == ["in the ledger"]
    assert "Release …" in labels(app)
    # Numbers stay when the controls move, and the next release is another one.
    shown = list(table(app, "Statistic")["Released"])
    app.number_input(key="eps").set_value(2.0).run()
    assert list(table(app, "Statistic")["Released"]) == shown
    release(app)
    assert recorded()[1].values != entry.values


def test_the_numbers_come_with_intervals_and_how_to_use_them(open_app):
    app = release(open_app("release", bounds="17.0 to 90.0 age"))
    (entry,) = recorded()
    made = Release(
        entry.scenario.query, np.array(entry.values), released_decimals(entry.noise),
        entry.scenario.n, entry.noise,
    )  # fmt: skip
    known = dp.release_intervals(made, dict(entry.scenario.bounds))
    shown = table(app, "Statistic")
    for told, places, each in zip(
        shown["95\u00a0% interval of these records"], made.decimals, known, strict=True
    ):
        low, high = (float(end.replace("−", "-")) for end in told.split("\u00a0to\u00a0"))
        assert low <= each.dataset.low + 1e-9
        assert high >= each.dataset.high - 1e-9
        assert high - low <= each.dataset.high - each.dataset.low + 2.01 * 10.0**-places
    of_population = dict(
        zip(shown["Statistic"], shown["95\u00a0% interval of the population"], strict=True)
    )
    assert of_population["mean hours-per-week"] == "–"
    assert of_population["mean age"] != "–"
    assert "taken to be public" in shown["The second rests on"].iloc[0]
    assert "in 95 of 100 releases" in texts(app)
    numbers = for_recipients.numbers(entry)
    assert list(numbers["Population, from"].isna()) == [each.population is None for each in known]
    assert list(numbers["These records, to"]) == [each.dataset.high for each in known]
    (first, *_) = for_recipients.statistics(entry)
    assert first["interval_of_these_records"] == [known[0].dataset.low, known[0].dataset.high]
    json.dumps(for_recipients.statistics(entry), allow_nan=False)


def test_the_seed_has_no_part_in_it(open_app):
    values = []
    for _ in range(2):
        release(open_app("release", seed="5"))
        values.append(recorded()[-1].values)
    assert values[0] != values[1]


def test_samples_add_up_and_the_next_one_is_told(open_app):
    app = open_app("release")
    assert "**No release** of these 5 statistics of 100 records drawn from" in texts(app)
    first = float(re.search(r"in \*\*([\d.]+) %\*\*", texts(app))[1])
    for _ in range(2):
        release(app)
    said = texts(app)
    assert "were released **2 times**" in said
    found = [float(each) for each in re.findall(r"\*\*([\d.]+) %\*\*", said)]
    # About Φ(√r d/2) with Φ(d/2) = 57.3 %, and a little more for covariances that differ.
    assert (first, *found[:2]) == pytest.approx((57.4, 60.4, 62.7), abs=0.06)
    assert re.search(r"Together they deliver \*\*ε = 1.[45]\d*\*\*", said)
    assert "the next one promises ε = 1 with δ = 0.001" in said


def test_a_whole_table_s_noises_average_out(open_app):
    app = open_app("release", whole="true", mech="ExpM", eps="0.5")
    for _ in range(2):
        release(app)
    press(app, "Release …")
    assert "all 45\u202f222 complete records of" in texts(app)
    guarantee = open_app("guarantee", whole="true", mech="ExpM", eps="0.5")
    guarantee.select_slider(key="releases").set_value(2).run()
    wanted = re.search(r"right in \*\*([\d.]+) %\*\* of cases.*? ε = ([\d.]+) at", texts(guarantee))
    said = texts(app)
    assert f"in **{wanted[1]} %** of cases" in said
    assert f"Together they deliver **ε = {wanted[2]}**" in said
    truth = app.session_state["scenario"].query.answer(app.session_state["dataset"].table)
    for entry in recorded():
        deviations = np.sqrt(np.diag(entry.noise.covariance))
        assert (np.abs(entry.values - truth) < 6 * deviations).all()


def right(app) -> list[float]:
    """How often the best attacker is right, in the order the page says it."""
    return [float(each) for each in re.findall(r"\*\*([\d.]+) %\*\*", texts(app))]


def test_other_statistics_and_sizes_are_counted_too(open_app):
    app = release(open_app("release"))
    before = right(app)[0]
    app.multiselect(key="stat").set_value(["mean age", "count sex = Female"]).run()
    assert "**1 release** of **Census income" in texts(app)
    assert right(app)[0] == pytest.approx(before)
    release(app)
    app.multiselect(key="stat").set_value(["count sex = Female", "mean age"]).run()
    sound(app)
    assert "**2 releases** of **Census income" in texts(app)
    both = right(app)[0]
    assert both > before
    app.number_input(key="n").set_value(150).run()
    assert right(app)[0] == pytest.approx(both)
    app.toggle(key="whole").set_value(True).run()
    assert "**2 releases** of **Census income" in texts(app)
    assert right(app)[0] == pytest.approx(both)


def test_another_secret_s_releases_tell_of_this_one(open_app):
    app = release(
        open_app("release", secret="sex = Female", stat=["mean age", "mean hours-per-week"])
    )
    app.selectbox(key="secret").set_value("income = >50K").run()
    sound(app)
    assert "were released **once**" in texts(app)
    assert right(app)[0] > 50.5


@pytest.mark.parametrize(("mech", "said"), [("ExpM(L)", "at most"), ("DP", "promises nothing")])
def test_other_noises(open_app, mech, said):
    app = release(open_app("release", mech=mech))
    assert "were released **once**" in texts(app)
    release(app)
    press(app, "Release …")
    assert said in texts(app)
    assert "were released **2 times**" in texts(app)


def test_promises_that_do_not_add_up_say_why(open_app):
    app = press(open_app("release", whole="true", mech="ExpM(L)"), "Release …")
    assert "drawn exactly, with the operating system's random numbers" in texts(app)
    release(open_app("release", whole="true", mech="ExpM(L)"))
    app = release(open_app("release", whole="true", mech="ExpM(L)", eps="0.5"))
    assert "Their promises add up to **ε = 1.5** with δ = 0" in texts(app)
    app = release(open_app("release", whole="true", mech="ExpM"))
    assert "add up for Laplace noise with δ = 0 only." in texts(app)


def test_what_needs_no_noise_is_not_released(open_app):
    app = open_app("release", eps="50")
    sound(app)
    assert "adds no noise here" in texts(app)
    assert "Release …" not in labels(app)


def test_another_scenario_has_to_be_confirmed_again(open_app):
    app = press(open_app("release"), "Release …")
    app.number_input(key="eps").set_value(0.5).run()
    assert "Draw the noise and release" not in labels(app)
    assert "Not now" in labels(press(app, "Release …"))
    assert "Not now" not in labels(press(app, "Not now"))
    assert recorded() == []


def test_two_clicks_draw_once(open_app):
    """A click that comes before the page is drawn again calls with the same token."""
    app = press(open_app("release"), "Release …")
    at: Desk = app.session_state["release_desk"]
    token = at.token
    draw(app)
    (made,) = at.made
    for again in (token, "", made.token):
        at.draw(again, None, "", "", False, {})  # type: ignore[arg-type]
    assert at.made == [made]
    assert len(recorded()) == 1


def test_a_click_that_comes_while_it_is_written_hides_nothing(open_app, monkeypatch):
    cut = clicked_again(monkeypatch, after=(writing, "_record"))
    app = release(open_app("release")).run()
    (entry,) = recorded()
    assert len(cut) == 1
    assert "not in the ledger" not in texts(app)
    np.testing.assert_allclose(
        [float(each) for each in table(app, "Statistic")["Released"]], entry.values
    )


def test_the_file_to_hand_on_tells_neither_the_secret_nor_the_fingerprint(open_app):
    from distpriv.dashboard.release.panels import _json

    release(open_app("release"))
    (entry,) = recorded()
    content = json.loads(_json(entry))
    assert [each["value"] for each in content["statistics"]] == list(entry.values)
    np.testing.assert_allclose(content["noise"]["covariance"], entry.noise.covariance)
    assert entry.scenario.digest not in str(content)
    assert "income" not in str(content)


def test_where_there_is_no_database_yet_a_release_can_do_without(open_app, monkeypatch, tmp_path):
    """The user's folder cannot hold one, so nobody can have agreed on a limit in it."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    app = open_app("release")
    sound(app)
    assert "earlier releases are missing from the figures" in texts(app)
    press(app, "Release …")
    assert "There is no ledger yet, and so no limit either" in warnings(app)
    assert button(app, "Draw the noise and release").disabled
    next(each for each in app.checkbox if each.label.startswith("Release it")).set_value(True).run()
    draw(app)
    assert "is **not in the ledger**" in texts(app)
    assert "were released **once**" in texts(app)
    values = list(table(app, "Statistic")["Released"])
    assert list(table(app, "When")["Kept"]) == ["in this session only"]
    # Once the database is back it takes the release as it was.
    (tmp_path / "file").unlink()
    press(app, "Record now")
    assert "not in the ledger" not in texts(app)
    (entry,) = recorded()
    np.testing.assert_allclose([float(each) for each in values], entry.values)


def test_a_named_database_that_does_not_answer_may_hold_a_limit(open_app, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/file/kept.sqlite")
    app = open_app("release")
    sound(app)
    assert "A limit may be agreed on there, so nothing is released" in errors(app)
    assert {"Release …", "Draw the noise and release"}.isdisjoint(labels(app))
    (tmp_path / "file").unlink()
    release(press(app, "Ask again"))
    assert len(recorded()) == 1


def test_a_ledger_that_can_only_be_read_holds_no_release(open_app, own_database):
    """It is told before anything is drawn."""
    release(open_app("release"))
    with closing(sqlite3.connect(own_database)) as connection:
        connection.execute(
            "CREATE TRIGGER shut BEFORE INSERT ON distpriv_schema "
            "BEGIN SELECT RAISE(ABORT, 'attempt to write a readonly database'); END"
        )
    app = press(open_app("release"), "Release …")
    assert "nothing is released until it can" in errors(app)
    assert "Draw the noise and release" not in labels(app)


def test_a_ledger_that_fails_at_the_draw_withholds_the_numbers(open_app, monkeypatch, tmp_path):
    app = press(open_app("release"), "Release …")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/file/kept.sqlite")
    draw(app)
    assert "Its numbers are not shown yet" in texts(app)
    assert "before **cannot be read now**" in texts(app)
    assert not [frame for frame in app.dataframe if "Released" in frame.value]
    assert "Show it without a record" not in labels(app)
    (tmp_path / "file").unlink()
    press(app, "Record now")
    assert len(table(app, "Statistic")) == 5
    assert len(recorded()) == 1


def test_nothing_of_the_truth_is_in_a_presentation_or_the_ledger(open_app, own_database):
    app = open_app("release", whole="true", view="presentation", mech="ExpM")
    truth = app.session_state["scenario"].query.answer(app.session_state["dataset"].table)
    release(app)
    shown = texts(app) + "".join(frame.value.to_csv() for frame in app.dataframe)
    kept = own_database.read_bytes() + b"".join(
        file.read_bytes() for file in own_database.parent.iterdir()
    )
    for value in truth[[0, 1, 4]]:
        assert f"{value:.6g}" not in shown
        assert f"{value:.6g}".encode() not in kept


def test_an_upload_s_names_stand_in_the_ledger_but_not_its_records(open_app, own_database):
    # More digits than a release has: its own figures cannot happen to be a record's.
    table_ = records(1500).assign(
        sector=lambda each: each["sector"].astype("category"),
        salary=lambda each: each["salary"].round(1) + 0.000137,
    )
    app = upload(open_app("question"), table_)
    app.switch_page("../../pages/release.py").run()
    release(app)
    kept = b"".join(file.read_bytes() for file in own_database.parent.iterdir())
    assert b"mine.csv" in kept
    for value in table_["salary"].iloc[:200]:
        assert str(value).encode() not in kept


def test_releases_of_another_version_are_shown_and_not_counted(open_app):
    release(open_app("release"))
    with open_store().writing() as session:
        session.connection().exec_driver_sql("UPDATE releases SET scenario = '{}'")
    app = open_app("release")
    sound(app)
    assert "**No release**" in texts(app)
    assert "was recorded by another version of distpriv" in warnings(app)
    assert list(table(app, "When")["Computed from"]) == ["–"]


def test_many_releases_are_counted_all(open_app):
    app = release(open_app("release"))
    (first,) = recorded()
    for place in range(60):
        record(open_store(), replace(first, token=f"t{place}"))
    app.run()
    sound(app)
    assert "were released **61 times**" in texts(app)
