"""Laplace noise along one direction, against quadrature over the whole plane."""

from __future__ import annotations

import math

import numpy as np
import pytest

from distpriv.privacy.laplace_line import LineLoss
from distpriv.privacy.normal_laplace import log_density


def over_the_plane(gap: np.ndarray, variances: np.ndarray, scale: float, epsilon: float) -> float:
    """∫∫ max(p − e^ε q, 0) on a grid, two statistics."""
    r = np.linspace(-9, 9, 601) * math.sqrt(variances[0, 1, 1]) + gap[1]
    t = np.linspace(-25, 25, 4001)
    logs = []
    for (own, cross), (_, width), mean in zip(
        variances[:, 0], variances[:, 1], (gap, np.zeros(2)), strict=True
    ):
        slope = cross / width
        spread = math.sqrt(own - slope * cross)
        inside = log_density(t - mean[0] - slope * (r - mean[1])[:, None], spread, scale)
        logs.append(
            inside - ((r - mean[1]) ** 2 / width / 2 + math.log(2 * math.pi * width) / 2)[:, None]
        )
    first, second = logs
    area = (r[1] - r[0]) * (t[1] - t[0])
    with np.errstate(over="ignore"):
        return float(
            (np.exp(first) * -np.expm1(np.minimum(second + epsilon - first, 0))).sum() * area
        )


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.5])
@pytest.mark.parametrize(
    ("gap", "variances"),
    [
        ([1.2, 0.0], [[[1.0, 0.4], [0.4, 1.0]], [[1.1, 0.3], [0.3, 0.9]]]),
        ([0.6, 0.5], [[[1.0, -0.6], [-0.6, 1.3]], [[0.8, -0.4], [-0.4, 1.0]]]),
        ([-0.8, 0.7], [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]),
    ],
)
def test_delta_along_a_line_agrees_with_the_plane(gap, variances, scale, epsilon):
    gap, variances = np.array(gap), np.array(variances)
    deltas = LineLoss(gap, variances, scale, 512, 0).means(epsilon)
    wanted = over_the_plane(gap, variances, scale, epsilon)
    spread = 2.4 * deltas.std(ddof=1) / math.sqrt(len(deltas))
    assert deltas.mean() == pytest.approx(wanted, rel=1e-2, abs=2 * spread + 2e-6)


def test_delta_at_another_scale_is_on_the_same_points():
    gap = np.array([1.2, 0.0])
    variances = np.array([[[1.0, 0.4], [0.4, 1.0]], [[1.1, 0.3], [0.3, 0.9]]])
    loss = LineLoss(gap, variances, 1.0, 512, 0)
    fresh = LineLoss(gap, variances, 2.0, 512, 0)
    np.testing.assert_array_equal(loss.at_scale(2.0).means(0.5), fresh.means(0.5))


def test_delta_without_a_difference_beside_the_line_has_no_error():
    """Equal covariances, the means apart along the noise alone: nothing is averaged over."""
    variances = np.array([np.eye(3)] * 2)
    deltas = LineLoss(np.array([1.0, 0, 0]), variances, 1.0, 512, 0).means(0.3)
    assert deltas.std() < 1e-12
