"""Decisions: proposed, changed, settled; two editors, and a database that is not there."""

from __future__ import annotations

import re

import pytest
import streamlit as st

from distpriv.dashboard.compare import alternatives
from distpriv.dashboard.decide import proposing
from distpriv.dashboard.shell import frame
from distpriv.store import all_decisions, one_decision, open_store, revise, settle
from tests.app.driver import agreed, errors, keep, press, proposed, sound, table, texts, warnings


def reason(app):
    return next(each for each in app.text_area if each.label == "Why now")


def kept():
    return all_decisions(open_store())


def test_a_proposal_holds_what_was_weighed(open_app):
    app = keep(open_app("compare"), "first")
    app.number_input(key="eps").set_value(2.0).run()
    app.switch_page("../../pages/decide.py").run()
    sound(app)
    why = "Line one\n# no heading\n![x](http://evil.example/a.png)"
    proposed(app, "Ann *x*", why, "first")
    (decision,) = kept()
    assert (decision.proposed_by, decision.now.status) == ("Ann *x*", "proposed")
    assert decision.now.choice.epsilon == 1.0
    found = {each.name: each for each in decision.now.alternatives}
    assert set(found) == {"OptM, ε = 2", "first"}
    assert found["OptM, ε = 2"].epsilon == 2.0
    assert found["first"].accuracy == pytest.approx(0.573, abs=0.002)
    assert found["first"].error == pytest.approx(8.82, abs=0.05)  # guarded, above a floor
    assert found["first"].promise == "kept"
    assert [size.label for size in found["first"].errors][:1] == ["mean age"]
    assert {size.value for size in found["first"].errors} == {None}
    # It is shown as it was written, and the form is ready for the next.
    assert "Ann \\*x\\*" in texts(app)
    assert "\\# no heading" in texts(app)
    assert not re.search(r"(?<!\\)(!\[|\]\(http)", texts(app))
    assert "**One decision** about" in texts(app)
    assert app.text_area(key="proposal_reason").value == ""
    assert app.text_input(key="who").value == "Ann *x*"
    assert list(table(app, "Alternative")["Alternative"]) == ["OptM, ε = 2", "first (proposed)"]


def test_without_kept_scenarios_other_epsilons_are_weighed(open_app):
    app = proposed(open_app("decide"))
    assert [each.epsilon for each in kept()[0].now.alternatives] == [1.0, 0.5, 2.0]
    # Figures stay those of the time of the proposal.
    app.number_input(key="eps").set_value(3.0).run()
    assert list(table(app, "Alternative")["ε"]) == ["1", "0.5", "2"]


def test_it_is_changed_then_agreed_and_then_for_good(open_app):
    app = proposed(open_app("decide"))
    app.number_input(key="eps").set_value(3.0).run()
    press(app, "Change it")
    next(each for each in app.selectbox if each.label == "Proposed instead").set_value(
        "as on screen now"
    ).run()
    reason(app).set_value("More is fine.").run()
    app.text_input(key="who").set_value("Bob").run()
    press(app, "Save")
    assert kept()[0].now.choice.epsilon == 3.0
    app.text_input(key="who").set_value("Cem").run()
    app.text_input(key="settling_comment").set_value("For this year.")
    press(app, "Agree")
    (decision,) = kept()
    assert [each.author for each in decision.revisions] == ["Ann", "Bob", "Cem"]
    assert decision.now.comment == "For this year."
    assert "and agreed to by Cem" in texts(app)
    history = table(app, "What")
    assert list(history["What"]) == ["proposed", "changed", "agreed"]
    assert all(each.endswith(" UTC") for each in history["When"])
    assert {"Change it", "Agree", "Reject"}.isdisjoint(each.label for each in app.button)


def test_a_rejected_one_says_why(open_app):
    app = proposed(open_app("decide"))
    agreed(app, label="Reject", comment="Too much.")
    assert kept()[0].now.status == "rejected"
    assert "Too much\\." in texts(app)


def test_the_later_editor_is_told_and_keeps_what_was_typed(open_app):
    app = proposed(open_app("decide"))
    press(app, "Change it")
    reason(app).set_value("What I think.").run()
    key, seen = kept()[0].key, kept()[0].now.alternatives
    revise(
        open_store(),
        key,
        1,
        author="Bob",
        reason="His view.",
        alternatives=seen,
        chosen="OptM, ε = 0.5",
    )
    press(app, "Save")
    assert "Bob changed this decision on" in warnings(app)
    assert "(ε from 1 to 0.5, another reason)" in warnings(app)
    assert reason(app).value == "What I think."
    assert "His view\\." in texts(app)
    assert one_decision(open_store(), key).now.author == "Bob"
    press(app, "Save after theirs")
    assert [each.reason for each in kept()[0].revisions] == [
        "Enough.",
        "His view.",
        "What I think.",
    ]
    assert not app.warning


def test_an_edit_of_what_was_settled_meanwhile_can_become_a_new_one(open_app):
    app = proposed(open_app("decide"))
    press(app, "Change it")
    reason(app).set_value("What I think.").run()
    settle(open_store(), kept()[0].key, 1, author="Bob", status="agreed")
    press(app, "Save")
    assert "Bob agreed to this decision on" in warnings(app)
    press(app, "Propose mine as a new one")
    new, old = kept()
    assert (new.now.reason, new.now.status) == ("What I think.", "proposed")
    assert (old.now.reason, old.now.status) == ("Enough.", "agreed")
    assert app.selectbox(key="decision_shown").value == new.key
    assert list(table(app, "Status")["Status"]) == ["proposed", "agreed"]


def test_who_proposed_or_changed_it_does_not_settle_it(open_app):
    """They are told before the click, and the click is refused."""
    app = proposed(open_app("decide"))
    told = "**Ann** proposed it, and your name above is"
    assert f"{told} Ann: somebody else has to agree or reject" in texts(app)
    for label in ("Agree", "Reject"):
        agreed(app, " aNN", label, comment="I do.")
        assert "Not kept: This decision was proposed or changed by Ann" in errors(app)
        assert f"{told}  aNN" in texts(app)
        assert app.text_input(key="settling_comment").value == "I do."
        assert kept()[0].now.status == "proposed"
    app.text_input(key="who").set_value("Bob").run()
    assert "**Ann** proposed it, so it takes a second name" in texts(app)
    press(app, "Change it")
    reason(app).set_value("Less is not enough.").run()
    press(app, "Save")
    assert "**Ann and Bob** proposed or changed it, and your name above is Bob" in texts(app)
    agreed(app)
    assert "by Ann and Bob, so somebody else has to agree" in errors(app)
    agreed(app, "Cem")
    assert kept()[0].now.author == "Cem"
    assert not app.error


def test_several_decisions_are_told_apart_by_what_never_changes(open_app):
    app = proposed(proposed(open_app("decide")), why="Another.")
    options = app.selectbox(key="decision_shown").options
    assert len(set(options)) == 2
    new, old = kept()
    app.selectbox(key="decision_shown").set_value(old.key).run()
    assert "Enough\\." in texts(app)
    agreed(app)
    assert one_decision(open_store(), old.key).now.status == "agreed"
    assert one_decision(open_store(), new.key).now.status == "proposed"
    assert app.selectbox(key="decision_shown").value == old.key
    assert set(app.selectbox(key="decision_shown").options) == set(options)


def test_nobody_agrees_to_what_they_have_not_seen(open_app):
    app = proposed(open_app("decide"))
    app.text_input(key="who").set_value("Cem").run()
    (before,) = kept()
    revise(
        open_store(), before.key, 1, author="Bob", reason="Other.",
        alternatives=before.now.alternatives, chosen="OptM, ε = 2",
    )  # fmt: skip
    app.text_input(key="settling_comment").set_value("Yes.")
    press(app, "Agree")
    assert kept()[0].now.status == "proposed"
    assert "Bob changed this decision" in errors(app)
    assert app.text_input(key="settling_comment").value == "Yes."
    press(app, "Agree")
    assert kept()[0].now.status == "agreed"


@pytest.mark.parametrize(
    ("name", "why", "said"), [("", "x", "name is empty"), ("x", " ", "reason")]
)
def test_what_is_missing_is_said_and_the_rest_stays(open_app, name, why, said):
    app = proposed(open_app("decide"), name, why)
    assert said in errors(app)
    assert kept() == []
    assert (app.text_input(key="who").value or "") == name


def test_decisions_about_other_data_are_shown_when_asked_for(open_app):
    app = proposed(open_app("decide"))
    (decision,) = kept()
    store = open_store()
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE decision_revisions SET digest = 'other'")
    app.run()
    assert "**Nothing** is decided or proposed" in texts(app)
    app.toggle(key="decisions_all").set_value(True).run()
    assert app.selectbox(key="decision_shown").value == decision.key


def test_the_proposed_scenario_can_be_opened(open_app):
    app = open_app("decide", mech="DauM")
    proposed(app, choice="half the ε")
    app.selectbox(key="mech").set_value("ExpM").run()
    press(app, "Open this scenario")
    found = app.session_state["scenario"]
    assert (found.mechanism, found.epsilon) == ("DauM", 0.5)


def test_the_page_works_on_without_a_database(open_app, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/file/kept.sqlite")
    app = open_app("decide")
    sound(app)
    assert "cannot be opened" in texts(app).replace("\\", "")
    assert "what you propose here is not kept" in texts(app)
    assert app.get("plotly_chart")
    proposed(app, "Ann", "My long reason")
    assert "Not kept: The SQLite file" in errors(app)
    assert app.text_area(key="proposal_reason").value == "My long reason"
    (tmp_path / "file").unlink()
    press(app, "Propose")
    assert kept()[0].now.reason == "My long reason"
    assert "not kept" not in texts(app)


def test_an_address_of_no_database_is_a_sentence(open_app, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "mysql://me:secret@host/name")
    app = open_app("decide")
    sound(app)
    assert "must begin with postgresql" in texts(app).replace("\\", "")
    assert "secret" not in texts(app)


def test_a_scenario_without_a_result_leaves_the_record(open_app):
    app = proposed(open_app("decide"))
    app.slider(key="center").set_value(0.0).run()
    sound(app)
    assert app.error
    assert "**One decision** about" in texts(app)
    assert "There is nothing to propose" in " ".join(each.value for each in app.caption)


def test_any_page_can_keep_and_propose_what_is_on_screen(open_app, monkeypatch):
    """The names are the visitor's; the figures are those of the time."""

    def elsewhere():
        view = frame.modelled()
        state = st.session_state
        if name := state.pop("asked_to_keep", None):
            state["kept_as"] = alternatives.keep_now(view, name)
        if wanted := state.pop("asked_to_propose", None):
            proposing.propose_current(view, *wanted)

    app = open_app("compare")
    monkeypatch.setattr("distpriv.dashboard.compare.files.files", elsewhere)
    app.session_state["asked_to_keep"] = "as published last year"
    app.run()
    sound(app)
    app.number_input(key="eps").set_value(2.0)
    app.session_state["asked_to_propose"] = ("a little more", "It is asked for.", "Ann")
    app.run()
    sound(app)
    app.number_input(key="eps").set_value(1.0)
    app.session_state["asked_to_propose"] = ("", "It was good enough.", "Bob")
    app.run()
    sound(app)
    old, new = (each.now for each in reversed(kept()))
    assert {each.name for each in old.alternatives} == {"a little more", "as published last year"}
    assert (old.chosen, old.choice.epsilon, old.author) == ("a little more", 2.0, "Ann")
    assert (new.chosen, new.choice.epsilon) == ("as published last year", 1.0)
    assert app.session_state["kept_as"] == "as published last year"
