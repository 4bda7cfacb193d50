"""Losses under Laplace noise against convolutions on grids, theorems, and many more nodes."""

import math

import numpy as np
import pytest
from scipy import ndimage, stats

from distpriv.mechanisms import calibrate
from distpriv.privacy import laplace, pair_loss
from distpriv.privacy.laplace import NodeLoss, at_most, laplace_loss, normal_laplace
from distpriv.privacy.loss import APART
from tests.adult import INCOME, model


@pytest.mark.parametrize(("deviation", "scale"), [(1.0, 0.5), (0.3, 4.0), (2.0, 0.01), (1e-3, 1.0)])
def test_density_is_the_convolution(deviation, scale):
    x = np.linspace(-11, 12, 13)
    z = np.linspace(-9, 9, 200_001)
    direct = stats.laplace(scale=scale).pdf(x[:, None] - deviation * z) @ stats.norm.pdf(z) * 9e-5
    np.testing.assert_allclose(normal_laplace(x, deviation, scale), direct, rtol=1e-4, atol=1e-14)


D = np.array([2.0, -1.0, 0.5])
COVARIANCES = np.array(
    [
        [[1.5, 0.3, 0.2], [0.3, 1.0, -0.4], [0.2, -0.4, 1.2]],
        [[1.2, 0.2, 0.1], [0.2, 1.3, -0.2], [0.1, -0.2, 0.9]],
    ]
)
EPSILONS = np.array([0.0, 0.3, 1.0])


def on_a_grid(m, r, scale, reach, step):
    """δ(ε) of normals plus Laplace noise along the first r of m axes, in both orders."""
    axis = np.arange(-reach, reach + step, step)
    points = np.stack(np.meshgrid(*[axis] * m, indexing="ij"), -1)
    edges = np.append(axis - step / 2, axis[-1] + step / 2)
    kernel = np.diff(stats.laplace(scale=scale).cdf(edges))
    laws = []
    for mean, covariance in zip((D[:m], np.zeros(m)), COVARIANCES[:, :m, :m], strict=True):
        law = stats.multivariate_normal(mean, covariance).pdf(points)
        for k in range(r):
            law = ndimage.convolve1d(law, kernel, k, mode="constant")
        laws.append(law / law.sum())
    orders = [laws, laws[::-1]]
    return np.array(
        [[np.maximum(p - math.exp(e) * q, 0).sum() for e in EPSILONS] for p, q in orders]
    )


@pytest.mark.parametrize(
    ("m", "r", "grid", "tolerance"),
    [
        (1, 1, (50, 0.02), 2e-5),
        (2, 1, (24, 0.1), 2e-4),
        (2, 2, (24, 0.1), 1.5e-3),
        (3, 2, (18, 0.35), 2e-3),
        (3, 3, (18, 0.35), 2e-3),
    ],
)
def test_nodes_give_the_integral_and_charge_what_they_err_by(m, r, grid, tolerance):
    # The axes turned, so that no direction is one of the statistics.
    direct = on_a_grid(m, r, 1.6, *grid)
    turn = np.linalg.qr(np.random.default_rng(m).normal(size=(m, m)))[0]
    covariances = turn @ COVARIANCES[:, :m, :m] @ turn.T
    loss = laplace_loss(turn @ D[:m], covariances, turn[:, :r], 1.6)
    for one, expected in zip((loss, loss.reversed), direct, strict=True):
        np.testing.assert_allclose(one.delta(EPSILONS), expected, atol=tolerance)
        charged = [at_most(one, level) for level in EPSILONS.tolist()]
        assert (charged >= expected - 5e-5).all()  # what the grid errs by
        assert (charged <= one.delta(EPSILONS) * 1.15 + 1e-3).all()


def test_few_nodes_are_charged_for_what_they_miss(monkeypatch):
    turns = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 3, 3)))[0]
    many, few = [], []
    for nodes, losses in ((1024, many), (128, few)):
        monkeypatch.setattr(laplace, "_NODES", (nodes, nodes))
        losses += [laplace_loss(D, COVARIANCES, turn[:, :2], 1.6) for turn in turns]
    for one, other in zip(few, many, strict=True):
        for epsilon in EPSILONS.tolist():
            assert one.delta(epsilon) < other.delta(epsilon) <= at_most(one, epsilon)


# Adult income, 0.45/0.55, n = 100, classical calibration above the floor, at ε = 1: δ at 0 and 1,
# then at 1 in the other order, by 16 to 32 times the nodes of codes of their own.
@pytest.mark.parametrize(
    ("name", "nodes", "expected", "tolerance"),
    [
        ("DirM(L)", 2048, [0.298259, 0.0061242, 0.0023968], [5e-5, 4e-5, 2e-5]),
        ("ExpM(L)", 1024, [0.178283, 7.76e-5, 0], [1.5e-3, 2e-5, 1e-6]),
    ],
)
def test_adult_deltas_are_those_of_many_more_nodes(name, nodes, expected, tolerance):
    fitted = model(INCOME.pair(0.5, 0.1))
    loss = pair_loss(fitted, calibrate(name, fitted, 1.0, calibration="classical"))
    assert isinstance(loss, NodeLoss)
    assert len(loss.p) == nodes
    values = [*loss.delta(np.array([0.0, 1.0])), loss.reversed.delta(1.0)]
    away, error = np.abs(np.array(values) - expected), [loss.error(0.0), loss.error(1.0)]
    assert (away <= tolerance).all()
    assert (away[:2] <= error).all()
    assert error[0] < 0.025 * values[0]
    assert np.array([at_most(loss, 0.0), at_most(loss, 1.0)]) == pytest.approx(values[:2], rel=0.6)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
def test_a_pure_shift_is_hidden_by_the_theorem(epsilon):
    # Theorem 4.3: scale Δ/ε along the difference leaves (ε, 0), and no less.
    covariances, size = np.array([COVARIANCES[0]] * 2), float(np.linalg.norm(D))
    loss = laplace_loss(D, covariances, (D / size)[:, None], size / epsilon)
    assert at_most(loss, epsilon) == pytest.approx(0, abs=1e-9)
    assert loss.delta(0.7 * epsilon) > 0
    assert loss.accuracy() <= math.exp(epsilon) / (1 + math.exp(epsilon))


def test_far_scales_take_few_points_and_units_do_not_matter():
    law = np.array([3.0, 0.0]), np.array([np.eye(2), 1.1 * np.eye(2)])
    for scale in (1e-6, 1e12):
        for directions in (np.array([[1.0], [0.0]]), np.eye(2)):
            loss = laplace_loss(*law, directions, scale)
            assert loss.p.size <= 2048 * 500
            assert 0.5 <= loss.accuracy() <= 1
    units = np.array([1e9, 1e-6])
    scaled = laplace_loss(
        D[:2] * units, COVARIANCES[:, :2, :2] * np.outer(units, units), np.eye(2)[:, :1], 2e9
    )
    plain = laplace_loss(D[:2], COVARIANCES[:, :2, :2], np.eye(2)[:, :1], 2.0)
    assert scaled.accuracy() == pytest.approx(plain.accuracy(), abs=1e-7)


def test_laws_that_the_nodes_miss_count_as_apart():
    law = np.array([1.0, 0.0]), np.array([np.eye(2), np.diag([1.0, 0.0])])
    assert laplace_loss(*law, np.array([[1.0], [0.0]]), 1.0) is APART
    assert at_most(APART, 5.0) == 1
