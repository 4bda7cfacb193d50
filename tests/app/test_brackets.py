"""What is delivered at least and at most, on the pages Guarantee and Assumptions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distpriv.analysis import brackets
from distpriv.dashboard.guarantee import brackets as panel
from tests.app.driver import captions, charts, clean, finished, press, run_of, table, texts, turn_to


def drawn(app):
    """The three figures' chart."""
    return next(chart for chart in charts(app) if "bracketed" in chart["layout"]["title"]["text"])


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds that are done soon."""
    monkeypatch.setattr(brackets, "_MOST", 200)


def test_the_frame_comes_first_then_the_figures_then_the_attacks(open_app, cold):
    app = open_app("guarantee", seed="31")
    clean(app)
    first = drawn(app)
    assert first["layout"]["meta"]["pending"]
    run = run_of(app, "brackets")
    run.step(0.0)
    app.run()
    clean(app)
    assert "No simulated attack has proven anything yet." in captions(app)
    assert "Whatever the curves look like" in texts(app)
    finished(app, run)
    last = drawn(app)
    assert last["layout"]["height"] == first["layout"]["height"]
    assert {trace["name"] for trace in last["data"]} >= {"at least", "fitted normals", "at most"}
    assert "50 of 50 rounds of attacks" in str(app.get("progress")[0].proto)
    assert "95 % confidence, seed 31" in captions(app)


def test_attacks_are_stopped_gone_on_with_and_kept(open_app, cold):
    app = open_app("guarantee", seed="32")
    run_of(app, "brackets").step(0.0)
    press(app, "Stop")
    stopped = run_of(app, "brackets")
    assert stopped.stopped
    press(app, "Go on")
    finished(app, run_of(app, "brackets"))
    assert run_of(app, "brackets") is stopped
    turn_to(app, "assumptions")
    clean(app)
    assert run_of(app, "brackets") is stopped
    assert "at least" in texts(app)


def test_the_coupling_mechanism_keeps_its_promise_without_curves(open_app):
    app = open_app("guarantee", mech="CoupM")
    finished(app, run_of(app, "brackets"))
    assert "kept without the curves" in texts(app)
    assert "is not exceeded" in texts(app)
    assert "It rests only on this, that the records are drawn as described" in captions(app)


def test_a_known_law_needs_no_attack(open_app):
    counts = ["count sex = Female", "count marital-status = Never-married"]
    app = open_app("guarantee", stat=counts)
    assert drawn(app)["layout"]["meta"]["pending"]
    app.run()
    clean(app)
    assert "runs" not in app.session_state
    assert [trace["name"] for trace in drawn(app)["data"]] == ["exactly", "fitted normals"]
    assert "exactly" in texts(app)
    assert not [button for button in app.button if button.label == "Go on"]


def test_a_law_that_is_known_with_laplace_noise_needs_no_attack(open_app):
    app = open_app("guarantee", stat=["count sex = Female"], mech="DirM(L)")
    app.run()
    clean(app)
    assert "runs" not in app.session_state
    assert [trace["name"] for trace in drawn(app)["data"]] == ["exactly", "fitted normals"]


def test_a_refuted_promise_is_missed_on_the_badge_of_the_same_page(open_app, monkeypatch):
    def refuted(view, audited=None):
        stronger = None if audited is None else replace(audited, delta=2 * view.noise.delta)
        return brackets.bracket(view, stronger)

    monkeypatch.setattr(panel, "bracket", refuted)
    app = open_app("guarantee", seed="33")
    assert "promise kept" in texts(app)
    finished(app, run_of(app, "brackets"))
    clean(app)
    assert "promise missed, 2 times" in texts(app)
    assert "Simulated attacks prove δ = 0.002 at least." in texts(app)
    assert "CoupM needs none" in texts(app)


@pytest.mark.parametrize("mechanism", ["ExpM(L)", "DP", "DP(L)", "GroupDP(L)"])
def test_other_mechanisms_have_theirs_or_a_reason(open_app, mechanism):
    app = open_app("guarantee", mech=mechanism)
    finished(app, run_of(app, "brackets"))
    clean(app)
    told = texts(app).replace("\\", "")
    assert ("The coupling bound is for Gaussian noise" in told) == mechanism.endswith("(L)")


def test_the_assumptions_of_the_coupling_mechanism_are_told(open_app):
    app = open_app("assumptions", mech="CoupM")
    finished(app, run_of(app, "brackets"))
    clean(app)
    assert "**no assumption** about how the statistics are distributed" in texts(app)
    rows = table(app, "rests on").set_index("")
    assert rows.loc["CoupM", "rests on"] == "the sampling alone"
    assert rows.loc["OptM", "rests on"] == "one assumption"
    assert set(rows.loc["CoupM"].drop("rests on")) == {"–"}
    told = texts(app)
    assert "is delivered δ: at least **" in told
    assert "by the fitted normals **" in told
