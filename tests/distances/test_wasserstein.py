"""Wasserstein distances against brute force, against each other, and in closed form."""

from __future__ import annotations

import itertools
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from distpriv.distances.wasserstein import closeness, wasserstein_inf
from distpriv.errors import DistanceError

# Chen & Ohrimenko (2023), Figure 1.
PLACES = np.array([1.0, 2.0, 3.0, 100.0])
MU, NU = (0.6, 0.2, 0.0, 0.2), (0.4, 0.3, 0.2, 0.1)


def by_permutations(x: np.ndarray, y: np.ndarray) -> float:
    distances = cdist(x, y, "cityblock")
    size = range(len(x))
    return min(max(distances[i, p[i]] for i in size) for p in itertools.permutations(size))


def by_linear_programs(x, y, delta, x_weights, y_weights) -> float:
    """Try every distance: the most mass that can move no further, by linear programming."""
    distances = cdist(x, y, "cityblock")
    k, l_ = distances.shape
    rows = np.kron(np.eye(k), np.ones(l_))
    columns = np.kron(np.ones(k), np.eye(l_))
    for threshold in np.unique(distances):
        allowed = (distances <= threshold).ravel()
        found = linprog(
            -allowed.astype(float),
            A_ub=np.vstack([rows, columns]),
            b_ub=np.concatenate([x_weights, y_weights]),
            bounds=[(0, None if each else 0) for each in allowed],
        )
        if -found.fun >= 1 - delta - 1e-9:
            return float(threshold)
    raise AssertionError


def by_subsets(x: np.ndarray, y: np.ndarray, delta: Fraction, p: list, q: list) -> float:
    """No set of points of x outweighs by more than δ what lies within W of it (Strassen 1965)."""
    distances = cdist(x, y, "cityblock")
    sets = [
        list(each)
        for r in range(1, len(x) + 1)
        for each in itertools.combinations(range(len(x)), r)
    ]
    for threshold in np.unique([0.0, *distances.ravel()]):
        near = distances <= threshold
        surplus = max(
            sum(p[i] for i in each) - sum(q[j] for j in np.flatnonzero(near[each].any(axis=0)))
            for each in sets
        )
        if surplus <= delta:
            return float(threshold)
    raise AssertionError


_UNIT = 2**44  # weights are whole numbers of its inverse, 256 machine epsilons


@st.composite
def fine_weights(draw: st.DrawFn, size: int) -> list[Fraction]:
    """Exact in floating point, of any order of magnitude down to 2⁻⁴⁴, summing to 1."""
    parts = []
    for _ in range(size - 1):
        left = _UNIT - sum(parts)
        power = draw(st.integers(0, 43))
        parts.append(min(draw(st.integers(0, 3)) << power, left))
    return [Fraction(each, _UNIT) for each in draw(st.permutations([*parts, _UNIT - sum(parts)]))]


@settings(max_examples=300)
@given(
    st.data(),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 2),
    st.sampled_from([Fraction(0), Fraction(1, _UNIT), Fraction(5, 2**24), Fraction(1, 5)]),
)
def test_surplus_mass_counts_however_small(data, k, size, m, delta) -> None:
    coordinates = st.lists(st.integers(0, 99), min_size=m, max_size=m)
    x, y = (
        np.array(data.draw(st.lists(coordinates, min_size=each, max_size=each)), dtype=float)
        for each in (k, size)
    )
    p, q = data.draw(fine_weights(k)), data.draw(fine_weights(size))
    found = closeness(x, y, float(delta), [float(each) for each in p], [float(each) for each in q])
    assert found == by_subsets(x, y, delta, p, q)


@pytest.mark.parametrize("surplus", [1e-7, 1e-9, 1e-12, 1e-14])
def test_a_little_mass_that_has_to_go_far(surplus: float) -> None:
    places = np.array([[0.0, 0.0], [99.0, 0.0]])
    p, q = [0.5 + surplus, 0.5 - surplus], [0.5, 0.5]
    for x in (places, places[:, 0]):
        assert wasserstein_inf(x, x, p, q) == 99
        assert closeness(x, x, surplus * 0.8, p, q) == 99
        assert closeness(x, x, surplus * 1.2, p, q) == 0


@pytest.mark.parametrize("m", [1, 2])
def test_weights_that_only_rounding_tells_apart_are_the_same(m: int) -> None:
    """0.1 + 0.2 is not 0.3 in floating point, and 1 − 0.9 is not 0.1."""
    places = np.zeros((3, m))
    places[:, 0] = [0.0, 5.0, 99.0]
    assert wasserstein_inf(places, places, [0.1 + 0.2, 0.6, 1 - 0.9], [0.3, 0.6, 0.1]) == 0


def test_many_small_weights_together_count() -> None:
    far = 99 + np.arange(100_000) * 1e-9
    x, weights = np.append(0.0, far), np.append(1 - 1e-8, np.full(100_000, 1e-13))
    assert wasserstein_inf(x, [0.0], weights) == pytest.approx(99, abs=1e-3)
    # As many as lie beyond a point must go to it.
    found = wasserstein_inf(x, [0.0, 99.0], weights, [1 - 5e-9, 5e-9])
    assert found == pytest.approx(99, abs=1e-3)


@given(st.integers(0, 10**6), st.integers(40, 70), st.integers(40, 70))
@settings(max_examples=15)
def test_no_more_mass_than_a_maximum_flow_of_python_integers(seed: int, k: int, size: int) -> None:
    """Many points, so that the leading bits alone do not decide."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 12, size=(k, 2)), rng.integers(0, 12, size=(size, 2)) + 1
    weights = []
    for each in (k, size):
        parts = (rng.dirichlet(np.ones(each)) * 2.0 ** rng.integers(-30, 1, each) * _UNIT).astype(
            int
        )
        parts[0] += _UNIT - parts.sum()
        weights.append(parts)
    distances = cdist(x, y, "cityblock")
    found = wasserstein_inf(x, y, *(each / _UNIT for each in weights))
    assert _flow(distances <= found, *weights) == _UNIT
    assert found == 0 or _flow(distances < found, *weights) < _UNIT


def _flow(near: np.ndarray, supply: np.ndarray, demand: np.ndarray) -> int:
    graph = nx.DiGraph()
    graph.add_nodes_from(["from", "to"])
    graph.add_edges_from((("x", i), ("y", j)) for i, j in np.argwhere(near).tolist())
    for i, mass in enumerate(supply.tolist()):
        graph.add_edge("from", ("x", i), capacity=mass)
    for j, mass in enumerate(demand.tolist()):
        graph.add_edge(("y", j), "to", capacity=mass)
    return nx.maximum_flow_value(graph, "from", "to")


def test_figure_1() -> None:
    assert wasserstein_inf(PLACES, PLACES, MU, NU) == 97
    assert closeness(PLACES, PLACES, 0.1, MU, NU) == 1
    # As points of a plane, which takes the other way to compute it.
    plane = np.column_stack([PLACES, np.zeros(4)])
    assert wasserstein_inf(plane, plane, MU, NU) == 97
    assert closeness(plane, plane, 0.1, MU, NU) == 1


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 3))
def test_equal_weights_against_all_permutations(seed: int, size: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 9, size=(2, size, m)).astype(float)
    assert wasserstein_inf(x, y) == by_permutations(x, y)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5), st.integers(1, 3),
       st.sampled_from([0.0, 0.05, 0.2, 0.5]))  # fmt: skip
def test_weights_against_linear_programs(seed, k, size, m, delta) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(k, m)), rng.normal(size=(size, m))
    weights = (
        rng.multinomial(40, np.ones(k) / k) / 40,
        rng.multinomial(40, np.ones(size) / size) / 40,
    )
    expected = by_linear_programs(x, y, delta, *weights)
    assert closeness(x, y, delta, *weights) == pytest.approx(expected)


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 30))
def test_one_dimension_both_ways(seed: int, k: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=k), rng.normal(size=size)
    flat = [np.column_stack([each, np.zeros(len(each))]) for each in (x, y)]
    assert wasserstein_inf(x, y) == pytest.approx(wasserstein_inf(*flat))
    assert closeness(x, y, 0.0) == wasserstein_inf(x, y)


@given(
    st.integers(0, 10**6),
    st.integers(1, 30),
    st.integers(1, 30),
    st.floats(0, 0.95),
    st.booleans(),
    st.sampled_from([0, 1, 3]),
)
def test_closeness_in_one_dimension_both_ways(
    seed: int, k: int, size: int, delta: float, weighted: bool, decimals: int
) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.round(rng.normal(size=k), decimals), np.round(rng.normal(size=size), decimals)
    weights = [rng.dirichlet(np.ones(each)) for each in (k, size)] if weighted else [None, None]
    flat = [np.column_stack([each, np.zeros(len(each))]) for each in (x, y)]
    found = closeness(x, y, delta, *weights)
    assert found == pytest.approx(closeness(*flat, delta, *weights), abs=1e-12)


@given(st.integers(0, 10**6))
def test_it_falls_as_delta_grows_and_knows_no_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(12, 2)), rng.normal(size=(9, 2)) + 1
    found = [closeness(x, y, delta) for delta in (0.0, 0.1, 0.3, 0.6, 0.9)]
    assert found == sorted(found, reverse=True)
    assert closeness(y, x, 0.3) == pytest.approx(found[2])
    assert wasserstein_inf(x, x) == 0


def test_a_translation_is_its_length() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 4))
    shift = np.array([0.5, -1.0, 0.0, 2.0])
    assert wasserstein_inf(x, x + shift) == pytest.approx(np.abs(shift).sum())


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.4])
def test_two_shifted_normals(delta: float) -> None:
    """W = max(0, d − 2σΦ⁻¹((1 + δ)/2)) at equal spreads."""
    levels = (np.arange(1000) + 0.5) / 1000
    x = stats.norm.ppf(levels, scale=1.5)
    found = closeness(x, x + 2.0, delta)
    assert found == pytest.approx(2 - 3 * stats.norm.ppf((1 + delta) / 2), abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [1.0]), "not empty"),
        (([1.0, np.nan], [1.0]), "points x must be finite"),
        (([1.0], [np.inf]), "points y must be finite"),
        (([[1.0, 2.0]], [[1.0]]), "same dimension, got 2 for x and 1 for y"),
        (([1.0, 2.0], [1.0], [0.5, 0.6]), "sum to 1, they sum to 1.1"),
        (([1.0, 2.0], [1.0], [1.5, -0.5]), "not negative"),
        (([1.0, 2.0], [1.0], [1.0]), "one weight for each point of x"),
    ],
)
def test_what_makes_no_distribution(arguments, message) -> None:
    with pytest.raises(DistanceError, match=message):
        wasserstein_inf(*arguments)


@pytest.mark.parametrize("delta", [-0.1, 1.0, np.nan])
def test_a_delta_outside_its_domain(delta: float) -> None:
    with pytest.raises(DistanceError, match="δ must be in"):
        closeness([1.0], [2.0], delta)


def test_weights_that_all_but_sum_to_one_are_normalised() -> None:
    assert wasserstein_inf([0.0, 1.0], [0.5], [0.5, 0.5 + 5e-10]) == 0.5
