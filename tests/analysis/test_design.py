"""From a limit on the attacker to the largest ε."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import distpriv as dp
from distpriv import mechanisms
from distpriv.analysis import design as choosing
from distpriv.analysis.design import Limit, choose, noiseless_epsilon, promised_epsilon

BUDGET = {"delta": 1e-3}
LIMITS = [
    Limit("guesses", 58),
    Limit("accuracy", 0.56),
    Limit("precision", 0.6, recall=0.3),
    Limit("f_score", 0.69),
    Limit("f_score", 0.5, base_rate=0.3, beta=0.5),
    Limit("belief", 0.7, base_rate=0.4, confidence=0.9),
    Limit("accuracy", 0.62, base_rate=0.6),
]


@given(st.floats(0.51, 0.99), st.sampled_from([0.0, 1e-3]))
def test_the_promise_alone_inverts_the_accuracy_ceiling(bound, delta):
    epsilon = promised_epsilon(Limit("accuracy", bound), delta)
    assert dp.accuracy_ceiling(epsilon, delta) == pytest.approx(bound, abs=3e-4)
    assert dp.accuracy_ceiling(epsilon, delta) <= bound


def test_the_promise_alone_bounds_odds_and_precision():
    found = promised_epsilon(Limit("belief", 0.7, base_rate=0.4))
    assert found == pytest.approx(logit(0.7) - logit(0.4), rel=1e-3)
    # A pure promise lets the precision at a recall up to the corner reach 1/(1 + e^−ε).
    assert promised_epsilon(Limit("precision", 0.6, recall=0.3)) == pytest.approx(
        logit(0.6), rel=1e-3
    )
    assert promised_epsilon(Limit("accuracy", expit(1.0))) == pytest.approx(1.0, rel=1e-3)
    guesses = promised_epsilon(Limit("guesses", 60))
    assert guesses == pytest.approx(promised_epsilon(Limit("accuracy", 0.6)))


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{limit.kind} {limit.value}")
def test_each_mechanism_keeps_the_limit_and_no_larger_epsilon_does(model, limit):
    design = choose(limit, model, **BUDGET)
    assert not design.needs_no_noise
    assert {choice.mechanism for choice in design.choices} == {
        name for name in mechanisms.names(baseline=False) if mechanisms.get(name).protects
    }
    errors = [choice.error for choice in design.choices]
    assert errors == sorted(errors)
    for choice in design.choices:
        assert choice.reached <= limit.value
        assert choice.error == pytest.approx(choice.noise.expected_error())
        more = dp.calibrate(choice.mechanism, model, choice.epsilon * 1.005, 1e-3)
        if choice.epsilon < choosing.EPSILON_RANGE[1]:
            assert limit.reached(dp.hypothesis.release_test(model, more)) > limit.value
        # By the promise alone less is allowed: the model knows more of what hides the share.
        # Laplace noise keeps its promise between two normals of one covariance only.
        if choice.noise.distribution == "gaussian":
            assert promised_epsilon(limit, choice.noise.delta) <= choice.epsilon * 1.002


def test_the_largest_epsilon_by_hand(alike):
    """OptM leaves just the distance that (ε, δ) allows, so the accuracy gives it back."""
    design = choose(Limit("accuracy", 0.56), alike, ["OptM"], calibration="exact", **BUDGET)
    (choice,) = design.choices
    distance = dp.privacy.gaussian_distance(choice.epsilon, 1e-3)
    assert dp.optimal_attack_accuracy(alike, choice.noise) == pytest.approx(0.56, abs=1e-4)
    assert distance == pytest.approx(2 * 0.1509692, rel=2e-3)  # 2 Φ⁻¹(0.56)


def test_a_limit_above_the_undefended_attack_needs_no_noise(model):
    undefended = dp.optimal_attack_accuracy(model)
    design = choose(Limit("accuracy", undefended + 0.01), model, **BUDGET)
    assert design.needs_no_noise
    assert design.choices == ()
    assert design.undefended == pytest.approx(undefended)
    assert not choose(Limit("accuracy", undefended - 0.01), model, **BUDGET).needs_no_noise


@pytest.mark.parametrize("calibration", ["exact", "classical", "guarded"])
def test_no_noise_is_needed_from_an_epsilon_on(model, calibration):
    epsilon = noiseless_epsilon(model, 1e-2, calibration)
    assert dp.calibrate("OptM", model, epsilon * 1.01, 1e-2, calibration).is_zero
    assert not dp.calibrate("OptM", model, epsilon * 0.99, 1e-2, calibration).is_zero


def test_infeasible_limits_say_what_is_feasible(model):
    with pytest.raises(dp.errors.HypothesisError, match="the nearest is 50"):
        Limit("guesses", 40)
    with pytest.raises(dp.errors.HypothesisError, match="below 100"):
        Limit("guesses", 100)
    with pytest.raises(dp.errors.HypothesisError, match="The limit must be from"):
        Limit("accuracy", 0.6, base_rate=0.3)
    with pytest.raises(dp.errors.HypothesisError, match="There is no limit"):
        Limit("luck", 0.6)
    with pytest.raises(dp.errors.HypothesisError, match="recall"):
        Limit("precision", 0.6, recall=1.0)
    with pytest.raises(dp.errors.HypothesisError, match="nearest that can be kept"):
        choose(Limit("accuracy", 0.5), model, **BUDGET)
    with pytest.raises(dp.errors.HypothesisError, match="nearest that can be kept"):
        promised_epsilon(Limit("accuracy", 0.5), 1e-3)
    nearest = promised_epsilon(Limit("accuracy", 0.501), 1e-4)
    assert nearest > 1e-3


def test_mechanisms_that_do_not_apply_are_left_out(model, monkeypatch):
    real = mechanisms.searching

    def picky(name, *arguments, **options):
        if name == "ExpM":
            raise dp.errors.CalibrationError("ExpM does not apply here; take another.")
        return (yield from real(name, *arguments, **options))

    monkeypatch.setattr(mechanisms, "searching", picky)
    design = choose(Limit("accuracy", 0.56), model, ["OptM", "ExpM"], **BUDGET)
    assert [choice.mechanism for choice in design.choices] == ["OptM"]
    assert design.skipped["ExpM"].startswith("ExpM does not apply")


def test_guarded_noise_that_exists_from_some_epsilon_on_is_found(model):
    design = choose(
        Limit("accuracy", 0.58), model, ["DauM", "OptM"], calibration="guarded", **BUDGET
    )
    found = {choice.mechanism: choice for choice in design.choices}
    assert found["OptM"].reached <= 0.58
    assert set(found) | set(design.skipped) == {"DauM", "OptM"}


@given(st.floats(-6.0, 4.0), st.one_of(st.none(), st.floats(1e-4, 1e3)))
def test_the_search_finds_the_root_from_wherever_it_starts(root, about):
    """Of three figures one of which never keeps the limit, and one always does."""
    limit = Limit("accuracy", 0.7)
    shifts = np.array([root, -8.0, 8.0])

    def reached(epsilons, which):
        return 0.5 + 0.5 / (1 + np.exp(-(np.log(epsilons) - shifts[which]) + math.log(1.5)))

    found = choosing._largest(reached, limit, 3, about)
    assert math.log(found[0]) == pytest.approx(root, abs=2e-3)
    assert reached(found[:1], np.array([0])) <= 0.7
    assert math.isnan(found[1])
    assert found[2] == choosing.EPSILON_RANGE[1]


def test_every_pair_is_kept(several):
    limit = Limit("accuracy", 0.55)
    design = choose(limit, several, ["OptM", "ExpM"], **BUDGET)
    for choice in design.choices:
        for index in range(len(several.pairs)):
            assert dp.optimal_attack_accuracy(several.only(index), choice.noise) <= 0.55 + 1e-9


def test_units_of_calibration_and_report(model):
    sizes = model.standard_deviations
    design = choose(Limit("accuracy", 0.56), model, ["ExpM"], units=sizes, report=sizes, **BUDGET)
    (choice,) = design.choices
    assert choice.error == pytest.approx(choice.noise.in_units(sizes).expected_error())
    assert np.isfinite(choice.error)


def test_adult_at_sixty_of_a_hundred(adult_income):
    adult_income = adult_income.densities()
    design = choose(Limit("guesses", 60), adult_income, **BUDGET, calibration="exact")
    best = design.choices[0]
    assert best.mechanism == "OptM"
    distance = dp.privacy.gaussian_distance(best.epsilon, 1e-3)
    # 2 Φ⁻¹(0.6), and a little less for what the covariances tell beside it.
    assert 0.985 * 2 * 0.2533471 < distance < 2 * 0.2533471
    assert design.undefended == pytest.approx(76.19, abs=0.005)
    assert math.isclose(
        dp.privacy.gaussian_distance(design.noiseless, 1e-3),
        adult_income.pairs[0].mahalanobis,
        rel_tol=1e-6,
    )


def test_no_noise_is_needed_from_some_epsilon_on_by_the_exact_law(people, rich):
    query = dp.Query([dp.Count("status", "married")])
    model = dp.fit_gaussian(people, query, rich.pair(0.4, 0.2), 30)
    epsilon = noiseless_epsilon(model, 1e-2, "exact-law")
    assert dp.calibrate("OptM", model, 1.001 * epsilon, 1e-2, "exact-law").is_zero
    assert not dp.calibrate("OptM", model, 0.99 * epsilon, 1e-2, "exact-law").is_zero
    design = choose(Limit("guesses", 55), model, ["OptM"], delta=1e-2, calibration="exact-law")
    assert design.choices[0].noise.calibration == "exact-law"
    assert design.noiseless == epsilon
