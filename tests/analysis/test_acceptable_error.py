"""From limits on errors to the least ε."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv import mechanisms
from distpriv.analysis.acceptable_error import COUNTED_IN, ErrorLimit, choose_by_error
from distpriv.analysis.design import EPSILON_RANGE, Limit, choose
from distpriv.analysis.error_sizes import expected_values

BUDGET = {"delta": 1e-3}
SHOWN = ["ExpM(L)", "ExpM", "DirM(L)", "DirM", "EigM", "DauM", "OptM"]


def of_all(model: dp.GaussianModel, share: float) -> list[ErrorLimit]:
    return [ErrorLimit(place, share, "deviation") for place in range(len(model.query))]


def used(limits, model, name, epsilon, calibration) -> float:
    """Largest error as a share of its limit, by single calibrations; ∞ where there is no noise."""
    try:
        noise = dp.calibrate(name, model, epsilon, 1e-3, calibration)
    except dp.errors.CalibrationError:
        return np.inf
    errors = noise.expected_absolute_errors()
    return max(errors[limit.statistic] / limit.allowed(model) for limit in limits)


@pytest.mark.parametrize("calibration", ["exact", "guarded"])
@pytest.mark.parametrize("name", ["ExpM(L)", "ExpM", "DauM", "OptM"])
def test_the_least_epsilon_by_brute_force(model, name, calibration):
    """Of a grid twice as fine as the page needs no smaller ε keeps the limits."""
    for limits in (of_all(model, 1.0), [ErrorLimit(0, 0.05, "value"), ErrorLimit(2, 3.0)]):
        design = choose_by_error(limits, model, [name], calibration=calibration, **BUDGET)
        grid = np.geomspace(*EPSILON_RANGE, 120)
        first = next(
            (
                epsilon
                for epsilon in grid.tolist()
                if used(limits, model, name, epsilon, calibration) <= 1
            ),
            np.inf,
        )
        if not design.choices:
            assert first == np.inf
            assert design.skipped[name].startswith(name) or "noise" in design.skipped[name]
            continue
        (choice,) = design.choices
        assert used(limits, model, name, choice.epsilon, calibration) <= 1
        assert choice.used == pytest.approx(used(limits, model, name, choice.epsilon, calibration))
        assert choice.epsilon <= first * (1 + 1e-9)
        below = choice.epsilon * (1 - 1.5e-3)
        if below > EPSILON_RANGE[0]:
            assert used(limits, model, name, below, calibration) > 1


def test_round_trip(model):
    """The errors at the largest ε under an attack limit lead back to that ε and that attack.

    With half a percent of room: where one error falls with ε and another rises, no other ε keeps
    them both to the digit.
    """
    limit = Limit("accuracy", 0.56)
    for choice in choose(limit, model, SHOWN, **BUDGET).choices:
        errors = choice.noise.expected_absolute_errors().tolist()
        limits = [ErrorLimit(place, 1.005 * error) for place, error in enumerate(errors)]
        (found,) = choose_by_error(limits, model, [choice.mechanism], **BUDGET).choices
        assert choice.epsilon * 0.985 < found.epsilon < choice.epsilon * 1.002
        if choice.noise.distribution == "gaussian":
            assert found.accuracy == pytest.approx(choice.reached, abs=2e-3)


def test_by_hand(alike):
    """ExpM's error is Δ √(2/π)/μ*: the ε of an error is that of its μ."""
    densities = alike.densities()
    (choice,) = choose_by_error(
        [ErrorLimit(1, 40.0)], densities, ["ExpM"], calibration="exact", **BUDGET
    ).choices
    distance = densities.sensitivity(2) * np.sqrt(2 / np.pi) / 40.0
    assert dp.privacy.gaussian_distance(choice.epsilon, 1e-3) == pytest.approx(distance, rel=1e-3)
    assert choice.accuracy == pytest.approx(
        dp.optimal_attack_accuracy(densities, choice.noise), abs=1e-6
    )


@settings(max_examples=8)
@given(
    st.sampled_from(["ExpM(L)", "EigM", "DauM", "OptM"]),
    st.integers(0, 3),
    st.floats(0.05, 4.0),
    st.floats(1.0, 3.0),
)
def test_who_accepts_more_needs_no_larger_epsilon(model, name, place, share, more):
    def least(*limits: ErrorLimit) -> float:
        design = choose_by_error(limits, model, [name], calibration="exact", **BUDGET)
        return design.choices[0].epsilon if design.choices else np.inf

    strict, loose = (ErrorLimit(place, size, "deviation") for size in (share, share * more))
    other = ErrorLimit((place + 1) % 4, share, "deviation")
    assert least(loose) <= least(strict) * 1.002
    assert least(strict) <= least(strict, other) * 1.002


def test_an_error_that_rises_with_epsilon_is_not_taken_for_one_that_falls(model):
    """A statistic that the secret hardly moves gets more of the least noise as ε rises."""
    fit = model.pairs[0]
    covariance = np.array([[1.0, 0.9], [0.9, 1.0]])
    turned = replace(
        model.of_statistics(0, 1),
        pairs=(
            replace(
                fit.of_statistics([0, 1]),
                means=np.array([[0.0, 0.0], [3.0, 0.0]]),
                covariances=np.array([covariance] * 2),
                steps=None,
                outcomes=None,
            ),
        ),
    )
    epsilons = np.geomspace(*EPSILON_RANGE, 200)
    errors = np.array(
        [
            dp.calibrate("OptM", turned, epsilon, 1e-3, "exact").expected_absolute_errors()
            for epsilon in epsilons.tolist()
        ]
    )
    assert (np.diff(errors[:, 1]) > 0).any()
    assert (np.diff(errors[:, 0]) <= 0).all()
    for allowed in (errors[60, 1], errors[:, 1].max() / 2, errors[:, 1].max() * 1.01):
        limits = [ErrorLimit(1, float(allowed))]
        (choice,) = choose_by_error(limits, turned, ["OptM"], calibration="exact", **BUDGET).choices
        first = epsilons[np.argmax(errors[:, 1] <= allowed)]
        assert choice.epsilon <= first * (1 + 1e-9)
        assert choice.used <= 1


def test_shares_are_of_the_value_and_of_the_deviation(model):
    for place, size in enumerate(expected_values(model)):
        assert ErrorLimit(place, 0.05, "value").allowed(model) == pytest.approx(0.05 * size)
    assert ErrorLimit(2, 0.5, "deviation").allowed(model) == pytest.approx(
        0.5 * model.standard_deviations[2]
    )
    assert ErrorLimit(2, 0.5).allowed(model) == 0.5


def test_all_that_protect_are_tried_and_the_least_attack_comes_first(model):
    design = choose_by_error(of_all(model, 2.0), model, **BUDGET)
    known = {choice.mechanism for choice in design.choices} | set(design.skipped)
    assert known == {
        name for name in mechanisms.names(baseline=False) if mechanisms.get(name).protects
    }
    accuracies = [choice.accuracy for choice in design.choices]
    assert accuracies == sorted(accuracies)
    for choice in design.choices:
        assert float(f"{choice.epsilon:.4g}") == choice.epsilon
        assert choice.error == pytest.approx(choice.noise.expected_error())


def test_what_no_epsilon_keeps_says_by_how_much(model):
    design = choose_by_error([ErrorLimit(2, 1e-6)], model, ["GroupDP", "ExpM"], **BUDGET)
    assert design.choices == ()
    assert "moves count status = married by" in design.skipped["ExpM"]
    assert "from 0.001 to 100" in design.skipped["GroupDP"]


def test_a_limit_that_holds_anyway_takes_the_least_of_all(model):
    (choice,) = choose_by_error([ErrorLimit(0, 1e9)], model, ["ExpM"], **BUDGET).choices
    assert choice.epsilon == EPSILON_RANGE[0]


def test_every_pair_and_units(several):
    sizes = several.standard_deviations
    design = choose_by_error(
        of_all(several, 1.5), several, ["OptM", "ExpM"], units=sizes, report=sizes, **BUDGET
    )
    for choice in design.choices:
        noise = dp.calibrate(choice.mechanism, several, choice.epsilon, 1e-3, units=sizes)
        np.testing.assert_allclose(choice.errors, noise.expected_absolute_errors())
        assert choice.error == pytest.approx(choice.noise.in_units(sizes).expected_error())
        assert (np.array(choice.errors) <= 1.5 * sizes * (1 + 1e-12)).all()


def test_limits_that_make_no_sense_are_explained(model):
    for value in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(dp.errors.QueryError, match="must be a positive number"):
            ErrorLimit(0, value)
    with pytest.raises(dp.errors.QueryError, match="no statistic number -1"):
        ErrorLimit(-1, 1.0)
    with pytest.raises(dp.errors.QueryError, match=", ".join(COUNTED_IN)):
        ErrorLimit(0, 1.0, "miles")
    with pytest.raises(dp.errors.QueryError, match="the query has 4"):
        choose_by_error([ErrorLimit(4, 1.0)], model, **BUDGET)
    with pytest.raises(dp.errors.QueryError, match="at least one"):
        choose_by_error([], model, **BUDGET)
    flat = replace(
        model, pairs=tuple(replace(fit, means=np.zeros_like(fit.means)) for fit in model.pairs)
    )
    with pytest.raises(dp.errors.QueryError, match="expected to be 0"):
        ErrorLimit(0, 0.1, "value").allowed(flat)
