"""What two coupled datasets differ by."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy import stats

from distpriv.model.cells import match
from distpriv.model.moments import RecordGroups
from distpriv.model.population import Population
from distpriv.model.swaps import Differences, swap_differences
from distpriv.model.theta import Theta
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Query, Sum

SECRET = SensitiveProperty("s", "yes")


def _population(groups: RecordGroups, query: Query, seed: int = 1) -> Population:
    return Population.of(query, SECRET, lambda: groups, seed)


def _thetas(n: int, first: int, second: int, *, replacement: bool) -> tuple[Theta, Theta]:
    return (
        Theta(SECRET, first / n, n, replacement),
        Theta(SECRET, second / n, n, replacement),
    )


SMALL = RecordGroups(np.array([[0.0], [1.0], [2.0], [5.0]]), np.array([[1.0], [3.0], [4.0]]), 0)


def _by_hand(swapped: int, without: int, having: int) -> tuple[Counter, Counter, Counter]:
    """Laws of D, of x and of y, the coupling carried out with every choice written out."""
    matching = match(SMALL, np.array([False]), 96)
    pairs = list(zip(*(part.tolist() for part in matching.pairs), strict=True))
    groups = matching.groups
    differences: Counter = Counter()
    datasets: tuple[Counter, Counter] = (Counter(), Counter())

    def one(record: int, taken: frozenset[int], count: int) -> list[tuple[int, Fraction]]:
        if record not in taken:
            return [(record, Fraction(1))]
        free = [other for other in range(count) if other not in taken]
        return [(other, Fraction(1, len(free))) for other in free]

    def go(
        left: int, taken: tuple[frozenset[int], frozenset[int]], chance: float, sums: list[float],
        drawn: tuple[tuple[int, ...], tuple[int, ...]], common: tuple[frozenset[int], ...],
    ) -> None:  # fmt: skip
        if not left:
            differences[round(sums[0] - sums[1], 6)] += chance
            x = (common[0] | set(drawn[0]), common[1])
            y = (common[0], common[1] | set(drawn[1]))
            datasets[0][tuple(map(frozenset, x))] += chance
            datasets[1][tuple(map(frozenset, y))] += chance
            return
        for a, b, mass in pairs:
            for (i, p), (j, q) in product(one(a, taken[0], 4), one(b, taken[1], 3)):
                go(
                    left - 1, (taken[0] | {i}, taken[1] | {j}), chance * mass * float(p * q),
                    [sums[0] + groups[0][i, 0], sums[1] + groups[1][j, 0]],
                    ((*drawn[0], i), (*drawn[1], j)), common,
                )  # fmt: skip

    for zero in combinations(range(4), without):
        for first in combinations(range(3), having):
            start = (frozenset(zero), frozenset(first))
            chance = 1 / len(list(combinations(range(4), without)))
            chance /= len(list(combinations(range(3), having)))
            go(swapped, start, chance, [0.0, 0.0], ((), ()), start)
    return differences, *datasets


def _check_draws(known: Differences, law: Counter) -> None:
    """Hold how often each value of a single statistic was drawn against its probability."""
    drawn = np.round(known.values[:, 0], 6)
    assert set(drawn) <= set(law)
    for value, chance in law.items():
        hits = int((drawn == value).sum())
        low, high = stats.binom.interval(1 - 1e-6, len(drawn), chance)
        assert low <= hits <= high, (value, hits / len(drawn), chance)


@pytest.mark.parametrize(("swapped", "without", "having"), [(1, 1, 1), (2, 1, 1), (1, 2, 2)])
def test_without_replacement_both_datasets_are_drawn_as_they_should_be(
    swapped: int, without: int, having: int
) -> None:
    law, x, y = _by_hand(swapped, without, having)
    ways = (
        comb(4, without + swapped) * comb(3, having),
        comb(4, without) * comb(3, having + swapped),
    )
    for datasets, count in zip((x, y), ways, strict=True):  # each as likely as the other
        assert len(datasets) == count
        assert list(datasets.values()) == pytest.approx([1 / len(datasets)] * len(datasets))
    sizes = {len(part) for dataset in x for part in dataset[:1]}
    assert sizes == {without + swapped}

    n = without + having + swapped
    thetas = _thetas(n, having, having + swapped, replacement=False)
    known = swap_differences(_population(SMALL, Query([Sum("v")])), thetas)
    _check_draws(known, law)


@pytest.mark.parametrize(("n", "lower", "higher"), [(3, 2, 3), (3, 1, 3), (2, 0, 2), (4, 2, 3)])
def test_a_random_sample_of_either_table_is_drawn_as_it_should_be(
    n: int, lower: int, higher: int
) -> None:
    """Of the 7 positions of a table n are released; the coupling swaps some of these."""
    swaps, neither = higher - lower, 7 - higher
    law: Counter = Counter()
    datasets: tuple[Counter, Counter] = (Counter(), Counter())
    for swapped, having in product(range(swaps + 1), range(lower + 1)):
        without = n - swapped - having
        if not 0 <= without <= neither:
            continue
        chance = comb(swaps, swapped) * comb(lower, having) * comb(neither, without) / comb(7, n)
        for mixed, part in zip((law, *datasets), _by_hand(swapped, without, having), strict=True):
            for value, mass in part.items():
                mixed[value] += chance * mass
    thetas = tuple(Theta(SECRET, count / 7, n, False, 7) for count in (lower, higher))
    for drawn_by, theta in zip(datasets, thetas, strict=True):
        likely = dict(zip(*map(list, theta.count_law()), strict=True))
        for (zero, one), chance in drawn_by.items():
            ways = comb(4, len(zero)) * comb(3, len(one))
            assert chance == pytest.approx(likely[len(one)] / ways)
    known = swap_differences(_population(SMALL, Query([Sum("v")])), thetas)
    _check_draws(known, law)
    assert known.varying


@pytest.mark.parametrize("matched", ["alike", "independent"])
def test_with_replacement_each_record_of_a_sample_is_swapped_by_chance(matched: str) -> None:
    n, shares = 5, (0.3, 0.55)
    thetas = tuple(Theta(SECRET, share, n, True, 7) for share in shares)
    known = swap_differences(
        _population(SMALL, Query([Sum("v")])),
        thetas,
        matched,  # type: ignore[arg-type]
    )
    pairs = match(SMALL, np.array([False]), 96).pairs
    if matched == "independent":
        pairs = *np.divmod(np.arange(12), 3), np.full(12, 1 / 12)
    one = Counter({0.0: 1 - (shares[1] - shares[0])})
    for first, second, mass in zip(*pairs, strict=True):
        moved = float(SMALL.without[first, 0] - SMALL.having[second, 0])
        one[moved] += (shares[1] - shares[0]) * mass
    law = Counter({0.0: 1.0})
    for _ in range(n):
        mixed: Counter = Counter()
        for (value, chance), (moved, mass) in product(law.items(), one.items()):
            mixed[round(value + moved, 6)] += chance * mass
        law = mixed
    _check_draws(known, law)


@pytest.mark.parametrize("matched", ["alike", "independent"])
@pytest.mark.parametrize("replacement", [True, False])
def test_means_and_spread_are_known(matched: str, replacement: bool) -> None:
    random = np.random.default_rng(3)
    groups = RecordGroups(random.normal(size=(900, 2)), random.normal(size=(700, 2)) + 0.4, 0)
    query = Query([Mean("a"), Sum("b")])
    law = swap_differences(
        _population(groups, query),
        _thetas(50, 20, 26, replacement=replacement),
        matched,  # type: ignore[arg-type]
    )
    assert law.draws == 200_000
    assert law.swapped == 6
    assert law.matched == matched
    errors = law.values.std(axis=0) / np.sqrt(law.draws)
    exact = 6 * query.scales(50) * (groups.without.mean(axis=0) - groups.having.mean(axis=0))
    assert (np.abs(law.values.mean(axis=0) - exact) < 5 * errors).all()
    assert law.tails.mean == pytest.approx(exact)
    spread = np.cov(law.values.T)
    if matched == "independent":
        left = 1.0 if replacement else 1 - 5 / 899
        both = np.cov(groups.without.T, ddof=0) * left
        both += np.cov(groups.having.T, ddof=0) * (1.0 if replacement else 1 - 5 / 699)
        exact = 6 * np.diag(both) * query.scales(50) ** 2
        assert np.diag(spread) == pytest.approx(exact, rel=0.03)
    else:
        apart = swap_differences(
            _population(groups, query), _thetas(50, 20, 26, replacement=replacement), "independent"
        )
        assert (np.diag(spread) < 0.5 * np.diag(np.cov(apart.values.T))).all()


def test_few_counts_are_enumerated() -> None:
    random = np.random.default_rng(4)
    groups = RecordGroups(
        (random.random((60, 2)) < 0.3).astype(float),
        (random.random((50, 2)) < 0.6).astype(float),
        0,
    )
    query = Query([Count("a", "x"), Count("b", "x")])
    thetas = _thetas(40, 18, 22, replacement=True)
    for matched in ("alike", "independent"):
        law = swap_differences(_population(groups, query), thetas, matched)  # type: ignore[arg-type]
        assert law.draws == 0
        assert law.probabilities is not None
        assert law.probabilities.sum() == pytest.approx(1, abs=1e-12)
        assert law.probabilities @ law.values == pytest.approx(law.tails.mean)
    shares = [Counter(map(tuple, part.astype(int))) for part in (groups.without, groups.having)]
    swap: Counter = Counter()
    for (a, p), (b, q) in product(shares[0].items(), shares[1].items()):
        swap[tuple(np.subtract(a, b))] += p / 60 * q / 50
    total = Counter({(0, 0): 1.0})
    for _ in range(4):
        longer: Counter = Counter()
        for (a, p), (b, q) in product(total.items(), swap.items()):
            longer[tuple(np.add(a, b))] += p * q
        total = longer
    for value, mass in zip(law.values.astype(int).tolist(), law.probabilities, strict=True):
        assert mass == pytest.approx(total[tuple(value)], abs=1e-15)


@pytest.mark.parametrize("replacement", [False, True])
def test_shares_of_the_same_number_of_records_differ_by_nothing(replacement: bool) -> None:
    groups = RecordGroups(np.eye(2), np.ones((2, 2)), 0)
    population = _population(groups, Query([Count("a", "x"), Count("b", "x")]))
    law = swap_differences(population, _thetas(3, 1, 1, replacement=replacement))
    assert law.is_zero


def test_draws_are_shared_and_the_same_for_a_seed() -> None:
    random = np.random.default_rng(3)
    groups = RecordGroups(random.normal(size=(90, 2)), random.normal(size=(70, 2)), 0)
    query = Query([Mean("a"), Sum("b")])
    thetas = _thetas(20, 8, 10, replacement=True)
    population = _population(groups, query)
    law = swap_differences(population, thetas)
    assert swap_differences(population, thetas) is law
    longer = swap_differences(population, _thetas(20, 8, 11, replacement=True))
    again = swap_differences(_population(groups, query), _thetas(20, 8, 11, replacement=True))
    assert (longer.values == again.values).all()
    assert (longer.pilot == again.pilot).all()
    other = swap_differences(_population(groups, query, seed=2), thetas)
    assert (other.values != law.values).any()
    turned = swap_differences(population.in_units(np.array([2.0, 5.0])).of_statistics([1]), thetas)
    assert turned.values[:, 0] == pytest.approx(law.values[:, 1] / 5)
    assert turned.second_moment == pytest.approx(law.second_moment[1:, 1:] / 25)


def test_many_swapped_records_need_no_matching() -> None:
    random = np.random.default_rng(3)
    groups = RecordGroups(random.normal(size=(9000, 1)), random.normal(size=(9000, 1)), 0)
    thetas = _thetas(8000, 2000, 6000, replacement=True)
    law = swap_differences(_population(groups, Query([Mean("a")])), thetas)
    assert law.matched == "independent"
    assert law.swapped == 4000
    assert 2000 <= law.draws <= 20_000


def test_laws_that_are_kept_are_bounded() -> None:
    random = np.random.default_rng(3)
    groups = RecordGroups(random.normal(size=(90, 5)), random.normal(size=(70, 5)), 0)
    population = _population(groups, Query([Mean(name) for name in "abcde"]))
    for n in range(20, 60):
        law = swap_differences(population, _thetas(n, 8, 10, replacement=True))
        assert law.swapped == 2
    kept = population.computed("differences", dict).values()
    assert 0 < sum(known.values.size for known in kept) <= 8_000_000
