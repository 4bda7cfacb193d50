"""The arithmetic attacker: what it reads off a release, and that it claims no more."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logsumexp

import distpriv as dp
from distpriv import mechanisms
from distpriv.attacks.arithmetic import ArithmeticAttacker
from distpriv.attacks.pair_normals import PairNormals
from distpriv.attacks.statistics_grid import Grid, last_places, rounded
from distpriv.model.gaussian import thetas_of
from distpriv.privacy.laplace_mixture import log_density
from distpriv.privacy.noise import gaussian_noise

UNDONE = ("DirM", "DauM", "OptM", "DirM(L)")
PROTECTING = [name for name in mechanisms.names() if mechanisms.get(name).protects]


@pytest.fixture(scope="module")
def census() -> pd.DataFrame:
    return dp.load_census_income()


@pytest.fixture(scope="module")
def census_model(census: pd.DataFrame, adult_query: dp.Query) -> dp.GaussianModel:
    pair = dp.SensitiveProperty("income", ">50K").pair(center=0.5, width=0.1)
    return dp.fit_gaussian(census, adult_query, pair, n=100)


def noise_of(
    factors: np.ndarray, floor: np.ndarray | None = None, distribution: str = "gaussian"
) -> dp.Noise:
    """Noise along the columns of factors, shape (m, d)."""
    lengths = np.linalg.norm(factors, axis=0)
    return dp.Noise("made up", distribution, factors / lengths, lengths, 1.0, 1e-3, floor=floor)


def attack(
    table: pd.DataFrame, model: dp.GaussianModel, noises: dict[str, dp.Noise | None], **options
) -> dp.AttackResult:
    given = {"repetitions": 20, "rng": 1, "classifier": "arithmetic"} | options
    return dp.run_attack(table, model.query, model.pairs[0].pair, model.n, noises, **given)


def check_published(table: pd.DataFrame, model: dp.GaussianModel, repetitions: int) -> None:
    noises: dict[str, dp.Noise | None] = {"none": None}
    for name in UNDONE:
        noises[name] = dp.calibrate(name, model, 1.0, 1e-3, "exact", grid_safe=False)
    best = dp.optimal_attack_accuracy(model)
    for is_rounded in (False, True):
        found = attack(table, model, noises, repetitions=repetitions, rounded=is_rounded)
        for name in UNDONE:
            # The same datasets are told apart as without any noise.
            np.testing.assert_allclose(found.accuracy[name], found.accuracy["none"], atol=0.011)
            interval = found.interval(name)
            assert interval.low < best < interval.high + 0.02
            share = found.recovered[name].mean()
            assert share == 1 if not is_rounded else 0.9 < share < 0.99
        assert (found.recovered["none"] == 1).all()


@pytest.mark.adult
def test_published_noise_on_adult(adult: pd.DataFrame, adult_income: dp.GaussianModel) -> None:
    check_published(adult, adult_income, 20)
    noise = dp.calibrate("DauM", adult_income, 1.0, 1e-3, "exact", grid_safe=False)
    estimate = attack(adult, adult_income, {"DauM": noise}, repetitions=40).interval("DauM")
    assert estimate.estimate == pytest.approx(0.754, abs=0.012)


def test_published_noise_is_no_noise(census: pd.DataFrame, census_model: dp.GaussianModel) -> None:
    check_published(census, census_model, 10)


@pytest.fixture(scope="module")
def against_grid_safe(census: pd.DataFrame, census_model: dp.GaussianModel):
    noises: dict[str, dp.Noise | None] = {}
    for name in PROTECTING:
        try:
            noises[name] = dp.calibrate(name, census_model, 1.0, 1e-3)
        except dp.errors.CalibrationError:  # guarded, which not every mechanism can be
            noises[name] = dp.calibrate(name, census_model, 1.0, 1e-3, "exact")
    return noises, attack(census, census_model, noises, repetitions=40)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROTECTING)
def test_grid_safe_noise_is_not_undone(
    census_model: dp.GaussianModel, against_grid_safe, name: str
) -> None:
    noises, found = against_grid_safe
    best = dp.optimal_attack_accuracy(census_model, noises[name])
    # 99.9 %: there are many of them.
    interval = found.interval(name, 0.999)
    assert interval.low < best
    assert interval.high > best - 0.01
    assert best < dp.optimal_attack_accuracy(census_model) - 0.05
    assert (found.recovered[name] == 0).all()


def test_the_average_of_many_releases_is_undone_again(
    census: pd.DataFrame, census_model: dp.GaussianModel
) -> None:
    noise = dp.calibrate("DauM", census_model, 1.0, 1e-3, "exact")
    counts = {"1": noise, "100": noise.after_releases(100)}
    found = attack(census, census_model, counts, repetitions=5)
    assert found.recovered["1"].mean() == 0
    assert found.recovered["100"].mean() > 0.9


def test_noise_along_two_directions(census: pd.DataFrame, adult_query: dp.Query) -> None:
    pairs = [
        dp.SensitiveProperty("income", ">50K").pair(0.5, 0.1),
        dp.SensitiveProperty("workclass", "Private").pair(0.5, 0.1),
    ]
    model = dp.fit_gaussian(census, adult_query, pairs, n=100)
    noises = {
        name: dp.calibrate(name, model, 1.0, 1e-3, "exact", grid_safe=False)
        for name in ("DirM", "DirM(L)")
    }
    for is_rounded in (False, True):
        found = attack(census, model, noises, repetitions=4, rounded=is_rounded)
        for name, noise in noises.items():
            assert len(noise.scales) == 2
            share = found.recovered[name].mean()
            assert share == 1 if not is_rounded else 0.1 < share < 0.9
            assert found.accuracy[name].mean() > 0.65


@st.composite
def small_problems(draw):
    """Two normals of two or three statistics on a grid, noise along one direction, a floor."""
    size = draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = rng.choice([0.5, 1.0, 2.0], size)
    roots = rng.normal(size=(2, size, size)) * steps[:, None]
    covariances = roots @ np.swapaxes(roots, 1, 2) + 0.5 * np.diag(steps**2)
    means = rng.normal(size=(2, size)) * steps
    grid = Grid(steps, rng.normal(size=size))
    floor = draw(st.sampled_from([0.08, 0.15, 0.3])) * steps
    noise = noise_of(rng.normal(size=(size, 1)) * steps[:, None] * 2, floor)
    return PairNormals(means, covariances), grid, noise, rng


@given(small_problems())
@settings(max_examples=40, deadline=None)
def test_scores_are_those_of_summing_over_the_whole_grid(problem) -> None:
    normals, grid, noise, rng = problem
    size = len(grid.steps)
    attacker = ArithmeticAttacker(normals, grid, noise, rounded=False)
    counts = rng.integers(-2, 3, (6, size))
    truth = grid.origin + grid.steps * counts
    releases = truth + noise.sample(6, rng)
    wide = np.array(list(itertools.product(range(-14, 15), repeat=size)))
    points = grid.origin + grid.steps * wide
    found = attacker.guess(releases)
    for release, score in zip(releases, found.scores, strict=True):
        added = stats.multivariate_normal(np.zeros(size), noise.covariance).logpdf(release - points)
        sums = [
            logsumexp(added + stats.multivariate_normal(mean, covariance).logpdf(points))
            for mean, covariance in zip(normals.means, normals.regular, strict=True)
        ]
        if attacker.subtracts:
            # Points far out for the mean of two covariances that differ much are left out.
            assert score == pytest.approx(sums[1] - sums[0], rel=0.05, abs=0.05)
            assert expit(score) == pytest.approx(expit(sums[1] - sums[0]), abs=0.01)


@given(small_problems())
@settings(max_examples=25, deadline=None)
def test_a_guess_is_on_the_grid(problem) -> None:
    normals, grid, noise, rng = problem
    attacker = ArithmeticAttacker(normals, grid, noise)
    releases = rounded(normals.means[rng.integers(0, 2, 5)] + noise.sample(5, rng), noise)
    found = attacker.guess(releases)
    assert np.isfinite(found.scores).all()
    known = found.statistics[~np.isnan(found.statistics).any(axis=1)]
    counts = (known - grid.origin) / grid.steps
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)
    assert attacker.subtracts or not len(known)


def test_without_a_grid_it_is_the_likelihood_ratio_test() -> None:
    rng = np.random.default_rng(2)
    normals = PairNormals(
        np.array([[0.0, 0.0], [1.0, 0.5]]), np.array([[[2.0, 0.3], [0.3, 1.0]], [[1.0, 0], [0, 3]]])
    )
    noise = noise_of(np.array([[1.0], [2.0]]))
    for grid in (Grid(np.zeros(2), np.zeros(2)), Grid(np.full(2, 1e-3), np.zeros(2))):
        safe = replace(noise, floor=np.array([0.5, 0.5]))
        attacker = ArithmeticAttacker(normals, grid, safe)
        assert not attacker.subtracts
        releases = rng.normal(size=(9, 2))
        densities = [
            stats.multivariate_normal(mean, covariance + safe.covariance).logpdf(releases)
            for mean, covariance in zip(normals.means, normals.covariances, strict=True)
        ]
        found = attacker.guess(releases)
        np.testing.assert_allclose(found.scores, densities[1] - densities[0], atol=1e-6)
        assert np.isnan(found.statistics).all()


def test_laplace_noise_is_weighed_by_its_density() -> None:
    normals = PairNormals(np.array([[0.0], [1.5]]), np.array([[[1.0]], [[2.0]]]))
    points = np.linspace(-9, 9, 37)
    found = normals.log_ratios(points[:, None], noise_of(np.array([[1.3]]), None, "laplace"))
    expected = log_density(points - 1.5, 2**0.5, 1.3) - log_density(points, 1.0, 1.3)
    np.testing.assert_allclose(found, expected, atol=1e-3)
    # Of independent noise on two statistics: the sum of both.
    both = PairNormals(
        np.array([[0.0, 0.0], [1.5, 1.0]]), np.array([np.diag([1.0, 1.0]), np.diag([2.0, 1.0])])
    )
    rows = np.random.default_rng(1).normal(size=(30, 2)) * 2
    found = both.log_ratios(rows, noise_of(np.diag([1.3, 0.8]), None, "laplace"))
    expected = (
        log_density(rows[:, 0] - 1.5, 2**0.5, 1.3)
        - log_density(rows[:, 0], 1.0, 1.3)
        + log_density(rows[:, 1] - 1.0, 1.0, 0.8)
        - log_density(rows[:, 1], 1.0, 0.8)
    )
    np.testing.assert_allclose(found, expected, atol=0.05)


def test_datasets_are_on_the_grid(people: pd.DataFrame, pair: dp.Pair) -> None:
    query = dp.Query(
        [
            dp.Mean("age"),
            dp.Sum("hours"),
            dp.Count("status", "married"),
            dp.Median("age"),
            dp.Quantile("hours", 0.25),
            dp.StandardDeviation("age"),
        ]
    )
    groups = dp.record_groups(people, query, pair.secret)
    for n in (60, 61):
        grid = Grid.of_records(groups, query, thetas_of(pair, n, False))
        assert grid.steps[0] == pytest.approx(1 / n)
        assert grid.steps[1:4] == pytest.approx([0.1, 1.0, 1.0 if n % 2 else 0.5])
        assert grid.places.tolist() == [0, 1, 2, 3, 4]
        drawn = dp.model.simulate(
            groups, query, dp.model.Theta(pair.secret, 0.4, n), 50, np.random.default_rng(1)
        )
        places = grid.places
        np.testing.assert_allclose(grid.nearest(drawn[:, places], places), drawn[:, places])


def continuous(people: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rich = people["income"] == "high"
    return people.assign(wealth=rng.normal(size=len(people)) + 0.3 * rich, luck=rng.random(2000))


def test_statistics_on_no_grid(people: pd.DataFrame, pair: dp.Pair) -> None:
    table = continuous(people)
    bare = dp.Query([dp.Mean("wealth"), dp.Mean("luck")])
    groups = dp.record_groups(table, bare, pair.secret)
    # 2000 values without a step count as discrete for a noise, but there is no grid to try.
    assert not Grid.of_records(groups, bare, thetas_of(pair, 60, False)).places.size
    mixed = dp.Query([dp.Count("status", "married"), dp.Mean("wealth"), dp.Sum("age")])
    for query, exact in ((bare, 0.0), (mixed, 1.0)):
        model = dp.fit_gaussian(table, query, pair, 60)
        noise = dp.calibrate("DauM", model, 1.0, 1e-3, "exact", grid_safe=False)
        for each in (noise, noise_of(noise.directions * noise.scales, None, "laplace")):
            found = attack(table, model, {"it": each, "none": None}, repetitions=5, rounded=False)
            if exact:
                assert found.recovered["it"].mean() > 0.99
                assert found.accuracy["it"].mean() == pytest.approx(
                    found.accuracy["none"].mean(), abs=0.05
                )


def test_statistics_without_a_closed_form(people: pd.DataFrame, pair: dp.Pair) -> None:
    query = dp.Query([dp.Median("age"), dp.Count("status", "married"), dp.StandardDeviation("age")])
    model = dp.fit_gaussian(people, query, pair, 60, method="monte-carlo", rng=1)
    noise = dp.calibrate("DirM", model, 1.0, 1e-3, "exact", grid_safe=False)
    found = attack(people, model, {"DirM": noise, "none": None}, repetitions=5, rounded=False)
    assert found.recovered["DirM"].mean() > 0.9
    assert found.accuracy["DirM"].mean() == pytest.approx(found.accuracy["none"].mean(), abs=0.06)


@pytest.mark.parametrize("shares", [(0.0, 1.0), (0.0, 0.5), (0.4, 0.6)])
@pytest.mark.parametrize("n", [2, 5, 60])
def test_shares_at_the_ends_and_few_records(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty, shares, n: int
) -> None:
    pair = dp.Pair(rich, *shares)
    noise = noise_of(np.array([[1.0], [30.0], [3.0], [0.1]]))
    result = dp.run_attack(
        people, query, pair, n, {"it": noise, "none": None}, repetitions=2, classifier="arithmetic"
    )
    assert (result.accuracy["it"] >= 0.4).all()
    assert np.isfinite(result.accuracy["none"]).all()


def test_a_statistic_that_does_not_vary(people: pd.DataFrame, pair: dp.Pair) -> None:
    table = people.assign(one=1)
    query = dp.Query([dp.Mean("one"), dp.Count("status", "married"), dp.Mean("age")])
    noises = {"it": noise_of(np.array([[0.0], [4.0], [1.2345]])), "none": None}
    result = dp.run_attack(
        table, query, pair, 60, noises, repetitions=3, classifier="arithmetic", rng=1, rounded=False
    )
    np.testing.assert_array_equal(result.accuracy["it"], result.accuracy["none"])


def test_rounding_is_that_of_a_release(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty, model: dp.GaussianModel
) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3, "exact", grid_safe=False)
    release = dp.draw_release(people, query, rich, noise, n=60)
    places = last_places(noise)
    assert places == pytest.approx([10.0**-each for each in release.decimals])
    np.testing.assert_allclose(rounded(release.values[None], noise)[0], release.values)
    values = np.random.default_rng(1).normal(size=(5, 4)) * 100
    assert (np.abs(rounded(values, noise) - values) <= places / 2 + 1e-9).all()
    partly = gaussian_noise("x", np.diag([4.0, 0.0]), epsilon=1.0, delta=1e-3, calibration="exact")
    assert last_places(partly) == pytest.approx([0.01, 0.0])
    np.testing.assert_allclose(rounded(np.array([[1.23456, 1.23456]]), partly), [[1.23, 1.23456]])


def test_classifiers_recover_nothing(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> None:
    result = dp.run_attack(people, query, pair, 60, {"none": None}, repetitions=2)
    assert result.recovered == {}


@pytest.mark.parametrize("share_of", ["release", "table"])
@pytest.mark.parametrize("tied", [False, True], ids=["price", "tied"])
def test_cosets_tell_the_share_until_a_floor_hides_them(tied: bool, share_of: str) -> None:
    rng = np.random.default_rng(0)
    sale, flag = rng.random(4000) < 0.5, rng.random(4000) < 0.5
    table = pd.DataFrame(
        {
            "price": np.round(rng.integers(5, 50, 4000) - 0.01 * sale, 2),
            "points": 2.0 * rng.integers(0, 9, 4000) + (flag ^ sale),
            "flag": np.where(flag, "up", "down"),
            "sale": np.where(sale, "yes", "no"),
        }
    )
    query = dp.Query([dp.Mean("points"), dp.Count("flag", "up")] if tied else [dp.Mean("price")])
    pair = dp.SensitiveProperty("sale", "yes").pair(0.5, 0.1)
    model = dp.fit_gaussian(table, query, pair, n=110, share_of=share_of)
    noises: dict[str, dp.Noise | None] = {"none": None}
    for epsilon in (1.0, 8.0):
        noises[f"floor {epsilon:g}"] = dp.calibrate("OptM", model, epsilon, 1e-3)
    if tied:
        noises["undone"] = dp.calibrate("DauM", model, 0.05, 1e-3, "exact", grid_safe=False)
    options = {"rounded": False, "split": False, "share_of": share_of}
    found = attack(table, model, noises, **options).accuracy
    for name, accuracies in found.items():
        figure = dp.optimal_attack_accuracy(model, noises[name])
        assert accuracies.mean() < figure + 3 * 0.5 / math.sqrt(accuracies.size * 200)
        if name in ("none", "undone") and share_of == "release":
            assert accuracies.min() == figure == 1.0
    if share_of == "table" and not tied:  # every number has a coset of its own
        best = dp.optimal_attack_accuracy(model)
        assert found["none"].mean() == pytest.approx(best, abs=0.02)


def test_noise_far_larger_than_the_statistics_leaves_what_is_likely_without_it() -> None:
    """W(Σ + W)⁻¹Σ, and not W − W(Σ + W)⁻¹W, which is no covariance where W is that large."""
    normals = PairNormals(np.full((2, 1), 40.0), np.zeros((2, 1, 1)))
    noise = noise_of(np.array([[65188.435]]))
    attacker = ArithmeticAttacker(normals, Grid(np.array([0.5]), np.zeros(1)), noise, True)
    guesses = attacker.guess(np.array([[40.0], [66000.0]]))
    assert np.isfinite(guesses.scores).all()
