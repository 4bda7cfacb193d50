"""Losses under Laplace noise against convolutions, plane quadrature and closed forms."""

import math

import numpy as np
import pytest
from scipy import signal, stats

from distpriv.privacy.laplace import APART, line_loss, normal_laplace, spread_loss


@pytest.mark.parametrize(("deviation", "scale"), [(1.0, 0.5), (0.3, 4.0), (2.0, 0.01), (1e-3, 1.0)])
def test_density_is_the_convolution(deviation, scale):
    x = np.linspace(-11, 12, 13)
    z = np.linspace(-9, 9, 200_001)
    direct = (
        stats.laplace(scale=scale).pdf(x[:, None] - deviation * z)
        @ stats.norm.pdf(z)
        * (z[1] - z[0])
    )
    np.testing.assert_allclose(normal_laplace(x, deviation, scale), direct, rtol=1e-4, atol=1e-14)


def plane_delta(d, covariances, densities, epsilons, reach=60.0, step=0.1):
    """δ(ε) of two normals plus noise with a density, by convolution on a plane."""
    axis = np.arange(-reach, reach + step, step)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1)
    p, q = (
        signal.fftconvolve(
            stats.multivariate_normal(mean, covariance).pdf(points), densities(points), "same"
        )
        for mean, covariance in zip((d, 0 * d), covariances, strict=True)
    )
    return [np.maximum(p / p.sum() - math.exp(e) * q / q.sum(), 0).sum() for e in epsilons]


D = np.array([2.0, -1.0])
COVARIANCES = np.array([[[1.5, 0.3], [0.3, 1.0]], [[1.2, 0.2], [0.2, 1.3]]])
EPSILONS = [0.0, 0.3, 1.0]


def test_noise_along_one_direction_is_the_integral():
    v, scale = np.array([0.8, 0.6]), 1.5
    across = np.array([-0.6, 0.8])

    def narrow(points):  # noise across the direction so little that it does not matter
        return stats.laplace(scale=scale).pdf(points @ v) * stats.norm(0, 0.2).pdf(points @ across)

    direct = plane_delta(
        D, COVARIANCES - 0.04 * np.outer(across, across), narrow, EPSILONS, 24, 0.07
    )
    loss = line_loss(D, COVARIANCES, v, scale)
    np.testing.assert_allclose(loss.delta(np.array(EPSILONS)), direct, atol=1e-3)


def test_noise_along_all_directions_is_the_integral():
    scale = 2.0

    def product(points):
        return np.exp(-np.abs(points).sum(-1) / scale)

    direct = plane_delta(D, COVARIANCES, product, EPSILONS, 36, 0.1)
    loss = spread_loss(D, COVARIANCES, np.eye(2), scale)
    np.testing.assert_allclose(loss.delta(np.array(EPSILONS)), direct, atol=1e-3)


@pytest.mark.parametrize("scale", [1e-4, 0.5, 4.0, 4e3])
def test_both_kinds_agree_along_a_single_direction(scale):
    law = np.array([2.0]), np.array([[[1.0]], [[1.4]]])
    line, spread = line_loss(*law, np.ones(1), scale), spread_loss(*law, np.eye(1), scale)
    assert line.accuracy() == pytest.approx(spread.accuracy(), abs=2e-3)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
def test_a_pure_shift_is_hidden_by_the_theorem(epsilon):
    # Theorem 4.3: scale Δ/ε along the difference leaves (ε, 0), and no less.
    covariances = np.array([COVARIANCES[0]] * 2)
    size = float(np.linalg.norm(D))
    loss = line_loss(D, covariances, D / size, size / epsilon)
    assert loss.delta(epsilon) == pytest.approx(0, abs=1e-12)
    assert loss.delta(0.7 * epsilon) > 0
    assert loss.accuracy() <= math.exp(epsilon) / (1 + math.exp(epsilon))


def test_far_scales_take_few_points():
    law = np.array([3.0, 0.0]), np.array([np.eye(2), 1.1 * np.eye(2)])
    for scale in (1e-6, 1e6, 1e12):
        loss = line_loss(*law, np.array([1.0, 0.0]), scale)
        assert loss.p.size <= 512 * 8200
        assert 0.5 <= loss.accuracy() <= 1


def test_laws_that_the_nodes_miss_count_as_apart():
    fixed = np.diag([1.0, 0.0])
    assert (
        line_loss(np.array([1.0, 0.0]), np.array([np.eye(2), fixed]), np.array([1.0, 0.0]), 1.0)
        is APART
    )
