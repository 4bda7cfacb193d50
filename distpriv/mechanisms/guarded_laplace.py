"""As much of a mechanism's Laplace noise as delivers (ε, δ) with the covariances as they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from distpriv.errors import InapplicableError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.delivered import SimulatedLoss, delivered_delta, privacy_losses
from distpriv.privacy.laplace_profile import LaplaceLoss
from distpriv.privacy.noise import Noise
from distpriv.words import exact

__all__ = ["guarded_laplace"]

_NEAR = 2e-3  # of δ, below the one promised
_MOST = math.log(1e6)  # times the published noise
_TOGETHER = 1e-9
_LEAP = math.log(4.0)
_SLOPE = -6.0  # of ln δ over ln b, to begin with
_STEPS = 60
_TINY = 1e-300


def guarded_laplace(model: GaussianModel, published: Noise, delta: float) -> Noise:
    """Return the least multiple of a Laplace noise that delivers (ε, δ) for each pair and order.

    The fitted normals have a covariance each. Laplace noise c times as large is the noise itself
    and independent noise besides (none with probability 1/c²), so that δ falls as it grows
    (post-processing), and the least is found as a root. It may be less than the published noise,
    which promises δ = 0 to translations. What noise in several directions delivers is simulated,
    and along one direction averaged over the other coordinates, always with the same points: the
    *upper end* of the 95 % interval is what is held to δ.

    Parameters
    ----------
    model : GaussianModel
        As if its statistics were densities.
    published : Noise
        Laplace noise, without a floor, of the form that is sought; its ε is promised.
    delta : float in (0, 1)

    Raises
    ------
    InapplicableError
        If no amount of this noise keeps the promise.
    """
    epsilon = published.epsilon
    promised = replace(published, delta=delta, calibration="guarded")
    none = replace(promised, scales=np.zeros_like(published.scales))
    if delivered_delta(model, None, epsilon) <= delta:
        return none
    if published.is_zero:  # the means agree, and the noise has no direction
        raise _powerless(published, delta)
    searches = [
        _Excess(fit, promised, order)
        for fit in model.pairs
        for order, loss in enumerate(privacy_losses(fit, promised))
        if isinstance(loss, SimulatedLoss)
    ]
    size = 0.0
    # The loss that exceeds δ most decides, as a rule: the others are looked at there alone.
    for _ in range(len(searches)):
        worst = max(searches, key=lambda search: search(size))
        found = worst.root(size)
        if found is None:
            raise _powerless(published, delta)
        size = found
        if all(search(size) <= 0 for search in searches):
            break
    return replace(promised, scales=published.scales * math.exp(size))


@dataclass(frozen=True, eq=False)
class _Excess:
    """ln of δ delivered, at most, over the one promised, against ln of the noise's size."""

    fit: PairModel
    noise: Noise
    order: int
    seen: dict[float, float] = field(default_factory=dict)

    def __call__(self, size: float) -> float:
        if size not in self.seen:
            most = self._loss_at(math.exp(size)).most(self.noise.epsilon)
            self.seen[size] = math.log(max(most, _TINY)) - math.log(self.noise.delta)
        return self.seen[size]

    @cached_property
    def _published(self) -> LaplaceLoss:
        return self._simulated(self.noise)

    def _loss_at(self, factor: float) -> LaplaceLoss:
        if self._published.along is not None:
            return self._published.at_scale(factor)
        # The draws depend on the scales: they are to be those that tell what is delivered.
        return self._simulated(replace(self.noise, scales=self.noise.scales * factor))

    def _simulated(self, noise: Noise) -> LaplaceLoss:
        loss = privacy_losses(self.fit, noise)[self.order]
        assert isinstance(loss, SimulatedLoss)
        return loss.loss

    def root(self, start: float) -> float | None:
        """The least size, to within 2 in 1000 of δ, at which there is no excess; None for none."""
        low, high = -math.inf, math.inf
        size, before = start, None
        for _ in range(_STEPS):
            excess = self(size)
            if -_NEAR <= excess <= 0:
                return size
            if excess > 0:
                low = max(low, size)
            else:
                high = min(high, size)
            if low >= _MOST:
                return None
            if high - low < _TOGETHER:
                break
            slope = _SLOPE
            if before is not None and self(before) != excess and min(self(before), excess) > -20:
                slope = min((excess - self(before)) / (size - before), -0.1)
            before, size = size, size + float(np.clip(-(excess + _NEAR / 2) / slope, -_LEAP, _LEAP))
            if not low < size < high:
                size = (low + high) / 2
        return high if high < math.inf else None


def _powerless(noise: Noise, delta: float) -> InapplicableError:
    return InapplicableError(
        f"However large, the noise of {noise.mechanism} leaves directions in which the two "
        f"covariances differ by more than ε = {noise.epsilon:g} and δ = {exact(delta)} allow; take "
        "OptM, which adds noise in other directions too, a larger ε or δ, or a smaller Δp."
    )
