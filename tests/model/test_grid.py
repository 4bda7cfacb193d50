"""Lattices against enumeration, cosets against all subsets, θ against direct sums."""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from distpriv.model.grid import GroupGrids, Lattice, log_ratio, smoothness, theta_sum

# ---------------------------------------------------------------- lattices

vectors = st.integers(1, 3).flatmap(
    lambda m: st.lists(st.lists(st.integers(-6, 6), min_size=m, max_size=m), min_size=1, max_size=4)
)


def combinations(rows, reach):
    """All sums of rows with whole factors up to a reach."""
    factors = np.array(list(itertools.product(range(-reach, reach + 1), repeat=len(rows))))
    return set(map(tuple, (factors @ rows).tolist()))


@settings(max_examples=150, deadline=None)
@given(vectors, st.randoms(use_true_random=False))
def test_lattice_has_the_combinations_of_its_vectors_and_no_others(rows, rng):
    m = len(rows[0])
    lattice = Lattice(m, rows)
    assert all(lattice.order(row) == 1 for row in rows)
    if len(rows) <= 2:
        assert set(map(tuple, lattice.rows)) <= combinations(rows, 40)
    # The same vectors in any order, signs changed and combined, have the same Hermite form.
    shuffled = [list(row) for row in rows]
    rng.shuffle(shuffled)
    shuffled[0] = [-entry for entry in shuffled[0]]
    shuffled.append(np.sum(rows, axis=0).tolist())
    assert Lattice(m, shuffled).rows == lattice.rows
    # Leading entries step to the right, are positive, and larger than the entries above them.
    assert lattice.leads == sorted(set(lattice.leads))
    for place, (row, lead) in enumerate(zip(lattice.rows, lattice.leads, strict=True)):
        assert row[lead] > 0
        assert all(0 <= above[lead] < row[lead] for above in lattice.rows[:place])
    filled = Lattice(m)
    filled.fill(np.array(rows))
    assert filled.rows == lattice.rows


@settings(max_examples=100, deadline=None)
@given(vectors, st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_order_and_steps_agree_with_trying(rows, vector):
    m = len(rows[0])
    lattice, vector = Lattice(m, rows), vector[:m]
    volume = math.prod(row[lead] for row, lead in zip(lattice.rows, lattice.leads, strict=True))
    tries = [t for t in range(1, volume + 1) if lattice.order([t * entry for entry in vector]) == 1]
    assert lattice.order(vector) == (tries[0] if tries else 0)
    grid = lattice.grid(np.ones(m))
    assert grid.steps.tolist() == [math.gcd(*column) for column in zip(*rows, strict=True)]
    leads = lattice.leads
    assert np.flatnonzero(grid.joint_steps).tolist() == leads
    projected = Lattice(len(leads), [[row[place] for place in leads] for row in lattice.rows])
    for place, step in enumerate(grid.joint_steps[leads]):
        unit = np.eye(len(leads), dtype=int)[place]
        orders = [t for t in range(1, volume + 1) if projected.order(t * unit) == 1]
        assert step == orders[0]


def test_lattice_of_large_numbers_does_not_overflow():
    rng = np.random.default_rng(1)
    factors = rng.integers(-(10**5), 10**5, (500, 2))
    rows = np.array([[3, 999_999_999_989, 7], [0, 0, 5]])
    records = factors @ rows % np.array([10**12, 10**15, 10**12])
    lattice = Lattice(3)
    lattice.fill(records)
    assert all(lattice.order(record) == 1 for record in records.tolist())
    tied = np.outer(factors[:, 0], [1, 999_999_937]) + np.outer(factors[:, 1], [10**7, 0])
    wide = Lattice(2)
    wide.fill(tied)
    assert all(wide.order(record) == 1 for record in tied.tolist())


# ---------------------------------------------------------------- steps of columns

whole = np.random.default_rng(2).integers(0, 90, 3000).astype(float)


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (whole, 1),
        (whole * 10, 10),
        (whole / 100, 0.01),
        (np.round(whole * 0.1, 1) + 0.25, 0.1),
        (whole * 1e11, 1e11),
        (whole * 1e-12, 1e-12),
        (whole / 3, 1 / 3),
        (whole / 7 + 1 / 9, 1 / 7),
        ((whole - whole.mean()) / whole.std(), 1 / whole.std()),  # standardised
        (np.where(whole > 40, math.sqrt(2), math.pi), math.pi - math.sqrt(2)),
        (whole * 0.1 + whole * 0.2, 0.3),
        (np.full(3000, math.pi), 0),
        (np.zeros(3000), 0),
        (np.sqrt(whole), 0),
        (np.random.default_rng(3).normal(size=3000), 0),
        (np.round(np.random.default_rng(3).random(3000), 12), 1e-12),
        (np.round(1 + np.random.default_rng(3).random(3000), 12), 0),  # thirteen digits
        (np.where(np.arange(3000) == 2999, 1 / 7, whole / 3), 1 / 21),  # by one record of all
        (whole + np.where(whole == 7, 1e-7 * math.pi, 0), 1),  # all but whole is whole
    ],
)
def test_step_of_a_column(values, step):
    grid = GroupGrids.of(values[:1500, None], values[1500:, None]).both
    assert grid.steps[0] == pytest.approx(step, rel=1e-9)


# ---------------------------------------------------------------- cosets


def sums(groups, numbers, replacement):
    """All sums over so many records of each group."""
    choose = itertools.combinations_with_replacement if replacement else itertools.combinations
    each = [
        {tuple(np.sum(some, axis=0).tolist()) if some else None for some in choose(group, int(k))}
        for group, k in zip(groups, numbers, strict=True)
    ]
    zero = (0,) * len(groups[0][0])
    return {
        tuple(a + b for a, b in zip(x or zero, y or zero, strict=True))
        for x, y in itertools.product(*each)
    }


def tiny_groups(rng):
    m, style = rng.choice([1, 2, 2, 3]), rng.choice(["any", "steps", "cent", "tied", "constant"])

    def record(group):
        if style == "steps":
            return tuple(rng.randint(0, 3) * (2 + j) + group for j in range(m))
        if style == "cent":
            return tuple(rng.randint(0, 2) * 100 - group for _ in range(m))
        if style == "tied":
            a = rng.randint(0, 3)
            return tuple(a * (j + 1) + group * j for j in range(m))
        if style == "constant":
            return tuple(3 * group if j == 0 else 2 * rng.randint(0, 2) for j in range(m))
        return tuple(rng.randint(0, 4) for _ in range(m))

    return [[record(group) for _ in range(rng.randint(2, 4))] for group in (0, 1)]


def test_grids_and_cosets_agree_with_all_subsets_of_tiny_tables():
    rng, answers = random.Random(5), []
    for _ in range(250):
        groups = tiny_groups(rng)
        counts = np.array([len(group) for group in groups], float)
        grids = GroupGrids.of(*(np.array(group, float) for group in groups))
        for replacement in (False, True):
            n = rng.randint(2, 4 if replacement else int(counts.sum()))
            fits = [
                k for k in range(n + 1) if replacement or (k <= counts[1] and n - k <= counts[0])
            ]
            if len(fits) < 2:
                continue
            low, high = sorted(rng.sample(fits, 2))
            numbers = np.array([[n - low, low], [n - high, high]], float)
            sizes = np.full(2, np.inf) if replacement else counts
            supports = [sorted(sums(groups, row, replacement)) for row in numbers]
            lattices = [
                Lattice(len(one[0]), (np.array(one) - np.array(one[0])).tolist())
                for one in supports
            ]
            for row, lattice in zip(numbers, lattices, strict=True):
                grid = grids.at(row, sizes)
                assert grid.basis == tuple(map(tuple, lattice.rows))
                assert grid.steps.tolist() == lattice.grid(np.ones(lattice.width)).steps.tolist()
            gap = np.array(supports[1][0]) - np.array(supports[0][0])
            apart = lattices[0].rows != lattices[1].rows or lattices[0].order(gap) != 1
            assert grids.apart(numbers, sizes) == apart
            assert not (apart and lattices[0].rows == lattices[1].rows) or not (
                set(supports[0]) & set(supports[1])
            )
            answers.append(apart)
    assert 30 < sum(answers) < len(answers) - 30


def test_whole_group_is_told_by_its_total():
    # All three of the first group add up to an odd number, as three of the second, all odd, do.
    odds, numbers = np.array([[1.0], [3], [5], [7], [9], [11]]), np.array([[3.0, 1.0], [0.0, 4.0]])
    for last, apart in ((2.0, False), (1.0, True)):
        first = np.array([[1.0], [0.0], [last]])
        assert GroupGrids.of(first, odds).apart(numbers, np.array([3.0, 6.0])) == apart
        mirrored = GroupGrids.of(odds, first).apart(numbers[:, ::-1], np.array([6.0, 3.0]))
        assert mirrored == apart


def test_dollars_and_a_cent_less_are_apart_unless_a_hundred_change():
    rng = np.random.default_rng(6)
    dollars = rng.integers(1, 200, (500, 1)).astype(float)
    grids = GroupGrids.of(dollars[:300], np.round(dollars[300:] - 0.01, 2))
    anywhere = np.full(2, np.inf)
    assert grids.both.steps == pytest.approx([1])
    assert grids.order == 100
    assert grids.apart(np.array([[55.0, 45.0], [45.0, 55.0]]), anywhere)
    assert not grids.apart(np.array([[550.0, 450.0], [450.0, 550.0]]), anywhere)


# ---------------------------------------------------------------- how well noise covers the grid


def direct(form, reach=6):
    points = np.array(list(itertools.product(range(-reach, reach + 1), repeat=len(form))))
    sizes = np.einsum("ka,ab,kb->k", points, form, points)
    return np.exp(-2 * math.pi**2 * sizes[points.any(axis=1)]).sum()


def random_covariance(rng, m, size=1.0):
    root = rng.normal(size=(m, m))
    return size * (root @ root.T / m + 0.5 * np.eye(m))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_theta_bounds_the_direct_sum_closely(m):
    rng = np.random.default_rng(m)
    for size in (0.3, 0.6, 1.2):
        forms = np.array([random_covariance(rng, m, size) for _ in range(20)])
        bounds, sums_ = theta_sum(forms), np.array([direct(form) for form in forms])
        assert (bounds >= sums_ * (1 - 1e-9)).all()
        assert bounds == pytest.approx(sums_, rel=0.01)
    little = 0.02 * np.eye(m)  # so that points beyond those that are summed count
    assert direct(little) <= theta_sum(little)
    assert 9 < theta_sum(0.3 * np.eye(9)) / direct(0.3 * np.eye(1)) < 10  # a product bounds many


def test_smoothness_is_the_sum_over_the_dual_grid_at_both_shares():
    rng = np.random.default_rng(8)
    covariances = np.array([random_covariance(rng, 3, 9.0), random_covariance(rng, 3, 4.0)])
    noise = random_covariance(rng, 3, 0.2) + 0.3 * np.eye(3)
    steps = np.array([0.5, 1.0, 0.8])
    remaining = np.linalg.inv(np.linalg.inv(covariances) + np.linalg.inv(noise))
    expected = max(direct(one / np.outer(steps, steps)) for one in remaining)
    theta = smoothness(covariances, np.array([steps, steps]), steps, noise)
    assert theta == pytest.approx(expected, rel=1e-3)
    assert smoothness(covariances[::-1], np.array([steps, steps]), steps, noise) == theta
    assert smoothness(covariances, np.zeros((2, 3)), np.zeros(3), noise) == 0


def test_what_is_the_same_in_all_tables_of_a_share_adds_nothing_there():
    one, other = np.diag([2.0, 0.0]), np.diag([2.0, 0.5])
    steps, noise = np.ones(2), 0.25 * np.eye(2)
    both = smoothness(np.array([one, other]), np.array([steps, steps]), steps, noise)
    varying = smoothness(np.array([other, other]), np.array([steps, steps]), steps, noise)
    assert both == pytest.approx(varying)
    alone = smoothness(np.array([one, one]), np.array([steps, steps]), steps, noise)
    first = np.array([[[2.0]], [[2.0]]])
    assert alone == pytest.approx(smoothness(first, steps[:, None], steps[:1], noise[:1, :1]))


def test_noise_that_leaves_a_direction_is_undone():
    covariances = np.array([10 * np.eye(3)] * 2)
    steps = np.ones(3)
    joint = np.array([steps, steps])
    v = np.array([0.5, 0.5, math.sqrt(0.5)])
    bare = 1e8 * np.outer(v, v), np.diag([4.0, 4.0, 0.0]), np.zeros((3, 3)), np.full((3, 3), np.nan)
    assert np.isinf(smoothness(covariances, joint, steps, np.array(bare))).all()
    floor = smoothness(covariances, joint, steps, 100 * np.outer(v, v) + 0.25 * np.eye(3))
    assert 0 < log_ratio(floor) < 0.1
    ratios = log_ratio(np.array([0.0, 0.5, 1.0, 7.0]))
    assert ratios == pytest.approx([0, math.log(3), math.inf, math.inf])
    # A statistic without a grid needs no noise of its own.
    free = np.array([1.0, 1.0, 0.0])
    assert smoothness(covariances, joint * free, free, np.diag([0.5, 0.5, 0.0])) < 1e-3


def test_smoothness_of_statistics_that_differ_in_size_and_follow_from_others():
    # Cents to 10^12 beside a count, and a column that is three times the count.
    spread = np.array([1e12, 5.0])
    root = np.array([[1.0, 0.0], [0.6, 0.8]]) * spread[:, None]
    load = np.array([[1, 0], [0, 1], [0, 3]])
    covariance = load @ root @ root.T @ load.T
    steps, joint = np.array([1.0, 1.0, 3.0]), np.array([1.0, 1.0, 0.0])
    noise = np.diag([0.5, 0.5, 4.5])
    theta = smoothness(np.array([covariance] * 2), np.array([joint] * 2), steps, noise)
    precision = load.T @ np.linalg.inv(noise) @ load + np.diag([0, 1 / (0.8 * 5) ** 2])
    assert theta == pytest.approx(direct(np.linalg.inv(precision)), rel=1e-2)
    v = np.array([1e12, 3.0, 9.0])
    along = smoothness(
        np.array([covariance] * 2), np.array([joint] * 2), steps, noise + np.outer(v, v)
    )
    assert 0 < along < theta  # more noise is never less smooth


def test_shares_an_odd_number_of_records_apart_have_sums_of_another_parity():
    grids = GroupGrids.of(np.array([[0.0], [2.0], [4.0]]), np.array([[1.0], [3.0], [5.0]]))
    apart = [
        grids.apart(np.array([[9.0, 1.0], [9.0 - more, 1.0 + more]]), np.full(2, np.inf))
        for more in range(1, 6)
    ]
    assert apart == [True, False, True, False, True]
