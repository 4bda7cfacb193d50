"""Mechanisms at one promise and against one attacker."""

from __future__ import annotations

from dataclasses import replace

import pytest

import distpriv as dp
from distpriv.analysis.equal_terms import equal_terms_in_words
from distpriv.analysis.scenario import Scenario

QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)
PAIR = dp.SensitiveProperty("income", ">50K").pair(0.5, 0.1)
NAMES = ("DirM(L)", "OptM", "DauM")


@pytest.fixture(scope="module")
def evaluation() -> dp.Evaluation:
    scenario = Scenario(
        secret=PAIR.secret, query=QUERY, center=0.5, width=0.1, n=100, mechanism="OptM",
        epsilon=1.0, delta=1e-3,
    )  # fmt: skip
    return dp.evaluate(scenario, dp.tables.load_example("census-income"))


def test_least_error_depends_on_what_is_equal(evaluation):
    """Laplace noise costs least at one promise, and OptM against one attacker."""
    found = dp.compare_mechanisms(evaluation, names=NAMES)
    first, second = found.by_promise[0], found.by_attacker[0]
    assert (first.mechanism, second.mechanism) == ("DirM(L)", "OptM")
    assert {(one.epsilon, one.delta) for one in found.by_promise} == {(1.0, 1e-3)}
    assert all(one.promise.kept for one in (*found.by_promise, *found.by_attacker))
    assert first.error == pytest.approx(5.28, rel=0.015)
    assert first.guesses == pytest.approx(63.5, abs=0.2)
    for one in found.by_attacker:
        assert one.guesses == pytest.approx(57.4, abs=0.1)
        assert one.guesses <= found.limit.value
    laplace = next(one for one in found.by_attacker if one.mechanism == "DirM(L)")
    assert laplace.epsilon < 1
    assert laplace.error > second.error
    said = equal_terms_in_words(found)
    assert said.startswith(
        "At ε\u00a0=\u00a01 and δ\u00a0=\u00a00.001, DirM(L) has the least error"
    )
    assert "57.4\u00a0times in 100, OptM at ε\u00a0=\u00a01 has the least error" in said


def test_equal_terms_take_a_limit(evaluation):
    found = dp.compare_mechanisms(evaluation, dp.Limit("guesses", 60), NAMES)
    design = dp.choose(
        dp.Limit("guesses", 60), evaluation.model, NAMES, delta=1e-3, guard_laplace=True
    )
    assert [(one.mechanism, one.error) for one in found.by_attacker] == [
        (choice.mechanism, choice.error) for choice in design.choices
    ]
    frame = found.to_frame()
    assert list(frame["equal"]) == ["promise"] * 3 + ["attacker"] * 3


def test_equal_terms_where_no_noise_is_needed(evaluation):
    found = dp.compare_mechanisms(evaluation, dp.Limit("guesses", 90), NAMES)
    assert found.needs_no_noise
    assert not found.by_attacker
    assert "no noise is needed" in equal_terms_in_words(found)


def test_only_kept_promises_count(evaluation):
    """Laplace noise as published promises δ = 0 to translations, which these are not."""
    exact = dp.evaluate(
        replace(evaluation.scenario, calibration="exact"), dp.tables.load_example("census-income")
    )
    found = dp.compare_mechanisms(exact, names=("DirM(L)", "OptM"))
    assert not any(one.promise.kept for one in found.by_promise if one.mechanism == "DirM(L)")
    assert "DirM(L) has" not in equal_terms_in_words(found)


def test_mechanisms_that_cannot_keep_the_promise_say_why(evaluation):
    found = dp.compare_mechanisms(evaluation.at(0.2), names=("DirM(L)", "OptM"))
    assert [one.mechanism for one in found.by_promise] == ["OptM"]
    assert "However large" in found.skipped["DirM(L)"]
