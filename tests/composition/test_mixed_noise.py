"""Laplace noise as normal noise of random size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtr

from distpriv.composition.mixed_noise import MixedLoss, conditional_noises
from distpriv.privacy.noise import Noise, gaussian_noise


@dataclass(frozen=True)
class Shift:
    """A shift of 1 under normal noise."""

    deviation: float

    @property
    def accuracy(self) -> float:
        return float(ndtr(0.5 / self.deviation)) if self.deviation else 1.0

    def delta(self, epsilon: float) -> float:
        if not self.deviation:
            return 1.0
        r = 1 / self.deviation
        return float(ndtr(r / 2 - epsilon / r) - math.exp(epsilon) * ndtr(-r / 2 - epsilon / r))

    def epsilon(self, delta: float) -> float:
        raise NotImplementedError


def laplace(*scales: float) -> Noise:
    return Noise("ExpM(L)", "laplace", np.eye(len(scales)), np.array(scales), 1.0, 0.0)


def mixed(scale: float) -> MixedLoss:
    cases = conditional_noises([laplace(scale)])
    assert math.fsum(mass for mass, _ in cases) == pytest.approx(1.0)
    return MixedLoss(
        tuple((mass, Shift(math.sqrt(noise.covariance[0, 0]))) for mass, (noise,) in cases)
    )


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_a_laplace_release_tells_no_more_than_its_bound(scale) -> None:
    bound = mixed(scale)
    right = 1 - math.exp(-0.5 / scale) / 2
    assert right < bound.accuracy < right + 0.15
    for epsilon in (0.0, 0.3, 1.0):
        true = max(1 - math.exp((epsilon - 1 / scale) / 2), 0.0)
        assert bound.delta(epsilon) >= true
    assert bound.delta(bound.epsilon(0.1)) == pytest.approx(0.1, rel=1e-6)


def test_several_directions_count_by_the_least_of_them() -> None:
    one, two = (conditional_noises([each]) for each in (laplace(1.0), laplace(1.0, 1.0)))
    for (_, (single,)), (_, (double,)) in zip(one[1:], two[1:], strict=True):
        assert double.covariance[0, 0] == pytest.approx(single.covariance[0, 0] / 2)


def test_normal_noise_stays_as_it_is() -> None:
    noise = gaussian_noise("ExpM", np.eye(1), epsilon=1.0, delta=1e-3)
    assert conditional_noises([noise]) == [(1.0, [noise])]
