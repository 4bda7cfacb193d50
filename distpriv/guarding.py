"""Noise that keeps its promise with the two covariances of a pair as they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize

from distpriv.errors import InapplicableError
from distpriv.models import GaussianModel, PairModel
from distpriv.noise import Noise
from distpriv.profiles import PrivacyLoss, delivered_delta, privacy_losses, worst_case

__all__ = ["guarded", "least_guarded"]

FloatArray = NDArray[np.float64]


def guarded(
    noise_at: Callable[[float], Noise],
    model: GaussianModel,
    distance: float,
    epsilon: float,
    delta: float,
) -> Noise:
    """Lower the distance until each pair, with its separate covariances, delivers (ε, δ).

    The delivered δ rises with the distance; the search ends on the side that keeps the promise.
    Few pairs bind: it goes on with those that broke the promise last time.

    Parameters
    ----------
    noise_at : callable
        The mechanism's noise for a Mahalanobis distance allowed.
    model : GaussianModel
    distance : float
        The largest to try: what (ε, δ) allows at equal covariances.
    epsilon, delta : float

    Raises
    ------
    InapplicableError
        If no amount of this noise keeps the promise.
    """
    noise, active = noise_at(distance), list[int]()
    while True:
        worst = worst_case(model, noise, epsilon)
        if worst.delta <= delta or worst.pair in active:
            return noise
        active.append(worst.pair)
        noise = _enough(noise_at, model.only(*active), distance, epsilon, delta)


def _enough(
    noise_at: Callable[[float], Noise],
    model: GaussianModel,
    distance: float,
    epsilon: float,
    delta: float,
) -> Noise:
    """The least noise, from the largest distance down, that keeps the promise for all pairs."""

    def excess(factor: float) -> float:
        delivered = delivered_delta(model, noise_at(factor * distance), epsilon)
        return math.log(max(delivered, 1e-300) / delta)

    low = next((factor for factor in (0.8, 1e-3) if excess(factor) <= 0), None)
    if low is None:
        raise InapplicableError(
            "However large, the noise of this mechanism leaves directions in which the two "
            f"covariances differ by more than ε = {epsilon:g} and δ = {delta:g} allow; "
            "take OptM, which adds noise in other directions too, a larger ε or δ, or a smaller Δp."
        )
    factor = float(brentq(excess, low, 1.0, xtol=1e-5, rtol=1e-5))
    while excess(factor) > 0:
        factor *= 1 - 2e-5
    return noise_at(factor * distance)


def least_guarded(
    model: GaussianModel, candidates: Sequence[FloatArray], epsilon: float, delta: float
) -> FloatArray:
    """Covariance S of a trace that is least among its neighbours and delivers (ε, δ).

    Sequential quadratic programming (Kraft 1988) over the factor L of S = LLᵀ, with the
    delivered δ of every pair in both orders, and its derivative, as constraints. The program is
    not convex, so that the result is proven to keep the promise and to be no larger than any of
    the candidates, not to be the least of all. Few pairs bind: the search takes in those that
    break the promise, until none does.

    Parameters
    ----------
    model : GaussianModel
    candidates : sequence of ndarray, shape (m, m)
        Covariances that keep the promise, at least one; the search starts from the least.
    epsilon, delta : float
    """
    best = min(candidates, key=np.trace)
    covariance, active = best, list[int]()
    while True:
        deltas = _deltas(model, covariance, epsilon)
        if active and deltas.max() <= delta:
            return covariance if np.trace(covariance) < np.trace(best) else best
        worst = int(np.argmax(deltas))
        if worst in active:
            return best
        active.append(worst)
        covariance = _searched(model.only(*active), best, epsilon, delta)


def _deltas(model: GaussianModel, covariance: FloatArray, epsilon: float) -> FloatArray:
    """What a noise delivers for each pair in its worse order, shape (pairs,)."""
    return np.array(
        [
            max(loss.delta(epsilon) for loss in privacy_losses(_with(fit, covariance), None))
            for fit in model.pairs
        ]
    )


def _with(fit: PairModel, covariance: FloatArray) -> PairModel:
    return replace(fit, covariances=fit.covariances + covariance)


def _searched(model: GaussianModel, best: FloatArray, epsilon: float, delta: float) -> FloatArray:
    """The search for all pairs of a model at once; `best` if it finds nothing less."""
    size = len(best)
    scale = float(np.trace(best))
    # A factor of less than full rank has no way out of its span.
    values, vectors = np.linalg.eigh(best / scale + 0.01 * np.eye(size) / size)

    def losses(covariance: FloatArray) -> list[PrivacyLoss]:
        return [
            loss for fit in model.pairs for loss in privacy_losses(_with(fit, covariance), None)
        ]

    def excess(known: list[PrivacyLoss]) -> FloatArray:
        return np.log(np.maximum([loss.delta(epsilon) for loss in known], 1e-300) / delta)

    latest: dict[bytes, tuple[list[PrivacyLoss], FloatArray]] = {}

    def at(factor: FloatArray) -> tuple[list[PrivacyLoss], FloatArray]:
        """Losses and excesses; the search asks for value and slope at the same place."""
        key = factor.tobytes()
        if key not in latest:
            root = factor.reshape(size, size)
            known = losses(scale * root @ root.T)
            latest.clear()
            latest[key] = known, excess(known)
        return latest[key]

    def slopes(factor: FloatArray) -> FloatArray:
        known, reached = at(factor)
        root = factor.reshape(size, size)
        return np.array(
            [
                -2 * scale * (loss.gradient(epsilon) @ root).ravel() / (delta * math.exp(value))
                for loss, value in zip(known, reached, strict=True)
            ]
        )

    def room(factor: FloatArray) -> FloatArray:
        return -at(factor)[1]

    def trace(factor: FloatArray) -> tuple[float, FloatArray]:
        return float(factor @ factor), 2 * factor

    keeps: Any = {"type": "ineq", "fun": room, "jac": slopes}
    found = minimize(
        trace,
        (vectors * np.sqrt(values)).ravel(),
        jac=True,
        method="SLSQP",
        constraints=keeps,
        options={"maxiter": 50, "ftol": 1e-6},
    )
    root = found.x.reshape(size, size)
    covariance = scale * root @ root.T
    # What the search leaves wanting is made up for by a little more of the same noise.
    more = 1e-5
    while 0 < np.trace(covariance) < np.trace(best):
        if excess(losses(covariance)).max() <= 0:
            return np.asarray(covariance)
        covariance, more = covariance * (1 + more), 2 * more
    return best
