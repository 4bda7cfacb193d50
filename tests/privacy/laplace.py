"""What Laplace noise delivers at several ε, over the losses of both orders."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.model.sampling import Interval
from distpriv.privacy.laplace_profile import DeliveredBound, laplace_losses

FloatArray = NDArray[np.float64]


def laplace_delta(
    means: FloatArray,
    covariances: FloatArray,
    directions: FloatArray,
    scales: FloatArray,
    epsilons: ArrayLike,
    *,
    order: int | None = None,
    draws: int = 1024,
    seed: int = 0,
) -> DeliveredBound:
    """δ that Laplace noise delivers at every ε >= 0, shape (points,).

    Parameters, errors and accuracy are those of :func:`laplace_losses`.

    Parameters
    ----------
    order : 0, 1 or None
        0 if P is the first of the two normals, 1 if it is the second, None for the worse.
    """
    both = laplace_losses(means, covariances, directions, scales, draws=draws, seed=seed)
    deltas = [
        loss.deltas(epsilons) for loss in (both if order is None else both[order : order + 1])
    ]
    delta, low, high = (
        np.max([getattr(delta, name) for delta in deltas], axis=0)
        for name in ("delta", "low", "high")
    )
    return DeliveredBound(delta, low, high, deltas[0].kind)


def laplace_bound(
    means: FloatArray,
    covariances: FloatArray,
    directions: FloatArray,
    scales: FloatArray,
    epsilons: ArrayLike,
    *,
    order: int | None = None,
) -> DeliveredBound:
    """What Laplace noise delivers at most, by proof; see :meth:`LaplaceLoss.bounds`."""
    both = laplace_losses(means, covariances, directions, scales)
    chosen = both if order is None else both[order : order + 1]
    bounds = np.max([loss.bounds(epsilons) for loss in chosen], axis=0)
    return DeliveredBound(bounds, np.zeros_like(bounds), bounds, "bound")


def laplace_epsilon(
    means: FloatArray,
    covariances: FloatArray,
    directions: FloatArray,
    scales: FloatArray,
    delta: float,
    *,
    order: int | None = None,
    draws: int = 1024,
    seed: int = 0,
) -> Interval:
    """Least ε >= 0 at which Laplace noise delivers δ in (0, 1); see :func:`laplace_delta`."""
    both = laplace_losses(means, covariances, directions, scales, draws=draws, seed=seed)
    epsilons = [
        loss.epsilon(delta) for loss in (both if order is None else both[order : order + 1])
    ]
    return Interval(
        *(max(getattr(x, end) for x in epsilons) for end in ("estimate", "low", "high"))
    )
