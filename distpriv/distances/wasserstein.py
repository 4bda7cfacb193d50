"""Wasserstein distances of discrete distributions: how far mass has to move at worst."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow
from scipy.spatial.distance import cdist

from distpriv.arguments import checked
from distpriv.distances.on_a_line import line_closeness
from distpriv.errors import DistanceError
from distpriv.words import exact

__all__ = ["Discrete", "closeness", "distribution", "wasserstein_inf"]

FloatArray = NDArray[np.float64]

_SUM = 1e-9  # how far weights may be from summing to 1
_BITS = 52  # of a weight: sums of whole numbers below 2⁵³ are exact in floating point
_CAPACITY_BITS = 30  # of SciPy's maximum flow, which silently drops what is above
_MOST_PAIRS = 25_000_000


@checked(DistanceError)
def wasserstein_inf(
    x: ArrayLike,
    y: ArrayLike,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
) -> float:
    """W_∞ with the L1 norm: the least W for which some coupling moves no mass further.

    In one dimension the coupling of equal quantiles is optimal (Villani 2003, Theorem 2.18 and
    Remark 2.19); in more it is a bottleneck matching. Erratum: "(W, 0)-close if and only if
    W_∞ = W" in Chen & Ohrimenko (2023) means W_∞ ≤ W.

    Parameters
    ----------
    x, y : array-like, shape (k,) or (k, m), and (l,) or (l, m)
        Points of the two distributions.
    x_weights, y_weights : array-like, shape (k,) and (l,), optional
        Their probabilities, summing to 1; equal ones by default. Each is taken to be known up to
        a machine epsilon, 2⁻⁵²: mass of k + l epsilons at most may stay behind.

    Returns
    -------
    float

    Raises
    ------
    DistanceError
        If points or weights are not what they should be, or there are too many pairs of points
        in more than one dimension.
    """
    return closeness(x, y, 0.0, x_weights, y_weights)


@checked(DistanceError)
def closeness(
    x: ArrayLike,
    y: ArrayLike,
    delta: float,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
) -> float:
    """The least W for which the two distributions are (W, δ)-close.

    Some coupling moves all but δ of the mass by at most W in the L1 norm (Chen & Ohrimenko
    2023, Definition 3.2): the maximum flow along moves of at most W is at least 1 − δ. In one
    dimension any number of points will do, see :mod:`distpriv.distances.on_a_line`.

    Parameters
    ----------
    x, y, x_weights, y_weights
        As for :func:`wasserstein_inf`.
    delta : float in [0, 1)

    Raises
    ------
    DistanceError
        As :func:`wasserstein_inf`, and if δ is outside its domain.
    """
    if not 0 <= delta < 1:
        raise DistanceError(f"δ must be in [0, 1), got δ = {delta:g}.")
    first, second = distribution("x", x, x_weights), distribution("y", y, y_weights)
    if first.points.shape[1] != second.points.shape[1]:
        raise DistanceError(
            f"The points must have the same dimension, got {first.points.shape[1]} for x and "
            f"{second.points.shape[1]} for y."
        )
    if first.points.shape[1] == 1:
        plain = first.weights is None and second.weights is None
        quick = plain and delta == 0
        return _by_quantiles(first, second) if quick else _on_line(first, second, delta)
    pairs = len(first.points) * len(second.points)
    if pairs > _MOST_PAIRS:
        raise DistanceError(
            f"{len(first.points)} times {len(second.points)} points are {exact(pairs)} pairs, more "
            f"than {exact(_MOST_PAIRS)}; take fewer points."
        )
    return _least_threshold(first, second, delta)


@dataclass(frozen=True, eq=False)
class Discrete:
    """Points, shape (k, m), with positive weights that sum to 1, or None if they are equal."""

    points: FloatArray
    weights: FloatArray | None

    @cached_property
    def masses(self) -> FloatArray:
        if self.weights is not None:
            return self.weights
        return np.full(len(self.points), 1 / len(self.points))


def distribution(name: str, points: ArrayLike, weights: ArrayLike | None) -> Discrete:
    """Points and weights as they should be, or `DistanceError`; points of weight 0 are left out."""
    values = np.asarray(points, dtype=np.float64)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or not values.size:
        raise DistanceError(
            f"The points {name} must be a list of numbers, or of rows of numbers, and not empty, "
            f"got shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise DistanceError(f"The points {name} must be finite numbers.")
    if weights is None:
        return Discrete(values, None)
    masses = np.asarray(weights, dtype=np.float64)
    if masses.shape != (len(values),):
        raise DistanceError(
            f"There must be one weight for each point of {name}, got {masses.size} weights for "
            f"{len(values)} points."
        )
    if not (np.isfinite(masses).all() and (masses >= 0).all()):
        raise DistanceError(f"The weights of {name} must be numbers that are not negative.")
    total = math.fsum(masses)
    if abs(total - 1) > _SUM:
        raise DistanceError(f"The weights of {name} must sum to 1, they sum to {total:.9g}.")
    present = masses > 0
    return Discrete(values[present], masses[present] / total)


@dataclass(frozen=True, eq=False)
class _Masses:
    """Weights as whole numbers, so that sums of any of them are exact.

    Attributes
    ----------
    supply, demand : ndarray of int, shape (k,) and (l,)
        Exact for equal weights, else rounded to 2⁻⁵².
    whole : int
        All the mass there is.
    missing : int
        How much of it need not move: δ, and what rounding alone may leave behind.
    """

    supply: NDArray[np.int64]
    demand: NDArray[np.int64]
    whole: int
    missing: int

    @classmethod
    def of(cls, first: Discrete, second: Discrete, delta: float) -> _Masses:
        sizes = len(first.points), len(second.points)
        whole, rounded = math.lcm(*sizes), 1  # δ itself is rounded
        if first.weights is not None or second.weights is not None or whole > 1 << _BITS:
            whole, rounded = 1 << _BITS, 1 + sum(sizes)
        supply, demand = (
            np.rint(cloud.masses * whole).astype(np.int64) for cloud in (first, second)
        )
        slack = Fraction(rounded * whole, 1 << _BITS)
        return cls(supply, demand, whole, math.floor(Fraction(delta) * whole + slack))


def _by_quantiles(first: Discrete, second: Discrete) -> float:
    """W_∞ in one dimension of points with equal weights."""
    x, y = (np.sort(cloud.points[:, 0]) for cloud in (first, second))
    if len(x) == len(y):
        return float(np.abs(x - y).max())
    # Levels at which a quantile of either moves on, in units of 1/(k·l).
    levels = np.concatenate([np.arange(len(x)) * len(y), np.arange(len(y)) * len(x)])
    return float(np.abs(x[levels // len(y)] - y[levels // len(x)]).max())


def _on_line(first: Discrete, second: Discrete, delta: float) -> float:
    """Closeness in one dimension."""
    masses = _Masses.of(first, second, delta)
    return line_closeness(
        *_merged(first.points[:, 0], masses.supply),
        *_merged(second.points[:, 0], masses.demand),
        masses.missing,
    )


def _merged(values: FloatArray, masses: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
    """Ascending points, each once, with the mass there."""
    order = np.argsort(values, kind="stable")
    points, starts = np.unique(values[order], return_index=True)
    return points, np.add.reduceat(masses[order], starts).astype(np.float64)


def _least_threshold(first: Discrete, second: Discrete, delta: float) -> float:
    """Search among the distances for the least at which enough mass can move."""
    distances = cdist(first.points, second.points, "cityblock")
    enough = _Transport(_Masses.of(first, second, delta))
    low = 0.0
    if delta == 0:  # every point has to go somewhere
        low = max(distances.min(axis=1).max(), distances.min(axis=0).max())
    candidates = np.unique(distances[distances >= low])
    left, right = 0, len(candidates) - 1
    while left < right:
        # The answer tends to be near the lower end, where the graph is sparse.
        middle = left + (right - left) // 4
        if enough.moves(distances <= candidates[middle]):
            right = middle
        else:
            left = middle + 1
    return float(candidates[left])


@dataclass(frozen=True, eq=False)
class _Transport:
    """Whether all but what may be missing can move along allowed pairs.

    By Dinic's algorithm for equal weights too: SciPy's bipartite matching can take minutes where
    many points lie on a lattice. Its capacities have 31 bits. So the leading bits of the masses
    are moved first, and each further few of them from there (Gabow 1985, scaling), until what is
    left out cannot change the answer.
    """

    masses: _Masses

    def moves(self, allowed: NDArray[np.bool_]) -> bool:
        """Whether the pairs marked, shape (k, l), carry enough."""
        ends = sum(allowed.shape)
        wanted = self.masses.whole - self.masses.missing
        shift = max(self.masses.whole.bit_length() - _CAPACITY_BITS, 0)
        pairs, moved = np.nonzero(allowed), csr_array(allowed.shape, dtype=np.int64)
        total = 0
        while True:
            more = self._more(pairs, moved, shift)
            total += int(more.flow_value)
            if total << shift >= wanted:
                return True
            # The arcs of a cut that have an end are all that rounding can narrow.
            if shift == 0 or (total + ends) << shift < wanted:
                return False
            moved = moved + more.flow[: allowed.shape[0], allowed.shape[0] : -2].astype(np.int64)
            step = min(_CAPACITY_BITS - ends.bit_length(), shift)
            moved, total, shift = moved * (1 << step), total << step, shift - step

    def _more(self, pairs: tuple[NDArray[np.intp], ...], moved: Any, shift: int) -> Any:
        """The flow that is possible besides what has been moved, in units of 2^shift."""
        supply = (self.masses.supply >> shift) - moved.sum(axis=1)
        demand = (self.masses.demand >> shift) - moved.sum(axis=0)
        left, right = len(supply), len(demand)
        source, sink = left + right, left + right + 1
        back = moved.tocoo()
        heads = [np.full(left, source), pairs[0], back.col + left, np.arange(left, source)]
        tails = [np.arange(left), pairs[1] + left, back.row, np.full(right, sink)]
        across = int(supply.sum())
        capacities = [supply, np.full(len(pairs[0]), across), back.data, demand]
        narrowed = np.minimum(np.concatenate(capacities), 1 << _CAPACITY_BITS).astype(np.int32)
        arcs = np.concatenate(heads), np.concatenate(tails)
        return maximum_flow(
            coo_array((narrowed, arcs), shape=(sink + 1,) * 2).tocsr(), source, sink
        )
