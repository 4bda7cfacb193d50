"""Wasserstein mechanisms: as much noise as the statistics have to move.

Where a pair has outcomes, simulated or exact, the distances are theirs; else they are those of
the fitted normals with the pair's pooled covariance, translations of each other.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from distpriv.distances.normals import normal_closeness, normal_deviation
from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import Mechanism, register
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.calibration import Calibration, check_delta, check_epsilon
from distpriv.privacy.noise import Noise

__all__ = ["swap_reach"]


def swap_reach(model: GaussianModel) -> float:
    """A bound on every pair's W_∞ that assumes nothing about the data but their range.

    A dataset with k_i records that have the property becomes one with k_j by exchanging
    |k_i − k_j| records for ones of the other kind, drawn at random: a coupling of f_θi and f_θj
    that moves the statistics by at most |k_i − k_j|·Δ_1, Δ_1 what one record can move, in L1.
    """
    exchanged = max(abs(fit.thetas[0].having - fit.thetas[1].having) for fit in model.pairs)
    return exchanged * float(model.record_sensitivities.sum())


class _WassersteinMechanism(Mechanism):
    """Independent Lap(W/ε) on every statistic, W the largest of the pairs' distances.

    Class attributes
    ----------------
    stand_in : tuple of Assumption
        What the distance of the fitted normals rests on.
    """

    stand_in: ClassVar[tuple[Assumption, ...]]

    distribution = "laplace"
    full_rank = True
    shown_at_first = False  # where the pairs are translations they are ExpM(L), or about it
    from_outcomes = True

    def assumptions(
        self, model: GaussianModel, calibration: Calibration | None
    ) -> tuple[Assumption, ...]:
        """The theorems assume nothing; what stands in for distributions that are not known does."""
        return self.stand_in if any(fit.outcomes is None for fit in model.pairs) else ()

    @abstractmethod
    def reach(self, model: GaussianModel, delta: float) -> float:
        """W, in the L1 norm."""

    def plan(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Noise:
        """Laplace noise of scale W/ε on every statistic."""
        epsilon = check_epsilon(epsilon)
        spent = check_delta(delta) if self.takes_delta else 0.0
        count = len(model.query)
        return Noise(
            mechanism=self.name,
            distribution="laplace",
            directions=np.eye(count),
            scales=np.full(count, self.reach(model, spent) / epsilon),
            epsilon=epsilon,
            delta=spent,
            caveats=self.caveats(model),
        )

    def caveats(self, model: GaussianModel) -> tuple[str, ...]:
        """Samples of two distributions are not the distributions."""
        sampled = [fit.outcomes for fit in model.pairs if fit.outcomes and not fit.outcomes.exact]
        if not sampled:
            return ()
        fewest = min(len(points) for outcomes in sampled for points in outcomes.points)
        return (
            f"The distance is that of {fewest} simulated datasets for each share, not of the "
            "distributions they are drawn from: an estimate, which more datasets improve.",
        )


@register
class Wasserstein(_WassersteinMechanism):
    """Independent Lap(sup W_∞(f_θi, f_θj)/ε) on every statistic.

    (ε, 0)-distribution private, whatever the distributions (Chen & Ohrimenko 2023, Theorem 3.1).
    For translations W_∞ is Δ_{E,1} and this is ExpM(L).
    """

    name = "Wasserstein"
    position = 60
    title = "Wasserstein mechanism"
    summary = (
        "Laplace noise as large as the furthest that anything must move to turn one share's "
        "statistics into the other's."
    )
    source = "Chen & Ohrimenko (2023), Theorem 3.1"
    takes_delta = False
    stand_in = (Assumption.TRANSLATION,)

    def reach(self, model: GaussianModel, delta: float) -> float:
        return max(_closeness(fit, 0.0) for fit in model.pairs)


@register
class ApproximateWasserstein(_WassersteinMechanism):
    """Independent Lap(W/ε) on every statistic, all pairs (W, δ)-close.

    (ε, δ)-distribution private, whatever the distributions (Chen & Ohrimenko 2023, Theorem 3.2).
    """

    name = "ApproxWasserstein"
    position = 61
    title = "Approximate Wasserstein mechanism"
    summary = "The Wasserstein mechanism, leaving out the share δ that would have to move furthest."
    source = "Chen & Ohrimenko (2023), Theorem 3.2"
    stand_in = (Assumption.GAUSSIAN, Assumption.EQUAL_COVARIANCE)

    def reach(self, model: GaussianModel, delta: float) -> float:
        return max(_closeness(fit, delta) for fit in model.pairs)


@register
class BoundedWasserstein(_WassersteinMechanism):
    """Independent Lap((Δ_E + 2c')/ε), ‖F − E F‖_1 ≤ c' with probability 1 − δ/2 under every θ.

    (ε, δ)-distribution private, as such pairs are (Δ_E + 2c', δ)-close (Chen & Ohrimenko 2023,
    Theorem 3.3); Δ_E is the largest L1 distance of two means.
    """

    name = "BoundedWasserstein"
    position = 62
    title = "Wasserstein mechanism for statistics bounded with high probability"
    summary = (
        "Laplace noise from a bound alone: how far the statistics stray from their means, "
        "except with probability δ."
    )
    source = "Chen & Ohrimenko (2023), Theorem 3.3"
    stand_in = (Assumption.GAUSSIAN,)

    def reach(self, model: GaussianModel, delta: float) -> float:
        apart = [fit for fit in model.pairs if fit.thetas[0].having != fit.thetas[1].having]
        strays = max((_deviation(fit, delta / 2) for fit in apart), default=0.0)
        return model.sensitivity(1) + 2 * strays


def _closeness(fit: PairModel, delta: float) -> float:
    if fit.outcomes is not None:
        return fit.outcomes.closeness(delta)
    return normal_closeness(fit.difference, fit.pooled, delta)


def _deviation(fit: PairModel, outside: float) -> float:
    if fit.outcomes is not None:
        return fit.outcomes.deviation(outside)
    return max(normal_deviation(covariance, outside) for covariance in fit.covariances)
