"""The samplers against the exact probabilities, and what whole numbers cost against the bound."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv.errors import CalibrationError
from distpriv.mechanisms.release import released_decimals
from distpriv.mechanisms.release_noise import (
    added_delta,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    noisy,
    total_variation,
)


class EndedError(Exception):
    pass


class Path(random.Random):
    """Gives the numbers it is told, then ends; counts the probability of having got there."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        super().__init__(0)
        self.numbers, self.place, self.chance, self.size = numbers, 0, Fraction(1), 0

    def randrange(self, size: int) -> int:
        if self.place == len(self.numbers):
            self.size = size
            raise EndedError
        self.place += 1
        self.chance /= size
        return self.numbers[self.place - 1]


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 1), (1, 2), (1, 1), (2, 3)])
def test_bernoulli_exp_by_all_of_its_paths(numerator: int, denominator: int) -> None:
    """What is found on all short paths is certain; what is left open is next to nothing."""
    true, false, paths = Fraction(0), Fraction(0), [()]
    for _ in range(8):
        longer = []
        for numbers in paths:
            path = Path(numbers)
            try:
                found = bernoulli_exp(numerator, denominator, path)
            except EndedError:
                longer += [(*numbers, each) for each in range(path.size)]
            else:
                true, false = true + found * path.chance, false + (not found) * path.chance
        paths = longer
    wanted = math.exp(-numerator / denominator)
    assert float(true) <= wanted * (1 + 1e-15)
    assert float(false) <= (1 - wanted) * (1 + 1e-15)
    assert float(true + false) > 1 - 0.002


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(1), Fraction(7, 3), Fraction(4)])
def test_bernoulli_exp_as_often_as_it_should_be(exponent: Fraction) -> None:
    source, count = random.Random(3), 20_000
    hits = sum(
        bernoulli_exp(exponent.numerator, exponent.denominator, source) for _ in range(count)
    )
    assert stats.binomtest(hits, count, math.exp(-exponent)).pvalue > 1e-4


def fits(drawn: list[int], weights: dict[int, float]) -> float:
    """p-value of a chi-square test, rare numbers taken together."""
    total = sum(weights.values())
    expected = {k: w / total * len(drawn) for k, w in weights.items() if w / total > 5e-4}
    counts = [sum(each == k for each in drawn) for k in expected]
    rest = len(drawn) - sum(expected.values())
    return stats.chisquare(
        [*counts, len(drawn) - sum(counts)], [*expected.values(), rest]
    ).pvalue  # fmt: skip


@pytest.mark.parametrize("scale", [1, 2, 7])
def test_discrete_laplace(scale: int) -> None:
    source = random.Random(scale)
    drawn = [discrete_laplace(scale, source) for _ in range(20_000)]
    assert fits(drawn, {k: math.exp(-abs(k) / scale) for k in range(-300, 301)}) > 1e-3


@pytest.mark.parametrize("deviation", [1, 2, 5])
def test_discrete_gaussian(deviation: int) -> None:
    source = random.Random(deviation)
    drawn = [discrete_gaussian(deviation, source) for _ in range(20_000)]
    weights = {k: math.exp(-(k**2) / (2 * deviation**2)) for k in range(-100, 101)}
    assert fits(drawn, weights) > 1e-3


@pytest.mark.parametrize(
    ("draw", "law"), [(discrete_gaussian, stats.norm), (discrete_laplace, stats.laplace)]
)
def test_fine_samples_are_all_but_real_numbers(draw, law) -> None:
    source = random.Random(11)
    drawn = [draw(1 << 80, source) / (1 << 80) for _ in range(4000)]
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3
    assert len({each & 0xFFFF for each in (draw(1 << 80, source) for _ in range(200))}) > 190


def a_noise(distribution: str = "gaussian") -> dp.Noise:
    rng = np.random.default_rng(5)
    return dp.Noise(
        mechanism="OptM",
        distribution=distribution,
        directions=np.linalg.qr(rng.standard_normal((4, 4)))[0][:, :2],
        scales=np.array([3.7, 0.012]),
        epsilon=1.0,
        delta=1e-3,
        floor=np.array([0.5, 0.0, 1e-5, 2.0]),
    )


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
def test_the_sum_is_that_of_the_rational_numbers(distribution: str) -> None:
    """The same draws in decimal arithmetic of 400 places."""
    noise, truth = a_noise(distribution), np.array([1e9 / 3, -0.1, 7e-5, 12.0])
    decimals = released_decimals(noise)
    found = noisy(truth, noise, decimals, random.Random(8))
    source, unit = random.Random(8), 1 << 256
    draw = discrete_gaussian if distribution == "gaussian" else discrete_laplace
    with localcontext() as context:
        context.prec = 400
        along = [Decimal(draw(unit, source)) / unit for _ in range(2)]
        for index, places in enumerate(decimals):
            value = Decimal(truth[index])
            for scale, length, part in zip(
                noise.scales, along, noise.directions[index], strict=True
            ):
                value += Decimal(scale) * length * Decimal(part)
            if noise.floor[index]:
                value += Decimal(noise.floor[index]) * discrete_gaussian(unit, source) / unit
            assert found[index] == float(value.quantize(Decimal(1).scaleb(-places)))


def test_a_statistic_without_noise_keeps_twelve_digits() -> None:
    noise = replace(a_noise(), directions=np.eye(4)[:, :2], floor=None)
    decimals = (1, -1, None, None)
    found = noisy([0.1, 44.0, 1 / 3, 1e300], noise, decimals, random.Random(1))
    assert found[2:].tolist() == [0.333333333333, 1e300]
    assert found[1] % 10 == 0
    assert round(found[0], 1) == found[0]


def exact_law(noise: dp.Noise, truth: float, places: int, bits: int) -> dict[float, float]:
    """Probabilities of the released value of a single statistic, by all sums of two draws."""
    points = np.arange(-12 * 2**bits, 12 * 2**bits + 1) / 2**bits
    normal = np.exp(-(points**2) / 2)
    own = normal if noise.distribution == "gaussian" else np.exp(-np.abs(points))
    factor = float(noise.directions[0, 0] * noise.scales[0])
    sums = truth + factor * points[:, None]
    chances = (own / own.sum())[:, None]
    if noise.floor is not None:
        sums = sums + float(noise.floor[0]) * points
        chances = chances * (normal / normal.sum())
    values, where = np.unique(np.rint(sums * 10.0**places), return_inverse=True)
    total = np.bincount(where.ravel(), np.broadcast_to(chances, sums.shape).ravel())
    return dict(zip(values.tolist(), total.tolist(), strict=True))


@pytest.mark.parametrize(
    ("distribution", "floor", "places", "bits"),
    [
        ("gaussian", None, 1, 7),
        ("gaussian", None, 2, 12),
        ("laplace", None, 1, 9),
        ("laplace", None, 0, 3),
        ("gaussian", 0.4, 0, 5),
        ("gaussian", 0.4, 0, 3),
    ],
)
def test_whole_numbers_cost_no_more_than_is_stated(distribution, floor, places, bits) -> None:
    """On coarse lattices, where the cost is large enough to be seen, in exact probabilities."""
    noise = dp.Noise(
        mechanism="ExpM",
        distribution=distribution,
        directions=np.ones((1, 1)),
        scales=np.array([1.3]),
        epsilon=1.0,
        delta=0.0,
        floor=None if floor is None else np.array([floor]),
    )
    law = stats.norm(scale=math.hypot(1.3, floor or 0)) if distribution == "gaussian" else (
        stats.laplace(scale=1.3)
    )  # fmt: skip
    bound = total_variation(noise, [places], bits=bits)
    worst = 0.0
    for truth in (0.0, 0.317, 0.5, 12.25):
        found, step = exact_law(noise, truth, places, bits), 10.0**-places
        apart, seen = 0.0, 0.0
        for value, chance in found.items():
            low, high = (law.cdf((value + half) * step - truth) for half in (-0.5, 0.5))
            apart, seen = apart + abs(chance - (high - low)), seen + high - low
        worst = max(worst, (apart + 1 - seen) / 2)
    assert worst <= bound < 1
    assert worst > 1e-5
    assert total_variation(noise, [places], bits=bits + 1) == pytest.approx(bound / 2, rel=0.02)
    assert added_delta(noise, [places], 0.7, bits=bits) == pytest.approx(
        min((1 + math.exp(0.7)) * bound, 1.0)
    )


def test_it_costs_next_to_nothing() -> None:
    rng = np.random.default_rng(2)
    noise = dp.Noise(
        mechanism="OptM",
        distribution="gaussian",
        directions=np.linalg.qr(rng.standard_normal((1000, 1000)))[0],
        scales=rng.uniform(0.1, 100, 1000),
        epsilon=10.0,
        delta=1e-3,
        floor=np.full(1000, 0.5),
    )
    decimals = released_decimals(noise)
    assert total_variation(noise, decimals) < 1e-69
    assert added_delta(noise, decimals, 100.0) < 1e-25
    assert added_delta(noise, decimals, 1e6) == 1.0


def test_an_answer_that_is_none() -> None:
    noise = a_noise()
    for answer in ([1.0, 2.0], [1.0, 2.0, math.nan, 4.0]):
        with pytest.raises(CalibrationError, match="4 finite numbers"):
            noisy(answer, noise, released_decimals(noise))
