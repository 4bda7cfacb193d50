"""The least noise against closed forms, the semidefinite program's bound and a direct search."""

import numpy as np
import pytest
from scipy.optimize import minimize

from distpriv.privacy.least_noise import Promises, least_along, least_noise, positive_part
from distpriv.privacy.loss import NormalLoss, normal_distance
from tests.adult import INCOME, WORK, model


def promises(differences, covariances):
    """One case of some pairs, all promised (1, 0.001)."""
    ones = np.ones((1, len(differences)))
    return Promises(np.array(differences)[None], np.array(covariances)[None], ones, 1e-3 * ones)


def scaled(case, shape):
    """How far multiples of a shape are from keeping the promises."""
    return lambda rows, c: case.of(rows).excess(shape[rows] * c[:, None, None]).max(1)


def income(pooled=False):
    pair = model(INCOME.pair(0.5, 0.1)).pairs[0]
    covariances = [pair.pooled] * 2 if pooled else pair.covariances
    return pair, promises([pair.difference], [covariances])


def test_least_noise_of_equal_covariances_is_the_positive_part():
    pair, case = income(pooled=True)
    d = pair.difference / normal_distance(1.0, 1e-3)
    closed = positive_part(np.outer(d, d) - pair.pooled)
    np.testing.assert_allclose(least_noise(case)[0], closed, rtol=1e-5, atol=1e-6 * closed.max())


def test_least_noise_keeps_its_promise_exactly_and_is_near_a_direct_search():
    # Nelder and Mead over one direction, then all of a factor: no better by more than 0.5 %.
    pair, case = income()
    noise = least_noise(case)
    assert -1e-6 < case.excess(noise).max() <= 0
    for laws in (pair.covariances, pair.covariances[::-1]):  # either order may tell more
        some = least_noise(promises([pair.difference], [laws]))
        loss = NormalLoss.between(pair.difference, *(laws + some[0]))
        worst = max(float(loss.delta(1.0)), float(loss.reversed.delta(1.0)))
        assert worst == pytest.approx(1e-3, rel=1e-5)

    def needed(x):
        shape = np.outer(x, x)[None]
        return float(least_along(scaled(case, shape), np.array([1e-18]))[0] * x @ x)

    start = np.linalg.eigh(noise[0])[1][:, -1]
    best = minimize(needed, start, method="Nelder-Mead", options={"maxiter": 15}).fun
    assert np.trace(noise[0]) < 1.005 * best


def test_two_secrets_need_within_a_hundredth_of_the_program():
    # Income and work class, both 0.45/0.55, n = 100, without replacement, no floor; the exact
    # distances for the classical ones: the semidefinite program gives 245.488 for ε/c.
    pairs = model(INCOME.pair(0.5, 0.1), WORK.pair(0.5, 0.1)).pairs
    mu = 1 / np.sqrt(2 * np.log(1250))
    scale = normal_distance(1.0, 1e-3) / mu
    case = promises(
        [pair.difference * scale for pair in pairs], [[pair.pooled * 1.0] * 2 for pair in pairs]
    )
    noise = least_noise(case)[0]
    assert np.trace(noise) == pytest.approx(245.488, rel=0.01)
    assert np.trace(noise) >= 245.48  # no feasible noise is below the program's
    for pair in pairs:
        d = pair.difference
        assert d @ np.linalg.solve(pair.pooled + noise, d) <= mu**2 * (1 + 1e-6)


def test_cases_side_by_side_do_not_touch_each_other():
    pair, _ = income()
    epsilon = np.array([[0.2], [1.0], [20.0]])
    wide = Promises(
        np.broadcast_to(pair.difference, (3, 1, 5)),
        np.broadcast_to(pair.covariances, (3, 1, 2, 5, 5)),
        epsilon,
        np.full((3, 1), 1e-3),
    )
    together = least_noise(wide)
    for row in range(3):
        alone = least_noise(wide.of(np.array([row])))[0]
        np.testing.assert_allclose(together[row], alone, rtol=1e-4, atol=1e-6)


def test_noise_that_never_suffices_is_not_a_number():
    # Noise on the first statistic alone cannot hide the second one.
    case = promises([np.array([1.0, 3.0])], [[np.eye(2)] * 2])
    shape = np.diag([1.0, 0.0])[None]
    factor = least_along(scaled(case, shape), np.array([1e-18]), largest=1e6)
    assert np.isnan(factor).all()


def test_search_that_begins_steep_needs_few_tries():
    tries = []

    def excess_of(_, factors):  # as of Laplace noise at ε = 500, from just below
        tries.append(factors)
        return 500 * (0.006 - np.log(factors))

    factor = least_along(excess_of, np.ones(1), 2e-3, 64.0, 500.0)
    assert 0.006 <= np.log(factor) <= 0.0061
    assert len(tries) < 5
