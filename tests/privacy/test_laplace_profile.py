"""What Laplace noise delivers, against quadrature, grids, simulation, and what is proven."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erfcx, log_ndtr
from scipy.stats import multivariate_normal

import distpriv as dp
from distpriv.errors import CalibrationError
from distpriv.privacy.laplace_profile import (
    laplace_losses,
)
from distpriv.privacy.normal_laplace import Table, log_density, upper_tail
from distpriv.privacy.privacy_loss import PrivacyLoss
from tests.privacy.laplace import laplace_bound, laplace_delta, laplace_epsilon

QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)
PAIR = dp.SensitiveProperty("income", ">50K").pair(0.5, 0.1)


def normals(seed: int, m: int, unlike: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Means and covariances of two normals that differ by about one standard deviation."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(m, 2 * m)) / math.sqrt(2 * m)
    second = first + unlike * rng.normal(size=(m, 2 * m)) / math.sqrt(2 * m)
    return rng.normal(size=(2, m)), np.array([first @ first.T, second @ second.T])


def convolved(x: float, spread: float, scale: float) -> float:
    """Density of a normal plus Laplace variable by integrating over the latter."""

    def integrand(t: float) -> float:
        z = (x - t) / spread
        return math.exp(-z * z / 2 - abs(t) / scale)

    corners = sorted({x - 10 * spread, x - spread, x, x + spread, x + 10 * spread, 0.0})
    ends = [min(corners) - 1, *corners, max(corners) + 1]
    parts = (quad(integrand, low, high, limit=200, epsabs=1e-14)[0] for low, high in pairwise(ends))
    return sum(parts) / (2 * scale * spread * math.sqrt(2 * math.pi))


@pytest.mark.parametrize(("spread", "scale"), [(1.0, 1.0), (0.1, 2.0), (3.0, 0.4), (0.5, 0.5)])
def test_density_and_tail_of_normal_plus_laplace(spread, scale):
    for x in (0.0, 0.3, -1.0, 2.5):
        expected = convolved(x, spread, scale)
        assert float(np.exp(log_density(np.array(x), spread, scale))) == pytest.approx(
            expected, rel=1e-9
        )
        beyond = quad(lambda t: float(np.exp(log_density(np.array(t), spread, scale))), x, x + 60)
        assert float(upper_tail(np.array(x), spread, scale)) == pytest.approx(beyond[0], abs=1e-8)


def test_the_table_of_the_density_keeps_its_slope():
    table, x = Table.of(0.7, 1.3), np.linspace(-20, 20, 40_001)
    read = np.zeros_like(x)
    table.add_to(read, x.copy())
    assert np.abs(read - log_density(x, 0.7, 1.3)).max() < 5e-6
    assert np.abs(np.diff(read)).max() <= (x[1] - x[0]) / 1.3 * (1 + 1e-9)


def by_quadrature(means, variances, scale, epsilon):
    """∫ (p − e^ε q)_+ for one statistic, from densities of their own."""

    def density(mean: float, variance: float) -> np.ndarray:
        sigma = math.sqrt(variance)
        z, ratio = (x - mean) / sigma, sigma / scale
        tilted = [erfcx((ratio + sign * z) / math.sqrt(2)) for sign in (1, -1)]
        return np.exp(-z * z / 2) * sum(tilted) / (4 * scale)

    # erfcx overflows beyond some 25 spreads; there is nothing to find there.
    x = np.linspace(-17, 17, 120_001)
    p, q = (density(m, v) for m, v in zip(means, variances, strict=True))
    return float(np.trapezoid(np.maximum(0.0, p - math.exp(epsilon) * q), x))


@pytest.mark.parametrize(
    ("variances", "scale", "epsilon"),
    [
        ((1.0, 1.0), 0.7, 0.5),
        ((1.0, 1.3), 0.7, 0.5),
        ((1.3, 1.0), 1.0, 0.8),
        ((1.3, 1.0), 0.6, 0.0),
        ((0.5, 2.0), 0.4, 0.3),
    ],
)
def test_one_statistic_against_quadrature(variances, scale, epsilon):
    means = (0.8, 0.0)
    found = laplace_delta(
        np.array(means)[:, None],
        np.array(variances)[:, None, None],
        np.eye(1),
        np.array([scale]),
        [epsilon],
        order=0,
    )
    assert found.kind == "exact"
    assert found.delta[0] == pytest.approx(
        by_quadrature(means, variances, scale, epsilon), abs=3e-7
    )


def on_a_grid(means, covariances, scales, epsilons):
    """δ of two statistics with independent Laplace noise in both orders, convolved on a grid."""
    half, points = 9.0 + 16 * scales.max(), 1600  # no prime, which transforms slowly
    axis = np.linspace(-half, half, points)
    width = axis[1] - axis[0]
    x = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    transform = np.ones((points, points))
    frequency = 2 * math.pi * np.fft.fftfreq(points, width)
    for index, scale in enumerate(scales):
        factor = 1 / (1 + (scale * frequency) ** 2)
        transform = transform * (factor[:, None] if index == 0 else factor[None])
    densities = [
        np.fft.ifft2(np.fft.fft2(multivariate_normal(mean, covariance).pdf(x)) * transform).real
        for mean, covariance in zip(means, covariances, strict=True)
    ]
    return [
        np.array([np.maximum(p - math.exp(e) * q, 0).sum() * width**2 for e in epsilons])
        for p, q in (densities, densities[::-1])
    ]


@pytest.mark.parametrize("scale", [0.15, 0.5, 0.9, 2.5])
@pytest.mark.parametrize("correlation", [0.0, 0.6, -0.9])
def test_two_statistics_against_a_grid(scale, correlation):
    means = np.array([[0.5, -0.2], [0.0, 0.3]])
    first = np.array([[1.0, correlation], [correlation, 1.0]])
    covariances = np.array([first, first * 1.3 + 0.05 * np.eye(2)])
    scales = np.array([scale, 1.2 * scale])
    epsilons = np.array([0.0, 0.2, 0.6, 1.0])
    for order, expected in enumerate(on_a_grid(means, covariances, scales, epsilons)):
        found = laplace_delta(
            means, covariances, np.eye(2), scales, epsilons, order=order, draws=4096
        )
        assert found.kind == "numerical"
        np.testing.assert_allclose(found.delta, expected, rtol=0.04, atol=3e-5)
        # Four standard errors, not the two of the interval: many are looked at.
        assert (found.low - 1e-5 <= expected + (found.delta - found.low)).all()
        assert (expected - (found.high - found.delta) <= found.high + 1e-5).all()


@pytest.mark.parametrize("order", [0, 1])
def test_one_direction_against_two_million_draws(order):
    """Five statistics, noise in one direction; the densities are those of an integral over it."""
    means, covariances = normals(4, 5)
    direction, scale = np.array([0.6, 0.0, -0.5, 0.3, 0.2])[:, None], 0.8
    rng = np.random.default_rng(11)
    first, second = (0, 1) if order == 0 else (1, 0)
    drawn = rng.multivariate_normal(means[first], covariances[first], size=2_000_000)
    drawn += rng.laplace(scale=scale, size=(2_000_000, 1)) * direction[:, 0]

    def log_likelihood(index: int) -> np.ndarray:
        # ∫ N(y − t v; μ, Σ) Lap(t) dt: a quadratic exponent in t on either side of 0.
        precision = np.linalg.inv(covariances[index])
        away = drawn - means[index]
        v = direction[:, 0]
        curve = float(v @ precision @ v)
        pull = away @ precision @ v
        base = -np.einsum("ni,ij,nj->n", away, precision, away) / 2
        ends = [(1 / scale - sign * pull) / math.sqrt(curve) for sign in (1, -1)]
        halves = [end**2 / 2 + log_ndtr(-end) for end in ends]
        volume = np.linalg.slogdet(covariances[index])[1] + math.log(curve)
        return base + np.logaddexp(*halves) - volume / 2

    loss = log_likelihood(first) - log_likelihood(second)
    epsilons = np.array([0.0, 0.5, 1.5])
    found = laplace_delta(means, covariances, direction, np.array([scale]), epsilons, order=order)
    for index, epsilon in enumerate(epsilons):
        gains = np.maximum(0, 1 - np.exp(epsilon - loss))
        error = gains.std() / math.sqrt(len(gains))
        width = found.high[index] - found.delta[index]
        assert found.delta[index] == pytest.approx(gains.mean(), abs=5 * error + 2 * width)
        assert found.delta[index] == pytest.approx(gains.mean(), rel=0.05, abs=1e-4)


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_translations_keep_the_promise(m, epsilon):
    """With equal covariances, and the noise calibrated to the shift, δ = 0 at the promise."""
    means, covariances = normals(m, m, unlike=0.0)
    shift = means[0] - means[1]
    same = np.full(m, np.abs(shift).sum() / epsilon)
    along = shift[:, None] / np.linalg.norm(shift)
    length = np.array([np.linalg.norm(shift) / epsilon])
    for directions, scales in ((np.eye(m), same), (along, length)):
        found = laplace_delta(means, covariances, directions, scales, [0.3 * epsilon, epsilon])
        assert found.delta[1] < 1e-13
        assert found.high[1] < 1e-13
        assert found.delta[0] > 0
        spent = laplace_epsilon(means, covariances, directions, scales, 1e-12)
        assert spent.estimate <= epsilon * (1 + 1e-6)


def test_noise_in_some_directions_only():
    """Two of three statistics; the same as all three with hardly any noise on the third."""
    means, covariances = normals(7, 3)
    epsilons = [0.0, 0.3, 1.0]
    some = laplace_delta(means, covariances, np.eye(3)[:, :2], np.array([0.9, 0.7]), epsilons)
    all_ = laplace_delta(means, covariances, np.eye(3), np.array([0.9, 0.7, 1e-3]), epsilons)
    np.testing.assert_allclose(some.delta, all_.delta, rtol=0.06)
    none = laplace_delta(means, covariances, np.eye(3), np.array([0.9, 0.7, 0.0]), epsilons)
    np.testing.assert_allclose(none.delta, some.delta, rtol=1e-9)


def test_directions_that_are_not_orthogonal_and_units_change_nothing():
    means, covariances = normals(8, 2)
    bent = np.array([[2.0, 0.5], [0.0, 3.0]])
    scales, epsilons = np.array([0.5, 1.5]), [0.0, 0.4, 1.2]
    straight = laplace_delta(means, covariances, np.eye(2), scales, epsilons)
    moved = laplace_delta(means @ bent.T, bent @ covariances @ bent.T, bent, scales, epsilons)
    np.testing.assert_allclose(straight.delta, moved.delta, rtol=1e-6)
    one = laplace_delta(1e6 * means, 1e12 * covariances, np.eye(2), 1e6 * scales, epsilons)
    np.testing.assert_allclose(straight.delta, one.delta, rtol=1e-6)


def test_without_noise_it_is_the_undefended_profile():
    means, covariances = normals(9, 3)
    epsilons = np.array([0.0, 0.5, 2.0])
    expected = PrivacyLoss.between(means[0], covariances[0], means[1], covariances[1])
    for directions, scales in ((np.eye(3), np.zeros(3)), (np.zeros((3, 0)), np.zeros(0))):
        found = laplace_delta(means, covariances, directions, scales, epsilons, order=0)
        assert found.kind == "exact"
        np.testing.assert_allclose(found.delta, expected.deltas(epsilons), atol=1e-10)
    spent = laplace_epsilon(means, covariances, np.eye(3), np.zeros(3), 0.01, order=0)
    assert spent.estimate == pytest.approx(expected.epsilon(0.01))


@pytest.mark.parametrize("scale", [1e-4, 1e4])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_hardly_any_noise_and_overwhelming_noise(m, scale):
    means, covariances = normals(12, m)
    found = laplace_delta(means, covariances, np.eye(m), np.full(m, scale), [0.0, 0.5, 1.0])
    losses = [
        PrivacyLoss.between(means[i], covariances[i], means[1 - i], covariances[1 - i])
        for i in range(2)
    ]
    bare = np.max([loss.deltas(np.array([0.0, 0.5, 1.0])) for loss in losses], axis=0)
    expected = bare if scale < 1 else np.zeros(3)
    np.testing.assert_allclose(found.delta, expected, rtol=0.05, atol=1e-3)


@given(
    seed=st.integers(0, 400),
    m=st.integers(1, 4),
    several=st.booleans(),
    scale=st.floats(0.05, 20),
    unlike=st.sampled_from([0.0, 0.05, 0.3]),
)
@settings(max_examples=20, deadline=None)
def test_it_falls_and_stays_within_what_is_proven(seed, m, several, scale, unlike):
    means, covariances = normals(seed, m, unlike)
    directions = np.eye(m) if several else np.ones((m, 1)) / math.sqrt(m)
    scales = np.full(directions.shape[1], scale)
    epsilons = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 50.0])
    setting = means, covariances, directions, scales
    for order in (0, 1):
        found = laplace_delta(*setting, epsilons, order=order, draws=256)
        most = laplace_bound(*setting, epsilons, order=order)
        bare = PrivacyLoss.between(
            means[order], covariances[order], means[1 - order], covariances[1 - order]
        )
        assert most.kind == "bound"
        assert (np.diff(found.delta) <= 1e-15).all()
        assert (found.low >= 0).all()
        assert (found.low <= found.delta).all()
        assert (found.delta <= found.high).all()
        assert (found.high <= most.delta).all()
        assert (most.delta <= bare.deltas(epsilons) + 1e-12).all()
        assert (most.high == most.delta).all()


@given(seed=st.integers(0, 400), m=st.integers(1, 3), delta=st.floats(1e-4, 0.3))
@settings(max_examples=12, deadline=None)
def test_epsilon_undoes_delta(seed, m, delta):
    means, covariances = normals(seed, m)
    setting = means, covariances, np.eye(m), np.full(m, 0.7)
    for order in (0, 1):
        spent = laplace_epsilon(*setting, delta, order=order, draws=256)
        assert 0 <= spent.low <= spent.estimate <= spent.high
        back = laplace_delta(*setting, [spent.estimate], order=order, draws=256).delta[0]
        if spent.estimate > 0:
            assert back == pytest.approx(delta, rel=1e-4)
        else:
            assert back <= delta


def test_the_worse_of_both_orders():
    means, covariances = normals(3, 3)
    setting = means, covariances, np.eye(3), np.full(3, 0.8)
    epsilons = [0.0, 0.5, 1.5]
    both = [laplace_delta(*setting, epsilons, order=order) for order in (0, 1)]
    worst = laplace_delta(*setting, epsilons)
    for name in ("delta", "low", "high"):
        expected = np.maximum(*(getattr(each, name) for each in both))
        np.testing.assert_array_equal(getattr(worst, name), expected)
    # Total variation has no order.
    assert both[0].delta[0] == pytest.approx(both[1].delta[0], rel=0.05)


def test_the_same_seed_gives_the_same_and_another_agrees():
    means, covariances = normals(5, 4)
    setting = means, covariances, np.eye(4), np.full(4, 1.1), [0.1, 0.7]
    first, again, other = (laplace_delta(*setting, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.delta, again.delta)
    assert (first.delta != other.delta).all()
    width = first.high - first.delta + other.high - other.delta
    assert (np.abs(first.delta - other.delta) <= 2 * width).all()


def test_the_interval_holds_the_truth_most_of_the_time():
    """Against many more draws; 95 % is meant, and chance allows for a few less of 40."""
    means, covariances = normals(6, 3)
    setting = means, covariances, np.eye(3), np.full(3, 0.9)
    epsilons = [0.1, 0.6, 1.2]
    truth = laplace_delta(*setting, epsilons, order=0, draws=2**15, seed=99)
    held = np.zeros(3)
    for seed in range(40):
        found = laplace_delta(*setting, epsilons, order=0, draws=128, seed=seed)
        held += (found.low <= truth.delta) & (truth.delta <= found.high)
    assert (held >= 33).all(), held


def test_the_embedded_example():
    model = dp.fit_gaussian(dp.load_census_income(), QUERY, PAIR, n=100)
    (fit,) = model.pairs
    for name, high in (("ExpM(L)", 2e-4), ("DirM(L)", 1e-2)):
        noise = dp.calibrate(name, model, epsilon=1.0)
        setting = fit.means, fit.covariances, noise.directions, noise.scales
        found = laplace_delta(*setting, [0.5, 1.0])
        exact = laplace_delta(*setting, [0.5, 1.0], draws=2**13, seed=3)
        assert 1e-5 < found.delta[1] < high
        np.testing.assert_allclose(found.delta, exact.delta, rtol=0.1, atol=1e-5)
        spent = laplace_epsilon(*setting, float(found.delta[1]))
        assert spent.estimate == pytest.approx(1.0, rel=1e-3)


def test_what_is_refused():
    means, covariances = normals(1, 2)
    setting = np.eye(2), np.ones(2)
    for wrong in ([-1.0], [math.nan], [math.inf]):
        with pytest.raises(CalibrationError, match="ε"):
            laplace_delta(means, covariances, *setting, wrong)
    with pytest.raises(CalibrationError):
        laplace_epsilon(means, covariances, *setting, 0.0)
    for singular in (np.ones((2, 2)), np.diag([1.0, 0.0])):
        with pytest.raises(CalibrationError, match="positive definite"):
            laplace_losses(means, np.array([np.eye(2), singular]), *setting)
