"""Noise scaled by the exact law, against sums over every vector of counts of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.mechanisms import Assumption, get
from distpriv.privacy import model_laws

RICH = dp.SensitiveProperty("rich")


def _table(rng: np.random.Generator, count: int = 400) -> pd.DataFrame:
    rich = np.arange(count) % 2 == 0
    shares = {name: rng.uniform(0.1, 0.9, 2) for name in "abc"}
    return pd.DataFrame(
        {name: rng.random(count) < np.where(rich, *pair) for name, pair in shares.items()}
        | {"rich": rich}
    )


def _simple(table: pd.DataFrame, names: str, n: int, width: float, **options: Any) -> Any:
    query = dp.Query([dp.Count(name, True) for name in names])
    return dp.fit_gaussian(table, query, RICH.pair(center=0.5, width=width), n, **options)


def _law(groups: Any, having: int, without: int, replacement: bool) -> Any:
    """Probabilities of the counts, one group after the other, cell by cell."""
    m = groups[0].shape[1]
    law = {(0,) * m: 1.0}
    for values, draws in zip(groups, (having, without), strict=True):
        cells, sizes = np.unique(values.astype(int), axis=0, return_counts=True)
        if replacement:
            numbers = stats.multinomial(draws, sizes / sizes.sum())
        else:
            numbers = stats.multivariate_hypergeom(sizes, draws)
        grown: dict[tuple[int, ...], float] = {}
        picks = _compositions(draws, len(sizes))
        for pick, mass in zip(picks, numbers.pmf(picks), strict=True):
            if mass > 1e-14:
                moved = pick @ cells
                for counts, before in law.items():
                    place = tuple(int(one) for one in moved + np.array(counts))
                    grown[place] = grown.get(place, 0.0) + before * float(mass)
        law = grown
    return law


def _compositions(total: int, parts: int) -> Any:
    if parts == 1:
        return np.array([[total]])
    return np.vstack(
        [
            np.column_stack([np.full(len(rest), first), rest])
            for first in range(total + 1)
            for rest in [_compositions(total - first, parts - 1)]
        ]
    )


def _delta(model: dp.GaussianModel, groups: Any, covariance: Any, epsilon: float) -> float:
    """δ(ε) of counts with noise, on a mesh of the noise's own coordinates."""
    thetas = model.pairs[0].thetas
    laws = [_law(groups, theta.having, theta.without, theta.replacement) for theta in thetas]
    places = np.array(sorted({*laws[0], *laws[1]}))
    masses = np.array([[law.get(tuple(place), 0.0) for place in places.tolist()] for law in laws])
    variances, directions = np.linalg.eigh(covariance)
    turned = places @ directions
    rows, cell = [], 1.0
    for centres, deviation in zip(turned.T, np.sqrt(variances), strict=True):
        width = deviation / (80 if model.query.statistics[1:] == () else 24)
        mesh = np.arange(centres.min() - 7 * deviation, centres.max() + 7 * deviation, width)
        rows.append(stats.norm.pdf(mesh[:, None] - centres, scale=deviation))
        cell *= width
    releases = [
        rows[0] @ mass if len(rows) == 1 else (rows[0] * mass) @ rows[1].T for mass in masses
    ]
    return max(
        cell * float(np.maximum(p - np.exp(epsilon) * q, 0).sum())
        for p, q in (releases, releases[::-1])
    )


@pytest.mark.parametrize(
    "seed", [*range(60), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(60, 105))]
)
def test_the_promise_is_kept_on_small_tables(seed: int) -> None:
    """By a computation that shares nothing with the calibration; and a fifth less breaks it."""
    rng = np.random.default_rng(1000 + seed)
    table = _table(rng)
    names, n = ("a", int(rng.integers(5, 40))) if seed % 3 else ("ab", int(rng.integers(5, 13)))
    model = _simple(table, names, n, rng.choice([0.2, 0.4, 0.6]), replacement=bool(rng.integers(2)))
    epsilon, delta = float(rng.choice([0.2, 0.5, 1.0, 2.0])), float(rng.choice([1e-2, 1e-3, 1e-4]))
    name = ("OptM", "DauM", "ExpM", "EigM", "DirM")[seed % 5]
    try:
        noise = dp.calibrate(name, model, epsilon, delta, "exact-law")
    except dp.errors.InapplicableError:
        # There are covariances that noise along few directions cannot make up for.
        assert name in ("DauM", "DirM")
        return
    assert noise.calibration == "exact-law"
    groups = [
        model.query.values(table[table["rich"]]),
        model.query.values(table[~table["rich"]]),
    ]
    if noise.is_zero:
        (law,) = model_laws(model)
        assert law.delivered_delta(None, epsilon) <= delta
        return
    delivered = _delta(model, groups, noise.covariance, epsilon)
    assert delivered <= delta * (1 + 2e-4)
    if noise.scales.size:
        assert delivered >= delta * 0.99
        own = noise.scales @ noise.scales
        # What is taken off the mechanism's own part breaks the promise; the floor stays.
        less = replace(noise, scales=noise.scales * np.sqrt(0.8))
        if own > 0.5 * np.trace(noise.covariance):
            assert _delta(model, groups, less.covariance, epsilon) > delta * (1 + 2e-4)


@pytest.mark.parametrize("replacement", [False, True])
def test_three_counts_against_a_simulated_ratio(replacement: bool) -> None:
    """δ = E_p(1 − e^ε q/p)₊, with the densities summed bell by bell."""
    rng = np.random.default_rng(8)
    model = _simple(_table(rng), "abc", 10, 0.4, replacement=replacement)
    noise = dp.calibrate("OptM", model, 1.0, 1e-2, "exact-law")
    (law,) = model_laws(model)
    shape = law.probabilities.shape[1:]
    points = np.indices(shape).reshape(3, -1).T
    bells = stats.multivariate_normal(cov=noise.covariance)
    size, means = 1500, []
    for p, q in (law.probabilities, law.probabilities[::-1]):
        drawn = np.array(np.unravel_index(rng.choice(p.size, size, p=p.ravel()), shape)).T
        y = drawn + noise.sample(size, rng)
        densities = np.array([bells.pdf(y - point) for point in points])
        lost = np.maximum(1 - np.e * (q.ravel() @ densities) / (p.ravel() @ densities), 0)
        means.append((lost.mean(), lost.std() / np.sqrt(size)))
    worst, error = max(means)
    assert abs(worst - 1e-2) < 4 * error


def test_it_takes_less_than_guarded_noise_or_repairs_it() -> None:
    """Normal curves promise too much of some counts, and too little of most."""
    over, under = 0, 0
    for seed in range(12):
        table = _table(np.random.default_rng(seed))
        model = _simple(table, "ab", 15, 0.4)
        for name in ("OptM", "DauM"):
            try:
                guarded = dp.calibrate(name, model, 1.0, 1e-4)
                exact = dp.calibrate(name, model, 1.0, 1e-4, "exact-law")
            except dp.errors.InapplicableError:
                continue
            law = model_laws(model)
            delivered = dp.delivered_delta(model, guarded, 1.0, law=law)
            assert dp.delivered_delta(model, exact, 1.0, law=law) <= 1e-4
            if delivered < 0.99e-4:
                over += 1
                assert np.trace(exact.covariance) < np.trace(guarded.covariance)
            elif delivered > 1e-4:
                under += 1
                assert np.trace(exact.covariance) > np.trace(guarded.covariance)
    assert over
    assert under


def test_statistics_that_keep_the_promise_by_themselves_get_no_noise() -> None:
    model = _simple(_table(np.random.default_rng(3)), "a", 40, 0.1, replacement=True)
    noise = dp.calibrate("OptM", model, 5.0, 0.05, "exact-law")
    assert noise.is_zero
    assert noise.calibration == "exact-law"


def test_the_floor_may_do() -> None:
    """Half a step on every count is enough where the counts almost keep the promise."""
    model = _simple(_table(np.random.default_rng(3)), "a", 30, 0.2)
    (law,) = model_laws(model)
    floor = replace(
        dp.calibrate("OptM", model, 1.0, 1e-3), directions=np.zeros((1, 0)), scales=np.zeros(0)
    )
    bare, floored = (law.delivered_delta(noise, 1.0) for noise in (None, floor))
    assert floored < 0.99 * bare
    noise = dp.calibrate("OptM", model, 1.0, (0.2 * bare + 0.8 * floored) / (1 - 2e-3), "exact-law")
    assert not noise.scales.size
    assert noise.floor is not None


@pytest.mark.parametrize("name", ["OptM", "ExpM", "EigM"])
def test_several_pairs_and_units(people: pd.DataFrame, name: str) -> None:
    query = dp.Query([dp.Count("status", "married"), dp.Proportion("town", "Ahausen")])
    pairs = [
        dp.SensitiveProperty("income", "high").pair(center=0.4, width=0.2),
        dp.SensitiveProperty("remote").pair(center=0.5, width=0.3),
    ]
    model = dp.fit_gaussian(people, query, pairs, 30)
    noise = dp.calibrate(name, model, 1.0, 1e-3, "exact-law", units=[1.0, 0.1])
    delivered = dp.delivered_delta(model, noise, 1.0, law=model_laws(model))
    assert 0.99e-3 < delivered <= 1e-3
    units = np.array([4.0, 0.02])
    scaled = dp.calibrate(name, model.in_units(units), 1.0, 1e-3, "exact-law", [0.25, 5.0])
    np.testing.assert_allclose(
        scaled.in_units(1 / units).covariance, noise.covariance, rtol=1e-6, atol=1e-12
    )


def test_nothing_is_assumed_but_the_sampling(people: pd.DataFrame, pair: dp.Pair) -> None:
    model = dp.fit_gaussian(people, dp.Query([dp.Count("status", "married")]), pair, 20)
    for name in ("OptM", "DauM", "ExpM", "DirM", "EigM"):
        assert get(name).assumptions(model, "exact-law") == ()
    for name in ("ExpM(L)", "GroupDP", "DP"):
        assert get(name).assumptions(model, "exact-law") == get(name).assumptions(model, "exact")
    assert Assumption.GAUSSIAN in get("OptM").assumptions(model, "guarded")


def test_other_noise_stays_what_it_is(people: pd.DataFrame, pair: dp.Pair) -> None:
    model = dp.fit_gaussian(people, dp.Query([dp.Count("status", "married")]), pair, 20)
    for name in ("ExpM(L)", "Wasserstein", "GroupDP", "DP"):
        noise, guarded = (
            dp.calibrate(name, model, 1.0, 1e-3, way) for way in ("exact-law", "guarded")
        )
        assert noise.calibration == guarded.calibration
        np.testing.assert_allclose(noise.covariance, guarded.covariance)


def test_caveats_about_curves_are_gone() -> None:
    """A count that moves by few steps is no normal curve, and need not be."""
    table = pd.DataFrame({"rich": [True, False] * 100, "a": [True] * 3 + [False] * 197})
    model = _simple(table, "a", 20, 0.8)
    assert any(
        "few of their steps" in one for one in dp.calibrate("OptM", model, 0.2, 1e-3).caveats
    )
    assert not dp.calibrate("OptM", model, 0.2, 1e-3, "exact-law").caveats


def test_where_it_does_not_apply(people: pd.DataFrame, pair: dp.Pair) -> None:
    counts = [dp.Count("status", "married"), dp.Count("remote", True)]

    def refused(match: str, model: dp.GaussianModel, delta: float = 1e-3, **options: Any) -> None:
        with pytest.raises(dp.errors.InapplicableError, match=match) as caught:
            dp.calibrate("DauM", model, 1.0, delta, "exact-law", **options)
        assert str(caught.value).count(". ") == 0

    def fitted(statistics: list[dp.Statistic], n: int) -> dp.GaussianModel:
        return dp.fit_gaussian(people, dp.Query(statistics), pair, n)

    small = fitted(counts, 20)
    refused("'mean age' is none of these", fitted([dp.Mean("age"), *counts], 20))
    towns = [dp.Count("town", town) for town in ("Ahausen", "Behausen")]
    refused("at most 3 counts", fitted([*counts, *towns], 20))
    refused("at most 600 records, got n = 601", fitted(counts, 601))
    refused("needs the records", replace(small, pairs=_without_records(small)))
    refused("too coarse for δ = 1\u00a0×\u00a010⁻⁹", small, 1e-9)
    refused("arithmetic", small, grid_safe=False)
    with pytest.raises(dp.errors.CalibrationError, match="knows no distance"):
        dp.privacy.gaussian_distance(1.0, 1e-3, "exact-law")
    with pytest.raises(dp.errors.CalibrationError, match="δ must be in"):
        dp.calibrate("OptM", small, 1.0, 0.0, "exact-law")


def _without_records(model: dp.GaussianModel) -> tuple[Any, ...]:
    return tuple(replace(fit, population=None) for fit in model.pairs)


@pytest.mark.adult
def test_two_counts_of_adult(adult: pd.DataFrame) -> None:
    """Beside the figures of the two counts without noise and with DauM's (δ(1) = 1.62e-3)."""
    query = dp.Query([dp.Count("marital-status", "Never-married"), dp.Count("sex", "Female")])
    pair = dp.SensitiveProperty("income", ">50K").pair(center=0.5, width=0.1)
    model = dp.fit_gaussian(adult, query, pair, 100, replacement=True)
    laws = model_laws(model)
    for name in ("OptM", "DauM"):
        exact = dp.calibrate(name, model, 1.0, 1e-3, "exact")
        repaired = dp.calibrate(name, model, 1.0, 1e-3, "exact-law")
        assert dp.delivered_delta(model, exact, 1.0, law=laws) == pytest.approx(1.6e-3, rel=0.03)
        assert 0.996e-3 < dp.delivered_delta(model, repaired, 1.0, law=laws) <= 1e-3
        assert np.trace(repaired.covariance) > np.trace(exact.covariance)
