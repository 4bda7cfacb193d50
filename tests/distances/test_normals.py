"""Closeness and reach of normals against search and simulation, and relaxed promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtri

from distpriv.distances import (
    close_attackers,
    max_divergence,
    normal_closeness,
    normal_reach,
    relaxed_promise,
)
from distpriv.errors import DistprivError
from distpriv.privacy import FiniteLoss


def random_normal(m, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(m, m))
    return rng.normal(size=m) * 2, root @ root.T + 0.1 * np.eye(m)


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.3, 0.9])
def test_closeness_of_two_normals_on_a_line_is_closed(delta):
    expected = max(0.0, 3 - 2 * 1.5 * ndtri((1 + delta) / 2))
    assert normal_closeness(np.array([-3.0]), np.array([[2.25]]), delta) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
def test_closeness_of_normals_is_the_least_shift_that_searching_finds(seed):
    difference, covariance = random_normal(3, seed)
    radius = 2 * ndtri((1 + 0.1) / 2)
    precision = np.linalg.inv(covariance)

    def inside(e):
        rest = difference - e[:3] + e[3:]
        return radius**2 - rest @ precision @ rest

    start = np.concatenate([np.maximum(difference, 0), np.maximum(-difference, 0)])
    best = minimize(
        np.sum, start, bounds=[(0, None)] * 6, constraints={"type": "ineq", "fun": inside}
    )
    assert normal_closeness(difference, covariance, 0.1) == pytest.approx(best.fun, abs=1e-5)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_reach_of_normals_holds_back_as_much_as_simulated(m):
    _, covariance = random_normal(m, m)
    reach = normal_reach(covariance, 0.01)
    draws = np.random.default_rng(7).multivariate_normal(np.zeros(m), covariance, 200_000)
    beyond = (np.abs(draws).sum(axis=1) > reach).mean()
    assert beyond == pytest.approx(0.01, abs=4 * math.sqrt(0.01 / 200_000) + 2e-4)


def test_relaxed_promise_holds_for_laws_that_differ():
    rng = np.random.default_rng(3)
    believed = rng.dirichlet(np.ones(6), 2)
    true = np.array([0.9 * law + 0.1 * rng.dirichlet(np.ones(6)) for law in believed])
    epsilon, levels = 0.4, np.array([0.02, 0.05, 0.2])
    delta = max(float(FiniteLoss(*believed[order]).delta(epsilon)) for order in ([0, 1], [1, 0]))
    pairs = [pair for law in zip(true, believed, strict=True) for pair in (law, law[::-1])]
    etas = np.max([FiniteLoss(*pair).profile(levels) for pair in pairs], axis=0)
    frontier = relaxed_promise(epsilon, delta, levels, etas)
    for row in frontier.to_frame().itertuples():
        for order in ([0, 1], [1, 0]):
            assert float(FiniteLoss(*true[order]).delta(row.epsilon)) <= row.delta
    chain = np.exp(levels) * (np.exp(epsilon) * etas + delta) + etas  # Theorem 4.6, step by step
    assert frontier.deltas == pytest.approx(chain)
    assert frontier.deltas[frontier.best] == frontier.deltas.min()
    assert relaxed_promise(1.0, 0.0, [0.1], [1.0]).deltas == 1  # nothing is promised
    assert relaxed_promise(1.0, 0.0, [0.1], [0.0]).epsilons == pytest.approx(1.2)
    for level, mass in ((-0.1, 0.1), (0.1, 1.1), (float("nan"), 0.1)):
        with pytest.raises(DistprivError, match="must be a number from 0"):
            relaxed_promise(1.0, 0.0, [level], [mass])


def test_close_attackers_lose_delta_by_the_same_factor():
    # ε = 0; what is believed differs from what is hidden in one outcome, by e^c.
    delta, c = 0.1, 0.5
    hidden = np.array([[delta, 1 - delta], [0, 1]])
    believed = np.array([[np.exp(c) * delta, 1 - np.exp(c) * delta], [0, 1]])
    assert max_divergence(believed[0], hidden[0]) == pytest.approx(c)
    assert float(FiniteLoss(*hidden).delta(0.0)) == pytest.approx(delta)
    reached = float(FiniteLoss(*believed).delta(2 * c))
    assert delta < reached <= np.exp(c) * delta * (1 + 1e-9)


def test_divergence_of_close_attackers_counts_records():
    assert max_divergence([0.5, 0.5], [0.25, 0.75]) == pytest.approx(math.log(2))
    assert max_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    one = close_attackers((0.46, 0.56), [(0.45, 0.55), (0.1, 0.2)], 1, independent=True)
    assert one == pytest.approx(math.log(0.45 / 0.44))
    many = close_attackers((0.46, 0.56), [(0.45, 0.55)], 100, independent=True)
    assert many == pytest.approx(100 * one)
    assert close_attackers((0.46, 0.56), [(0.45, 0.55)], 100, independent=False) == math.inf


@pytest.mark.parametrize("m", [2, 3, 5])
def test_reach_is_never_short_of_that_of_one_direction(m):
    v = np.arange(1.0, m + 1)
    for outside in (0.2, 0.05, 1e-5):
        exact = -ndtri(outside / 2) * v.sum()
        assert exact <= normal_reach(np.outer(v, v), outside) <= exact * (1 + 2e-4 * m**2)
