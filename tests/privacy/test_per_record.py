"""What noise promises each record, beside other accountants and the exact law of small cases."""

from __future__ import annotations

import math

import dp_accounting
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.errors import CalibrationError
from distpriv.privacy.per_record import PerRecord, gaussian_reach
from distpriv.privacy.record_moves import Block, RecordMoves, record_moves


def boxed(reach: list[float]) -> RecordMoves:
    """Statistics that move by themselves."""
    query = dp.Query([dp.Mean(f"c{index}") for index in range(len(reach))])
    return record_moves(query, reach)


def noise_of(factors: np.ndarray, kind: str = "gaussian", floor=None) -> dp.Noise:
    scales = np.linalg.norm(factors, axis=0)
    return dp.Noise("own", kind, factors / scales, scales, 1.0, 1e-3, floor=floor)


@given(st.floats(0.02, 8), st.floats(1e-8, 0.3))
def test_gaussian_noise_is_accounted_for_as_dp_accounting_does(mu, delta):
    known = PerRecord(mu).epsilon(delta)
    assert known == pytest.approx(dp_accounting.get_epsilon_gaussian(1 / mu, delta), abs=1e-6)
    assert PerRecord(mu).delta(max(known, 1e-9)) <= delta * (1 + 1e-6)


@given(st.floats(0.05, 6), st.floats(0.01, 5))
def test_laplace_noise_promises_no_less_than_it_keeps(pure, epsilon):
    """Exact: two Laplace laws of scale 1 at the distance ε₀."""
    record = PerRecord(math.inf, pure)
    exact = max(0.0, -math.expm1((epsilon - pure) / 2))
    assert record.delta(epsilon) >= exact - 1e-12
    assert record.delta(pure * (1 + 1e-12)) == 0.0
    delta = record.delta(epsilon)
    if 0 < delta < 1:
        assert record.epsilon(delta) == pytest.approx(epsilon, abs=1e-9)


def test_the_randomised_response_reaches_the_bound_of_laplace_noise():
    pure, epsilon = 1.3, 0.4
    told = math.exp(pure) / (1 + math.exp(pure))
    exact = told - math.exp(epsilon) * (1 - told)
    assert PerRecord(math.inf, pure).delta(epsilon) == pytest.approx(exact)


def test_a_full_covariance_agrees_with_every_corner(rng):
    moves = boxed([1.0, 2.0, 0.5, 3.0])
    factors = rng.normal(size=(4, 4))
    noise = noise_of(factors)
    inverse = np.linalg.inv(noise.covariance)
    corners = np.array(np.meshgrid(*[[-r, r] for r in (1.0, 2.0, 0.5, 3.0)])).reshape(4, -1).T
    longest = math.sqrt(max(corner @ inverse @ corner for corner in corners))
    assert noise.against(moves).mu == pytest.approx(longest)


def test_laplace_noise_agrees_with_every_corner(rng):
    factors = rng.normal(size=(3, 3))
    inverse = np.linalg.inv(factors)
    corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    longest = max(np.abs(inverse @ corner).sum() for corner in corners)
    record = noise_of(factors, "laplace").against(boxed([1.0] * 3))
    assert record.pure == pytest.approx(longest)
    assert math.isinf(record.mu)


def test_a_simulated_attacker_is_not_better_than_promised(rng):
    """Likelihood ratios of the two datasets that differ in one record."""
    factors = np.array([[1.0, 0.4], [0.0, 0.7]])
    noise = noise_of(factors)
    record = noise.against(boxed([1.0, 1.0]))
    corner = np.array([1.0, -1.0])
    inverse = np.linalg.inv(noise.covariance)
    drawn = noise.sample(200_000, rng) + corner
    loss = drawn @ inverse @ corner - corner @ inverse @ corner / 2
    epsilon = 0.7
    delta = np.maximum(0, -np.expm1(epsilon - loss)).mean()
    assert delta == pytest.approx(record.delta(epsilon), abs=4e-3)


def test_noise_along_one_direction_protects_no_record():
    one = noise_of(np.array([[1.0], [1.0]]))
    record = one.against(boxed([1.0, 1.0]))
    assert not record.protects
    assert math.isinf(record.epsilon(0.1))
    assert record.delta(3.0) == 1.0
    assert not noise_of(np.array([[1.0], [1.0]]), "laplace").against(boxed([1.0, 1.0])).protects


def test_a_floor_alone_protects_a_little():
    floor = np.array([0.5, 0.5])
    laplace = noise_of(np.array([[1.0], [1.0]]), "laplace", floor).against(boxed([1.0, 1.0]))
    assert laplace.mu == pytest.approx(math.sqrt(8))
    along = noise_of(np.array([[1.0], [1.0]]), "gaussian", floor).against(boxed([1.0, 1.0]))
    assert along.mu == pytest.approx(math.sqrt(8))  # the move across the noise


def test_what_does_not_move_is_known_and_takes_the_noise_with_it():
    """The noise on it is seen, and as much as it tells of the rest is none."""
    covariance = np.array([[1.0, 0.9], [0.9, 1.0]])
    still = RecordMoves(2, (Block((0,), np.array([[1.0], [-1.0]])),))
    left = stats.multivariate_normal([0, 0], covariance).cov
    alone = left[0, 0] - left[0, 1] ** 2 / left[1, 1]
    assert gaussian_reach(covariance, still) == pytest.approx(1 / math.sqrt(alone))


def test_no_move_needs_no_noise():
    nothing = RecordMoves(1, ())
    assert gaussian_reach(np.zeros((1, 1)), nothing) == 0.0
    assert PerRecord(0.0).epsilon(1e-3) == 0.0
    with pytest.raises(CalibrationError):
        PerRecord(1.0).epsilon(0.0)


def test_per_record_takes_a_query_and_public_bounds():
    query = dp.Query([dp.Mean("age"), dp.Count("sex", "F")])
    noise = noise_of(np.diag([0.73, 1.0]))
    known = noise.per_record(query, n=100, bounds={"age": (17, 90)})
    assert known.mu == pytest.approx(math.sqrt(2))
