"""The normal model against enumeration, simulation, the joint law, and check values on Adult."""

import itertools
import math
import pickle

import numpy as np
import pytest

from distpriv.errors import DistprivError
from distpriv.model import AS_IT_IS, Groups, fit_groups, joint_law
from distpriv.model.simulate import draw_subsets, simulate, sums_of
from distpriv.queries import Count, Mean, Pair, Query, SensitiveProperty, Sum
from tests import adult

SECRET = SensitiveProperty("s", "yes")


def table(seed=0, sizes=(40, 25)):
    """Groups of three columns, and the query of a mean, a count and a sum."""
    rng = np.random.default_rng(seed)
    having = np.repeat([0.0, 1.0], sizes)
    a = rng.integers(20, 60, len(having)) + 10 * having
    b = (rng.random(len(having)) < 0.3 + 0.3 * having).astype(float)
    c = np.round(a * 3.7 + rng.normal(0, 9, len(having)), 2)
    values = np.column_stack([a, b, c]).astype(float)
    return Groups.of(values, having, SECRET.label), Query([Mean("a"), Count("b", 1), Sum("c")])


def fitted(n, low, high, replacement=False, sizes=(40, 25)):
    groups, query = table(sizes=sizes)
    return fit_groups([groups], query, [Pair(SECRET, low, high)], n, replacement)


# ---------------------------------------------------------------- check values

# Adult, 45 222 complete records, n = 100 without replacement (Chen & Ohrimenko 2023, Section 5,
# computed independently of this package).


def test_adult_has_the_published_moments():
    pair = adult.model(adult.INCOME.pair(0.5, 0.1)).pairs[0]
    means = [[40.015, 10.516, 25.286, 27.764, 42.215], [40.741, 10.713, 21.825, 25.423, 42.847]]
    variances = [[1.490, 0.057, 15.897, 18.657, 1.310], [1.412, 0.057, 14.069, 17.557, 1.282]]
    assert pair.means == pytest.approx(np.array(means), abs=6e-4)
    spread = np.diagonal(pair.covariances, axis1=1, axis2=2)
    assert spread == pytest.approx(np.array(variances), abs=6e-4)
    assert np.abs(pair.difference).sum() == pytest.approx(7.3550, abs=6e-5)
    length = np.linalg.norm(pair.difference)
    assert length == pytest.approx(4.2913, abs=6e-5)
    v = pair.difference / length
    assert v == pytest.approx([-0.169, -0.046, 0.806, 0.545, -0.147], abs=6e-4)
    eigenvalues = [0.056, 1.140, 1.267, 14.190, 19.241]
    assert np.linalg.eigvalsh(pair.pooled) == pytest.approx(eigenvalues, abs=6e-4)
    assert pair.distance() == pytest.approx(1.4225, abs=6e-5)
    assert pair.steps == pytest.approx([0.01, 0.01, 1, 1, 0.01])
    assert not pair.apart
    pair = adult.model(adult.WORK.pair(0.5, 0.04)).pairs[0]
    assert np.abs(pair.difference).sum() == pytest.approx(1.2427, abs=6e-5)
    assert np.linalg.norm(pair.difference) == pytest.approx(0.6935, abs=6e-5)
    assert pair.distance() == pytest.approx(0.2568, abs=6e-5)


# ---------------------------------------------------------------- the exact law


@pytest.mark.parametrize("replacement", [False, True])
def test_fit_is_the_law_of_all_samples_of_a_tiny_table(replacement):
    groups, query = table(sizes=(4, 3))
    model = fit_groups([groups], query, [Pair(SECRET, 0.25, 0.75)], 4, replacement)
    for share, (without, having) in enumerate(((3, 1), (1, 3))):
        choose = itertools.product if replacement else itertools.combinations
        sums = []
        for group, size in zip(groups.records, (without, having), strict=True):
            index = range(len(group))
            some = choose(index, repeat=size) if replacement else choose(index, size)
            sums.append(np.array([group[list(each)].sum(axis=0) for each in some]))
        every = (sums[0][:, None] + sums[1][None]).reshape(-1, 3) * query.scales(4)
        assert model.pairs[0].means[share] == pytest.approx(every.mean(axis=0), rel=1e-12)
        covariance = np.cov(every.T, bias=True)
        assert model.pairs[0].covariances[share] == pytest.approx(covariance, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "low", "high", "replacement"),
    [
        (20, 0.3, 0.5, False),
        (20, 0.3, 0.5, True),
        (40, 0.0, 0.5, False),  # all of the records without it at the lower share
        (50, 0.2, 0.5, False),  # all of both groups, at one share each
        (65, 0.38, 1.0, True),
        (3000, 0.4, 0.45, True),  # records counted, not drawn
    ],
)
def test_fit_agrees_with_simulated_tables(n, low, high, replacement):
    model, count = fitted(n, low, high, replacement), 4000
    draws = simulate(model, count=count, rng=1)
    assert draws.shape == (2, count, 3)
    pair = model.pairs[0]
    variances = np.diagonal(pair.covariances, axis1=1, axis2=2)
    away = np.abs(draws.mean(axis=1) - pair.means)
    assert (away <= 4.5 * np.sqrt(variances / count) + 1e-9).all()
    for drawn, covariance in zip(draws, pair.covariances, strict=True):
        spread = np.sqrt(np.outer(np.diagonal(covariance), np.diagonal(covariance)))
        slack = 5 * spread * math.sqrt(2 / count) + 1e-9
        assert (np.abs(np.cov(drawn.T) - covariance) <= slack).all()
    means, covariances = joint_law(model, [AS_IT_IS])
    assert means == pytest.approx(pair.means, rel=1e-12)
    assert covariances == pytest.approx(pair.covariances, rel=1e-12, abs=1e-12)


def test_units_change_nothing_but_the_scale():
    pair = fitted(20, 0.3, 0.5).pairs[0]
    units = np.array([2.0, 5.0, 1e6])
    scaled = pair.in_units(units)
    assert scaled.distance() == pytest.approx(pair.distance(), rel=1e-9)
    noise = np.diag([0.1, 1.0, 1e4])
    assert scaled.distance(noise / np.outer(units, units)) == pytest.approx(pair.distance(noise))
    assert scaled.smoothness(noise / np.outer(units, units)) == pytest.approx(
        pair.smoothness(noise), rel=1e-6
    )
    direct = pair.difference @ np.linalg.solve(pair.pooled + noise, pair.difference)
    assert pair.distance(noise) == pytest.approx(math.sqrt(direct))


# ---------------------------------------------------------------- extremes


def test_statistics_of_any_size_and_any_number_of_records():
    rng = np.random.default_rng(3)
    having = np.repeat([0.0, 1.0], 300)
    tiny = rng.integers(0, 50, 600) * 1e-6 + having * 1e-5
    huge = rng.integers(0, 90000, 600) * 1e7
    cents = np.round(rng.lognormal(8, 1, 600), 2)
    constant = np.where(having == 1, 4.0, rng.integers(0, 9, 600))
    values = np.column_stack([tiny, huge, cents, constant])
    groups = Groups.of(values, having, SECRET.label)
    query = Query([Mean("tiny"), Sum("huge"), Mean("cents"), Mean("constant")])
    for n in (2, 100, 10**9, 10**12):
        model = fit_groups([groups], query, [SECRET.pair(0.5, 1)], n, replacement=True)
        pair = model.pairs[0]
        assert np.isfinite(pair.covariances).all()
        assert pair.steps / model.scales == pytest.approx([1e-6, 1e7, 0.01, 1])
        assert math.isfinite(pair.distance())
        # The column that is constant among those with the property varies at the lower share alone.
        assert pair.covariances[1, 3, 3] == 0
        assert pair.apart
    near = fit_groups([groups], query, [SECRET.pair(0.5, 0.02)], 10**9, replacement=True).pairs[0]
    unit = np.sqrt(np.diagonal(near.pooled))
    correlation = near.pooled / np.outer(unit, unit)
    direct = near.difference / unit @ np.linalg.solve(correlation, near.difference / unit)
    assert near.distance() == pytest.approx(math.sqrt(direct), rel=1e-6)
    # Half a step of noise on each of four statistics that vary by many steps, theirs is a product.
    half = (1 + 2 * math.exp(-(math.pi**2) / 2)) ** 4 - 1
    assert near.smoothness(np.diag(near.steps**2) / 4) == pytest.approx(half, rel=0.01)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("n", "shares", "message"),
    [
        (0, (0.2, 0.5), "not 0"),
        (1, (0.2, 0.5), "not 1"),
        (2.5, (0.2, 0.5), "must be a whole number"),
        (10**16, (0.2, 0.5), "must be a whole number"),
        (10, (0.41, 0.44), "Both shares of s = yes mean 4 of 10 records"),
        (80, (0.2, 0.5), "64 without s = yes, and the table has 40"),
        (50, (0.2, 0.6), "30 with s = yes, and the table has 25"),
    ],
)
def test_number_of_records_that_cannot_be(n, shares, message):
    groups, query = table()
    with pytest.raises(DistprivError, match=message):
        fit_groups([groups], query, [Pair(SECRET, *shares)], n)


@pytest.mark.parametrize(
    ("values", "having", "message"),
    [
        ([1, 2, 3], [0, 0, 0], "No complete record has s = yes"),
        ([1, 2, 3], [1, 1, 1], "Every complete record has s = yes"),
        ([1, 2, 3], [0, 0, 1], "Only one record has s = yes"),
        ([1, 2, 3], [0, 1, 1], "Only one record lacks s = yes"),
        ([1, 2, np.nan, np.inf], [0, 0, 1, 1], "2 records with s = yes none is complete"),
        ([1, 2, 3, np.inf], [0, 0, 1, 1], "2 records with s = yes only one is complete"),
    ],
)
def test_groups_that_are_too_small(values, having, message):
    with pytest.raises(DistprivError, match=message):
        Groups.of(np.array(values, float)[:, None], np.array(having, float), SECRET.label)


# ---------------------------------------------------------------- groups, records, names


def test_pickled_and_printed_models_have_no_records():
    values = np.array([[123456.75], [3.25], [765432.25], [9.0], [5.5], [12.125]])
    groups = Groups.of(values, np.array([0.0, 0, 0, 1, 1, 1]), SECRET.label)
    model = fit_groups([groups], Query([Mean("pay")]), [SECRET.pair(0.5, 0.5)], 4, True)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.pairs[0].groups.records is None
    assert (copy.pairs[0].covariances == model.pairs[0].covariances).all()
    for record in (123456.75, 5.5, 12.125):  # the extremes are stored, no other record is
        assert np.float64(record).tobytes() not in pickle.dumps(model)
    for value in (groups, model, model.pairs[0], groups.grids):
        assert not any(text in repr(value) for text in ("123456", "765432", "5.5"))
    with pytest.raises(DistprivError, match="no records to draw from"):
        simulate(copy)


def test_model_takes_the_least_public_provenance():
    groups, query = table()
    public = Groups(**(vars(groups) | {"provenance": "reference"}))
    pair = SECRET.pair(0.4, 0.2)
    assert fit_groups([public], query, [pair], 20).provenance == "reference"
    assert fit_groups([public, groups], query, [pair, pair], 20).provenance == "table"
    frame = fit_groups([public], query, [pair], 20).to_frame()
    assert frame["statistic"].tolist() == ["mean a", "count b = 1", "sum c"] * 2


# ---------------------------------------------------------------- subsets


@pytest.mark.parametrize(("population", "size"), [(5, 2), (9, 2), (12, 3), (4, 1), (4, 3), (3, 3)])
def test_subsets_are_uniform_in_their_order_too(population, size):
    rows = draw_subsets(population, size, 40_000, np.random.default_rng(5))
    every, counts = np.unique(rows, axis=0, return_counts=True)
    assert len(every) == math.perm(population, size)
    expected = 40_000 / len(every)
    chi2 = ((counts - expected) ** 2 / expected).sum()
    assert chi2 < len(every) - 1 + 5 * math.sqrt(2 * len(every))


def test_subsets_with_replacement_repeat_and_without_do_not():
    rng = np.random.default_rng(6)
    for population, size in ((1000, 60), (1000, 700), (50, 50)):
        rows = draw_subsets(population, size, 30, rng)
        assert all(len(set(row)) == size for row in rows.tolist())
    assert draw_subsets(3, 20, 5, rng, replacement=True).max() <= 2
    assert draw_subsets(3, 0, 5, rng).shape == (5, 0)
    with pytest.raises(ValueError, match="no 4 different"):
        draw_subsets(3, 4, 1, rng)
    values = rng.normal(size=(40, 3))
    for size in (8, 20):  # members added up, and records counted
        rows = draw_subsets(40, size, 25, rng, replacement=size > 10)
        assert sums_of(values, rows) == pytest.approx(values[rows].sum(axis=1))
