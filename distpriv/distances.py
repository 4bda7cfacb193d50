"""Wasserstein distances of discrete distributions: how far mass has to move at worst."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow
from scipy.spatial.distance import cdist

from distpriv.errors import DistanceError
from distpriv.line_distances import line_closeness

__all__ = ["Discrete", "closeness", "distribution", "wasserstein_inf"]

FloatArray = NDArray[np.float64]

_SUM = 1e-9  # how far weights may be from summing to 1
_NOTHING = 1e-12  # mass that rounding alone makes
_UNITS = 1 << 30  # weights become whole numbers of these for the maximum flow
_WHOLE = 1 << 50
_MOST_PAIRS = 25_000_000


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
        Their probabilities, summing to 1; equal ones by default.

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
    dimension any number of points will do, see :mod:`distpriv.line_distances`.

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
        return _by_quantiles(first, second) if delta == 0 else _on_line(first, second, delta)
    pairs = len(first.points) * len(second.points)
    if pairs > _MOST_PAIRS:
        raise DistanceError(
            f"{len(first.points)} times {len(second.points)} points are {pairs:,} pairs, more "
            f"than {_MOST_PAIRS:,}; take fewer points."
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


def _by_quantiles(first: Discrete, second: Discrete) -> float:
    """W_∞ in one dimension."""
    sorted_points, sorted_masses = [], []
    for each in (first, second):
        order = np.argsort(each.points[:, 0], kind="stable")
        sorted_points.append(each.points[order, 0])
        sorted_masses.append(each.masses[order])
    if first.weights is None and second.weights is None and len(first.points) == len(second.points):
        return float(np.abs(sorted_points[0] - sorted_points[1]).max())
    ends = [np.cumsum(masses) for masses in sorted_masses]
    levels = np.sort(np.concatenate(ends))
    steps = np.diff(levels, prepend=0.0)
    middles = (levels - steps / 2)[steps > _NOTHING]
    at = [
        points[np.minimum(np.searchsorted(end, middles), len(points) - 1)]
        for points, end in zip(sorted_points, ends, strict=True)
    ]
    return float(np.abs(at[0] - at[1]).max())


def _on_line(first: Discrete, second: Discrete, delta: float) -> float:
    """Closeness in one dimension."""
    plain = first.weights is None and second.weights is None
    sizes = len(first.points), len(second.points)
    units = math.lcm(*sizes) if plain else 1
    missing: float
    if plain and units <= _WHOLE:  # masses are whole numbers of these
        missing = math.floor(round(delta * units, 9))
    else:
        units, missing = 1, delta + _NOTHING + sum(sizes) * float(np.finfo(float).eps)
    return line_closeness(*_merged(first, units), *_merged(second, units), missing)


def _merged(each: Discrete, units: int) -> tuple[FloatArray, FloatArray]:
    """Ascending points, each once, with their masses, `units` together."""
    values = each.points[:, 0]
    if each.weights is None:
        points, counts = np.unique(values, return_counts=True)
        return points, np.asarray(counts * (units / len(values)), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    points, starts = np.unique(values[order], return_index=True)
    return points, np.add.reduceat(each.masses[order], starts)


def _least_threshold(first: Discrete, second: Discrete, delta: float) -> float:
    """Search among the distances for the least at which enough mass can move."""
    distances = cdist(first.points, second.points, "cityblock")
    enough = _Transport(first, second, delta)
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


class _Transport:
    """Whether all but δ of the mass can move along allowed pairs."""

    def __init__(self, first: Discrete, second: Discrete, delta: float) -> None:
        self._sizes = len(first.points), len(second.points)
        plain = first.weights is None and second.weights is None
        common = math.lcm(*self._sizes)
        units = common if plain and common <= _UNITS else _UNITS
        self._supply = np.rint(first.masses * units).astype(np.int32)
        self._demand = np.rint(second.masses * units).astype(np.int32)
        # Each weight is rounded by half a unit at most.
        slack = 0 if units == common else sum(self._sizes) / 2
        self._wanted = math.ceil(round((1 - delta) * units - slack, 9))

    def moves(self, allowed: NDArray[np.bool_]) -> bool:
        """Whether the pairs marked, shape (k, l), carry enough.

        By Dinic's algorithm for equal weights too: SciPy's bipartite matching can take minutes
        where many points lie on a lattice.
        """
        rows, columns = np.nonzero(allowed)
        left, right = self._sizes
        source, sink = left + right, left + right + 1
        heads = np.concatenate([np.full(left, source), rows, np.arange(left, source)])
        tails = np.concatenate([np.arange(left), columns + left, np.full(right, sink)])
        between = np.minimum(self._supply[rows], self._demand[columns])
        capacities = np.concatenate([self._supply, between, self._demand])
        graph = coo_array((capacities, (heads, tails)), shape=(sink + 1,) * 2).tocsr()
        return int(maximum_flow(graph, source, sink).flow_value) >= self._wanted
