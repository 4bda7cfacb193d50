"""Moments of simulated statistics, and those without each group of the datasets."""

from __future__ import annotations

import numpy as np
import pytest

from distpriv.model.jackknife import Jackknife, estimated_moments


def _drawn(datasets: int, rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=(datasets, 2)) @ [[2.0, 0.3], [0.0, 1.0]] + [5.0, -1.0]
    y = x @ [[1.0], [0.5]] + rng.normal(size=(datasets, 1))
    return np.hstack([x, y])


def test_moments_without_known_ones_are_those_of_the_rest_of_the_datasets(rng) -> None:
    drawn = _drawn(1000, rng)
    means, covariances = estimated_moments(drawn)
    assert len(means) == 101
    np.testing.assert_allclose(means[0], drawn.mean(axis=0))
    np.testing.assert_allclose(covariances[0], np.cov(drawn, rowvar=False))
    for group in (0, 37, 99):  # ten datasets each
        rest = np.delete(drawn, np.arange(10 * group, 10 * group + 10), axis=0)
        np.testing.assert_allclose(means[1 + group], rest.mean(axis=0))
        np.testing.assert_allclose(covariances[1 + group], np.cov(rest, rowvar=False))


def test_known_moments_stay_and_correct_the_others(rng) -> None:
    mean, covariance = np.array([5.0, -1.0]), np.array([[4.0, 0.6], [0.6, 1.09]])
    true_mean, true_variance = 4.5, np.array([1.0, 0.5]) @ covariance @ [1.0, 0.5] + 1
    errors, plain = [], []
    for _ in range(200):
        drawn = _drawn(400, rng)
        means, covariances = estimated_moments(drawn, [0, 1], mean, covariance)
        np.testing.assert_allclose(means[:, :2], np.broadcast_to(mean, (101, 2)))
        np.testing.assert_allclose(covariances[:, :2, :2], np.broadcast_to(covariance, (101, 2, 2)))
        errors.append((means[0, 2] - true_mean, covariances[0, 2, 2] - true_variance))
        plain.append(drawn[:, 2].mean() - true_mean)
    # What the known statistics explain, five sixths of the variance, is no error of the mean.
    assert np.std(errors, axis=0)[0] == pytest.approx(
        np.std(plain) / np.sqrt(true_variance), rel=0.3
    )
    assert np.abs(np.mean(errors, axis=0)).max() < 0.06


def test_errors_are_those_of_the_mean_of_as_many(rng) -> None:
    values = rng.normal(size=100)
    left_out = (values.sum() - values) / 99
    assert Jackknife.errors(left_out) == pytest.approx(values.std(ddof=1) / 10)


def test_units_and_choices_follow_the_statistics(rng) -> None:
    means, covariances = rng.normal(size=(5, 2, 3)), rng.normal(size=(5, 2, 3, 3))
    known, units = Jackknife(means, covariances), np.array([2.0, 4.0, 5.0])
    np.testing.assert_allclose(
        known.in_units(units).covariances[0, 0, 1, 2], covariances[0, 0, 1, 2] / 20
    )
    chosen = known.of_statistics([2, 0])
    np.testing.assert_array_equal(chosen.means[..., 0], means[..., 2])
    np.testing.assert_array_equal(chosen.covariances[..., 0, 1], covariances[..., 2, 0])
    np.testing.assert_array_equal(known.plus(np.eye(3)).covariances, covariances + np.eye(3))
