"""The least Gaussian noise that keeps promises: one pair or many, equal covariances or not, persons too.

A promise is (ε, δ) for two normals that both get N(0, S).  At the S of least trace the gradient G of the
binding promises is a multiple of the identity where S has noise, which is the fixed point of

    S ← c (S G S)^½,

G = Σ_k λ_k (−∂ ln δ_k/∂S).  With no covariance below it is one step; with equal covariances and one pair
it ends at the positive part of ddᵀ/t − Σ; with several it is the semidefinite program's solution.
There are several such points: it starts from noise in all directions, from noise where a little does
most, which is what the best noise is where hardly any is needed, and between these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distpriv.privacy.loss import NormalLoss, normal_distance

_ROUNDS = 10, 40  # one promise, several
_IDLE = 1e-4  # least multiplier: what does not bind now may bind later
_ASIDE = {
    (1, 0): 1.0,
    (0, 1): 0.01,
    (1, 1): 0.1,
}  # of closed form and where a little does most: three starts
_NEAR = 0.3  # of ln δ: within it Newton's step foretells the multiple
_KEPT = 1e-7  # of ln δ: room that a result may leave


@dataclass(frozen=True, eq=False)
class Promises:
    """K promises to be kept by one noise, for B cases side by side.

    Attributes
    ----------
    differences : ndarray, shape (B, K, m)
    covariances : ndarray, shape (B, K, 2, m, m)
        Of the two normals; zeros for a replaced record (persons).
    epsilon, delta : ndarray, shape (B, K)
    """

    differences: np.ndarray
    covariances: np.ndarray
    epsilon: np.ndarray
    delta: np.ndarray

    def of(self, rows) -> Promises:
        return Promises(*(part[rows] for part in vars(self).values()))

    def excess(self, noise, *, slopes=False):
        """ln(δ delivered / δ promised) in both orders, shape (B, 2K), and −∂ ln δ/∂S, (B, 2K, m, m)."""
        one, other = np.moveaxis(self.covariances, 2, 0) + noise[:, None]
        loss = NormalLoss.between(self.differences, one, other)
        loss = loss.beside(loss.reversed)
        epsilon, delta = np.tile(self.epsilon, 2), np.tile(self.delta, 2)
        found, slope = loss.gradient(epsilon) if slopes else (loss.delta(epsilon), None)
        found = np.clip(found, 1e-300, 1)
        room = np.log(found / delta)
        return (room, -slope / found[..., None, None]) if slopes else room


def least_noise(promises: Promises, rounds: int | None = None) -> np.ndarray:
    """S of (locally) least trace that keeps all promises, shape (B, m, m); NaN where none does."""
    rounds = rounds or _ROUNDS[promises.delta.shape[1] > 1]
    noise = np.zeros((len(promises.delta), *promises.covariances.shape[-2:]))
    excess, slopes = promises.excess(noise, slopes=True)
    (rows,) = np.nonzero(~(excess.max(1) <= 0))  # the others need none
    if not len(rows):
        return noise
    some = promises.of(rows)
    closed = _equal_covariances(some)
    least = 1e-6 * _trace(some.covariances.mean((1, 2)))
    little = _little(excess[rows], slopes[rows], closed, least)
    starts = np.concatenate(
        [
            _aside(some, one * closed + other * little, share)
            for (one, other), share in _ASIDE.items()
        ]
    )
    several = promises.of(np.tile(rows, len(_ASIDE)))
    multiple = least_multiple(several, starts, rough=_NEAR)
    starts = np.where(np.isnan(multiple), starts, multiple)
    shapes, traces = _improved(several, starts, rounds)
    as_is = _multiplied(closed, *some.excess(closed, slopes=True))[1]
    traces = np.concatenate([traces, as_is]).reshape(-1, len(rows))
    shapes = np.concatenate([shapes, closed]).reshape(-1, *closed.shape)
    noise[rows] = least_multiple(some, shapes[traces.argmin(0), np.arange(len(rows))])
    return noise


def _little(excess, slopes, closed, least):
    """Noise as large as the closed form, in the one direction in which a little does most."""
    worst = np.take_along_axis(slopes, excess.argmax(1)[:, None, None, None], 1)[:, 0]
    values, vectors = np.linalg.eigh(np.nan_to_num(worst, posinf=0.0, neginf=0.0))
    along = vectors[..., -1:] @ np.swapaxes(vectors[..., -1:], -1, -2)
    size = np.maximum(_trace(closed), least)[:, None, None]
    return np.where(values[:, -1, None, None] > 0, along * size, closed)


def _aside(promises, noise, share):
    """With a share of the noise besides, spread over all directions by how much the statistics vary."""
    unit = np.diagonal(promises.covariances.mean(2), axis1=-2, axis2=-1).mean(1)
    unit = unit + 1e-3 * np.diagonal(noise, axis1=-2, axis2=-1)
    size = np.maximum(_trace(noise) / unit.sum(-1), 1e-6)
    return noise + share * (size[:, None] * unit)[..., None] * np.eye(unit.shape[-1])


def _equal_covariances(promises):
    """What each pair would need alone with its mean covariance, added up."""
    distance = normal_distance(promises.epsilon, promises.delta)
    d = promises.differences / distance[..., None]
    return positive_part(d[..., :, None] * d[..., None, :] - promises.covariances.mean(2)).sum(1)


def _improved(promises, noise, rounds):
    """The best shape on the way of the fixed point, and the trace that it will need."""
    best, least = noise, np.full(len(noise), np.inf)
    multiplier = np.ones((len(noise), 2 * promises.delta.shape[1]))
    for _ in range(rounds):
        excess, slopes = promises.excess(noise, slopes=True)
        factor, trace = _multiplied(noise, excess, slopes)
        better = trace < least
        best, least = np.where(better[:, None, None], noise, best), np.where(better, trace, least)
        multiplier = multiplier * np.exp(np.clip(excess - excess.max(1)[:, None], -2, 0))
        multiplier = np.maximum(multiplier / multiplier.max(1, keepdims=True), _IDLE)
        mixed = noise @ np.einsum("bk,bkij->bij", multiplier, slopes) @ noise
        mixed = np.nan_to_num(mixed + np.swapaxes(mixed, 1, 2), posinf=0.0, neginf=0.0)
        new = square_root(mixed)
        size = factor * _trace(noise) / np.maximum(_trace(new), 1e-290)
        moved = _trace(new) > 1e-280
        noise = np.where(
            moved[:, None, None], new * np.where(moved, size, 1.0)[:, None, None], noise
        )
    return best, least


def _multiplied(noise, excess, slopes):
    """Newton's step for ln c, cut at a factor e; and the trace that it foretells, where it is near."""
    worst = excess.max(1)
    slope = np.take_along_axis(slopes, excess.argmax(1)[:, None, None, None], 1)[:, 0]
    step = worst / np.maximum((slope * noise).sum((1, 2)), 1e-3)
    near = (abs(worst) < _NEAR) & (abs(step) < 1) & (_trace(noise) > 0)
    step = np.clip(step, -1, 1)
    return np.exp(step), np.where(near, _trace(noise) * np.exp(step), np.inf)


def least_multiple(promises, shape, rough: float = _KEPT) -> np.ndarray:
    """c S with the least c that keeps the promises, for each shape S; NaN for none."""
    factor = least_along(promises, lambda rows, c: shape[rows] * c[:, None, None], rough=rough)
    return shape * np.where(_trace(shape) > 0, factor, np.nan)[:, None, None]


def least_along(
    promises, noise_at, least: float = 1e-18, rough: float = _KEPT, most: float = 1e15
) -> np.ndarray:
    """The least factor >= `least` at which noise that grows with it keeps the promises, shape (B,).

    The secant method in its logarithm, on which ln δ is about a straight line, inside a bracket.

    Parameters
    ----------
    noise_at : callable
        From indices of cases and their factors to noises, shape (indices, m, m).

    Returns
    -------
    ndarray, shape (B,)
        NaN where however much does not do.
    """
    count = len(promises.delta)
    low, high = np.full(count, np.log(least)), np.full(count, np.inf)
    x, slope = np.maximum(low, 0.0), np.ones(count)
    before = np.full((2, count), np.nan)
    todo = np.arange(count)
    for _ in range(80):
        if not len(todo):
            break
        at = x[todo]
        excess = promises.of(todo).excess(noise_at(todo, np.exp(at))).max(1)
        kept = excess <= 0
        low[todo], high[todo] = np.where(kept, low[todo], at), np.where(kept, at, high[todo])
        with np.errstate(invalid="ignore", divide="ignore"):
            secant = (before[1, todo] - excess) / (at - before[0, todo])
        slope[todo] = np.where(np.isfinite(secant), np.clip(secant, 0.02, 1e3), slope[todo])
        before[:, todo] = at, excess
        new = at + np.clip((excess + rough / 2) / slope[todo], -3, 3)
        halved = np.where(np.isinf(high[todo]), at + 3, (low[todo] + high[todo]) / 2)
        x[todo] = np.where((low[todo] < new) & (new < high[todo]), new, halved)
        done = kept & ((excess > -rough) | (at <= np.log(least))) | (~kept & (at > np.log(most)))
        todo = todo[~done]
    return np.where(np.isinf(high), np.nan, np.exp(high))


def positive_part(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def square_root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.maximum(values, 0))[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def _trace(matrix):
    return np.trace(matrix, axis1=-2, axis2=-1)
