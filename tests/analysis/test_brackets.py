"""At least, by the fitted normals and at most: bounds that are bounds, and what they are called."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis import brackets_in_words as words
from distpriv.analysis.brackets import ATTACKERS, Delivered, audit, bracket, steps
from distpriv.attacks.joint_audit import JointAudit
from distpriv.errors import ScenarioError
from distpriv.export.report import build_report
from distpriv.model.run import Run

AUDIT = JointAudit(1e-5, 0.1, 1.0, 1e-3, 0.95, ATTACKERS, 50, 25_000, 7)


def scenario(people: pd.DataFrame, query: list[dp.Statistic], **given: object) -> dp.Evaluation:
    values = {"n": 60, "center": 0.4, "width": 0.2, "seed": 3, "mechanism": "ExpM"} | given
    secret = dp.SensitiveProperty("income", "high")
    return dp.evaluate(dp.Scenario(secret=secret, query=dp.Query(query), **values), people)  # type: ignore[arg-type]


COUNTS: list[dp.Statistic] = [dp.Count("status", "married"), dp.Count("town", "Ahausen")]
MEANS: list[dp.Statistic] = [dp.Mean("age"), dp.Count("status", "married")]


@pytest.mark.parametrize("query", [COUNTS, MEANS], ids=["counts", "means"])
@pytest.mark.parametrize("mechanism", ["ExpM", "OptM", "CoupM"])
@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_at_least_is_never_above_at_most(people, query, mechanism, epsilon) -> None:
    asked = scenario(people, query, mechanism=mechanism, epsilon=epsilon, delta=0.01)
    proven = audit(asked, 10)
    found = bracket(asked, proven)
    assert found.bound is not None
    assert proven.delta <= found.bound.value
    assert proven.epsilon <= found.bounded_epsilon
    if found.law is not None:
        assert proven.delta <= found.law.delta <= found.bound.value
        assert proven.epsilon <= found.law.epsilon <= found.bounded_epsilon


@pytest.mark.parametrize("replacement", [False, True])
def test_attackers_prove_nearly_all_of_what_a_weak_noise_delivers(people, replacement) -> None:
    asked = scenario(
        people, COUNTS, mechanism="ExpM", epsilon=4.0, delta=0.4, replacement=replacement
    )
    weak = asked.at(0.1)
    weak.calibrated["ExpM"] = replace(asked.noise, epsilon=0.1, delta=1e-3)
    found = bracket(weak, audit(weak, 20))
    assert found.audit is not None
    assert found.law is not None
    assert 0.8 * found.law.delta < found.audit.delta <= found.law.delta
    assert found.verdict == "broken"
    assert "The promise is broken, by the exact law." in words.judged(found)
    assert "The promise is broken, as simulated attacks prove." in words.judged(
        replace(found, law=None)
    )


def test_an_exact_law_is_at_least_and_at_most(people) -> None:
    asked = scenario(people, COUNTS, mechanism="OptM", epsilon=1.0, delta=0.01)
    found = bracket(asked)
    assert asked.law is not None
    assert found.exact
    assert found.at_least == found.at_most == found.law
    assert found.law is not None
    assert found.law.delta == pytest.approx(asked.law.delivered_delta(asked.noise, 1.0))
    assert asked.law.delivered_delta(asked.noise, found.law.epsilon) <= 0.01 * (1 + 1e-9)
    assert asked.law.delivered_delta(asked.noise, 0.99 * found.law.epsilon) > 0.01
    assert "exactly" in words.without_curves(found)
    assert not words.proven(found)


def test_the_figures_are_those_of_their_functions(people) -> None:
    asked = scenario(people, MEANS, epsilon=0.7, delta=0.005)
    found = bracket(asked)
    assert found.normals.delta == asked.delivered_delta
    assert found.normals.epsilon == asked.delivered_epsilon
    again = dp.coupling_bound(
        people, asked.scenario.query, asked.fit.pair, 60, asked.noise, 0.7, rng=3
    )
    assert found.bound is not None
    assert found.bound.value == pytest.approx(again.value, rel=1e-9)
    assert (found.at_least, found.exact) == (None, False)
    assert found.at_most == Delivered(found.bound.value, found.bounded_epsilon)


def test_the_attackers_know_the_records_that_datasets_are_drawn_from(people) -> None:
    asked = scenario(people, MEANS)
    attack = asked.attack({"x": None}, split=False)
    parts = attack._split(np.random.default_rng(1))
    assert all(part.counts == attack.groups.counts for part in parts)
    # Too few for parts of four tenths, not for the records themselves.
    few = scenario(people.head(150), MEANS, n=60, center=0.5)
    with pytest.raises(dp.errors.AttackError):
        few.attack({"x": None}).run(0)
    assert audit(few, 2).guesses == 1000


def test_it_grows_an_attack_at_a_time(people) -> None:
    run = Run(lambda: steps(scenario(people, MEANS), 4))
    run.step(0.0)
    first = run.result()
    assert first is not None
    assert first.audit is None
    assert "yet" in words.proven(first)
    while run.running:
        run.step(0.0)
    last = run.result()
    assert last is not None
    assert last.audit == audit(scenario(people, MEANS), 4)
    known = Run(lambda: steps(scenario(people, COUNTS, mechanism="OptM"), 4))
    known.step(0.0)
    assert known.finished


def test_where_there_is_no_coupling_bound_the_reason_is_told(people) -> None:
    for asked in (
        scenario(people, MEANS, mechanism="ExpM(L)"),
        scenario(people, [dp.Mean("age"), dp.Median("hours")]),
    ):
        found = bracket(asked)
        assert found.at_most is None
        assert found.verdict == "open"
        assert found.unbounded
        assert found.unbounded in words.without_curves(found)
        assert found.unbounded in words.in_a_line(found)
    assert bracket(scenario(people, MEANS, mechanism="ExpM(L)")).delta == 1e-3


def test_an_audit_of_something_else_is_refused(people) -> None:
    asked = scenario(people, MEANS)
    with pytest.raises(ScenarioError, match="The audit is about"):
        bracket(asked, replace(AUDIT, at_epsilon=2.0))


def test_the_law_of_several_pairs_is_that_of_the_worst(people) -> None:
    asked = scenario(people, COUNTS, grid=(0.2, 0.6, 0.2), mechanism="OptM")
    found = bracket(asked)
    alone = [asked.of("OptM", place).law for place in range(found.pairs)]
    delivered = [law.delivered_delta(asked.noise, 1.0) for law in alone if law is not None]
    assert len(delivered) == found.pairs > 1
    assert found.exact
    assert found.law is not None
    assert found.law.delta == pytest.approx(max(delivered))
    assert found.bound is not None
    assert found.law.delta <= found.bound.value


def test_a_report_has_the_three_figures(people) -> None:
    report = build_report(scenario(people, MEANS), repetitions=2)
    line = words.in_a_line(report.brackets["ExpM"])
    assert line in report.to_html()
    assert "whatever the curves look like (coupling bound" in report.to_markdown()
    assert '"at_most": {' in report.to_json()


def test_what_attacks_prove_is_what_is_said_of_the_promise(people) -> None:
    asked = scenario(people, MEANS, mechanism="ExpM", epsilon=4.0, delta=0.4)
    weak = asked.at(0.1)
    weak.calibrated["ExpM"] = replace(asked.noise, epsilon=0.1, delta=0.2, calibrated_for=None)
    proven = audit(weak, 20)
    assert bracket(weak, proven).verdict == "broken"
    assert not weak.promise.kept
    assert weak.promise.ratio >= proven.delta / 0.2 > 1


def test_a_refutation_is_only_of_its_own_scenario(people) -> None:
    asked = scenario(people, MEANS, epsilon=1.0, delta=0.01)
    assert asked.promise.kept
    asked.refute(0.02)
    assert asked.promise.words == "missed, 2 times"
    assert asked.figures.promise == "missed"
    assert replace(asked).promise.words == "missed, 2 times"
    assert asked.at(2.0).promise.kept
