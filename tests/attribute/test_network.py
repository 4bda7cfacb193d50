"""Networks and quilts against enumerated joint tables, files, and what is no network."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from distpriv.attribute import BayesianNetwork, learn_network, markov_quilt, max_influence
from distpriv.errors import DistprivError

# After Example 1 of Zhang et al. (2022), whose quilt {gender} has N = {income, SAT} and
# R = {height, weight}; the paper prints no tables.
EDGES = "income-gender income-SAT gender-SAT gender-height gender-weight height-weight"
SCHOOL = BayesianNetwork(
    [tuple(edge.split("-")) for edge in EDGES.split()],
    {
        "income": [0.3, 0.5, 0.2],
        "gender": [[0.8, 0.2], [0.77, 0.23], [0.74, 0.26]],
        "SAT": np.array([[0.5, 0.4], [0.3, 0.22], [0.15, 0.1]])[..., None] * [1, 0]
        + np.array([[0.5, 0.6], [0.7, 0.78], [0.85, 0.9]])[..., None] * [0, 1],
        "height": [[0.5, 0.5], [0.8, 0.2]],
        "weight": [[[0.7, 0.3], [0.4, 0.6]], [[0.8, 0.2], [0.5, 0.5]]],
    },
    {"income": ["low", "middle", "high"]},
)


def random_network(seed, count=5):
    rng = np.random.default_rng(seed)
    names = [f"x{place}" for place in range(count)]
    sizes = rng.integers(2, 4, count)
    edges = [pair for pair in combinations(names, 2) if rng.random() < 0.4]
    tables = {
        name: rng.dirichlet(
            np.ones(sizes[place]),
            size=tuple(sizes[names.index(parent)] for parent, child in edges if child == name),
        )
        for place, name in enumerate(names)
    }
    return BayesianNetwork(edges, tables)


def enumerated(network):
    """Return the joint table, every combination of states by itself."""
    joint = np.ones([network.tables[node].shape[-1] for node in network.nodes])
    for states in np.ndindex(joint.shape):
        at = dict(zip(network.nodes, states, strict=True))
        for node in network.nodes:
            row = tuple(at[name] for name in (*network.parents(node), node))
            joint[states] *= network.tables[node][row]
    return joint


def axes_but(network, nodes):
    return tuple(place for place, node in enumerate(network.nodes) if node not in nodes)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_marginals_separation_and_influence_are_those_of_the_joint_table(seed):
    network = random_network(seed)
    joint = enumerated(network)
    first, *rest = network.nodes
    between = rest[:2]
    nodes = [first, *between]
    marginal = joint.sum(axes_but(network, nodes))
    assert network.marginal(nodes) == pytest.approx(marginal)
    rows = marginal.reshape(len(marginal), -1) / marginal.reshape(len(marginal), -1).sum(1)[:, None]
    assert max_influence(network, between, first) == pytest.approx(
        np.log(rows[:, None] / rows).max()
    )
    remote = network.remote(first, between)
    for other in rest[2:]:
        four = joint.sum(axes_but(network, [*nodes, other]), keepdims=True)
        places = [network.nodes.index(node) for node in (first, other)]
        sums = [four.sum(part, keepdims=True) for part in (*places, tuple(places))]
        gap = np.abs(four * sums[2] - sums[0] * sums[1]).max()
        assert gap < 1e-12 if other in remote else gap > 1e-14


def test_quilt_of_the_schools_example_separates_what_the_paper_says():
    quiet = markov_quilt(SCHOOL, ["income"], ["height"], {frozenset({"height"}): 1.0}, 1.0)
    assert quiet.scale == 0
    assert quiet.quilt == {"gender"}
    assert quiet.nearby == {"income", "SAT"}
    assert quiet.remote == {"height", "weight"}
    both = frozenset({"height", "SAT"})
    deltas = {both: 2.0, frozenset({"SAT"}): 1.5}
    loud = markov_quilt(SCHOOL, ["income"], both, deltas, 1.0)
    influence = max_influence(SCHOOL, ["gender"], "income")
    assert influence == pytest.approx(math.log(0.26 / 0.2))
    gender = next(one for one in loud.quilts if one.quilt == {"gender"})
    assert gender.scale == pytest.approx(1.5 / (1 - influence))
    assert loud.scale <= gender.scale
    assert loud.accuracy(0.05) == pytest.approx(loud.scale * math.log(20))
    assert loud.to_frame()["scale"].is_monotonic_increasing
    strict = markov_quilt(SCHOOL, ["income"], both, deltas, influence).quilts
    assert next(one for one in strict if one.quilt == {"gender"}).scale == math.inf


def test_quilts_heed_common_children_impossible_values_and_every_protected_attribute():
    child = {"c": np.full((2, 2, 2), 0.5), "d": np.full((2, 2), 0.5)}
    edges = [("a", "c"), ("b", "c"), ("c", "d")]
    collider = BayesianNetwork(edges, {"a": [0.5, 0.5], "b": [0.5, 0.5]} | child)
    assert collider.remote("a", ()) == {"b"}
    assert not collider.remote("a", ["d"])  # what is below a common child tells of it
    never = {"a": [0.0, 0.4, 0.6], "b": [[0.5, 0.5], [0.2, 0.8], [0.6, 0.4]]}
    assert max_influence(BayesianNetwork([("a", "b")], never), "b", "a") == pytest.approx(
        math.log(3)
    )
    deltas = {frozenset({"height"}): 1.0}
    worst = markov_quilt(SCHOOL, ["income", "gender"], ["height"], deltas, 0.3)
    assert worst.scale == markov_quilt(SCHOOL, ["gender"], ["height"], deltas, 0.3).scale > 0
    assert worst.protected == "gender"


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_quilts_noise_hides_every_value_of_the_protected_attribute(seed):
    network = random_network(seed)
    protected, *rest = network.nodes
    asked, epsilon = rest[-2:], 1.5
    result = markov_quilt(network, [protected], asked, {frozenset(asked): 2.0}, epsilon)
    if not 0 < result.scale < math.inf:
        return
    marginal = network.marginal([protected, *asked])
    given_secret = marginal / marginal.sum(axis=(1, 2), keepdims=True)
    # Any query of the asked attributes that moves by at most 2, here their number of last states.
    values = np.add.outer(*(np.arange(size) == size - 1 for size in given_secret.shape[1:]))
    levels = np.linspace(-20, 20, 161)[:, None, None, None]
    noise = np.exp(-np.abs(levels - values) / result.scale)
    densities = (given_secret * noise).sum(axis=(2, 3))
    ratio = np.log(densities.max(axis=1) / densities.min(axis=1)).max()
    assert ratio <= epsilon + 1e-9


BIF = """
network unknown { }
variable Smoker { type discrete [ 2 ] { True, False }; }
variable "Cancer" { type discrete [ 2 ] { True, False }; }
variable Xray { type discrete [ 2 ] { positive, negative }; }
probability ( Smoker ) { table 0.3, 0.7; }
probability ( Cancer | Smoker ) { (True) 0.03, 0.97; default 0.001, 0.999; }
probability ( Xray | Cancer ) { (False) 0.2, 0.8; (True) 0.9, 0.1; }
"""


def test_network_of_a_bif_file_has_its_tables():
    network = BayesianNetwork.from_bif(BIF)
    assert network.states["Xray"] == ("positive", "negative")
    positive = 0.9 * (0.3 * 0.03 + 0.7 * 0.001) + 0.2 * (0.3 * 0.97 + 0.7 * 0.999)
    assert network.marginal(["Xray"])[0] == pytest.approx(positive)
    again = BayesianNetwork.from_json(network.to_json())
    assert again.edges == network.edges
    assert again.states == network.states
    assert all(np.array_equal(again.tables[node], network.tables[node]) for node in network.nodes)


STATES = ", ".join(f"s{place}" for place in range(1001))
HUGE = "".join(f"variable {name} {{ type discrete [ 1001 ] {{ {STATES} }}; }}" for name in "ab")
HUGE += "probability ( a | b ) { default 1; }"
WIDE = "".join(f"variable x{place} {{ {{ s }} }} " for place in range(80))
WIDE += f"probability ( {', '.join(f'x{place}' for place in range(80))} ) {{ default 1; }}"
VAGUE = {name: np.full(30, 1 / 30) for name in "abcdefghij"}
AB = {"a": [0.3, 0.7], "b": [[0.2, 0.8], [0.6, 0.4]]}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BayesianNetwork([("a", "b"), ("b", "a")], AB), "cycle"),
        (lambda: BayesianNetwork([("a", "c")], AB), "'c', which has no table"),
        (lambda: BayesianNetwork([("a", "b")] * 2, AB), "twice"),
        (lambda: BayesianNetwork([], AB), "shape"),
        (lambda: BayesianNetwork([("a", "b")], AB | {"b": [[0.2, 0.8], [0.6, 0.3]]}), "a = 2"),
        (lambda: BayesianNetwork([], {f"x{i}": [1.0] for i in range(25)}), "25"),
        (lambda: BayesianNetwork.from_json("{}"), "not a network"),
        (lambda: BayesianNetwork.from_bif(BIF.replace("0.3, 0.7", "0.3, x")), "does not fit"),
        (lambda: BayesianNetwork.from_bif(BIF.replace("| Smoker", "| Smoke")), "no variable"),
        (lambda: BayesianNetwork.from_bif(b"nothing"), "no table"),
        (lambda: BayesianNetwork.from_bif(HUGE), "over a million"),
        (lambda: BayesianNetwork.from_bif(WIDE), "more than 20"),
        (
            lambda: BayesianNetwork.from_json(
                f'{{"edges": [], "tables": {{"a": [1{"0" * 400}]}}}}'
            ),
            "no",
        ),
        (
            lambda: markov_quilt(BayesianNetwork([], VAGUE), "a", "j", {frozenset("j"): 1}, 1.0),
            "take minutes",
        ),
        (lambda: markov_quilt(SCHOOL, ["incme"], ["SAT"], {}, 1.0), "Did you mean 'income'"),
        (lambda: markov_quilt(SCHOOL, ["income"], ["SAT"], {}, 1.0), "is not there"),
        (lambda: markov_quilt(SCHOOL, ["income"], ["SAT"], {frozenset({"SAT"}): 1}, 0.0), "ε"),
        (lambda: markov_quilt(SCHOOL, ["income"], [], {}, 1.0), "one released attribute"),
        (lambda: learn_network(pd.DataFrame({"a": [1, 2], "b": [1, 1]}), ["a", "b"]), "one value"),
        (lambda: learn_network(pd.DataFrame({"a": [1, 2]}), ["a"]), "2 to 20 columns"),
    ],
)
def test_what_is_no_network_is_a_sentence(make, words):
    with pytest.raises(DistprivError, match=words):
        make()


def test_learned_tree_joins_what_goes_together():
    rng = np.random.default_rng(0)
    cause = rng.integers(0, 2, 4000)
    effect = np.where(rng.random(4000) < 0.9, cause, 1 - cause)
    noise = rng.normal(size=4000)
    further = effect + 0.4 * rng.normal(size=4000)
    table = pd.DataFrame({"cause": cause, "noise": noise, "further": further, "effect": effect})
    network = learn_network(table, list(table))
    assert {("cause", "effect"), ("effect", "further")} <= set(network.edges)
    assert network.tables["effect"][0, 0] == pytest.approx(0.9, abs=0.03)
    assert len(network.states["further"]) == 3


def test_noise_is_for_the_worst_network_and_for_all_that_is_nearby():
    networks = [
        BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": [[1 - p, p], [0.5, 0.5]]})
        for p in (0.2, 0.4)
    ]
    assert max_influence(networks, ["b"], "a") == pytest.approx(math.log(0.5 / 0.2))
    deltas = {frozenset("ab"): 2.0, frozenset("a"): 1.0, frozenset("b"): 1.5}
    assert markov_quilt(networks, ["a"], ["a", "b"], deltas, 0.5, largest=0).scale == 2.0 / 0.5
