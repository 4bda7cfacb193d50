"""The smallest example of promises that do not add up, in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from distpriv.arguments import checked
from distpriv.composition.rules import AGAIN, SUM_RULE
from distpriv.errors import CalibrationError
from distpriv.mechanisms.curves import Curves
from distpriv.privacy.calibration import gaussian_delta, gaussian_distance
from distpriv.privacy.privacy_loss import PrivacyLoss

__all__ = [
    "COIN",
    "TOGETHER",
    "CompositionExample",
    "example_against_correlation",
    "example_against_releases",
]

TOGETHER, COIN = "both together", "a coin each time"


@checked(CalibrationError)
@dataclass(frozen=True)
class CompositionExample:
    """Two statistics of one dataset whose promises do not add up.

    Both are normal with variance 1 and vary together; the secret shifts the first and leaves the
    second alone. What hides the shift is the variation of the data, and the second statistic
    gives most of it away: the Mahalanobis distance of the two possibilities is the shift a alone,
    and a/√(1 + s² − ρ²) with the second beside it.

    Attributes
    ----------
    shift : float >= 0
        a, in standard deviations of the first statistic.
    correlation : float in (-1, 1)
        ρ.
    noise : float >= 0
        s, standard deviation of the Gaussian noise on the first statistic; the second never
        needs any.
    """

    shift: float
    correlation: float
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.shift < math.inf and 0 <= self.noise < math.inf):
            raise CalibrationError(
                "The shift and the noise of the example must be numbers that are not negative, "
                f"got {self.shift:g} and {self.noise:g}."
            )
        if not -1 < self.correlation < 1:
            raise CalibrationError(
                "The correlation of two statistics must be between -1 and 1, both excluded, got "
                f"{self.correlation:g}."
            )

    @classmethod
    def calibrated(
        cls, shift: float, correlation: float, epsilon: float, delta: float
    ) -> CompositionExample:
        """With the least noise for which the first statistic alone delivers (ε, δ)."""
        allowed = gaussian_distance(epsilon, delta)
        return cls(shift, correlation, math.sqrt(max(0.0, (shift / allowed) ** 2 - 1)))

    def distance(self, first: int = 1, second: int = 1) -> float:
        """Mahalanobis distance after that many releases of the first and the second statistic."""
        if first == 0:
            return 0.0
        known = self.correlation**2 if second else 0.0
        return self.shift / math.sqrt(1 - known + self.noise**2 / first)

    def delta(self, epsilon: float, first: int = 1, second: int = 1) -> float:
        """δ delivered at ε >= 0 by that many releases of the two statistics."""
        return gaussian_delta(self.distance(first, second), epsilon)

    def epsilon(self, delta: float, first: int = 1, second: int = 1) -> float:
        """Least ε >= 0 at which that many releases of the two statistics deliver δ in (0, 1)."""
        return PrivacyLoss(np.array([self.distance(first, second)]), np.ones(1)).epsilon(delta)

    def coin_delta(self, epsilon: float, tosses: int) -> float:
        """δ at ε of tossing a fair coin again and again for which statistic to release.

        Each release by itself keeps (ε, δ) by convexity (Proposition A.3). The coin shows and
        does not depend on the secret, so δ is the mean over how often the first came up.

        Parameters
        ----------
        epsilon : float >= 0
        tosses : int, at least 1
        """
        heads = np.arange(tosses + 1)
        deltas = [self.delta(epsilon, int(h), tosses - int(h)) for h in heads]
        return float(binom.pmf(heads, tosses, 0.5) @ deltas)

    def coin_epsilon(self, delta: float, tosses: int) -> float:
        """Least ε >= 0 at which that many tosses deliver δ in (0, 1)."""
        if self.coin_delta(0.0, tosses) <= delta:
            return 0.0
        high = 1.0
        while self.coin_delta(high, tosses) > delta:
            high *= 2
        return float(brentq(lambda each: self.coin_delta(each, tosses) - delta, 0.0, high))


def example_against_correlation(
    shift: float, epsilon: float, delta: float, correlations: Sequence[float]
) -> Curves:
    """ε of the example's two statistics at 2δ against their correlation.

    Parameters
    ----------
    shift : float > 0
    epsilon, delta : float
        What each of the two is calibrated to alone.
    correlations : sequence of float in (-1, 1)

    Returns
    -------
    Curves
        ``SUM_RULE``, ``TOGETHER``, and ``COIN`` tossed twice.
    """
    examples = [
        CompositionExample.calibrated(shift, correlation, epsilon, delta)
        for correlation in correlations
    ]
    both = min(2 * delta, 1 - 1e-9)
    return Curves(
        np.asarray(correlations, dtype=np.float64),
        {
            SUM_RULE: np.full(len(examples), 2 * epsilon),
            TOGETHER: np.array([example.epsilon(both) for example in examples]),
            COIN: np.array([example.coin_epsilon(both, 2) for example in examples]),
        },
    )


def example_against_releases(
    example: CompositionExample, epsilon: float, delta: float, counts: Sequence[int]
) -> Curves:
    """ε of r releases of the example at r·δ: a coin each time, or the first statistic again.

    Parameters
    ----------
    example : CompositionExample
        Calibrated to (ε, δ).
    epsilon, delta : float
    counts : sequence of int
        Those with r·δ ≥ 1 are left out.

    Returns
    -------
    Curves
        ``SUM_RULE``, ``COIN`` and ``AGAIN``.
    """
    kept = [count for count in counts if count * delta < 1]
    x = np.array(kept, dtype=np.float64)
    return Curves(
        x,
        {
            SUM_RULE: epsilon * x,
            COIN: np.array([example.coin_epsilon(count * delta, count) for count in kept]),
            AGAIN: np.array([example.epsilon(count * delta, count, 0) for count in kept]),
        },
    )
