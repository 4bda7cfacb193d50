"""One noise for both promises is the least there is, as a second solver finds it."""

from __future__ import annotations

import sys

import cvxpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv.mechanisms.least_for_both import ToPersons, least_for_both, least_for_persons
from distpriv.privacy.calibration import gaussian_distance
from distpriv.privacy.per_record import gaussian_reach
from distpriv.privacy.promises import Promises
from distpriv.privacy.record_moves import RecordMoves, record_moves

MODULE = sys.modules[least_for_both.__module__]
BOUNDS = {"age": (17, 90), "education-num": (1, 16), "hours-per-week": (1, 99)}
QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)


def least(
    model: dp.GaussianModel, epsilon: float, moves: RecordMoves, allowed: float, start: np.ndarray
) -> np.ndarray:
    """Of one model, with the covariances taken for their mean."""
    promises = Promises.on([(model, epsilon, 1e-3)])
    also = [ToPersons(moves, allowed, gaussian_distance(epsilon, 1e-3))]
    found = least_for_both(promises, also, promises.in_units(start[None]))
    return promises.raw(found)[0]


def solved(model: dp.GaussianModel, distance: float, moves: RecordMoves, allowed: float) -> float:
    """The trace of the semidefinite program with every move a constraint."""
    size = len(model.query)
    noise = cvxpy.Variable((size, size), PSD=True)
    wanted = [
        np.outer(fit.difference, fit.difference) / distance**2 - fit.pooled for fit in model.pairs
    ]
    wanted += [np.outer(move, move) / allowed**2 for move in moves.vertices]
    problem = cvxpy.Problem(
        cvxpy.Minimize(cvxpy.trace(noise)), [noise - matrix >> 0 for matrix in wanted]
    )
    problem.solve(solver=cvxpy.CLARABEL)
    return float(problem.value)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("epsilon_p", [0.2, 1.0, 5.0])
def test_it_is_the_least_by_another_solver(people, query, pair, epsilon, epsilon_p):
    model = dp.fit_gaussian(people, query, pair, n=50)
    moves = dp.Persons(epsilon_p, 1e-3).moves(model)
    # In units in which the statistics are alike, so that the other solver has its digits.
    units = model.standard_deviations
    model, moves = model.in_units(units), moves.in_units(units)
    distance, allowed = gaussian_distance(epsilon, 1e-3), gaussian_distance(epsilon_p, 1e-3)
    start = 0.1 * np.eye(len(query))
    covariance = least(model, epsilon, moves, allowed, start)
    assert np.trace(covariance) == pytest.approx(solved(model, distance, moves, allowed), rel=2e-4)
    assert gaussian_reach(covariance, moves) <= allowed * (1 + 1e-5)


def test_several_pairs_bind_too(people, query, rich):
    pairs = [rich.pair(0.3, 0.2), dp.SensitiveProperty("remote", True).pair(0.5, 0.4)]
    model = dp.fit_gaussian(people, query, pairs, n=50)
    moves = dp.Persons(1.0, 1e-3).moves(model)
    units = model.standard_deviations
    model, moves = model.in_units(units), moves.in_units(units)
    distance = gaussian_distance(0.5, 1e-3)
    allowed = gaussian_distance(1.0, 1e-3)
    start = 0.1 * np.eye(len(query))
    covariance = least(model, 0.5, moves, allowed, start)
    assert np.trace(covariance) == pytest.approx(solved(model, distance, moves, allowed), rel=2e-4)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=6), st.floats(0.05, 3))
def test_for_persons_alone_no_other_covariance_is_less(reach, allowed):
    """The trace by another way: (Σ r √w)²/μ², and the longest move is as long as allowed."""
    moves = record_moves(dp.Query([dp.Mean(f"c{index}") for index in range(len(reach))]), reach)
    weights = np.random.default_rng(len(reach)).uniform(0.1, 10, len(reach))
    noise = least_for_persons(moves, allowed, weights)
    assert (np.diag(noise) * weights).sum() == pytest.approx(
        (np.sqrt(weights) @ reach) ** 2 / allowed**2
    )
    assert gaussian_reach(noise, moves) == pytest.approx(allowed)


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_guarded_noise_keeps_both_and_scaled_down_neither(people, seed):
    rng = np.random.default_rng(seed)
    query = dp.Query([dp.Mean("age"), dp.Mean("hours"), dp.Count("town", "Ahausen")])
    secret = dp.SensitiveProperty("income", "high")
    model = dp.fit_gaussian(people, query, secret.pair(0.5, rng.uniform(0.1, 0.5)), n=60)
    epsilon, epsilon_p = np.exp(rng.uniform(-1, 1, 2))
    persons = dp.Persons(float(epsilon_p), 1e-3)
    noise = dp.calibrate("OptM", model, float(epsilon), 1e-3, persons=persons)
    moves = persons.moves(model)
    share = dp.delivered_delta(model, noise, float(epsilon))
    record = noise.against(moves).epsilon(1e-3)
    assert share <= 1e-3 * (1 + 1e-9)
    assert record <= epsilon_p * (1 + 1e-9)
    assert share > 0.99e-3 or record > 0.999 * epsilon_p


def test_few_moves_of_many_are_taken_in(monkeypatch, people, rng):
    """With all of them as constraints the trace is the same."""
    columns = {f"c{index}": rng.normal(size=len(people)) for index in range(8)}
    table = people.assign(**{name: values + (people["income"] == "high") * 0.3
                             for name, values in columns.items()})  # fmt: skip
    query = dp.Query([dp.Mean(name) for name in columns])
    model = dp.fit_gaussian(
        table, query, dp.SensitiveProperty("income", "high").pair(0.5, 0.1), n=80
    )
    moves, allowed = dp.Persons(1.0, 1e-3).moves(model), gaussian_distance(1.0, 1e-3)
    start = 0.01 * np.eye(8)
    few = least(model, 0.2, moves, allowed, start)
    monkeypatch.setattr(MODULE, "_ALL", 1000)
    every = least(model, 0.2, moves, allowed, start)
    assert np.trace(few) == pytest.approx(np.trace(every), rel=1e-4)
    monkeypatch.setattr(MODULE, "_FEW", 10)
    roughly = least(model, 0.2, moves, allowed, start)
    assert np.trace(roughly) == pytest.approx(np.trace(every), rel=1e-2)
    monkeypatch.setattr(MODULE, "_MANY", 10)
    added = least(model, 0.2, moves, allowed, start)
    assert np.trace(every) <= np.trace(added) < 3 * np.trace(every)
    assert gaussian_reach(added, moves) <= allowed * (1 + 1e-9)
    assert model.pairs[0].distance(added) <= gaussian_distance(0.2, 1e-3) * (1 + 1e-6)


def test_what_leaves_double_precision_is_added_up(monkeypatch, people, query, pair):
    def fails(*_: object) -> np.ndarray:
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(MODULE, "least_kept", fails)
    model = dp.fit_gaussian(people, query, pair, n=50)
    persons = dp.Persons(5.0, 1e-3)
    noise = dp.calibrate("OptM", model, 0.3, 1e-3, persons=persons)
    assert dp.delivered_delta(model, noise, 0.3) <= 1e-3 * (1 + 1e-9)
    assert noise.against(persons.moves(model)).epsilon(1e-3) <= 5 * (1 + 1e-9)


def test_where_persons_need_more_than_the_pairs_the_noise_is_theirs(people, query, pair):
    model = dp.fit_gaussian(people, query, pair, n=50)
    persons = dp.Persons(0.02, 1e-3)
    moves = persons.moves(model)
    alone = least_for_persons(moves, persons.distance, np.ones(len(query)))
    noise = dp.calibrate("OptM", model, 3.0, 1e-3, persons=persons)
    assert noise.covariance == pytest.approx(alone, rel=1e-6)


def test_side_by_side_each_is_what_it_is_alone(people, query, pair):
    model = dp.fit_gaussian(people, query, pair, n=50)
    persons = dp.Persons(0.7, 1e-3)
    epsilons = [0.2, 0.5, 1.0, 3.0]
    for calibration in ("exact", "guarded"):
        together = dp.analysis.sweep(
            dp.analysis.expected_errors(), "epsilon", epsilons, model, ["OptM"],
            delta=1e-3, calibration=calibration, persons=persons,
        )  # fmt: skip
        alone = [
            dp.calibrate("OptM", model, epsilon, 1e-3, calibration, persons=persons)
            for epsilon in epsilons
        ]
        errors = [noise.expected_error() for noise in alone]
        assert together.y["OptM"] == pytest.approx(errors, rel=1e-4)


@pytest.mark.parametrize(
    ("persons", "trace", "error"), [(False, 104.327, 8.15), (True, 173.90, 12.11)]
)
def test_check_values_on_adult(adult, persons, trace, error):
    """SPEC 13: both promises (1, 1e-3), n = 100, 0.45 against 0.55."""
    pair = dp.SensitiveProperty("income", ">50K").pair(0.5, 0.1)
    model = dp.fit_gaussian(adult, QUERY, pair, n=100)
    both = dp.Persons(1.0, 1e-3, bounds=BOUNDS)
    noise = dp.calibrate(
        "OptM", model, 1.0, 1e-3, "exact", grid_safe=False, persons=both if persons else None
    )
    assert np.trace(noise.covariance) == pytest.approx(trace, abs=0.005)
    assert noise.expected_error() == pytest.approx(error, abs=0.005)


def test_check_values_for_persons_alone_on_adult(adult):
    pair = dp.SensitiveProperty("income", ">50K").pair(0.5, 0.1)
    model = dp.fit_gaussian(adult, QUERY, pair, n=100)
    both = dp.Persons(1.0, 1e-3, bounds=BOUNDS)
    noise = least_for_persons(both.moves(model), both.distance, np.ones(5))
    assert np.trace(noise) == pytest.approx(98.767, abs=0.005)
    deviations = np.sqrt(np.diag(noise))
    drawn = np.random.default_rng(1).normal(size=(400_000, 5)) * deviations
    assert np.linalg.norm(drawn, axis=1).mean() == pytest.approx(9.38, abs=0.02)
    isotropic = 5 * (both.moves(model).longest(np.eye(5))[0] / both.distance) ** 2
    assert isotropic == pytest.approx(116.53, abs=0.05)
