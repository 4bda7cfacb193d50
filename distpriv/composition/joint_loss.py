"""What releases of independent datasets tell together of one pair: log-likelihood ratios add up."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from distpriv.composition.mixed_noise import MixedLoss
from distpriv.composition.rules import Promise
from distpriv.composition.stacked import Stacked
from distpriv.privacy.covered import CoveredLoss
from distpriv.privacy.likelihood_ratio import LikelihoodRatio
from distpriv.privacy.privacy_loss import PrivacyLoss

__all__ = ["Bounds", "JointLoss", "PromisedLoss", "worst_epsilon"]

_SHOWS = 1e-3  # θ below moves an accuracy by next to nothing
_WITHIN = 1e-9
_HIGHEST = 700.0
_FURTHER = np.array([0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2])


@dataclass(frozen=True, eq=False)
class JointLoss:
    """Of datasets drawn independently, all under one share or all under the other.

    Attributes
    ----------
    datasets : tuple of Stacked
        What is known of each; at least one.
    """

    datasets: tuple[Stacked, ...]

    @cached_property
    def theta(self) -> float:
        """θ of all together: the factors 1 ± θ of independent releases multiply."""
        return math.prod(1 + part.theta for part in self.datasets) - 1

    @cached_property
    def orders(self) -> tuple[PrivacyLoss | CoveredLoss, PrivacyLoss | CoveredLoss]:
        """Privacy losses in both orders."""
        plain = [
            PrivacyLoss(
                np.concatenate([part.losses[order].shift for part in self.datasets]),
                np.concatenate([part.losses[order].spread for part in self.datasets]),
            )
            for order in range(2)
        ]
        if self.theta == 0:
            return plain[0], plain[1]
        return CoveredLoss(plain[0], self.theta), CoveredLoss(plain[1], self.theta)

    @cached_property
    def accuracy(self) -> float:
        """Of the best attacker who has all of it, at equal priors, by the normals as they are."""
        both = [
            np.concatenate([getattr(part.losses[0], name) for part in self.datasets])[None]
            for name in ("shift", "spread")
        ]
        accuracy = float(1 + LikelihoodRatio(*both).total_variation()[0]) / 2
        if self.theta <= _SHOWS:
            return accuracy
        # The grid adds at most θ/2.
        return max(accuracy, min(accuracy + self.theta / 2, self._undefended.accuracy))

    @cached_property
    def _undefended(self) -> JointLoss:
        """By the true statistics, than which no release tells more."""
        return JointLoss(tuple(part.undefended() for part in self.datasets))

    def delta(self, epsilon: float) -> float:
        """δ at one ε >= 0, in the worse order."""
        delta = max(loss.delta(min(epsilon, _HIGHEST)) for loss in self.orders)
        return min(delta, self._undefended.delta(epsilon)) if self.theta > _SHOWS else delta

    def epsilon(self, delta: float) -> float:
        """Least ε >= 0 at δ in (0, 1), in the worse order; it may be ∞."""
        largest = 0.0
        for loss in self.orders:
            if largest < math.inf and not loss.delta(largest) <= delta:
                largest = loss.epsilon(delta)
        return min(largest, self._undefended.epsilon(delta)) if self.theta > _SHOWS else largest


@dataclass(frozen=True, eq=False)
class PromisedLoss:
    r"""A bound: what some datasets tell by the normals, and others by what they promise.

    With (ε_1, δ_1) promised of the one and δ_2(t) delivered of the other, independently, both
    together keep (ε_1 + t, δ_1 + δ_2(t)) for every t ≥ 0 (basic composition, Dwork & Roth 2014,
    Theorem B.1), and whatever keeps (E, D) delivers at ε ≤ E at most
    :math:`D + (1 - D)(e^E - e^\varepsilon)/(1 + e^E)` (Kairouz, Oh & Viswanath 2015, Theorem 3.4).

    Attributes
    ----------
    promise : Promise
        Of some of the datasets.
    rest : JointLoss or None
        Of the others, if there are any.
    """

    promise: Promise
    rest: JointLoss | None = None

    @cached_property
    def accuracy(self) -> float:
        """At most so often the best attacker is right, at equal priors."""
        return (1 + self.delta(0.0)) / 2

    def delta(self, epsilon: float) -> float:
        """δ at one ε >= 0, at most."""
        own, start = self.promise, max(epsilon - self.promise.epsilon, 0.0)
        if self.rest is None:
            return _kept(own.epsilon, own.delta, epsilon) if start == 0 else own.delta
        return min(
            _kept(own.epsilon + further, min(own.delta + self.rest.delta(further), 1.0), epsilon)
            for further in (start + _FURTHER).tolist()
        )

    def epsilon(self, delta: float) -> float:
        """Least ε >= 0 at which that is δ; ∞ if it never is."""
        if self.delta(0.0) <= delta:
            return 0.0
        high = self.promise.epsilon + 1.0
        while self.delta(high) > delta:
            high *= 2
            if high > _HIGHEST:
                return math.inf
        low = 0.0
        while high - low > _WITHIN * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return high


Bounds = tuple[JointLoss | PromisedLoss | MixedLoss, ...]
"""Losses that each bound the same releases."""


def worst_epsilon(pairs: Iterable[Bounds], delta: float) -> float:
    """Least ε >= 0 at δ in (0, 1) for every pair, by the best of its bounds; it may be ∞."""
    largest = 0.0
    for bounds in pairs:
        # One δ is cheaper than solving for ε, and tells whether there is more to find.
        if largest < math.inf and not any(bound.delta(largest) <= delta for bound in bounds):
            largest = max(largest, min(bound.epsilon(delta) for bound in bounds))
    return largest


def _kept(most: float, delta: float, epsilon: float) -> float:
    """What is delivered at ε <= E by whatever keeps (E, δ), at most."""
    over = -math.expm1(min(epsilon - most, 0.0)) * float(expit(most))
    return delta + (1 - delta) * over
