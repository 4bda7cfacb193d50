"""Laplace noise as normal noise of random size.

A Laplace variable of scale b is √(2W) b times a standard normal one, W exponential with mean 1
(Andrews & Mallows 1974). Whoever reads W beside the release knows no less, and then all noise is
normal. W is the same under both shares, so that δ is at most the mean of δ given W: a bound that
holds whatever the releases have to do with each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from distpriv.privacy.noise import Noise

__all__ = ["MixedLoss", "conditional_noises"]

_LEVELS = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.06, *np.linspace(0.1, 0.95, 18))
_WITHIN = 1e-9
_HIGHEST = 700.0


def conditional_noises(noises: Sequence[Noise]) -> list[tuple[float, list[Noise]]]:
    """Return probabilities, and noises that are normal and tell no less than these.

    The least W of all d Laplace variables stands for each of them: exponential with mean 1/d, cut
    at quantiles, of which every part counts as its lower end.
    """
    mixed = [each.distribution == "laplace" and not each.is_zero for each in noises]
    count = sum(len(each.scales) for each, chosen in zip(noises, mixed, strict=True) if chosen)
    if not count:
        return [(1.0, list(noises))]
    found = []
    for level, following in zip(_LEVELS, (*_LEVELS[1:], 1.0), strict=True):
        factor = math.sqrt(-2 * math.log1p(-level) / count)
        found.append(
            (
                float(following - level),
                [
                    _normal(each, factor) if chosen else each
                    for each, chosen in zip(noises, mixed, strict=True)
                ],
            )
        )
    return found


def _normal(noise: Noise, factor: float) -> Noise:
    """Return normal noise of some factor of the scales along the same directions."""
    plain = noise.detached()
    if factor == 0:
        return replace(
            plain,
            distribution="gaussian",
            directions=plain.directions[:, :0],
            scales=plain.scales[:0],
        )
    return replace(plain, distribution="gaussian", scales=plain.scales * factor)


class _Loss(Protocol):
    @property
    def accuracy(self) -> float: ...

    def delta(self, epsilon: float) -> float: ...

    def epsilon(self, delta: float) -> float: ...


@dataclass(frozen=True, eq=False)
class MixedLoss:
    """What is told at most where one of several cases comes about, and which is read too.

    Attributes
    ----------
    cases : tuple of (probability, loss)
    """

    cases: tuple[tuple[float, _Loss], ...]

    @cached_property
    def accuracy(self) -> float:
        """Of the best attacker, at equal priors."""
        return math.fsum(mass * loss.accuracy for mass, loss in self.cases)

    def delta(self, epsilon: float) -> float:
        """δ at one ε >= 0."""
        return math.fsum(mass * loss.delta(epsilon) for mass, loss in self.cases)

    def epsilon(self, delta: float) -> float:
        """Least ε >= 0 at which that is δ; ∞ if it never is."""
        if len(self.cases) == 1:
            return self.cases[0][1].epsilon(delta)
        if self.delta(0.0) <= delta:
            return 0.0
        low, high = 0.0, 1.0
        while self.delta(high) > delta:
            low, high = high, 2 * high
            if high > _HIGHEST:
                return math.inf
        while high - low > _WITHIN * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return high
