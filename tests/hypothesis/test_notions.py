"""Notions of privacy: what ε is in each other, and distribution privacy as Pufferfish privacy."""

import itertools
import math

import numpy as np
import pytest

from distpriv.errors import DistprivError
from distpriv.hypothesis import (
    FRAMEWORKS,
    RELATIONS,
    DistributionPrivacy,
    Pufferfish,
    convert,
    delivered,
    to_distribution_privacy,
    to_pufferfish,
)

INFINITY = math.inf


@pytest.mark.parametrize(
    ("framework", "independent", "ranges"),
    [
        ("DP", False, {"DDP": (1, INFINITY), "MP": (0.5, INFINITY), "MIDP": (0, INFINITY)}),
        ("MP", False, {"DP": (0, 2), "IP": (0, 2), "BP": (0, INFINITY), "MIDP": (0, 1)}),
        ("DP", True, {"DDP": (1, 1), "IP": (1, 1), "BP": (1, 1), "MP": (0.5, INFINITY)}),
        ("BP", False, {"DP": (0, 1), "IP": (0, 1), "MP": (0, INFINITY)}),
        ("DistP", True, {"DP": (0, INFINITY), "PP": (0, INFINITY)}),
    ],
)
def test_epsilon_in_every_notion_follows_theorem_7(framework, independent, ranges):
    found = convert(1.0, framework, independent=independent)
    assert found[framework] == (1, 1)
    assert {key: found[key] for key in ranges} == ranges
    for one in RELATIONS:  # nothing is left to conclude
        if independent or not one.independent:
            assert found[one.smaller][1] <= one.factor * found[one.larger][1]
            assert found[one.larger][0] >= found[one.smaller][0] / one.factor
    assert all(all(entry) for entry in FRAMEWORKS.values())


def test_distribution_and_pufferfish_privacy_deliver_the_same():
    rng = np.random.default_rng(7)
    datasets = [*itertools.product((0, 1), repeat=3)]
    thetas = {p: [p ** sum(x) * (1 - p) ** (3 - sum(x)) for x in datasets] for p in (0.2, 0.5, 0.7)}
    privacy = DistributionPrivacy(thetas, ((0.2, 0.5), (0.7, 0.5)))
    channel, other = rng.dirichlet(np.ones(4), (2, len(datasets)))
    coarse = channel @ rng.dirichlet(np.ones(3), 4)
    sets = [np.array(s, bool) for s in itertools.product((0, 1), repeat=4)]
    fish = to_pufferfish(privacy, prior=0.3)
    for epsilon in (0.0, 0.1, 0.4):
        found = delivered(privacy, channel, epsilon)
        for belief, laws in fish.beliefs.items():  # Definition A.1, given each secret
            joint = {s: mass * (np.array(law) @ channel) for s, (mass, law) in laws.items()}
            given = {s: both / both.sum() for s, both in joint.items()}
            worst = max(
                given[x][s].sum() - math.exp(epsilon) * given[y][s].sum()
                for x, y in (belief, belief[::-1])
                for s in sets
            )
            assert found[belief] == pytest.approx(worst, abs=1e-15)
        back = delivered(to_distribution_privacy(fish), channel, epsilon)
        assert {(a, b): delta for ((a, _), (b, _)), delta in back.items()} == found
        processed, mixed, others = (
            delivered(privacy, one, epsilon) for one in (coarse, 0.4 * channel + 0.6 * other, other)
        )
        for pair, delta in found.items():  # Propositions A.2 and A.3
            assert processed[pair] <= delta + 1e-15
            assert mixed[pair] <= max(delta, others[pair]) + 1e-15


def test_a_belief_that_rules_a_secret_out_makes_no_pair():
    laws = {"s": (0.0, [1, 0]), "t": (1.0, [0, 1])}
    both = {"s": (0.5, [1, 0]), "t": (0.5, [0, 1])}
    fish = Pufferfish(("s", "t"), (("s", "t"),), {"knows": laws, "open": both})
    privacy = to_distribution_privacy(fish)
    assert privacy.pairs == ((("s", "open"), ("t", "open")),)
    assert set(privacy.thetas) == {("t", "knows"), ("s", "open"), ("t", "open")}


PAIR = DistributionPrivacy({"a": [1, 0], "b": [0.5, 0.6]}, (("a", "b"),))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: convert(1.0, "DPP"), "Did you mean 'PP'"),
        (lambda: convert(-1.0, "DP"), "ε must be a number from 0"),
        (lambda: to_pufferfish(PAIR, prior=1.0), "A prior must be a number above 0"),
        (lambda: to_pufferfish(PAIR._replace(pairs=(("a", "c"),))), "names 'c'"),
        (lambda: delivered(PAIR, np.eye(2), 1.0), "Probabilities of 'b'"),
        (lambda: delivered(PAIR, [[1, 0], [1, 1]], 1.0), "Probabilities of 'the outputs'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call, words):
    with pytest.raises(DistprivError, match=words):
        call()
