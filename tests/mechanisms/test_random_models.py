"""Noise of every mechanism against its promise, on models that nobody chose."""

from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from scipy import stats

from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import MECHANISMS, calibrate_all
from distpriv.model import Groups, Promise, fit_groups
from distpriv.privacy import verdict
from distpriv.queries import Count, Mean, Pair, Query, Sum
from tests.adult import SMALL

NORMAL = [name for name, one in MECHANISMS.items() if one.shape is not None]


def column(rng, kind, before, shift, having):
    """One column: whole numbers, flags, cents, densities, tied, constant, thirds, apart, or rare."""
    size = len(having)
    if kind == "whole":
        return np.rint(rng.normal(40, 12, size) + 5 * shift)
    if kind == "flag":
        return rng.random(size) < np.clip(0.3 + 0.3 * shift, 0.02, 0.98)
    if kind == "cents":
        return np.round(np.exp(rng.normal(10, 1, size) + shift), 2)
    if kind == "tied" and before:
        return 2 * before[0] + 3
    if kind == "constant":
        return np.full(size, 7.0)
    if kind == "thirds":
        return rng.integers(1, 9, size) / 3
    if kind == "apart":
        return rng.integers(0, 12, size) - 0.01 * having
    if kind == "rare":
        return rng.random(size) < 0.01
    return rng.normal(size=size) + shift


KINDS = ("whole", "flag", "cents", "density", "tied", "constant", "thirds", "apart", "rare")


@cache
def random_model(seed):
    """m 1 to 7, n 20 to 5000, shares 0.02 to 0.98, groups of two records, groups taken whole."""
    rng = np.random.default_rng(seed)
    n = int(np.exp(rng.uniform(np.log(20), np.log(5000))))
    size, replacement = int(rng.choice([n + 2, 2 * n, 10 * n])), bool(rng.random() < 0.5)
    share = float(rng.uniform(0.02, 0.98))
    count = 2 if rng.random() < 0.15 else int(np.clip(size * share, 2, size - 2))
    having = np.repeat([1.0, 0.0], [count, size - count])
    columns, statistics = [], []
    for place, kind in enumerate(rng.choice(KINDS, int(rng.integers(1, 8)))):
        columns.append(column(rng, kind, columns, rng.normal(0, 0.5) * having, having))
        counted = (Count(f"c{place}", "x"), Sum(f"c{place}"))[int(rng.integers(2))]
        statistics.append(counted if kind in ("flag", "rare", "tied") else Mean(f"c{place}"))
    values = np.column_stack(columns).astype(float)
    width, center = rng.uniform(0.02, 0.3), share if rng.random() < 0.5 else 0.5
    low, high = max(0.0, center - width / 2), min(1.0, center + width / 2)
    if not replacement:  # within what the groups have; one of them taken whole now and then
        least, most = max(0.0, 1 - (size - count) / n), min(1.0, count / n)
        high = most if rng.random() < 0.4 else min(high, most)
        low = float(np.clip(high - width, least, high))
    groups = Groups.of(values, having, SMALL.label)
    pair = Pair(SMALL, float(low), float(high))
    return fit_groups([groups], Query(statistics), [pair], n, replacement)


def possible(seed):
    with suppress(DistprivError):
        return random_model(seed)


def promises(seed):
    rng = np.random.default_rng([seed, 1])
    epsilon = float(np.exp(rng.uniform(np.log(0.05), np.log(5))))
    return Promise(epsilon, 10 ** rng.uniform(-6, -2)), Promise.of_guesses(rng.uniform(51, 90))


def separate_deltas(fitted, noise, epsilon, draws=40_000, seed=0):
    """δ in both orders and their standard errors, from simulated releases and their likelihoods."""
    pair, result = fitted.pairs[0], []
    total = pair.covariances + noise
    unit = np.sqrt(np.diagonal(total[0] + total[1]))
    some = np.flatnonzero(unit > 0)  # nothing is released of what never varies
    means = (pair.means - pair.means[0])[:, some] / unit[some]
    scaled = (total / np.outer(unit, unit).clip(1e-300))[:, some[:, None], some]
    laws = [stats.multivariate_normal(*law) for law in zip(means, scaled, strict=True)]
    for p, q in (laws, laws[::-1]):
        y = p.rvs(draws, random_state=seed).reshape(draws, -1)
        parts = np.maximum(-np.expm1(epsilon - p.logpdf(y) + q.logpdf(y)), 0)
        result.append((parts.mean(), parts.std() / np.sqrt(draws)))
    return result


SEEDS = [seed for seed in range(42) if possible(seed)]


def test_models_are_of_all_kinds():
    drawn = [random_model(seed) for seed in SEEDS]
    assert {len(one.query) for one in drawn} == set(range(1, 8))
    assert any(one.pairs[0].apart for one in drawn)
    assert any(one.pairs[0].groups.counts.min() == 2 for one in drawn)
    sizes = [
        (one.pairs[0].numbers >= one.pairs[0].groups.counts).any()
        for one in drawn
        if not one.replacement
    ]
    assert any(sizes)


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_keeps_its_promise_or_is_refused_in_a_sentence(seed):
    fitted = random_model(seed)
    jobs = [(name, promise) for name in NORMAL for promise in promises(seed)]
    jobs.append(("BalM", Promise(0.0, 0.0)))
    for (name, promise), release in zip(jobs, calibrate_all(jobs, fitted), strict=True):
        if isinstance(release, NotApplicable):
            assert str(release).endswith(".")
            continue
        assert release.mechanism == name
        assert release.promise == promise
        held = verdict(fitted, release)
        assert held.kept
        assert (held.delivered <= promise.delta * (1 + 1e-6)).all()
        assert np.isfinite(release.total(len(fitted.query))).all()


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_laplace_noise_keeps_the_promise_that_it_returns(seed):
    fitted = random_model(seed)
    [release] = calibrate_all([("DirM(L)", Promise(promises(seed)[0].epsilon, 0.0))], fitted)
    assert isinstance(release, NotApplicable) or verdict(fitted, release).kept


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_simulated_likelihoods_agree_with_what_noise_delivers(seed):
    fitted = random_model(seed)
    limit = Promise.of_guesses(60)
    jobs = [(name, limit) for name in ("OptM", "ExpM", "EigM")]
    for release in calibrate_all(jobs, fitted):
        if isinstance(release, NotApplicable) or not release.covariance.any():
            continue
        noise = release.covariance + 1e-9 * np.diag(np.diag(release.covariance))
        for delta, error in separate_deltas(fitted, noise, 0.0):
            assert delta <= limit.delta + 4 * error
