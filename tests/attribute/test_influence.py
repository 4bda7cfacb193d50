"""Max-influence and quilts, against plain enumeration."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.attribute.influence import LARGEST_QUILT
from tests.examples import enumerated, networks


def by_hand(net: dp.BayesianNetwork, attributes: frozenset[str], protected: str) -> float:
    """Definition 7 word by word."""
    axis = {name: index for index, name in enumerate(net.nodes)}
    joint: dict[tuple, float] = {}
    alone: dict[int, float] = {}
    for states, probability in enumerated(net).items():
        i = states[axis[protected]]
        values = tuple(states[axis[name]] for name in sorted(attributes))
        joint[i, values] = joint.get((i, values), 0.0) + probability
        alone[i] = alone.get(i, 0.0) + probability
    return max(
        math.log(joint[a, values] / alone[a] * alone[b] / joint[b, values])
        for (a, values) in joint
        for b in alone
    )


@given(networks(), st.data())
def test_influence_by_enumeration(net: dp.BayesianNetwork, data: st.DataObject) -> None:
    protected, *rest = data.draw(st.permutations(net.nodes))
    attributes = frozenset(data.draw(st.sets(st.sampled_from(rest))))
    expected = by_hand(net, attributes, protected)
    assert dp.attribute.max_influence(net, attributes, protected) == pytest.approx(
        expected, abs=1e-10
    )


@given(networks(), st.integers(0, 4), st.data())
def test_every_quilt_up_to_a_size(
    net: dp.BayesianNetwork, largest: int, data: st.DataObject
) -> None:
    protected = data.draw(st.sampled_from(net.nodes))
    found = dp.attribute.find_quilts(net, protected, largest)
    others = len(net.nodes) - 1
    assert len({each.quilt for each in found}) == len(found)
    assert len(found) == sum(math.comb(others, size) for size in range(min(largest, others) + 1))
    for each in found:
        assert each.protected == protected
        assert protected in each.nearby
        assert each.quilt | each.nearby | each.remote == set(net.nodes)
        assert len(each.quilt) + len(each.nearby) + len(each.remote) == len(net.nodes)
        assert each.remote == net.remote(protected, each.quilt)
        assert each.influence == pytest.approx(by_hand(net, each.quilt, protected), abs=1e-10)


@given(networks(most=4), networks(most=4))
def test_a_family_takes_the_largest(one: dp.BayesianNetwork, two: dp.BayesianNetwork) -> None:
    sizes = {node: len(one.names(node)) for node in one.nodes}
    if sizes != {node: len(two.names(node)) for node in two.nodes}:
        with pytest.raises(dp.errors.NetworkError, match="same attributes, states and edges"):
            dp.attribute.find_quilts([one, two], "n0")
        return
    # Another table of the same shape: the states of the first one, turned round.
    turned = dp.BayesianNetwork(one.edges, {node: one.table(node)[..., ::-1] for node in one.nodes})
    for whole, left, right in zip(
        *(dp.attribute.find_quilts(nets, "n0") for nets in ([one, turned], one, turned)),
        strict=True,
    ):
        assert whole.influence == max(left.influence, right.influence)
        assert whole.remote == left.remote


def test_independent_parameters_have_no_influence() -> None:
    net = dp.BayesianNetwork([], {"a": [0.3, 0.7], "b": [0.5, 0.25, 0.25]})
    assert dp.attribute.max_influence(net, ["b"], "a") == pytest.approx(0, abs=1e-12)
    assert dp.attribute.max_influence(net, [], "a") == pytest.approx(0, abs=1e-12)
    assert dp.attribute.find_quilts(net, "a")[0].remote == {"b"}


def test_a_value_that_is_ruled_out_makes_the_influence_infinite() -> None:
    net = dp.BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.5, 0.5]]})
    assert dp.attribute.max_influence(net, ["b"], "a") == math.inf
    assert dp.attribute.max_influence(net, ["a"], "b") == math.inf


def test_what_never_happens_does_not_count() -> None:
    """A third value of a with probability 0 is no secret; a third value of b never occurs."""
    tables = {"a": [0.5, 0.5, 0.0], "b": [[0.6, 0.4, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]}
    net = dp.BayesianNetwork([("a", "b")], tables)
    assert dp.attribute.max_influence(net, ["b"], "a") == pytest.approx(math.log(0.5 / 0.4))


def test_what_cannot_be_asked_is_named() -> None:
    net = dp.BayesianNetwork([], {"a": [0.3, 0.7], "b": [0.5, 0.5]})
    with pytest.raises(dp.errors.NetworkError, match="no attribute 'c'"):
        dp.attribute.max_influence(net, ["c"], "a")
    with pytest.raises(dp.errors.NetworkError, match="cannot be among"):
        dp.attribute.max_influence(net, ["a"], "a")
    with pytest.raises(dp.errors.NetworkError, match="at least one network"):
        dp.attribute.find_quilts([], "a")
    with pytest.raises(dp.errors.NetworkError, match=f"such as {LARGEST_QUILT}"):
        dp.attribute.find_quilts(net, "a", -1)
    with pytest.raises(dp.errors.NetworkError, match=r"largest must be a whole number, got 1\.5"):
        dp.attribute.find_quilts(net, "a", 1.5)  # type: ignore[arg-type]
    large = dp.BayesianNetwork([], {f"n{i}": [0.5, 0.5] for i in range(16)})
    with pytest.raises(dp.errors.NetworkError, match="at most 20\u202f000"):
        dp.attribute.find_quilts(large, "n0", 15)
    assert len(dp.attribute.find_quilts(large, "n0")) == sum(math.comb(15, k) for k in range(5))
