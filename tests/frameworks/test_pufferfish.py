"""Distribution privacy and Pufferfish privacy say the same, both ways."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.frameworks.pufferfish import distribution_deltas, pufferfish_deltas

DATASETS, OUTPUTS = 4, 3
seeds = st.integers(0, 2**32 - 1)
priors = st.floats(1e-6, 1 - 1e-6)
epsilons = st.floats(0, 4)


def random_distribution_privacy(rng):
    names = ["a", "b", "c", "d"][: rng.integers(2, 5)]
    # Some datasets are impossible under some distributions.
    thetas = {name: rng.dirichlet(np.full(DATASETS, 0.5)) for name in names}
    every = list(itertools.combinations(names, 2))
    count = rng.integers(1, len(every) + 1)
    chosen = rng.permutation(len(every))[:count]
    return dp.frameworks.DistributionPrivacy(thetas, tuple(every[index] for index in chosen))


def random_pufferfish(rng):
    """Three secrets that exclude each other and may leave something over; some impossible."""
    secrets = ("s", "t", "u")
    beliefs = {}
    for name in ("x", "y"):
        probabilities = rng.dirichlet(np.ones(4))[:3] * (rng.random(3) < 0.8)
        probabilities[:2] += 0.01 * (name == "x")
        beliefs[name] = {
            secret: (probability * 0.9, rng.dirichlet(np.ones(DATASETS)))
            for secret, probability in zip(secrets, probabilities, strict=True)
        }
    return dp.frameworks.Pufferfish(secrets, (("s", "t"), ("u", "t")), beliefs)


def random_mechanism(rng):
    return rng.dirichlet(np.full(OUTPUTS, 0.7), size=DATASETS)


def largest_over_events(p, q, epsilon):
    """max over the events S and both orders of P(S) − e^ε Q(S), event by event."""
    events = np.array(list(itertools.product([0, 1], repeat=len(p))))
    factor = math.exp(epsilon)
    return max((events @ (p - factor * q)).max(), (events @ (q - factor * p)).max())


def by_definition_a1(pufferfish, mechanism, epsilon):
    """Definition A.1 from the joint distribution of secret, dataset and output."""
    found = {}
    for first, second in pufferfish.secret_pairs:
        for name, belief in pufferfish.distributions.items():
            joint = {
                secret: probability * np.asarray(theta)[:, None] * mechanism
                for secret, (probability, theta) in belief.items()
            }
            if not all(s in joint and joint[s].sum() > 0 for s in (first, second)):
                continue
            p, q = (joint[s].sum(axis=0) / joint[s].sum() for s in (first, second))
            found[(first, second), name] = largest_over_events(p, q, epsilon)
    return found


@given(seeds, priors, epsilons)
def test_every_distribution_privacy_is_a_pufferfish(seed, prior, epsilon):
    rng = np.random.default_rng(seed)
    privacy, mechanism = random_distribution_privacy(rng), random_mechanism(rng)
    pufferfish = dp.frameworks.to_pufferfish(privacy, prior)
    direct = {
        pair: largest_over_events(
            privacy.thetas[pair[0]] @ mechanism, privacy.thetas[pair[1]] @ mechanism, epsilon
        )
        for pair in privacy.pairs
    }
    assert distribution_deltas(privacy, mechanism, epsilon) == pytest.approx(direct, abs=1e-12)
    expected = {(pair, pair): delta for pair, delta in direct.items()}
    assert by_definition_a1(pufferfish, mechanism, epsilon) == pytest.approx(expected, abs=1e-9)
    assert pufferfish_deltas(pufferfish, mechanism, epsilon) == pytest.approx(expected, abs=1e-9)


@given(seeds, epsilons)
def test_every_pufferfish_is_a_distribution_privacy(seed, epsilon):
    rng = np.random.default_rng(seed)
    pufferfish, mechanism = random_pufferfish(rng), random_mechanism(rng)
    privacy = dp.frameworks.to_distribution_privacy(pufferfish)
    expected = by_definition_a1(pufferfish, mechanism, epsilon)
    assert expected
    found = {
        ((first[0], second[0]), first[1]): delta
        for (first, second), delta in distribution_deltas(privacy, mechanism, epsilon).items()
    }
    assert found == pytest.approx(expected, abs=1e-12)
    assert pufferfish_deltas(pufferfish, mechanism, epsilon) == pytest.approx(expected, abs=1e-12)


@given(seeds, priors, epsilons)
def test_there_and_back_is_the_same_promise(seed, prior, epsilon):
    rng = np.random.default_rng(seed)
    privacy, mechanism = random_distribution_privacy(rng), random_mechanism(rng)
    back = dp.frameworks.to_distribution_privacy(dp.frameworks.to_pufferfish(privacy, prior))
    assert [(first[0], second[0]) for first, second in back.pairs] == list(privacy.pairs)
    for (secret, _), theta in back.thetas.items():
        assert theta is privacy.thetas[secret]
    before = list(distribution_deltas(privacy, mechanism, epsilon).values())
    after = list(distribution_deltas(back, mechanism, epsilon).values())
    assert after == before


@given(seeds, epsilons)
def test_back_and_there_is_the_same_promise(seed, epsilon):
    rng = np.random.default_rng(seed)
    pufferfish, mechanism = random_pufferfish(rng), random_mechanism(rng)
    again = dp.frameworks.to_pufferfish(dp.frameworks.to_distribution_privacy(pufferfish))
    before = sorted(pufferfish_deltas(pufferfish, mechanism, epsilon).values())
    after = sorted(pufferfish_deltas(again, mechanism, epsilon).values())
    assert after == pytest.approx(before, abs=1e-12)


def test_a_secret_that_cannot_be_true_makes_no_distribution():
    even = [0.5, 0.5]
    pufferfish = dp.frameworks.Pufferfish(
        ("s", "t", "u"),
        (("s", "t"), ("s", "u")),
        {"x": {"s": (0.5, even), "t": (0.5, [0.1, 0.9]), "u": (0.0, None)}, "y": {"s": (1, even)}},
    )
    privacy = dp.frameworks.to_distribution_privacy(pufferfish)
    assert set(privacy.thetas) == {("s", "x"), ("t", "x"), ("s", "y")}
    assert privacy.pairs == ((("s", "x"), ("t", "x")),)


def test_a_pufferfish_under_which_nothing_is_hidden_says_so():
    pufferfish = dp.frameworks.Pufferfish(("s", "t"), (("s", "t"),), {"x": {"s": (1.0, [1.0])}})
    with pytest.raises(dp.errors.FrameworkError, match="Ψ is empty"):
        dp.frameworks.to_distribution_privacy(pufferfish)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dp.frameworks.DistributionPrivacy({"a": [1]}, ()), "nothing is to be hidden"),
        (lambda: dp.frameworks.DistributionPrivacy({"a": [1]}, (("a", "b"),)), "names 'b'"),
        (lambda: dp.frameworks.DistributionPrivacy({"a": [1]}, (("a", "a"),)), "two different"),
        (
            lambda: dp.frameworks.Pufferfish(("s", "t"), (("s", "t"),), {}),
            "at least one distribution",
        ),
        (lambda: dp.frameworks.Pufferfish(("s",), (("s", "t"),), {}), "names 't'"),
        (
            lambda: dp.frameworks.Pufferfish(("s", "t"), (("s", "t"),), {"x": {"v": (0.1, [1])}}),
            "not among the secrets",
        ),
        (
            lambda: dp.frameworks.Pufferfish(("s", "t"), (("s", "t"),), {"x": {"s": (-0.1, [1])}}),
            r"in \[0, 1\], got -0.1",
        ),
        (
            lambda: dp.frameworks.Pufferfish(
                ("s", "t"), (("s", "t"),), {"x": {"s": (math.nan, [1])}}
            ),
            r"in \[0, 1\], got nan",
        ),
        (
            lambda: dp.frameworks.Pufferfish(
                ("s", "t"), (("s", "t"),), {"x": {"s": (0.6, [1]), "t": (0.6, [1])}}
            ),
            "sum to 1.2",
        ),
    ],
)
def test_an_instantiation_that_does_not_hang_together(make, said):
    with pytest.raises(dp.errors.FrameworkError, match=said):
        make()


@pytest.mark.parametrize("prior", [0.0, 1.0, -0.1, math.nan])
def test_a_prior_that_hides_nothing(prior):
    privacy = dp.frameworks.DistributionPrivacy({"a": [1], "b": [1]}, (("a", "b"),))
    with pytest.raises(dp.errors.FrameworkError, match="nothing left to hide"):
        dp.frameworks.to_pufferfish(privacy, prior)


@pytest.mark.parametrize(
    ("theta", "mechanism", "epsilon", "said"),
    [
        ([0.5, 0.5], [[1, 0]], 1.0, "1 probabilities"),
        ([0.5, 0.6], np.eye(2), 1.0, "sum to 1"),
        ([0.5, 0.5], [[1, 1], [0, 1]], 1.0, "each summing to 1"),
        ([0.5, 0.5], [[2, -1], [0, 1]], 1.0, "each summing to 1"),
        ([0.5, 0.5], np.eye(2), -1.0, "negative"),
    ],
)
def test_tables_that_are_no_probabilities(theta, mechanism, epsilon, said):
    privacy = dp.frameworks.DistributionPrivacy({"a": theta, "b": theta}, (("a", "b"),))
    with pytest.raises(dp.errors.FrameworkError, match=said):
        distribution_deltas(privacy, mechanism, epsilon)
    with pytest.raises(dp.errors.FrameworkError, match=said):
        pufferfish_deltas(dp.frameworks.to_pufferfish(privacy), mechanism, epsilon)
