"""What privacy losses mean: records that tell as much, μ, beliefs, and attackers who know records."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate
from distpriv.model import AS_IT_IS, Groups, Promise, Release, fit_groups, joint_law, no_data
from distpriv.privacy import NormalLoss, delivered_epsilon, optimal_attack_accuracy, verdicts
from distpriv.privacy.loss import normal_distance
from distpriv.privacy.meaning import (
    gaussian_privacy,
    guessing_factor,
    knowing,
    posterior_bounds,
    reading_accuracy,
    records_to_match,
)
from distpriv.queries import Query, Sum
from tests.adult import GROUPS, INCOME, QUERY, WORK, model, of_records

PAIR = INCOME.pair(0.5, 0.1)
OPT = calibrate("OptM", model(PAIR), 1.0, 1e-3)
BAL = calibrate("BalM", model(PAIR))


@pytest.mark.parametrize(("k", "low", "high"), [(1, 0.1, 0.5), (7, 0, 0.3)])
def test_reading_is_the_best_test_on_a_count(k, low, high):
    """Binomial and hypergeometric laws in whole numbers."""
    x = np.arange(k + 1)
    binomial = [[comb(k, i) * p**i * (1 - p) ** (k - i) for i in x] for p in (low, high)]
    assert reading_accuracy(k, low, high) == pytest.approx(1 - np.minimum(*binomial).sum() / 2)
    few, many = int(40 * low), int(40 * high)
    drawn = [[comb(m, i) * comb(40 - m, k - i) / comb(40, k) for i in x] for m in (few, many)]
    assert reading_accuracy(k, high, low, 40) == pytest.approx(1 - np.minimum(*drawn).sum() / 2)


def test_records_to_match_are_the_least_that_tell_as_much():
    """60 right of 100 is 7 draws; 0.75 is 45 with, 31 of 100 without replacement (0.45, 0.55)."""
    assert [records_to_match(a, 0.45, 0.55) for a in (0.5, 0.6, 0.75)] == [0, 7, 45]
    assert records_to_match(0.75, 0.45, 0.55, 100) == 31
    assert reading_accuracy(30, 0.45, 0.55, 100) < 0.75 <= reading_accuracy(31, 0.45, 0.55, 100)
    assert guessing_factor(0.6) == 1.2
    assert records_to_match(1.0, 0.0, 1.0) == 1
    assert records_to_match(1.0, 0.45, 0.46, 100) == 100  # only all tell 45 of them from 46
    assert records_to_match(0.6, 0.3, 0.3) is None
    assert records_to_match(0.9, 0.501, 0.502, 100) is None  # both are 50 of 100 records
    # Normal laws of large counts: Φ(Δp √k / 2σ) with σ = ½ is 0.6 at k = (0.25335/1e-6)².
    assert records_to_match(0.6, 0.4999995, 0.5000005) == pytest.approx(
        (0.2533471 / 1e-6) ** 2, rel=1e-4
    )


def test_mu_is_the_distance_of_equal_laws_and_bounds_unequal_ones():
    unequal = model(PAIR)
    pair = unequal.pairs[0]
    equal = replace(unequal, pairs=(replace(pair, covariances=np.array([pair.pooled] * 2)),))
    answer = gaussian_privacy(equal)
    assert (answer.mu, answer.down_to) == (pytest.approx(pair.distance(), rel=1e-6), 0.0)
    thin = Release("thin", np.diag((0.63 * unequal.steps) ** 2))  # the grid moves ratios by 0.009
    for release in (OPT, thin):
        mu = gaussian_privacy(unequal, release, 1e-5).mu
        end = delivered_epsilon(unequal, release, 1e-5)  # without what the grid adds
        epsilons = np.concatenate([np.linspace(0, end, 50), np.linspace(end, end + 0.02, 50)])
        promises = [Promise(epsilon, 0.0) for epsilon in epsilons]
        judged = verdicts(unequal, [release] * len(epsilons), promises)
        delta = np.array([one.delta.max() for one in judged])
        reach = normal_distance(epsilons, delta)[delta >= 0.999999e-5]
        assert reach.max() <= mu * (1 + 1e-6)
        assert mu == pytest.approx(reach.max(), rel=1e-4)
    assert gaussian_privacy(unequal).down_to == 1e-6
    assert gaussian_privacy(unequal, BAL).mu == 0
    laplace = Release("DirM(L)", directions=np.eye(5)[:, :1], scale=1.0)
    assert gaussian_privacy(unequal, laplace).mu is None
    apart = replace(unequal, pairs=(replace(pair, apart=True),))
    assert gaussian_privacy(apart).mu is None


def test_beliefs_stay_within_their_bounds_as_often_as_said():
    """At the share where they do so less often, to what 40 000 draws tell."""
    fitted, rng = model(PAIR), np.random.default_rng(1)
    laws = [stats.multivariate_normal(*law) for law in zip(*joint_law(fitted, [OPT]), strict=True)]
    low, high = posterior_bounds(fitted, OPT, 0.3, often=0.9)
    inside = []
    for law in laws:
        draws = law.rvs(40_000, random_state=rng)
        belief = expit(logit(0.3) + laws[0].logpdf(draws) - laws[1].logpdf(draws))
        inside.append(((low <= belief) & (belief <= high)).mean())
    assert min(inside) == pytest.approx(0.9, abs=0.004)
    assert posterior_bounds(fitted, BAL) == (0.5, 0.5)
    pair = fitted.pairs[0]  # the same law with the shares in each other's place
    mirrored = replace(fitted, pairs=(replace(pair, covariances=pair.covariances[::-1]),))
    assert posterior_bounds(mirrored, OPT, 0.3, often=0.9) == pytest.approx((low, high))
    both = model(PAIR, WORK.pair(0.5, 0.01))  # of which the first tells more
    assert posterior_bounds(both) == posterior_bounds(fitted)


def test_attackers_who_know_records():
    """Adult, n = 100, 20, 50 and 80 known."""
    figures = {
        release: [knowing(model(PAIR), release, known) for known in (20, 50, 80)]
        for release in (AS_IT_IS, OPT, BAL)
    }
    assert figures[AS_IT_IS] == pytest.approx([0.79, 0.84, 0.946], abs=0.005)
    assert figures[OPT] == pytest.approx([0.57, 0.58, 0.59], abs=0.006)
    assert figures[BAL] == pytest.approx([0.54, 0.58, 0.675], abs=0.005)
    assert knowing(model(PAIR), no_data(model(PAIR)), 40) == 0.5
    assert knowing(model(PAIR, WORK.pair(0.7, 0.1)), None, 20) == figures[AS_IT_IS][0]


def test_known_records_leave_a_smaller_table():
    """40 of 100 known at 45 and 55 are 60 unknown at 25 and 35, of which nothing else is known."""
    rest = INCOME.pair(0.5, 10 / 60)
    fitted, smaller = (
        fit_groups([GROUPS[INCOME]], QUERY, [pair], n, replacement=True)
        for pair, n in ((PAIR, 100), (rest, 60))
    )
    assert knowing(fitted, None, 40) == pytest.approx(optimal_attack_accuracy(smaller))


@pytest.mark.parametrize("name", ["as it is", "OptM", "DirM(L)"])
def test_known_records_tell_the_means_of_the_others_without_replacement(name):
    """Who knows 60 of 100 records of each group: on average over the groups that they leave."""
    rng, having = np.random.default_rng(4), np.repeat([0.0, 1.0], 100)
    values = rng.normal(size=(200, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 2]])
    query, pair = Query([Sum("x"), Sum("y"), Sum("z")]), INCOME.pair(0.5, 0.1)
    fitted = fit_groups([Groups.of(values, having, "s")], query, [pair], 140)
    release = None if name == "as it is" else calibrate(name, fitted, 1.0, 1e-3)
    expected = []
    for _ in range(10 if "L" in name else 60):
        left = np.concatenate(
            [rng.choice(100, 40, replace=False) + 100 * group for group in (0, 1)]
        )
        groups = Groups.of(values[left], having[left], "s")
        rest = fit_groups([groups], query, [INCOME.pair(0.5, 0.7)], 20)
        expected.append(optimal_attack_accuracy(rest, release))
    error = np.std(expected) / np.sqrt(len(expected))
    assert knowing(fitted, release, 120) == pytest.approx(np.mean(expected), abs=3 * error)


def test_the_law_of_all_records_is_not_that_of_unknown_ones():
    values, having = np.arange(48.0)[:, None] % 5, np.repeat([0.0, 1.0], 24)
    groups, query = Groups.of(values, having, "s"), Query([Sum("x")])
    pair = INCOME.pair(0.5, 0.4)
    fitted, bare = (
        fit_groups([one], query, [pair], 30) for one in (groups, replace(groups, records=None))
    )
    assert knowing(fitted, None, 16) == knowing(bare, None, 16)


@pytest.mark.parametrize("whole", [False, True])
def test_balanced_figures_and_known_sums_have_the_simulated_law(whole):
    """20 of 32 records, 10 known and 12 kept, simulated 40 000 times; counts are decoded."""
    rng, having = np.random.default_rng(2), np.repeat([0.0, 1.0], 16)
    records = rng.normal(size=(2, 16)) * [[1.0], [3.0]]
    if whole:
        records = (records > 0.3).astype(float)
    fitted = of_records(records.reshape(-1, 1), having, 20, 0.3, 0.7, False, Sum)
    release = calibrate("BalM", fitted, reference=0.3)
    weights, laws = release.stands_for / release.kept, []
    pairs = np.stack(np.meshgrid(np.arange(7), np.arange(7)), -1).reshape(-1, 2)
    for numbers in fitted.pairs[0].numbers.astype(int):
        figure, sums = np.zeros(40_000), []
        for group in (0, 1):
            table = rng.permuted(np.tile(records[group], (40_000, 1)), axis=1)[:, : numbers[group]]
            figure += weights[group] * table[:, : int(release.kept[group])].sum(axis=1)
            sums.append(rng.permuted(table, axis=1)[:, :5].sum(axis=1))
        read = [figure]
        if whole:  # one pair of sums of 6 records each fits
            away = np.abs(figure[:, None] - pairs @ weights)
            assert ((away < 1e-9).sum(axis=1) == 1).all()
            read = [*pairs[away.argmin(axis=1)].T]
        laws.append(np.cov([*read, *sums]))
    expected = NormalLoss.between(np.zeros(len(laws[0])), *laws).accuracy()
    assert knowing(fitted, release, 10) == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: reading_accuracy(-1, 0.2, 0.3), "Records that are read"),
        (lambda: reading_accuracy(5, 0.2, 1.3), "A share must lie"),
        (lambda: reading_accuracy(101, 0.2, 0.3, 100), "0 to 100"),
        (lambda: records_to_match(float("nan"), 0.2, 0.3), "An accuracy"),
        (lambda: guessing_factor(1.2), "An accuracy"),
        (lambda: posterior_bounds(model(PAIR), prior=1.0), "A belief"),
        (lambda: gaussian_privacy(model(PAIR), None, 0.0), "δ must be above 0"),
        (lambda: knowing(model(PAIR), Release(), 91), "only 45"),
        (lambda: knowing(model(PAIR), replace(BAL, stands_for=None), 4), "tell the share"),
        (lambda: knowing(model(PAIR), replace(BAL, kept=2 * BAL.kept), 4), "keeps more"),
    ],
)
def test_arguments_out_of_their_domain_end_in_a_sentence(call, sentence):
    with pytest.raises(DistprivError, match=sentence):
        call()
