"""Normals plus Laplace noise against quadrature, orthant probabilities and in closed form."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from distpriv.attacks.laplace_density import log_densities
from distpriv.privacy.normal_laplace import log_density


def correlated(rng: np.random.Generator, m: int) -> np.ndarray:
    factor = rng.normal(size=(m, m + 1))
    covariance = factor @ factor.T
    return covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))


def by_orthants(away: np.ndarray, covariance: np.ndarray, scales: np.ndarray) -> float:
    """On each side of the kinks a normal times an exponential, which is another normal."""
    total = 0.0
    for signs in itertools.product([-1.0, 1.0], repeat=len(away)):
        side = np.array(signs)
        tilt = side / scales
        factor = math.exp(-tilt @ away + tilt @ covariance @ tilt / 2)
        moved = side * (away - covariance @ tilt)
        total += factor * float(
            stats.multivariate_normal.cdf(
                moved, cov=covariance * np.outer(side, side), abseps=1e-10, maxpts=4_000_000, rng=1
            )
        )
    return math.log(total)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(2, 3), st.floats(0.7, 20))
def test_against_orthant_probabilities(seed: int, m: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    covariance = correlated(rng, m)
    scales = width * rng.uniform(0.5, 2, size=m)
    away = rng.normal(size=(2, m)) + rng.laplace(size=m) * np.minimum(scales, 2)
    found = log_densities(away, np.array([covariance] * 2), np.diag(scales))
    expected = [by_orthants(each, covariance, scales) for each in away]
    assert found[1] - found[0] == pytest.approx(expected[1] - expected[0], abs=1e-3)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.floats(0.05, 5))
def test_two_statistics_with_covariances_of_their_own_against_quadrature(
    seed: int, width: float
) -> None:
    rng = np.random.default_rng(seed)
    covariances = np.array([correlated(rng, 2), correlated(rng, 2) * 1.5])
    scales = width * rng.uniform(0.5, 2, size=2)
    released = rng.normal(size=2) + rng.laplace(size=2) * scales

    def density(covariance: np.ndarray) -> float:
        slope = covariance[0, 1] / covariance[1, 1]
        spread = math.sqrt(covariance[0, 0] - slope * covariance[0, 1])

        def given_second(x: float) -> float:
            here = stats.norm.logpdf(x, scale=math.sqrt(covariance[1, 1]))
            here += log_density(np.array([released[0] - slope * x]), spread, scales[0])[0]
            return math.exp(here - abs(released[1] - x) / scales[1])

        kink = float(np.clip(released[1], -9, 9))
        ends = sorted({-12.0, kink - scales[1], kink, kink + scales[1], 12.0})
        return sum(
            integrate.quad(given_second, *each, epsabs=0, epsrel=1e-9, limit=200)[0]
            for each in itertools.pairwise(ends)
        )

    found = log_densities(np.array([released] * 2), covariances, np.diag(scales))
    expected = [math.log(density(each)) for each in covariances]
    # The narrower the noise, the more points it takes; 1e-2 is promised of the narrowest.
    near = 2e-3 if width >= 0.5 else 1e-2
    assert found[1] - found[0] == pytest.approx(expected[1] - expected[0], abs=near)


@given(st.integers(0, 10**6), st.integers(1, 5), st.floats(1e-5, 1e5))
def test_independent_statistics_are_exact(seed: int, m: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    deviations = rng.uniform(0.5, 2, size=(2, m))
    scales = width * rng.uniform(0.5, 2, size=m)
    away = rng.normal(size=(2, m)) * (1 + width)
    found = log_densities(
        away, np.array([np.diag(each**2) for each in deviations]), np.diag(scales)
    )
    expected = [
        sum(
            float(log_density(np.array([x]), spread, scale)[0])
            for x, spread, scale in zip(*case, scales, strict=True)
        )
        for case in zip(away, deviations, strict=True)
    ]
    assert found[1] - found[0] == pytest.approx(expected[1] - expected[0], rel=1e-8, abs=1e-8)


@given(st.integers(0, 10**6), st.integers(2, 5), st.data())
def test_a_linear_change_of_the_statistics_changes_no_odds(seed: int, m: int, data) -> None:
    """Nor do directions that are not orthogonal, fewer than the statistics."""
    count = data.draw(st.integers(1, m))
    rng = np.random.default_rng(seed)
    covariances = np.array([correlated(rng, m) * size for size in (1.0, 1.3, 0.8)])
    away, noise = rng.normal(size=(3, m)), rng.normal(size=(m, count))
    change = np.linalg.qr(rng.normal(size=(m, m)))[0] * rng.uniform(0.5, 2, size=m)
    before = log_densities(away, covariances, noise)
    after = log_densities(away @ change.T, change @ covariances @ change.T, change @ noise)
    assert np.diff(after) == pytest.approx(np.diff(before), abs=1e-6)


@pytest.mark.parametrize("m", [3, 5])
def test_noise_keeps_its_promise_by_accuracy_where_nothing_is_held(m: int) -> None:
    """Covariances that differ by next to nothing are not held to the bound, but all but obey it."""
    rng = np.random.default_rng(m)
    for _ in range(40):
        covariance = correlated(rng, m)
        shift = rng.normal(size=m)
        scales = np.full(m, np.abs(shift).sum() / 0.2)
        away = rng.normal(size=m) + rng.laplace(size=m) * scales
        both = np.array([covariance, covariance * (1 + 1e-9)])
        found = log_densities(np.array([away, away + shift]), both, np.diag(scales))
        assert abs(found[1] - found[0]) <= 0.2 + 1e-4


def test_noise_too_narrow_to_see_and_releases_far_away() -> None:
    rng = np.random.default_rng(1)
    covariances = np.array([correlated(rng, 3), correlated(rng, 3)])
    away = rng.normal(size=(2, 3))
    expected = [
        stats.multivariate_normal.logpdf(x, cov=covariance)
        for x, covariance in zip(away, covariances, strict=True)
    ]
    for width in (1e-200, 1e-9, 1.1e-6):
        found = log_densities(away, covariances, np.eye(3) * width)
        assert found[1] - found[0] == pytest.approx(expected[1] - expected[0], abs=1e-4)
    for size in (1e20, 1e100):
        found = log_densities(np.array([[size] * 3, [size * 1.5] * 3]), covariances, np.eye(3))
        assert found[0] - found[1] == pytest.approx(1.5 * size, rel=1e-6)
