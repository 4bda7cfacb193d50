"""A release rests on a decision that two people stand for, or on a reason that is recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distpriv.dashboard.release.panels import Desk
from distpriv.store import all_decisions, ledger, open_store
from distpriv.store.ledger import LedgerEntry
from tests.app.driver import (
    agreed,
    draw,
    errors,
    press,
    proposed,
    release,
    table,
    texts,
    turn_to,
    warnings,
)


def recorded() -> list[LedgerEntry]:
    return ledger(open_store())


def test_without_an_agreed_decision_it_takes_a_reason(open_app):
    app = press(open_app("release"), "Release …")
    assert "No agreed decision on record is for exactly this release" in warnings(app)
    assert "So it needs a reason" in warnings(app)
    draw(app, " \n")
    assert "Nothing was drawn. The reason is empty; fill it in." in errors(app)
    assert recorded() == []
    assert app.session_state["release_desk"].made == []
    draw(app, "The *board* asked for it.")
    assert not app.error
    (entry,) = recorded()
    assert (entry.reason, entry.decision) == ("The *board* asked for it.", "")
    row = table(app, "When").iloc[0]
    assert (row["Reason"], row["Decision"]) == ("The *board* asked for it.", "–")
    press(app, "Release …")
    assert next(each for each in app.text_area if each.label.startswith("Why it")).value == ""


@pytest.mark.parametrize("choices", [{}, {"whole": "true"}, {"mech": "ExpM", "persons": "true"}])
def test_what_was_agreed_is_released_without_one(open_app, choices):
    """Only once it is agreed, and only that."""
    app = proposed(open_app("decide", **choices))
    press(turn_to(app, "release"), "Release …")
    assert "proposed by Ann, is not agreed to yet" in warnings(app)
    press(app, "Not now")
    agreed(turn_to(app, "decide"))
    press(turn_to(app, "release"), "Release …")
    (decision,) = all_decisions(open_store())
    rests = f"It rests on the decision {decision.key[:6]}, proposed by Ann and agreed to by Bob on"
    assert rests in texts(app)
    if app.warning:
        assert "is not kept as computed" in warnings(app)
        assert "decision" not in warnings(app)
    draw(app)
    (entry,) = recorded()
    assert entry.decision == decision.key
    assert list(table(app, "When")["Decision"]) == [decision.key[:6]]
    app.number_input(key="eps").set_value(1.1).run()
    press(app, "Release …")
    assert "No agreed decision" in warnings(app)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"mech": "DauM", "cal": "exact"}, "δ = 0.001, is not kept as computed."),
        ({"mech": "DP"}, "DP promises nothing about the secret."),
    ],
)
def test_a_promise_that_is_missed_or_none_takes_a_reason_though_agreed(open_app, choices, said):
    app = agreed(proposed(open_app("decide", **choices)))
    press(turn_to(app, "release"), "Release …")
    assert said in warnings(app)
    assert "It rests on the decision" in texts(app)
    draw(app, "")
    assert "The reason is empty" in errors(app)
    assert recorded() == []
    draw(app, "Nobody else has these figures.")
    (entry,) = recorded()
    assert entry.reason == "Nobody else has these figures."
    assert entry.decision


def test_what_the_ledger_refuses_for_want_of_a_reason_is_never_shown(open_app):
    """The page asks first; who gets past it is refused by the core."""
    app = press(open_app("release"), "Release …")
    at: Desk = app.session_state["release_desk"]
    release(open_app("release"))
    entry = replace(recorded()[-1], token="t", reason="")
    at.made.append(entry)
    at.unrecorded.append(entry)
    at.unseen.add("t")
    at.record()
    assert "To release it all the same, give a reason." in at.failure
    assert (at.made, at.unrecorded, at.unseen) == ([], [], set())
    assert len(recorded()) == 1
