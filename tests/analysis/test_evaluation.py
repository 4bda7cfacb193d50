"""A scenario evaluated is what the package's functions give one by one, and no more than asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.answer import answer
from distpriv.analysis.brackets import bracket
from distpriv.analysis.fitting import Groups
from distpriv.export.report.label import label

TOLERANCES = (2.0, 300.0, 1.5, 0.05)
KINDS = ("raw", "standardised", "custom")
NAMES = {"raw": "", "standardised": "standard deviations", "custom": "tolerances"}


@pytest.fixture(scope="module")
def scenario(query: dp.Query, rich: dp.SensitiveProperty) -> dp.Scenario:
    return dp.Scenario(
        secret=rich, query=query, center=0.4, width=0.2, n=60, mechanism="DauM", epsilon=1.3,
        delta=0.01, calibration="exact", tolerances=TOLERANCES, seed=3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def evaluation(scenario: dp.Scenario, people: pd.DataFrame) -> dp.Evaluation:
    return dp.evaluate(scenario, people, units={"age": "years"})


def sizes(model: dp.GaussianModel) -> dict[str, Any]:
    """The rule of units, written down a second time: what one unit of each statistic is."""
    variances = [np.diag(fit.pooled) for fit in model.pairs]
    return {
        "raw": np.ones(4),
        "standardised": np.sqrt(np.mean(variances, axis=0)),
        "custom": np.array(TOLERANCES),
    }


@pytest.mark.parametrize("units", KINDS)
@pytest.mark.parametrize("report", KINDS)
@pytest.mark.parametrize("mechanism", ["ExpM", "OptM", "ExpM(L)"])
def test_noise_is_calibrated_in_one_unit_and_its_error_reported_in_another(
    scenario, people, model, units, report, mechanism
):
    asked = replace(scenario, units=units, report=report, mechanism=mechanism)
    evaluation = dp.evaluate(asked, people)
    by_kind = sizes(model)
    noise = dp.calibrate(mechanism, model, 1.3, 0.01, "exact", by_kind[units])
    np.testing.assert_allclose(evaluation.noise.covariance, noise.covariance, rtol=1e-9)
    np.testing.assert_allclose(evaluation.errors, noise.expected_absolute_errors(), rtol=1e-9)
    error = noise.in_units(by_kind[report]).expected_error()
    assert evaluation.error == pytest.approx(error, rel=1e-9)
    assert evaluation.reported(noise).expected_error() == pytest.approx(error, rel=1e-9)
    assert evaluation.error_unit == NAMES[report]
    for kind, found in ((units, evaluation.sizes), (report, evaluation.report_sizes)):
        if kind == "raw":
            assert found is None
        else:
            np.testing.assert_allclose(found, by_kind[kind], rtol=1e-12)


def test_attack_promise_and_delivery_are_the_package_s(evaluation, model):
    noise = dp.calibrate("DauM", model, 1.3, 0.01, "exact")
    assert evaluation.undefended == dp.optimal_attack_accuracy(model)
    assert evaluation.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, noise))
    assert evaluation.delivered_delta == pytest.approx(dp.delivered_delta(model, noise, 1.3))
    assert evaluation.delivered_epsilon == pytest.approx(dp.delivered_epsilon(model, noise, 0.01))
    worst = dp.privacy.worst_case(model, noise, 1.3)
    assert (evaluation.worst.pair, evaluation.worst.order) == (worst.pair, worst.order)
    assert evaluation.promise.ratio == pytest.approx(evaluation.delivered_delta / 0.01)
    assert evaluation.kept is evaluation.promise.kept is False
    assert evaluation.promise_of(dp.calibrate("OptM", model, 1.3, 0.01, "guarded")).kept
    figures = evaluation.figures
    assert (figures.undefended, figures.accuracy) == (evaluation.undefended, evaluation.accuracy)
    assert (figures.error, figures.unit) == (evaluation.error, "")
    assert (figures.promised, figures.delivered) == (0.01, evaluation.delivered_delta)
    assert evaluation.units == ("years", "", "records", "")


def test_what_promises_nothing_about_the_secret_keeps_nothing(scenario, people):
    single = dp.evaluate(replace(scenario, mechanism="DP"), people)
    assert single.kept is None
    assert single.promise.words == "nothing promised"
    assert 0 <= single.delivered_delta <= 1
    laplace = single.of("ExpM(L)")
    assert laplace.delivered_epsilon is None
    interval = laplace.delivered_interval(laplace.noise)
    assert interval.low <= laplace.delivered_delta <= interval.high
    assert laplace.delivered_delta == dp.delivered_delta(laplace.model, laplace.noise, 1.3)


def test_nothing_is_computed_before_it_is_asked_for_and_nothing_twice(
    scenario, people, monkeypatch
):
    calls: list[str] = []
    module = "distpriv.analysis.evaluation"
    for name in ("fitted_model", "side_by_side", "optimal_attack_accuracies", "worst_case"):
        function = getattr(__import__(module, fromlist=[name]), name)

        def counted(*given: Any, _name: str = name, _function: Any = function) -> Any:
            calls.append(_name)
            return _function(*given)

        monkeypatch.setattr(f"{module}.{name}", counted)
    evaluation = dp.evaluate(scenario, people)
    assert not calls
    assert evaluation.model is evaluation.model
    assert calls == ["fitted_model"]
    assert evaluation.noise is evaluation.noise_of("DauM")
    assert set(evaluation.noises(["DauM", "ExpM", "EigM"])) == {"DauM", "ExpM", "EigM"}
    assert evaluation.noises(["EigM", "ExpM"])["ExpM"] is evaluation.noise_of("ExpM")
    assert evaluation.accuracy == evaluation.accuracy
    assert evaluation.of("ExpM").noise is evaluation.noise_of("ExpM")
    # Those two that were new were calibrated together.
    assert calls[1:] == ["side_by_side", "side_by_side", "optimal_attack_accuracies"]


def test_a_mechanism_that_does_not_apply_is_left_out_with_its_reason(scenario, people):
    asked = replace(scenario, calibration="guarded", epsilon=0.01, delta=1e-9)
    evaluation = dp.evaluate(asked, people)
    assert list(evaluation.noises(["DauM", "OptM"])) == ["OptM"]
    assert evaluation.left_out["DauM"].startswith("However large")
    with pytest.raises(dp.errors.CalibrationError, match="However large"):
        _ = evaluation.noise
    with pytest.raises(dp.errors.CalibrationError, match="Magic"):
        evaluation.noise_of("Magic")


def test_another_epsilon_is_another_noise_about_the_same_pair(scenario, people, rich):
    remote = dp.SensitiveProperty("remote").pair(0.5, 0.3)
    asked = replace(scenario, others=(remote,), look=remote.label)
    evaluation = dp.evaluate(asked, people)
    assert evaluation.fit.pair == remote
    other = evaluation.at(2.6)
    assert other.scenario == replace(asked, epsilon=2.6)
    assert other.model is evaluation.model
    assert other.focus == evaluation.focus
    noise = dp.calibrate("DauM", evaluation.model, 2.6, 0.01, "exact")
    np.testing.assert_allclose(other.noise.covariance, noise.covariance)
    unsaid = dp.evaluate(replace(asked, look=""), people)
    assert unsaid.focus == dp.binding_pair(unsaid.model, unsaid.noise)
    for place in range(2):
        alone = unsaid.of("DauM", place)
        expected = dp.optimal_attack_accuracy(unsaid.model.only(place), unsaid.noise)
        assert alone.accuracy == pytest.approx(expected)


def test_the_whole_table_has_as_many_records_as_are_complete(scenario, people):
    holes = people.astype({"age": float})
    holes.loc[:99, "age"] = np.nan
    whole = replace(scenario, whole=True, replacement=True)
    evaluation = dp.evaluate(whole, holes)
    assert evaluation.scenario == replace(whole, n=1900)
    assert evaluation.model.n == 1900
    assert evaluation.draw().n == 1900
    assert dp.evaluate(scenario, holes).scenario.n == 60
    # A model of reference data, for the records of the table.
    referring = dp.evaluate(whole, holes, reference=people.head(900))
    assert referring.model.n == 1900
    model = dp.fit_gaussian(people.head(900), whole.query, whole.pair, 1900, replacement=True)
    np.testing.assert_allclose(referring.model.pairs[0].means, model.pairs[0].means)
    # A sample is drawn from the table itself.
    sample = dp.evaluate(scenario, people, reference=people.head(900))
    np.testing.assert_allclose(
        sample.model.pairs[0].means,
        dp.fit_gaussian(people, scenario.query, scenario.pair, 60).pairs[0].means,
    )
    assert sample.draw().n == 60


def test_statistics_without_a_closed_form_are_simulated_with_the_seed(scenario, people):
    query = dp.Query([dp.Median("age"), dp.Mean("hours")])
    asked = replace(scenario, query=query, tolerances=())
    groups = {scenario.secret: dp.record_groups(people, query, scenario.secret)}
    model = dp.model.SimulatedFit(groups, query, asked.pairs, 60, seed=3).run()
    found = dp.evaluate(asked, people).model
    np.testing.assert_array_equal(found.pairs[0].means, model.pairs[0].means)
    single = replace(asked, query=dp.Query([dp.Mean("age")]), distances="simulated", n=20)
    outcomes = dp.evaluate(single, people).model.pairs[0].outcomes
    assert outcomes is not None
    assert not outcomes.exact
    assert len(outcomes.points[0]) == 1000


def test_verdicts_are_those_of_the_simulated_datasets(evaluation, people, scenario):
    drawn, fit = evaluation.simulated, evaluation.fit
    assert drawn.shape == (2, 1000, 4)
    evidence = dp.robustness.Evidence(
        evaluation.model, 0, evaluation.noise, dp.robustness.fitted_shift(drawn, fit, 3),
        dp.robustness.fit_diagnostics(drawn, fit), None,
    )  # fmt: skip
    expected = {each.assumption: each for each in dp.verdicts(dp.robustness.Assumption, evidence)}
    assert evaluation.verdicts == expected
    wanted = dp.mechanisms.get("DauM").assumptions(evaluation.model, "exact")
    assert [each.assumption for each in evaluation.assumed] == list(wanted)
    attack = evaluation.attack({"DauM": evaluation.noise}, shadows=20, tests=20)
    whole = dp.run_attack(
        people, scenario.query, scenario.pair, 60, {"DauM": evaluation.noise}, repetitions=2,
        rng=3, shadows=20, tests=20,
    )  # fmt: skip
    measured = attack.collect([attack.run(index) for index in range(2)])
    np.testing.assert_array_equal(measured.accuracy["DauM"], whole.accuracy["DauM"])


def test_records_are_taken_from_where_they_are_given(scenario, people):
    class Counted(Groups):
        asked = 0

        def moments(self, query: dp.Query, secret: dp.SensitiveProperty) -> dp.model.GroupMoments:
            self.asked += 1
            return super().moments(query, secret)

    groups = Counted(people)
    evaluation = dp.Evaluation(scenario, people, groups)
    assert groups.asked == 0
    assert evaluation.error > 0
    assert groups.asked == 1
    fitted = dp.Evaluation(scenario, people, Counted(people), evaluation.model)
    assert fitted.model is evaluation.model
    assert fitted.error == evaluation.error
    assert isinstance(fitted.groups, Counted)
    assert fitted.groups.asked == 0


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        (
            {"tolerances": (1.0,)},
            dp.errors.ScenarioError,
            "one number a statistic, 4, or none, got 1",
        ),
        ({"tolerances": (), "units": "custom"}, dp.errors.ScenarioError, "'tolerances' is empty"),
        ({"tolerances": (), "report": "custom"}, dp.errors.ScenarioError, "'tolerances' is empty"),
        ({"query": dp.Query([dp.Mean("wage")]), "tolerances": ()}, dp.errors.QueryError, "wage"),
        ({"secret": dp.SensitiveProperty("wage", above=3)}, dp.errors.QueryError, "wage"),
        ({"n": 100_000}, dp.errors.ModelError, "records"),
        ({"width": 1.5}, dp.errors.PropertyError, "1.5|1.15|115"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_in_a_sentence(scenario, people, changes, error, said):
    with pytest.raises(error, match=said):
        _ = dp.evaluate(replace(scenario, **changes), people).model


def test_figures_by_the_exact_law(people, rich):
    """Of noise that it calibrated, and of none; other noise stands beside it by the normals."""
    query = dp.Query([dp.Count("status", "married"), dp.Proportion("remote", True)])
    scenario = dp.Scenario(
        secret=rich, query=query, center=0.4, width=0.2, n=30, mechanism="OptM", epsilon=1.0,
        delta=1e-3, calibration="exact-law", units="standardised",
    )  # fmt: skip
    evaluation = dp.evaluate(scenario, people)
    noise, model = evaluation.noise, evaluation.model
    law = dp.exact_law(people, query, scenario.pair, 30)
    assert noise.calibration == "exact-law"
    assert evaluation.delivered_delta == pytest.approx(law.delivered_delta(noise, 1.0), rel=1e-9)
    assert 0.99e-3 < evaluation.delivered_delta <= 1e-3
    assert evaluation.worst.delta == evaluation.delivered_delta
    assert evaluation.delivered_epsilon == pytest.approx(law.delivered_epsilon(noise, 1e-3))
    assert evaluation.accuracy == pytest.approx(law.optimal_attack_accuracy(noise), rel=1e-9)
    assert evaluation.undefended == pytest.approx(law.optimal_attack_accuracy(), rel=1e-9)
    assert evaluation.kept
    assert not evaluation.undone
    assert evaluation.assumed == ()
    assert evaluation.laws_for(noise) is not None
    assert "exact law of the statistics" in answer(evaluation)
    laplace = evaluation.noise_of("ExpM(L)")
    assert evaluation.laws_for(laplace) is None
    assert evaluation.accuracy_of(laplace) == pytest.approx(
        dp.optimal_attack_accuracy(model, laplace), abs=2e-3
    )
    guarded = dp.evaluate(replace(scenario, calibration="guarded"), people)
    assert guarded.undefended == evaluation.undefended
    assert guarded.delivered_delta == pytest.approx(law.delivered_delta(guarded.noise, 1.0))


@pytest.mark.adult
@pytest.mark.parametrize(
    ("query", "pair", "epsilon", "replacement", "ratio"),
    [
        (dp.Count("relationship", "Husband"), ("sex", "Female", 0.25, 0.1), 4.0, False, 3.6),
        (dp.Mean("capital-gain"), ("income", ">50K", 0.2, 0.2), 2.0, True, 2.9),
    ],
)
def test_a_known_law_decides_whether_a_promise_is_kept(
    adult, query, pair, epsilon, replacement, ratio
):
    """SPEC 15.5: the normals call these promises kept."""
    column, value, center, width = pair
    scenario = dp.Scenario(
        secret=dp.SensitiveProperty(column, value), query=dp.Query([query]), center=center,
        width=width, n=50, epsilon=epsilon, delta=1e-4, replacement=replacement,
    )  # fmt: skip
    evaluation = dp.evaluate(scenario, adult)
    normals = dp.delivered_delta(evaluation.model, evaluation.noise, epsilon)
    assert normals <= 1.001e-4
    assert evaluation.delivered_delta / 1e-4 == pytest.approx(ratio, abs=0.1)
    assert evaluation.promise.state == "missed"
    brackets = bracket(evaluation)
    assert brackets.verdict == "broken"
    assert brackets.law.delta == pytest.approx(evaluation.delivered_delta)
    parts = {fact.title: fact for part in label(evaluation).parts for fact in part.facts}
    assert "missed" in parts["For the share"].figure
    kept = dp.evaluate(replace(scenario, calibration="exact-law"), adult)
    assert kept.promise.state == "kept"


def test_an_exact_law_that_is_not_known_ends_in_a_sentence(scenario, people):
    evaluation = dp.evaluate(replace(scenario, calibration="exact-law"), people)
    with pytest.raises(dp.errors.InapplicableError, match="'mean age' is none of these"):
        assert evaluation.noise


def test_a_promise_without_curves_is_kept_whatever_the_curves_say(monkeypatch) -> None:
    """One record of 1000 is another one in the other group: too rare for a normal curve."""
    table = pd.DataFrame({"c": ["x"] + ["o"] * 1999, "s": ["yes"] * 1000 + ["no"] * 1000})
    scenario = dp.Scenario(
        secret=dp.SensitiveProperty("s", "yes"), query=dp.Query([dp.Count("c", "x")]),
        n=10, width=0.2, replacement=True, mechanism="CoupM", delta=5e-3,
    )  # fmt: skip
    evaluation = dp.evaluate(scenario, table)
    assert evaluation.noise.is_zero  # two datasets differ more rarely than by δ
    assert evaluation.delivered_delta <= 5e-3
    assert evaluation.kept
    monkeypatch.setattr("distpriv.analysis.basis.known_laws", lambda model: None)
    unknown = dp.evaluate(scenario, table)
    assert unknown.delivered_delta > 5e-3
    assert unknown.kept


@pytest.fixture(scope="module")
def hospital() -> pd.DataFrame:
    """As many records as a part may have at most three times over; the secret moves the days."""
    rng = np.random.default_rng(5)
    back = rng.random(30_000) < 0.11
    return pd.DataFrame(
        {
            "days": rng.integers(1, 15, 30_000) + back,
            "lab": rng.integers(1, 130, 30_000),
            "back": np.where(back, "yes", "no"),
        }
    )


def test_a_whole_table_s_simulated_attacker_knows_its_records(hospital: pd.DataFrame) -> None:
    """Two parts of the records differ by more than datasets vary, and would hide the leak."""
    scenario = dp.Scenario(
        secret=dp.SensitiveProperty("back", "yes"),
        query=dp.Query([dp.Mean("days"), dp.Mean("lab")]),
        whole=True, replacement=True, width=0.1,
    )  # fmt: skip
    evaluation = dp.evaluate(scenario, hospital)
    attack = evaluation.attack({"none": None})
    assert not attack.split
    found = attack.collect([attack.run(index) for index in range(3)]).interval("none")
    assert evaluation.undefended > 0.95
    assert found.estimate == pytest.approx(evaluation.undefended, abs=0.02)
    apart = evaluation.attack({"none": None}, split=True)
    capped = apart.collect([apart.run(index) for index in range(6)]).interval("none")
    assert capped.estimate < found.estimate - 0.05
    assert dp.evaluate(replace(scenario, whole=False, n=100), hospital).attack({}).split
