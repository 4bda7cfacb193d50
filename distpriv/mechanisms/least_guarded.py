"""The least noise that keeps promises with the covariances as they are, by interior points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from distpriv.privacy.lengths import JointDerivatives, Together
from distpriv.privacy.promises import Derivatives, Promises, entries, symmetric

__all__ = ["counting", "kept_multiple", "least_kept", "least_kept_along"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]

_ROUNDS, _CAREFUL_ROUNDS = 16, 100
_GAP = 1e-5  # of the trace, as is _SLOPE
_SLOPE = 3e-4
_ROOM = 1e-3  # scaling makes up for it, at an error of its square
# How far below their mean the products of a variable and its dual may fall, and what they are at
# the beginning.
_SPREAD_MATRIX, _SPREAD_ROOM = 0.01, 0.1
_BEGIN = 0.1
_ROUGH = 0.2  # of room, at the start
_GROWTH = 0.5  # of the trace, in one step
_LEAST_WEIGHT = 1e-8
_TURNS, _OUTWARDS, _FAR = 60, 3, 1e-3
_FEW = 6  # pairs that are looked at first


def counting(weights: FloatArray, least: float = _LEAST_WEIGHT) -> FloatArray:
    """Weights, shape (..., m), of which those next to nothing count for a little.

    So that numbers stay alike where statistics differ much in size.

    Parameters
    ----------
    weights : ndarray, shape (..., m), each > 0
    least : float
        Of the largest.
    """
    return np.maximum(weights, least * weights.max(axis=-1, keepdims=True))


def least_kept(
    promises: Promises | Together, weights: FloatArray, starts: FloatArray
) -> FloatArray:
    r"""Covariances S of least :math:`\sum_i w_i S_{ii}` that keep the promises.

    The program min tr(W S) subject to room_k(S) ≥ 0 for every loss k and S ⪰ 0, solved by a
    primal-dual interior-point method in the scaling of Nesterov & Todd (1998) with exact second
    derivatives, all promises side by side. The room is nearly concave, so that the program is
    nearly convex; of a result it is proven that it keeps its promise, and that no neighbour has a
    trace less by more than about 1e-5.

    Parameters
    ----------
    promises : Promises
    weights : ndarray, shape (promises, m), each > 0
    starts : ndarray, shape (promises, m, m)
        Positive definite.

    Returns
    -------
    ndarray, shape (promises, m, m)
        NaN where nothing is found that keeps the promise.
    """
    if starts.shape[-1] == 1:
        return kept_multiple(promises, starts)
    if isinstance(promises, Promises) and promises.differences.shape[1] > 2 * _FEW:
        return _by_exchange(promises, weights, starts)
    return _least_of(promises, weights, starts)


def _by_exchange(promises: Promises, weights: FloatArray, starts: FloatArray) -> FloatArray:
    """The same for many pairs, of which few bind: those that break the promise are added.

    The least noise for some of the pairs is never more than that for all, and its least multiple
    that keeps the promise for all never less: the search ends where they meet (exchange method,
    Hettich & Kortanek 1993).
    """
    results, todo = np.empty_like(starts), np.arange(len(starts))
    chosen = np.empty((len(starts), 0), dtype=np.intp)
    noises = starts
    many = promises.differences.shape[1]
    while len(todo):
        some = promises.of(todo)
        room = some.room(some.deltas(noises)).reshape(len(todo), many, 2).min(axis=2)
        np.put_along_axis(room, chosen, np.inf, axis=1)
        more = np.argsort(room, axis=1, kind="stable")[:, : max(_FEW, chosen.shape[1])]
        chosen = np.concatenate([chosen, more], axis=1)
        least = _least_of(some.between(chosen), weights[todo], starts[todo])
        kept = kept_multiple(some, least)
        results[todo] = kept
        excess = np.einsum("nii,ni->n", kept - least, weights[todo])
        trace = np.einsum("nii,ni->n", least, weights[todo])
        # What no noise keeps for some of the pairs, none keeps for all.
        on = excess > _GAP / 2 * trace
        on &= chosen.shape[1] < many
        todo, chosen, noises = todo[on], chosen[on], least[on]
    return results


def _least_of(promises: Promises | Together, weights: FloatArray, starts: FloatArray) -> FloatArray:
    """As `least_kept`, of all pairs at once."""
    rough = kept_multiple(promises, starts, _ROUGH)
    starts = np.where(np.isnan(rough), starts, rough)
    factors, ended = _searched(promises, weights, starts, careful=False)
    if not ended.all():
        again = _searched(promises.of(~ended), weights[~ended], starts[~ended], careful=True)
        factors[~ended], ended[~ended] = again
    factors = kept_multiple(promises, factors)
    if not ended.all():
        rest = kept_multiple(promises.of(~ended), starts[~ended])
        more = ~(np.einsum("nii,ni->n", factors[~ended] - rest, weights[~ended]) <= 0)
        factors[~ended] = np.where(more[:, None, None], rest, factors[~ended])
    return factors


def _searched(
    promises: Promises | Together, weights: FloatArray, starts: FloatArray, *, careful: bool
) -> tuple[FloatArray, BoolArray]:
    """Where each search got, and whether it came to its end."""
    factors, live = starts.copy(), np.arange(len(starts))
    ended = np.zeros(len(starts), dtype=np.bool_)
    state = _State.begin(promises, weights, starts)
    for _ in range(_CAREFUL_ROUNDS if careful else _ROUNDS):
        with np.errstate(all="ignore"):  # what leaves double precision is left out
            state, converged = state.next(careful=careful)
        going = state.sound()
        factors[live[going]] = state.noise[going]
        ended[live] = converged & going
        going &= ~converged
        if not going.any():
            break
        if not going.all():
            live, state = live[going], state.of(going)
    return factors, ended


def kept_multiple(
    promises: Promises | Together, noises: FloatArray, tolerance: float | None = None
) -> FloatArray:
    """The least multiple of each noise that keeps its promise, as :func:`least_kept_along`."""
    factors = least_kept_along(
        promises, lambda rows, factor: noises[rows] * factor[:, None, None], tolerance=tolerance
    )
    return noises * factors[:, None, None]


def least_kept_along(
    promises: Promises | Together,
    noise_at: Callable[[IntArray, FloatArray], FloatArray],
    *,
    tolerance: float | None = None,
    least: float = 0.0,
    most: float = 1e12,
) -> FloatArray:
    """Least factor at which noise that grows with it keeps its promise, to 1e-9 of δ.

    The secant method in ln(factor), on which the room is about linear, inside a bracket.

    Parameters
    ----------
    promises : Promises
    noise_at : callable
        From indices of promises and their factors to noises, shape (indices, m, m).
    tolerance : float, optional
        Room that may be left; by default 1e-9 of δ.
    least, most : float
        Between them is searched; `least`, if not 0, is taken if it keeps the promise.

    Returns
    -------
    ndarray, shape (promises,)
        NaN where even `most` does not keep it.
    """
    count = len(promises.epsilons)
    factor, slope = np.ones(count), np.ones(count)
    low, high = np.full(count, least), np.full(count, np.inf)
    latest = np.full((2, count), np.nan)
    resume, before, steep = np.full(count, np.inf), latest, slope
    todo = np.arange(count)
    aim = 0.0 if tolerance is None else tolerance / 2
    for turn in range(_TURNS):
        some = promises.of(todo)
        deltas = some.deltas(noise_at(todo, factor[todo]), 2)
        room, worst = some.room(deltas).min(axis=1), deltas.max(axis=1)
        kept = worst <= some.promised
        low[todo] = np.where(kept, low[todo], factor[todo])
        high[todo] = np.where(kept, factor[todo], high[todo])
        place = np.log(factor[todo])
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = (room - latest[1, todo]) / (place - latest[0, todo])
        slope[todo] = np.where(np.isfinite(moved) & (moved > 0), moved, slope[todo])
        latest[:, todo] = place, room
        new = np.exp(place - np.clip((room - aim) / slope[todo], -2.0, 2.0))
        middle = np.sqrt(np.maximum(low[todo], 1e-3 * high[todo]) * high[todo])
        new = np.where((low[todo] < new) & (new < high[todo]), new, middle)
        # If there is a factor at all it is time to know; then the search goes on where it was.
        back = kept & (factor[todo] >= most) & np.isfinite(resume[todo])
        new = np.where(back, resume[todo], new)
        latest[:, todo] = np.where(back, before[:, todo], latest[:, todo])
        slope[todo] = np.where(back, steep[todo], slope[todo])
        if turn == _OUTWARDS:
            out = np.isinf(high[todo]) & (room < -_FAR)
            resume[todo] = np.where(out, new, np.inf)
            before, steep = latest.copy(), slope.copy()
            new = np.where(out, most, new)
        enough = worst >= some.promised * (1 - 1e-9) if tolerance is None else room < tolerance
        settled = kept & (enough | (factor[todo] <= least))
        settled |= ~kept & (factor[todo] >= most)
        factor[todo] = np.where(settled, factor[todo], new)
        todo = todo[~settled]
        if not len(todo):
            break
    factor[todo] = high[todo]
    return np.where(np.isinf(high), np.nan, factor)


@dataclass(frozen=True, eq=False)
class _State:
    """Where the search is: noise and slacks with their duals, for objectives W of size about 1."""

    promises: Promises | Together
    weights: FloatArray
    noise: FloatArray
    dual: FloatArray
    slack: FloatArray
    price: FloatArray
    derivatives: Derivatives | JointDerivatives

    @classmethod
    def begin(cls, promises: Promises | Together, weights: FloatArray, noise: FloatArray) -> _State:
        size = noise.shape[-1]
        scaled = weights / np.einsum("nii,ni->n", noise, weights)[:, None]
        derivatives = promises.derivatives(noise)
        slack = np.maximum(derivatives.room, _BEGIN)
        return cls(
            promises,
            scaled[:, :, None] * np.eye(size),
            noise,
            np.linalg.inv(noise) * (_BEGIN / size),
            slack,
            _BEGIN / size / slack,
            derivatives,
        )

    def of(self, rows: BoolArray) -> _State:
        """Some of the programs."""
        return _State(
            self.promises.of(rows),
            self.weights[rows],
            self.noise[rows],
            self.dual[rows],
            self.slack[rows],
            self.price[rows],
            self.derivatives.of(rows),
        )

    def sound(self) -> BoolArray:
        """Where nothing has left double precision."""
        parts = (self.noise, self.dual, self.slack, self.price, self.derivatives.room)
        return np.all(
            [np.isfinite(part).reshape(len(part), -1).all(axis=1) for part in parts], axis=0
        )

    def next(self, *, careful: bool) -> tuple[_State, BoolArray]:
        """The state one step on, and which programs had come to their end before it."""
        size = self.noise.shape[-1]
        frame = _Frame.of(self.noise, self.dual)
        scaled = frame.scale
        products = scaled**2
        slack, price = self.slack, self.price
        gap = products.sum(axis=1) + (slack * price).sum(axis=1)
        target_of = size + slack.shape[1]
        forward = frame.forward
        gradients = forward.swapaxes(1, 2)[:, None] @ self.derivatives.gradients()
        gradients = entries(gradients @ forward[:, None])
        counting = np.where(price > 1e-7 * price.max(axis=1, keepdims=True), price, 0.0)
        curvature = _tamed(-self.derivatives.hessian(counting, forward))
        diagonal = _diagonal(scaled)
        weights = forward.swapaxes(1, 2) @ self.weights @ forward
        slope = entries(weights - diagonal)
        slope -= (price[:, None, :] @ gradients)[:, 0]
        missing = self.derivatives.room - slack
        trace = np.einsum("nij,nij->n", self.weights, self.noise)
        left = np.sqrt(scaled)[:, :, None] * symmetric(slope, size) * np.sqrt(scaled)[:, None, :]
        converged = (
            (gap < _GAP * trace)
            & (np.abs(missing).max(axis=1) < _ROOM)
            & (np.linalg.norm(left, axis=(1, 2)) < _SLOPE * trace)
        )
        system = curvature + np.eye(curvature.shape[-1])
        system += gradients.swapaxes(1, 2) @ ((price / slack)[..., None] * gradients)
        mean = gap / target_of
        aim, most = (0.3, 0.6) if careful else (0.1, np.maximum(0.9, 1 - 10 * mean / trace))
        target = np.maximum(aim * mean, 0.2 * _GAP * trace / target_of)[:, None]
        centre = _diagonal(target / scaled - scaled)
        shortage = target - slack * price
        right = entries(centre) - slope
        right += (((shortage - price * missing) / slack)[:, None, :] @ gradients)[:, 0]
        moved = (np.linalg.inv(system) @ right[..., None])[..., 0]
        change = symmetric(moved, size)
        slacker = (gradients @ moved[..., None])[..., 0] + missing
        dearer = (shortage - price * slacker) / slack
        # The longest steps that leave everything positive.
        root = 1 / np.sqrt(scaled)
        both = np.array([change, centre - change]) * root[:, :, None] * root[:, None, :]
        ends = np.linalg.eigvalsh(np.nan_to_num(both))[..., 0]
        growth = _GROWTH * trace / np.maximum(np.einsum("nij,nij->n", weights, change), 1e-12)
        shortest = np.minimum(ends[0], (slacker / slack).min(axis=1))
        primal = np.minimum(np.minimum(1, growth), most / np.maximum(-shortest, 1e-12))
        dual = np.minimum(1, most / np.maximum(-ends[1], 1e-12))
        along = np.minimum(1, most / np.maximum(-(dearer / price).min(axis=1), 1e-12))
        noise = self.noise + _moved(forward, primal[:, None, None] * change)
        slack = slack + primal[:, None] * slacker
        price = price + along[:, None] * dearer
        derivatives = self.promises.derivatives(noise)
        middle = (slack * price).mean(axis=1, keepdims=True)
        slack = np.maximum(np.minimum(slack, 10 * middle / price), derivatives.room)
        slack = np.maximum(slack, _SPREAD_ROOM * middle / price)
        price = np.maximum(price, _SPREAD_ROOM * middle / slack)
        back = frame.back.swapaxes(1, 2)
        return replace(
            self,
            noise=noise,
            dual=_moved(back, diagonal + dual[:, None, None] * (centre - change)),
            slack=slack,
            price=price,
            derivatives=derivatives,
        ), converged


@dataclass(frozen=True, eq=False)
class _Frame:
    """Change of variables F in which noise and dual are one diagonal matrix: S = F diag(λ) Fᵀ."""

    forward: FloatArray
    back: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, noise: FloatArray, dual: FloatArray) -> _Frame:
        values, vectors = np.linalg.eigh(noise)
        root = np.sqrt(np.maximum(values, 1e-15 * values[:, -1:]))
        half = vectors * root[:, None, :]
        products, turn = np.linalg.eigh(half.swapaxes(1, 2) @ dual @ half)
        products = np.maximum(products, 0)
        middle = products.mean(axis=1, keepdims=True)
        scale = np.sqrt(np.maximum(products, _SPREAD_MATRIX * middle))
        stretch = np.sqrt(scale)
        back = turn.swapaxes(1, 2) @ (vectors / root[:, None, :]).swapaxes(1, 2)
        return cls(half @ turn / stretch[:, None, :], stretch[:, :, None] * back, scale)


def _tamed(curvature: FloatArray) -> FloatArray:
    """The same where it is not so hollow that a Newton step would go the wrong way."""
    curvature = np.nan_to_num(curvature)
    values, vectors = np.linalg.eigh(curvature)
    if (values[:, 0] > -0.9).all():
        return curvature
    return np.asarray((vectors * np.maximum(values, -0.9)[:, None, :]) @ vectors.swapaxes(1, 2))


def _moved(change: FloatArray, matrices: FloatArray) -> FloatArray:
    changed = change @ matrices @ change.swapaxes(1, 2)
    return np.asarray((changed + changed.swapaxes(1, 2)) / 2)


def _diagonal(values: FloatArray) -> FloatArray:
    return values[:, :, None] * np.eye(values.shape[1])
