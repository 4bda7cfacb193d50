"""Noise: what it is drawn from, and its expected size without drawing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import ellipe

import distpriv as dp
from distpriv.privacy.noise import Noise, gaussian_noise

SCALES = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=6)


def _noise(distribution: str, scales: list[float], seed: int | None = None) -> Noise:
    """Along the axes, or along random orthonormal directions."""
    m = len(scales)
    directions = np.eye(m)
    if seed is not None:
        directions = np.linalg.qr(np.random.default_rng(seed).normal(size=(m, m)))[0]
    return Noise("test", distribution, directions, np.array(scales), 1.0, 0.001)


def _along(scales: list[float], weights: list[float], distribution: str) -> Noise:
    direction = np.array(weights)[:, None] / np.linalg.norm(weights)
    return Noise("test", distribution, direction, np.array(scales), 1.0, 0.0)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 20, 100])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 3e4])
def test_equal_gaussian_scales_give_the_mean_of_a_chi_variable(m: int, scale: float) -> None:
    mean = scale * math.sqrt(2) * math.exp(math.lgamma((m + 1) / 2) - math.lgamma(m / 2))
    assert _noise("gaussian", [scale] * m).expected_error() == pytest.approx(mean, rel=1e-11)


@given(st.floats(1e-6, 1))
def test_two_gaussian_scales_give_an_elliptic_integral(ratio: float) -> None:
    expected = 5 * math.sqrt(2 / math.pi) * ellipe(1 - ratio**2)
    assert _noise("gaussian", [5, 5 * ratio]).expected_error() == pytest.approx(expected, rel=1e-10)


@given(st.floats(1e-4, 1))
def test_two_laplace_scales_give_an_integral_over_the_angle(ratio: float) -> None:
    # E√(X²+Y²) in polar coordinates: the radius integrates to 2/(cos θ/a + sin θ/b)³.
    integral, _ = integrate.quad(
        lambda angle: 2 / (math.cos(angle) + math.sin(angle) / ratio) ** 3 / ratio,
        0,
        math.pi / 2,
        points=[ratio, 10 * ratio] if 10 * ratio < 1.5 else None,
        epsabs=0,
        epsrel=1e-11,
        limit=200,
    )
    found = _noise("laplace", [3, 3 * ratio]).expected_error()
    assert found == pytest.approx(3 * integral, rel=1e-8)


def test_five_equal_laplace_scales() -> None:
    # Norms of independent Laplace variables: 4 million draws gave 2.8632 ± 0.0007.
    assert _noise("laplace", [1.0] * 5).expected_error() == pytest.approx(2.8632, abs=0.0015)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize("scales", [[1, 1, 1], [5, 0.1, 1], [1, 2, 3, 4, 5], [2, 0, 1e-5]])
def test_expected_error_against_simulation(distribution: str, scales: list[float]) -> None:
    noise = _noise(distribution, scales, seed=len(scales))
    norms = np.linalg.norm(noise.sample(200_000, 1), axis=1)
    standard_error = norms.std() / math.sqrt(len(norms))
    assert abs(noise.expected_error() - norms.mean()) < 4.5 * standard_error
    errors = np.abs(noise.sample(200_000, 2))
    standard_errors = errors.std(axis=0) / math.sqrt(len(errors))
    away = np.abs(noise.expected_absolute_errors() - errors.mean(axis=0))
    assert (away < 4.5 * standard_errors).all()


@pytest.mark.parametrize(
    ("distribution", "factor"), [("gaussian", math.sqrt(2 / math.pi)), ("laplace", 1)]
)
def test_one_direction_is_in_closed_form(distribution: str, factor: float) -> None:
    noise = _along([4.0], [3, 0, -4], distribution)
    assert noise.expected_error() == pytest.approx(4 * factor, rel=1e-15)
    np.testing.assert_allclose(
        noise.expected_absolute_errors(), 4 * factor * np.array([0.6, 0, 0.8]), rtol=1e-12
    )


@given(st.floats(0.01, 1), st.floats(0, math.pi))
def test_two_laplace_variables_in_one_statistic(ratio: float, angle: float) -> None:
    cosine, sine = math.cos(angle), math.sin(angle)
    directions = np.array([[cosine, -sine], [sine, cosine]])
    noise = Noise("test", "laplace", directions, np.array([1.0, ratio]), 1.0, 0.0)
    for found, (a, b) in zip(
        noise.expected_absolute_errors(),
        [(abs(cosine), abs(sine) * ratio), (abs(sine), abs(cosine) * ratio)],
        strict=True,
    ):
        # Partial fractions of the characteristic function: (a³ − b³)/(a² − b²).
        assert found == pytest.approx((a * a + a * b + b * b) / (a + b), rel=1e-9)


@given(SCALES, st.sampled_from(["gaussian", "laplace"]), st.floats(1e-3, 1e3), st.integers(0, 99))
def test_size_follows_the_unit_and_not_the_direction(
    scales: list[float], distribution: str, factor: float, seed: int
) -> None:
    noise = _noise(distribution, scales)
    scaled = _noise(distribution, [factor * scale for scale in scales], seed)
    assert scaled.expected_error() == pytest.approx(factor * noise.expected_error(), rel=1e-9)
    assert scaled.rms_error() == pytest.approx(factor * noise.rms_error(), rel=1e-9)


@given(SCALES, st.sampled_from(["gaussian", "laplace"]), st.integers(0, 99))
def test_the_mean_is_between_its_bounds(scales: list[float], distribution: str, seed: int) -> None:
    noise = _noise(distribution, scales, seed)
    absolute = noise.expected_absolute_errors()
    assert noise.expected_error() <= noise.rms_error() * (1 + 1e-9)
    assert noise.expected_error() <= absolute.sum() * (1 + 1e-9)
    assert noise.expected_error() >= np.linalg.norm(absolute) * (1 - 1e-9)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize("seed", range(3))
def test_sampled_noise_has_the_stated_covariance(distribution: str, seed: int) -> None:
    noise = _noise(distribution, [0.5, 2.0, 1.0, 3.0], seed)
    draws = 200_000
    drawn = noise.sample(draws, seed)
    assert drawn.shape == (draws, 4)
    products = drawn[:, :, None] * drawn[:, None, :]
    standard_errors = products.std(axis=0) / math.sqrt(draws)
    assert (np.abs(products.mean(axis=0) - noise.covariance) < 4.5 * standard_errors).all()
    assert (np.abs(drawn.mean(axis=0)) < 4.5 * drawn.std(axis=0) / math.sqrt(draws)).all()
    assert noise.rms_error() == pytest.approx(math.sqrt(np.trace(noise.covariance)))


@given(st.integers(1, 6), st.integers(0, 6), st.floats(0, 9), st.integers(0, 2**32 - 1))
def test_a_covariance_is_kept(m: int, rank: int, sizes: float, seed: int) -> None:
    """To the digits of every statistic, of whatever size the others are."""
    rng = np.random.default_rng(seed)
    units = 10 ** rng.uniform(-sizes, sizes, m)
    factor = rng.normal(size=(m, min(rank, m))) * units[:, None]
    covariance = factor @ factor.T
    noise = gaussian_noise("test", covariance, epsilon=1, delta=0.1, calibration="exact")
    across = np.outer(units, units)
    np.testing.assert_allclose(noise.covariance / across, covariance / across, atol=1e-10)
    assert noise.is_zero == (rank == 0)
    assert len(noise.scales) == min(rank, m)
    np.testing.assert_allclose(np.linalg.norm(noise.directions, axis=0), 1.0)
    if sizes == 0 and (np.diag(covariance).min() > 1e-3 * np.diag(covariance).max()):
        orthogonal = noise.directions.T @ noise.directions
        np.testing.assert_allclose(orthogonal, np.eye(len(noise.scales)), atol=1e-12)


def test_no_noise_is_none() -> None:
    noise = gaussian_noise("test", np.zeros((3, 3)), epsilon=1, delta=0.1, calibration="exact")
    assert noise.is_zero
    assert noise.dimension == 3
    assert noise.expected_error() == noise.rms_error() == 0
    np.testing.assert_array_equal(noise.expected_absolute_errors(), np.zeros(3))
    np.testing.assert_array_equal(noise.release([1, 2, 3]), [1, 2, 3])
    np.testing.assert_array_equal(noise.sample(4), np.zeros((4, 3)))


def test_a_release_adds_one_draw(rng: np.random.Generator) -> None:
    noise = _noise("gaussian", [1.0, 2.0], 3)
    np.testing.assert_array_equal(
        noise.release([5, 6], 8), np.array([5, 6]) + noise.sample(1, 8)[0]
    )
    assert not np.array_equal(noise.release([5, 6]), noise.release([5, 6]))
    assert not np.array_equal(noise.release([5, 6], rng), noise.release([5, 6], rng))


@pytest.mark.parametrize("answer", [[1, 2, 3], [1], [[1, 2]], [np.nan, 1], [np.inf, 1]])
def test_an_answer_that_does_not_fit(answer: list[float]) -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match="must be 2 finite numbers, one a statistic, got"
    ):
        _noise("gaussian", [1.0, 2.0]).release(answer)


def test_releases_of_the_same_statistics_average_out() -> None:
    noise = dp.Noise("X", "gaussian", np.eye(2), np.array([2.0, 1.0]), 1.0, 1e-3, "exact")
    left = noise.after_releases(4)
    draws = np.stack([noise.sample(200_000, seed) for seed in range(4)]).mean(axis=0)
    assert left.covariance == pytest.approx(noise.covariance / 4)
    assert np.cov(draws.T) == pytest.approx(left.covariance, abs=0.02)
    assert "one release only" in left.caveats[-1]
    assert noise.after_releases(1) is noise


def test_releases_that_make_no_sense() -> None:
    gaussian = dp.Noise("X", "gaussian", np.eye(1), np.ones(1), 1.0, 1e-3, "exact")
    laplace = dp.Noise("Y", "laplace", np.eye(1), np.ones(1), 1.0, 0.0)
    with pytest.raises(dp.errors.CalibrationError, match="at least 1, got 0"):
        gaussian.after_releases(0)
    with pytest.raises(dp.errors.CalibrationError, match="Y adds Laplace"):
        laplace.after_releases(2)
