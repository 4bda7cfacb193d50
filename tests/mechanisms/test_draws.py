"""Exact draws: their law, what rounding tells; and balanced figures of kept records."""

import heapq
import math
import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from distpriv.errors import DistprivError
from distpriv.mechanisms import draws
from distpriv.mechanisms.draws import NoiseLaw, balanced_figures, rounded, rounded_up, written
from distpriv.model import AS_IT_IS, Release
from distpriv.queries import Correlation, Count, Deviation, Mean, Median, Query, Sum

# ---------------------------------------------------------------- the samplers, by enumeration


class UntoldError(Exception):
    """The chances of what comes next, which the replay does not tell."""


class AgainError(Exception):
    """A round was rejected, and the sampler begins anew."""


class Replay:
    """A source that plays choices back, and stops where they end or a second round begins."""

    def __init__(self, choices, first):
        self.choices, self.at, self.first, self.rounds = choices, 0, first, 0

    def choose(self, chances, begins=False):
        self.rounds += begins
        if self.rounds > 1:
            raise AgainError
        if self.at == len(self.choices):
            raise UntoldError(chances)
        self.at += 1
        return self.choices[self.at - 1]

    def randrange(self, size):
        return self.choose([1 / size] * size, size == self.first)


def agrees(sampler, chance_of, first=None, runs=20_000):
    """Try all that the source may say in a round: outcomes have the chances that they should."""
    chances, queue, rejected, count = defaultdict(float), [(-1.0, 0, [])], 0.0, 0
    while queue and count < runs and -queue[0][0] > 1e-9:
        chance, _, choices = heapq.heappop(queue)
        try:
            chances[sampler(Replay(choices, first))] -= chance
        except AgainError:
            rejected -= chance
        except UntoldError as error:
            for number, part in enumerate(error.args[0]):
                count += 1
                heapq.heappush(queue, (chance * part, count, [*choices, number]))
    assert 1 - rejected - sum(chances.values()) < 3e-6
    for outcome, chance in chances.items():
        assert chance / (1 - rejected) == pytest.approx(chance_of(outcome), abs=3e-6), outcome


def law_of(weight):
    total = sum(map(weight, range(-200, 201)))
    return lambda k: weight(k) / total


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 1), (1, 3), (1, 1), (5, 2)])
def test_bernoulli_exp_has_its_law(numerator, denominator):
    chance = math.exp(-numerator / denominator)
    agrees(
        lambda source: draws.bernoulli_exp(numerator, denominator, source),
        lambda yes: chance if yes else 1 - chance,
    )


@pytest.fixture
def coin(monkeypatch):
    """Coins with their exact chance, which the test above has shown."""

    def toss(numerator, denominator, source):
        chance = math.exp(-numerator / denominator)
        return source.choose([1 - chance, chance]) == 1

    monkeypatch.setattr(draws, "bernoulli_exp", toss)


@pytest.mark.parametrize("scale", [1, 3])
def test_discrete_laplace_has_its_law(scale, coin):
    law = law_of(lambda k: math.exp(-abs(k) / scale))
    agrees(lambda source: draws.discrete_laplace(scale, source), law, scale)


@pytest.mark.parametrize("deviation", [1, 3])
def test_discrete_gaussian_has_its_law(deviation, coin, monkeypatch):
    def length(scale, source):
        law = law_of(lambda k: math.exp(-abs(k) / scale))
        return source.choose([law(k) for k in range(-99, 100)], begins=True) - 99

    monkeypatch.setattr(draws, "discrete_laplace", length)
    law = law_of(lambda k: math.exp(-k * k / 2 / deviation**2))
    agrees(lambda source: draws.discrete_gaussian(deviation, source), law)


# ---------------------------------------------------------------- noise

COVARIANCE = np.array([[4.0, 1.8, 0], [1.8, 1.0, 0], [0, 0, 1e-12]])
TURNED = np.array([[0.6, 0.0], [0.8, 0.0], [0.0, 1.0]])
NOISES = {
    "normal": Release("x", COVARIANCE),
    "floor": Release("x", COVARIANCE + np.diag([1e-20, 0, 0]), floor=np.array([1e-10, 0.1, 0])),
    "laplace": Release("x", directions=TURNED, scale=2.0),
    "both": Release("x", np.diag([4.0, 0, 1e-2]), TURNED[:, 1:], 0.5, floor=np.array([2, 0, 0.1])),
}


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_noise_is_the_release_s_to_a_part_in_a_million(noise, monkeypatch):
    """Each of its random numbers alone, at a million times its unit."""
    law, moved = NoiseLaw.of(noise, 3), []
    first, count = law.normal.shape[1], law.normal.shape[1] + law.laplace.shape[1]
    for at in range(count):
        turn = iter([10**6 * (one == at) for one in range(count)])
        for name in ("discrete_gaussian", "discrete_laplace"):
            monkeypatch.setattr(draws, name, lambda unit, _, turn=turn: next(turn) * unit)
        moved.append(law.draw(np.zeros(3)) / 10**6)
    normal, laplace = np.array(moved)[:first].T, np.array(moved)[first:].T
    size = np.sqrt(noise.total(3).diagonal())
    unit = np.where(np.outer(size, size) > 0, np.outer(size, size), 1)
    np.testing.assert_allclose(normal @ normal.T / unit, noise.normal(3) / unit, atol=1e-6)
    np.testing.assert_allclose(laplace, noise.laplace(3), atol=1e-6)
    np.testing.assert_allclose(law.deviations, rounded_up(size))


@pytest.mark.parametrize("name", ["normal", "laplace"])
def test_draws_have_the_moments_and_the_shape_of_the_law(name):
    law, source = NoiseLaw.of(NOISES[name], 3), random.Random(5)
    drawn = np.array([law.draw(np.zeros(3), source) for _ in range(1200)])
    factor = law.normal if name == "normal" else law.laplace
    white = np.linalg.lstsq(factor, drawn.T, rcond=None)[0]
    shape = stats.norm if name == "normal" else stats.laplace
    for row in white:
        assert stats.kstest(row, shape.cdf).pvalue > 1e-3
    assert np.abs(np.corrcoef(white) - np.eye(len(white))).max() < 4 / 1200**0.5
    ends = [law.intervals(one) for one in drawn]
    share = np.mean([[low <= 0 <= high for low, high in each] for each in ends])
    assert 0.935 < share < (0.965 if name == "normal" else 1)


def test_singular_noise_stays_on_its_direction_and_leaves_others_alone():
    direction = np.array([0.6, 0.8, 0.0])
    law = NoiseLaw.of(Release("x", 100 * np.outer(direction, direction)), 3)
    released = law.draw([0.0, 0.0, 1 / 3], random.Random(1))
    assert law.normal.shape == (3, 1)
    assert law.decimals == [2, 2, None]
    assert released[2] == 0.333333333333
    assert abs(0.8 * released[0] - 0.6 * released[1]) < 0.02
    assert law.intervals(released)[2] is None
    assert NoiseLaw.of(AS_IT_IS, 1).draw([0.1 + 0.2]) == 0.3


@pytest.mark.parametrize("size", [1e-9, 1.0, 3e7])
def test_rounding_lies_between_a_hundredth_and_a_thousandth_of_the_noise(size):
    law = NoiseLaw.of(Release("x", np.array([[size**2]])), 1)
    unit = 10.0 ** -law.decimals[0]
    assert size / 1000 < unit * (1 + 1e-9)
    assert unit <= size / 100 * (1 + 1e-9)
    value = law.draw([0.1], random.Random(2))[0]
    assert float(written(value, law.decimals[0])) == value
    assert rounded(Fraction(5, 100), 1) == 0.0  # to even, of the exact value
    assert rounded(Fraction(15, 100), 1) == 0.2
    assert rounded(1234.0, -2) == 1200


def test_last_digits_of_an_answer_do_not_show():
    law = NoiseLaw.of(Release("x", np.array([[4.0]])), 1)
    for seed in range(100):
        one, other = (law.draw([x], random.Random(seed)) for x in (0.1, np.nextafter(0.1, 1)))
        assert one == other


def test_draws_add_next_to_nothing_to_delta(monkeypatch):
    law = NoiseLaw.of(Release("x", np.array([[9.0]]), np.ones((1, 1)), 2.0), 1)
    assert law.deviations[0] == 4.13
    assert 0 < law.added_delta(100.0) < 1e-25
    monkeypatch.setattr(draws, "_BITS", 12)  # τ = 2e(1/u + 2.5/d) + K h²/8, by hand
    step = 2.0**-12
    tau = 2 * (5 * step / 2) * (100 + 2.5 / 4.13) + 2 * step**2 / 8
    assert law.added_delta(0.0) == pytest.approx(2 * tau, rel=1e-9)
    assert law.added_delta(1.0) == pytest.approx((1 + math.e) * tau)


def test_published_deviations_are_rounded_up():
    assert rounded_up([0.0, 0.1, 1.2341, 98765.0, 9.999e-7]).tolist() == [0, 0.1, 1.24, 98800, 1e-6]
    coarse = rounded_up([0.0, 0.1, 1.2341, 0.02, 501.0, 2.001e-7], coarse=True)
    assert coarse.tolist() == [0, 0.1, 2, 0.02, 1000, 5e-7]
    law = NoiseLaw.of(Release("x", np.array([[1.3**2]])), 1, coarse=True)
    assert (law.deviations, law.decimals) == ([2.0], [2])
    assert law.intervals(np.array([7.0])) == [[3.07, 10.93]]


@pytest.mark.parametrize("answer", [[1.0], [1.0, math.nan], [1.0, math.inf]])
def test_answers_that_do_not_fit_are_refused(answer):
    with pytest.raises(DistprivError, match="2 finite"):
        NoiseLaw.of(Release("x", np.eye(2)), 2).draw(answer)
    with pytest.raises(DistprivError, match="no covariance"):
        NoiseLaw.of(Release("x", np.array([[1.0, 2.0], [2.0, 1.0]])), 2)


def test_system_is_asked_for_bits_by_default():
    law = NoiseLaw.of(Release("x", np.eye(2)), 2)
    states = []
    for _ in range(2):
        random.seed(1)
        states.append(law.draw([0, 0]))
    assert (states[0] != states[1]).any()


# ---------------------------------------------------------------- balanced figures

RNG = np.random.default_rng(2)
HAVING = np.repeat([0.0, 1.0], [9, 5])
ORDER = RNG.permutation(14)


def test_balanced_sums_are_those_of_the_reference_population_in_any_order():
    query = Query([Sum("a"), Mean("b"), Count("c", 1)])
    values, stands = RNG.normal(size=(14, 3)) * [1, 1e8, 1e-8], np.array([75.0, 25.0])
    large = values + np.resize([[1e19], [-1e19]], (14, 1)) * (np.arange(14)[:, None] < 8)
    sums = balanced_figures(Query([Sum("a")]), large[:, :1], HAVING, stands, "s")[0]
    assert sums[0] == pytest.approx(
        75 * sum(map(Fraction, large[:9, 0])) / 9 + 25 * values[9:, 0].mean()
    )
    figures, errors = balanced_figures(query, values, HAVING, stands, "s")
    scale, one, other = np.array([1, 0.01, 1]), values[:9], values[9:]
    np.testing.assert_allclose(figures, scale * (75 * one.mean(0) + 25 * other.mean(0)), 1e-11)
    spread = 75**2 * one.var(0, ddof=1) / 9 + 25**2 * other.var(0, ddof=1) / 5
    np.testing.assert_array_equal(errors, rounded_up(scale * np.sqrt(spread)))
    again = balanced_figures(query, values[ORDER], HAVING[ORDER], stands, "s")
    np.testing.assert_array_equal(figures, again[0])
    np.testing.assert_array_equal(errors, again[1])
    with pytest.raises(DistprivError, match="Only one record has s"):
        balanced_figures(query, values[:10], HAVING[:10], stands, "s")


def test_balanced_medians_and_their_errors_are_those_of_weighted_records():
    """Each record written as often as it stands for, and 400 tables of records drawn anew."""
    query = Query([Median("a"), Deviation("a"), Correlation("a", "b"), Mean("a")])
    raw = RNG.normal(size=(140, 2)) + np.repeat([0.0, 1.0], [90, 50])[:, None]
    values, having = raw[:, [0, 0, 0, 1, 0]], np.repeat([0.0, 1.0], [90, 50])
    order = RNG.permutation(140)
    figures, errors = balanced_figures(
        query, values[order], having[order], np.array([270.0, 50]), "s"
    )
    times = np.repeat([3, 1], [90, 50])
    np.testing.assert_allclose(figures, query.of(np.repeat(values, times, axis=0)), 1e-9)
    again = [
        query.of(
            values[np.concatenate([RNG.integers(90, size=90), RNG.integers(90, 140, size=50)])],
            times.astype(float),
        )
        for _ in range(400)
    ]
    np.testing.assert_allclose(errors, np.std(again, axis=0), 0.12)


def test_errors_of_balanced_medians_do_not_tell_the_order_of_the_records():
    query, values = Query([Median("a")]), np.random.default_rng(2).normal(size=(14, 1))
    both = [
        balanced_figures(query, values[order], HAVING[order], np.array([50.0, 50.0]), "s")
        for order in (np.arange(14), ORDER)
    ]
    np.testing.assert_array_equal(*both)
