"""On which coset of their grid the statistics of a share lie."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv.model.monte_carlo import simulate
from distpriv.model.source import MemorySource

SALE = dp.SensitiveProperty("sale", "yes")


def shop(unit: float = 1.0, off: float = 0.01, records: int = 4000) -> pd.DataFrame:
    """Prices in whole units, a little less for those on sale; points that are odd with a flag."""
    rng = np.random.default_rng(0)
    sale, flag = rng.random(records) < 0.5, rng.random(records) < 0.5
    return pd.DataFrame(
        {
            "price": np.round(rng.integers(5, 50, records) * unit - off * sale, 9),
            # Even together with the flag for what is on sale, odd for what is not.
            "points": 2.0 * rng.integers(0, 9, records) + (flag ^ sale),
            "flag": np.where(flag, "up", "down"),
            "sale": np.where(sale, "yes", "no"),
        }
    )


@pytest.mark.parametrize(
    ("unit", "off", "statistic", "moved"),
    [
        (1.0, 0.01, dp.Sum("price"), 0.11),
        (1.0, 0.01, dp.Mean("price"), 0.001),
        (0.5, 0.25, dp.Sum("price"), 0.25),  # eleven halves of a step
        (7.0, 2.0, dp.Sum("price"), 1.0),  # 22 is one more than three times seven
        (1 / 3, 1 / 9, dp.Sum("price"), 1 / 9),
        (0.01, 0.001, dp.Mean("price"), 0.001 / 110),
    ],
)
def test_offset_of_one_statistic(
    unit: float, off: float, statistic: dp.Statistic, moved: float
) -> None:
    table = shop(unit, off)
    if unit == 1 / 3:
        table["price"] = np.round(table["price"] * 9) / 9
    pair = SALE.pair(0.5, 0.1)
    model = dp.fit_gaussian(table, dp.Query([statistic]), pair, n=110)
    assert [theta.having for theta in model.pairs[0].thetas] == [50, 61]
    assert model.offsets == pytest.approx([moved], rel=1e-6)
    assert model.apart
    assert model.in_units(np.array([4.0])).offsets == pytest.approx([moved / 4], rel=1e-6)
    assert model.in_units(np.array([4.0])).apart


def test_a_whole_number_of_steps_apart_is_one_coset() -> None:
    table = shop(1.0, 0.25)
    query = dp.Query([dp.Sum("price")])
    for n, agree in ((40, True), (30, False)):  # 18 and 22 on sale, 14 and 17
        model = dp.fit_gaussian(table, query, SALE.pair(0.5, 0.1), n=n)
        assert model.apart is not agree
        assert bool(model.offsets[0] == 0) == agree


def test_tied_statistics_show_it_only_together() -> None:
    table = shop()
    pair = SALE.pair(0.5, 0.1)
    query = dp.Query([dp.Mean("points"), dp.Count("flag", "up")])
    model = dp.fit_gaussian(table, query, pair, n=110)
    assert model.offsets.tolist() == [0.0, 0.0]
    assert model.apart
    for place in (0, 1):
        assert not model.of_statistics(place).apart
        alone = dp.Query([query.statistics[place]])
        assert not dp.fit_gaussian(table, alone, pair, n=110).apart
    assert model.of_statistics(1, 0).apart
    even = dp.fit_gaussian(table, query, pair, n=120)  # 54 and 66 on sale, an even number more
    assert not even.apart


def test_densities_have_no_cosets() -> None:
    model = dp.fit_gaussian(shop(), dp.Query([dp.Mean("price")]), SALE.pair(0.5, 0.1), n=110)
    for other in (model.densities(), model.with_floor(np.ones(1))):
        assert not other.apart
        assert other.offsets.tolist() == [0.0]


def test_a_random_number_of_records_is_told_by_its_cosets() -> None:
    query, pair = dp.Query([dp.Sum("price")]), SALE.pair(0.5, 0.1)
    model = dp.fit_gaussian(shop(), query, pair, n=110, share_of="table")
    assert model.apart
    assert model.offsets == pytest.approx([0.01])
    # With whole prices alone there is one grid for every number.
    assert not dp.fit_gaussian(shop(off=1.0), query, pair, n=110, share_of="table").apart


def test_a_group_that_is_taken_whole_counts_as_apart_where_it_thins_the_grid() -> None:
    table = pd.DataFrame({"x": [*range(0, 60, 2), *range(30)], "sale": ["no"] * 30 + ["yes"] * 30})
    query = dp.Query([dp.Sum("x")])
    pair = dp.Pair(SALE, 0.4, 0.75)  # n = 40: 16 with 24, or 30, the whole group, with 10
    assert dp.fit_gaussian(table, query, pair, n=40).apart
    assert not dp.fit_gaussian(table, query, dp.Pair(SALE, 0.4, 0.7), n=40).apart


def test_simulated_fits_and_samples_have_the_same_offsets() -> None:
    table, pair = shop(), SALE.pair(0.5, 0.1)
    query = dp.Query([dp.Mean("price"), dp.Median("points")])
    model = dp.fit_gaussian(table, query, pair, n=110, method="monte-carlo", subsets=50, rng=1)
    assert model.offsets == pytest.approx([0.001, 0.0])
    assert model.apart
    assert not model.of_statistics(1).apart
    source = MemorySource(table)
    every = dp.Query([dp.Mean("price"), dp.Mean("points"), dp.Count("flag", "up")])
    whole, some = source.sample(every, SALE), source.sample(every, SALE, 500, seed=3)
    for columns in ([0], [1], [1, 2], [2, 0]):
        both = [part.of_columns(columns).cosets.order(2) for part in (whole, some)]
        assert both[0] == both[1]


def test_values_on_no_grid_are_apart_only_where_few_have_nothing_in_common() -> None:
    rng = np.random.default_rng(1)
    sale = np.where(np.arange(3000) % 2, "yes", "no")
    query, pair = dp.Query([dp.Sum("x")]), SALE.pair(0.5, 0.1)

    def apart(values: np.ndarray) -> bool:
        table = pd.DataFrame({"x": values, "sale": sale})
        return dp.fit_gaussian(table, query, pair, n=110).apart

    assert not apart(rng.random(3000))
    recurring = rng.choice([0.0, 1.0, math.sqrt(2)], 3000)
    assert not apart(recurring)
    assert apart(recurring + (sale == "yes") * math.pi)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, int, tuple[int, int]]:
    """Two or three columns of small numbers, how many records, and how many of them on sale."""
    width = draw(st.integers(1, 3))
    steps = [draw(st.sampled_from([1, 2, 3, 4, 6])) for _ in range(width)]
    rows, kinds = [], []
    for kind in ("no", "yes"):
        start = [draw(st.integers(0, 5)) for _ in range(width)]
        for _ in range(draw(st.integers(3, 5))):
            tied = draw(st.integers(0, 2))
            rows.append(
                [
                    s + step * (tied if draw(st.booleans()) else draw(st.integers(0, 2)))
                    for s, step in zip(start, steps, strict=True)
                ]
            )
            kinds.append(kind)
    having = kinds.count("yes")
    numbers = sorted(
        draw(st.lists(st.integers(1, having - 1), min_size=2, max_size=2, unique=True))
    )
    n = max(numbers) + draw(st.integers(0, kinds.count("no") - 2)) + 1
    n = min(n, min(numbers) + kinds.count("no") - 1)
    table = pd.DataFrame(rows, columns=list("abc")[:width]).assign(sale=kinds)
    return table, n, (numbers[0], numbers[1])


def generated(vectors: np.ndarray, modulus: int) -> set[tuple[int, ...]]:
    """All that vectors add up to modulo a number."""
    zero = (0,) * vectors.shape[1]
    found, waiting = {zero}, [zero]
    steps = {tuple(vector) for vector in (vectors % modulus).tolist()}
    while waiting:
        point = waiting.pop()
        for step in steps:
            moved = tuple((a + b) % modulus for a, b in zip(point, step, strict=True))
            if moved not in found:
                found.add(moved)
                waiting.append(moved)
    return found


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([0.5, 1.0, 7.0, 1 / 3, 0.01]))
def test_shares_that_are_apart_never_have_a_value_in_common(
    case: tuple[pd.DataFrame, int, tuple[int, int]], unit: float
) -> None:
    table, n, numbers = case
    if not all(0 < n - k < (table["sale"] == "no").sum() for k in numbers):
        return
    columns = [name for name in table if name != "sale"]
    scaled = table.assign(**{name: table[name] * unit for name in columns})
    query = dp.Query([dp.Mean(name) for name in columns])
    pair = dp.Pair(SALE, numbers[0] / n, numbers[1] / n)
    moments = dp.group_moments(scaled, query, SALE)
    model = dp.model.model_from_moments({SALE: moments}, query, [pair], n, regular=False)
    values = table[columns].to_numpy()
    groups = [values[table["sale"] == kind] for kind in ("no", "yes")]
    sums = [
        {
            tuple(np.sum([*first, *second], axis=0).tolist())
            for first in itertools.combinations(groups[0].tolist(), n - k)
            for second in itertools.combinations(groups[1].tolist(), k)
        }
        for k in numbers
    ]
    # Simulated ones are among them.
    records = dp.model.record_groups(scaled, query, SALE)
    for theta, every in zip(model.pairs[0].thetas, sums, strict=True):
        drawn = simulate(records, query, theta, 20, np.random.default_rng(1)) * n / unit
        assert {tuple(row) for row in np.rint(drawn).astype(int).tolist()} <= every
    if model.apart:
        assert not sums[0] & sums[1]
        return
    moves = np.vstack([group - group[0] for group in groups])
    between = np.array(min(sums[1])) - np.array(min(sums[0]))
    for modulus in (2, 3, 4, 5, 6, 9):
        assert tuple((between % modulus).tolist()) in generated(moves, modulus)


def test_sampled_lattices_are_on_the_safe_side() -> None:
    model = dp.fit_gaussian(shop(off=0.0), dp.Query([dp.Sum("price")]), SALE.pair(0.5, 0.1), n=110)
    (fit,) = model.pairs
    assert not fit.apart
    coarser = replace(fit.cosets, bases=(((3,),),) * 3, gap=(1,))
    assert replace(fit, cosets=coarser).apart
