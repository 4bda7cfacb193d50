"""The least normal noise that keeps promises: of one pair or many, equal covariances or not.

A promise is (ε, δ) for two normals that both get N(0, S). At the S of least trace the gradient G of
the binding promises is a multiple of the identity where S has noise, which is the fixed point of

    S ← c (S G S)^½,    G = Σ_k λ_k (−∂ ln δ_k/∂S).

With no covariance below it is one step; with equal covariances and one pair it ends at the positive
part of A = ddᵀ/μ² − Σ; with several pairs it is the solution of the semidefinite program: the least
trace of S ⪰ 0 with S ⪰ A for all. There are several such points: it starts from noise in all
directions, from noise where a little does most, which is what the best noise is where hardly any is
needed, and between these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from distpriv.arrays import BoolArray, FloatArray, IntArray
from distpriv.model.grid import solve_in_units
from distpriv.privacy.loss import NormalLoss, normal_delta, normal_distance

__all__ = ["Promises", "least_along", "least_noise", "positive_part"]

_ROUNDS = 10, 40  # one promise, several
_IDLE = 1e-4  # least multiplier: what does not bind now may bind later
# Closed form, noise where a little does most, and how much in all directions besides: three starts.
_STARTS = ((1, 0, 1.0), (0, 1, 0.01), (1, 1, 0.1))
_NEAR = 0.3  # of ln δ: within it Newton's step foretells the multiple
_KEPT = 1e-7  # of ln δ: room that a result may leave
_TRIES = 80
_NARROW = 0.01  # of that room: brackets in ln factor that are no use any more


@dataclass(frozen=True, eq=False)
class Promises:
    """K promises to be kept by one noise, for B cases side by side."""

    differences: FloatArray  # (B, K, m)
    covariances: FloatArray  # (B, K, 2, m, m), of the two normals; zeros for a replaced record
    epsilon: FloatArray  # (B, K)
    delta: FloatArray  # (B, K)

    def of(self, rows: IntArray | BoolArray) -> Promises:
        """Return some of the cases."""
        parts = self.differences, self.covariances, self.epsilon, self.delta
        return Promises(*(part[rows] for part in parts))

    @cached_property
    def alike(self) -> BoolArray:
        """Of which promises the two covariances agree, shape (K,)."""
        one, other = np.moveaxis(self.covariances, 2, 0)
        return np.asarray((one == other).all(axis=(0, 2, 3)))

    def excess(self, noise: FloatArray) -> FloatArray:
        """Return ln(δ delivered / δ promised), (B, U), under noise (B, m, m).

        First of promises whose covariances differ, in one order, in the other one, then of those
        whose covariances agree.
        """
        return self.excess_and_slopes(noise, slopes=False)[0]

    def excess_and_slopes(
        self, noise: FloatArray, slopes: bool = True
    ) -> tuple[FloatArray, FloatArray]:
        """Return the excess, (B, U), and −∂ ln δ/∂S, (B, U, m, m), to about 0.2 %."""
        deltas, promised, parts = [], [], []
        for some, law in ((~self.alike, _unlike), (self.alike, _alike)):
            if some.any():
                one, other = np.moveaxis(self.covariances[:, some], 2, 0) + noise[:, None]
                delta, slope = law(
                    self.differences[:, some], one, other, self.epsilon[:, some], slopes
                )
                deltas.append(np.clip(delta, 1e-300, 1))
                promised.append(np.tile(self.delta[:, some], delta.shape[1] // some.sum()))
                parts.append(slope)
        delta = np.concatenate(deltas, axis=1)
        excess = np.log(delta / np.concatenate(promised, axis=1))
        return excess, -np.concatenate(parts, axis=1) / delta[..., None, None] if slopes else noise


def _unlike(
    d: FloatArray, one: FloatArray, other: FloatArray, epsilon: FloatArray, slopes: bool
) -> tuple[FloatArray, FloatArray]:
    """Return δ of normals in both orders, (B, 2K), and ∂δ/∂S, (B, 2K, m, m)."""
    loss = NormalLoss.between(d, one, other)
    both, level = NormalLoss.together([loss, loss.reversed]), np.tile(epsilon, 2)
    return both.gradient(level) if slopes else (both.profile(level), d)


def _alike(
    d: FloatArray, total: FloatArray, _: FloatArray, epsilon: FloatArray, _slopes: bool
) -> tuple[FloatArray, FloatArray]:
    """Return δ of normals of equal covariance, (B, K), and ∂δ/∂S, (B, K, m, m)."""
    along = solve_in_units(total, d)
    mu = np.sqrt(np.maximum((along * d).sum(axis=-1), 1e-300))
    density = np.exp(-((mu / 2 - epsilon / mu) ** 2) / 2) / math.sqrt(2 * math.pi)
    slope = -(density / (2 * mu))[..., None, None] * along[..., :, None] * along[..., None, :]
    return normal_delta(mu, epsilon), slope


def least_noise(promises: Promises) -> FloatArray:
    """Compute the S of (locally) least trace that keeps all promises, (B, m, m); NaN for none."""
    rounds = _ROUNDS[promises.delta.shape[1] > 1]
    noise = np.zeros((len(promises.delta), *promises.covariances.shape[-2:]))
    excess, slopes = promises.excess_and_slopes(noise)
    (rows,) = np.nonzero(~(excess.max(1) <= 0))  # the others need none
    if not len(rows):
        return noise
    some = promises.of(rows)
    # What each pair would need alone with its mean covariance, added up.
    d = some.differences / normal_distance(some.epsilon, some.delta)[..., None]
    alone = positive_part(d[..., :, None] * d[..., None, :] - some.covariances.mean(2))
    closed = alone.sum(1)
    least = 1e-6 * _trace(some.covariances.mean((1, 2)))
    little = _little(excess[rows], slopes[rows], closed, least)
    starts = np.concatenate(
        [_aside(some, one * closed + other * little, share) for one, other, share in _STARTS]
    )
    several = promises.of(np.tile(rows, len(_STARTS)))
    multiple = _least_multiple(several, starts, rough=_NEAR)
    starts = np.where(np.isnan(multiple), starts, multiple)
    shapes, traces = _improved(several, starts, rounds)
    as_is = _multiplied(closed, *some.excess_and_slopes(closed))[1]
    traces = np.concatenate([traces, as_is]).reshape(-1, len(rows))
    shapes = np.concatenate([shapes, closed]).reshape(-1, *closed.shape)
    best = shapes[traces.argmin(0), np.arange(len(rows))]
    noise[rows] = _least_multiple(some, best)
    return noise


def _little(
    excess: FloatArray, slopes: FloatArray, closed: FloatArray, least: FloatArray
) -> FloatArray:
    """Return noise as large as the closed form, in the direction in which a little does most."""
    worst = np.nan_to_num(_of_worst(excess, slopes), posinf=0.0, neginf=0.0)
    values, vectors = np.linalg.eigh(worst)
    along = vectors[..., -1:] @ np.swapaxes(vectors[..., -1:], -1, -2)
    size = np.maximum(_trace(closed), least)[:, None, None]
    return np.where(values[:, -1, None, None] > 0, along * size, closed)


def _of_worst(excess: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return slopes of the promise that is broken worst, (B, m, m)."""
    return np.take_along_axis(slopes, excess.argmax(1)[:, None, None, None], 1)[:, 0]


def _aside(promises: Promises, noise: FloatArray, share: float) -> FloatArray:
    """Add a share of the noise in all directions, by how much the statistics vary."""
    unit = np.diagonal(promises.covariances.mean(2), axis1=-2, axis2=-1).mean(1)
    unit = unit + 1e-3 * np.diagonal(noise, axis1=-2, axis2=-1)
    size = np.maximum(_trace(noise) / unit.sum(-1), 1e-6)
    return noise + share * (size[:, None] * unit)[..., None] * np.eye(unit.shape[-1])


def _improved(promises: Promises, noise: FloatArray, rounds: int) -> tuple[FloatArray, FloatArray]:
    """Return the best shape on the way of the fixed point, and the trace that it will need."""
    best, least = noise, np.full(len(noise), np.inf)
    multiplier = np.ones((len(noise), len(promises.alike) + int((~promises.alike).sum())))
    for _ in range(rounds):
        excess, slopes = promises.excess_and_slopes(noise)
        factor, trace = _multiplied(noise, excess, slopes)
        better = trace < least
        best, least = np.where(better[:, None, None], noise, best), np.where(better, trace, least)
        multiplier = multiplier * np.exp(np.clip(excess - excess.max(1)[:, None], -2, 0))
        multiplier = np.maximum(multiplier / multiplier.max(1, keepdims=True), _IDLE)
        mixed = noise @ np.einsum("bk,bkij->bij", multiplier, slopes) @ noise
        mixed = np.nan_to_num(mixed + np.swapaxes(mixed, 1, 2), posinf=0.0, neginf=0.0)
        new = positive_part(mixed, 0.5)
        moved = _trace(new) > 1e-280
        size = factor * _trace(noise) / np.where(moved, _trace(new), 1.0)
        noise = np.where(moved[:, None, None], new * size[:, None, None], noise)
    return best, least


def _multiplied(
    noise: FloatArray, excess: FloatArray, slopes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Take Newton's step for ln c, cut at e, and the trace that it foretells where it is near."""
    worst = excess.max(1)
    step = worst / np.maximum((_of_worst(excess, slopes) * noise).sum((1, 2)), 1e-3)
    near = (abs(worst) < _NEAR) & (abs(step) < 1) & (_trace(noise) > 0)
    step = np.clip(step, -1, 1)
    return np.exp(step), np.where(near, _trace(noise) * np.exp(step), np.inf)


def _least_multiple(promises: Promises, shape: FloatArray, rough: float = _KEPT) -> FloatArray:
    """Return c S with the least c that keeps the promises, for each shape S; NaN for none."""

    def excess_of(rows: IntArray, factor: FloatArray) -> FloatArray:
        return promises.of(rows).excess(shape[rows] * factor[:, None, None]).max(1)

    factor = least_along(excess_of, np.full(len(shape), 1e-18), rough)
    return shape * np.where(_trace(shape) > 0, factor, np.nan)[:, None, None]


def least_along(
    excess_of: Callable[[IntArray, FloatArray], FloatArray],
    least: FloatArray,
    rough: float = _KEPT,
    largest: float = 1e15,
    steep: float = 1.0,
) -> FloatArray:
    """Compute the least factors, (B,), at which noise that grows with them keeps promises.

    The secant method in their logarithm, on which ln δ is about a straight line, in a bracket: from
    `least`, (B,) and above 0, or 1, whichever is more, to the largest. From indices of cases and
    factors, `excess_of` gives ln(δ delivered / δ promised), which falls, at first as `steep`ly, and
    in which a result may leave room (`rough`). NaN where however much does not do; else a factor
    that has been tried.
    """
    count = len(least)
    low, high = np.log(least), np.full(count, np.inf)
    x, slope = np.maximum(low, 0.0), np.full(count, steep)
    before = np.full((2, count), np.nan)
    todo = np.arange(count)
    for _ in range(_TRIES):
        if not len(todo):
            break
        at = x[todo]
        excess = excess_of(todo, np.exp(at))
        kept = excess <= 0
        enough = kept & ((excess > -rough) | (at <= np.log(least[todo])))
        low[todo], high[todo] = np.where(kept, low[todo], at), np.where(kept, at, high[todo])
        with np.errstate(invalid="ignore", divide="ignore"):
            secant = (before[1, todo] - excess) / (at - before[0, todo])
        slope[todo] = np.where(np.isfinite(secant), np.clip(secant, 0.02, 1e3), slope[todo])
        before[:, todo] = at, excess
        new = at + np.clip((excess + rough / 2) / slope[todo], -3, 3)
        halved = np.where(np.isinf(high[todo]), at + 3, (low[todo] + high[todo]) / 2)
        x[todo] = np.where((low[todo] < new) & (new < high[todo]), new, halved)
        enough |= high[todo] - low[todo] < _NARROW * rough
        todo = todo[~(enough | (~kept & (at > np.log(largest))))]
    return np.where(np.isinf(high), np.nan, np.exp(high))


def positive_part(matrix: FloatArray, power: float = 1.0) -> FloatArray:
    """Return a power of symmetric matrices (..., m, m), their negative eigenvalues set to 0."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0)[..., None, :] ** power) @ vectors.swapaxes(-1, -2)


def _trace(matrix: FloatArray) -> FloatArray:
    return np.trace(matrix, axis1=-2, axis2=-1)
