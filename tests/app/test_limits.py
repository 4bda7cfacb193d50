"""Agreed limits on the Release page: set, used, kept by calibration and plan, not exceeded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from distpriv.dashboard.release.panels import Desk
from distpriv.dashboard.shell.dataset import retyped
from distpriv.store import ledger, limits, open_store, record
from tests.app.driver import (
    button,
    captions,
    charts,
    draw,
    errors,
    press,
    records,
    release,
    sound,
    table,
    texts,
    turn_to,
    upload,
)


def field(kind, label):
    return next(each for each in kind if each.label == label)


def agree(app, accuracy=None, epsilon=None, person=None, who="Ann", why="Enough.", label="Set"):
    """Fill in the form and set the limit."""
    for name, value in (
        ("Best attacker right in at most … of 100", accuracy),
        ("All releases deliver at most ε", epsilon),
        ("About each person, at most ε", person),
    ):
        if value is not None:
            field(app.number_input, name).set_value(value)
    field(app.text_input, "Who agrees").set_value(who)
    field(app.text_area, "Why").set_value(why)
    return press(app, f"{label} this limit")


def kept(app):
    return limits(open_store(), app.session_state["scenario"].digest)


def recorded():
    return ledger(open_store())


def labels(app) -> list[str]:
    return [each.label for each in app.button]


def first(app) -> str:
    """The first sentence of the page."""
    return texts(app).split("\n")[0]


def test_a_limit_is_agreed_used_and_kept(open_app):
    app = agree(open_app("release"), accuracy=60.0)
    (limit,) = kept(app)
    assert (limit.now.author, limit.now.reason) == ("Ann", "Enough.")
    assert limit.now.terms.accuracy == 0.6
    assert "right in at most 60 %, **0 %** is used so far" in first(app)
    assert "(right in 57.4 %): **it fits**" in first(app)
    assert "has another fingerprint, and with it a ledger and limits of its own" in texts(app)
    release(app)
    assert "**74 %** is used so far" in first(app)
    assert "**it does not fit**" in first(app)
    assert "percentage points more than the agreed 60 %" in errors(app)
    assert "Release …" not in labels(app)
    press(app, "Calibrate to what is left")
    epsilon = app.session_state["scenario"].epsilon
    assert epsilon == pytest.approx(0.9036, abs=2e-3)
    assert "**100 %** with this release (right in 60.0 %): **it fits**" in first(app)
    release(app)
    assert [entry.noise.epsilon for entry in recorded()] == [1.0, epsilon]
    press(app, "Calibrate to what is left")
    assert "Nothing is left" in errors(app)


def test_the_bar_shows_what_is_used_this_release_and_left(open_app):
    app = release(agree(open_app("release"), accuracy=65.0, epsilon=3.0))
    chart = next(each for each in charts(app) if "limit" in each["layout"]["title"]["text"])
    by_name = {trace["name"]: np.array(trace["x"]) for trace in chart["data"]}
    total = sum(by_name[name] for name in ("released so far", "this release", "left"))
    np.testing.assert_allclose(total, 1.0)
    assert (by_name["released so far"] > 0.3).all()


def test_it_holds_whatever_is_on_screen(open_app):
    """Another secret, other statistics, another size, the whole table, another session."""
    agree(open_app("release"), accuracy=55.0)
    women = {"secret": "sex = Female", "stat": ["mean age", "mean education-num"]}
    app = open_app("release", mech="ExpM", eps="0.1", **women)
    assert "Of the agreed limit on income" in first(app)
    release(app)
    for query in ({"eps": "20"}, {"whole": "true", "eps": "20"}, {"n": "300", "eps": "6"}):
        other = open_app("release", view="presentation", mech="ExpM", **women, **query)
        assert "Beyond the limit on income = >50K" in errors(other)
        assert {"Release …", "Draw the noise and release"}.isdisjoint(labels(other))
    assert len(recorded()) == 1


def test_who_is_later_at_the_draw_is_refused_and_sees_nothing(open_app):
    app = press(agree(open_app("release"), accuracy=60.0), "Release …")
    other = release(open_app("release"))
    (theirs,) = recorded()
    draw(app)
    assert "Beyond the limit on income" in errors(app)
    assert recorded()[0].token == theirs.token
    assert len(recorded()) == 1
    at: Desk = app.session_state["release_desk"]
    assert (at.made, at.unrecorded, at.withheld) == ([], [], False)
    assert not [frame for frame in app.dataframe if "Statistic" in frame.value]
    sound(other)


def test_another_database_s_limit_is_not_taken_for_this_one_s(open_app, monkeypatch, tmp_path):
    """Both are the first version of a limit on the same secret of the same table."""
    assert "**it does not fit**" in first(agree(open_app("release"), accuracy=55.0))
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'other.sqlite'}")
    app = agree(open_app("release"), accuracy=60.0)
    assert "at most 60 %" in first(app)
    assert "**it fits**" in first(app)
    assert "Release …" in labels(app)


def test_a_limit_that_is_agreed_in_between_holds(open_app):
    app = press(open_app("release"), "Release …")
    agree(open_app("release"), accuracy=51.0)
    draw(app)
    assert "more than the agreed 51 %" in errors(app)
    assert recorded() == []


def test_a_withheld_release_is_refused_when_the_ledger_is_back(open_app, monkeypatch, tmp_path):
    app = press(open_app("release"), "Release …")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/file/kept.sqlite")
    draw(app)
    assert "Its numbers are not shown yet" in texts(app)
    (tmp_path / "file").unlink()
    agree(open_app("release"), accuracy=51.0)
    press(app, "Record now")
    assert "more than the agreed 51 %" in errors(app)
    assert recorded() == []
    assert not [frame for frame in app.dataframe if "Statistic" in frame.value]


def test_one_that_nobody_has_seen_is_not_taken_for_one_that_is_out(open_app, monkeypatch, tmp_path):
    """It waits for the ledger while the next one is drawn; both are checked then."""
    app = press(open_app("release"), "Release …")
    away = tmp_path / "file"
    address = f"sqlite:///{away}/kept.sqlite"
    away.write_text("in the way")
    monkeypatch.setenv("DATABASE_URL", address)
    draw(app)
    at: Desk = app.session_state["release_desk"]
    (waiting,) = at.unrecorded
    assert (at.withheld, at.known) == (True, [])
    away.unlink()
    agree(open_app("release"), accuracy=51.0)
    app.number_input(key="eps").set_value(0.05).run()
    press(app, "Ask again") if "Ask again" in labels(app) else None
    release(app)
    (entry,) = recorded()
    assert entry.token != waiting.token
    assert entry.noise.epsilon == 0.05
    assert (at.unrecorded, at.unseen) == ([], set())


def test_it_is_changed_by_versions_and_lifted(open_app):
    app = agree(open_app("release"), accuracy=60.0)
    agree(app, accuracy=55.0, who="Bob", why="Less.", label="Change")
    field(app.text_input, "Who agrees").set_value("Cem")
    field(app.text_area, "Why").set_value("Over.")
    press(app, "Lift it")
    history = table(app, "On")
    assert list(history["What"]) == ["lifted", "changed", "set"]
    assert list(history["Who"]) == ["Cem", "Bob", "Ann"]
    assert history["Limit"][1] == "the best attacker right in at most 55 of 100"
    assert "agreed limit" not in first(app)
    assert "Lift it" not in labels(app)


def test_the_later_of_two_is_told_and_keeps_what_was_typed(open_app):
    app, other = open_app("release"), open_app("release")
    agree(other, accuracy=60.0, who="Bob")
    agree(app, accuracy=70.0, why="What I think.")
    assert "Bob set this limit on" in errors(app)
    assert "to the best attacker right in at most 60 of 100" in errors(app)
    assert field(app.text_area, "Why").value == "What I think."
    assert field(app.number_input, "Best attacker right in at most … of 100").value == 70.0
    press(app, "Change this limit")
    (limit,) = kept(app)
    assert [each.terms.accuracy for each in limit.versions] == [0.6, 0.7]


def test_what_is_missing_is_said(open_app):
    app = agree(open_app("release"), accuracy=60.0, why=" ")
    assert "Not kept: The reason is empty" in errors(app)
    assert field(app.number_input, "Best attacker right in at most … of 100").value == 60.0
    assert kept(app) == []
    agree(open_app("release"))
    assert kept(app) == []


def test_another_secret_s_limit_can_be_changed_from_here(open_app):
    agree(open_app("release"), accuracy=60.0)
    app = open_app("release", secret="sex = Female", stat=["mean age"])
    agree(app, accuracy=70.0)
    assert "the tightest of 2 limits" in first(app)
    choice = field(app.selectbox, "Limit on")
    choice.set_value(
        next(limit.key for limit in kept(app) if "income" in limit.pairs[0].label)
    ).run()
    agree(app, accuracy=58.0, why="Tighter.", label="Change")
    assert sorted(limit.now.terms.accuracy for limit in kept(app)) == [0.58, 0.7]


def test_a_plan_for_a_year_takes_its_epsilon(open_app):
    app = agree(open_app("release"), epsilon=1.0)
    field(app.number_input, "at δ").set_value(0.02)
    agree(app, epsilon=1.0, why="At another δ.", label="Change")
    field(app.toggle, "Work out the ε of releases to come").set_value(True).run()
    sound(app)
    assert "12 releases, one every month, keep what is agreed at **ε = " in texts(app)
    plan = table(app, "Accounting")
    exact, naive = (float(each) for each in plan["ε of each"])
    assert naive == pytest.approx(1 / 12, rel=0.01)
    assert exact > 2 * naive
    assert plan["Of the limit"][0] == "100.0\u00a0%"
    press(app, next(label for label in labels(app) if label.startswith("Take ε")))
    assert app.session_state["scenario"].epsilon == pytest.approx(exact, rel=2e-3)
    assert "**it fits**" in first(app)
    field(app.selectbox, "One release every").set_value("week").run()
    assert "52 releases, one every week" in texts(app)
    assert float(table(app, "Accounting")["ε of each"][0]) < exact


def test_all_releases_are_bounded_and_told_for_each_person(open_app):
    """The coupling bound exceeds what the normals say, and two tell more than one."""
    app = release(open_app("release", mech="ExpM"))
    field(app.toggle, "What all releases come to at most, and for each person").set_value(
        True
    ).run()
    sound(app)
    rows = table(app, "At most, whatever the distributions")
    assert list(rows["Releases"]) == ["1, released so far", "2, with this release"]
    figures = rows.iloc[:, 2:].to_numpy(dtype=float)
    assert (figures[1] > figures[0]).all()
    assert (figures[:, 1] > figures[:, 0]).all()


def test_persons_too(open_app):
    app = agree(open_app("release", mech="ExpM"), person=2.0)
    assert "about each record" in first(app)
    assert "does not fit" in first(app) or "it fits" in first(app)
    (limit,) = kept(app)
    assert dict(limit.now.scenario.bounds)["age"][0] <= 17
    assert "are the data's own range, rounded" in captions(app)
    press(app, "Calibrate to what is left")
    assert "**it fits**" in first(app)
    release(app)
    assert "is used so far" in first(app)
    bare = open_app("release", mech="DirM")
    assert "more than the agreed ε = 2" in errors(bare)


def test_a_table_whose_types_are_corrected_is_the_same_table(open_app):
    app = upload(open_app("question"), records(400))
    app.multiselect(key="own_stat").set_value(["mean salary", "mean hours"]).run()
    agree(turn_to(app, "release"), accuracy=52.0)
    before = app.session_state["dataset"]
    other = retyped(before, {"sector": "text"})
    assert other.digest != before.digest
    assert other.fingerprints == (before.digest, other.digest)
    app.session_state["upload"] = other
    app.run()
    sound(app)
    assert app.session_state["dataset"].digest == other.digest
    assert "agreed limit on" in first(app)
    app.number_input(key="eps").set_value(6.0).run()
    assert "Release …" not in labels(app)
    app.number_input(key="eps").set_value(0.01).run()
    release(app)
    (entry,) = recorded()
    assert entry.digest == before.digest
    assert entry.scenario.digest == other.digest


def test_a_release_of_another_version_refuses_the_next(open_app):
    app = release(agree(open_app("release"), accuracy=70.0))
    with open_store().writing() as session:
        session.connection().exec_driver_sql("UPDATE releases SET scenario = '{}'")
    app = open_app("release")
    assert "**Nothing can be released**" in first(app)
    assert "was recorded by another version of distpriv" in errors(app)
    assert "Release …" not in labels(app)


def test_the_desk_records_nothing_past_a_limit_by_its_own_doors(open_app):
    """Old tokens, the button of another view, and Record now after a refusal."""
    app = press(agree(open_app("release"), accuracy=58.0), "Release …")
    at: Desk = app.session_state["release_desk"]
    token = at.token
    app.number_input(key="eps").set_value(3.0).run()
    assert "Beyond the limit" in errors(app)
    assert "Draw the noise and release" not in labels(app)
    at.draw(token, None, "", "", False, {})  # type: ignore[arg-type]
    assert recorded() == []
    at.record()
    assert (at.made, recorded()) == ([], [])
    assert at.failure == ""


def test_what_was_released_without_a_database_counts_once_there_is_one(
    open_app, monkeypatch, tmp_path
):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    app = press(open_app("release"), "Release …")
    next(each for each in app.checkbox if each.label.startswith("Release it")).set_value(True).run()
    draw(app)
    (tmp_path / "file").unlink()
    agree(open_app("release"), accuracy=51.0)
    press(app, "Record now")
    assert len(recorded()) == 1
    assert "exceeded already" in errors(app)
    assert button(app, "Calibrate to what is left")
    record(open_store(), replace(recorded()[0]), {})  # it is there
    assert len(recorded()) == 1
