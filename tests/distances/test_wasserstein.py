"""Wasserstein distances against enumerated and linear programs' couplings, and the paper's figure."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from distpriv.distances import (
    closeness,
    optimal_coupling,
    rounding_mass,
    steps_apart,
    wasserstein_inf,
)
from distpriv.errors import DistprivError

# Figure 1 of Chen & Ohrimenko (2023).
PLACES = [1, 2, 3, 100]
ONE, OTHER = [0.6, 0.2, 0, 0.2], [0.4, 0.3, 0.2, 0.1]


@pytest.mark.parametrize("points", [PLACES, np.column_stack([PLACES, np.zeros(4)])])
def test_distances_of_the_papers_figure_come_out(points):
    assert wasserstein_inf(points, points, ONE, OTHER) == 97
    assert closeness(points, points, 0.1, ONE, OTHER) == 1


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), m=st.integers(1, 3), norm=st.sampled_from(["l1", "l2"]))
def test_distance_of_equal_masses_is_the_best_matching(seed, m, norm):
    x, y = np.random.default_rng(seed).integers(0, 4, (2, 5, m)).astype(float)
    distances = cdist(x, y, {"l1": "cityblock", "l2": "euclidean"}[norm])
    best = min(distances[np.arange(5), list(order)].max() for order in permutations(range(5)))
    assert wasserstein_inf(x, y, norm=norm) == pytest.approx(best)
    spared = min(np.sort(distances[np.arange(5), list(o)])[-2] for o in permutations(range(5)))
    assert closeness(x, y, 0.2, norm=norm) == pytest.approx(spared)


def by_linear_program(x, y, delta, p, q):
    """Return the least distance along which mass 1 − δ can move."""
    distances = cdist(x, y, "cityblock")
    k, size = distances.shape
    sides = np.vstack([np.kron(np.eye(k), np.ones(size)), np.kron(np.ones(k), np.eye(size))])
    for reach in np.unique(np.append(distances, 0.0)):
        far = np.where(distances.ravel() > reach, 0.0, -1.0)
        moved = -linprog(far, sides, np.concatenate([p, q])).fun
        if moved >= 1 - delta - 1e-7:
            return reach
    raise AssertionError


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), m=st.integers(1, 2), delta=st.sampled_from([0.0, 0.03, 0.4]))
def test_closeness_of_weighted_points_is_the_linear_programs(seed, m, delta):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(5, m)), rng.normal(size=(4, m))
    p, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(4))
    expected = by_linear_program(x, y, delta, p, q)
    assert closeness(x, y, delta, p, q) == pytest.approx(expected, abs=1e-9)
    coupling = optimal_coupling(x, y, delta, p, q)
    assert coupling.masses[coupling.beyond].sum() <= delta + 1e-6
    assert np.bincount(coupling.sources, coupling.masses, 5) == pytest.approx(p, abs=1e-6)
    assert np.bincount(coupling.targets, coupling.masses, 4) == pytest.approx(q, abs=1e-6)


def test_closeness_of_many_points_on_a_line_agrees_with_the_plane():
    x, y = np.random.default_rng(1).normal(np.array([[0.0], [0.3]]), size=(2, 150))
    plane = [np.column_stack([side, np.zeros(150)]) for side in (x, y)]
    for delta in (0.0, 0.05):
        assert closeness(x, y, delta) == pytest.approx(closeness(*plane, delta))


def test_rounding_of_weights_stays_within_its_charge():
    for m in (1, 2):
        places = np.outer([0, 9], np.eye(m)[0])
        least = np.array([1 - rounding_mass(4, m) / 4, rounding_mass(4, m) / 4])
        assert closeness(places, places, 0.0, least, [1.0, 0.0]) == 0


def test_steps_apart_sees_tails_that_subtraction_loses():
    law = np.array([1e-300, 0.5, 0.5, 0.0])
    assert steps_apart(law, [0.0, 0.5, 0.5, 0.0]) == 1
    assert steps_apart(law, law) == 0
    assert steps_apart(law[::-1], [0.0, 0.5, 0.5, 0.0]) == 1
    assert steps_apart([1, 0, 0, 0], [0, 0, 0, 1]) == 3  # no point below the middle
    places, rng = np.arange(4), np.random.default_rng(0)
    for _ in range(20):
        p, q = rng.dirichlet(np.full(4, 0.3), 2)
        assert steps_apart(p, q) == closeness(places, places, 0.0, p, q)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1.0], [2.0], 1.0), "δ must be"),
        (([], [2.0], 0.0), "finite numbers"),
        (([np.nan], [2.0], 0.0), "must be a number"),
        (([[1.0, 2.0]], [2.0], 0.0), "coordinates"),
        (([1.0], [2.0], 0.0, [0.5]), "sum to 1"),
        (([1.0], [2.0], 0.0, [0.5, 0.5]), "one weight each"),
        ((np.zeros((5000, 2)), np.zeros((5000, 2)), 0.0), "too many pairs"),
    ],
)
def test_closeness_refuses_in_a_sentence(arguments, words):
    with pytest.raises(DistprivError, match=words):
        closeness(*arguments)
