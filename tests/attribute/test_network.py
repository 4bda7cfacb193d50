"""Bayesian networks: validation, the joint table, and d-separation against the numbers."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.attribute.network import refitted
from tests.examples import enumerated, networks

TABLES = {"a": [0.3, 0.7], "b": [[0.2, 0.8], [0.6, 0.4]]}


@given(networks())
def test_the_joint_table(net: dp.BayesianNetwork) -> None:
    joint = net.joint()
    assert joint.sum() == pytest.approx(1)
    for states, probability in enumerated(net).items():
        assert joint[states] == pytest.approx(probability)


@given(networks(), st.data())
def test_d_separation_is_independence_in_the_tables(
    net: dp.BayesianNetwork, data: st.DataObject
) -> None:
    node, *rest = data.draw(st.permutations(net.nodes))
    given_nodes = data.draw(st.sets(st.sampled_from(rest), max_size=3))
    remote = net.remote(node, given_nodes)
    assert not remote & {node, *given_nodes}
    joint = enumerated(net)
    axis = {name: index for index, name in enumerate(net.nodes)}
    for other in set(rest) - given_nodes:
        # Largest gap of P(x, y, z) P(z) and P(x, z) P(y, z): zero just where independent.
        counts: dict[tuple, float] = {}
        for states, probability in joint.items():
            z = tuple(states[axis[name]] for name in sorted(given_nodes))
            x, y = states[axis[node]], states[axis[other]]
            for key in ((x, y, z), (x, None, z), (None, y, z), (None, None, z)):
                counts[key] = counts.get(key, 0.0) + probability
        gap = max(
            abs(value * counts[None, None, z] - counts[x, None, z] * counts[None, y, z])
            for (x, y, z), value in counts.items()
            if x is not None and y is not None
        )
        # Random tables leave no dependence to vanish by chance, but it can be small.
        assert gap < 1e-12 if other in remote else gap > 1e-14


def test_a_network_is_frozen_and_its_tables_read_only() -> None:
    source = np.array([0.3, 0.7])
    net = dp.BayesianNetwork([("a", "b")], {**TABLES, "a": source}, {"a": ["no", "yes"]})
    source[0] = 5
    assert net.table("a") == pytest.approx([0.3, 0.7])
    with pytest.raises(FrozenInstanceError):
        net.edges = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        net.table("b")[0, 0] = 1
    assert net.names("a") == ("no", "yes")
    assert net.names("b") == ("1", "2")
    assert net.parents("b") == ("a",)


@pytest.mark.parametrize(
    ("edges", "tables", "states", "says"),
    [
        ([("a", "b"), ("b", "a")], TABLES, None, "cycle, (a → b → a|b → a → b)"),
        ([("a", "a")], TABLES, None, "cycle, a → a"),
        ([("a", "c")], TABLES, None, "'c', which has no table; the attributes are a, b"),
        ([("a", "b"), ("a", "b")], TABLES, None, "a → b is there twice"),
        ([], {}, None, "no attribute"),
        ([("a", "b")], {**TABLES, "b": [0.5, 0.5]}, None, r"'b' must have the shape \(2, 2\)"),
        ([], TABLES, None, r"'b' must have the shape \(2,\), .* and no parent"),
        ([("a", "b")], {**TABLES, "b": [[0.2, 0.8], [0.6, 0.3]]}, None,
         "'b' where a = 2 sum to 0.9"),
        ([("a", "b")], {**TABLES, "b": [[0.2, 0.8], [0.6, 0.3]]}, {"a": ["low", "high"]},
         "'b' where a = high sum to 0.9"),
        ([("a", "b")], {**TABLES, "a": [0.2, 0.7]}, None, "of 'a' sum to 0.9"),
        ([("a", "b")], {**TABLES, "a": [-0.2, 1.2]}, None, "'a' holds -0.2; a probability"),
        ([("a", "b")], {**TABLES, "b": [[0.2, math.nan], [0.5, 0.5]]}, None,
         "'b' holds nan where a = 1"),
        ([("a", "b")], {**TABLES, "a": ["x", "y"]}, None, "'a' must hold numbers"),
        ([("a", "b")], {**TABLES, "b": [[0.2, 0.8], [1.0]]}, None, "'b' must hold numbers"),
        ([("a", "b")], {**TABLES, "a": 1.0}, None, "'a' is empty"),
        ([("a", "b")], TABLES, {"a": ["x", "x"]}, "each state a name of its own"),
        ([("a", "b")], TABLES, {"a": ["x"]}, "2 states in its table"),
        ([("a", "b")], TABLES, {"c": ["x"]}, "'c', which has no table"),
        ([], {f"n{i}": [0.5, 0.5] for i in range(17)}, None, "17 attributes .* at most 16"),
        ([], {f"n{i}": [0.1] * 10 for i in range(7)}, None, "10\u202f000\u202f000 combinations"),
    ],
)  # fmt: skip
def test_what_is_no_network_is_named(edges: list, tables: dict, states: dict, says: str) -> None:
    with pytest.raises(dp.errors.NetworkError, match=says):
        dp.BayesianNetwork(edges, tables, states)


def test_an_unknown_attribute_is_named() -> None:
    net = dp.BayesianNetwork([("a", "b")], TABLES)
    for call in (net.parents, net.names, net.table, lambda name: net.remote("a", [name])):
        with pytest.raises(
            dp.errors.NetworkError, match=r"no attribute 'x' .* attributes are a, b"
        ):
            call("x")


@given(networks(), st.data())
def test_a_table_for_other_parents(net: dp.BayesianNetwork, data: st.DataObject) -> None:
    node, *rest = data.draw(st.permutations(net.nodes))
    before = net.parents(node)
    after = data.draw(st.lists(st.sampled_from(rest), unique=True))
    sizes = {name: len(net.names(name)) for name in net.nodes}
    table = refitted(net.table(node), before, after, sizes)
    assert table.shape == (*(sizes[name] for name in after), sizes[node])
    assert table.sum(axis=-1) == pytest.approx(np.ones(table.shape[:-1]))
    # Parents kept and taken up again in another order give the same probabilities.
    shuffled = data.draw(st.permutations(before))
    twice = refitted(refitted(net.table(node), before, shuffled, sizes), shuffled, before, sizes)
    assert twice == pytest.approx(net.table(node))
    # A new parent makes no difference.
    for parent in set(after) - set(before):
        assert np.ptp(table, axis=after.index(parent)).max() == 0
