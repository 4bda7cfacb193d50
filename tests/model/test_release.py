"""Errors and joint laws of releases against simulation, regression, and check values on Adult."""

import math

import numpy as np
import pytest

from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate
from distpriv.model import AS_IT_IS, Error, Promise, Release
from distpriv.model.release import best_estimate, joint_law, no_data, release_error
from distpriv.model.simulate import draw_subsets
from distpriv.privacy.loss import normal_delta
from distpriv.queries import Count, Mean, Median, Query
from tests import adult
from tests.model.test_fit import fitted

DRAWS = 100_000
BALANCED = Release("BalM", kept=np.full(2, 6.0), stands_for=np.full(2, 10.0))


def noise_of(seed, m=3, size=1.0):
    root = np.random.default_rng(seed).normal(size=(m, m)) * size
    return root @ root.T


def directions_of(seed, m, r):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(m, r)))[0]


# ---------------------------------------------------------------- check values

# Adult, income 0.45 against 0.55; with replacement where nothing else is said.


@pytest.mark.parametrize(
    ("n", "length", "rms"),
    [(100, (2.887, 2.495), (3.1806, 2.6621)), (1000, (21.46, 21.16), None)],
)
def test_balanced_errors_on_adult(n, length, rms):
    model = adult.model(adult.INCOME.pair(0.5, 0.1), n=n, replacement=True)
    balanced = calibrate("BalM", model)
    assert (balanced.kept.tolist(), balanced.reference) == ([0.45 * n] * 2, 0.5)
    error = release_error(model, balanced)
    assert error.length == pytest.approx(length, abs=6e-4 if n == 100 else 6e-3)
    if rms is not None:
        assert error.rms == pytest.approx(rms, abs=1e-4)
        # Mean error in deviations of sampling, worse share: 0.41, and 0.86 of no data.
        deviation = np.sqrt(np.diagonal(model.pairs[0].pooled))
        assert (error.absolute.max(axis=0) / deviation).mean() == pytest.approx(0.415, abs=0.005)
        nothing = release_error(model, no_data(model)).absolute.max(axis=0)
        assert (nothing / deviation).mean() == pytest.approx(0.86, abs=0.005)
    means, covariances = joint_law(model, [balanced])
    assert (means[0] == means[1]).all()
    assert (covariances[0] == covariances[1]).all()


def test_no_data_errs_by_what_anybody_expects():
    for replacement in (False, True):
        model = adult.model(adult.INCOME.pair(0.5, 0.1), replacement=replacement)
        assert no_data(model).expected_error(model) == pytest.approx(5.85, abs=6e-3)
    assert no_data(model).kind == "no data"
    assert no_data(model, 0.2).stands_for.tolist() == [80, 20]


def test_expected_length_of_independent_laplace_noise():
    # E of the length of m Laplace variables of scale 1: 1, and for two sqrt(2) E by direct integral.
    one = Error(np.zeros((2, 3)), np.zeros((2, 3, 3)), np.eye(3)[:, :1], 2.0)
    assert one.length == pytest.approx(2)
    x = np.arange(0.02, 25, 0.04)
    length = (np.hypot(x[:, None], x) * np.exp(-x[:, None] - x)).sum() * 16e-4
    error = Error(np.zeros((2, 2)), np.zeros((2, 2, 2)), directions_of(0, 2, 2), 1.0)
    assert error.length == pytest.approx(length, rel=1e-4)


# ---------------------------------------------------------------- errors against draws


@pytest.mark.parametrize("r", [0, 1, 2, 5, 7])
@pytest.mark.parametrize("floor", [0.0, 0.7])
def test_error_is_that_of_draws(r, floor):
    m = max(r, 3)
    rng = np.random.default_rng(10 * r + int(100 * floor))
    error = Error(
        rng.normal(size=(2, m)) * floor,
        np.array([noise_of(r, m, floor + (r == 0)), noise_of(r + 1, m, floor + (r == 0))]),
        directions_of(r, m, r) @ np.diag(np.linspace(1, 1.5, r)) if r else None,
        1.3 if r else 0.0,
    )
    for share in (0, 1):
        draws = rng.multivariate_normal(error.bias[share], error.covariances[share], DRAWS)
        if r:
            draws += rng.laplace(0, 1.3, (DRAWS, r)) @ error.directions.T
        length = np.linalg.norm(draws, axis=1)
        near = 4.5 * length.std() / math.sqrt(DRAWS) + (1.5e-3 * length.mean() if r > 1 else 0)
        assert abs(error.length[share] - length.mean()) < near
        near = 4.5 * draws.std(axis=0) / math.sqrt(DRAWS) + 1e-9
        assert (np.abs(error.absolute[share] - np.abs(draws).mean(axis=0)) < near).all()
        assert error.rms[share] == pytest.approx(math.sqrt((length**2).mean()), rel=0.02)


def test_error_of_large_and_of_no_bias():
    along = np.eye(2)[:, :1]
    for bias in (0.0, 0.3, 2.0, 5.0, 1e7):
        error = Error(np.full((2, 2), bias), np.zeros((2, 2, 2)), along, 1.0)
        closed = bias + math.exp(-bias)  # of a Laplace variable of scale 1, moved
        assert error.absolute[0] == pytest.approx([closed, bias], rel=1e-5)
    none = Error(np.zeros((2, 2)), np.zeros((2, 2, 2)))
    assert none.length.tolist() == none.rms.tolist() == [0, 0]
    assert none.absolute.tolist() == [[0, 0], [0, 0]]
    far = Error(np.array([[3.0, 4.0], [0.0, 0.0]]), np.zeros((2, 2, 2)))
    assert far.length == pytest.approx([5, 0])


# ---------------------------------------------------------------- joint laws


def simulated(model, kept, stands_for, count, seed):
    """Figures as they are and of kept records, at both shares: (2, count, m) each."""
    rng, pair = np.random.default_rng(seed), model.pairs[0]
    both = np.zeros((2, 2, count, 3))
    for share, numbers in enumerate(pair.numbers):
        for group, records in enumerate(pair.groups.records):
            rows = draw_subsets(len(records), int(numbers[group]), count, rng, model.replacement)
            part = records[rows[:, : int(kept[group])]].mean(axis=1) * stands_for[group]
            both[:, share] += records[rows].sum(axis=1), part
    return both * model.scales


@pytest.mark.parametrize("replacement", [False, True])
def test_joint_law_and_error_are_those_of_nested_samples(replacement):
    model, count = fitted(20, 0.3, 0.5, replacement), 10_000
    kept, stands_for = np.array([10.0, 6.0]), np.array([12.0, 8.0])
    release = Release("BalM", kept=kept, stands_for=stands_for, reference=0.4)
    means, covariances = joint_law(model, [AS_IT_IS, release])
    error = release_error(model, release)
    every, some = simulated(model, kept, stands_for, count, 1)
    for share in (0, 1):
        both = np.hstack([every[share], some[share]])
        deviation = np.sqrt(np.diagonal(covariances[share]))
        away = np.abs(both.mean(axis=0) - means[share])
        assert (away < 4.5 * deviation / math.sqrt(count)).all()
        slack = 5 * np.outer(deviation, deviation) * math.sqrt(2 / count)
        assert (np.abs(np.cov(both.T) - covariances[share]) < slack).all()
        absolute = np.abs(some[share] - every[share]).mean(axis=0)
        assert error.absolute[share] == pytest.approx(absolute, rel=0.03)


@pytest.mark.parametrize("kind", ["normal", "laplace", "kept"])
def test_best_estimate_is_least_squares(kind):
    model, count = fitted(20, 0.2, 0.8), 40_000
    rng = np.random.default_rng(2)
    spread = np.sqrt(np.diagonal(model.pairs[0].pooled))
    kept, stands_for = np.array([4.0, 4.0]), np.array([11.0, 9.0])
    every, some = simulated(model, kept, stands_for, count, 3)
    if kind == "kept":
        release = Release("BalM", kept=kept, stands_for=stands_for)
    else:
        covariance = noise_of(4) * np.outer(spread, spread) / 4 if kind == "normal" else None
        along = directions_of(5, 3, 2) if kind == "laplace" else None
        release = Release("noise", covariance, along, scale=3.0 if kind == "laplace" else 0.0)
        some = every + release.sample(2 * count, rng).reshape(every.shape)
    constant, slope, error = best_estimate(model, release)
    design = np.hstack([np.ones((2 * count, 1)), some.reshape(-1, 3) / spread])
    target = every.reshape(-1, 3) / spread
    ours = (constant + some.reshape(-1, 3) @ slope.T) / spread - target
    fit, *_ = np.linalg.lstsq(design, target, rcond=None)
    least = ((design @ fit - target) ** 2).sum(axis=0)
    assert ((ours**2).sum(axis=0) < least * 1.01).all()
    shares = ours.reshape(2, count, 3)
    # Six records kept of a count are no bell curve, so their mean error is off by some per cent.
    near = pytest.approx(np.abs(shares).mean(axis=1), rel=0.05 if kind == "kept" else 0.02)
    assert error.absolute / spread == near
    assert (error.rms <= release_error(model, release).rms * (1 + 1e-9)).all()


def test_estimate_from_figures_as_they_are_is_exact():
    model = fitted(20, 0.3, 0.5)
    _, slope, error = best_estimate(model, AS_IT_IS)
    assert slope == pytest.approx(np.eye(3), abs=1e-6)
    assert error.rms == pytest.approx([0, 0], abs=1e-4)
    constant, slope, error = best_estimate(model, no_data(model))
    assert (slope == 0).all()
    assert constant == pytest.approx(model.pairs[0].means.mean(axis=0))


def test_release_that_keeps_too_much_is_refused():
    model = fitted(20, 0.3, 0.5)
    with pytest.raises(DistprivError, match="made for another range or number"):
        joint_law(model, [Release("BalM", kept=np.array([12.0, 5]), stands_for=np.ones(2))])
    with pytest.raises(DistprivError, match="without kept records"):
        joint_law(model, [Release("BalM", kept=np.array([0.0, 5]), stands_for=np.ones(2))])


# ---------------------------------------------------------------- promises, noise


def test_promises_and_limits_on_guesses():
    for some in [(-1, 0), (math.inf, 0), (math.nan, 0), (1, 1), (1, -0.1), (1, math.nan)]:
        with pytest.raises(DistprivError, match="must be"):
            Promise(*some)
    assert Promise.of_guesses(60) == Promise(0.0, 0.2, 60)
    for guesses in (50, 100, math.nan, 7):
        with pytest.raises(DistprivError, match="above 50 and below 100"):
            Promise.of_guesses(guesses)


def test_noise_has_its_covariance_though_statistics_differ_in_size():
    unit = np.array([1e-6, 1.0, 1e12])
    covariance = (noise_of(6) + 0.1 * np.eye(3)) * np.outer(unit, unit)
    release = Release("OptM", covariance=covariance, promise=Promise(1.0, 1e-3))
    draws = release.sample(DRAWS, 7) / unit
    exact = covariance / np.outer(unit, unit)
    assert np.cov(draws.T) == pytest.approx(exact, rel=0.03, abs=0.03)
    assert (release.sample(5, 8) == release.sample(5, 8)).all()
    assert release.key == ("OptM", 1.0, 1e-3)
    assert repr(release) == "Release('OptM', ε = 1, δ = 0.001)"
    laplace = Release("DirM(L)", directions=directions_of(9, 3, 1), scale=2.0)
    assert np.cov(laplace.sample(DRAWS, 10).T) == pytest.approx(laplace.total(3), abs=0.15)
    assert laplace.expected_error() == pytest.approx(2.0)


def test_release_says_what_it_promises_about_each_record():
    query, bounds = Query([Mean("age"), Count("sex", "F")]), {"age": (0, 50)}
    release = Release("OptM", covariance=np.diag([0.25, 4.0]))
    # Ages move the mean by half a year at most, which is one deviation; the count by half a one.
    mu = math.hypot(1, 0.5)
    expected = normal_delta(np.array([mu]), np.array([1.0]))[0]
    assert release.per_record(query, 100, bounds).delta(1.0) == pytest.approx(expected, rel=1e-6)
    assert AS_IT_IS.per_record(query, 100, bounds).epsilon(1e-3) == math.inf
    assert BALANCED.per_record(query, 100, {}).epsilon(1e-3) == math.inf
    with pytest.raises(DistprivError, match="age"):
        release.per_record(query, 100, {})
    with pytest.raises(DistprivError, match="median age"):
        release.per_record(Query([Median("age"), Mean("age")]), 100, bounds)


def test_what_adds_no_noise_has_none_to_draw_and_needs_a_model_for_its_error():
    model = fitted(20, 0.3, 0.5)
    assert AS_IT_IS.kind == "as it is"
    assert AS_IT_IS.expected_error(model) == 0
    assert AS_IT_IS.expected_absolute_errors(model).tolist() == [0, 0, 0]
    for release in (AS_IT_IS, no_data(model)):
        with pytest.raises(DistprivError, match="no noise to draw"):
            release.sample(3)
        with pytest.raises(DistprivError, match="pass a model"):
            release.expected_error()
    assert BALANCED.kind == "balanced"
    frame = no_data(model).to_frame(model)
    assert frame["statistic"].tolist() == list(model.query.labels)
    assert AS_IT_IS.smoothness(model) == math.inf


def test_best_estimate_weighs_noise_against_both_shares():
    model, noise = fitted(20, 0.3, 0.5), np.diag([4.0, 1.0, 9.0])
    (pair,) = model.pairs
    prior = (
        pair.pooled + np.outer(pair.difference, pair.difference) / 4
    )  # of either share by halves
    slope = best_estimate(model, Release("noise", noise))[1]
    np.testing.assert_allclose(slope, prior @ np.linalg.inv(prior + noise), 1e-7, 1e-9)
