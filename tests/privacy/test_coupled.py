"""The coupling bound from the law of what two datasets differ by."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from distpriv.model.swap_counts import SwapCounts
from distpriv.model.swaps import Differences
from distpriv.model.tails import ApartSums, Tails
from distpriv.model.theta import Theta
from distpriv.privacy.calibration import gaussian_delta
from distpriv.privacy.coupled import (
    certified_scale,
    hockey_stick,
    most_delivered,
    radii_of,
)
from distpriv.queries.properties import SensitiveProperty

# Shares of Adult's records by (Never-married, Female): >50K and ≤50K.
HAVING = {(0, 0): 0.81121, (0, 1): 0.12625, (1, 0): 0.03988, (1, 1): 0.02266}
WITHOUT = {(0, 0): 0.39249, (0, 1): 0.19895, (1, 0): 0.22455, (1, 1): 0.18401}


def _law(swap: dict[tuple[int, int], float], count: int) -> Differences:
    """The law of the sum of independent swaps, from one swap's."""
    size = 2 * count + 1
    total = {(0, 0): 1.0}
    for _ in range(count):
        longer: dict[tuple[int, int], float] = {}
        for (a, b), p in total.items():
            for (c, d), q in swap.items():
                longer[a + c, b + d] = longer.get((a + c, b + d), 0.0) + p * q
        total = longer
    assert len(total) <= size**2
    values, masses = np.array(list(total), dtype=float), np.array(list(total.values()))
    masses /= masses.sum()
    groups = np.array(list(WITHOUT), dtype=float), np.array(list(HAVING), dtype=float)
    mean = masses @ values
    secret = SensitiveProperty("s", "yes")
    counts = SwapCounts.of((Theta(secret, 0.25, 4 * count), Theta(secret, 0.5, 4 * count)))
    tails = Tails(
        mean, np.cov(values.T, aweights=masses), [ApartSums(groups, counts, False)], np.ones(2)
    )
    return Differences(values, masses, values, masses, count, "alike", 0, tails, (0, 1), np.ones(2))


def _apart() -> dict[tuple[int, int], float]:
    swap: dict[tuple[int, int], float] = {}
    for (a, b), p in WITHOUT.items():
        for (c, d), q in HAVING.items():
            swap[a - c, b - d] = swap.get((a - c, b - d), 0.0) + p * q
    return swap


def _alike(chained: float = 0.12625) -> dict[tuple[int, int], float]:
    """Optimal transport on the four cells, quadratic cost: as much as can be stays.

    Of those that have the property more records than elsewhere are in (0, 0) alone, so that the
    surplus of each other cell goes there. What goes from (1, 1) to (0, 0) may as well go to (0, 1)
    while as much goes on from there, at the same cost: up to all 0.12625 that there are.
    """
    surplus = {cell: WITHOUT[cell] - HAVING[cell] for cell in HAVING if cell != (0, 0)}
    swap = {
        (1, 0): surplus[1, 0] + chained,
        (0, 1): surplus[0, 1] + chained,
        (1, 1): surplus[1, 1] - chained,
    }
    swap[0, 0] = 1 - sum(swap.values())
    return swap


def _root(law: Differences) -> np.ndarray:
    values, vectors = np.linalg.eigh((law.values * law.probabilities[:, None]).T @ law.values)
    return (vectors * np.sqrt(values)) @ vectors.T


def _trace(law: Differences, shape: np.ndarray, epsilon: float, delta: float) -> float:
    radii = radii_of(law, shape, 0.0), radii_of(law, shape, 0.0, pilot=True)
    return float(np.trace(shape)) * certified_scale(*radii, epsilon, delta, 0.0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"),
    [(1.0, 1e-3, (397.08, 326.29)), (1.0, 1e-6, (1588.65, 1331.32)), (0.2, 1e-3, (5061.4, 4203.1))],
)
def test_two_counts_of_adult(epsilon: float, delta: float, expected: tuple[float, float]) -> None:
    for swap, trace in zip((_apart(), _alike()), expected, strict=True):
        law = _law(swap, 10)
        assert _trace(law, _root(law), epsilon, delta) == pytest.approx(trace, rel=2e-3)


def test_plans_of_one_cost_take_different_noise() -> None:
    laws = [_law(_alike(chained), 10) for chained in (0.12625, 0.0)]
    costs = [law.probabilities @ (law.values**2).sum(axis=1) for law in laws]
    variances = [cost - (law.tails.mean**2).sum() for cost, law in zip(costs, laws, strict=True)]
    assert variances[0] == pytest.approx(variances[1], rel=0.05)
    traces = [_trace(law, _root(law), 1.0, 1e-3) for law in laws]
    assert traces[1] < 0.99 * traces[0]


def test_two_counts_of_adult_with_the_same_noise_on_both() -> None:
    for swap, trace in ((_apart(), 485.73), (_alike(), 388.44)):
        assert _trace(_law(swap, 10), np.eye(2), 1.0, 1e-3) == pytest.approx(trace, rel=2e-3)


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 8.0])
def test_hockey_stick_of_two_normals(epsilon: float) -> None:
    radii = np.array([0.0, 1e-3, 0.1, 0.4, 1.0, 3.0, 30.0, math.inf])
    values = hockey_stick(radii, epsilon)
    assert values[0] == 0
    assert values[-1] == 1
    for radius, value in zip(radii[1:-1].tolist(), values[1:-1], strict=True):
        assert value == pytest.approx(gaussian_delta(radius, epsilon), rel=1e-9, abs=1e-200)
    assert (np.diff(values) >= 0).all()
    whole = quad(
        lambda x: max(norm.pdf(x - 1.0) - math.exp(epsilon) * norm.pdf(x), 0.0), -10, 14, limit=400
    )[0]
    assert values[4] == pytest.approx(whole, rel=1e-5, abs=1e-9)


def _drawn(seed: int, draws: int, law: Differences) -> Differences:
    random = np.random.default_rng(seed)
    rows = random.choice(len(law.values), draws + 2000, p=law.probabilities)
    values = law.values[rows]
    return Differences(
        values[2000:], None, values[:2000], np.full(2000, 1 / 2000), law.swapped, "alike", seed,
        law.tails, (0, 1), np.ones(2),
    )  # fmt: skip


def test_the_bound_from_draws_fails_no_more_often_than_it_says() -> None:
    law = _law(_apart(), 10)
    covariance = np.diag([60.0, 60.0])
    true = most_delivered(
        radii_of(law, covariance, 0.0), radii_of(law, covariance, 0.0), 1.0, 0.0
    ).delta
    failing, outside, below, above = 0.2, 1e-4, 0, []
    for seed in range(300):
        drawn = _drawn(seed, 3000, law)
        radii = radii_of(drawn, covariance, outside)
        pilot = radii_of(drawn, covariance, outside, pilot=True)
        bound = most_delivered(radii, pilot, 1.0, failing).delta - failing - outside
        below += bound < true
        above.append(bound / true)
    assert below <= 300 * failing + 3 * math.sqrt(300 * failing)
    assert below > 0  # it is no wider than it has to be
    assert np.median(above) < 1.15


def test_the_least_scale_from_draws_fails_no_more_often_than_it_says() -> None:
    law = _law(_apart(), 10)
    shape, delta, failing = _root(law), 0.05, 0.01
    known = radii_of(law, shape, 0.0)
    least = certified_scale(known, known, 1.0, delta, 0.0)
    short, scales = 0, []
    for seed in range(200):
        drawn = _drawn(seed, 3000, law)
        radii = radii_of(drawn, shape, 1e-4)
        scale = certified_scale(
            radii, radii_of(drawn, shape, 1e-4, pilot=True), 1.0, delta, failing
        )
        scales.append(scale / least)
        short += known.mean(1.0, scale) > delta
    assert short <= 200 * failing + 3 * math.sqrt(200 * failing)
    assert np.median(scales) < 1.5


def test_what_no_noise_covers_counts_in_full() -> None:
    law = _law(_apart(), 3)
    some = radii_of(law, np.diag([4.0, 0.0]), 0.0)
    moved = law.probabilities[law.values[:, 1] != 0].sum()
    assert most_delivered(some, some, 50.0, 0.0).delta == pytest.approx(moved, abs=1e-6)
    none = radii_of(law, np.zeros((2, 2)), 0.0)
    apart = 1 - law.probabilities[(law.values == 0).all(axis=1)].sum()
    assert most_delivered(none, none, 1.0, 0.0).delta == pytest.approx(apart)
    assert certified_scale(some, some, 1.0, 1e-3, 0.0) == math.inf


def test_bins_never_round_down() -> None:
    law = _law(_apart(), 10)
    drawn = _drawn(1, 50_000, law)
    covariance = np.array([[3.0, 1.0], [1.0, 2.0]])
    radii = radii_of(drawn, covariance, 1e-3)
    exact = np.sqrt(np.einsum("ij,jk,ik->i", drawn.values, np.linalg.inv(covariance), drawn.values))
    for epsilon in (0.1, 1.0, 4.0):
        mean = hockey_stick(exact, epsilon).mean()
        assert mean <= radii.mean(epsilon) <= 1.01 * mean
    assert radii.largest > exact.max()
    assert radii.masses.sum() == pytest.approx(1)
