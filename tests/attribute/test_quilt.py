"""The Markov quilt mechanism: the school, Algorithm 2 word by word, and what it promises."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from tests.examples import enumerated, networks

SCHOOL = dp.attribute.school()
NET = SCHOOL.networks[0]
INCOME, SAT = "family income", "SAT score"
PAPER_QUILT = frozenset({"gender"})


def deltas(**values: float) -> dict[frozenset[str], float]:
    """Sensitivities by sets written ``height__SAT``."""
    names = {"SAT": SAT}
    return {
        frozenset(names.get(part, part) for part in key.split("__")): value
        for key, value in values.items()
    }


def paper_s(result: dp.attribute.QuiltResult) -> dp.attribute.ScaledQuilt:
    return next(each for each in result.quilts if each.quilt == PAPER_QUILT)


def test_the_paper_s_quilt_separates_what_it_says() -> None:
    quilt = next(
        each for each in dp.attribute.find_quilts(NET, INCOME) if each.quilt == PAPER_QUILT
    )
    assert quilt.nearby == {INCOME, SAT}
    assert quilt.remote == {"height", "weight"}
    # e(gender | income) from the two tables alone: gender has no other parent.
    rows = NET.table("gender")
    by_hand = max(math.log(a / b) for column in rows.T for a in column for b in column)
    assert quilt.influence == pytest.approx(by_hand)
    assert 0 < quilt.influence < 1


def test_the_school_counts_the_tall_without_noise() -> None:
    result = dp.markov_quilt(NET, [INCOME], ["height"], deltas(height=1.0), 1.0)
    assert result.scale == 0
    assert result.quilt == PAPER_QUILT
    assert result.nearby == {INCOME, SAT}
    assert result.remote == {"height", "weight"}
    assert result.noise.is_zero
    assert result.accuracy(0.05) == 0
    assert result.failure(0) == 0
    assert result.noise.release([31.0]) == pytest.approx([31.0])


def test_the_school_counts_the_tall_with_high_scores() -> None:
    sensitivity = deltas(height=100.0, SAT=100.0, height__SAT=200.0)
    result = dp.markov_quilt(NET, [INCOME], ["height", SAT], sensitivity, 1.0)
    quilt = paper_s(result)
    influence = dp.attribute.max_influence(NET, ["gender"], INCOME)
    assert quilt.sensitivity == 100
    assert quilt.scale == pytest.approx(100 / (1 - influence))
    # Knowing the heights' parameter itself gives away less than knowing the gender's does.
    assert result.quilt == {"height"}
    assert result.influence < influence
    assert result.scale == pytest.approx(100 / (1 - result.influence))
    assert result.scale < quilt.scale < 200


def test_for_a_count_of_students_the_empty_quilt_is_better_than_the_paper_s() -> None:
    """All columns of scores can change the count of both by as much as everything together."""
    sensitivity = deltas(height__SAT=100.0)
    result = dp.markov_quilt(NET, [INCOME], ["height", SAT], sensitivity, 1.0)
    assert result.quilt == frozenset()
    assert result.scale == pytest.approx(100)
    assert paper_s(result).scale == pytest.approx(100 / (1 - paper_s(result).influence))


def by_hand(
    net: dp.BayesianNetwork,
    protected: set[str],
    query: frozenset[str],
    delta: dict[frozenset[str], float],
    epsilon: float,
) -> float:
    """Algorithm 2 with the strict inequality, from Q, N and e alone."""
    largest = 0.0
    for i in protected:
        b = delta[query] / epsilon
        others = [node for node in net.nodes if node != i]
        for quilt in chain.from_iterable(combinations(others, size) for size in range(5)):
            e = dp.attribute.max_influence(net, quilt, i) if quilt else 0.0
            nearby = query - set(quilt) - net.remote(i, quilt)
            change = delta[nearby] if nearby else 0.0
            if e < epsilon:
                b = min(b, change / (epsilon - e))
        largest = max(largest, b)
    return largest


@given(networks(), st.floats(0.05, 3), st.data())
def test_algorithm_2(net: dp.BayesianNetwork, epsilon: float, data: st.DataObject) -> None:
    nodes = st.sets(st.sampled_from(net.nodes), min_size=1, max_size=3)
    protected, query = data.draw(nodes), frozenset(data.draw(nodes))
    weights = {node: data.draw(st.sampled_from([0.0, 1.0, 2.5])) for node in net.nodes}
    subsets = chain.from_iterable(combinations(query, k) for k in range(1, len(query) + 1))
    delta = {frozenset(each): sum(weights[node] for node in each) for each in subsets}
    result = dp.markov_quilt(net, protected, query, delta, epsilon)
    assert result.scale == pytest.approx(by_hand(net, protected, query, delta, epsilon))
    assert result.scale <= delta[query] / epsilon * (1 + 1e-12)
    for i in protected:
        mine = [each for each in result.quilts if each.protected == i]
        chosen = [each for each in mine if each.chosen]
        assert len(chosen) == 1
        assert chosen[0].scale == pytest.approx(min(each.scale for each in mine))
    assert result.binding.chosen
    assert result.binding.scale == result.scale


@given(networks(most=4, states=2), st.floats(0.2, 2), st.data())
def test_the_promise_is_kept(net: dp.BayesianNetwork, epsilon: float, data: st.DataObject) -> None:
    """The density ratio of the noisy answer itself, for F that sums one draw of each column."""
    protected = data.draw(st.sampled_from(net.nodes))
    query = sorted(data.draw(st.sets(st.sampled_from(net.nodes), min_size=1)))
    sizes = {node: len(net.names(node)) for node in net.nodes}
    subsets = chain.from_iterable(combinations(query, k) for k in range(1, len(query) + 1))
    delta = {frozenset(each): float(sum(sizes[node] - 1 for node in each)) for each in subsets}
    result = dp.markov_quilt(net, [protected], query, delta, epsilon)
    axis = {name: index for index, name in enumerate(net.nodes)}
    values = np.arange(-5, 15, 0.05 if result.scale else 1.0)
    density = np.zeros((sizes[protected], len(values)))
    totals = np.zeros(sizes[protected])
    for states, probability in enumerated(net).items():
        # Each column takes its parameter's value: as telling as a column can be.
        away = np.abs(values - sum(states[axis[node]] for node in query))
        i = states[axis[protected]]
        density[i] += probability * (np.exp(-away / result.scale) if result.scale else away == 0)
        totals[i] += probability
    possible = density.max(axis=0) > 0
    logs = np.log(density[:, possible] / totals[:, None])
    assert (logs.max(axis=0) - logs.min(axis=0)).max() <= epsilon * (1 + 1e-9)


def test_a_quilt_that_takes_all_of_epsilon() -> None:
    """At e = ε a quilt without anything queried nearby still does without noise, no other."""
    net = dp.BayesianNetwork(
        [("a", "b"), ("b", "c")],
        {"a": [0.5, 0.5], "b": [[0.75, 0.25], [0.25, 0.75]], "c": [[0.9, 0.1], [0.1, 0.9]]},
    )
    limit = dp.attribute.max_influence(net, ["b"], "a")
    free = dp.markov_quilt(net, ["a"], ["b"], {frozenset("b"): 1.0}, limit)
    assert free.scale == 0
    tight = dp.markov_quilt(net, ["a"], ["b"], {frozenset("b"): 1.0}, limit * 0.999)
    assert tight.scale > 0
    both = {frozenset("ab"): 2.0, frozenset("a"): 1.0}
    found = dp.markov_quilt(net, ["a"], ["a", "b"], both, limit)
    assert next(q for q in found.quilts if q.quilt == {"b"}).scale == math.inf
    assert math.isfinite(found.scale)


def test_an_infinite_influence_leaves_the_other_quilts() -> None:
    net = dp.BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.5, 0.5]]})
    result = dp.markov_quilt(net, ["a"], ["b"], {frozenset("b"): 3.0}, 1.5)
    assert result.scale == 2
    assert result.quilt == frozenset()
    assert [each.scale for each in result.quilts] == [2, math.inf]


def test_a_protected_attribute_in_the_query() -> None:
    sensitivity = deltas(height=40.0) | {
        frozenset({INCOME}): 10.0,
        frozenset({INCOME, "height"}): 50.0,
    }
    result = dp.markov_quilt(NET, [INCOME], [INCOME, "height"], sensitivity, 1.0)
    assert INCOME in result.nearby
    assert result.binding.sensitivity == 10
    assert result.scale == pytest.approx(10 / (1 - result.influence))


def test_a_set_without_its_own_sensitivity_takes_the_least_larger_one() -> None:
    sensitivity = deltas(height__SAT=9.0, height__SAT__weight=20.0)
    result = dp.markov_quilt(NET, [INCOME], ["height", SAT, "weight"], sensitivity, 1.0)
    quilt = next(each for each in result.quilts if each.quilt == PAPER_QUILT)
    assert quilt.sensitivity == 9


@pytest.mark.parametrize(
    ("sensitivity", "says"),
    [
        (deltas(height=1.0), r"no sensitivity of \{SAT score, height\}"),
        (deltas(height__SAT=-1.0), "finite number from 0 on, got -1"),
        (deltas(height__SAT=math.inf), "finite number from 0 on, got inf"),
        (deltas(height__SAT=math.nan), "finite number from 0 on, got nan"),
        (deltas(height__SAT=1.0, weight=1.0), r"of \{weight\}, but the query is about"),
        (deltas(height__SAT=1.0, SAT=2.0), r"of \{SAT score\} is 2, above the 1 of"),
    ],
)
def test_a_sensitivity_that_makes_no_sense_is_named(sensitivity: dict, says: str) -> None:
    with pytest.raises(dp.errors.AttributePrivacyError, match=says):
        dp.markov_quilt(NET, [INCOME], ["height", SAT], sensitivity, 1.0)


def test_what_cannot_be_asked_is_named() -> None:
    one = deltas(height=1.0)
    with pytest.raises(dp.errors.NetworkError, match="no attribute 'x'"):
        dp.markov_quilt(NET, [INCOME], ["x"], one, 1.0)
    with pytest.raises(dp.errors.NetworkError, match="no attribute 'x'"):
        dp.markov_quilt(NET, ["x"], ["height"], one, 1.0)
    for protected, query in (([], ["height"]), ([INCOME], [])):
        with pytest.raises(
            dp.errors.AttributePrivacyError, match="at least one attribute to protect"
        ):
            dp.markov_quilt(NET, protected, query, one, 1.0)
    with pytest.raises(dp.errors.CalibrationError, match="ε"):
        dp.markov_quilt(NET, [INCOME], ["height"], one, 0)


def test_accuracy_both_ways_and_the_paper_s() -> None:
    result = dp.markov_quilt(NET, [INCOME], [SAT], deltas(SAT=7.0), 1.0)
    drawn = np.abs(result.noise.sample(400_000, 5)[:, 0])
    for beta in (0.01, 0.05, 0.3):
        alpha = result.accuracy(beta)
        assert (drawn > alpha).mean() == pytest.approx(beta, rel=0.05)
        assert result.failure(alpha) == pytest.approx(beta)
        # The printed tail is exceeded twice as often as it says.
        printed = result.paper_accuracy(beta)
        assert (drawn > printed).mean() == pytest.approx(2 * beta, rel=0.05)
    assert result.paper_accuracy(0.9) == 0
    assert result.noise.expected_error() == pytest.approx(result.scale)
