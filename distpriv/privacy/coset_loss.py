"""What the cosets of the statistics tell: how many of the released records have the property.

Given k, how many records have it, a release has one law under both shares. Whoever reads k off the
last digits knows all that the release tells of the share; nobody knows more of it than who is told
k. So the two laws of k bound every figure from above, and are exact where the cosets of all numbers
that may occur differ. Where k is fixed the two laws have nothing in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.model.theta import Theta

__all__ = ["CosetLoss"]

FloatArray = NDArray[np.float64]

_HIGHEST = 700.0  # ε from which on e^ε would overflow


@dataclass(frozen=True, eq=False)
class CosetLoss:
    """Privacy loss of telling k, of one share (P) against another (Q).

    Attributes
    ----------
    first, second : ndarray, shape (K,)
        Probabilities of each k under P and Q.
    """

    first: FloatArray
    second: FloatArray

    @classmethod
    def between(cls, thetas: Sequence[Theta]) -> CosetLoss:
        """Return the loss of the first distribution (P) against the second (Q)."""
        laws = [theta.count_law() for theta in thetas]
        numbers = np.unique(np.concatenate([values for values, _ in laws]))
        masses = np.zeros((2, len(numbers)))
        for row, (values, law) in zip(masses, laws, strict=True):
            row[np.searchsorted(numbers, values)] = law
        return cls(masses[0], masses[1])

    @property
    def reversed(self) -> CosetLoss:
        """The loss of Q against P."""
        return CosetLoss(self.second, self.first)

    @property
    def accuracy(self) -> float:
        """Of the best attacker who is told k, at equal priors."""
        return (1 + min(self.delta(0.0), 1.0)) / 2

    @property
    def log_ratios(self) -> FloatArray:
        """Log-likelihood ratio of P against Q at each k, ±∞ where only one of them may be."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.first) - np.log(self.second))

    def delta(self, epsilon: float) -> float:
        """Return δ(ε) at one ε >= 0."""
        return float(self.deltas(np.array([epsilon]))[0])

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        """Return δ(ε) = Σ_k (P(k) − e^ε Q(k))_+ at every ε >= 0, same shape."""
        factors = np.exp(np.minimum(epsilons, _HIGHEST))
        left = self.first - np.multiply.outer(factors, self.second)
        return np.minimum(left.clip(0.0).sum(axis=-1), 1.0)

    def epsilon(self, delta: float) -> float:
        """Return the least ε >= 0 with δ(ε) <= delta, ∞ if there is none.

        δ(ε) is the largest of P(S) − e^ε Q(S) over the sets S of numbers with the highest ratios.
        """
        least = 0.0
        for false, true in zip(*self.rates(), strict=True):
            if true > delta:
                least = max(least, math.log((true - delta) / false) if false > 0 else math.inf)
        return least

    def rates(self) -> tuple[FloatArray, FloatArray]:
        """Return false and true positive rates of naming P, rising from 0 to 1."""
        order = np.argsort(-self.log_ratios, kind="stable")
        false, true = (
            np.concatenate([[0.0], np.cumsum(law[order])]).clip(0.0, 1.0)
            for law in (self.second, self.first)
        )
        return false, true
