"""Laws of statistics that are no sums against many simulated tables, and what they are used for."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from distpriv.errors import DistprivError
from distpriv.model import AS_IT_IS, Groups, Release, best_estimate, fit_groups, joint_law
from distpriv.model.release import no_data, release_error
from distpriv.model.simulate import draw_subsets, drawn_nested, simulate, statistics_of
from distpriv.privacy import pair_loss
from distpriv.privacy.loss import NormalLoss
from distpriv.queries import Correlation, Count, Deviation, Mean, Median, Quantile, Query
from distpriv.queries.secrets import Pair, SensitiveProperty
from tests.model.test_fit import fitted

SECRET = SensitiveProperty("s", 1)
QUERY = Query([Mean("a"), Median("a"), Count("b", 1), Deviation("c"), Correlation("a", "c")])
LINEAR = np.array([True, False, True, False, False])


def frame(seed=0, sizes=(80, 50)):
    rng = np.random.default_rng(seed)
    s = np.repeat([0, 1], sizes)
    a = rng.integers(20, 60, len(s)) + 12 * s
    b = (rng.random(len(s)) < 0.3 + 0.3 * s).astype(int)
    c = a + rng.normal(0, 15 + 5 * s)
    return pd.DataFrame({"a": a, "b": b, "c": c, "s": s})


def groups_of(query, table=None):
    table = frame() if table is None else table
    return Groups.of(query.values(table), SECRET.mask(table), SECRET.label)


GROUPS = groups_of(QUERY)


@pytest.fixture(autouse=True)
def few_tables(monkeypatch):
    monkeypatch.setattr("distpriv.model.estimated._MOST", 2500)


def model_of(n=30, low=0.3, high=0.6, replacement=True, query=QUERY, **options):
    groups = GROUPS if query is QUERY else groups_of(query)
    return fit_groups([groups], query, [Pair(SECRET, low, high)], n, replacement, **options)


def inside(found, expected, error, deviations=5.0):
    return (np.abs(found - expected) <= deviations * error + 1e-9).all()


@pytest.mark.parametrize(("n", "replacement"), [(30, True), (61, False), (500, True)])
def test_laws_are_those_of_many_simulated_tables_and_sums_stay_exact(n, replacement):
    high = 0.6 if n < 61 else 0.5
    model, count = model_of(n, 0.3, high, replacement), 4000 if n < 100 else 2000
    pair = model.pairs[0]
    sums = Query(tuple(one for one in QUERY.statistics if one.linear))
    exact = model_of(n, 0.3, high, replacement, sums).pairs[0]
    block = np.ix_([0, 1], np.flatnonzero(LINEAR), np.flatnonzero(LINEAR))
    assert pair.means[:, LINEAR] == pytest.approx(exact.means, rel=1e-10)
    assert pair.covariances[block] == pytest.approx(exact.covariances, rel=1e-9)
    assert pair.joint_steps[:, LINEAR] == pytest.approx(exact.joint_steps)
    draws = simulate(model, count=count, rng=7)
    means, covariances = model.pairs[0].errors
    assert means[:, LINEAR] == pytest.approx(np.zeros((2, 2)), abs=1e-9)
    for share in (0, 1):
        covariance = pair.covariances[share]
        variances = np.diagonal(covariance)
        assert np.linalg.eigvalsh(covariance / np.sqrt(np.outer(variances, variances))).min() > 0
        error = np.hypot(means[share], np.sqrt(variances / count))
        assert inside(draws[share].mean(axis=0), pair.means[share], error)
        chance = np.sqrt((np.outer(variances, variances) + covariance**2) / count)
        # Six deviations: these statistics' fourth moments are not those of normal ones.
        found = np.cov(draws[share].T)
        assert inside(found, covariance, np.hypot(covariances[share], chance), 6)


def test_simulation_of_everything_agrees_with_exact_laws_within_its_standard_error():
    exact = fitted(20, 0.3, 0.5)
    paper = fit_groups(
        [exact.pairs[0].groups], exact.query, [exact.pairs[0].pair], 20, method="monte-carlo", rng=3
    )
    (means, covariances), one, other = paper.pairs[0].errors, paper.pairs[0], exact.pairs[0]
    assert inside(one.means, other.means, means, 4)
    assert inside(one.covariances, other.covariances, covariances, 4.5)
    assert not (one.covariances == other.covariances).any()
    assert means == pytest.approx(np.sqrt(np.diagonal(one.covariances, 0, 1, 2) / 1000))
    assert (one.joint_steps == other.joint_steps).all()
    law = joint_law(paper, [AS_IT_IS, AS_IT_IS])
    assert (law[0] == np.tile(one.means, 2)).all()
    assert exact.pairs[0].errors is None
    assert exact.exact
    assert not paper.exact


def test_promise_under_all_alternatives_holds_under_the_true_law():
    query, seeds = Query([Median("a"), Deviation("c")]), 25
    truth = model_of(query=query, tables=30_000, rng=99).pairs[0]
    noise = np.diag(3 * np.diagonal(truth.pooled))

    def delta(laws):
        one = [NormalLoss.between(law.difference, *(law.covariances + noise)) for law in laws]
        both = NormalLoss.together([loss for each in one for loss in (each, each.reversed)])
        return both.profile(np.full(2 * len(laws), 0.5)).max()

    true, broken, unguarded = delta([truth]), 0, 0
    for seed in range(seeds):
        pair = model_of(query=query, tables=300, rng=seed).pairs[0]
        assert len(pair.alternatives) == 8
        unguarded += delta([pair]) < true
        broken += delta([pair, *pair.alternatives]) < true
    assert unguarded >= 0.3 * seeds
    assert broken <= 0.05 * seeds


def test_tables_that_are_no_bell_curves_count_as_far_apart_as_they_differ():
    # A few records far away: with or without one of them, the deviation lies on two heaps.
    table = frame(sizes=(800, 500))
    table["x"] = table["c"] + 5000.0 * (np.arange(1300) % 100 == 0) * (1 + table["s"])
    query = Query([Deviation("x")])
    model = fit_groups([groups_of(query, table)], query, [Pair(SECRET, 0.3, 0.6)], 20, True)
    pair = model.pairs[0]
    assert len(pair.alternatives) == 9
    assert pair.alternatives[-1].difference / pair.difference > 1
    lower, higher = simulate(model, count=20_000, rng=3)[:, :, 0]
    cells = np.histogram_bin_edges(lower, [0, 20, 500, 1500, 3000, 9000])
    counts = [np.histogram(draws, cells)[0] for draws in (lower, higher)]
    variation = np.abs(counts[0] - counts[1]).sum() / 40_000
    own, *others = (
        pair_loss(replace(model, pairs=(one,))).accuracy() for one in (pair, *pair.alternatives)
    )
    assert own < 0.5 + variation / 2 <= max(others) + 0.01


def test_figures_do_not_move_and_seeds_do():
    one, same, other = (model_of(rng=rng).pairs[0] for rng in (None, None, 5))
    assert (one.covariances == same.covariances).all()
    assert np.isfinite(model_of(2, 0.0, 0.5).pairs[0].covariances).all()  # of two records
    assert not (one.covariances[:, ~LINEAR] == other.covariances[:, ~LINEAR]).any()
    scaled = one.in_units(np.full(5, 10.0))
    assert scaled.alternatives[0].means == pytest.approx(one.alternatives[0].means / 10)
    assert scaled.errors[1] == pytest.approx(one.errors[1] / 100)


# ---------------------------------------------------------------- releases that keep records


def test_kept_records_have_weighted_statistics():
    model, count = model_of(40, 0.3, 0.5, False), 3000
    kept, stands_for = np.array([20.0, 12.0]), np.array([24.0, 16.0])
    release = Release("BalM", kept=kept, stands_for=stands_for, reference=0.4)
    means, covariances = joint_law(model, [AS_IT_IS, release])
    error = release_error(model, release)
    rng = np.random.default_rng(4)
    for share, numbers in enumerate(model.pairs[0].numbers):
        members = [
            draw_subsets(len(group), int(size), count, rng)
            for group, size in zip(GROUPS.records, numbers, strict=True)
        ]
        first = [each[:, : int(size)] for each, size in zip(members, kept, strict=True)]
        every = statistics_of(QUERY, GROUPS.records, members)
        some = statistics_of(QUERY, GROUPS.records, first, stands_for / kept)
        both = np.hstack([every, some])
        deviation = np.sqrt(np.diagonal(covariances[share]))
        assert inside(both.mean(axis=0), means[share], deviation, 5 * 2 / math.sqrt(count))
        chance = np.outer(deviation, deviation) * math.sqrt(2 / count)
        assert inside(np.cov(both.T), covariances[share], chance, 8)
        absolute = np.abs(some - every).mean(axis=0)
        # A difference of medians, which takes few values, is no bell curve.
        slack = np.array([0.05, 0.25, 0.05, 0.15, 0.08]) * absolute
        assert inside(error.absolute[share], absolute, slack, 1)
    assert pair_loss(model, release).accuracy() == 0.5
    assert (best_estimate(model, release)[2].rms <= error.rms * (1 + 1e-9)).all()


def test_no_data_and_figures_as_they_are_of_any_statistics():
    model = model_of()
    assert release_error(model, AS_IT_IS).rms.tolist() == [0, 0]
    _, slope, error = best_estimate(model, AS_IT_IS)
    assert slope == pytest.approx(np.eye(5), abs=1e-5)
    assert error.rms == pytest.approx([0, 0], abs=1e-3)
    means, covariances = joint_law(model, [no_data(model)])
    assert (means[0] == means[1]).all()
    assert not covariances.any()
    middle, spread = model.pairs[0].means.mean(axis=0), np.diagonal(model.pairs[0].pooled)
    assert (np.abs(means[0] - middle) <= 0.4 * np.sqrt(spread)).all()


def test_members_and_how_often_records_are_members_mean_alike():
    rng = np.random.default_rng(8)
    members = [draw_subsets(len(group), 9, 6, rng, True) for group in GROUPS.records]
    times = [
        np.array([np.bincount(row, minlength=len(group)) for row in each], float)
        for group, each in zip(GROUPS.records, members, strict=True)
    ]
    for weights in ((1.0, 1.0), (1.5, 0.5)):
        found = statistics_of(QUERY, GROUPS.records, members, weights)
        assert found == pytest.approx(statistics_of(QUERY, GROUPS.records, times, weights))
    many = np.tile(members[0], 30)  # so many that records are counted
    found = statistics_of(QUERY, GROUPS.records, [many, many[:, :0]])
    few = statistics_of(QUERY, GROUPS.records, [members[0], many[:, :0]])
    assert found[:, 2] == pytest.approx(30 * few[:, 2])
    assert np.delete(found, 2, axis=1) == pytest.approx(np.delete(few, 2, axis=1), rel=0.08)
    several, few = drawn_nested(40, np.array([900.0, 100.0]), 5, rng, replacement=True)
    assert several.sum(axis=1).tolist() == [900] * 5
    assert (several >= few).all()


def test_variance_falls_as_records_grow():
    query = Query([Deviation("a"), Correlation("a", "c")])
    few, many = (model_of(n, query=query).pairs[0].covariances for n in (3000, 300_000_000))
    assert many * 1e5 == pytest.approx(few, rel=0.05, abs=1e-5)


# ---------------------------------------------------------------- grid, bad input


def test_steps_cover_the_values_that_statistics_take():
    table = frame().assign(d=lambda rows: 5 * (rows["a"] // 5))
    query = Query([Mean("d"), Median("a"), Median("d"), Deviation("c"), Median("c")])
    for n in (30, 31):
        model = fit_groups([groups_of(query, table)], query, [Pair(SECRET, 0.3, 0.6)], n, True)
        pair = model.pairs[0]
        assert pair.steps[[0, 2]] == pytest.approx([5 / n, 5])
        assert pair.steps[1] in (1, 1.5, 2)  # years, and the gaps between those that are frequent
        spread = np.sqrt(np.diagonal(pair.pooled))
        assert (pair.steps[1:] >= 0.04 * spread[1:]).all()
        assert pair.steps[3] <= 0.3 * spread[3]
        assert (pair.joint_steps[:, 1:] == pair.steps[1:]).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: model_of(query=Query([Correlation("a", "a2")])), "correlation of a and a2 is the same in all simulated tables, 1 at both shares"),
        (lambda: model_of(query=Query([Mean("a"), Median("zero")])), "median zero is the same"),
        (lambda: model_of(query=Query([Deviation("zero")])), "take fewer records, or leave it out"),
        (lambda: model_of(query=Query([Median("s2")])), "0 at one share, 1 at the other"),
        (lambda: model_of(100, query=Query([Quantile("rare", 0.95)])), "95\u00a0% quantile of rare lies far .* of 1000 simulated tables; take more records"),
        (lambda: model_of(method="normal"), "no method 'normal'"),
        (lambda: fit_groups([Groups(**(vars(GROUPS) | {"records": None}))], QUERY, [Pair(SECRET, 0.3, 0.6)], 30), "no records to draw from"),
    ],
)  # fmt: skip
def test_statistics_that_cannot_be_estimated(make, message, monkeypatch):
    table = frame()
    table = table.assign(a2=2 * table["a"], zero=0.0, s2=table["s"])
    # The six largest values of a hundred decide, of which 2 % of the records are far off.
    table["rare"] = table["a"] + 1e5 * (np.arange(len(table)) % 65 == 0)
    monkeypatch.setattr("tests.model.test_estimated.frame", lambda: table)
    with pytest.raises(DistprivError, match=message):
        make()
